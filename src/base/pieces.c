/* Lists of pieces of memory. */
#include "base/pieces.h"

mlia_status *mlia_pieces_add(mlia_pieces *pieces, mlia_arena *arena, mlia_bytes piece)
{
    if (piece.size == 0)
        return NULL;
    if (!MLIA_RESERVE(arena, pieces->items, pieces->count, pieces->capacity))
        return mlia_error_memory();
    pieces->items[pieces->count++] = piece;
    pieces->size += piece.size;
    return NULL;
}

mlia_status *mlia_pieces_take(mlia_pieces *pieces, mlia_arena *arena, mlia_buffer *buffer)
{
    mlia_status *status = mlia_buffer_status(buffer);
    if (status == NULL && buffer->data != NULL && !mlia_arena_adopt(arena, buffer->data))
        status = mlia_error_memory();
    if (status != NULL) {
        mlia_buffer_free(buffer);
        return status;
    }
    mlia_bytes bytes = mlia_buffer_bytes(buffer);
    *buffer = (mlia_buffer){0};
    return mlia_pieces_add(pieces, arena, bytes);
}

mlia_status *mlia_pieces_bytes(const mlia_pieces *pieces, mlia_arena *arena, mlia_bytes *bytes)
{
    if (pieces->count <= 1) {
        *bytes = pieces->count == 1 ? pieces->items[0] : (mlia_bytes){NULL, 0};
        return NULL;
    }
    mlia_buffer joined = {0};
    mlia_pieces whole = {0};
    mlia_pieces_join(pieces, &joined);
    *bytes = mlia_buffer_bytes(&joined);
    return mlia_pieces_take(&whole, arena, &joined);
}

void mlia_pieces_join(const mlia_pieces *pieces, mlia_buffer *buffer)
{
    for (size_t i = 0; i < pieces->count; i++)
        mlia_buffer_add(buffer, pieces->items[i].data, pieces->items[i].size);
}
