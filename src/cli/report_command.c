/* `mlia report`: render a stored document again. */
#include "cli/commands.h"
#include "cli/report.h"

static const mlia_cli_option options[] = {
    MLIA_CLI_REPORT_OPTIONS,
    {.name = "output", .letter = 'o', .type = MLIA_CLI_FILE, .argument = "FILE", .help = "write to FILE"},
    {0},
};

static mlia_status *run(mlia_cli *cli)
{
    mlia_cli_reports reports;
    mlia_user_config config;
    mlia_document *document;
    MLIA_TRY(mlia_cli_choose_reports(cli, &reports));
    MLIA_TRY(mlia_cli_config(cli, &config));
    MLIA_TRY(mlia_cli_read_document(cli, cli->arguments.items[0], &document));
    return mlia_cli_write_reports(cli, &reports, &(mlia_cli_folder){0}, &config, document, false);
}

const mlia_cli_command mlia_cli_command_report = {
    .name = "report",
    .summary = "Render a stored document again",
    .arguments = "DOCUMENT",
    .argument_type = MLIA_CLI_FILE,
    .argument_minimum = 1,
    .argument_limit = 1,
    .argument_missing = "report needs a DOCUMENT",
    .argument_extra = "one document per report",
    .options = options,
    .run = run,
};
