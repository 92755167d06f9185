/* One run of the program: parse, run the command, report, exit status. */
#include "cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "core/environment.h"
#include "core/signals.h"

const mlia_cli_command *const mlia_cli_commands[] = {
#define X(name) &mlia_cli_command_##name,
#include "cli/commands.def"
#undef X
    NULL,
};

/* Names under which older scripts call parts of the program. */
static const struct {
    const char *program;
    char *command;
} old_names[] = {
    {"mlia-backend", (char[]){"backend"}},
    {"mlia-target", (char[]){"target"}},
};

/* Files that we open must not become standard output: closed standard streams are opened on /dev/null, for
 * reading. */
static void fill_standard_streams(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDONLY);
}

/* --error-format must be known before parsing fails. */
static bool wants_json_errors(int argc, char **argv)
{
    bool json = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--error-format") == 0 && i + 1 < argc)
            json = strcmp(argv[i + 1], "json") == 0;
        else if (strncmp(argv[i], "--error-format=", 15) == 0)
            json = strcmp(argv[i] + 15, "json") == 0;
    }
    return json;
}

static mlia_status *keep_command_line(mlia_cli *cli, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        mlia_str word = mlia_str_from_c(argv[i]);
        if (!MLIA_APPEND(cli->arena, cli->command_line, i == 0 ? mlia_str_base_name(word) : word))
            return mlia_error_memory();
    }
    return NULL;
}

/* Words behind the program's name, with the command put first for an old name. */
static mlia_status *collect_words(mlia_cli *cli, int argc, char **argv, size_t *count, char ***words)
{
    *count = 0;
    *words = MLIA_NEW_ARRAY(cli->arena, char *, (size_t)argc + 2);
    MLIA_TRY_ALLOC(*words);
    for (size_t i = 0; argc > 0 && i < sizeof old_names / sizeof *old_names; i++) {
        if (!mlia_str_equal_c(mlia_str_base_name(mlia_str_from_c(argv[0])), old_names[i].program))
            continue;
        mlia_warn(&cli->diagnostics, MLIA_W_DEPRECATED, "the name '%s' is deprecated; use 'mlia %s'",
                  old_names[i].program, old_names[i].command);
        (*words)[(*count)++] = old_names[i].command;
    }
    for (int i = 1; i < argc; i++)
        (*words)[(*count)++] = argv[i];
    return NULL;
}

/* A file that the command reads is not lost to what it writes. */
static mlia_status *protect_arguments(const mlia_cli *cli)
{
    mlia_str output = mlia_cli_value(cli, "output");
    for (size_t i = 0; i < cli->arguments.count && output.size > 0; i++)
        if (mlia_file_is_same(output.data, cli->arguments.items[i]))
            return mlia_error(MLIA_E_OPTION_CONFLICT, "the output '%.*s' is the file that is read",
                              MLIA_STR_ARG(output));
    return NULL;
}

static mlia_status *run_words(mlia_cli *cli, size_t count, char **words)
{
    mlia_cli_parse_result parsed;
    if (count > 0 && strcmp(words[0], "__complete") == 0)
        return mlia_cli_complete(cli, count - 1, words + 1);
    mlia_status *status = mlia_cli_parse(cli, count, words, &parsed);
    cli->quiet = mlia_cli_has(cli, "quiet");
    cli->debug =
        mlia_cli_has(cli, "debug") ||
        (!cli->quiet && (mlia_environment("MLIA_DEBUG").size > 0 || mlia_environment("DEBUG").size > 0));
    MLIA_TRY(status);
    if (parsed.version && !parsed.help) {
        mlia_cli_print_version(cli);
        return NULL;
    }
    if (parsed.help) {
        mlia_cli_help(cli, cli->command, parsed.group);
        cli->exit_status = parsed.bare ? mlia_class_exit_status(MLIA_CLASS_USAGE) : 0;
        return NULL;
    }
    MLIA_TRY(protect_arguments(cli));
    MLIA_TRY(cli->command->run(cli));
    return mlia_cli_write_output(cli);
}

/* Reports `status` and returns the exit status it stands for. */
static int report_failure(mlia_cli *cli, mlia_status *status)
{
    if (status == NULL)
        return 0;
    int exit_status = mlia_class_exit_status(mlia_kind_class(mlia_status_kind(status)));
    mlia_cli_report_error(cli, status);
    mlia_status_free(status);
    return exit_status;
}

/* The more serious of two exit statuses: 70 over 2 over 1 over 3 over 0. */
static int worse(int a, int b)
{
    static const int order[] = {70, 2, 1, 5, 3};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return 0;
}

static int run(mlia_cli *cli, int argc, char **argv)
{
    size_t count = 0;
    char **words = NULL;
    mlia_status *status = keep_command_line(cli, argc, argv);
    if (status == NULL)
        status = collect_words(cli, argc, argv, &count, &words);
    if (status == NULL)
        status = run_words(cli, count, words);
    mlia_cli_report_diagnostics(cli);
    int exit_status = worse(report_failure(cli, status), cli->exit_status);
    return worse(exit_status, report_failure(cli, mlia_cli_flush(cli)));
}

int mlia_cli_main(int argc, char **argv)
{
    fill_standard_streams();
    signal(SIGPIPE, SIG_IGN);
    mlia_signals_expect_shortened_files();
    mlia_cli cli = {.arena = mlia_arena_new(0), .json_errors = wants_json_errors(argc, argv)};
    cli.diagnostics.arena = cli.arena;
    int exit_status = cli.arena != NULL ? run(&cli, argc, argv) : report_failure(&cli, mlia_error_memory());
    mlia_buffer_free(&cli.output);
    mlia_file_free(cli.model);
    mlia_arena_free(cli.arena);
    return exit_status;
}
