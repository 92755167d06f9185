/* Long texts "0x…" of hexadecimal digits: weights. They are decoded in the one pass over the file that looks
 * at them, so that their text, twice as large as they are, need not stay in memory. */
#ifndef MLIA_FORMATS_MLIR_HEX_H
#define MLIA_FORMATS_MLIR_HEX_H

#include "formats/mlir/lexer.h"

/* Decodes pairs of digits until something else or `count` pairs are done; gives their number. `out` has room
 * for `count` bytes; those behind the result are changed too. */
size_t mlia_mlir_decode_hex(const char *text, size_t count, uint8_t *out);

/* Decodes the string whose '"' stands at `p` when it is long and holds nothing but "0x" and pairs of digits,
 * and notes it in the outline; `*behind` is the place behind it, or NULL when it is another string. */
mlia_status *mlia_mlir_take_blob(const mlia_mlir_context *context, mlia_mlir_outline *outline, const char *p,
                                 const char **behind);

/* The blob whose first digit stands at `digits`, or NULL. `outline` may be NULL. */
const mlia_mlir_blob *mlia_mlir_find_blob(const mlia_mlir_outline *outline, const char *digits);

#endif
