/* `mlia inspect`: what is inside a model file or a capture. */
#include "core/inspect.h"
#include "cli/commands.h"
#include "core/inspect_capture.h"
#include "result/document.h"

static const mlia_cli_option options[] = {
    {.name = "operators", .help = "list every operator"},
    {.name = "tensors", .help = "list every tensor"},
    {.name = "constants", .help = "list every constant"},
    {.name = "spirv", .help = "print the SPIR-V modules as text, as spirv-dis --raw-id does"},
    {.name = "depth",
     .type = MLIA_CLI_WHOLE,
     .argument = "N",
     .fallback = "all",
     .help = "levels of the description to print"},
    {.name = "json", .help = "print a JSON object"},
    {.name = "output", .letter = 'o', .type = MLIA_CLI_FILE, .argument = "FILE", .help = "write to FILE"},
    {0},
};

static bool is_scalar(const mlia_value *value)
{
    return value->type != MLIA_VALUE_ARRAY && value->type != MLIA_VALUE_OBJECT;
}

/* True for values that fit on a line: scalars, and lists of scalars. */
static bool is_short(const mlia_value *value)
{
    if (value->type == MLIA_VALUE_OBJECT)
        return false;
    for (uint32_t i = 0; value->type == MLIA_VALUE_ARRAY && i < value->count; i++)
        if (!is_scalar(value->as.items[i]))
            return false;
    return true;
}

/* Texts of the file must not send escape sequences to the terminal. */
static void print_text(mlia_cli *cli, mlia_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte < 0x20 || byte == 0x7F)
            mlia_cli_print(cli, "\\x%02x", byte);
        else
            mlia_buffer_add_byte(&cli->output, byte);
    }
}

static void print_short(mlia_cli *cli, const mlia_value *value)
{
    if (value->type == MLIA_VALUE_STRING) {
        print_text(cli, value->as.string);
    } else if (value->type == MLIA_VALUE_ARRAY) {
        mlia_cli_print(cli, "[");
        for (uint32_t i = 0; i < value->count; i++) {
            mlia_cli_print(cli, "%s", i > 0 ? ", " : "");
            print_short(cli, value->as.items[i]);
        }
        mlia_cli_print(cli, "]");
    } else if (value->type == MLIA_VALUE_NULL) {
        mlia_cli_print(cli, "?");
    } else {
        mlia_value_write(value, -1, &cli->output);
    }
}

static bool all_short(const mlia_value *object)
{
    for (uint32_t i = 0; i < object->count; i++)
        if (!is_short(object->as.members[i].value))
            return false;
    return true;
}

static void print_members(mlia_cli *cli, const mlia_value *object, int indent, int64_t depth);

/* An item of a list: on one line when it can be. */
static void print_item(mlia_cli *cli, const mlia_value *item, int indent, int64_t depth)
{
    mlia_cli_print(cli, "%*s- ", indent, "");
    if (is_short(item)) {
        print_short(cli, item);
    } else if (item->type == MLIA_VALUE_OBJECT && all_short(item)) {
        for (uint32_t i = 0; i < item->count; i++) {
            mlia_cli_print(cli, "%s%.*s=", i > 0 ? "  " : "", MLIA_STR_ARG(item->as.members[i].name));
            print_short(cli, item->as.members[i].value);
        }
    } else if (item->type == MLIA_VALUE_OBJECT) {
        mlia_cli_print(cli, "\n");
        print_members(cli, item, indent + 2, depth - 1);
        return;
    }
    mlia_cli_print(cli, "\n");
}

/* Recursion as deep as the description, which has a fixed number of levels. */
static void print_members(mlia_cli *cli, const mlia_value *object, int indent, int64_t depth)
{
    for (uint32_t i = 0; i < object->count; i++) {
        const mlia_value *value = object->as.members[i].value;
        mlia_cli_print(cli, "%*s%.*s:", indent, "", MLIA_STR_ARG(object->as.members[i].name));
        if (is_short(value)) {
            mlia_cli_print(cli, " ");
            print_short(cli, value);
            mlia_cli_print(cli, "\n");
        } else if (depth <= 1) {
            mlia_cli_print(cli, " %u\n", value->count);
        } else {
            mlia_cli_print(cli, "\n");
            if (value->type == MLIA_VALUE_OBJECT)
                print_members(cli, value, indent + 2, depth - 1);
            for (uint32_t k = 0; value->type == MLIA_VALUE_ARRAY && k < value->count; k++)
                print_item(cli, value->as.items[k], indent + 2, depth - 1);
        }
    }
}

/* Describes the model file `path`, which stays open in `model`. */
static mlia_status *inspect_model(mlia_cli *cli, const char *path, mlia_model_file *model, mlia_value **value)
{
    mlia_inspect_options what = {mlia_cli_has(cli, "operators"), mlia_cli_has(cli, "tensors"),
                                 mlia_cli_has(cli, "constants")};
    MLIA_TRY(mlia_model_open(path, cli->arena, &cli->diagnostics, model));
    cli->diagnostics.path = model->path;
    mlia_status *status =
        mlia_status_path(mlia_inspect(model, &what, cli->arena, &cli->diagnostics, value), model->path);
    cli->diagnostics.path = MLIA_STR_NONE;
    return status;
}

/* --spirv: the modules as text instead of a description. */
static mlia_status *print_spirv(mlia_cli *cli, const char *path)
{
    mlia_model_file model = {0};
    mlia_status *status = mlia_model_open(path, cli->arena, &cli->diagnostics, &model);
    if (status == NULL)
        status = mlia_status_path(mlia_inspect_spirv(&model, cli->arena, &cli->diagnostics, &cli->output),
                                  model.path);
    mlia_file_free(model.file);
    return status;
}

static mlia_status *run(mlia_cli *cli)
{
    enum { ALL_LEVELS = 1000 };
    const char *path = cli->arguments.items[0];
    mlia_model_file model = {0};
    mlia_value *value;
    if (mlia_cli_has(cli, "spirv"))
        return print_spirv(cli, path);
    mlia_status *status = mlia_capture_is_folder(path) ? mlia_inspect_capture(path, cli->arena, &value)
                                                       : inspect_model(cli, path, &model, &value);
    if (status == NULL && mlia_cli_has(cli, "json"))
        mlia_cli_print_value(cli, value);
    else if (status == NULL)
        print_members(cli, value, 0, mlia_cli_number(cli, "depth", ALL_LEVELS));
    mlia_file_free(model.file);
    return status;
}

const mlia_cli_command mlia_cli_command_inspect = {
    .name = "inspect",
    .summary = "Show what is inside a model file or a capture",
    .arguments = "FILE",
    .argument_type = MLIA_CLI_MODEL,
    .argument_minimum = 1,
    .argument_limit = 1,
    .argument_missing = "inspect needs a FILE",
    .argument_extra = "one file at a time",
    .options = options,
    .run = run,
};
