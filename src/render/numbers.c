/* Numbers with groups of three digits. The point is always '.', whatever the locale of the host program. */
#include "render/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "result/document.h"

/* printf's "%.*f" with groups; NONE when out of memory. */
mlia_str mlia_show_decimals(mlia_arena *arena, double value, int decimals)
{
    enum { PLAIN = 64, GROUPED = 96 };
    char plain[PLAIN];
    char grouped[GROUPED];
    if (!(fabs(value) < 1e16)) { /* only in documents of other programs */
        size_t length = mlia_number_text(value, plain);
        return mlia_arena_str(arena, (mlia_str){plain, length});
    }
    int size = snprintf(plain, sizeof plain, "%.*f", decimals, fabs(value));
    size_t whole = decimals > 0 ? (size_t)(size - decimals - 1) : (size_t)size;
    size_t end = 0;
    if (value < 0 && strspn(plain, "0.,") != (size_t)size)
        grouped[end++] = '-';
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0)
            grouped[end++] = ',';
        grouped[end++] = plain[i];
    }
    if (decimals > 0) {
        grouped[end++] = '.';
        memcpy(grouped + end, plain + whole + 1, (size_t)decimals);
        end += (size_t)decimals;
    }
    return mlia_arena_str(arena, (mlia_str){grouped, end});
}

mlia_str mlia_show_whole(mlia_arena *arena, double value)
{
    return mlia_show_decimals(arena, value, 0);
}

mlia_str mlia_show_significant(mlia_arena *arena, double value)
{
    enum { DIGITS = 4, MOST_DECIMALS = 20 };
    if (value == 0)
        return mlia_show_decimals(arena, 0, DIGITS - 1);
    char text[64];
    snprintf(text, sizeof text, "%.*e", DIGITS - 1, value); /* the exponent after rounding */
    int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    int decimals = DIGITS - 1 - exponent;
    return mlia_show_decimals(arena, value,
                              decimals < 0               ? 0
                              : decimals > MOST_DECIMALS ? MOST_DECIMALS
                                                         : decimals);
}

mlia_str mlia_show_value(mlia_arena *arena, double value, mlia_str unit)
{
    if (mlia_str_equal(unit, MLIA_STR("%")))
        return mlia_show_decimals(arena, value, 1);
    if (mlia_str_equal(unit, MLIA_STR("inferences/s")))
        return mlia_show_decimals(arena, value, 2);
    if (mlia_str_equal(unit, MLIA_STR("ms")) || value != trunc(value))
        return mlia_show_significant(arena, value);
    return mlia_show_whole(arena, value);
}

mlia_str mlia_show_bytes(mlia_arena *arena, double bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024)
        return MLIA_STR("");
    size_t unit = 0;
    double value = bytes / 1024;
    while (value >= 1023.95 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        unit++;
    }
    mlia_str number = mlia_show_decimals(arena, value, 1);
    return mlia_arena_format(arena, "%.*s %s", MLIA_STR_ARG(number), units[unit]);
}
