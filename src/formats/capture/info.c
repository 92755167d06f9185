/* The optional frame of driver files, and the statistics info: which blocks of a statistics file are stripes.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "formats/capture/decode.h"

enum { FRAME_SIZE = 12, FRAME_VERSION = 1 };
static const uint32_t text_magic = 0x1122FFEE, info_magic = 0x2211EEFF;
/* Word 0 of an unframed list is a stripe index: below this it is not taken for a damaged magic. */
static const uint32_t least_magic = 0x01000000;

static mlia_status *check_frame(mlia_bytes file)
{
    if (file.size < FRAME_SIZE)
        return mlia_error(MLIA_E_FRAME_TRUNCATED, "%zu bytes, the frame alone has %d", file.size, FRAME_SIZE);
    uint32_t version = mlia_load_u32(file.data + 4);
    uint64_t size = mlia_load_u32(file.data + 8);
    if (version != FRAME_VERSION)
        return mlia_status_at(
            mlia_error(MLIA_E_FRAME_VERSION, "version %" PRIu32 ", only %d is known", version, FRAME_VERSION),
            4);
    if (size != file.size - FRAME_SIZE)
        return mlia_status_at(mlia_error(MLIA_E_FRAME_SIZE,
                                         "%" PRIu64 " bytes declared behind the frame, %zu present", size,
                                         file.size - FRAME_SIZE),
                              8);
    return NULL;
}

mlia_status *mlia_capture_unframe(mlia_bytes file, bool is_text, mlia_bytes *payload)
{
    uint32_t magic = is_text ? text_magic : info_magic;
    uint32_t first = file.size >= 4 ? mlia_load_u32(file.data) : 0;
    if (first == magic) {
        MLIA_TRY(check_frame(file));
        *payload = mlia_bytes_slice(file, FRAME_SIZE, file.size - FRAME_SIZE);
        return NULL;
    }
    bool is_swapped = file.size >= 4 && first == __builtin_bswap32(magic);
    bool looks_framed = file.size >= FRAME_SIZE && mlia_load_u32(file.data + 4) == FRAME_VERSION &&
                        mlia_load_u32(file.data + 8) == file.size - FRAME_SIZE &&
                        (is_text || first >= least_magic);
    if (is_swapped || looks_framed)
        return mlia_status_at(
            mlia_error(MLIA_E_FRAME_MAGIC, "magic 0x%08" PRIX32 ", expected 0x%08" PRIX32, first, magic), 0);
    *payload = file;
    return NULL;
}

static mlia_status *decode_words(mlia_bytes file, mlia_arena *arena, mlia_stripe_list *list)
{
    mlia_bytes words = {0};
    MLIA_TRY(mlia_capture_unframe(file, false, &words));
    if (words.size % 4 != 0)
        return mlia_error(MLIA_E_INFO_ALIGN, "%zu bytes are no whole number of 32-bit words", words.size);
    list->count = words.size / 4;
    uint32_t *indexes = MLIA_NEW_ARRAY(arena, uint32_t, list->count);
    MLIA_TRY_ALLOC(indexes);
    for (size_t i = 0; i < list->count; i++)
        indexes[i] = mlia_load_u32(words.data + 4 * i);
    list->indexes = indexes;
    return NULL;
}

static bool is_separator(char c)
{
    return c != '\0' && strchr(" \t\r\n\f\v,;", c) != NULL;
}

static int digit_value(char c, int base)
{
    int value = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : base;
    return value < base ? value : -1;
}

/* Decimal digits, or 0x and hexadecimal digits. */
static mlia_status *parse_token(mlia_str token, uint32_t *index)
{
    bool is_hex = token.size > 2 && token.data[0] == '0' && (token.data[1] == 'x' || token.data[1] == 'X');
    int base = is_hex ? 16 : 10;
    uint64_t value = 0;
    for (size_t i = is_hex ? 2 : 0; i < token.size; i++) {
        int digit = digit_value(token.data[i], base);
        if (digit < 0)
            return mlia_error(MLIA_E_INFO_TEXT, "'%.*s' is no stripe index",
                              MLIA_STR_ARG(mlia_str_slice(token, 0, 100)));
        if (value <= UINT32_MAX)
            value = value * (uint64_t)base + (uint64_t)digit;
    }
    if (value > UINT32_MAX)
        return mlia_error(MLIA_E_INFO_RANGE, "'%.*s' is above 2^32 - 1",
                          MLIA_STR_ARG(mlia_str_slice(token, 0, 100)));
    *index = (uint32_t)value;
    return NULL;
}

static mlia_status *decode_text(mlia_bytes file, mlia_arena *arena, mlia_stripe_list *list)
{
    mlia_str text = {(const char *)file.data, file.size};
    if (!mlia_utf8_valid(text))
        return mlia_error(MLIA_E_INFO_TEXT, "the text is not UTF-8");
    while (text.size > 0 && text.data[text.size - 1] == '\0')
        text.size--;
    /* Every token but the last needs a separator. */
    uint32_t *indexes = MLIA_NEW_ARRAY(arena, uint32_t, text.size / 2 + 1);
    MLIA_TRY_ALLOC(indexes);
    for (size_t i = 0; i < text.size;) {
        size_t start = i;
        while (i < text.size && !is_separator(text.data[i]))
            i++;
        if (i > start)
            MLIA_TRY(mlia_status_at(
                parse_token(mlia_str_slice(text, start, i - start), &indexes[list->count++]), start));
        else
            i++;
    }
    list->indexes = indexes;
    return NULL;
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

mlia_status *mlia_stripe_list_decode(mlia_bytes file, bool is_text, mlia_arena *arena, mlia_stripe_list *list)
{
    *list = (mlia_stripe_list){0};
    MLIA_TRY(is_text ? decode_text(file, arena, list) : decode_words(file, arena, list));
    if (list->count == 0)
        return mlia_error(MLIA_E_INFO_EMPTY, "the file lists no stripe");
    uint64_t *sorted = MLIA_NEW_ARRAY(arena, uint64_t, list->count);
    MLIA_TRY_ALLOC(sorted);
    for (size_t i = 0; i < list->count; i++)
        sorted[i] = (uint64_t)list->indexes[i] << 32 | i;
    qsort(sorted, list->count, sizeof *sorted, compare_u64);
    for (size_t i = 1; i < list->count; i++)
        if (sorted[i] >> 32 == sorted[i - 1] >> 32)
            return mlia_error(MLIA_E_INFO_DUPLICATE, "stripe %" PRIu64 " is listed twice", sorted[i] >> 32);
    list->sorted = sorted;
    return NULL;
}
