/* Files for the tests of the TOSA reader and writer: those in tests/data, and the larger set when
 * MLIA_FIXTURES says where it is. */
#ifndef MLIA_TEST_TOSA_FILES_H
#define MLIA_TEST_TOSA_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "formats/tosa/tosa.h"
#include "test_support.h"

typedef struct tosa_file {
    mlia_file *file;
    mlia_bytes bytes;
    mlia_arena *arena;
    mlia_diagnostics diagnostics;
    mlia_graph *graph;
} tosa_file;

static inline void close_tosa(tosa_file *item)
{
    mlia_arena_free(item->arena);
    mlia_file_free(item->file);
}

/* Opens and reads; the caller closes in any case. */
static inline mlia_status *read_tosa(const char *path, tosa_file *item)
{
    *item = (tosa_file){.arena = mlia_arena_new(0)};
    item->diagnostics.arena = item->arena;
    mlia_status *status = mlia_file_read(path, 1 << 26, &item->file);
    if (status != NULL)
        return status;
    item->bytes = mlia_file_bytes(item->file);
    return mlia_tosa_read(item->bytes, item->arena, &item->diagnostics, &item->graph);
}

static inline bool has_warning(const tosa_file *item, mlia_kind kind)
{
    for (size_t i = 0; i < item->diagnostics.count; i++)
        if (item->diagnostics.items[i].kind == kind)
            return true;
    return false;
}

/* Calls `test` with the path of every file NAME.tosa in FOLDER of tests/data/tosa, and of the larger set.
 * Fails when a folder that should be there holds none. */
static inline void for_each_tosa(const char *folder, void (*test)(const char *path))
{
    const char *const roots[] = {MLIA_TEST_DATA, getenv("MLIA_FIXTURES")};
    for (int i = 0; i < 2 && roots[i] != NULL; i++) {
        char *folder_path;
        struct dirent **entries;
        assert_true(asprintf(&folder_path, "%s/tosa/%s", roots[i], folder) > 0);
        int count = scandir(folder_path, &entries, NULL, alphasort);
        int tested = 0;
        for (int k = 0; k < count; k++) {
            const char *dot = strrchr(entries[k]->d_name, '.');
            if (dot != NULL && strcmp(dot, ".tosa") == 0) {
                char *path;
                assert_true(asprintf(&path, "%s/%s", folder_path, entries[k]->d_name) > 0);
                test(path);
                free(path);
                tested++;
            }
            free(entries[k]);
        }
        if (count >= 0)
            free(entries);
        free(folder_path);
        assert_true(tested > 0);
    }
}

#endif
