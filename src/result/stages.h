/* The stages of post-processing, each from result to result in place. New memory comes from `arena`. */
#ifndef MLIA_RESULT_STAGES_H
#define MLIA_RESULT_STAGES_H

#include "result/build.h"
#include "result/index.h"

/* Removes entities that a rule selects and connects their neighbours; those whose removal would make an edge
 * that R5 does not allow stay, with W_COLLAPSE. */
mlia_status *mlia_result_collapse(mlia_arena *arena, const mlia_collapse_rules *rules,
                                  mlia_diagnostics *diagnostics, mlia_result *result);

/* Gives each code stack with a file and a line the code line of that pair as a parent. A result that has code
 * lines already is refused (E_DOCUMENT): they are derived, never written by a producer. */
mlia_status *mlia_result_derive_code_lines(mlia_arena *arena, mlia_result *result);

/* Writes every edge on both sides. */
mlia_status *mlia_result_complete_edges(mlia_arena *arena, mlia_result *result);
/* Replaces all parent and child ids by these edges between positions in result->entities. */
mlia_status *mlia_result_set_edges(mlia_arena *arena, const mlia_edges *edges, mlia_result *result);

/* Does a text match a shell pattern: * any run of characters ('/' too), ? one, [seq] and [!seq] one of a set?
 * A '[' that is never closed stands for itself. */
bool mlia_glob_match(mlia_str pattern, mlia_str text);

#endif
