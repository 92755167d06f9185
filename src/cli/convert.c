/* `mlia convert`: from one format to another, without analysis. */
#include "cli/commands.h"
#include "cli/tflite.h"
#include "core/model.h"
#include "core/route.h"

static const mlia_cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = MLIA_CLI_FILE,
     .argument = "FILE",
     .missing = "convert needs '--output FILE'",
     .help = "file to write; - is standard output"},
    {.name = "to",
     .type = MLIA_CLI_TARGET_FORMAT,
     .argument = "FORMAT",
     .fallback = "by FILE's name",
     .help = "format to write"},
    {.name = "input-shape",
     .type = MLIA_CLI_TEXT,
     .argument = "[NAME=]DxDx…",
     .repeat = true,
     .help = "shape of a model input (by name or position)"},
    MLIA_CLI_TFLITE_OPTIONS,
    {.name = "require-static-shape",
     .type = MLIA_CLI_FLAG,
     .help = "refuse a model with unknown dimensions that --input-shape does not fix, instead of assuming 1"},
    {.name = "no-debug-info",
     .type = MLIA_CLI_FLAG,
     .help = "leave the names and places of operators out of a VGF"},
    {.name = "type-narrowing",
     .type = MLIA_CLI_CHOICE,
     .argument = "MODE",
     .choices = "none full partial full_preserve_io",
     .fallback = "none",
     .help = "compute a float32 model in float16 in a VGF: everywhere, with float32 accumulators, or with "
             "float32 inputs and outputs"},
    {.name = "disable-replicated-composites",
     .type = MLIA_CLI_FLAG,
     .help = "write constants of equal elements in full in a VGF"},
    {0},
};

/* Options that shape a VGF file. */
static mlia_tosa_to_vgf_options vgf_options(const mlia_cli *cli)
{
    static const struct {
        const char *name;
        mlia_narrowing narrowing;
    } modes[] = {
        {"full", MLIA_NARROWING_FULL},
        {"partial", MLIA_NARROWING_PARTIAL},
        {"full_preserve_io", MLIA_NARROWING_FULL_PRESERVE_IO},
    };
    mlia_tosa_to_vgf_options result = {
        .no_debug_info = mlia_cli_has(cli, "no-debug-info"),
        .no_replicated_composites = mlia_cli_has(cli, "disable-replicated-composites"),
    };
    mlia_str mode = mlia_cli_value(cli, "type-narrowing");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (mlia_str_equal_c(mode, modes[i].name))
            result.narrowing = modes[i].narrowing;
    return result;
}

static mlia_status *choose_format(const mlia_cli *cli, mlia_format *format)
{
    mlia_str name = mlia_cli_value(cli, "to");
    mlia_str path = mlia_cli_value(cli, "output");
    *format = name.size > 0 ? mlia_format_by_id(name) : mlia_format_by_suffix(path, NULL);
    if (*format == MLIA_FORMAT_UNKNOWN)
        return mlia_error(MLIA_E_OPTION_MISSING, "the name '%.*s' tells no format; convert needs '--to'",
                          MLIA_STR_ARG(path));
    return NULL;
}

/* E_NO_ROUTE, with what the model can become. */
static mlia_status *no_route(mlia_format from, mlia_format to)
{
    mlia_buffer list = {0};
    mlia_route route;
    for (unsigned form = 0; form < MLIA_FORMAT_COUNT; form++)
        if (mlia_form_is_target(form) && mlia_route_find(from, form, &route))
            mlia_buffer_format(&list, "%s%.*s", list.size > 0 ? ", " : "",
                               MLIA_STR_ARG(mlia_form_name(form)));
    mlia_status *status =
        mlia_error(MLIA_E_NO_ROUTE, "no way leads from %.*s to %.*s; it can become %.*s",
                   MLIA_STR_ARG(mlia_form_name(from)), MLIA_STR_ARG(mlia_form_name(to)),
                   list.size > 0 ? (int)list.size : 7, list.size > 0 ? (const char *)list.data : "nothing");
    mlia_buffer_free(&list);
    return status;
}

static mlia_status *convert(mlia_cli *cli, const mlia_model_file *model, mlia_format to,
                            mlia_artifact *artifact)
{
    mlia_route reading;
    mlia_route writing;
    mlia_tflite_choices tflite = mlia_cli_tflite_choices(cli);
    mlia_tosa_to_vgf_options vgf = vgf_options(cli);
    mlia_route_context context = {.arena = cli->arena,
                                  .diagnostics = &cli->diagnostics,
                                  .name = model->name,
                                  .path = cli->arguments.items[0],
                                  .tflite = &tflite,
                                  .vgf = &vgf,
                                  .to_tosa = to == MLIA_FORMAT_TOSA || to == MLIA_FORMAT_TOSAMLIR};
    MLIA_TRY(mlia_cli_input_shapes(cli, &context.shapes, &context.shape_count));
    if (!mlia_route_find(model->format, MLIA_FORM_GRAPHS, &reading) ||
        !mlia_route_find(MLIA_FORM_GRAPHS, to, &writing))
        return no_route(model->format, to);
    *artifact = (mlia_artifact){.bytes = mlia_file_bytes(model->file)};
    MLIA_TRY(mlia_route_run(&reading, &context, artifact));
    if (mlia_cli_has(cli, "require-static-shape"))
        MLIA_TRY(mlia_artifact_require_static(&context, artifact));
    else if (context.shape_count > 0 || to == MLIA_FORMAT_VGF) /* a VGF has no unknown dimensions */
        MLIA_TRY(mlia_artifact_resolve(&context, artifact));
    return mlia_route_run(&writing, &context, artifact);
}

static mlia_status *run(mlia_cli *cli)
{
    mlia_format to;
    mlia_model_file model;
    mlia_artifact artifact = {0};
    MLIA_TRY(choose_format(cli, &to));
    mlia_status *status = mlia_model_open(cli->arguments.items[0], cli->arena, &cli->diagnostics, &model);
    if (status == NULL) {
        cli->diagnostics.path = model.path;
        status = mlia_status_path(convert(cli, &model, to, &artifact), model.path);
        cli->diagnostics.path = MLIA_STR_NONE;
    }
    if (status == NULL)
        cli->bulk = artifact.bytes;
    mlia_file_free(model.file);
    return status;
}

const mlia_cli_command mlia_cli_command_convert = {
    .name = "convert",
    .summary = "Convert a model to another format",
    .arguments = "MODEL",
    .argument_type = MLIA_CLI_MODEL,
    .argument_minimum = 1,
    .argument_limit = 1,
    .argument_missing = "convert needs a MODEL",
    .argument_extra = "one model at a time",
    .options = options,
    .run = run,
};
