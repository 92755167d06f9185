/* Words to options and arguments. GNU conventions; long options in full only. */
#include "base/suggest.h"
#include "cli/cli.h"
#include "core/route.h"
#include "render/render.h"

#include <stdio.h>

/* --- tables --- */

/* Blank-separated names of all renderings, or of all formats that can be written: choices that other tables
 * hold. */
static mlia_str listed_choices(mlia_arena *arena, mlia_cli_type type)
{
    mlia_str list = MLIA_STR("");
    for (const mlia_renderer *renderer = mlia_renderers; type == MLIA_CLI_FORMAT && renderer->format != NULL;
         renderer++)
        list = mlia_arena_format(arena, "%.*s%s%s", MLIA_STR_ARG(list), list.size > 0 ? " " : "",
                                 renderer->format);
    for (unsigned form = 0; type == MLIA_CLI_TARGET_FORMAT && form < MLIA_FORMAT_COUNT; form++)
        if (mlia_form_is_target(form))
            list = mlia_arena_format(arena, "%.*s%s%.*s", MLIA_STR_ARG(list), list.size > 0 ? " " : "",
                                     MLIA_STR_ARG(mlia_form_name(form)));
    return list;
}

static mlia_status *add_options(mlia_cli *cli, const mlia_cli_option *options)
{
    for (; options != NULL && options->name != NULL; options++) {
        mlia_cli_option option = *options;
        if (option.type == MLIA_CLI_FORMAT || option.type == MLIA_CLI_TARGET_FORMAT) {
            mlia_str choices = listed_choices(cli->arena, option.type);
            MLIA_TRY_ALLOC(choices.data);
            option.choices = choices.data;
        }
        if (!MLIA_APPEND(cli->arena, cli->options, option))
            return mlia_error_memory();
    }
    return NULL;
}

/* --BACKEND.KEY with dashes. */
static mlia_status *add_backend_option(mlia_cli *cli, const mlia_backend *backend, size_t index)
{
    static const mlia_cli_type types[] = {
        [MLIA_OPTION_FLAG] = MLIA_CLI_FLAG,     [MLIA_OPTION_PATH] = MLIA_CLI_FILE,
        [MLIA_OPTION_STRING] = MLIA_CLI_TEXT,   [MLIA_OPTION_INTEGER] = MLIA_CLI_WHOLE,
        [MLIA_OPTION_CHOICE] = MLIA_CLI_CHOICE,
    };
    const mlia_backend_option *row = &backend->options[index];
    mlia_str name = mlia_arena_format(cli->arena, "%s.%s", backend->id, row->key);
    MLIA_TRY_ALLOC(name.data);
    for (char *c = (char *)name.data; *c != '\0'; c++)
        if (*c == '_')
            *c = '-';
    mlia_cli_option option = {.name = name.data,
                              .type = types[row->type],
                              .argument = row->argument,
                              .choices = row->choices,
                              .fallback = row->fallback,
                              .help = row->help,
                              .backend = backend,
                              .backend_option = index};
    return MLIA_APPEND(cli->arena, cli->options, option) ? NULL : mlia_error_memory();
}

mlia_status *mlia_cli_collect_options(mlia_cli *cli, const mlia_cli_command *command)
{
    static const mlia_cli_option version_option[] = {
        {.name = "version",
         .letter = 'v',
         .help = "print the version; with --debug also those of the libraries"},
        {0},
    };
    cli->options.count = 0;
    MLIA_TRY(add_options(cli, command != NULL ? command->options : version_option));
    for (size_t i = 0; command != NULL && command->takes_backend_options && i < mlia_backend_count(); i++)
        for (size_t k = 0; k < mlia_backend_option_count(mlia_backend_at(i)); k++)
            MLIA_TRY(add_backend_option(cli, mlia_backend_at(i), k));
    return add_options(cli, mlia_cli_common_options);
}

const mlia_cli_option *mlia_cli_find_option(const mlia_cli *cli, mlia_str name)
{
    for (size_t i = 0; i < cli->options.count; i++) {
        const mlia_cli_option *option = &cli->options.items[i];
        if (mlia_str_equal_c(name, option->name) ||
            (option->alias != NULL && mlia_str_equal_c(name, option->alias)))
            return option;
    }
    return NULL;
}

const mlia_cli_option *mlia_cli_find_letter(const mlia_cli *cli, char letter)
{
    for (size_t i = 0; i < cli->options.count; i++)
        if (letter != 0 && cli->options.items[i].letter == letter)
            return &cli->options.items[i];
    return NULL;
}

const mlia_cli_command *mlia_cli_find_command(mlia_str name)
{
    for (size_t i = 0; mlia_cli_commands[i] != NULL; i++)
        if (mlia_str_equal_c(name, mlia_cli_commands[i]->name))
            return mlia_cli_commands[i];
    return NULL;
}

/* First word of a command's name; the whole name when it has one word. */
static mlia_str first_word(const char *name)
{
    mlia_str text = mlia_str_from_c(name);
    return mlia_str_slice(text, 0, mlia_str_find(text, ' '));
}

bool mlia_cli_is_group(mlia_str name)
{
    for (size_t i = 0; mlia_cli_commands[i] != NULL; i++) {
        mlia_str word = first_word(mlia_cli_commands[i]->name);
        if (mlia_cli_commands[i]->name[word.size] == ' ' && mlia_str_equal(word, name))
            return true;
    }
    return false;
}

/* --- usage errors --- */

static mlia_status *unknown_error(mlia_kind kind, const char *what, const char *dashes, mlia_str given,
                                  const mlia_suggestion *near)
{
    mlia_str found = mlia_suggest_found(near);
    if (found.size == 0)
        return mlia_error(kind, "unknown %s '%s%.*s'", what, dashes, MLIA_STR_ARG(given));
    return mlia_error(kind, "unknown %s '%s%.*s'; did you mean '%s%.*s'?", what, dashes, MLIA_STR_ARG(given),
                      dashes, MLIA_STR_ARG(found));
}

static mlia_status *unknown_command(mlia_str group, mlia_str given)
{
    char full[128];
    bool in_group = group.size > 0;
    int size = snprintf(full, sizeof full, "%.*s%s%.*s", MLIA_STR_ARG(group), in_group ? " " : "",
                        MLIA_STR_ARG(given));
    mlia_str name = {full, size < (int)sizeof full ? (size_t)size : sizeof full - 1};
    mlia_suggestion near = mlia_suggest(name);
    for (size_t i = 0; mlia_cli_commands[i] != NULL; i++) {
        mlia_str word = first_word(mlia_cli_commands[i]->name);
        mlia_suggest_among(&near, in_group ? mlia_str_from_c(mlia_cli_commands[i]->name) : word);
    }
    return unknown_error(MLIA_E_COMMAND, "command", "", name, &near);
}

/* All options of a backend: the answer to --BACKEND.UNKNOWN. */
static mlia_status *unknown_backend_option(const mlia_cli *cli, mlia_str name, const mlia_backend *backend)
{
    mlia_buffer list = {0};
    for (size_t i = 0; i < cli->options.count; i++)
        if (cli->options.items[i].backend == backend)
            mlia_buffer_format(&list, "%s--%s", list.size > 0 ? ", " : "", cli->options.items[i].name);
    mlia_status *status =
        mlia_error(MLIA_E_OPTION_UNKNOWN, "unknown option '--%.*s'; %s has %.*s", MLIA_STR_ARG(name),
                   backend->id, (int)list.size, list.size ? (const char *)list.data : "");
    mlia_buffer_free(&list);
    return status;
}

/* An option of another program, or NULL. */
static mlia_status *foreign_option(const mlia_cli *cli, const char *dashes, mlia_str name)
{
    const mlia_cli_foreign *foreign = cli->command != NULL ? cli->command->foreign : NULL;
    for (; foreign != NULL && foreign->name != NULL; foreign++)
        if (mlia_str_equal_c(name, foreign->name))
            return mlia_error(MLIA_E_OPTION_UNKNOWN, "unknown option '%s%.*s'; %s", dashes,
                              MLIA_STR_ARG(name), foreign->instead);
    return NULL;
}

static mlia_status *unknown_option(const mlia_cli *cli, mlia_str name)
{
    MLIA_TRY(foreign_option(cli, "--", name));
    mlia_suggestion near = mlia_suggest(name);
    for (size_t i = 0; i < cli->options.count; i++) {
        mlia_suggest_among(&near, mlia_str_from_c(cli->options.items[i].name));
        if (cli->options.items[i].alias != NULL)
            mlia_suggest_among(&near, mlia_str_from_c(cli->options.items[i].alias));
    }
    size_t dot = mlia_str_find(name, '.');
    const mlia_backend *backend = dot != SIZE_MAX ? mlia_backend_find(mlia_str_slice(name, 0, dot)) : NULL;
    if (backend != NULL && mlia_suggest_found(&near).size == 0 && cli->command != NULL &&
        cli->command->takes_backend_options)
        return unknown_backend_option(cli, name, backend);
    return unknown_error(MLIA_E_OPTION_UNKNOWN, "option", "--", name, &near);
}

static mlia_status *value_error(const mlia_cli_option *option, const char *text)
{
    return mlia_error(MLIA_E_OPTION_VALUE, "option '--%s' %s", option->name, text);
}

/* "text, json, csv" from "text json csv". */
static mlia_status *choice_error(const mlia_cli_option *option, mlia_str value)
{
    char list[512];
    size_t size = 0;
    for (const char *c = option->choices; *c != '\0' && size + 3 < sizeof list; c++) {
        if (*c == ' ')
            list[size++] = ',';
        list[size++] = *c;
    }
    return mlia_error(MLIA_E_OPTION_VALUE, "option '--%s': '%.*s' is none of %.*s", option->name,
                      MLIA_STR_ARG(value), (int)size, list);
}

static bool is_choice(const char *choices, mlia_str value)
{
    mlia_str rest = mlia_str_from_c(choices);
    while (rest.size > 0)
        if (mlia_str_equal(mlia_str_take(&rest, ' '), value))
            return true;
    return false;
}

static mlia_status *check_format(const mlia_cli_option *option, mlia_str value)
{
    size_t equals = mlia_str_find(value, '=');
    mlia_str format = mlia_str_slice(value, 0, equals);
    if (!is_choice(option->choices, format))
        return choice_error(option, format);
    return equals == value.size - 1 ? value_error(option, "names no file behind '='") : NULL;
}

static mlia_status *check_value(const mlia_cli_option *option, mlia_str value)
{
    int64_t whole;
    double number;
    if (value.size == 0 && !option->may_be_empty)
        return value_error(option, "needs a value that is not empty");
    switch (option->type) {
    case MLIA_CLI_CHOICE:
    case MLIA_CLI_TARGET_FORMAT:
        return is_choice(option->choices, value) ? NULL : choice_error(option, value);
    case MLIA_CLI_FORMAT:
        return check_format(option, value);
    case MLIA_CLI_WHOLE:
        if (!mlia_str_to_i64(value, &whole) || whole < 0)
            return mlia_error(MLIA_E_OPTION_VALUE, "option '--%s': '%.*s' is no whole number from 0",
                              option->name, MLIA_STR_ARG(value));
        return NULL;
    case MLIA_CLI_SECONDS:
        if (!mlia_str_to_double(value, &number) || number <= 0 || number > 1e8)
            return mlia_error(MLIA_E_OPTION_VALUE, "option '--%s': '%.*s' is no number of seconds above 0",
                              option->name, MLIA_STR_ARG(value));
        return NULL;
    default:
        return NULL;
    }
}

/* --- parsing --- */

typedef struct parser {
    mlia_cli *cli;
    size_t count;
    char **words;
    size_t position;
    mlia_cli_parse_result *result;
} parser;

static mlia_status *use_option(parser *p, const mlia_cli_option *option, mlia_str value)
{
    mlia_cli *cli = p->cli;
    MLIA_TRY(option->type != MLIA_CLI_FLAG ? check_value(option, value) : NULL);
    for (size_t i = 0; i < cli->uses.count && option->type != MLIA_CLI_FLAG && !option->repeat; i++) {
        if (strcmp(cli->uses.items[i].option->name, option->name) != 0)
            continue;
        mlia_warn(&cli->diagnostics, MLIA_W_OPTION_REPEATED,
                  "option '--%s' is given twice: '%.*s' is dropped", option->name,
                  MLIA_STR_ARG(cli->uses.items[i].value));
        cli->uses.items[i].value = value;
        return NULL;
    }
    return MLIA_APPEND(cli->arena, cli->uses, (mlia_cli_use){option, value}) ? NULL : mlia_error_memory();
}

/* The value of an option that stands in the next word. A known long option is no value: the value was
 * forgotten. */
static mlia_status *take_value(parser *p, const mlia_cli_option *option, mlia_str *value)
{
    mlia_str next = p->position < p->count ? mlia_str_from_c(p->words[p->position]) : MLIA_STR_NONE;
    bool is_option = mlia_str_starts_with(next, MLIA_STR("--")) &&
                     mlia_cli_find_option(p->cli, mlia_str_slice(next, 2, SIZE_MAX)) != NULL;
    if (p->position >= p->count || is_option)
        return value_error(option, "needs a value");
    p->position++;
    *value = next;
    return NULL;
}

static mlia_status *parse_long(parser *p, mlia_str word)
{
    size_t equals = mlia_str_find(word, '=');
    mlia_str name = mlia_str_slice(word, 0, equals);
    mlia_str value = equals == SIZE_MAX ? MLIA_STR_NONE : mlia_str_slice(word, equals + 1, SIZE_MAX);
    const mlia_cli_option *option = mlia_cli_find_option(p->cli, name);
    if (option == NULL)
        return unknown_option(p->cli, name);
    if (option->type == MLIA_CLI_FLAG && equals != SIZE_MAX)
        return value_error(option, "takes no value");
    if (option->type != MLIA_CLI_FLAG && equals == SIZE_MAX)
        MLIA_TRY(take_value(p, option, &value));
    return use_option(p, option, value);
}

/* One word of joined letters: -d, -dt X, -tX. */
static mlia_status *parse_letters(parser *p, mlia_str letters)
{
    while (letters.size > 0) {
        const mlia_cli_option *option = mlia_cli_find_letter(p->cli, letters.data[0]);
        if (option == NULL) {
            MLIA_TRY(foreign_option(p->cli, "-", mlia_str_slice(letters, 0, 1)));
            return mlia_error(MLIA_E_OPTION_UNKNOWN, "unknown option '-%.1s'", letters.data);
        }
        letters = mlia_str_slice(letters, 1, SIZE_MAX);
        mlia_str value = MLIA_STR_NONE;
        if (option->type != MLIA_CLI_FLAG) {
            value = letters;
            letters = MLIA_STR_NONE;
            if (value.size == 0)
                MLIA_TRY(take_value(p, option, &value));
        }
        MLIA_TRY(use_option(p, option, value));
    }
    return NULL;
}

static mlia_status *parse_option(parser *p, mlia_str word)
{
    if (mlia_str_starts_with(word, MLIA_STR("--")))
        MLIA_TRY(parse_long(p, mlia_str_slice(word, 2, SIZE_MAX)));
    else
        MLIA_TRY(parse_letters(p, mlia_str_slice(word, 1, SIZE_MAX)));
    p->result->help = mlia_cli_has(p->cli, "help");
    p->result->version = mlia_cli_has(p->cli, "version");
    return NULL;
}

static bool looks_like_option(mlia_str word)
{
    return word.size > 1 && word.data[0] == '-';
}

/* Options before the command, then the command's one or two words. */
static mlia_status *parse_command(parser *p)
{
    MLIA_TRY(mlia_cli_collect_options(p->cli, NULL));
    while (p->position < p->count && looks_like_option(mlia_str_from_c(p->words[p->position]))) {
        MLIA_TRY(parse_option(p, mlia_str_from_c(p->words[p->position++])));
        if (p->result->help || p->result->version)
            break;
    }
    /* "-v -d": the rest of the options still counts */
    while (p->result->version && p->position < p->count &&
           looks_like_option(mlia_str_from_c(p->words[p->position])))
        MLIA_TRY(parse_option(p, mlia_str_from_c(p->words[p->position++])));
    if (p->result->help || p->result->version || p->position == p->count)
        return NULL;
    mlia_str word = mlia_str_from_c(p->words[p->position++]);
    if (!mlia_cli_is_group(word)) {
        p->cli->command = mlia_cli_find_command(word);
        return p->cli->command != NULL ? NULL : unknown_command(MLIA_STR_NONE, word);
    }
    p->result->group = word;
    if (p->position == p->count)
        return NULL;
    mlia_str second = mlia_str_from_c(p->words[p->position++]);
    if (looks_like_option(second))
        return parse_option(p, second);
    mlia_str name = mlia_arena_format(p->cli->arena, "%.*s %.*s", MLIA_STR_ARG(word), MLIA_STR_ARG(second));
    MLIA_TRY_ALLOC(name.data);
    p->cli->command = mlia_cli_find_command(name);
    return p->cli->command != NULL ? NULL : unknown_command(word, second);
}

/* Uses made before the command point into the old option list: they are looked up again. */
static mlia_status *switch_options(mlia_cli *cli)
{
    for (size_t i = 0; i < cli->uses.count; i++) {
        const char *name = cli->uses.items[i].option->name;
        const mlia_cli_option *common = mlia_cli_common_options;
        while (common->name != NULL && strcmp(common->name, name) != 0)
            common++;
        cli->uses.items[i].option = common;
    }
    return mlia_cli_collect_options(cli, cli->command);
}

static mlia_status *parse_rest(parser *p)
{
    mlia_cli *cli = p->cli;
    bool options_end = false;
    while (p->position < p->count && !p->result->help) {
        mlia_str word = mlia_str_from_c(p->words[p->position++]);
        if (!options_end && mlia_str_equal_c(word, "--")) {
            options_end = true;
        } else if (!options_end && looks_like_option(word)) {
            MLIA_TRY(parse_option(p, word));
        } else {
            if (cli->arguments.count >= cli->command->argument_limit)
                return mlia_error(MLIA_E_ARGUMENT_EXTRA, "unexpected argument '%.*s'%s%s", MLIA_STR_ARG(word),
                                  cli->command->argument_extra != NULL ? "; " : "",
                                  cli->command->argument_extra != NULL ? cli->command->argument_extra : "");
            if (!MLIA_APPEND(cli->arena, cli->arguments, word.data))
                return mlia_error_memory();
        }
    }
    return NULL;
}

static mlia_status *check_needs(const mlia_cli *cli)
{
    const mlia_cli_command *command = cli->command;
    for (const mlia_cli_option *option = command->options; option != NULL && option->name != NULL; option++)
        if (option->missing != NULL && !mlia_cli_has(cli, option->name))
            return mlia_error(MLIA_E_OPTION_MISSING, "%s", option->missing);
    if (cli->arguments.count < command->argument_minimum)
        return mlia_error(MLIA_E_ARGUMENT_MISSING, "%s", command->argument_missing);
    if (mlia_cli_has(cli, "quiet") && mlia_cli_has(cli, "debug"))
        return mlia_error(MLIA_E_OPTION_CONFLICT, "'--quiet' and '--debug' exclude each other");
    return NULL;
}

/* True when the command needs something and was given nothing at all. */
static bool is_bare(const mlia_cli *cli, size_t words_behind)
{
    bool needs = cli->command->argument_minimum > 0;
    for (const mlia_cli_option *option = cli->command->options; option != NULL && option->name != NULL;
         option++)
        needs = needs || option->missing != NULL;
    return needs && words_behind == 0;
}

mlia_status *mlia_cli_parse(mlia_cli *cli, size_t word_count, char **words, mlia_cli_parse_result *result)
{
    *result = (mlia_cli_parse_result){0};
    parser p = {cli, word_count, words, 0, result};
    MLIA_TRY(parse_command(&p));
    if (result->help || result->version)
        return NULL;
    if (cli->command == NULL || is_bare(cli, p.count - p.position)) {
        result->help = true;
        result->bare = true;
        return NULL;
    }
    MLIA_TRY(switch_options(cli));
    MLIA_TRY(parse_rest(&p));
    return result->help ? NULL : check_needs(cli);
}
