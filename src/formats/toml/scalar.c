/* Booleans, numbers, dates and times of TOML. */
#include <math.h>

#include "formats/toml/scan.h"

/* Number of days of a month; 0 for a month that does not exist. */
static unsigned days_in_month(unsigned year, unsigned month)
{
    static const uint8_t days[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (month > 12)
        return 0;
    return month == 2 && leap ? 29 : days[month];
}

static bool is_digit(int byte)
{
    return byte >= '0' && byte <= '9';
}

/* Takes exactly `count` decimal digits from `*rest`. */
static bool take_digits(mlia_str *rest, unsigned count, unsigned *value)
{
    if (rest->size < count)
        return false;
    *value = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!is_digit((unsigned char)rest->data[i]))
            return false;
        *value = *value * 10 + (unsigned)(rest->data[i] - '0');
    }
    *rest = mlia_str_slice(*rest, count, SIZE_MAX);
    return true;
}

static bool take_one_of(mlia_str *rest, const char *bytes)
{
    if (rest->size == 0 || rest->data[0] == '\0' || strchr(bytes, rest->data[0]) == NULL)
        return false;
    *rest = mlia_str_slice(*rest, 1, SIZE_MAX);
    return true;
}

static bool take_date(mlia_str *rest)
{
    unsigned year;
    unsigned month;
    unsigned day;
    return take_digits(rest, 4, &year) && take_one_of(rest, "-") && take_digits(rest, 2, &month) &&
           take_one_of(rest, "-") && take_digits(rest, 2, &day) && day >= 1 &&
           day <= days_in_month(year, month);
}

static bool take_time(mlia_str *rest)
{
    unsigned hour;
    unsigned minute;
    unsigned second;
    if (!take_digits(rest, 2, &hour) || !take_one_of(rest, ":") || !take_digits(rest, 2, &minute) ||
        !take_one_of(rest, ":") || !take_digits(rest, 2, &second) || hour > 23 || minute > 59 || second > 60)
        return false;
    if (!take_one_of(rest, "."))
        return true;
    size_t digits = 0;
    while (digits < rest->size && is_digit((unsigned char)rest->data[digits]))
        digits++;
    *rest = mlia_str_slice(*rest, digits, SIZE_MAX);
    return digits > 0;
}

static bool take_zone(mlia_str *rest)
{
    unsigned hour;
    unsigned minute;
    if (take_one_of(rest, "Zz"))
        return true;
    return take_one_of(rest, "+-") && take_digits(rest, 2, &hour) && take_one_of(rest, ":") &&
           take_digits(rest, 2, &minute) && hour <= 23 && minute <= 59;
}

/* Date, time, or both; false when `token` is none of them. */
static bool parse_date_time(mlia_str token, mlia_toml *value)
{
    mlia_str rest = token;
    value->as.text = token;
    if (token.size > 2 && token.data[2] == ':') {
        value->type = MLIA_TOML_TIME_LOCAL;
        return take_time(&rest) && rest.size == 0;
    }
    if (!take_date(&rest))
        return false;
    value->type = MLIA_TOML_DATE_LOCAL;
    if (rest.size == 0)
        return true;
    if (!take_one_of(&rest, "Tt ") || !take_time(&rest))
        return false;
    value->type = MLIA_TOML_DATETIME_LOCAL;
    if (rest.size == 0)
        return true;
    value->type = MLIA_TOML_DATETIME;
    return take_zone(&rest) && rest.size == 0;
}

static int digit_value(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F')
        return byte - 'A' + 10;
    return 99;
}

/* Digits of `base` with single underscores between them. `*copy` (at least digits.size bytes) gets them
 * without. */
static bool clean_digits(mlia_str digits, int base, char *copy, size_t *size)
{
    bool after_digit = false;
    *size = 0;
    for (size_t i = 0; i < digits.size; i++) {
        if (digits.data[i] == '_' && after_digit && i + 1 < digits.size) {
            after_digit = false;
        } else if (digit_value(digits.data[i]) < base) {
            copy[(*size)++] = digits.data[i];
            after_digit = true;
        } else {
            return false;
        }
    }
    return after_digit;
}

static const char *parse_based(mlia_str token, int base, char *copy, mlia_toml *value)
{
    size_t size;
    if (!clean_digits(mlia_str_slice(token, 2, SIZE_MAX), base, copy, &size))
        return "not a number";
    int64_t sum = 0;
    for (size_t i = 0; i < size; i++)
        if (__builtin_mul_overflow(sum, base, &sum) ||
            __builtin_add_overflow(sum, digit_value(copy[i]), &sum))
            return "the integer does not fit in 64 bits";
    value->type = MLIA_TOML_INTEGER;
    value->as.integer = sum;
    return NULL;
}

/* Appends sign and digits of one part of a number to the copy; a part may have a sign only if `sign`. */
static bool add_part(mlia_str part, bool sign, bool may_lead_with_zero, char *copy, size_t *size)
{
    if (sign && part.size > 0 && (part.data[0] == '+' || part.data[0] == '-')) {
        if (part.data[0] == '-')
            copy[(*size)++] = '-';
        part = mlia_str_slice(part, 1, SIZE_MAX);
    }
    size_t digits;
    if (!clean_digits(part, 10, copy + *size, &digits))
        return false;
    if (!may_lead_with_zero && digits > 1 && copy[*size] == '0')
        return false;
    *size += digits;
    return true;
}

static const char *parse_float(mlia_str token, size_t point, size_t exponent, char *copy, mlia_toml *value)
{
    size_t mantissa_end = exponent < token.size ? exponent : token.size;
    size_t whole_end = point < mantissa_end ? point : mantissa_end;
    size_t size = 0;
    bool good = add_part(mlia_str_slice(token, 0, whole_end), true, false, copy, &size);
    if (good && point < mantissa_end) {
        copy[size++] = '.';
        good = add_part(mlia_str_slice(token, point + 1, mantissa_end - point - 1), false, true, copy, &size);
    }
    if (good && exponent < token.size) {
        copy[size++] = 'e';
        good = add_part(mlia_str_slice(token, exponent + 1, SIZE_MAX), true, true, copy, &size);
    }
    if (!good)
        return "not a number";
    value->type = MLIA_TOML_FLOAT;
    /* A value beyond the largest double is no error in TOML: it reads as infinity. */
    if (!mlia_str_to_double((mlia_str){copy, size}, &value->as.number))
        value->as.number = copy[0] == '-' ? -(double)INFINITY : (double)INFINITY;
    return NULL;
}

static const char *parse_number(mlia_str token, char *copy, mlia_toml *value)
{
    static const struct {
        mlia_str prefix;
        int base;
    } bases[] = {{MLIA_STR_INIT("0x"), 16}, {MLIA_STR_INIT("0o"), 8}, {MLIA_STR_INIT("0b"), 2}};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (mlia_str_starts_with(token, bases[i].prefix))
            return parse_based(token, bases[i].base, copy, value);
    size_t point = mlia_str_find(token, '.');
    size_t exponent = mlia_str_find(token, 'e');
    if (exponent == SIZE_MAX)
        exponent = mlia_str_find(token, 'E');
    if (point != SIZE_MAX || exponent != SIZE_MAX)
        return parse_float(token, point, exponent, copy, value);
    size_t size = 0;
    if (!add_part(token, true, false, copy, &size))
        return "not a number";
    value->type = MLIA_TOML_INTEGER;
    return mlia_str_to_i64((mlia_str){copy, size}, &value->as.integer)
               ? NULL
               : "the integer does not fit in 64 bits";
}

static bool parse_word(mlia_str token, mlia_toml *value)
{
    static const struct {
        mlia_str word;
        mlia_toml_type type;
        double number;
    } words[] = {
        {MLIA_STR_INIT("true"), MLIA_TOML_BOOL, 1},
        {MLIA_STR_INIT("false"), MLIA_TOML_BOOL, 0},
        {MLIA_STR_INIT("inf"), MLIA_TOML_FLOAT, (double)INFINITY},
        {MLIA_STR_INIT("+inf"), MLIA_TOML_FLOAT, (double)INFINITY},
        {MLIA_STR_INIT("-inf"), MLIA_TOML_FLOAT, -(double)INFINITY},
        {MLIA_STR_INIT("nan"), MLIA_TOML_FLOAT, (double)NAN},
        {MLIA_STR_INIT("+nan"), MLIA_TOML_FLOAT, (double)NAN},
        {MLIA_STR_INIT("-nan"), MLIA_TOML_FLOAT, (double)NAN},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!mlia_str_equal(token, words[i].word))
            continue;
        value->type = words[i].type;
        if (value->type == MLIA_TOML_BOOL)
            value->as.boolean = words[i].number != 0;
        else
            value->as.number = words[i].number;
        return true;
    }
    return false;
}

static bool is_token_byte(int byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte > 0 && strchr("+-_.:", byte) != NULL);
}

/* The token at the position. A blank inside belongs to it only between a date and a time. */
static mlia_str take_token(toml_scanner *scanner)
{
    size_t size = 0;
    while (is_token_byte(toml_peek(scanner, size)))
        size++;
    mlia_str date = mlia_str_slice(scanner->text, scanner->position, size);
    if (size == 10 && toml_peek(scanner, 10) == ' ' && is_digit(toml_peek(scanner, 11)) && take_date(&date))
        for (size++; is_token_byte(toml_peek(scanner, size));)
            size++;
    return mlia_str_slice(scanner->text, scanner->position, size);
}

mlia_status *toml_read_scalar(toml_scanner *scanner, mlia_toml *value)
{
    mlia_str token = take_token(scanner);
    if (token.size == 0)
        return toml_error(scanner, "a value is missing");
    const char *fault = NULL;
    mlia_str rest = token;
    unsigned number;
    bool is_date = (take_digits(&rest, 4, &number) && take_one_of(&rest, "-")) ||
                   (rest = token, take_digits(&rest, 2, &number) && take_one_of(&rest, ":"));
    if (is_date) {
        fault = parse_date_time(token, value) ? NULL : "no date or time of the calendar";
    } else if (!parse_word(token, value)) {
        char *copy = mlia_arena_alloc(scanner->arena, token.size + 1, 1, 1);
        MLIA_TRY_ALLOC(copy);
        fault = parse_number(token, copy, value);
    }
    if (fault != NULL)
        return toml_error(scanner, "'%.*s': %s", mlia_str_int_size(mlia_str_slice(token, 0, 40)), token.data,
                          fault);
    scanner->position += token.size;
    return NULL;
}
