/* Output as a list of pieces of memory that stand one behind the other: what is large need not be copied into
 * one buffer before it is written. */
#ifndef MLIA_BASE_PIECES_H
#define MLIA_BASE_PIECES_H

#include "base/arena.h"
#include "base/bytes.h"

typedef struct mlia_pieces {
    mlia_bytes *items; /* views; the list itself lives in the arena given to mlia_pieces_add */
    size_t count;
    size_t capacity;
    uint64_t size; /* of all */
} mlia_pieces;

/* Appends a view; an empty one is left out. E_MEMORY. */
mlia_status *mlia_pieces_add(mlia_pieces *pieces, mlia_arena *arena, mlia_bytes piece);
/* Appends what a buffer holds and gives its memory to the arena. Frees the buffer when that fails. */
mlia_status *mlia_pieces_take(mlia_pieces *pieces, mlia_arena *arena, mlia_buffer *buffer);
/* All pieces behind each other: the only one itself, else a copy in `arena`. E_MEMORY. */
mlia_status *mlia_pieces_bytes(const mlia_pieces *pieces, mlia_arena *arena, mlia_bytes *bytes);
/* Copies all pieces behind each other to the end of `buffer`. */
void mlia_pieces_join(const mlia_pieces *pieces, mlia_buffer *buffer);

#endif
