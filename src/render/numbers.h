/* Figures as people read them. */
#ifndef MLIA_RENDER_NUMBERS_H
#define MLIA_RENDER_NUMBERS_H

#include "result/result.h"

/* Whole number with ',' every three digits: 9,569. */
mlia_str mlia_show_whole(mlia_arena *arena, double value);
/* With so many decimals: 98,032.81. */
mlia_str mlia_show_decimals(mlia_arena *arena, double value, int decimals);
/* With four significant digits, never an exponent: 0.01020. */
mlia_str mlia_show_significant(mlia_arena *arena, double value);
/* A value of this unit: cycles, bytes and counts whole, % with one decimal, ms with four significant digits,
 * inferences/s with two decimals. Others: whole when it is, else four significant digits. */
mlia_str mlia_show_value(mlia_arena *arena, double value, mlia_str unit);
/* The same in larger units, "42.9 KiB"; empty below 1 KiB. */
mlia_str mlia_show_bytes(mlia_arena *arena, double bytes);

#endif
