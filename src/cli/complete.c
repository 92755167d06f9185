/* `mlia __complete CWORD WORDS…`, called by the completion scripts: candidates for word CWORD of WORDS (word
 * 0 is the program), one per line as "CANDIDATE\tTEXT". A line ":files .a .b" or ":folders" asks the shell
 * for names of files. */
#include "cli/commands.h"
#include "core/environment.h"

typedef struct completer {
    mlia_cli *cli;
    mlia_str prefix; /* text before the cursor */
} completer;

static void offer(completer *c, mlia_str candidate, const char *text)
{
    if (mlia_str_starts_with(candidate, c->prefix))
        mlia_cli_print(c->cli, "%.*s%s%s\n", MLIA_STR_ARG(candidate), text != NULL ? "\t" : "",
                       text != NULL ? text : "");
}

static void offer_words(completer *c, const char *words)
{
    mlia_str rest = mlia_str_from_c(words);
    while (rest.size > 0)
        offer(c, mlia_str_take(&rest, ' '), NULL);
}

static mlia_status *offer_profiles(completer *c)
{
    mlia_profile_folders folders;
    mlia_profiles profiles = {0};
    MLIA_TRY(mlia_environment_profile_folders(c->cli->arena, &folders));
    MLIA_TRY(mlia_profile_list(c->cli->arena, folders, NULL, &profiles));
    for (size_t i = 0; i < profiles.count; i++)
        offer(c, profiles.items[i].name, "profile");
    mlia_cli_print(c->cli, ":files .toml\n");
    return NULL;
}

/* Second words of a group, or all first words. */
static void offer_commands(completer *c, mlia_str group)
{
    mlia_str last = MLIA_STR_NONE;
    for (size_t i = 0; mlia_cli_commands[i] != NULL; i++) {
        mlia_str name = mlia_str_from_c(mlia_cli_commands[i]->name);
        size_t blank = mlia_str_find(name, ' ');
        mlia_str word = mlia_str_slice(name, 0, blank);
        if (group.size > 0 && blank != SIZE_MAX && mlia_str_equal(word, group))
            offer(c, mlia_str_slice(name, blank + 1, SIZE_MAX), mlia_cli_commands[i]->summary);
        if (group.size == 0 && !mlia_str_equal(word, last))
            offer(c, word, blank == SIZE_MAX ? mlia_cli_commands[i]->summary : NULL);
        last = word;
    }
}

static mlia_status *offer_values(completer *c, mlia_cli_type type, const char *choices)
{
    switch (type) {
    case MLIA_CLI_CHOICE:
    case MLIA_CLI_FORMAT:
    case MLIA_CLI_TARGET_FORMAT:
        offer_words(c, choices);
        break;
    case MLIA_CLI_BACKEND:
        for (size_t i = 0; i < mlia_backend_count(); i++)
            if (mlia_backend_at(i)->selectable)
                offer(c, mlia_str_from_c(mlia_backend_at(i)->id), mlia_backend_at(i)->summary);
        break;
    case MLIA_CLI_PROFILE:
        return offer_profiles(c);
    case MLIA_CLI_COMMAND:
        offer_commands(c, MLIA_STR_NONE);
        break;
    case MLIA_CLI_FOLDER:
        mlia_cli_print(c->cli, ":folders\n");
        break;
    case MLIA_CLI_FILE:
        mlia_cli_print(c->cli, ":files\n");
        break;
    case MLIA_CLI_MODEL:
        mlia_cli_print(c->cli, ":files");
        for (unsigned i = 0; i < MLIA_FORMAT_COUNT; i++)
            mlia_cli_print(c->cli, " %.*s", MLIA_STR_ARG(mlia_format_describe((mlia_format)i)->suffixes));
        mlia_cli_print(c->cli, "\n");
        break;
    default:
        break;
    }
    return NULL;
}

static mlia_status *offer_options(completer *c)
{
    mlia_str typed = c->prefix;
    for (size_t i = 0; i < c->cli->options.count; i++) {
        const mlia_cli_option *option = &c->cli->options.items[i];
        mlia_str name = mlia_arena_format(c->cli->arena, "--%s", option->name);
        MLIA_TRY_ALLOC(name.data);
        offer(c, name, option->help);
    }
    c->prefix = typed;
    return NULL;
}

/* Option that waits for its value when `word` stands before it; NULL otherwise. */
static const mlia_cli_option *waiting_option(const mlia_cli *cli, mlia_str word)
{
    const mlia_cli_option *option = NULL;
    if (mlia_str_starts_with(word, MLIA_STR("--")))
        option = mlia_cli_find_option(cli, mlia_str_slice(word, 2, SIZE_MAX));
    else if (word.size > 1 && word.data[0] == '-')
        option = mlia_cli_find_letter(cli, word.data[word.size - 1]);
    return option != NULL && option->type != MLIA_CLI_FLAG ? option : NULL;
}

/* Finds the command among the words before the cursor; `*group` when only its first word is there. */
static mlia_status *find_command(mlia_cli *cli, size_t count, char **words, mlia_str *group)
{
    MLIA_TRY(mlia_cli_collect_options(cli, NULL));
    for (size_t i = 0; i < count && cli->command == NULL; i++) {
        mlia_str word = mlia_str_from_c(words[i]);
        if (waiting_option(cli, word) != NULL)
            i++;
        if (word.size > 0 && word.data[0] == '-')
            continue;
        mlia_str name = mlia_arena_format(cli->arena, "%.*s%s%.*s", MLIA_STR_ARG(*group),
                                          group->size > 0 ? " " : "", MLIA_STR_ARG(word));
        MLIA_TRY_ALLOC(name.data);
        cli->command = mlia_cli_find_command(name);
        if (cli->command == NULL && group->size == 0 && mlia_cli_is_group(word))
            *group = word;
    }
    return cli->command != NULL ? mlia_cli_collect_options(cli, cli->command) : NULL;
}

mlia_status *mlia_cli_complete(mlia_cli *cli, size_t count, char **words)
{
    int64_t cursor;
    if (count < 1 || !mlia_str_to_i64(mlia_str_from_c(words[0]), &cursor) || cursor < 1 ||
        (size_t)cursor > count)
        return NULL;         /* a completion script never asks this */
    char **line = words + 2; /* behind the program's name */
    size_t before = (size_t)cursor - 1;
    completer c = {cli, before + 2 < count ? mlia_str_from_c(line[before]) : MLIA_STR("")};
    mlia_str group = MLIA_STR_NONE;
    MLIA_TRY(find_command(cli, before, line, &group));

    /* shells that split words at '=': "--option" "=" "value" */
    bool at_equals = mlia_str_equal_c(c.prefix, "=");
    if (at_equals)
        c.prefix = MLIA_STR("");
    size_t previous = before > 0 && !at_equals && strcmp(line[before - 1], "=") == 0 ? before - 1 : before;
    const mlia_cli_option *waiting =
        previous > 0 ? waiting_option(cli, mlia_str_from_c(line[previous - 1])) : NULL;
    if (waiting != NULL)
        return offer_values(&c, waiting->type, waiting->choices);
    if (c.prefix.size > 0 && c.prefix.data[0] == '-')
        return offer_options(&c);
    if (cli->command == NULL) {
        offer_commands(&c, group);
        return NULL;
    }
    return cli->command->argument_limit > 0 ? offer_values(&c, cli->command->argument_type, NULL)
                                            : offer_options(&c);
}
