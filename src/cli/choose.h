/* Private to cli: choices of `check` that depend on the target, the backend and each other. */
#ifndef MLIA_CLI_CHOOSE_H
#define MLIA_CLI_CHOOSE_H

#include "cli/cli.h"
#include "core/run.h"

/* The analysing backend: the one that is named, or the target's. E_BACKEND_UNKNOWN, E_BACKEND_NOT_SELECTABLE,
 * E_BACKEND_TARGET, E_BACKEND_COUNT; E_OPTION_* when it does not go with --profiling-data. */
mlia_status *mlia_cli_choose_backend(mlia_cli *cli, const mlia_profile *profile,
                                     const mlia_backend **backend);

/* E_OPTION_UNUSED for an option of a backend that has no part in the run: it would be lost silently. */
mlia_status *mlia_cli_check_unused_options(const mlia_cli *cli, const mlia_backend *backend);

/* Fills request->kinds from --performance and --compatibility. E_CATEGORY when the backend offers no such
 * result. */
mlia_status *mlia_cli_choose_kinds(const mlia_cli *cli, const mlia_backend *backend,
                                   mlia_check_request *request);

#endif
