/* Files and texts for the tests of the MLIR readers and the writer. */
#ifndef MLIA_TEST_MLIR_FILES_H
#define MLIA_TEST_MLIR_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "formats/mlir/mlir.h"
#include "formats/tosa/tosa.h"
#include "graph_compare.h"
#include "test_support.h"

typedef struct mlir_file {
    mlia_file *file;
    mlia_arena *arena;
    mlia_diagnostics diagnostics;
    mlia_graph *graph;
} mlir_file;

static inline void close_mlir(mlir_file *item)
{
    mlia_arena_free(item->arena);
    mlia_file_free(item->file);
}

static inline mlia_status *read_bytes(mlia_bytes bytes, mlir_file *item)
{
    *item = (mlir_file){.arena = mlia_arena_new(0)};
    item->diagnostics.arena = item->arena;
    return mlia_mlir_read(bytes, item->arena, &item->diagnostics, &item->graph);
}

/* Text that must outlive the graph. */
static inline mlia_status *read_text(const char *text, mlir_file *item)
{
    return read_bytes((mlia_bytes){(const uint8_t *)text, strlen(text)}, item);
}

/* Opens and reads a file, a TOSA FlatBuffers too; the caller closes in any case. */
static inline mlia_status *read_mlir(const char *path, mlir_file *item)
{
    mlia_file *file;
    *item = (mlir_file){.arena = NULL};
    mlia_status *status = mlia_file_read(path, 1 << 26, &file);
    if (status != NULL)
        return status;
    size_t size = strlen(path);
    if (size > 5 && strcmp(path + size - 5, ".tosa") == 0) {
        item->arena = mlia_arena_new(0);
        item->diagnostics.arena = item->arena;
        status = mlia_tosa_read(mlia_file_bytes(file), item->arena, &item->diagnostics, &item->graph);
    } else {
        status = read_bytes(mlia_file_bytes(file), item);
    }
    item->file = file;
    return status;
}

static inline char *path_of(const char *root, const char *folder, const char *name, const char *ending)
{
    char *path;
    assert_true(asprintf(&path, "%s/%s/%s%s", root, folder, name, ending) > 0);
    return path;
}

/* Calls `test` with every file of ROOT/FOLDER that ends so. Fails when there is none. */
static inline void for_each_file(const char *root, const char *folder, const char *ending,
                                 void (*test)(const char *root, const char *folder, const char *name))
{
    struct dirent **entries;
    char *path = path_of(root, folder, "", "");
    int count = scandir(path, &entries, NULL, alphasort);
    int tested = 0;
    for (int i = 0; i < count; i++) {
        size_t size = strlen(entries[i]->d_name);
        size_t tail = strlen(ending);
        if (size > tail && strcmp(entries[i]->d_name + size - tail, ending) == 0) {
            test(root, folder, entries[i]->d_name);
            tested++;
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    free(path);
    assert_true(tested > 0);
}

#endif
