/* `mlia check`: analyse one model. */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/baseline.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/tflite.h"
#include "core/diagnostic.h"
#include "core/environment.h"
#include "core/output.h"
#include "core/run.h"
#include "core/signals.h"
#include "result/document.h"

static const mlia_cli_option options[] = {
    {.name = "target-profile",
     .letter = 't',
     .type = MLIA_CLI_PROFILE,
     .argument = "PROFILE",
     .missing = "check needs '--target-profile'; 'mlia target list' names the profiles",
     .help = "name or file of the target profile"},
    {.name = "backend",
     .letter = 'b',
     .type = MLIA_CLI_BACKEND,
     .argument = "NAME",
     .repeat = true,
     .fallback = "the target's",
     .help = "which backend analyses"},
    {.name = "performance", .help = "estimate performance, or tell the measured one"},
    {.name = "compatibility", .help = "check which operators run where; on when neither is asked for"},
    {.name = "profiling-data",
     .type = MLIA_CLI_FILE,
     .argument = "PATH",
     .repeat = true,
     .help =
         "measured data instead of an estimate: a capture's folder or a dispatch folder in it; with a VGF "
         "of several graph segments once per segment, in order"},
    {.name = "input-shape",
     .type = MLIA_CLI_TEXT,
     .argument = "[NAME=]DxDx…",
     .repeat = true,
     .help = "shape of a model input (by name or position); an unknown first dimension is otherwise 1"},
    MLIA_CLI_TFLITE_OPTIONS,
    {.name = "set",
     .type = MLIA_CLI_TEXT,
     .argument = "SECTION.KEY=VALUE",
     .repeat = true,
     .help = "override one value of the estimator's configuration"},
    {.name = "output-dir",
     .alias = "out-dir",
     .type = MLIA_CLI_FOLDER,
     .argument = "DIR",
     .fallback = "the current folder",
     .help = "where the folder mlia-output is made"},
    {.name = "no-output", .help = "write no files, print only"},
    {.name = "no-graph", .help = "leave the data flow out of the document"},
    {.name = "overwrite", .help = "replace an mlia-output that this program did not make"},
    {.name = "json", .help = "print the document on standard output, same as --format json"},
    MLIA_CLI_REPORT_OPTIONS,
    {.name = "schema",
     .type = MLIA_CLI_CHOICE,
     .argument = "V",
     .choices = "1.2.0",
     .fallback = "1.2.0",
     .help = "schema version to write"},
    {.name = "baseline",
     .type = MLIA_CLI_FILE,
     .argument = "DOC.json",
     .help = "after the run print it beside that document, metric by metric and chain by chain"},
    {.name = "timeout",
     .type = MLIA_CLI_SECONDS,
     .argument = "SECONDS",
     .help = "stop with exit status 1 after that time; files stay as they were"},
    {.name = "noninteractive", .help = "accepted for compatibility; the program never asks questions"},
    {.name = "i-agree-to-the-contained-eula",
     .help = "accepted for compatibility; nothing built in has an EULA"},
    {0},
};

/* --- options that depend on each other --- */

/* Contradictions between options that need nothing but the command line. */
static mlia_status *check_conflicts(const mlia_cli *cli)
{
    bool measured = mlia_cli_has(cli, "profiling-data");
    if (cli->arguments.count == 0 && !measured)
        return mlia_error(MLIA_E_ARGUMENT_MISSING, "check needs a MODEL, or '--profiling-data'");
    if (measured && mlia_cli_has(cli, "compatibility"))
        return mlia_error(MLIA_E_OPTION_CONFLICT,
                          "'--compatibility' and '--profiling-data' exclude each other: measured data holds "
                          "performance only");
    if (!mlia_cli_has(cli, "no-output"))
        return NULL;
    if (mlia_cli_has(cli, "overwrite"))
        return mlia_error(MLIA_E_OPTION_CONFLICT,
                          "'--no-output' and '--overwrite' exclude each other: no folder is written");
    return NULL;
}

/* Opens the output folder, unless --no-output; then no report may want to lie in it. */
static mlia_status *open_folder(mlia_cli *cli, const mlia_user_config *config,
                                const mlia_cli_reports *reports, mlia_cli_folder *folder)
{
    mlia_str path = mlia_cli_value(cli, "output-dir");
    path = path.size > 0 ? path : config->output_dir;
    *folder = (mlia_cli_folder){.prefix = mlia_output_path(cli->arena, path, MLIA_STR_NONE)};
    MLIA_TRY_ALLOC(folder->prefix.data);
    if (!mlia_cli_has(cli, "no-output"))
        return mlia_output_new(cli->arena, path, mlia_cli_has(cli, "overwrite"), &folder->output);
    for (size_t i = 0; i < reports->count; i++)
        if (mlia_str_starts_with(reports->items[i].path, folder->prefix))
            return mlia_error(
                MLIA_E_OPTION_CONFLICT,
                "'--no-output' and '--format %s=%.*s' exclude each other: that folder is not written",
                reports->items[i].format, MLIA_STR_ARG(reports->items[i].path));
    return NULL;
}

/* --- the run --- */

static void set_timeout(const mlia_cli *cli)
{
    double seconds;
    if (!mlia_str_to_double(mlia_cli_value(cli, "timeout"), &seconds))
        return;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_buffer line = {0};
    mlia_status *status = mlia_error(MLIA_E_TIMEOUT, "no answer within %g seconds", seconds);
    mlia_diagnostic diagnostic = mlia_diagnostic_of(status);
    const mlia_value *value =
        cli->json_errors && arena != NULL ? mlia_diagnostic_value(arena, &diagnostic, MLIA_STR_NONE) : NULL;
    if (value != NULL)
        mlia_value_write(value, -1, &line);
    else
        mlia_diagnostic_text(&diagnostic, MLIA_STR_NONE, &line);
    mlia_buffer_add(&line, value != NULL ? "\n" : "", value != NULL ? 2 : 1);
    if (!line.failed)
        mlia_signals_set_timeout(seconds, (const char *)line.data,
                                 mlia_class_exit_status(MLIA_CLASS_TIMEOUT));
    mlia_buffer_free(&line);
    mlia_status_free(status);
    mlia_arena_free(arena);
}

static void echo_log(void *context, const char *line)
{
    mlia_cli_progress(context, line);
}

/* Everything the folder holds besides the side files of the backends, then the folder itself. */
static mlia_status *publish(mlia_cli *cli, const mlia_cli_folder *folder, mlia_log *log,
                            const mlia_document *document)
{
    mlia_output *output = folder->output;
    mlia_buffer text = {0};
    mlia_document_write(document, &text);
    mlia_status *status = mlia_buffer_status(&text);
    if (status == NULL)
        status = mlia_output_add(output, MLIA_STR("mlia-output.json"), (mlia_bytes){text.data, text.size});
    mlia_buffer_free(&text);
    MLIA_TRY(status);
    MLIA_TRY(
        mlia_output_add(output, MLIA_STR("logs/mlia.log"), (mlia_bytes){log->text.data, log->text.size}));
    bool published;
    MLIA_TRY(mlia_output_publish(output, document->run_id, &published));
    if (!published)
        _exit(128 + mlia_signals_pending());
    mlia_warn(&cli->diagnostics, MLIA_N_WRITTEN, "written %.*smlia-output.json",
              MLIA_STR_ARG(folder->prefix));
    return NULL;
}

static bool all_failed(const mlia_document *document)
{
    for (size_t i = 0; i < document->results.count; i++)
        if (document->results.items[i].status != MLIA_RESULT_STATUS_FAILED)
            return false;
    return true;
}

/* Files and standard output. A text report of nothing but failures would only repeat the error. */
static mlia_status *deliver(mlia_cli *cli, const mlia_cli_reports *reports, const mlia_user_config *config,
                            const mlia_cli_folder *folder, mlia_log *log, const mlia_document *document,
                            const mlia_document *baseline)
{
    MLIA_TRY(mlia_cli_write_reports(cli, reports, folder, config, document, all_failed(document)));
    if (baseline != NULL)
        MLIA_TRY(mlia_cli_print_baseline(cli, reports, config, baseline, document));
    return folder->output != NULL ? publish(cli, folder, log, document) : NULL;
}

static mlia_status *run_request(mlia_cli *cli, mlia_check_request *request, const mlia_cli_reports *reports)
{
    mlia_cli_folder folder;
    mlia_log log = {.echo = echo_log, .echo_context = cli};
    mlia_check_outcome outcome;
    mlia_document *baseline = NULL;
    if (mlia_cli_has(cli, "baseline"))
        MLIA_TRY(mlia_cli_read_document(cli, mlia_cli_value(cli, "baseline").data, &baseline));
    MLIA_TRY(open_folder(cli, request->config, reports, &folder));
    request->write_file = folder.output != NULL ? mlia_output_add : NULL;
    request->write_context = folder.output;
    request->log = &log;
    mlia_signals_install();
    set_timeout(cli);
    mlia_status *status = mlia_check_run(request, cli->arena, &cli->diagnostics, &outcome);
    if (outcome.document != NULL) {
        mlia_status *failure =
            deliver(cli, reports, request->config, &folder, &log, outcome.document, baseline);
        if (status == NULL)
            status = failure;
        else
            mlia_status_free(failure);
    }
    mlia_buffer_free(&log.text);
    mlia_file_free(outcome.model.file);
    return status;
}

static mlia_status *run(mlia_cli *cli)
{
    mlia_profile profile;
    mlia_user_config config;
    mlia_setting_choices choices;
    mlia_cli_reports reports;
    mlia_check_request request = {.model_path = cli->arguments.count > 0 ? cli->arguments.items[0] : NULL,
                                  .profile = &profile,
                                  .profile_argument = mlia_cli_value(cli, "target-profile"),
                                  .config = &config,
                                  .choices = &choices,
                                  .data_flow = !mlia_cli_has(cli, "no-graph"),
                                  .command_line = cli->command_line};
    MLIA_TRY(mlia_cli_choose_reports(cli, &reports));
    MLIA_TRY(check_conflicts(cli));
    MLIA_TRY(mlia_cli_input_shapes(cli, &request.shapes, &request.shape_count));
    request.tflite = mlia_cli_tflite_choices(cli);
    MLIA_TRY(mlia_cli_values(cli, "profiling-data", &request.profiling_data));
    MLIA_TRY(mlia_cli_config(cli, &config));
    MLIA_TRY(mlia_cli_settings(cli, &choices));
    MLIA_TRY(mlia_cli_load_profile(cli, request.profile_argument, &profile));
    MLIA_TRY(mlia_cli_choose_backend(cli, &profile, &request.backend));
    MLIA_TRY(mlia_cli_check_unused_options(cli, request.backend));
    MLIA_TRY(mlia_cli_choose_kinds(cli, request.backend, &request));
    return run_request(cli, &request, &reports);
}

const mlia_cli_command mlia_cli_command_check = {
    .name = "check",
    .summary = "Analyse one model: which operators run where, and how long it takes",
    .arguments = "[MODEL]",
    .argument_type = MLIA_CLI_MODEL,
    .argument_limit = 1,
    .argument_extra = "one model per run",
    .options = options,
    .takes_backend_options = true,
    .details = "MODEL is a file, or - for standard input; its content decides the format. It may be absent\n"
               "only with --profiling-data.\n"
               "Exit status: 0 answered, 1 no answer, 2 wrong command line or configuration.",
    .run = run,
};
