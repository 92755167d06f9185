/* The output folder DIR/mlia-output: collected in memory, written to a temporary folder beside it, renamed
 * into place. A failed or interrupted run leaves the previous folder as it was; a folder that is not ours is
 * never replaced unasked. */
#ifndef MLIA_CORE_OUTPUT_H
#define MLIA_CORE_OUTPUT_H

#include "base/arena.h"
#include "base/bytes.h"

#define MLIA_OUTPUT_NAME "mlia-output"

typedef struct mlia_output mlia_output;

/* New empty output for `folder`. E_OUTPUT_EXISTS when DIR/mlia-output is there and not ours, unless
 * `overwrite`. */
mlia_status *mlia_output_new(mlia_arena *arena, mlia_str folder, bool overwrite, mlia_output **output);

/* Adds a file (copied); folders in `path` are made. A path given twice keeps the last content. `context` is
 * the output: the function fits mlia_backend_request.write_file. */
mlia_status *mlia_output_add(void *context, mlia_str path, mlia_bytes bytes);

/* Writes everything and renames it into place. *published is false when a signal came first. E_WRITE,
 * E_OUTPUT_EXISTS. */
mlia_status *mlia_output_publish(mlia_output *output, mlia_str run_id, bool *published);

/* FOLDER/mlia-output/FILE as the user would type it; an empty folder is the current one. */
mlia_str mlia_output_path(mlia_arena *arena, mlia_str folder, mlia_str file);

#endif
