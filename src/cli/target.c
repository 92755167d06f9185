/* `mlia target list`: targets and their profiles. */
#include "cli/commands.h"
#include "core/environment.h"

static const mlia_cli_option options[] = {
    {.name = "json", .help = "print a JSON array"},
    {.name = "output", .letter = 'o', .type = MLIA_CLI_FILE, .argument = "FILE", .help = "write to FILE"},
    {0},
};

/* Ids of the backends that work for a target, joined by `separator`. */
static mlia_str backend_names(mlia_arena *arena, mlia_str target, bool selectable, const char *separator)
{
    mlia_str names = MLIA_STR("");
    for (size_t i = 0; i < mlia_backend_count(); i++) {
        const mlia_backend *backend = mlia_backend_at(i);
        if (backend->selectable != selectable || !mlia_str_equal_c(target, backend->targets))
            continue;
        names = mlia_arena_format(arena, "%.*s%s%s", MLIA_STR_ARG(names), names.size > 0 ? separator : "",
                                  backend->id);
    }
    return names;
}

/* Array of the blank-separated words. */
static mlia_value *word_array(mlia_arena *arena, mlia_str words)
{
    mlia_value *array = mlia_value_array(arena);
    while (array != NULL && words.size > 0)
        if (!mlia_value_add(arena, array, mlia_value_string(arena, mlia_str_take(&words, ' '))))
            return NULL;
    return array;
}

static mlia_status *print_json(mlia_cli *cli, const mlia_profiles *profiles)
{
    mlia_arena *arena = cli->arena;
    mlia_value *list = mlia_value_array(arena);
    for (size_t i = 0; i < profiles->count; i++) {
        const mlia_profile *profile = &profiles->items[i];
        mlia_str backends = backend_names(arena, profile->target->type, true, " ");
        mlia_value *row = mlia_value_object(arena);
        bool done =
            list != NULL && row != NULL && backends.data != NULL &&
            mlia_value_set(arena, row, MLIA_STR("target"), mlia_value_string(arena, profile->target->type)) &&
            mlia_value_set(arena, row, MLIA_STR("profile"), mlia_value_string(arena, profile->name)) &&
            mlia_value_set(arena, row, MLIA_STR("description"),
                           mlia_value_string(arena, profile->description)) &&
            mlia_value_set(arena, row, MLIA_STR("source"), mlia_value_string(arena, profile->source)) &&
            mlia_value_set(arena, row, MLIA_STR("default_backends"),
                           word_array(arena, profile->target->default_backends)) &&
            mlia_value_set(arena, row, MLIA_STR("backends"), word_array(arena, backends)) &&
            mlia_value_add(arena, list, row);
        if (!done)
            return mlia_error_memory();
    }
    mlia_cli_print_value(cli, list);
    return NULL;
}

static mlia_status *print_text(mlia_cli *cli, const mlia_profiles *profiles)
{
    static const char *const headers[] = {"Profile", "Description", "Source"};
    mlia_str *cells = MLIA_NEW_ARRAY(cli->arena, mlia_str, profiles->count * 3);
    MLIA_TRY_ALLOC(cells);
    for (size_t t = 0; t < mlia_target_count(); t++) {
        const mlia_target *target = mlia_target_at(t);
        size_t rows = 0;
        for (size_t i = 0; i < profiles->count; i++) {
            const mlia_profile *profile = &profiles->items[i];
            if (profile->target != target)
                continue;
            cells[rows * 3] = profile->name;
            cells[rows * 3 + 1] = profile->description;
            cells[rows * 3 + 2] = profile->source;
            rows++;
        }
        mlia_str title = mlia_arena_format(cli->arena, "%s%.*s: %.*s", t > 0 ? "\n" : "",
                                           MLIA_STR_ARG(target->type), MLIA_STR_ARG(target->description));
        mlia_str backends = backend_names(cli->arena, target->type, true, ", ");
        if (title.data == NULL || backends.data == NULL)
            return mlia_error_memory();
        mlia_cli_print_table(cli, title.data, 3, headers, cells, rows);
        mlia_cli_print(cli, "Backends: %.*s (default: %.*s)\n", MLIA_STR_ARG(backends),
                       MLIA_STR_ARG(target->default_backends));
    }
    return NULL;
}

static mlia_status *run(mlia_cli *cli)
{
    mlia_profile_folders folders;
    mlia_profiles profiles = {0};
    MLIA_TRY(mlia_environment_profile_folders(cli->arena, &folders));
    MLIA_TRY(mlia_profile_list(cli->arena, folders, &cli->diagnostics, &profiles));
    return mlia_cli_has(cli, "json") ? print_json(cli, &profiles) : print_text(cli, &profiles);
}

const mlia_cli_command mlia_cli_command_target_list = {
    .name = "target list",
    .summary = "List the targets and the profiles that --target-profile takes",
    .options = options,
    .run = run,
};
