/* Views of text: comparing, searching, UTF-8, numbers. Never allocates. */
#include "base/text.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

int mlia_str_compare(mlia_str a, mlia_str b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    if (order != 0)
        return order;
    return (a.size > b.size) - (a.size < b.size);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* End of the digit run that starts at `position`. */
static size_t digits_end(mlia_str s, size_t position)
{
    while (position < s.size && is_digit(s.data[position]))
        position++;
    return position;
}

static size_t skip_zeros(mlia_str s, size_t position, size_t end)
{
    while (position < end && s.data[position] == '0')
        position++;
    return position;
}

int mlia_str_compare_natural(mlia_str a, mlia_str b)
{
    size_t i = 0;
    size_t j = 0;
    while (i < a.size && j < b.size) {
        if (is_digit(a.data[i]) && is_digit(b.data[j])) {
            size_t a_end = digits_end(a, i);
            size_t b_end = digits_end(b, j);
            size_t a_start = skip_zeros(a, i, a_end);
            size_t b_start = skip_zeros(b, j, b_end);
            if (a_end - a_start != b_end - b_start)
                return a_end - a_start < b_end - b_start ? -1 : 1;
            int order = memcmp(a.data + a_start, b.data + b_start, a_end - a_start);
            if (order != 0)
                return order;
            i = a_end;
            j = b_end;
            continue;
        }
        if (is_digit(a.data[i]) != is_digit(b.data[j]))
            return is_digit(a.data[i]) ? -1 : 1;
        if (a.data[i] != b.data[j])
            return (unsigned char)a.data[i] < (unsigned char)b.data[j] ? -1 : 1;
        i++;
        j++;
    }
    if (i < a.size)
        return 1;
    if (j < b.size)
        return -1;
    return mlia_str_compare(a, b);
}

unsigned mlia_str_distance(mlia_str a, mlia_str b, unsigned limit)
{
    enum { MAX_LENGTH = 64 };
    if (a.size > MAX_LENGTH || b.size > MAX_LENGTH)
        return limit + 1;
    unsigned row[MAX_LENGTH + 1];
    for (size_t j = 0; j <= b.size; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= a.size; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.size; j++) {
            unsigned replace = diagonal + (a.data[i - 1] != b.data[j - 1]);
            unsigned best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (replace < best)
                best = replace;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b.size] > limit ? limit + 1 : row[b.size];
}

size_t mlia_str_find(mlia_str s, char byte)
{
    const char *found = s.size ? memchr(s.data, byte, s.size) : NULL;
    return found ? (size_t)(found - s.data) : SIZE_MAX;
}

size_t mlia_str_find_last(mlia_str s, char byte)
{
    for (size_t i = s.size; i > 0; i--)
        if (s.data[i - 1] == byte)
            return i - 1;
    return SIZE_MAX;
}

mlia_str mlia_str_take(mlia_str *rest, char separator)
{
    size_t end = mlia_str_find(*rest, separator);
    mlia_str part = mlia_str_slice(*rest, 0, end);
    *rest = end == SIZE_MAX ? MLIA_STR_NONE : mlia_str_slice(*rest, end + 1, SIZE_MAX);
    return part;
}

mlia_str mlia_str_base_name(mlia_str path)
{
    size_t slash = mlia_str_find_last(path, '/');
    return slash == SIZE_MAX ? path : mlia_str_slice(path, slash + 1, SIZE_MAX);
}

/* Allowed range of the second byte of a sequence and its length, by first byte (Unicode 15, table 3-7). */
static unsigned utf8_sequence(unsigned char first, unsigned char *low, unsigned char *high)
{
    *low = 0x80;
    *high = 0xBF;
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return 2;
    if (first >= 0xE0 && first <= 0xEF) {
        if (first == 0xE0)
            *low = 0xA0;
        if (first == 0xED)
            *high = 0x9F;
        return 3;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        if (first == 0xF0)
            *low = 0x90;
        if (first == 0xF4)
            *high = 0x8F;
        return 4;
    }
    return 0;
}

bool mlia_utf8_next(mlia_str s, size_t *position, uint32_t *code_point)
{
    const unsigned char *bytes = (const unsigned char *)s.data;
    size_t start = *position;
    unsigned char low;
    unsigned char high;
    unsigned length = utf8_sequence(bytes[start], &low, &high);
    if (length <= 1) {
        *position = start + 1;
        *code_point = bytes[start];
        return length == 1;
    }
    uint32_t value = bytes[start] & (0x7Fu >> length);
    for (unsigned i = 1; i < length; i++) {
        if (start + i >= s.size || bytes[start + i] < low || bytes[start + i] > high) {
            *position = start + i;
            *code_point = 0xFFFD;
            return false;
        }
        value = value << 6 | (bytes[start + i] & 0x3Fu);
        low = 0x80;
        high = 0xBF;
    }
    *position = start + length;
    *code_point = value;
    return true;
}

bool mlia_utf8_valid(mlia_str s)
{
    size_t position = 0;
    uint32_t code_point;
    while (position < s.size)
        if (!mlia_utf8_next(s, &position, &code_point))
            return false;
    return true;
}

size_t mlia_utf8_cut(mlia_str s, size_t size)
{
    if (size >= s.size)
        return s.size;
    while (size > 0 && ((unsigned char)s.data[size] & 0xC0) == 0x80)
        size--;
    return size;
}

size_t mlia_utf8_harmless(mlia_str s, char *out)
{
    static const char hex[] = "0123456789abcdef";
    char *const begin = out;
    for (size_t position = 0; position < s.size;) {
        size_t start = position;
        uint32_t point;
        bool is_text = mlia_utf8_next(s, &position, &point);
        if (is_text && point >= 0x20 && (point < 0x7F || point >= 0xA0)) {
            memcpy(out, s.data + start, position - start);
            out += position - start;
            continue;
        }
        if (is_text && point >= 0x80)
            start++; /* U+0080 to U+009F: the second byte is the number */
        for (; start < position; start++) {
            unsigned char byte = (unsigned char)s.data[start];
            *out++ = '\\';
            *out++ = 'x';
            *out++ = hex[byte >> 4];
            *out++ = hex[byte & 15];
        }
    }
    return (size_t)(out - begin);
}

bool mlia_str_to_i64(mlia_str s, int64_t *value)
{
    size_t i = 0;
    bool negative = false;
    if (s.size > 0 && (s.data[0] == '-' || s.data[0] == '+')) {
        negative = s.data[0] == '-';
        i = 1;
    }
    if (i == s.size)
        return false;
    int64_t result = 0;
    for (; i < s.size; i++) {
        if (!is_digit(s.data[i]))
            return false;
        int64_t digit = s.data[i] - '0';
        if (__builtin_mul_overflow(result, (int64_t)10, &result) ||
            (negative ? __builtin_sub_overflow(result, digit, &result)
                      : __builtin_add_overflow(result, digit, &result)))
            return false;
    }
    *value = result;
    return true;
}

/* Sign, digits with at most one point, optional exponent: what strtod of the C locale takes, but no
 * hexadecimal, "inf", "nan" or white space. */
static bool is_plain_decimal(mlia_str s)
{
    size_t i = 0;
    size_t digits = 0;
    if (i < s.size && (s.data[i] == '-' || s.data[i] == '+'))
        i++;
    size_t whole_end = digits_end(s, i);
    digits += whole_end - i;
    i = whole_end;
    if (i < s.size && s.data[i] == '.') {
        size_t fraction_end = digits_end(s, i + 1);
        digits += fraction_end - i - 1;
        i = fraction_end;
    }
    if (digits == 0)
        return false;
    if (i < s.size && (s.data[i] == 'e' || s.data[i] == 'E')) {
        i++;
        if (i < s.size && (s.data[i] == '-' || s.data[i] == '+'))
            i++;
        size_t exponent_end = digits_end(s, i);
        if (exponent_end == i)
            return false;
        i = exponent_end;
    }
    return i == s.size;
}

bool mlia_str_to_double(mlia_str s, double *value)
{
    char copy[512];
    if (s.size >= sizeof copy || !is_plain_decimal(s))
        return false;
    memcpy(copy, s.data, s.size);
    copy[s.size] = '\0';
    /* The program never calls setlocale, but a host of the library may have: use the locale's own point. */
    const struct lconv *locale = localeconv();
    char *point = memchr(copy, '.', s.size);
    if (point != NULL && locale->decimal_point[0] != '\0' && locale->decimal_point[1] == '\0')
        *point = locale->decimal_point[0];
    char *end;
    double result = strtod(copy, &end);
    if (end != copy + s.size || !isfinite(result))
        return false;
    *value = result;
    return true;
}
