/* `mlia help [COMMAND]` and `mlia --version`. */
#include <jansson.h>
#include <nettle/version.h>

#include "cli/commands.h"

void mlia_cli_print_version(mlia_cli *cli)
{
    mlia_cli_print(cli, "MLIA " MLIA_VERSION "\n");
    if (cli->debug) {
        mlia_cli_print(cli, "jansson %s\n", jansson_version_str());
        mlia_cli_print(cli, "nettle %d.%d\n", NETTLE_VERSION_MAJOR, NETTLE_VERSION_MINOR);
    }
}

static mlia_status *run(mlia_cli *cli)
{
    mlia_str name = MLIA_STR_NONE;
    for (size_t i = 0; i < cli->arguments.count; i++) {
        name = mlia_arena_format(cli->arena, "%.*s%s%s", MLIA_STR_ARG(name), i > 0 ? " " : "",
                                 cli->arguments.items[i]);
        MLIA_TRY_ALLOC(name.data);
    }
    const mlia_cli_command *command = mlia_cli_find_command(name);
    if (command == NULL && name.size > 0 && !mlia_cli_is_group(name))
        return mlia_error(MLIA_E_COMMAND, "unknown command '%.*s'; 'mlia help' lists the commands",
                          MLIA_STR_ARG(name));
    mlia_cli_help(cli, command, name);
    return NULL;
}

const mlia_cli_command mlia_cli_command_help = {
    .name = "help",
    .summary = "Explain a command, as COMMAND --help does",
    .arguments = "[COMMAND]",
    .argument_type = MLIA_CLI_COMMAND,
    .argument_limit = 2,
    .run = run,
};
