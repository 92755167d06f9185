/* Decoding of hexadecimal digits. Refuses nothing: what is no blob is left to whoever reads the string. */
#include "formats/mlir/hex.h"

enum {
    BLOCK = 2048,     /* pairs that are decoded before the result is looked at */
    MINIMUM = 256,    /* characters of a string that is taken here */
    WINDOW = 1 << 20, /* bytes of text after which it need not stay in memory */
};

/* Written so that compilers turn it into vector code. */
static bool decode_block(const char *text, size_t count, uint8_t *out)
{
    unsigned bad = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned char high = (unsigned char)text[2 * i];
        unsigned char low = (unsigned char)text[2 * i + 1];
        unsigned char high_letter = (unsigned char)((high | 32) - 'a');
        unsigned char low_letter = (unsigned char)((low | 32) - 'a');
        unsigned char high_digit = (unsigned char)(high - '0');
        unsigned char low_digit = (unsigned char)(low - '0');
        bad |= (unsigned)(((high_digit > 9) & (high_letter > 5)) | ((low_digit > 9) & (low_letter > 5)));
        out[i] = (uint8_t)((high_digit > 9 ? high_letter + 10 : high_digit) << 4 |
                           (low_digit > 9 ? low_letter + 10 : low_digit));
    }
    return bad == 0;
}

size_t mlia_mlir_decode_hex(const char *text, size_t count, uint8_t *out)
{
    size_t done = 0;
    while (done < count) {
        size_t size = count - done < BLOCK ? count - done : BLOCK;
        if (!decode_block(text + 2 * done, size, out + done))
            break;
        done += size;
    }
    while (done < count && decode_block(text + 2 * done, 1, out + done))
        done++;
    return done;
}

mlia_status *mlia_mlir_take_blob(const mlia_mlir_context *context, mlia_mlir_outline *outline, const char *p,
                                 const char **behind)
{
    const char *begin = (const char *)context->file.data;
    const char *end = begin + context->file.size;
    const char *digits = p + 3;
    *behind = NULL;
    if (end - p < MINIMUM || p[1] != '0' || p[2] != 'x' || memchr(p + 1, '"', MINIMUM - 1) != NULL)
        return NULL;
    uint8_t *bytes = NULL;
    size_t capacity = 0;
    size_t done = 0;
    size_t wanted = BLOCK;
    const char *kept = digits; /* text before this has been given back */
    for (;;) {
        size_t left = (size_t)(end - digits) / 2 - done;
        wanted = wanted < left ? wanted : left;
        bytes = mlia_arena_grow(context->arena, bytes, done, &capacity, done + wanted, 1, 1);
        MLIA_TRY_ALLOC(bytes);
        size_t got = mlia_mlir_decode_hex(digits + 2 * done, wanted, bytes + done);
        done += got;
        if (got < wanted || wanted == left)
            break;
        if (digits + 2 * done - kept >= WINDOW) {
            mlia_file_forget(context->mapping, (size_t)(kept - begin), (size_t)(digits + 2 * done - begin));
            kept = digits + 2 * done;
        }
        wanted = capacity - done > 0 ? capacity - done : capacity;
        wanted = wanted < WINDOW ? wanted : WINDOW;
    }
    const char *close = digits + 2 * done;
    bool taken = close < end && *close == '"';
    mlia_arena_shrink(context->arena, bytes, capacity, taken ? done : 0);
    if (!taken)
        return NULL;
    if (!MLIA_RESERVE(context->arena, outline->blobs, outline->blob_count, outline->blob_capacity))
        return mlia_error_memory();
    outline->blobs[outline->blob_count++] = (mlia_mlir_blob){digits, close, bytes};
    *behind = close + 1;
    return NULL;
}

const mlia_mlir_blob *mlia_mlir_find_blob(const mlia_mlir_outline *outline, const char *digits)
{
    size_t low = 0;
    size_t high = outline != NULL ? outline->blob_count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (outline->blobs[middle].begin < digits)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = outline != NULL && low < outline->blob_count && outline->blobs[low].begin == digits;
    return found ? &outline->blobs[low] : NULL;
}
