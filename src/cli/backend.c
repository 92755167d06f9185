/* `mlia backend list`: the backends, what they accept and which options they have. */
#include "cli/commands.h"

static const mlia_cli_option options[] = {
    {.name = "json", .help = "print a JSON array"},
    {.name = "output", .letter = 'o', .type = MLIA_CLI_FILE, .argument = "FILE", .help = "write to FILE"},
    {0},
};

enum { COLUMNS = 7 };
static const char *const headers[COLUMNS] = {"Name",       "Installed", "Installable", "Selectable",
                                             "Categories", "Accepts",   "Options"};
static const char *const keys[COLUMNS] = {"name",       "installed", "installable", "selectable",
                                          "categories", "accepts",   "options"};

/* Adds a text to an array. */
static bool add_text(mlia_arena *arena, mlia_value *array, mlia_str text)
{
    return mlia_value_add(arena, array, mlia_value_string(arena, text));
}

static mlia_value *category_array(mlia_arena *arena, const mlia_backend *backend)
{
    mlia_value *array = mlia_value_array(arena);
    for (unsigned kind = MLIA_RESULT_COMPATIBILITY; array != NULL && kind <= MLIA_RESULT_PERFORMANCE; kind++)
        if ((backend->categories & MLIA_CATEGORY_BIT(kind)) != 0 &&
            !add_text(arena, array, mlia_str_from_c(mlia_result_kind_name((mlia_result_kind)kind))))
            return NULL;
    return array;
}

static mlia_value *format_array(mlia_arena *arena, const mlia_backend *backend)
{
    mlia_value *array = mlia_value_array(arena);
    for (unsigned format = 0; array != NULL && format < MLIA_FORMAT_COUNT; format++)
        if ((backend->formats & MLIA_FORMAT_BIT(format)) != 0 &&
            !add_text(arena, array, mlia_format_describe((mlia_format)format)->id))
            return NULL;
    return array;
}

static mlia_value *option_array(mlia_arena *arena, const mlia_backend *backend)
{
    mlia_value *array = mlia_value_array(arena);
    for (size_t i = 0; array != NULL && i < mlia_backend_option_count(backend); i++)
        if (!add_text(arena, array, mlia_str_from_c(backend->options[i].key)))
            return NULL;
    return array;
}

/* The values of one row, in the order of the columns. */
static bool make_row(mlia_arena *arena, const mlia_backend *backend, mlia_value *row[COLUMNS])
{
    row[0] = mlia_value_string(arena, mlia_str_from_c(backend->id));
    row[1] = mlia_value_bool(arena, true);
    row[2] = mlia_value_bool(arena, false);
    row[3] = mlia_value_bool(arena, backend->selectable);
    row[4] = category_array(arena, backend);
    row[5] = format_array(arena, backend);
    row[6] = option_array(arena, backend);
    for (size_t i = 0; i < COLUMNS; i++)
        if (row[i] == NULL)
            return false;
    return true;
}

static mlia_str cell_text(mlia_arena *arena, const mlia_value *value)
{
    if (value->type == MLIA_VALUE_BOOL)
        return value->as.boolean ? MLIA_STR("yes") : MLIA_STR("no");
    if (value->type == MLIA_VALUE_STRING)
        return value->as.string;
    mlia_str text = value->count == 0 ? MLIA_STR("-") : MLIA_STR("");
    for (uint32_t i = 0; i < value->count; i++)
        text = mlia_arena_format(arena, "%.*s%s%.*s", MLIA_STR_ARG(text), i > 0 ? " " : "",
                                 MLIA_STR_ARG(value->as.items[i]->as.string));
    return text;
}

static mlia_status *run(mlia_cli *cli)
{
    mlia_arena *arena = cli->arena;
    size_t rows = mlia_backend_count();
    mlia_value *list = mlia_value_array(arena);
    mlia_str *cells = MLIA_NEW_ARRAY(arena, mlia_str, rows * COLUMNS);
    for (size_t i = 0; i < rows; i++) {
        mlia_value *row[COLUMNS];
        mlia_value *object = mlia_value_object(arena);
        bool done = list != NULL && cells != NULL && object != NULL &&
                    make_row(arena, mlia_backend_at(i), row) && mlia_value_add(arena, list, object);
        for (size_t k = 0; done && k < COLUMNS; k++) {
            cells[i * COLUMNS + k] = cell_text(arena, row[k]);
            done = cells[i * COLUMNS + k].data != NULL &&
                   mlia_value_set(arena, object, mlia_str_from_c(keys[k]), row[k]);
        }
        if (!done)
            return mlia_error_memory();
    }
    if (mlia_cli_has(cli, "json"))
        mlia_cli_print_value(cli, list);
    else
        mlia_cli_print_table(cli, "Backends", COLUMNS, headers, cells, rows);
    return NULL;
}

const mlia_cli_command mlia_cli_command_backend_list = {
    .name = "backend list",
    .summary = "List the backends, what they accept and their options",
    .options = options,
    .run = run,
};
