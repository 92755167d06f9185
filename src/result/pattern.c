/* Forms of texts. Every matcher walks a cursor from left to right without going back. */
#include "result/pattern.h"

#include "base/hash.h"

/* Rest of the text still to be matched. */
typedef struct cursor {
    const char *position;
    const char *end;
} cursor;

static cursor cursor_of(mlia_str text)
{
    return (cursor){text.data, text.data + text.size};
}

static bool at_end(const cursor *c)
{
    return c->position == c->end;
}

static bool one_of(cursor *c, const char *set)
{
    if (at_end(c) || *c->position == '\0' || strchr(set, *c->position) == NULL)
        return false;
    c->position++;
    return true;
}

static bool literal(cursor *c, const char *text)
{
    size_t size = strlen(text);
    if ((size_t)(c->end - c->position) < size || memcmp(c->position, text, size) != 0)
        return false;
    c->position += size;
    return true;
}

/* Between `least` and `most` characters of `set`, as many as there are. */
static bool run(cursor *c, const char *set, size_t least, size_t most)
{
    size_t count = 0;
    while (count < most && one_of(c, set))
        count++;
    return count >= least;
}

#define DIGIT     "0123456789"
#define LOWER     "abcdefghijklmnopqrstuvwxyz"
#define UPPER     "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define HEX_LOWER DIGIT "abcdef"
#define HEX       HEX_LOWER "ABCDEF"

/* Digits and letters of a template: '0' stands for a digit, everything else for itself. */
static bool template(cursor *c, const char *form)
{
    for (; *form != '\0'; form++)
        if (!(*form == '0' ? one_of(c, DIGIT) : one_of(c, (const char[]){*form, '\0'})))
            return false;
    return true;
}

/* White space of ECMAScript's \s. */
static bool is_space(uint32_t point)
{
    return (point >= 0x09 && point <= 0x0D) || point == 0x20 || point == 0xA0 || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 || point == 0x202F ||
           point == 0x205F || point == 0x3000 || point == 0xFEFF;
}

bool mlia_pattern_not_blank(mlia_str text)
{
    size_t position = 0;
    while (position < text.size) {
        uint32_t point;
        if (!mlia_utf8_next(text, &position, &point) || !is_space(point))
            return true;
    }
    return false;
}

bool mlia_pattern_sha256(mlia_str text)
{
    cursor c = cursor_of(text);
    return run(&c, HEX, MLIA_SHA256_HEX_SIZE, MLIA_SHA256_HEX_SIZE) && at_end(&c);
}

bool mlia_pattern_sha256_lower(mlia_str text)
{
    cursor c = cursor_of(text);
    return run(&c, HEX_LOWER, MLIA_SHA256_HEX_SIZE, MLIA_SHA256_HEX_SIZE) && at_end(&c);
}

bool mlia_pattern_uuid(mlia_str text)
{
    return mlia_uuid_valid(text);
}

bool mlia_pattern_uuid_strict(mlia_str text)
{
    cursor c = cursor_of(text);
    return run(&c, HEX_LOWER, 8, 8) && literal(&c, "-") && run(&c, HEX_LOWER, 4, 4) && literal(&c, "-") &&
           one_of(&c, "12345678") && run(&c, HEX_LOWER, 3, 3) && literal(&c, "-") && one_of(&c, "89ab") &&
           run(&c, HEX_LOWER, 3, 3) && literal(&c, "-") && run(&c, HEX_LOWER, 12, 12) && at_end(&c);
}

bool mlia_pattern_timestamp(mlia_str text)
{
    cursor c = cursor_of(text);
    if (!template(&c, "0000-00-00T00:00:00"))
        return false;
    if (literal(&c, ".") && !run(&c, DIGIT, 1, SIZE_MAX))
        return false;
    if (one_of(&c, "+-"))
        return template(&c, "00:00") && at_end(&c);
    (void)literal(&c, "Z");
    return at_end(&c);
}

bool mlia_pattern_timestamp_strict(mlia_str text)
{
    cursor c = cursor_of(text);
    return template(&c, "0000-") && one_of(&c, "01") && template(&c, "0-") && one_of(&c, "0123") &&
           template(&c, "0T") && one_of(&c, "012") && template(&c, "0:") && one_of(&c, "012345") &&
           template(&c, "0:") && one_of(&c, "0123456") && template(&c, "0.000Z") && at_end(&c);
}

bool mlia_pattern_schema_version(mlia_str text)
{
    cursor c = cursor_of(text);
    return literal(&c, "1.") && run(&c, DIGIT, 1, SIZE_MAX) && literal(&c, ".") &&
           run(&c, DIGIT, 1, SIZE_MAX) && at_end(&c);
}

uint32_t mlia_schema_minor(mlia_str version)
{
    mlia_str rest = mlia_str_slice(version, 2, SIZE_MAX);
    int64_t minor;
    if (!mlia_str_to_i64(mlia_str_slice(rest, 0, mlia_str_find(rest, '.')), &minor) || minor > UINT32_MAX)
        return UINT32_MAX;
    return (uint32_t)minor;
}

bool mlia_pattern_tool_version(mlia_str text)
{
    cursor c = cursor_of(text);
    return run(&c, DIGIT, 1, SIZE_MAX) && literal(&c, ".") && run(&c, DIGIT, 1, SIZE_MAX) &&
           literal(&c, ".") && run(&c, DIGIT, 1, SIZE_MAX);
}

bool mlia_pattern_backend_id(mlia_str text)
{
    cursor c = cursor_of(text);
    return one_of(&c, LOWER DIGIT) && run(&c, LOWER DIGIT "-", 0, SIZE_MAX) && at_end(&c);
}

bool mlia_pattern_advice_id(mlia_str text)
{
    cursor c = cursor_of(text);
    do {
        if (!run(&c, LOWER DIGIT, 1, SIZE_MAX))
            return false;
    } while (one_of(&c, ".-"));
    if (literal(&c, "#") && !run(&c, DIGIT, 1, SIZE_MAX))
        return false;
    return at_end(&c);
}

bool mlia_pattern_qualifier(mlia_str text)
{
    cursor c = cursor_of(text);
    return one_of(&c, LOWER UPPER "_") && run(&c, LOWER UPPER DIGIT "_-", 0, SIZE_MAX) && at_end(&c);
}

bool mlia_pattern_delegate_id(mlia_str text)
{
    cursor c = cursor_of(text);
    if (!literal(&c, "pte/"))
        return false;
    const char *slash = memchr(c.position, '/', (size_t)(c.end - c.position));
    if (slash == NULL || slash == c.position)
        return false;
    c.position = slash;
    return literal(&c, "/chain/") && run(&c, DIGIT, 1, SIZE_MAX) && literal(&c, "/instruction/") &&
           run(&c, DIGIT, 1, SIZE_MAX) && at_end(&c);
}

bool mlia_pattern_diagnostic_code(mlia_str text)
{
    cursor c = cursor_of(text);
    return one_of(&c, "EWN") && literal(&c, "_") && one_of(&c, UPPER) &&
           run(&c, UPPER DIGIT "_", 0, SIZE_MAX) && at_end(&c);
}
