/* Private to cli: `check --baseline`. */
#ifndef MLIA_CLI_BASELINE_H
#define MLIA_CLI_BASELINE_H

#include "cli/report.h"

/* Prints both documents side by side: behind the text report, or, when standard output holds another form, on
 * standard error. E_DOCUMENT when `baseline` (read from the path that --baseline gives) has no performance.
 */
mlia_status *mlia_cli_print_baseline(mlia_cli *cli, const mlia_cli_reports *reports,
                                     const mlia_user_config *config, const mlia_document *baseline,
                                     const mlia_document *document);

#endif
