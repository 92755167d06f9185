/* `mlia profile show` and `mlia profile check`: what a profile says, and where every value in force comes
 * from. */
#include "cli/commands.h"
#include "result/document.h"

#define SET_OPTION                                                                                           \
    {                                                                                                        \
        .name = "set", .type = MLIA_CLI_TEXT, .argument = "SECTION.KEY=VALUE", .repeat = true,               \
        .help = "override one value of the estimator's configuration"                                        \
    }

static const mlia_cli_option options[] = {
    SET_OPTION,
    {.name = "json", .help = "print a JSON object"},
    {.name = "output", .letter = 'o', .type = MLIA_CLI_FILE, .argument = "FILE", .help = "write to FILE"},
    {0},
};

/* A backend of the profile's target, configured. */
typedef struct configured_backend {
    const mlia_backend *backend;
    mlia_backend_configuration configuration;
} configured_backend;

typedef MLIA_LIST(configured_backend) configured_backends;

static mlia_status *configure_all(mlia_cli *cli, const mlia_profile *profile, configured_backends *list)
{
    mlia_user_config config;
    mlia_setting_choices choices;
    MLIA_TRY(mlia_cli_config(cli, &config));
    MLIA_TRY(mlia_settings_check(profile, &config));
    MLIA_TRY(mlia_cli_settings(cli, &choices));
    for (size_t i = 0; i < mlia_backend_count(); i++) {
        configured_backend entry = {.backend = mlia_backend_at(i)};
        mlia_settings settings;
        if (!mlia_str_equal_c(profile->target->type, entry.backend->targets) ||
            mlia_backend_option_count(entry.backend) == 0)
            continue;
        MLIA_TRY(mlia_settings_resolve(cli->arena, entry.backend, profile, &config, &choices,
                                       &cli->diagnostics, &settings));
        MLIA_TRY(mlia_settings_configure(cli->arena, entry.backend, &settings, &entry.configuration));
        if (!MLIA_APPEND(cli->arena, *list, entry))
            return mlia_error_memory();
    }
    return NULL;
}

static mlia_value *values_object(mlia_arena *arena, const mlia_backend_configuration *configuration)
{
    mlia_value *object = mlia_value_object(arena);
    for (size_t i = 0; object != NULL && i < configuration->value_count; i++) {
        const mlia_configured_value *entry = &configuration->values[i];
        mlia_value *pair = mlia_value_object(arena);
        bool done =
            pair != NULL &&
            mlia_value_set(arena, pair, MLIA_STR("value"), (mlia_value *)(uintptr_t)entry->value) &&
            mlia_value_set(arena, pair, MLIA_STR("origin"), mlia_value_string(arena, entry->origin)) &&
            mlia_value_set(arena, object, entry->key, pair);
        if (!done)
            return NULL;
    }
    return object;
}

static mlia_status *print_json(mlia_cli *cli, const mlia_profile *profile, const configured_backends *list)
{
    mlia_arena *arena = cli->arena;
    mlia_value *root = mlia_value_object(arena);
    mlia_value *backends = mlia_value_object(arena);
    bool done = root != NULL && backends != NULL &&
                mlia_value_set(arena, root, MLIA_STR("profile"), mlia_value_string(arena, profile->name)) &&
                mlia_value_set(arena, root, MLIA_STR("target_type"),
                               mlia_value_string(arena, profile->target->type)) &&
                mlia_value_set(arena, root, MLIA_STR("backend"), backends);
    for (size_t i = 0; done && i < list->count; i++)
        done = mlia_value_set(arena, backends, mlia_str_from_c(list->items[i].backend->id),
                              values_object(arena, &list->items[i].configuration));
    if (!done)
        return mlia_error_memory();
    mlia_cli_print_value(cli, root);
    return NULL;
}

/* Text of a value: strings without quotes. */
static mlia_str value_text(mlia_arena *arena, const mlia_value *value)
{
    if (value->type == MLIA_VALUE_STRING)
        return value->as.string;
    if (value->type == MLIA_VALUE_NULL)
        return MLIA_STR("-");
    mlia_buffer buffer = {0};
    mlia_value_write(value, -1, &buffer);
    mlia_str text = mlia_arena_str(arena, (mlia_str){(const char *)buffer.data, buffer.size});
    mlia_buffer_free(&buffer);
    return text;
}

static mlia_status *print_values(mlia_cli *cli, const configured_backend *entry)
{
    static const char *const headers[] = {"Key", "Value", "Origin"};
    const mlia_backend_configuration *configuration = &entry->configuration;
    mlia_str *cells = MLIA_NEW_ARRAY(cli->arena, mlia_str, configuration->value_count * 3);
    mlia_str title = mlia_arena_format(cli->arena, "\n%s", entry->backend->id);
    if (cells == NULL || title.data == NULL)
        return mlia_error_memory();
    for (size_t i = 0; i < configuration->value_count; i++) {
        cells[i * 3] = configuration->values[i].key;
        cells[i * 3 + 1] = value_text(cli->arena, configuration->values[i].value);
        cells[i * 3 + 2] = configuration->values[i].origin;
    }
    mlia_cli_print_table(cli, title.data, 3, headers, cells, configuration->value_count);
    return NULL;
}

static void print_components(mlia_cli *cli, const mlia_components *components, int indent)
{
    for (size_t i = 0; i < components->count; i++) {
        const mlia_component *component = &components->items[i];
        const mlia_str parts[] = {component->family, component->model, component->variant, component->name};
        mlia_cli_print(cli, "%*s%s", indent, "", mlia_component_type_name(component->type));
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            if (parts[k].size > 0)
                mlia_cli_print(cli, " %.*s", MLIA_STR_ARG(parts[k]));
        mlia_cli_print(cli, "\n");
        print_components(cli, &component->components, indent + 2);
    }
}

static mlia_status *print_text(mlia_cli *cli, const mlia_profile *profile, const configured_backends *list)
{
    mlia_cli_print(cli, "Profile      %.*s\n", MLIA_STR_ARG(profile->name));
    mlia_cli_print(cli, "Target       %.*s\n", MLIA_STR_ARG(profile->target->type));
    if (profile->description.size > 0)
        mlia_cli_print(cli, "Description  %.*s\n", MLIA_STR_ARG(profile->description));
    mlia_cli_print(cli, "Source       %.*s\nComponents\n", MLIA_STR_ARG(profile->source));
    print_components(cli, &profile->components, 2);
    for (size_t i = 0; i < list->count; i++)
        MLIA_TRY(print_values(cli, &list->items[i]));
    return NULL;
}

static mlia_status *show(mlia_cli *cli)
{
    mlia_profile profile;
    configured_backends list = {0};
    MLIA_TRY(mlia_cli_load_profile(cli, mlia_str_from_c(cli->arguments.items[0]), &profile));
    MLIA_TRY(configure_all(cli, &profile, &list));
    return mlia_cli_has(cli, "json") ? print_json(cli, &profile, &list) : print_text(cli, &profile, &list);
}

/* A file that `profile show` could show is good. */
static mlia_status *check(mlia_cli *cli)
{
    mlia_profile profile;
    configured_backends list = {0};
    mlia_str name = mlia_str_from_c(cli->arguments.items[0]);
    if (mlia_str_find(name, '/') == SIZE_MAX) { /* always a file, never a built-in name */
        mlia_str path = mlia_arena_format(cli->arena, "./%.*s", MLIA_STR_ARG(name));
        MLIA_TRY_ALLOC(path.data);
        cli->arguments.items[0] = path.data;
    }
    MLIA_TRY(mlia_cli_load_profile(cli, mlia_str_from_c(cli->arguments.items[0]), &profile));
    MLIA_TRY(configure_all(cli, &profile, &list));
    if (mlia_cli_has(cli, "json"))
        return print_json(cli, &profile, &list);
    mlia_cli_print(cli, "%.*s: profile '%.*s' of target %.*s is good\n", MLIA_STR_ARG(name),
                   MLIA_STR_ARG(profile.name), MLIA_STR_ARG(profile.target->type));
    return NULL;
}

const mlia_cli_command mlia_cli_command_profile_show = {
    .name = "profile show",
    .summary = "Print a profile with every value in force and where it comes from",
    .arguments = "PROFILE",
    .argument_type = MLIA_CLI_PROFILE,
    .argument_minimum = 1,
    .argument_limit = 1,
    .argument_missing = "profile show needs a PROFILE; 'mlia target list' names the profiles",
    .argument_extra = "one profile at a time",
    .options = options,
    .takes_backend_options = true,
    .run = show,
};

const mlia_cli_command mlia_cli_command_profile_check = {
    .name = "profile check",
    .summary = "Check a profile file and the configuration it names",
    .arguments = "FILE",
    .argument_type = MLIA_CLI_FILE,
    .argument_minimum = 1,
    .argument_limit = 1,
    .argument_missing = "profile check needs a FILE",
    .argument_extra = "one file at a time",
    .options = options,
    .takes_backend_options = true,
    .run = check,
};
