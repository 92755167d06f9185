/* `mlia validate`: check result documents and captures. */
#include "base/file.h"
#include "cli/commands.h"
#include "measure/measure.h"
#include "result/document.h"

static const mlia_cli_option options[] = {
    {.name = "strict",
     .help = "also the promises that this program makes about its own documents; captures: also every binary "
             "file"},
    {.name = "json", .help = "print a JSON array"},
    {.name = "output", .letter = 'o', .type = MLIA_CLI_FILE, .argument = "FILE", .help = "write to FILE"},
    {0},
};

enum { MAX_DOCUMENT = 1 << 30 };

static mlia_status *add_fault(mlia_cli *cli, mlia_value *list, const char *path, const mlia_fault *fault)
{
    mlia_arena *arena = cli->arena;
    mlia_value *row = mlia_value_object(arena);
    bool done =
        row != NULL &&
        mlia_value_set(arena, row, MLIA_STR("file"), mlia_value_string(arena, mlia_str_from_c(path))) &&
        mlia_value_set(arena, row, MLIA_STR("rule"),
                       mlia_value_string(arena, mlia_str_from_c(fault->rule))) &&
        mlia_value_set(arena, row, MLIA_STR("path"), mlia_value_string(arena, fault->path)) &&
        mlia_value_set(arena, row, MLIA_STR("text"), mlia_value_string(arena, fault->text)) &&
        mlia_value_add(arena, list, row);
    return done ? NULL : mlia_error_memory();
}

static mlia_status *print_fault(mlia_cli *cli, mlia_value *list, const char *path, const mlia_fault *fault)
{
    if (!mlia_cli_has(cli, "json"))
        mlia_cli_print(cli, "%s: %s: %.*s: %.*s\n", path, fault->rule, MLIA_STR_ARG(fault->path),
                       MLIA_STR_ARG(fault->text));
    return add_fault(cli, list, path, fault);
}

static mlia_status *validate_file(mlia_cli *cli, const char *path, mlia_value *list)
{
    mlia_file *file;
    mlia_faults faults = {.arena = cli->arena};
    MLIA_TRY(mlia_file_read(path, MAX_DOCUMENT, &file));
    mlia_bytes bytes = mlia_file_bytes(file);
    cli->diagnostics.path = mlia_str_from_c(path);
    mlia_status *status =
        mlia_document_validate((mlia_str){(const char *)bytes.data, bytes.size}, mlia_cli_has(cli, "strict"),
                               cli->arena, &cli->diagnostics, &faults);
    cli->diagnostics.path = MLIA_STR_NONE;
    mlia_file_free(file);
    MLIA_TRY(status);
    for (size_t i = 0; i < faults.count; i++)
        MLIA_TRY(print_fault(cli, list, path, &faults.items[i]));
    if (faults.total > faults.count && !mlia_cli_has(cli, "json"))
        mlia_cli_print(cli, "%s: and %zu more\n", path, faults.total - faults.count);
    if (faults.total > 0)
        cli->exit_status = 1;
    return NULL;
}

static mlia_status *check_capture(const char *path, bool strict, mlia_arena *arena)
{
    mlia_capture_location location;
    mlia_capture *capture;
    MLIA_TRY(mlia_capture_locate(path, arena, &location));
    MLIA_TRY(mlia_capture_open(&location, &capture));
    mlia_status *status = strict ? mlia_measure_check(capture) : NULL;
    mlia_capture_free(capture);
    return status;
}

/* A capture's first violation decides: what stands behind it cannot be trusted. */
static mlia_status *validate_capture(mlia_cli *cli, const char *path, mlia_value *list)
{
    mlia_status *status = check_capture(path, mlia_cli_has(cli, "strict"), cli->arena);
    if (status == NULL)
        return NULL;
    mlia_class class = mlia_kind_class(mlia_status_kind(status));
    if (class != MLIA_CLASS_CONFIG && class != MLIA_CLASS_INPUT)
        return status;
    mlia_fault fault = {mlia_kind_name(mlia_status_kind(status)),
                        mlia_arena_str(cli->arena, mlia_status_member(status)),
                        mlia_arena_str(cli->arena, mlia_status_message(status))};
    mlia_str file = mlia_arena_str(cli->arena, mlia_status_path_text(status));
    mlia_status_free(status);
    cli->exit_status = 1;
    if (file.data == NULL || fault.path.data == NULL || fault.text.data == NULL)
        return mlia_error_memory();
    return print_fault(cli, list, file.data, &fault);
}

static mlia_status *run(mlia_cli *cli)
{
    mlia_value *list = mlia_value_array(cli->arena);
    MLIA_TRY_ALLOC(list);
    for (size_t i = 0; i < cli->arguments.count; i++) {
        const char *path = cli->arguments.items[i];
        mlia_status *status =
            mlia_capture_is_folder(path) ? validate_capture(cli, path, list) : validate_file(cli, path, list);
        if (status == NULL)
            continue;
        /* one bad file does not hide what is wrong with the others */
        mlia_cli_report_error(cli, status);
        mlia_status_free(status);
        cli->exit_status = 1;
    }
    if (mlia_cli_has(cli, "json"))
        mlia_cli_print_value(cli, list);
    return NULL;
}

const mlia_cli_command mlia_cli_command_validate = {
    .name = "validate",
    .summary = "Check result documents, and captures, against their schema and rules",
    .arguments = "DOCUMENT…",
    .argument_type = MLIA_CLI_FILE,
    .argument_minimum = 1,
    .argument_limit = SIZE_MAX,
    .argument_missing = "validate needs at least one DOCUMENT",
    .options = options,
    .details = "DOCUMENT is a file, or the folder of a capture.\n"
               "Prints one line for each fault, FILE: RULE: JSON-PATH: text.\n"
               "Exit status: 0 all are valid, 1 not.",
    .run = run,
};
