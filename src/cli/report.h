/* Private to cli: the output formats of `check` and `report`. */
#ifndef MLIA_CLI_REPORT_H
#define MLIA_CLI_REPORT_H

#include "cli/cli.h"
#include "core/output.h"
#include "render/render.h"

#define MLIA_CLI_REPORT_OPTIONS                                                                              \
    {.name = "format",                                                                                       \
     .type = MLIA_CLI_FORMAT,                                                                                \
     .argument = "F[=FILE]",                                                                                 \
     .repeat = true,                                                                                         \
     .fallback = "text",                                                                                     \
     .help = "form of the answer; the one without FILE goes to standard output"},                            \
        {.name = "top",                                                                                      \
         .type = MLIA_CLI_WHOLE,                                                                             \
         .argument = "N",                                                                                    \
         .fallback = "20",                                                                                   \
         .help = "rows in the text tables; 0 = all"},                                                        \
    {                                                                                                        \
        .name = "group-by", .type = MLIA_CLI_CHOICE, .argument = "KIND",                                     \
        .choices = "chain cascade performance_group stripe source_operator nn_module code_stack code_line "  \
                   "delegate_call segment",                                                                  \
        .repeat = true, .fallback = "the target's choice", .help = "kinds of entities that get a table"      \
    }

typedef struct mlia_cli_report {
    const char *format;
    mlia_str path; /* empty or "-": standard output */
} mlia_cli_report;

typedef MLIA_LIST(mlia_cli_report) mlia_cli_reports;

/* The formats asked for by --format and --json; the text report when none is. E_OPTION_CONFLICT for two on
 * standard output. */
mlia_status *mlia_cli_choose_reports(mlia_cli *cli, mlia_cli_reports *reports);

/* True when standard output gets the text report. */
bool mlia_cli_reports_text(const mlia_cli_reports *reports);

/* Reads a result document; it lives in the arena of `cli`. */
mlia_status *mlia_cli_read_document(mlia_cli *cli, const char *path, mlia_document **document);

/* How the text report looks: from the options, the configuration and the terminal. */
mlia_status *mlia_cli_render_options(mlia_cli *cli, const mlia_user_config *config,
                                     mlia_render_options *options);

/* The output folder of a run. Files in it are handed over instead of written: the folder is about to be
 * replaced. */
typedef struct mlia_cli_folder {
    mlia_output *output; /* NULL: none is written */
    mlia_str prefix;     /* "DIR/mlia-output/" */
} mlia_cli_folder;

/* Renders the document in every form. `failed`: nothing was found out, a text report on standard output is
 * left out. */
mlia_status *mlia_cli_write_reports(mlia_cli *cli, const mlia_cli_reports *reports,
                                    const mlia_cli_folder *folder, const mlia_user_config *config,
                                    const mlia_document *document, bool failed);

#endif
