/* Folders and files of a capture, reached name by name from the descriptor of the parent, links never
 * followed. Private to formats/capture. */
#ifndef MLIA_FORMATS_CAPTURE_FOLDER_H
#define MLIA_FORMATS_CAPTURE_FOLDER_H

#include "formats/capture/capture.h"

/* An open folder with the names in it, so that the exact spelling can be demanded on file systems that ignore
 * case, and without listing a large folder once per name. */
typedef struct capture_folder {
    int descriptor;
    const char *path; /* as shown to the user */
    char *names;      /* NUL-terminated, one behind the other */
    char **sorted;    /* views into `names` in byte order */
    size_t count;
} capture_folder;

/* Takes over `descriptor` (closes it on failure too). */
mlia_status *capture_folder_adopt(int descriptor, const char *path, capture_folder *folder);
void capture_folder_close(capture_folder *folder);

/* Opens the subfolder `name`; `path` is its path as shown to the user and must outlive it. Errors:
 * E_NAMESPACE_MISSING, _CASE, _LINK, _KIND, E_PERMISSION, E_READ, E_LIMIT. */
mlia_status *capture_folder_open(const capture_folder *parent, const char *name, const char *path,
                                 capture_folder *folder);

/* Identity of the regular file `name`, which stays closed. Same errors. */
mlia_status *capture_file_identify(const capture_folder *folder, const char *name,
                                   mlia_file_identity *identity);

/* Opens a file relative to `parent` and demands `identity`; E_READ when it is another file by now. */
mlia_status *capture_file_open(int parent, const char *name, const mlia_file_identity *identity,
                               int *descriptor);
/* Reads exactly the file's size to `data`; E_READ when it has another size or was written meanwhile. */
mlia_status *capture_file_read(int descriptor, const mlia_file_identity *identity, uint8_t *data);
/* Reads one piece; E_READ when the file ends early. */
mlia_status *capture_file_read_piece(int descriptor, uint8_t *data, size_t size);
/* E_READ when `descriptor` is not (or no longer) the file that was identified. */
mlia_status *capture_file_verify(int descriptor, const mlia_file_identity *identity);

/* Visits everything below the folder: E_NAMESPACE_LINK, _KIND for anything but files and folders, E_LIMIT. */
mlia_status *capture_sweep(const capture_folder *root);

#endif
