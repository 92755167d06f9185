/* Numbers as RFC 8785 (which takes ECMAScript's Number::toString): the shortest decimal text that reads back
 * to the same double, without point or exponent for integers below 10^21. */
#include "result/document.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_DIGITS = 17 };

/* value = 0.DIGITS × 10^point, DIGITS without zeros at the end. */
typedef struct decimal {
    char digits[MAX_DIGITS + 1];
    int count;
    int point;
} decimal;

/* The nearest decimal of `count` digits. printf writes D.DDDe±XX with the point of the locale. */
static decimal round_to(double value, int count)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    decimal result = {.count = 0};
    const char *position = text;
    for (; *position != 'e'; position++)
        if (*position >= '0' && *position <= '9')
            result.digits[result.count++] = *position;
    result.point = (int)strtol(position + 1, NULL, 10) + 1;
    return result;
}

static bool reads_back(const decimal *number, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.*se%d", number->count, number->digits, number->point - number->count);
    return strtod(text, NULL) == value;
}

/* The next larger decimal of the same length. */
static decimal next_up(decimal number)
{
    int i = number.count - 1;
    while (i >= 0 && number.digits[i] == '9')
        number.digits[i--] = '0';
    if (i >= 0) {
        number.digits[i]++;
    } else {
        number.digits[0] = '1';
        number.point++;
    }
    return number;
}

/* Every decimal of DBL_DIG digits survives the way through a double, so DBL_DIG digits, zeros cut off, are
 * the shortest text if they read back; doubles below DBL_MIN have fewer digits. Below a power of two doubles
 * lie closer together than above it: there the shortest text may be the neighbour of the nearest decimal. */
static decimal shortest(double value)
{
    int exponent;
    bool power_of_two = frexp(value, &exponent) == 0.5;
    for (int count = value < DBL_MIN ? 1 : DBL_DIG; count < MAX_DIGITS; count++) {
        decimal number = round_to(value, count);
        if (reads_back(&number, value))
            return number;
        decimal above = next_up(number);
        if (power_of_two && reads_back(&above, value))
            return above;
    }
    return round_to(value, MAX_DIGITS);
}

static void cut_zeros(decimal *number)
{
    while (number->count > 1 && number->digits[number->count - 1] == '0')
        number->count--;
}

/* Layout of ECMAScript: plain up to 21 digits before and 6 zeros behind the point, else with an exponent. */
static size_t lay_out(const decimal *number, const char *sign, char *text)
{
    size_t size = MLIA_NUMBER_TEXT_SIZE;
    const char *digits = number->digits;
    int count = number->count;
    int point = number->point;
    int written;
    if (count <= point && point <= 21)
        written =
            snprintf(text, size, "%s%.*s%.*s", sign, count, digits, point - count, "00000000000000000000");
    else if (0 < point && point <= 21)
        written = snprintf(text, size, "%s%.*s.%.*s", sign, point, digits, count - point, digits + point);
    else if (-6 < point && point <= 0)
        written = snprintf(text, size, "%s0.%.*s%.*s", sign, -point, "00000", count, digits);
    else if (count == 1)
        written = snprintf(text, size, "%s%ce%+d", sign, digits[0], point - 1);
    else
        written = snprintf(text, size, "%s%c.%.*se%+d", sign, digits[0], count - 1, digits + 1, point - 1);
    return (size_t)written;
}

size_t mlia_number_text(double value, char text[MLIA_NUMBER_TEXT_SIZE])
{
    if (!isfinite(value)) /* never in a checked document; JSON has no word for it */
        return (size_t)snprintf(text, MLIA_NUMBER_TEXT_SIZE, "null");
    if (fabs(value) <= 9007199254740992.0 && value == trunc(value)) /* most figures: exact integers, and -0 */
        return (size_t)snprintf(text, MLIA_NUMBER_TEXT_SIZE, "%lld", (long long)value);
    decimal number = shortest(fabs(value));
    cut_zeros(&number);
    return lay_out(&number, value < 0 ? "-" : "", text);
}
