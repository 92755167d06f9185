/* Reading, mapping and atomic writing of files. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Smaller files are read: that is cheaper than a mapping. */
enum { MAP_FROM = 64 << 10 };
#define STDIN_LIMIT ((size_t)INT32_MAX)

struct mlia_file {
    uint8_t *data;
    size_t size;
    bool mapped;
};

mlia_bytes mlia_file_bytes(const mlia_file *file)
{
    return (mlia_bytes){file->data, file->size};
}

void mlia_file_forget(const mlia_file *file, size_t begin, size_t end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (file == NULL || !file->mapped)
        return;
    begin = (begin + page - 1) / page * page;
    end = (end < file->size ? end : file->size) / page * page;
    if (begin < end)
        madvise(file->data + begin, end - begin, MADV_DONTNEED);
}

void mlia_file_free(mlia_file *file)
{
    if (file == NULL)
        return;
    if (file->mapped)
        munmap(file->data, file->size);
    else
        free(file->data);
    free(file);
}

static mlia_status *errno_status(const char *path, int number)
{
    mlia_kind kind = MLIA_E_READ;
    if (number == ENOENT || number == ENOTDIR)
        kind = MLIA_E_NOT_FOUND;
    else if (number == EACCES || number == EPERM)
        kind = MLIA_E_PERMISSION;
    return mlia_status_path(mlia_error(kind, "%s", strerror(number)), mlia_str_from_c(path));
}

/* Reads until the end of the stream or `limit` + 1 bytes; grows as needed. */
static mlia_status *read_all(int descriptor, const char *path, size_t expected, size_t limit, mlia_file *file)
{
    size_t capacity = expected + 1;
    file->data = malloc(capacity);
    MLIA_TRY_ALLOC(file->data);
    for (;;) {
        if (file->size == capacity) {
            if (capacity > limit)
                return mlia_status_path(mlia_error(MLIA_E_LIMIT, "more than %zu bytes", limit),
                                        mlia_str_from_c(path));
            size_t grown_capacity = capacity > limit / 2 ? limit + 1 : capacity * 2;
            uint8_t *grown = realloc(file->data, grown_capacity);
            MLIA_TRY_ALLOC(grown);
            file->data = grown;
            capacity = grown_capacity;
        }
        ssize_t got = read(descriptor, file->data + file->size, capacity - file->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno_status(path, errno);
        if (got == 0)
            break;
        file->size += (size_t)got;
    }
    if (file->size > limit)
        return mlia_status_path(mlia_error(MLIA_E_LIMIT, "more than %zu bytes", limit),
                                mlia_str_from_c(path));
    return NULL;
}

static mlia_status *load_descriptor(int descriptor, const char *path, size_t limit, bool may_map,
                                    mlia_file *file)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0)
        return errno_status(path, errno);
    if (!S_ISREG(info.st_mode)) {
        const char *what = S_ISDIR(info.st_mode) ? "a folder" : "not a regular file";
        return mlia_status_path(mlia_error(MLIA_E_NOT_A_FILE, "%s", what), mlia_str_from_c(path));
    }
    if ((uint64_t)info.st_size > limit)
        return mlia_status_path(
            mlia_error(MLIA_E_LIMIT, "%lld bytes, at most %zu are read", (long long)info.st_size, limit),
            mlia_str_from_c(path));
    size_t size = (size_t)info.st_size;
    if (may_map && size >= MAP_FROM) {
        void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (data != MAP_FAILED) {
            *file = (mlia_file){data, size, true};
            return NULL;
        }
    }
    return read_all(descriptor, path, size, limit, file);
}

static mlia_status *open_file(const char *path, size_t limit, bool may_map, mlia_file **out)
{
    mlia_file *file = calloc(1, sizeof *file);
    MLIA_TRY_ALLOC(file);
    mlia_status *status;
    /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        status = errno_status(path, errno);
    } else {
        status = load_descriptor(descriptor, path, limit, may_map, file);
        close(descriptor);
    }
    if (status != NULL) {
        mlia_file_free(file);
        return status;
    }
    *out = file;
    return NULL;
}

static mlia_status *open_stdin(mlia_file **out)
{
    mlia_file *file = calloc(1, sizeof *file);
    MLIA_TRY_ALLOC(file);
    mlia_status *status = read_all(STDIN_FILENO, "stdin", 1 << 16, STDIN_LIMIT, file);
    if (status != NULL) {
        mlia_file_free(file);
        return status;
    }
    *out = file;
    return NULL;
}

mlia_status *mlia_file_open(const char *path, mlia_file **out)
{
    bool is_stdin = strcmp(path, "-") == 0;
    mlia_file *file = NULL;
    MLIA_TRY(is_stdin ? open_stdin(&file) : open_file(path, (size_t)1 << 40, true, &file));
    if (file->size == 0) { /* NOLINT(clang-analyzer-core.NullDereference): success has set it */
        mlia_file_free(file);
        return mlia_status_path(mlia_error(MLIA_E_EMPTY, "the file is empty"),
                                mlia_str_from_c(is_stdin ? "stdin" : path));
    }
    *out = file;
    return NULL;
}

mlia_status *mlia_file_read(const char *path, size_t limit, mlia_file **out)
{
    return open_file(path, limit, false, out);
}

mlia_status *mlia_file_read_text(const char *path, size_t limit, mlia_arena *arena, mlia_str *text)
{
    mlia_file *file = NULL;
    MLIA_TRY(mlia_file_read(path, limit, &file));
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): success has set the file */
    *text = mlia_arena_str(arena, (mlia_str){(const char *)file->data, file->size});
    mlia_file_free(file);
    return text->data != NULL ? NULL : mlia_error_memory();
}

static bool write_all(int descriptor, const mlia_pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++) {
        mlia_bytes bytes = pieces->items[i];
        size_t done = 0;
        while (done < bytes.size) {
            ssize_t put = write(descriptor, bytes.data + done, bytes.size - done);
            if (put < 0 && errno == EINTR)
                continue;
            if (put < 0)
                return false;
            done += (size_t)put;
        }
    }
    return true;
}

/* Room for the file before anything is written: a full disk is known at once, and file systems need not find
 * a place for it bit by bit. Those that cannot do that are asked for the room while writing. */
static bool reserve(int descriptor, uint64_t size)
{
    return size == 0 || size > INT64_MAX || fallocate(descriptor, 0, 0, (off_t)size) == 0 || errno != ENOSPC;
}

static mlia_status *write_error(const char *path, int number)
{
    return mlia_status_path(mlia_error(MLIA_E_WRITE, "cannot write: %s", strerror(number)),
                            mlia_str_from_c(path));
}

/* Writes to a device or pipe as it is: it cannot be replaced by a file. */
static bool write_in_place(const char *path, const mlia_pieces *pieces)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return false;
    bool done = write_all(descriptor, pieces);
    int number = errno;
    if (close(descriptor) != 0 && done)
        return false;
    errno = number;
    return done;
}

/* Writes beside `path`, whose folder is its first `folder` bytes, and renames. */
static bool write_and_rename(const char *path, size_t folder, const mlia_pieces *pieces)
{
    char *temporary; /* not made from the name, which may already have all the length there is */
    if (asprintf(&temporary, "%.*s.mlia-XXXXXX", (int)folder, path) < 0) {
        errno = ENOMEM;
        return false;
    }
    int descriptor = mkostemp(temporary, O_CLOEXEC);
    mode_t mask = umask(0);
    umask(mask);
    bool done = descriptor >= 0 && fchmod(descriptor, 0666 & ~mask) == 0 &&
                reserve(descriptor, pieces->size) && write_all(descriptor, pieces);
    int number = errno;
    if (descriptor >= 0 && close(descriptor) != 0 && done) {
        done = false;
        number = errno;
    }
    if (done && rename(temporary, path) != 0) {
        done = false;
        number = errno;
    }
    if (!done && descriptor >= 0)
        unlink(temporary);
    free(temporary);
    errno = number;
    return done;
}

mlia_status *mlia_file_write_pieces(const char *path, const mlia_pieces *pieces)
{
    struct stat info;
    char *target = realpath(path, NULL); /* a link stays one: what it points to is written */
    const char *place = target != NULL ? target : path;
    const char *slash = strrchr(place, '/');
    bool is_file = stat(path, &info) != 0 || S_ISREG(info.st_mode);
    bool done = is_file ? write_and_rename(place, slash != NULL ? (size_t)(slash - place) + 1 : 0, pieces)
                        : write_in_place(path, pieces);
    int number = errno;
    free(target);
    return done ? NULL : write_error(path, number);
}

bool mlia_file_is_same(const char *a, const char *b)
{
    struct stat first;
    struct stat second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

mlia_status *mlia_file_write(const char *path, mlia_bytes bytes)
{
    return mlia_file_write_pieces(path, &(mlia_pieces){.items = &bytes, .count = 1, .size = bytes.size});
}
