/* Merging the options of a backend from their sources. */
#include "core/settings.h"

#include "base/suggest.h"

/* One file with tables of backend options. */
typedef struct settings_source {
    mlia_kind kind;   /* of errors */
    const char *word; /* "profile" or "config" */
    mlia_str path;    /* for messages */
    mlia_str origin;  /* file or name in origins */
    mlia_str folder;
} settings_source;

static settings_source profile_source(const mlia_profile *profile)
{
    bool built_in = mlia_str_equal_c(profile->source, "built-in");
    return (settings_source){MLIA_E_PROFILE, "profile", profile->source,
                             built_in ? profile->name : profile->source, profile->folder};
}

static settings_source config_source(const mlia_user_config *config)
{
    return (settings_source){MLIA_E_CONFIG, "config", config->path, config->path, config->folder};
}

static mlia_status *unknown_option(const settings_source *source, const mlia_backend *backend,
                                   const mlia_toml_member *member)
{
    mlia_suggestion near = mlia_suggest(member->key);
    for (size_t i = 0; i < mlia_backend_option_count(backend); i++)
        mlia_suggest_among(&near, mlia_str_from_c(backend->options[i].key));
    mlia_str found = mlia_suggest_found(&near);
    return mlia_status_at_line(mlia_error(source->kind, "'%s' has no option '%.*s'" MLIA_SUGGESTION,
                                          backend->id, MLIA_STR_ARG(member->key), MLIA_SUGGESTION_ARG(found)),
                               member->line, member->column);
}

static mlia_status *check_option(const settings_source *source, const mlia_backend *backend,
                                 const mlia_toml_member *member)
{
    static const mlia_toml_type types[] = {
        [MLIA_OPTION_FLAG] = MLIA_TOML_BOOL,     [MLIA_OPTION_PATH] = MLIA_TOML_STRING,
        [MLIA_OPTION_STRING] = MLIA_TOML_STRING, [MLIA_OPTION_INTEGER] = MLIA_TOML_INTEGER,
        [MLIA_OPTION_CHOICE] = MLIA_TOML_STRING,
    };
    size_t index = mlia_backend_option_find(backend, member->key);
    if (index == SIZE_MAX)
        return unknown_option(source, backend, member);
    mlia_toml_type expected = types[backend->options[index].type];
    if (member->value->type != expected)
        return mlia_status_at_line(
            mlia_error(source->kind, "'%.*s' is %s; %s is expected", MLIA_STR_ARG(member->key),
                       mlia_toml_type_name(member->value->type), mlia_toml_type_name(expected)),
            member->line, member->column);
    if (expected == MLIA_TOML_STRING && member->value->as.text.size == 0)
        return mlia_status_at_line(mlia_error(source->kind, "'%.*s' is empty", MLIA_STR_ARG(member->key)),
                                   member->line, member->column);
    return NULL;
}

static mlia_status *check_backend(const settings_source *source, mlia_str id, const mlia_toml *options,
                                  uint32_t line, uint32_t column)
{
    const mlia_backend *backend = mlia_backend_find(id);
    if (backend == NULL)
        return mlia_status_at_line(mlia_error(source->kind,
                                              "there is no backend '%.*s'; 'mlia backend list' names them",
                                              MLIA_STR_ARG(id)),
                                   line, column);
    if (options->type != MLIA_TOML_TABLE)
        return mlia_status_at_line(mlia_error(source->kind, "'%.*s' is %s; a table is expected",
                                              MLIA_STR_ARG(id), mlia_toml_type_name(options->type)),
                                   line, column);
    for (size_t i = 0; i < options->count; i++)
        MLIA_TRY(check_option(source, backend, &options->members[i]));
    return NULL;
}

mlia_status *mlia_settings_check(const mlia_profile *profile, const mlia_user_config *config)
{
    settings_source source = profile_source(profile);
    for (size_t i = 0; i < profile->backends.count; i++) {
        const mlia_profile_backend *entry = &profile->backends.items[i];
        mlia_status *status = check_backend(&source, entry->id, entry->options, entry->line, entry->column);
        MLIA_TRY(mlia_status_path(status, source.path));
    }
    source = config_source(config);
    for (size_t i = 0; config->backend_options != NULL && i < config->backend_options->count; i++) {
        const mlia_toml_member *entry = &config->backend_options->members[i];
        mlia_status *status = check_backend(&source, entry->key, entry->value, entry->line, entry->column);
        MLIA_TRY(mlia_status_path(status, source.path));
    }
    return NULL;
}

static mlia_str setting_text(mlia_arena *arena, const mlia_toml *value)
{
    if (value->type == MLIA_TOML_BOOL)
        return value->as.boolean ? MLIA_STR("true") : MLIA_STR("false");
    if (value->type == MLIA_TOML_INTEGER)
        return mlia_arena_format(arena, "%lld", (long long)value->as.integer);
    return value->as.text;
}

static mlia_status *apply_table(mlia_arena *arena, const settings_source *source, const mlia_backend *backend,
                                const mlia_toml *options, mlia_setting *items)
{
    for (size_t i = 0; i < options->count; i++) {
        const mlia_toml_member *member = &options->members[i];
        mlia_setting *setting = &items[mlia_backend_option_find(backend, member->key)];
        setting->value = setting_text(arena, member->value);
        setting->folder = source->folder;
        setting->origin =
            mlia_arena_format(arena, "%s %.*s:%u", source->word, MLIA_STR_ARG(source->origin), member->line);
        if (setting->value.data == NULL || setting->origin.data == NULL)
            return mlia_error_memory();
    }
    return NULL;
}

static mlia_status *apply_profile(mlia_arena *arena, const mlia_backend *backend, const mlia_profile *profile,
                                  mlia_setting *items)
{
    settings_source source = profile_source(profile);
    for (size_t i = 0; i < profile->backends.count; i++)
        if (mlia_backend_find(profile->backends.items[i].id) == backend)
            MLIA_TRY(apply_table(arena, &source, backend, profile->backends.items[i].options, items));
    return NULL;
}

/* A value of the profile that the user's configuration replaces is worth a note: the profile no longer says
 * it all. */
static void note_replaced(mlia_diagnostics *diagnostics, const mlia_backend *backend,
                          const mlia_user_config *config, const mlia_toml *options, const mlia_setting *items)
{
    for (size_t i = 0; i < options->count; i++) {
        const mlia_toml_member *member = &options->members[i];
        const mlia_setting *setting = &items[mlia_backend_option_find(backend, member->key)];
        if (mlia_str_starts_with(setting->origin, MLIA_STR("profile ")))
            mlia_warn(diagnostics, MLIA_N_CONFIG_OVER_PROFILE,
                      "%s.%.*s: %.*s:%u replaces the profile's '%.*s'", backend->id,
                      MLIA_STR_ARG(member->key), MLIA_STR_ARG(config->path), member->line,
                      MLIA_STR_ARG(setting->value));
    }
}

static mlia_status *apply_config(mlia_arena *arena, const mlia_backend *backend,
                                 const mlia_user_config *config, mlia_diagnostics *diagnostics,
                                 mlia_setting *items)
{
    settings_source source = config_source(config);
    for (size_t i = 0; config->backend_options != NULL && i < config->backend_options->count; i++) {
        const mlia_toml_member *entry = &config->backend_options->members[i];
        if (mlia_backend_find(entry->key) != backend)
            continue;
        note_replaced(diagnostics, backend, config, entry->value, items);
        MLIA_TRY(apply_table(arena, &source, backend, entry->value, items));
    }
    return NULL;
}

mlia_status *mlia_settings_resolve(mlia_arena *arena, const mlia_backend *backend,
                                   const mlia_profile *profile, const mlia_user_config *config,
                                   const mlia_setting_choices *choices, mlia_diagnostics *diagnostics,
                                   mlia_settings *settings)
{
    size_t count = mlia_backend_option_count(backend);
    mlia_setting *items = MLIA_NEW_ARRAY(arena, mlia_setting, count);
    MLIA_TRY_ALLOC(items);
    for (size_t i = 0; i < count; i++)
        items[i] = (mlia_setting){.value = mlia_str_from_c(backend->options[i].fallback),
                                  .origin = MLIA_STR("built-in")};
    MLIA_TRY(apply_profile(arena, backend, profile, items));
    MLIA_TRY(apply_config(arena, backend, config, diagnostics, items));
    for (size_t i = 0; i < choices->count; i++)
        if (choices->items[i].backend == backend)
            items[choices->items[i].option] =
                (mlia_setting){.value = choices->items[i].value, .origin = MLIA_STR("command line")};
    *settings = (mlia_settings){items, choices->overrides, choices->override_count};
    return NULL;
}

static mlia_value *setting_value(mlia_arena *arena, mlia_option_type type, mlia_str text)
{
    int64_t integer;
    if (text.data == NULL)
        return mlia_value_null(arena);
    if (type == MLIA_OPTION_FLAG)
        return mlia_value_bool(arena, mlia_str_equal_c(text, "true"));
    if (type == MLIA_OPTION_INTEGER && mlia_str_to_i64(text, &integer))
        return mlia_value_integer(arena, integer);
    return mlia_value_string(arena, text);
}

mlia_status *mlia_settings_configure(mlia_arena *arena, const mlia_backend *backend,
                                     const mlia_settings *settings, mlia_backend_configuration *configuration)
{
    *configuration = (mlia_backend_configuration){0};
    if (backend->configure != NULL)
        return backend->configure(settings, arena, configuration);
    size_t count = mlia_backend_option_count(backend);
    mlia_value *document = mlia_value_object(arena);
    mlia_configured_value *values = MLIA_NEW_ARRAY(arena, mlia_configured_value, count);
    if (document == NULL || values == NULL)
        return mlia_error_memory();
    for (size_t i = 0; i < count; i++) {
        mlia_str key = mlia_str_from_c(backend->options[i].key);
        mlia_value *value = setting_value(arena, backend->options[i].type, settings->items[i].value);
        values[i] = (mlia_configured_value){key, value, settings->items[i].origin};
        if (!mlia_value_set(arena, document, key, value))
            return mlia_error_memory();
    }
    configuration->document = document;
    configuration->values = values;
    configuration->value_count = count;
    return NULL;
}
