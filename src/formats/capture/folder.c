/* Walking a capture's folders without ever following a link or trusting a second look-up of a name. */
#include "formats/capture/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const char changed_text[] = "the file changed while the capture was read";

static mlia_status *errno_status(int number)
{
    mlia_kind kind = number == EACCES || number == EPERM ? MLIA_E_PERMISSION : MLIA_E_READ;
    return mlia_error(kind, "%s", strerror(number));
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Appends the names of an open directory stream to a buffer, each with its NUL. */
static mlia_status *list_names(DIR *stream, mlia_buffer *buffer, size_t *count)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (entry == NULL)
            return errno ? errno_status(errno) : mlia_buffer_status(buffer);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (++*count > MLIA_CAPTURE_ENTRY_LIMIT)
            return mlia_error(MLIA_E_LIMIT, "more than %d entries in one folder", MLIA_CAPTURE_ENTRY_LIMIT);
        mlia_buffer_add(buffer, entry->d_name, strlen(entry->d_name) + 1);
    }
}

static mlia_status *sort_names(capture_folder *folder)
{
    folder->sorted = malloc((folder->count + 1) * sizeof *folder->sorted);
    MLIA_TRY_ALLOC(folder->sorted);
    char *name = folder->names;
    if (name == NULL)
        return NULL; /* an empty folder */
    for (size_t i = 0; i < folder->count; i++) {
        folder->sorted[i] = name;
        name += strlen(name) + 1;
    }
    qsort(folder->sorted, folder->count, sizeof *folder->sorted, compare_names);
    return NULL;
}

static mlia_status *load_names(capture_folder *folder)
{
    int copy = fcntl(folder->descriptor, F_DUPFD_CLOEXEC, 0);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    if (stream == NULL) {
        mlia_status *status = errno_status(errno);
        if (copy >= 0)
            close(copy);
        return status;
    }
    rewinddir(stream);
    mlia_buffer buffer = {0};
    mlia_status *status = list_names(stream, &buffer, &folder->count);
    closedir(stream);
    folder->names = (char *)buffer.data;
    return status != NULL ? status : sort_names(folder);
}

mlia_status *capture_folder_adopt(int descriptor, const char *path, capture_folder *folder)
{
    *folder = (capture_folder){.descriptor = descriptor, .path = path};
    mlia_status *status = load_names(folder);
    if (status != NULL)
        capture_folder_close(folder);
    return mlia_status_path(status, mlia_str_from_c(path));
}

void capture_folder_close(capture_folder *folder)
{
    if (folder->descriptor >= 0)
        close(folder->descriptor);
    folder->descriptor = -1;
    free(folder->names);
    free(folder->sorted);
    folder->names = NULL;
    folder->sorted = NULL;
}

/* "PATH/NAME" for messages. */
static mlia_status *at_name(mlia_status *status, const capture_folder *folder, const char *name)
{
    char path[PATH_MAX + NAME_MAX];
    int size = snprintf(path, sizeof path, "%s/%s", folder->path, name);
    size_t used = size < 0 ? 0 : (size_t)size;
    return mlia_status_path(status, (mlia_str){path, used < sizeof path ? used : sizeof path - 1});
}

/* The name must be there in exactly this spelling, whatever the file system thinks of case. */
static mlia_status *demand_name(const capture_folder *folder, const char *name)
{
    if (bsearch(&name, folder->sorted, folder->count, sizeof *folder->sorted, compare_names) != NULL)
        return NULL;
    for (size_t i = 0; i < folder->count; i++)
        if (strcasecmp(folder->sorted[i], name) == 0)
            return mlia_error(MLIA_E_NAMESPACE_CASE, "the folder holds '%s', the capture names '%s'",
                              folder->sorted[i], name);
    return mlia_error(MLIA_E_NAMESPACE_MISSING, "the file or folder is missing");
}

static const char *kind_name(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFLNK:
        return "a symbolic link";
    case S_IFDIR:
        return "a folder";
    case S_IFREG:
        return "a file";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

static mlia_status *demand_kind(mode_t mode, mode_t expected)
{
    if ((mode & S_IFMT) == expected)
        return NULL;
    if (S_ISLNK(mode))
        return mlia_error(MLIA_E_NAMESPACE_LINK, "links are not followed inside a capture");
    return mlia_error(MLIA_E_NAMESPACE_KIND, "expected %s, found %s", kind_name(expected), kind_name(mode));
}

static mlia_status *look_up(const capture_folder *folder, const char *name, mode_t expected,
                            struct stat *info)
{
    MLIA_TRY(demand_name(folder, name));
    if (fstatat(folder->descriptor, name, info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno_status(errno);
    return demand_kind(info->st_mode, expected);
}

static mlia_file_identity identity_of(const struct stat *info)
{
    return (mlia_file_identity){(uint64_t)info->st_dev, (uint64_t)info->st_ino, (uint64_t)info->st_size,
                                info->st_mtim, info->st_ctim};
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static mlia_status *verify_info(const struct stat *info, const mlia_file_identity *identity)
{
    mlia_file_identity now = identity_of(info);
    bool same = S_ISREG(info->st_mode) && now.device == identity->device && now.inode == identity->inode &&
                now.size == identity->size && same_time(now.modified, identity->modified) &&
                same_time(now.changed, identity->changed);
    return same ? NULL : mlia_error(MLIA_E_READ, "%s", changed_text);
}

mlia_status *capture_folder_open(const capture_folder *parent, const char *name, const char *path,
                                 capture_folder *folder)
{
    struct stat info;
    mlia_status *status = look_up(parent, name, S_IFDIR, &info);
    if (status != NULL)
        return at_name(status, parent, name);
    int descriptor = openat(parent->descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        return at_name(errno_status(errno), parent, name);
    return capture_folder_adopt(descriptor, path, folder);
}

mlia_status *capture_file_identify(const capture_folder *folder, const char *name,
                                   mlia_file_identity *identity)
{
    struct stat info;
    mlia_status *status = look_up(folder, name, S_IFREG, &info);
    if (status != NULL)
        return at_name(status, folder, name);
    *identity = identity_of(&info);
    return NULL;
}

mlia_status *capture_file_verify(int descriptor, const mlia_file_identity *identity)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0)
        return errno_status(errno);
    return verify_info(&info, identity);
}

mlia_status *capture_file_open(int parent, const char *name, const mlia_file_identity *identity,
                               int *descriptor)
{
    /* O_NONBLOCK: should the name mean a FIFO by now, opening must not wait for a writer. */
    int opened = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (opened < 0)
        return errno == ELOOP ? mlia_error(MLIA_E_READ, "%s", changed_text) : errno_status(errno);
    mlia_status *status = capture_file_verify(opened, identity);
    if (status != NULL) {
        close(opened);
        return status;
    }
    *descriptor = opened;
    return NULL;
}

mlia_status *capture_file_read_piece(int descriptor, uint8_t *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(descriptor, data + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno_status(errno);
        if (got == 0)
            return mlia_error(MLIA_E_READ, "%s", changed_text);
        done += (size_t)got;
    }
    return NULL;
}

mlia_status *capture_file_read(int descriptor, const mlia_file_identity *identity, uint8_t *data)
{
    MLIA_TRY(capture_file_read_piece(descriptor, data, (size_t)identity->size));
    return capture_file_verify(descriptor, identity);
}

/* State of the sweep: how many entries were seen, and the path of the folder being visited. */
typedef struct sweep {
    size_t entries;
    mlia_buffer path;
} sweep;

static mlia_status *sweep_folder(sweep *state, DIR *stream, unsigned depth);

/* `type` is readdir's; file systems that do not tell are asked. */
static mlia_status *entry_mode(int folder, const struct dirent *entry, mode_t *mode)
{
    *mode = (mode_t)DTTOIF(entry->d_type);
    if (entry->d_type != DT_UNKNOWN)
        return NULL;
    struct stat info;
    if (fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno_status(errno);
    *mode = info.st_mode;
    return NULL;
}

static mlia_status *sweep_subfolder(sweep *state, int parent, const char *name, unsigned depth)
{
    if (depth >= MLIA_CAPTURE_DEPTH_LIMIT)
        return mlia_error(MLIA_E_LIMIT, "folders are nested deeper than %d", MLIA_CAPTURE_DEPTH_LIMIT);
    int descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        return errno_status(errno);
    DIR *stream = fdopendir(descriptor);
    if (stream == NULL) {
        mlia_status *status = errno_status(errno);
        close(descriptor);
        return status;
    }
    mlia_status *status = sweep_folder(state, stream, depth + 1);
    closedir(stream);
    return status;
}

static mlia_status *sweep_entry(sweep *state, int folder, const struct dirent *entry, unsigned depth)
{
    if (++state->entries > MLIA_CAPTURE_ENTRY_LIMIT)
        return mlia_error(MLIA_E_LIMIT, "more than %d entries below the capture's folder",
                          MLIA_CAPTURE_ENTRY_LIMIT);
    mode_t mode;
    MLIA_TRY(entry_mode(folder, entry, &mode));
    if (S_ISREG(mode))
        return NULL;
    return S_ISDIR(mode) ? sweep_subfolder(state, folder, entry->d_name, depth) : demand_kind(mode, S_IFREG);
}

static mlia_status *sweep_folder(sweep *state, DIR *stream, unsigned depth)
{
    size_t length = state->path.size;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (entry == NULL)
            return errno ? errno_status(errno) : NULL;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        mlia_buffer_format(&state->path, "/%s", entry->d_name);
        MLIA_TRY(sweep_entry(state, dirfd(stream), entry, depth));
        state->path.size = length;
    }
}

mlia_status *capture_sweep(const capture_folder *root)
{
    sweep state = {0};
    mlia_buffer_add_str(&state.path, mlia_str_from_c(root->path));
    int copy = openat(root->descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    mlia_status *status;
    if (stream == NULL) {
        status = errno_status(errno);
        if (copy >= 0)
            close(copy);
    } else {
        status = sweep_folder(&state, stream, 0);
        closedir(stream);
    }
    mlia_status_path(status, mlia_buffer_str(&state.path));
    mlia_buffer_free(&state.path);
    return status;
}
