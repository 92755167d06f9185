/* Reads estimator configurations: INI text (inih) and single overrides, checked against the table of
 * config.def. Refuses whatever the table does not know. */
#include "estimate/config.h"

#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { LINE_LIMIT = 190, FILE_LIMIT = 1 << 20, NEAR_NAMES = 3 };

static const mlia_config_info table[MLIA_CONFIG_KEY_COUNT] = {
#define X(group, section, key, field, type, fallback, lowest, highest, unit, text)                           \
    {MLIA_STR_INIT(section),                                                                                 \
     MLIA_STR_INIT(key),                                                                                     \
     MLIA_CONFIG_##group,                                                                                    \
     MLIA_CONFIG_##type,                                                                                     \
     (fallback),                                                                                             \
     (lowest),                                                                                               \
     (highest),                                                                                              \
     MLIA_STR_INIT(unit),                                                                                    \
     MLIA_STR_INIT(text),                                                                                    \
     offsetof(mlia_estimate_config, field)},
#include "estimate/config.def"
#undef X
};

const mlia_config_info *mlia_config_describe(mlia_config_key key)
{
    return &table[key];
}

static double *field(mlia_estimate_config *config, size_t key)
{
    return (double *)(void *)((char *)config + table[key].offset);
}

double mlia_config_get(const mlia_estimate_config *config, mlia_config_key key)
{
    return *(const double *)(const void *)((const char *)config + table[key].offset);
}

bool mlia_config_is_calibrated(const mlia_estimate_config *config)
{
    for (mlia_config_key key = 0; key < MLIA_CONFIG_KEY_COUNT; key++) {
        double value = mlia_config_get(config, key);
        if (table[key].group == MLIA_CONFIG_SYSTEM &&
            (value < table[key].fallback || value > table[key].fallback))
            return false;
    }
    return true;
}

void mlia_config_default(mlia_estimate_config *config)
{
    *config =
        (mlia_estimate_config){.system_name = MLIA_STR("default"), .compiler_name = MLIA_STR("default")};
    for (size_t key = 0; key < MLIA_CONFIG_KEY_COUNT; key++) {
        *field(config, key) = table[key].fallback;
        config->origins[key] = MLIA_STR("default");
    }
}

/* Text of "section.key" compared without building it. */
static bool is_named(const mlia_config_info *info, mlia_str name)
{
    return name.size == info->section.size + 1 + info->key.size &&
           mlia_str_starts_with(name, info->section) && name.data[info->section.size] == '.' &&
           mlia_str_ends_with(name, info->key);
}

static bool section_known(mlia_str section)
{
    for (size_t key = 0; key < MLIA_CONFIG_KEY_COUNT; key++)
        if (mlia_str_equal(table[key].section, section))
            return true;
    return false;
}

static size_t find(mlia_str section, mlia_str key)
{
    for (size_t i = 0; i < MLIA_CONFIG_KEY_COUNT; i++)
        if (mlia_str_equal(table[i].section, section) && mlia_str_equal(table[i].key, key))
            return i;
    return MLIA_CONFIG_KEY_COUNT;
}

/* Stores the value of a key after checking it; `kind` is the error to raise. */
static mlia_status *assign(mlia_estimate_config *config, size_t key, mlia_str text, mlia_kind kind)
{
    const mlia_config_info *info = &table[key];
    double value = 0;
    if (info->type == MLIA_CONFIG_SWITCH) {
        bool is_true = mlia_str_equal_c(text, "true") || mlia_str_equal_c(text, "1");
        if (!is_true && !mlia_str_equal_c(text, "false") && !mlia_str_equal_c(text, "0"))
            return mlia_error(kind, "%.*s.%.*s is \"%.*s\"; it must be true or false",
                              MLIA_STR_ARG(info->section), MLIA_STR_ARG(info->key), MLIA_STR_ARG(text));
        value = is_true;
    } else if (!mlia_str_to_double(text, &value)) {
        return mlia_error(kind, "%.*s.%.*s is \"%.*s\"; it must be a number", MLIA_STR_ARG(info->section),
                          MLIA_STR_ARG(info->key), MLIA_STR_ARG(text));
    }
    if (value < info->lowest || value > info->highest)
        return mlia_error(kind, "%.*s.%.*s is %.*s; it must be between %.15g and %.15g",
                          MLIA_STR_ARG(info->section), MLIA_STR_ARG(info->key), MLIA_STR_ARG(text),
                          info->lowest, info->highest);
    if (info->type == MLIA_CONFIG_COUNT && value != floor(value))
        return mlia_error(kind, "%.*s.%.*s is %.*s; it must be a whole number", MLIA_STR_ARG(info->section),
                          MLIA_STR_ARG(info->key), MLIA_STR_ARG(text));
    *field(config, key) = value;
    return NULL;
}

/* ---- INI text ---- */

typedef struct reading {
    mlia_estimate_config *config;
    mlia_config_group group;
    bool both_roles;
    mlia_str name;
    const char *position;
    const char *end;
    uint32_t line;
    bool seen[MLIA_CONFIG_KEY_COUNT];
    mlia_status *status; /* first fault */
} reading;

static void fault(reading *r, mlia_status *status)
{
    if (r->status == NULL)
        r->status = mlia_status_path(mlia_status_at_line(status, r->line, 0), r->name);
    else
        mlia_status_free(status);
}

static mlia_str trim(mlia_str s)
{
    while (s.size > 0 && (s.data[0] == ' ' || s.data[0] == '\t'))
        s = mlia_str_slice(s, 1, s.size);
    while (s.size > 0 && strchr(" \t\r", s.data[s.size - 1]) != NULL)
        s.size--;
    return s;
}

/* inih hands out sections only with their keys, so that headings are looked at here. */
static void check_line(reading *r, mlia_str line)
{
    if (line.size > LINE_LIMIT)
        fault(r, mlia_error(MLIA_E_ESTIMATOR_CONFIG, "the line has %zu bytes; at most %d are allowed",
                            line.size, LINE_LIMIT));
    if (memchr(line.data, 0, line.size) != NULL)
        fault(r, mlia_error(MLIA_E_ESTIMATOR_CONFIG, "the line holds a NUL byte"));
    mlia_str text = trim(line);
    size_t end = mlia_str_find(text, ']');
    if (text.size > 0 && text.data[0] == '[' && end != SIZE_MAX) {
        mlia_str section = mlia_str_slice(text, 1, end - 1);
        if (!section_known(section))
            fault(r, mlia_status_hint(mlia_error(MLIA_E_ESTIMATOR_CONFIG, "there is no section [%.*s]",
                                                 MLIA_STR_ARG(section)),
                                      "the format and its sections are described in docs/estimator.md; files "
                                      "of other estimators cannot be read"));
    }
}

/* fgets for inih: the next line of the text. */
static char *next_line(char *buffer, int size, void *context)
{
    reading *r = context;
    if (r->position >= r->end || r->status != NULL)
        return NULL;
    const char *newline = memchr(r->position, '\n', (size_t)(r->end - r->position));
    mlia_str line = {r->position, (size_t)((newline != NULL ? newline : r->end) - r->position)};
    r->position = newline != NULL ? newline + 1 : r->end;
    r->line++;
    check_line(r, line);
    if (r->status != NULL || line.size + 1 > (size_t)size)
        return NULL;
    memcpy(buffer, line.data, line.size);
    buffer[line.size] = '\0';
    return buffer;
}

static int on_value(void *context, const char *section, const char *key, const char *value)
{
    reading *r = context;
    if (r->status != NULL)
        return 1;
    size_t index = find(mlia_str_from_c(section), mlia_str_from_c(key));
    mlia_status *status = NULL;
    if (index == MLIA_CONFIG_KEY_COUNT) {
        status = section[0] == '\0'
                     ? mlia_error(MLIA_E_ESTIMATOR_CONFIG, "key \"%s\" stands before any section", key)
                     : mlia_error(MLIA_E_ESTIMATOR_CONFIG, "section [%s] has no key \"%s\"", section, key);
    } else if (r->seen[index]) {
        status = mlia_error(MLIA_E_ESTIMATOR_CONFIG, "%s.%s is given twice", section, key);
    } else if (table[index].group != r->group) {
        if (!r->both_roles)
            status = mlia_error(MLIA_E_ESTIMATOR_CONFIG, "%s.%s belongs into a %s configuration", section,
                                key, table[index].group == MLIA_CONFIG_SYSTEM ? "system" : "compiler");
    } else {
        status = assign(r->config, index, mlia_str_from_c(value), MLIA_E_ESTIMATOR_CONFIG);
        r->config->origins[index] = r->name;
    }
    if (index != MLIA_CONFIG_KEY_COUNT)
        r->seen[index] = true;
    if (status != NULL)
        fault(r, mlia_status_in(status, "%s.%s", section, key));
    return 1;
}

mlia_status *mlia_config_read(mlia_estimate_config *config, mlia_config_group group, bool both_roles,
                              mlia_str name, mlia_bytes text)
{
    reading r = {.config = config,
                 .group = group,
                 .both_roles = both_roles,
                 .name = name,
                 .position = (const char *)text.data,
                 .end = (const char *)text.data + text.size};
    int line = text.size == 0 ? 0 : ini_parse_stream(next_line, &r, on_value, &r);
    if (line < 0)
        fault(&r, mlia_error_memory());
    if (line > 0 && r.status == NULL) {
        r.line = (uint32_t)line;
        fault(&r, mlia_error(MLIA_E_ESTIMATOR_CONFIG, "expected [section], key = value or a comment"));
    }
    return r.status;
}

/* ---- files and overrides ---- */

mlia_status *mlia_config_open(mlia_str path, mlia_str folder, size_t limit, mlia_arena *arena,
                              mlia_str *found, mlia_file **file)
{
    mlia_status *status = NULL;
    for (int in_folder = folder.size > 0 && path.size > 0 && path.data[0] != '/'; in_folder >= 0;
         in_folder--) {
        mlia_str name = in_folder
                            ? mlia_arena_format(arena, "%.*s/%.*s", MLIA_STR_ARG(folder), MLIA_STR_ARG(path))
                            : mlia_arena_str(arena, path);
        if (name.data == NULL)
            return mlia_error_memory();
        *found = name;
        status = mlia_file_read(name.data, limit, file);
        if (status == NULL || !in_folder || mlia_status_kind(status) != MLIA_E_NOT_FOUND)
            break;
        mlia_status_free(status);
    }
    return mlia_status_as(status, MLIA_E_ESTIMATOR_CONFIG);
}

static mlia_status *load(mlia_estimate_config *config, mlia_config_group group, bool both_roles,
                         mlia_str name, mlia_str folder, mlia_arena *arena)
{
    const mlia_embedded *bundled = mlia_bundled_find(name);
    if (bundled != NULL)
        return mlia_config_read(config, group, true, name,
                                (mlia_bytes){(const uint8_t *)bundled->text.data, bundled->text.size});
    mlia_file *file = NULL;
    mlia_str found = MLIA_STR_NONE;
    mlia_status *status = mlia_config_open(name, folder, FILE_LIMIT, arena, &found, &file);
    if (status != NULL)
        return mlia_status_hint(status, "a bundled configuration or the path of an INI file is expected");
    status = mlia_config_read(config, group, both_roles, name, mlia_file_bytes(file));
    mlia_file_free(file);
    return status;
}

/* The three known names nearest to `name`, as ", did you mean A, B or C" material. */
static void near_names(mlia_str name, char *text, size_t size)
{
    struct {
        size_t key;
        unsigned distance;
    } best[NEAR_NAMES];
    size_t count = 0;
    for (size_t key = 0; key < MLIA_CONFIG_KEY_COUNT; key++) {
        char full[128];
        snprintf(full, sizeof full, "%.*s.%.*s", MLIA_STR_ARG(table[key].section),
                 MLIA_STR_ARG(table[key].key));
        unsigned distance = mlia_str_distance(name, mlia_str_from_c(full), 40);
        size_t place = count;
        while (place > 0 && best[place - 1].distance > distance)
            place--;
        if (place >= NEAR_NAMES)
            continue;
        if (count < NEAR_NAMES)
            count++;
        for (size_t i = count - 1; i > place; i--)
            best[i] = best[i - 1];
        best[place].key = key;
        best[place].distance = distance;
    }
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        const mlia_config_info *info = &table[best[i].key];
        int written = snprintf(text + used, size - used, "%s%.*s.%.*s", i == 0 ? "" : ", ",
                               MLIA_STR_ARG(info->section), MLIA_STR_ARG(info->key));
        used += written > 0 ? (size_t)written : 0;
    }
}

mlia_status *mlia_config_override(mlia_estimate_config *config, mlia_str text)
{
    size_t equals = mlia_str_find(text, '=');
    if (equals == SIZE_MAX)
        return mlia_error(MLIA_E_OVERRIDE, "\"%.*s\" has no '='; SECTION.KEY=VALUE is expected",
                          MLIA_STR_ARG(text));
    mlia_str name = trim(mlia_str_slice(text, 0, equals));
    mlia_str value = trim(mlia_str_slice(text, equals + 1, text.size));
    for (size_t key = 0; key < MLIA_CONFIG_KEY_COUNT; key++) {
        if (!is_named(&table[key], name))
            continue;
        MLIA_TRY(assign(config, key, value, MLIA_E_OVERRIDE));
        config->origins[key] = MLIA_STR("override");
        return NULL;
    }
    char names[256];
    near_names(name, names, sizeof names);
    return mlia_status_hint(mlia_error(MLIA_E_OVERRIDE, "there is no key \"%.*s\"", MLIA_STR_ARG(name)),
                            "near names: %s", names);
}

mlia_status *mlia_config_load(const mlia_config_choice *choice, mlia_arena *arena,
                              mlia_estimate_config *config)
{
    mlia_config_default(config);
    if (choice->system.size > 0)
        config->system_name = choice->system;
    if (choice->compiler.size > 0)
        config->compiler_name = choice->compiler;
    bool both_roles = mlia_str_equal(config->system_name, config->compiler_name);
    MLIA_TRY(load(config, MLIA_CONFIG_SYSTEM, both_roles, config->system_name, choice->system_folder, arena));
    MLIA_TRY(load(config, MLIA_CONFIG_COMPILER, both_roles, config->compiler_name, choice->compiler_folder,
                  arena));
    for (size_t i = 0; i < choice->override_count; i++)
        MLIA_TRY(mlia_config_override(config, choice->overrides[i]));
    config->overrides = choice->overrides;
    config->override_count = choice->override_count;
    return NULL;
}

/* ---- values ---- */

mlia_value *mlia_config_value(const mlia_estimate_config *config, mlia_config_key key, mlia_arena *arena)
{
    double value = mlia_config_get(config, key);
    if (table[key].type == MLIA_CONFIG_SWITCH)
        return mlia_value_bool(arena, value > 0);
    return value == floor(value) ? mlia_value_integer(arena, (int64_t)value)
                                 : mlia_value_number(arena, value);
}

static int by_name(const void *a, const void *b)
{
    return mlia_str_compare(((const mlia_member *)a)->name, ((const mlia_member *)b)->name);
}

mlia_value *mlia_config_values(const mlia_estimate_config *config, mlia_arena *arena)
{
    mlia_value *object = mlia_value_object(arena);
    if (object == NULL)
        return NULL;
    for (mlia_config_key key = 0; key < MLIA_CONFIG_KEY_COUNT; key++) {
        mlia_str name = mlia_arena_format(arena, "%.*s.%.*s", MLIA_STR_ARG(table[key].section),
                                          MLIA_STR_ARG(table[key].key));
        if (name.data == NULL || !mlia_value_set(arena, object, name, mlia_config_value(config, key, arena)))
            return NULL;
    }
    qsort(object->as.members, object->count, sizeof *object->as.members, by_name);
    return object;
}

/* ---- bundled configurations ---- */

extern const mlia_embedded mlia_embedded_estimate[];

const mlia_embedded *mlia_bundled_all(void)
{
    return mlia_embedded_estimate;
}

static bool same_letters(mlia_str a, const char *b, size_t size)
{
    return a.size == size && strncasecmp(a.data, b, size) == 0;
}

const mlia_embedded *mlia_bundled_find(mlia_str name)
{
    static const char *const defaults[] = {"system-config-neural-technology-default",
                                           "gc-config-neural-technology-default", "gc-config-upstream"};
    enum { SUFFIX = 4 };
    if (name.size > SUFFIX && strncasecmp(name.data + name.size - SUFFIX, ".ini", SUFFIX) == 0)
        name.size -= SUFFIX;
    if (name.size == 0)
        return NULL;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (same_letters(name, defaults[i], strlen(defaults[i])))
            name = MLIA_STR("default");
    for (const mlia_embedded *item = mlia_embedded_estimate; item->name != NULL; item++)
        if (same_letters(name, item->name, strlen(item->name) - SUFFIX))
            return item;
    return NULL;
}
