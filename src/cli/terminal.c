/* What standard output can show: width, colour, characters. */
#include <langinfo.h>
#include <locale.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/environment.h"

unsigned mlia_cli_width(void)
{
    enum { DEFAULT_WIDTH = 120, MIN_WIDTH = 60, MAX_WIDTH = 240 };
    int64_t width = DEFAULT_WIDTH;
    int64_t columns;
    struct winsize window;
    if (mlia_str_to_i64(mlia_environment("COLUMNS"), &columns) && columns > 0)
        width = columns;
    else if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        width = window.ws_col;
    return (unsigned)(width < MIN_WIDTH ? MIN_WIDTH : width > MAX_WIDTH ? MAX_WIDTH : width);
}

static bool is_set(const char *name)
{
    return mlia_environment(name).size > 0;
}

/* --color, then NO_COLOR and its like, then the configuration, then CLICOLOR_FORCE, then the terminal. */
static bool wants_color(const mlia_cli *cli, const mlia_user_config *config)
{
    mlia_str when = mlia_cli_value(cli, "color");
    if (mlia_str_equal_c(when, "always") || mlia_str_equal_c(when, "never"))
        return mlia_str_equal_c(when, "always");
    if (is_set("NO_COLOR") || is_set("MLIA_NO_COLOR") || mlia_str_equal_c(mlia_environment("TERM"), "dumb") ||
        config->no_color)
        return false;
    if (is_set("CLICOLOR_FORCE") && !mlia_str_equal_c(mlia_environment("CLICOLOR_FORCE"), "0"))
        return true;
    return isatty(STDOUT_FILENO) != 0;
}

/* The characters of the user's locale. Only reports ask, so only they pay for reading it. */
static bool is_utf8(void)
{
    setlocale(LC_CTYPE, "");
    return strcasecmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

mlia_status *mlia_cli_terminal_of(const mlia_cli *cli, const mlia_user_config *config,
                                  mlia_cli_terminal *terminal)
{
    if (is_set("MLIA_LIGHT") && is_set("MLIA_DARK"))
        return mlia_error(MLIA_E_CONFIG, "MLIA_LIGHT and MLIA_DARK are both set; one theme at a time");
    mlia_str depth = mlia_environment("COLORTERM");
    *terminal = (mlia_cli_terminal){
        .width = mlia_cli_width(),
        .color = wants_color(cli, config),
        .true_color = mlia_str_equal_c(depth, "truecolor") || mlia_str_equal_c(depth, "24bit"),
        .light = is_set("MLIA_LIGHT") || (!is_set("MLIA_DARK") && mlia_str_equal_c(config->theme, "light")),
        .ascii = !is_utf8(),
    };
    return NULL;
}

bool mlia_cli_shows_progress(const mlia_cli *cli)
{
    mlia_str when = mlia_cli_value(cli, "progress");
    if (cli->quiet || cli->json_errors || mlia_str_equal_c(when, "never"))
        return false;
    return mlia_str_equal_c(when, "always") || isatty(STDERR_FILENO) != 0;
}
