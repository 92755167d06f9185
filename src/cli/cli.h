/* The command line: tables of commands and options, and one run of the program.
 *
 * One option table per command drives parsing, usage errors, help, completion and the tests; a command is one
 * file with its table and its run function. Nothing is analysed here.
 */
#ifndef MLIA_CLI_CLI_H
#define MLIA_CLI_CLI_H

#include "backends/backend.h"
#include "base/file.h"
#include "core/settings.h"
#include "core/user_config.h"

/* What a value or argument is: decides checks and completion. */
typedef enum mlia_cli_type {
    MLIA_CLI_FLAG, /* no value */
    MLIA_CLI_TEXT,
    MLIA_CLI_FILE,
    MLIA_CLI_MODEL, /* a file with a usual ending of a model */
    MLIA_CLI_FOLDER,
    MLIA_CLI_CHOICE,  /* one of `choices` */
    MLIA_CLI_WHOLE,   /* whole number ≥ 0 */
    MLIA_CLI_SECONDS, /* number > 0 */
    MLIA_CLI_PROFILE,
    MLIA_CLI_BACKEND,
    MLIA_CLI_FORMAT,        /* a rendering, or RENDERING=FILE */
    MLIA_CLI_TARGET_FORMAT, /* a file format that can be written */
    MLIA_CLI_COMMAND,
} mlia_cli_type;

typedef struct mlia_cli_option {
    const char *name;  /* "target-profile"; NULL ends a table */
    const char *alias; /* second name, or NULL */
    char letter;       /* 0: none */
    mlia_cli_type type;
    const char *argument; /* "PROFILE"; NULL for flags */
    const char *choices;  /* blank-separated */
    bool repeat;          /* several values are kept, in order */
    bool may_be_empty;
    const char *missing;  /* not NULL: the option is required, and this is the error when it is not given */
    const char *fallback; /* default, for the help */
    const char *help;     /* without final period */
    const mlia_backend *backend; /* --BACKEND.KEY: its owner and row, else NULL */
    size_t backend_option;
} mlia_cli_option;

/* An option of a program that a command stands in for, with what to do instead. */
typedef struct mlia_cli_foreign {
    const char *name; /* "tosa-flatbuffer" or a letter; NULL ends a table */
    const char *instead;
} mlia_cli_foreign;

typedef struct mlia_cli mlia_cli;

typedef struct mlia_cli_command {
    const char *name; /* "check", "target list" */
    const char *summary;
    const char *arguments; /* for the usage line: "MODEL"; NULL: takes none */
    mlia_cli_type argument_type;
    size_t argument_minimum;
    size_t argument_limit;
    const char *argument_missing;    /* error text when there are fewer than the minimum */
    const char *argument_extra;      /* reason why no more are taken */
    const mlia_cli_option *options;  /* NULL: only the common ones */
    const mlia_cli_foreign *foreign; /* or NULL */
    bool takes_backend_options;
    const char *details; /* paragraphs behind the option list, or NULL */
    mlia_status *(*run)(mlia_cli *cli);
} mlia_cli_command;

/* An option as given. */
typedef struct mlia_cli_use {
    const mlia_cli_option *option;
    mlia_str value; /* empty for flags */
} mlia_cli_use;

/* One run of the program. */
struct mlia_cli {
    mlia_arena *arena;
    const mlia_cli_command *command;
    MLIA_LIST(mlia_cli_option) options; /* of the command: its own, its backends', the common ones */
    MLIA_LIST(mlia_cli_use) uses;
    MLIA_LIST(const char *) arguments;
    mlia_texts command_line; /* argv with the base name of argv[0] */
    bool quiet;
    bool debug;
    bool json_errors;
    mlia_diagnostics diagnostics;
    size_t reported;    /* diagnostics already printed */
    mlia_buffer output; /* for standard output, written at the end */
    mlia_pieces bulk;   /* written in place of `output` when there is any: a large result is not copied */
    mlia_file *model;   /* what `bulk` may hold views of; freed at the end */
    int exit_status;    /* when the command succeeds */
};

/* All commands, in the order of the help. The last entry is NULL. */
extern const mlia_cli_command *const mlia_cli_commands[];
/* Options of every command. */
extern const mlia_cli_option mlia_cli_common_options[];

/* The program. */
int mlia_cli_main(int argc, char **argv);

/* --- options of this run --- */

bool mlia_cli_has(const mlia_cli *cli, const char *name);
/* Last value, or an empty view. */
mlia_str mlia_cli_value(const mlia_cli *cli, const char *name);
/* Last value as a number, or `fallback`. */
int64_t mlia_cli_number(const mlia_cli *cli, const char *name, int64_t fallback);
/* All values of a repeatable option. */
mlia_status *mlia_cli_values(const mlia_cli *cli, const char *name, mlia_texts *values);
/* --BACKEND.KEY and --set options. */
mlia_status *mlia_cli_settings(const mlia_cli *cli, mlia_setting_choices *choices);
/* --input-shape options. */
mlia_status *mlia_cli_input_shapes(const mlia_cli *cli, const mlia_input_shape **shapes, size_t *count);
/* Profile by name or path. With --debug the files that the name would also find are told. */
mlia_status *mlia_cli_load_profile(mlia_cli *cli, mlia_str name, mlia_profile *profile);
/* The user's configuration (--config). */
mlia_status *mlia_cli_config(mlia_cli *cli, mlia_user_config *config);

/* --- parsing --- */

/* Finds the command and fills cli->options, uses and arguments. `*help` is set, and nothing more is checked,
 * when --help is met or nothing that the command needs was given (then `*bare`). `*version`: --version before
 * any command. A group of commands alone ("target") leaves cli->command NULL and names the group in `*group`.
 */
typedef struct mlia_cli_parse_result {
    bool help;
    bool bare;
    bool version;
    mlia_str group;
} mlia_cli_parse_result;
mlia_status *mlia_cli_parse(mlia_cli *cli, size_t word_count, char **words, mlia_cli_parse_result *result);

/* Fills cli->options for `command` (NULL: the options before a command). */
mlia_status *mlia_cli_collect_options(mlia_cli *cli, const mlia_cli_command *command);
/* Option by "--name", "--alias" or "-x" without dashes; NULL when there is none. */
const mlia_cli_option *mlia_cli_find_option(const mlia_cli *cli, mlia_str name);
const mlia_cli_option *mlia_cli_find_letter(const mlia_cli *cli, char letter);
const mlia_cli_command *mlia_cli_find_command(mlia_str name);
/* True when `name` is the first word of commands with two. */
bool mlia_cli_is_group(mlia_str name);

/* --- output --- */

/* Help of the command, of a group, or of the program (both absent). */
void mlia_cli_help(mlia_cli *cli, const mlia_cli_command *command, mlia_str group);
void mlia_cli_print(mlia_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes to standard error at once; an error there has nobody to hear of it. */
void mlia_cli_write_error_stream(const mlia_buffer *buffer);
/* Prints warnings and notes raised since the last call on standard error. */
void mlia_cli_report_diagnostics(mlia_cli *cli);
/* Prints an error; `command` names the help to try for usage errors. */
void mlia_cli_report_error(mlia_cli *cli, const mlia_status *status);
/* A line about what the run is doing, if anybody wants to know (--debug, --progress, a terminal). */
void mlia_cli_progress(const mlia_cli *cli, const char *text);
/* Writes cli->output to `-o FILE` if given, else leaves it for standard output. */
mlia_status *mlia_cli_write_output(mlia_cli *cli);
/* Writes everything printed to standard output. E_WRITE; a closed pipe ends the program with status 141. */
mlia_status *mlia_cli_flush(mlia_cli *cli);
/* Prints a JSON value as one text. */
void mlia_cli_print_value(mlia_cli *cli, const mlia_value *value);

/* Width of text on standard output: COLUMNS, the terminal, or 120; 60 to 240. */
unsigned mlia_cli_width(void);

/* What standard output can show. */
typedef struct mlia_cli_terminal {
    unsigned width; /* columns */
    bool color;
    bool true_color; /* 24 bits */
    bool light;      /* colours for a light background */
    bool ascii;      /* no other characters */
} mlia_cli_terminal;

/* From --color, the environment and the configuration. E_CONFIG when both themes are asked for. */
mlia_status *mlia_cli_terminal_of(const mlia_cli *cli, const mlia_user_config *config,
                                  mlia_cli_terminal *terminal);

/* True when progress goes to standard error. */
bool mlia_cli_shows_progress(const mlia_cli *cli);

/* A table of texts: left-aligned columns, two blanks between them. */
void mlia_cli_print_table(mlia_cli *cli, const char *title, size_t columns, const char *const *headers,
                          const mlia_str *cells, size_t rows);

#endif
