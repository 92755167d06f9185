/* Borrowed views of text and bytes.
 *
 * A view owns nothing: it is valid as long as the arena, file mapping or literal behind it. Text is UTF-8 and
 * need not end in NUL.
 */
#ifndef MLIA_BASE_TEXT_H
#define MLIA_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct mlia_str {
    const char *data;
    size_t size;
} mlia_str;

typedef struct mlia_bytes {
    const uint8_t *data;
    size_t size;
} mlia_bytes;

/* View of a string literal. */
#define MLIA_STR(literal) ((mlia_str){(literal), sizeof(literal) - 1})
/* For static initialisers, where a compound literal is not constant. */
#define MLIA_STR_INIT(literal)                                                                               \
    {                                                                                                        \
        (literal), sizeof(literal) - 1                                                                       \
    }
#define MLIA_STR_NONE ((mlia_str){NULL, 0})

/* printf: "%.*s", MLIA_STR_ARG(s). Views longer than INT_MAX are cut. */
#define MLIA_STR_ARG(s) mlia_str_int_size(s), ((s).size ? (s).data : "")

static inline int mlia_str_int_size(mlia_str s)
{
    return s.size > (size_t)INT32_MAX ? INT32_MAX : (int)s.size;
}

static inline mlia_str mlia_str_from_c(const char *text)
{
    return (mlia_str){text, text ? strlen(text) : 0};
}

static inline bool mlia_str_equal(mlia_str a, mlia_str b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool mlia_str_equal_c(mlia_str a, const char *b)
{
    return mlia_str_equal(a, mlia_str_from_c(b));
}

static inline bool mlia_str_starts_with(mlia_str s, mlia_str prefix)
{
    return s.size >= prefix.size && (prefix.size == 0 || memcmp(s.data, prefix.data, prefix.size) == 0);
}

static inline bool mlia_str_ends_with(mlia_str s, mlia_str suffix)
{
    return s.size >= suffix.size &&
           (suffix.size == 0 || memcmp(s.data + s.size - suffix.size, suffix.data, suffix.size) == 0);
}

/* Part of `s` from `start` (clamped) with at most `size` bytes. */
static inline mlia_str mlia_str_slice(mlia_str s, size_t start, size_t size)
{
    if (s.data == NULL)
        return MLIA_STR_NONE;
    if (start > s.size)
        start = s.size;
    if (size > s.size - start)
        size = s.size - start;
    return (mlia_str){s.data + start, size};
}

/* Byte order; a shorter text that is a prefix comes first. Negative, zero, positive. */
int mlia_str_compare(mlia_str a, mlia_str b);

/* Natural order: runs of decimal digits compare as numbers and come before other bytes, everything else as
 * bytes
 * ("chain/2" < "chain/10", "conv1" < "conv.a"). Equal numbers with different leading zeros fall back to byte
 * order, so only equal texts compare equal. */
int mlia_str_compare_natural(mlia_str a, mlia_str b);

/* Edit distance (insert, delete, replace), at most `limit` + 1; for "did you mean". */
unsigned mlia_str_distance(mlia_str a, mlia_str b, unsigned limit);

/* Position of the first / last `byte`, or SIZE_MAX. */
size_t mlia_str_find(mlia_str s, char byte);
size_t mlia_str_find_last(mlia_str s, char byte);

/* Takes the part before the first `separator` off `rest`, the separator with it; the whole of `rest` when
 * there is none. */
mlia_str mlia_str_take(mlia_str *rest, char separator);

/* Base name: the part after the last '/'. */
mlia_str mlia_str_base_name(mlia_str path);

/* Decodes one code point at `*position` (advanced). Returns false on ill-formed UTF-8 and then advances over
 * one maximal ill-formed sequence; surrogates, overlong forms and values above U+10FFFF are ill-formed. */
bool mlia_utf8_next(mlia_str s, size_t *position, uint32_t *code_point);

/* True when the whole view is well-formed UTF-8. */
bool mlia_utf8_valid(mlia_str s);

/* Largest size ≤ `size` that does not cut a UTF-8 sequence of `s`. */
size_t mlia_utf8_cut(mlia_str s, size_t size);

/* Writes `s` as one line that a terminal cannot take for orders: control characters and ill-formed bytes as
 * \xNN. `out` has room for 4 bytes for each of `s`; returns how many were written. */
size_t mlia_utf8_harmless(mlia_str s, char *out);

/* Parses the whole of `s` as a decimal integer with optional sign. False on anything else or overflow. */
bool mlia_str_to_i64(mlia_str s, int64_t *value);

/* Parses the whole of `s` as a finite decimal number in the C locale's spelling whatever the locale. */
bool mlia_str_to_double(mlia_str s, double *value);

#endif
