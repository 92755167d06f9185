/* Private to cli: what the main file calls. */
#ifndef MLIA_CLI_COMMANDS_H
#define MLIA_CLI_COMMANDS_H

#include "cli/cli.h"

#define X(name) extern const mlia_cli_command mlia_cli_command_##name;
#include "cli/commands.def"
#undef X

/* "MLIA 1.2.3"; with --debug the versions of the libraries. */
void mlia_cli_print_version(mlia_cli *cli);

/* `mlia __complete CWORD WORDS…`: candidates for word CWORD of WORDS, one per line. */
mlia_status *mlia_cli_complete(mlia_cli *cli, size_t count, char **words);

#endif
