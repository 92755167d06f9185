/* Options of every command, and the values of this run. */
#include <unistd.h>

#include "cli/cli.h"
#include "core/environment.h"

const mlia_cli_option mlia_cli_common_options[] = {
    {.name = "help", .letter = 'h', .help = "print this help"},
    {.name = "debug", .letter = 'd', .help = "debug lines on standard error"},
    {.name = "quiet", .letter = 'q', .help = "no progress and no notes; warnings and errors stay"},
    {.name = "color",
     .type = MLIA_CLI_CHOICE,
     .argument = "WHEN",
     .choices = "auto always never",
     .fallback = "auto",
     .help = "colour of the text report"},
    {.name = "progress",
     .type = MLIA_CLI_CHOICE,
     .argument = "WHEN",
     .choices = "auto always never",
     .fallback = "auto",
     .help = "progress on standard error"},
    {.name = "config",
     .type = MLIA_CLI_FILE,
     .argument = "FILE",
     .may_be_empty = true,
     .fallback = "~/.config/mlia/config.toml",
     .help = "user configuration; '' reads none"},
    {.name = "error-format",
     .type = MLIA_CLI_CHOICE,
     .argument = "F",
     .choices = "text json",
     .fallback = "text",
     .help = "errors and warnings as text, or as one JSON object per line"},
    {0},
};

bool mlia_cli_has(const mlia_cli *cli, const char *name)
{
    for (size_t i = 0; i < cli->uses.count; i++)
        if (strcmp(cli->uses.items[i].option->name, name) == 0)
            return true;
    return false;
}

mlia_str mlia_cli_value(const mlia_cli *cli, const char *name)
{
    for (size_t i = cli->uses.count; i-- > 0;)
        if (strcmp(cli->uses.items[i].option->name, name) == 0)
            return cli->uses.items[i].value;
    return MLIA_STR_NONE;
}

int64_t mlia_cli_number(const mlia_cli *cli, const char *name, int64_t fallback)
{
    int64_t number;
    return mlia_str_to_i64(mlia_cli_value(cli, name), &number) ? number : fallback;
}

mlia_status *mlia_cli_values(const mlia_cli *cli, const char *name, mlia_texts *values)
{
    for (size_t i = 0; i < cli->uses.count; i++)
        if (strcmp(cli->uses.items[i].option->name, name) == 0 &&
            !MLIA_APPEND(cli->arena, *values, cli->uses.items[i].value))
            return mlia_error_memory();
    return NULL;
}

mlia_status *mlia_cli_settings(const mlia_cli *cli, mlia_setting_choices *choices)
{
    MLIA_LIST(mlia_setting_choice) list = {0};
    mlia_texts overrides = {0};
    for (size_t i = 0; i < cli->uses.count; i++) {
        const mlia_cli_use *use = &cli->uses.items[i];
        if (use->option->backend == NULL)
            continue;
        mlia_str value = use->option->type == MLIA_CLI_FLAG ? MLIA_STR("true") : use->value;
        if (!MLIA_APPEND(cli->arena, list,
                         (mlia_setting_choice){use->option->backend, use->option->backend_option, value}))
            return mlia_error_memory();
    }
    MLIA_TRY(mlia_cli_values(cli, "set", &overrides));
    *choices = (mlia_setting_choices){list.items, list.count, overrides.items, overrides.count};
    return NULL;
}

mlia_status *mlia_cli_input_shapes(const mlia_cli *cli, const mlia_input_shape **shapes, size_t *count)
{
    mlia_texts texts = {0};
    MLIA_TRY(mlia_cli_values(cli, "input-shape", &texts));
    mlia_input_shape *list = MLIA_NEW_ARRAY(cli->arena, mlia_input_shape, texts.count);
    MLIA_TRY_ALLOC(list);
    for (size_t i = 0; i < texts.count; i++)
        MLIA_TRY(mlia_input_shape_parse(texts.items[i], &list[i]));
    *shapes = list;
    *count = texts.count;
    return NULL;
}

/* Profile files of that name in the folders, other than the one that was taken. */
static mlia_status *tell_shadowed(mlia_cli *cli, mlia_str name, mlia_profile_folders folders,
                                  const mlia_profile *profile)
{
    for (size_t i = 0; i < folders.count; i++) {
        mlia_str path = mlia_arena_format(cli->arena, "%.*s/%.*s.toml", MLIA_STR_ARG(folders.items[i]),
                                          MLIA_STR_ARG(name));
        MLIA_TRY_ALLOC(path.data);
        if (access(path.data, F_OK) != 0 || mlia_str_equal(path, profile->source))
            continue;
        mlia_str line = mlia_arena_format(cli->arena, "%.*s is shadowed by %.*s", MLIA_STR_ARG(path),
                                          MLIA_STR_ARG(profile->source));
        MLIA_TRY_ALLOC(line.data);
        mlia_cli_progress(cli, line.data);
    }
    return NULL;
}

mlia_status *mlia_cli_load_profile(mlia_cli *cli, mlia_str name, mlia_profile *profile)
{
    mlia_profile_folders folders;
    MLIA_TRY(mlia_environment_profile_folders(cli->arena, &folders));
    MLIA_TRY(mlia_profile_load(cli->arena, name, folders, profile));
    bool is_path = mlia_str_find(name, '/') != SIZE_MAX || mlia_str_ends_with(name, MLIA_STR(".toml"));
    return cli->debug && !is_path ? tell_shadowed(cli, name, folders, profile) : NULL;
}

mlia_status *mlia_cli_config(mlia_cli *cli, mlia_user_config *config)
{
    return mlia_user_config_load(cli->arena, mlia_cli_has(cli, "config"), mlia_cli_value(cli, "config"),
                                 &cli->diagnostics, config);
}
