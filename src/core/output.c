/* Writing the output folder. */
#include "core/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "core/signals.h"
#include "result/document.h"

#define OWNER_FILE    ".mlia-owner"
#define DOCUMENT_FILE "mlia-output.json"

enum { OPEN_FILES = 16, MAX_DOCUMENT = 1 << 30 };

typedef struct output_file {
    mlia_str path;
    mlia_bytes bytes;
} output_file;

struct mlia_output {
    mlia_arena *arena;
    char *folder; /* DIR */
    char *target; /* DIR/mlia-output */
    bool overwrite;
    MLIA_LIST(output_file) files;
};

/* Names that runs of this program and of MLIA leave in the folder. */
static const char *const known_names[] = {
    DOCUMENT_FILE,
    OWNER_FILE,
    "logs",
    "report.",
    "nx-performance-estimator",
    "nx_performance_statistics.json",
    "ml-sdk-model-converter",
    "tflite-to-tosa",
    "pt2-to-tosa",
    "model-explorer",
};

static mlia_status *write_error(const char *path, int number)
{
    return mlia_status_path(mlia_error(MLIA_E_WRITE, "cannot write: %s", strerror(number)),
                            mlia_str_from_c(path));
}

mlia_str mlia_output_path(mlia_arena *arena, mlia_str folder, mlia_str file)
{
    if (mlia_str_equal_c(folder, "."))
        folder = MLIA_STR_NONE;
    return mlia_arena_format(arena, "%.*s%s" MLIA_OUTPUT_NAME "/%.*s", MLIA_STR_ARG(folder),
                             folder.size > 0 ? "/" : "", MLIA_STR_ARG(file));
}

/* --- whose folder is it? --- */

static bool is_known_name(const char *name)
{
    for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++) {
        size_t size = strlen(known_names[i]);
        bool is_prefix = known_names[i][size - 1] == '.';
        if (is_prefix ? strncmp(name, known_names[i], size) == 0 : strcmp(name, known_names[i]) == 0)
            return true;
    }
    return false;
}

static bool holds_document(const mlia_output *output)
{
    char *path;
    if (asprintf(&path, "%s/" DOCUMENT_FILE, output->target) < 0)
        return false;
    mlia_file *file = NULL;
    mlia_document *document;
    mlia_status *status = mlia_file_read(path, MAX_DOCUMENT, &file);
    mlia_arena *arena = mlia_arena_new(0);
    if (status == NULL && arena != NULL) {
        mlia_bytes bytes = mlia_file_bytes(file);
        status = mlia_document_read((mlia_str){(const char *)bytes.data, bytes.size}, arena, NULL, NULL,
                                    &document);
    }
    bool good = status == NULL && arena != NULL;
    mlia_status_free(status);
    mlia_arena_free(arena);
    mlia_file_free(file);
    free(path);
    return good;
}

static mlia_status *exists_error(const mlia_output *output, const char *what)
{
    return mlia_status_hint(
        mlia_status_path(mlia_error(MLIA_E_OUTPUT_EXISTS, "%s", what), mlia_str_from_c(output->target)),
        "choose another folder with --output-dir, or replace it with --overwrite");
}

/* Looks at the names of the folder; `*foreign` is the first one that no run leaves there. */
static mlia_status *check_names(const mlia_output *output, DIR *directory)
{
    char foreign[NAME_MAX + 1] = "";
    bool empty = true;
    bool owned = false;
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        empty = false;
        owned = owned || strcmp(entry->d_name, OWNER_FILE) == 0;
        /* the first by name, so that the message does not depend on the order of the directory */
        if (!is_known_name(entry->d_name) && (foreign[0] == '\0' || strcmp(entry->d_name, foreign) < 0))
            snprintf(foreign, sizeof foreign, "%s", entry->d_name);
    }
    if (empty || owned || (foreign[0] == '\0' && holds_document(output)))
        return NULL;
    char text[NAME_MAX + 64];
    snprintf(text, sizeof text, "the folder is not from a run of this program%s%s%s",
             foreign[0] ? ": it holds '" : "", foreign, foreign[0] ? "'" : "");
    return exists_error(output, text);
}

/* E_OUTPUT_EXISTS unless the folder is absent or may be replaced. */
static mlia_status *check_target(const mlia_output *output)
{
    struct stat info;
    if (output->overwrite || lstat(output->target, &info) != 0)
        return NULL;
    if (S_ISLNK(info.st_mode))
        return exists_error(output, "it is a symbolic link");
    if (!S_ISDIR(info.st_mode))
        return exists_error(output, "it is no folder");
    DIR *directory = opendir(output->target);
    if (directory == NULL)
        return write_error(output->target, errno);
    mlia_status *status = check_names(output, directory);
    closedir(directory);
    return status;
}

mlia_status *mlia_output_new(mlia_arena *arena, mlia_str folder, bool overwrite, mlia_output **out)
{
    mlia_output *output = MLIA_NEW(arena, mlia_output);
    MLIA_TRY_ALLOC(output);
    mlia_str copy = mlia_arena_str(arena, folder.size > 0 ? folder : MLIA_STR("."));
    mlia_str target = mlia_arena_format(arena, "%.*s/" MLIA_OUTPUT_NAME, MLIA_STR_ARG(copy));
    if (copy.data == NULL || target.data == NULL)
        return mlia_error_memory();
    *output = (mlia_output){arena, (char *)copy.data, (char *)target.data, overwrite, {0}};
    *out = output;
    return check_target(output);
}

mlia_status *mlia_output_add(void *context, mlia_str path, mlia_bytes bytes)
{
    mlia_output *output = context;
    output_file file = {mlia_arena_str(output->arena, path), {NULL, bytes.size}};
    mlia_str copy = mlia_arena_str(output->arena, (mlia_str){(const char *)bytes.data, bytes.size});
    if (file.path.data == NULL || copy.data == NULL)
        return mlia_error_memory();
    file.bytes.data = (const uint8_t *)copy.data;
    for (size_t i = 0; i < output->files.count; i++)
        if (mlia_str_equal(output->files.items[i].path, path)) {
            output->files.items[i] = file;
            return NULL;
        }
    return MLIA_APPEND(output->arena, output->files, file) ? NULL : mlia_error_memory();
}

/* --- writing --- */

/* Makes the folder of `path` (not its last part) and all above it. */
static mlia_status *make_parents(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        int number = errno;
        mlia_status *status = made ? NULL : write_error(path, number);
        *slash = '/';
        MLIA_TRY(status);
    }
    return NULL;
}

static mlia_status *write_file(const char *folder, const output_file *file)
{
    char *path;
    if (asprintf(&path, "%s/%.*s", folder, MLIA_STR_ARG(file->path)) < 0)
        return mlia_error_memory();
    mlia_status *status = make_parents(path);
    if (status == NULL)
        status = mlia_file_write(path, file->bytes);
    free(path);
    return status;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

/* Removes a folder and all in it, or a link or file itself. */
static void remove_tree(const char *path)
{
    nftw(path, remove_entry, OPEN_FILES, FTW_DEPTH | FTW_PHYS);
}

static mlia_status *write_all(const mlia_output *output, const char *folder, mlia_str run_id)
{
    for (size_t i = 0; i < output->files.count; i++)
        MLIA_TRY(write_file(folder, &output->files.items[i]));
    char owner[128];
    int size = snprintf(owner, sizeof owner, "mlia " MLIA_VERSION " %.*s\n", MLIA_STR_ARG(run_id));
    output_file file = {MLIA_STR(OWNER_FILE), {(const uint8_t *)owner, (size_t)size}};
    MLIA_TRY(write_file(folder, &file));
    mode_t mask = umask(0);
    umask(mask);
    return chmod(folder, 0777 & ~mask) == 0 ? NULL : write_error(folder, errno);
}

/* For file systems that cannot exchange two names: target → aside, folder → target, aside removed. A run that
 * comes between makes it start again. */
static bool replace_by_renaming(const mlia_output *output, const char *folder, const char *aside)
{
    bool had_old = rename(output->target, aside) == 0;
    if (!had_old && errno != ENOENT)
        return false;
    if (rename(folder, output->target) == 0) {
        remove_tree(aside);
        return true;
    }
    int number = errno;
    if (had_old && rename(aside, output->target) != 0)
        remove_tree(aside); /* a newer run's folder stands there now */
    errno = number;
    return false;
}

/* Puts `folder` in the place of the target and removes what stood there. Two runs at a time: the later one
 * wins whole. */
static mlia_status *swap_in(const mlia_output *output, const char *folder, const char *aside)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        if (renameat2(AT_FDCWD, folder, AT_FDCWD, output->target, RENAME_EXCHANGE) == 0) {
            remove_tree(folder);
            return NULL;
        }
        if (errno == ENOENT && renameat2(AT_FDCWD, folder, AT_FDCWD, output->target, RENAME_NOREPLACE) == 0)
            return NULL;
        bool unknown_call = errno == EINVAL || errno == ENOSYS;
        if (unknown_call && replace_by_renaming(output, folder, aside))
            return NULL;
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOENT)
            break;
    }
    return write_error(output->target, errno);
}

static mlia_status *publish(mlia_output *output, mlia_str run_id, char *folder, const char *aside,
                            bool *published)
{
    MLIA_TRY(check_target(output));
    MLIA_TRY(make_parents(output->target));
    if (mkdtemp(folder) == NULL)
        return write_error(output->folder, errno);
    mlia_status *status = write_all(output, folder, run_id);
    *published = status == NULL && mlia_signals_pending() == 0;
    if (*published)
        status = swap_in(output, folder, aside);
    if (!*published || status != NULL)
        remove_tree(folder);
    return status;
}

mlia_status *mlia_output_publish(mlia_output *output, mlia_str run_id, bool *published)
{
    *published = false;
    mlia_str folder = mlia_arena_format(output->arena, "%s/." MLIA_OUTPUT_NAME ".XXXXXX", output->folder);
    mlia_str aside = mlia_arena_format(output->arena, "%s/." MLIA_OUTPUT_NAME ".old.%.*s", output->folder,
                                       MLIA_STR_ARG(run_id));
    if (folder.data == NULL || aside.data == NULL)
        return mlia_error_memory();
    mlia_signals_hold(true);
    mlia_status *status = publish(output, run_id, (char *)folder.data, aside.data, published);
    mlia_signals_hold(false);
    return status;
}
