/* `mlia convert`: from one format to another, without analysis. */
#include <errno.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/tflite.h"
#include "core/model.h"
#include "core/route.h"

#define BESPOKE_DOMAIN "com.arm.bespoke"

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
    {.name = "keep-unknown-dimensions",
     .type = MLIA_CLI_FLAG,
     .help = "leave unknown dimensions as they are; what runs the result must know them"},
    {.name = "no-debug-info", .type = MLIA_CLI_FLAG, .help = "leave out the names and places of operators"},
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
    {.name = "custom-op-domain-to-opcode",
     .type = MLIA_CLI_TEXT,
     .argument = "DOMAIN:N",
     .repeat = true,
     .help = "opcode that custom operators of a domain have in a VGF"},
    {.name = "enable-bespoke",
     .type = MLIA_CLI_FLAG,
     .help = "give custom operators of the domain " BESPOKE_DOMAIN " the opcode 0 in a VGF"},
    {0},
};

/* Options of model-converter and tosa-converter-for-tflite. */
static const mlia_cli_foreign foreign_options[] = {
    {"i", "the model is given without an option"},
    {"input", "the model is given without an option"},
    {"tosa-output-path", "use '--output FILE'"},
    {"tosa-flatbuffer", "use '--to tosa'"},
    {"tosa-flatbuffer-schema", "the schema is built in"},
    {"text", "use '--to tosamlir'"},
    {"bytecode", "TOSA MLIR is written as text only, '--to tosamlir'"},
    {"dump-mlir", "'--to tosamlir' writes the graph as MLIR"},
    {"emit-debug-info", "debug information is written unless '--no-debug-info' is given"},
    {"experimental-analysis", "use 'mlia check --compatibility'"},
    {"verbose", "use '--debug'"},
    {"measure-time", "there is no replacement"},
    {0},
};

/* "DOMAIN:N", split at the last colon; N as in C. */
static mlia_status *parse_domain(mlia_str text, mlia_spirv_domain *domain)
{
    size_t colon = mlia_str_find_last(text, ':');
    char *end = NULL;
    domain->name = mlia_str_slice(text, 0, colon == SIZE_MAX ? 0 : colon);
    errno = 0;
    const char *number =
        text.data + (colon == SIZE_MAX ? 0 : colon + 1); /* a word of the command line: ends with NUL */
    long opcode = strtol(number, &end, 0);
    bool is_number = (*number == '-' || (*number >= '0' && *number <= '9')) && *end == '\0' && errno == 0;
    if (domain->name.size == 0 || !is_number || opcode < INT32_MIN || opcode > INT32_MAX)
        return mlia_error(
            MLIA_E_OPTION_VALUE,
            "option '--custom-op-domain-to-opcode': '%.*s' is no DOMAIN:N with a 32-bit number N",
            MLIA_STR_ARG(text));
    if (mlia_str_equal_c(domain->name, BESPOKE_DOMAIN))
        return mlia_error(MLIA_E_OPTION_CONFLICT,
                          "the domain " BESPOKE_DOMAIN " has the opcode 0; use '--enable-bespoke'");
    domain->opcode = (int32_t)opcode;
    return NULL;
}

static mlia_status *choose_domains(const mlia_cli *cli, mlia_tosa_to_vgf_options *result)
{
    mlia_texts texts = {0};
    MLIA_TRY(mlia_cli_values(cli, "custom-op-domain-to-opcode", &texts));
    mlia_spirv_domain *domains = MLIA_NEW_ARRAY(cli->arena, mlia_spirv_domain, texts.count + 1);
    MLIA_TRY_ALLOC(domains);
    for (size_t i = 0; i < texts.count; i++)
        MLIA_TRY(parse_domain(texts.items[i], &domains[i]));
    result->domains = domains;
    result->domain_count = (uint32_t)texts.count;
    if (mlia_cli_has(cli, "enable-bespoke"))
        domains[result->domain_count++] = (mlia_spirv_domain){MLIA_STR(BESPOKE_DOMAIN), 0};
    return NULL;
}

/* Options that shape a VGF file. */
static mlia_status *choose_vgf_options(const mlia_cli *cli, mlia_tosa_to_vgf_options *result)
{
    static const struct {
        const char *name;
        mlia_narrowing narrowing;
    } modes[] = {
        {"full", MLIA_NARROWING_FULL},
        {"partial", MLIA_NARROWING_PARTIAL},
        {"full_preserve_io", MLIA_NARROWING_FULL_PRESERVE_IO},
    };
    *result = (mlia_tosa_to_vgf_options){
        .no_debug_info = mlia_cli_has(cli, "no-debug-info"),
        .no_replicated_composites = mlia_cli_has(cli, "disable-replicated-composites"),
    };
    mlia_str mode = mlia_cli_value(cli, "type-narrowing");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (mlia_str_equal_c(mode, modes[i].name))
            result->narrowing = modes[i].narrowing;
    return choose_domains(cli, result);
}

static mlia_status *choose_format(const mlia_cli *cli, mlia_format *format)
{
    mlia_str name = mlia_cli_value(cli, "to");
    mlia_str path = mlia_cli_value(cli, "output");
    *format = name.size > 0 ? mlia_format_by_id(name) : mlia_format_by_suffix(path, NULL);
    if (*format == MLIA_FORMAT_UNKNOWN)
        return mlia_error(MLIA_E_OPTION_MISSING, "the name '%.*s' tells no format; convert needs '--to'",
                          MLIA_STR_ARG(path));
    if (name.size == 0 && mlia_str_ends_with(path, MLIA_STR(".mlirbc")))
        return mlia_error(
            MLIA_E_OPTION_VALUE,
            "'%.*s' names MLIR bytecode, which is read only; TOSA MLIR is written as text: '--to tosamlir'",
            MLIA_STR_ARG(path));
    return NULL;
}

/* What the command line asks for. */
typedef struct conversion {
    mlia_format to;
    mlia_tflite_choices tflite;
    mlia_tosa_to_vgf_options vgf;
    const mlia_input_shape *shapes;
    size_t shape_count;
} conversion;

static mlia_status *read_request(const mlia_cli *cli, conversion *wish)
{
    static const char *const only_vgf[] = {"type-narrowing", "disable-replicated-composites",
                                           "custom-op-domain-to-opcode", "enable-bespoke"};
    static const char *const fixing[] = {"input-shape", "require-static-shape"};
    MLIA_TRY(choose_format(cli, &wish->to));
    for (size_t i = 0; i < sizeof only_vgf / sizeof *only_vgf; i++)
        if (wish->to != MLIA_FORMAT_VGF && mlia_cli_has(cli, only_vgf[i]))
            return mlia_error(MLIA_E_OPTION_UNUSED, "'--%s' has no effect: the run writes %s, no VGF",
                              only_vgf[i], mlia_format_describe(wish->to)->title.data);
    for (size_t i = 0; i < sizeof fixing / sizeof *fixing; i++)
        if (mlia_cli_has(cli, "keep-unknown-dimensions") && mlia_cli_has(cli, fixing[i]))
            return mlia_error(MLIA_E_OPTION_CONFLICT,
                              "'--keep-unknown-dimensions' and '--%s' exclude each other", fixing[i]);
    wish->tflite = mlia_cli_tflite_choices(cli);
    MLIA_TRY(choose_vgf_options(cli, &wish->vgf));
    return mlia_cli_input_shapes(cli, &wish->shapes, &wish->shape_count);
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

/* Names and places of operators go where the form holds them beside the graph. */
static void drop_sources(const mlia_artifact *artifact)
{
    for (uint32_t i = 0; i < artifact->segment_count; i++) {
        mlia_graph *graph = artifact->segments[i].graph;
        for (uint32_t k = 0; graph != NULL && k < graph->operator_count; k++)
            graph->operators[k].source = MLIA_NONE;
    }
}

static mlia_status *convert(const mlia_cli *cli, const conversion *wish, mlia_route_context *context,
                            mlia_format from, mlia_artifact *artifact)
{
    mlia_route reading;
    mlia_route writing;
    if (!mlia_route_find(from, MLIA_FORM_GRAPHS, &reading) ||
        !mlia_route_find(MLIA_FORM_GRAPHS, wish->to, &writing))
        return no_route(from, wish->to);
    MLIA_TRY(mlia_route_run(&reading, context, artifact));
    if (!mlia_cli_has(cli, "keep-unknown-dimensions"))
        MLIA_TRY(mlia_artifact_fix_shapes(context, !mlia_cli_has(cli, "require-static-shape"), artifact));
    MLIA_TRY(mlia_artifact_check_shapes(artifact));
    if (wish->vgf.no_debug_info)
        drop_sources(artifact);
    context->last = true;
    return mlia_route_run(&writing, context, artifact);
}

static mlia_status *run(mlia_cli *cli)
{
    conversion wish = {0};
    mlia_model_file model;
    MLIA_TRY(read_request(cli, &wish));
    mlia_status *status = mlia_model_open(cli->arguments.items[0], cli->arena, &cli->diagnostics, &model);
    if (status == NULL) {
        mlia_artifact artifact = {.bytes = mlia_file_bytes(model.file)};
        mlia_route_context context = {.arena = cli->arena,
                                      .diagnostics = &cli->diagnostics,
                                      .name = model.name,
                                      .file = model.file,
                                      .shapes = wish.shapes,
                                      .shape_count = wish.shape_count,
                                      .path = cli->arguments.items[0],
                                      .tflite = &wish.tflite,
                                      .to_tosa = wish.to != MLIA_FORMAT_VGF,
                                      .vgf = &wish.vgf};
        cli->diagnostics.path = model.path;
        status = mlia_status_path(convert(cli, &wish, &context, model.format, &artifact), model.path);
        cli->diagnostics.path = MLIA_STR_NONE;
        cli->bulk = status == NULL ? artifact.pieces : (mlia_pieces){0};
    }
    cli->model = model.file;
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
    .foreign = foreign_options,
    .run = run,
};
