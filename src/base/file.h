/* Input files: whole content as bytes, mapped or read. Output files: written to a temporary name, then
 * renamed. */
#ifndef MLIA_BASE_FILE_H
#define MLIA_BASE_FILE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/pieces.h"

typedef struct mlia_file mlia_file;

/* Opens a regular file for reading; `path` "-" reads standard input to its end (at most 2 GiB - 1). Small
 * files are read, others mapped (the program must expect SIGBUS when another one shortens them). Errors:
 * E_NOT_FOUND, E_PERMISSION, E_NOT_A_FILE (folder, device, FIFO), E_EMPTY, E_READ, E_LIMIT, each with the
 * path. The caller frees *file. */
mlia_status *mlia_file_open(const char *path, mlia_file **file);
mlia_bytes mlia_file_bytes(const mlia_file *file);
void mlia_file_free(mlia_file *file); /* NULL allowed */

/* Says that the bytes from `begin` to `end` will hardly be read again: those of a mapped file stop to take
 * memory and come back when they are read. `file` NULL is allowed. */
void mlia_file_forget(const mlia_file *file, size_t begin, size_t end);

/* Like mlia_file_open, always read into memory, never mapped: a later change of the file cannot be seen. At
 * most `limit` bytes (E_LIMIT). An empty file is allowed. */
mlia_status *mlia_file_read(const char *path, size_t limit, mlia_file **file);

/* The same as text in `arena`, with a NUL behind it that is not counted. */
mlia_status *mlia_file_read_text(const char *path, size_t limit, mlia_arena *arena, mlia_str *text);

/* True when both paths lead to one existing regular file. */
bool mlia_file_is_same(const char *a, const char *b);

/* Writes `bytes` to a temporary name beside `path` and renames it into place: either the old or the new
 * content is there, never a part. A link stays: what it points to is written; a device or pipe takes the
 * bytes as they come. E_WRITE names the path. */
mlia_status *mlia_file_write(const char *path, mlia_bytes bytes);
mlia_status *mlia_file_write_pieces(const char *path, const mlia_pieces *pieces);

#endif
