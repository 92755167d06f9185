/* Reading the user's configuration file. */
#include "core/user_config.h"

#include <unistd.h>

#include "base/file.h"
#include "core/environment.h"

enum { MAX_CONFIG_BYTES = 1 << 20 };

typedef struct config_reader {
    mlia_arena *arena;
    mlia_diagnostics *diagnostics;
    mlia_user_config *config;
} config_reader;

typedef mlia_status *read_function(config_reader *reader, const mlia_toml_member *member);

static mlia_status *config_error(const mlia_toml_member *member, const char *text)
{
    return mlia_status_at_line(mlia_error(MLIA_E_CONFIG, "'%.*s' %s", MLIA_STR_ARG(member->key), text),
                               member->line, member->column);
}

static mlia_status *need_type(const mlia_toml_member *member, mlia_toml_type type)
{
    if (member->value->type == type)
        return NULL;
    return mlia_status_at_line(mlia_error(MLIA_E_CONFIG, "'%.*s' is %s; %s is expected",
                                          MLIA_STR_ARG(member->key), mlia_toml_type_name(member->value->type),
                                          mlia_toml_type_name(type)),
                               member->line, member->column);
}

static mlia_status *need_text(const mlia_toml_member *member, mlia_str *text)
{
    MLIA_TRY(need_type(member, MLIA_TOML_STRING));
    *text = member->value->as.text;
    return text->size > 0 ? NULL : config_error(member, "is empty");
}

static mlia_status *need_texts(const mlia_toml_member *member, mlia_arena *arena, mlia_texts *texts)
{
    MLIA_TRY(need_type(member, MLIA_TOML_ARRAY));
    for (size_t i = 0; i < member->value->count; i++) {
        const mlia_toml *item = member->value->items[i];
        if (item->type != MLIA_TOML_STRING || item->as.text.size == 0)
            return config_error(member, "must hold non-empty strings");
        if (!MLIA_APPEND(arena, *texts, item->as.text))
            return mlia_error_memory();
    }
    return NULL;
}

static mlia_status *read_color(config_reader *reader, const mlia_toml_member *member)
{
    MLIA_TRY(need_type(member, MLIA_TOML_BOOL));
    reader->config->no_color = !member->value->as.boolean;
    return NULL;
}

static mlia_status *read_theme(config_reader *reader, const mlia_toml_member *member)
{
    MLIA_TRY(need_text(member, &reader->config->theme));
    bool known =
        mlia_str_equal_c(reader->config->theme, "dark") || mlia_str_equal_c(reader->config->theme, "light");
    return known ? NULL : config_error(member, "is none of dark, light");
}

static mlia_status *read_top(config_reader *reader, const mlia_toml_member *member)
{
    MLIA_TRY(need_type(member, MLIA_TOML_INTEGER));
    reader->config->has_top = true;
    reader->config->top = member->value->as.integer;
    return reader->config->top >= 0 ? NULL : config_error(member, "is negative");
}

static mlia_status *read_output_dir(config_reader *reader, const mlia_toml_member *member)
{
    return need_text(member, &reader->config->output_dir);
}

static mlia_status *read_hide_advice(config_reader *reader, const mlia_toml_member *member)
{
    return need_texts(member, reader->arena, &reader->config->hide_advice);
}

static mlia_status *read_advice_share(config_reader *reader, const mlia_toml_member *member)
{
    const mlia_toml *value = member->value;
    double share = value->type == MLIA_TOML_INTEGER ? (double)value->as.integer : value->as.number;
    if (value->type != MLIA_TOML_INTEGER)
        MLIA_TRY(need_type(member, MLIA_TOML_FLOAT));
    reader->config->advice_share = share;
    return share >= 0 && share <= 100 ? NULL : config_error(member, "is no percentage");
}

static mlia_status *read_collapse_rule(config_reader *reader, const mlia_toml *table)
{
    mlia_collapse_rule rule = {0};
    mlia_texts globs = {0};
    for (size_t i = 0; i < table->count; i++) {
        const mlia_toml_member *member = &table->members[i];
        if (mlia_str_equal_c(member->key, "kind"))
            MLIA_TRY(need_text(member, &rule.kind));
        else if (mlia_str_equal_c(member->key, "attribute"))
            MLIA_TRY(need_text(member, &rule.attribute));
        else if (mlia_str_equal_c(member->key, "globs"))
            MLIA_TRY(need_texts(member, reader->arena, &globs));
        else
            return config_error(member, "is no key of filtering.collapse; kind, attribute, globs are");
    }
    rule.globs = globs.items;
    rule.glob_count = globs.count;
    if (rule.kind.size == 0 || rule.attribute.size == 0 || globs.count == 0)
        return mlia_status_at_line(
            mlia_error(MLIA_E_CONFIG, "filtering.collapse needs kind, attribute and globs"), table->line,
            table->column);
    return MLIA_APPEND(reader->arena, reader->config->collapse, rule) ? NULL : mlia_error_memory();
}

static mlia_status *read_collapse(config_reader *reader, const mlia_toml_member *member)
{
    MLIA_TRY(need_type(member, MLIA_TOML_ARRAY));
    for (size_t i = 0; i < member->value->count; i++) {
        if (member->value->items[i]->type != MLIA_TOML_TABLE)
            return config_error(member, "must hold tables");
        MLIA_TRY(read_collapse_rule(reader, member->value->items[i]));
    }
    return NULL;
}

static mlia_status *read_backend_options(config_reader *reader, const mlia_toml_member *member)
{
    MLIA_TRY(need_type(member, MLIA_TOML_TABLE));
    reader->config->backend_options = member->value;
    return NULL;
}

/* --- the key tables --- */

typedef struct config_key {
    mlia_str name;
    read_function *read;
} config_key;

static const config_key core_keys[] = {
    {MLIA_STR_INIT("top"), read_top},
    {MLIA_STR_INIT("output_dir"), read_output_dir},
    {MLIA_STR_INIT("hide_advice"), read_hide_advice},
    {MLIA_STR_INIT("advice_share"), read_advice_share},
    {MLIA_STR_NONE, NULL},
};

static const config_key filtering_keys[] = {
    {MLIA_STR_INIT("collapse"), read_collapse},
    {MLIA_STR_NONE, NULL},
};

static const config_key *find_key(const config_key *keys, mlia_str name)
{
    for (; keys->read != NULL; keys++)
        if (mlia_str_equal(keys->name, name))
            return keys;
    return NULL;
}

/* Reads the members of a table; an unknown one is an error if `strict`, else a warning. */
static mlia_status *read_table(config_reader *reader, const mlia_toml *table, const config_key *keys,
                               const char *prefix, bool strict)
{
    for (size_t i = 0; i < table->count; i++) {
        const mlia_toml_member *member = &table->members[i];
        const config_key *key = find_key(keys, member->key);
        if (key != NULL)
            MLIA_TRY(key->read(reader, member));
        else if (strict)
            return config_error(member, "is no known key here");
        else
            mlia_warn(reader->diagnostics, MLIA_W_CONFIG_KEY, "%.*s:%u:%u: unknown key '%s%.*s' is ignored",
                      MLIA_STR_ARG(reader->config->path), member->line, member->column, prefix,
                      MLIA_STR_ARG(member->key));
    }
    return NULL;
}

static mlia_status *read_core(config_reader *reader, const mlia_toml_member *member)
{
    MLIA_TRY(need_type(member, MLIA_TOML_TABLE));
    return read_table(reader, member->value, core_keys, "core.", false);
}

static mlia_status *read_filtering(config_reader *reader, const mlia_toml_member *member)
{
    MLIA_TRY(need_type(member, MLIA_TOML_TABLE));
    return read_table(reader, member->value, filtering_keys, "filtering.", true);
}

static const config_key root_keys[] = {
    {MLIA_STR_INIT("color"), read_color},
    {MLIA_STR_INIT("theme"), read_theme},
    {MLIA_STR_INIT("core"), read_core},
    {MLIA_STR_INIT("filtering"), read_filtering},
    {MLIA_STR_INIT("backend_options"), read_backend_options},
    {MLIA_STR_NONE, NULL},
};

mlia_status *mlia_user_config_read(mlia_arena *arena, mlia_str text, mlia_str path,
                                   mlia_diagnostics *diagnostics, mlia_user_config *config)
{
    mlia_toml *root;
    config_reader reader = {arena, diagnostics, config};
    config->path = path;
    size_t slash = mlia_str_find_last(path, '/');
    config->folder = slash == SIZE_MAX ? MLIA_STR_NONE : mlia_str_slice(path, 0, slash == 0 ? 1 : slash);
    mlia_status *status = mlia_toml_read(arena, text, MLIA_E_CONFIG, &root);
    if (status == NULL)
        status = read_table(&reader, root, root_keys, "", false);
    return mlia_status_path(status, path);
}

static mlia_status *load_file(mlia_arena *arena, mlia_str path, mlia_diagnostics *diagnostics,
                              mlia_user_config *config)
{
    mlia_str text = MLIA_STR_NONE;
    mlia_str name = mlia_arena_str(arena, path);
    MLIA_TRY_ALLOC(name.data);
    /* Whatever the file system says, it is the configuration that is wrong. */
    MLIA_TRY(mlia_status_as(mlia_file_read_text(name.data, MAX_CONFIG_BYTES, arena, &text), MLIA_E_CONFIG));
    return mlia_user_config_read(arena, text, name, diagnostics, config);
}

mlia_status *mlia_user_config_load(mlia_arena *arena, bool given, mlia_str path,
                                   mlia_diagnostics *diagnostics, mlia_user_config *config)
{
    *config = (mlia_user_config){.advice_share = 5};
    if (!given) {
        path = mlia_environment("MLIA_CONFIG");
        given = path.size > 0;
    }
    if (!given) {
        path = mlia_environment_config_path(arena);
        if (path.size == 0 || access(path.data, F_OK) != 0)
            return NULL;
    }
    return path.size > 0 ? load_file(arena, path, diagnostics, config) : NULL;
}
