/* Help texts, made from the option and command tables. */
#include "cli/cli.h"

enum { OPTION_COLUMN = 2, TEXT_COLUMN = 34 };

/* Prints words from the current column on, wrapped to lines that begin at column `indent`. */
static void print_wrapped(mlia_cli *cli, const char *text, unsigned column, unsigned indent)
{
    unsigned width = mlia_cli_width();
    mlia_str rest = mlia_str_from_c(text);
    bool first = true;
    while (rest.size > 0) {
        mlia_str word = mlia_str_take(&rest, ' ');
        if (!first && column + 1 + word.size > width) {
            mlia_cli_print(cli, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        mlia_cli_print(cli, "%s%.*s", first ? "" : " ", MLIA_STR_ARG(word));
        column += (unsigned)word.size + (first ? 0 : 1);
        first = false;
    }
    mlia_cli_print(cli, "\n");
}

static void print_entry(mlia_cli *cli, mlia_str left, const char *text)
{
    mlia_cli_print(cli, "%*s%.*s", OPTION_COLUMN, "", MLIA_STR_ARG(left));
    unsigned column = OPTION_COLUMN + (unsigned)left.size;
    if (column + 2 > TEXT_COLUMN) {
        mlia_cli_print(cli, "\n");
        column = 0;
    }
    mlia_cli_print(cli, "%*s", (int)(TEXT_COLUMN - column), "");
    print_wrapped(cli, text, TEXT_COLUMN, TEXT_COLUMN);
}

static void print_option(mlia_cli *cli, const mlia_cli_option *option)
{
    char letter[8] = "    ";
    if (option->letter != 0)
        memcpy(letter, (char[]){'-', option->letter, ',', ' '}, 4);
    mlia_str left = mlia_arena_format(
        cli->arena, "%s--%s%s%s%s%s", letter, option->name, option->alias != NULL ? ", --" : "",
        option->alias != NULL ? option->alias : "", option->argument != NULL ? " " : "",
        option->argument != NULL ? option->argument : "");
    mlia_str text = mlia_arena_format(
        cli->arena, "%s%s%s%s%s%s%s%s%s", option->help, option->choices != NULL ? " (one of: " : "",
        option->choices != NULL ? option->choices : "", option->choices != NULL ? ")" : "",
        option->repeat ? "; may be repeated" : "", option->fallback != NULL ? "; default " : "",
        option->fallback != NULL ? option->fallback : "", option->missing != NULL ? "; required" : "", "");
    if (left.data != NULL && text.data != NULL)
        print_entry(cli, left, text.data);
}

static void print_options(mlia_cli *cli, const char *title, size_t first, size_t end)
{
    if (first < end)
        mlia_cli_print(cli, "\n%s:\n", title);
    for (size_t i = first; i < end; i++)
        print_option(cli, &cli->options.items[i]);
}

/* Options in three groups: the command's, its backends', the common ones. */
static void print_all_options(mlia_cli *cli)
{
    size_t common = 0;
    while (mlia_cli_common_options[common].name != NULL)
        common++;
    size_t count = cli->options.count;
    size_t own_end = 0;
    while (own_end < count - common && cli->options.items[own_end].backend == NULL)
        own_end++;
    print_options(cli, "Options", 0, own_end);
    print_options(cli, "Backend options", own_end, count - common);
    print_options(cli, "Common options", count - common, count);
}

static void print_command_list(mlia_cli *cli, mlia_str group)
{
    mlia_cli_print(cli, "\nCommands:\n");
    for (size_t i = 0; mlia_cli_commands[i] != NULL; i++) {
        mlia_str name = mlia_str_from_c(mlia_cli_commands[i]->name);
        bool in_group =
            mlia_str_starts_with(name, group) && name.size > group.size && name.data[group.size] == ' ';
        if (group.size == 0 || in_group)
            print_entry(cli, name, mlia_cli_commands[i]->summary);
    }
}

static void help_of_program(mlia_cli *cli)
{
    mlia_cli_print(cli, "Usage: mlia [OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]\n\n");
    print_wrapped(
        cli,
        "Analyses machine learning models for neural accelerators: which operators run where, and how long "
        "a model takes and why.",
        0, 0);
    print_command_list(cli, MLIA_STR_NONE);
    print_all_options(cli);
    mlia_cli_print(cli, "\n'mlia help COMMAND' explains one command. An analysis:\n\n"
                        "  mlia check model.tosa --target-profile neural-technology --performance\n");
}

/* Each line of `text`, wrapped, behind an empty line. */
static void print_paragraphs(mlia_cli *cli, const char *text)
{
    mlia_str rest = mlia_str_from_c(text);
    mlia_cli_print(cli, "\n");
    while (rest.size > 0) {
        mlia_str line = mlia_arena_str(cli->arena, mlia_str_take(&rest, '\n'));
        if (line.data != NULL)
            print_wrapped(cli, line.data, 0, 0);
    }
}

static void help_of_command(mlia_cli *cli, const mlia_cli_command *command)
{
    mlia_cli_print(cli, "Usage: mlia %s [OPTIONS]%s%s\n\n", command->name,
                   command->arguments != NULL ? " " : "",
                   command->arguments != NULL ? command->arguments : "");
    print_wrapped(cli, command->summary, 0, 0);
    print_all_options(cli);
    if (command->details != NULL)
        print_paragraphs(cli, command->details);
}

void mlia_cli_help(mlia_cli *cli, const mlia_cli_command *command, mlia_str group)
{
    mlia_status_free(mlia_cli_collect_options(cli, command));
    if (command != NULL) {
        help_of_command(cli, command);
    } else if (group.size > 0) {
        mlia_cli_print(cli, "Usage: mlia %.*s COMMAND [OPTIONS] [ARGUMENTS]\n", MLIA_STR_ARG(group));
        print_command_list(cli, group);
    } else {
        help_of_program(cli);
    }
}
