/* Standard output and standard error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "core/diagnostic.h"
#include "result/document.h"

enum { CLOSED_PIPE_STATUS = 141 }; /* as if ended by SIGPIPE */

void mlia_cli_print(mlia_cli *cli, const char *format, ...)
{
    char stack[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(stack, sizeof stack, format, arguments);
    va_end(arguments);
    if (size < (int)sizeof stack) {
        mlia_buffer_add(&cli->output, stack, size > 0 ? (size_t)size : 0);
        return;
    }
    char *text = NULL;
    va_start(arguments, format);
    size = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (size >= 0)
        mlia_buffer_add(&cli->output, text, (size_t)size);
    else
        cli->output.failed = true;
    free(text);
}

void mlia_cli_print_value(mlia_cli *cli, const mlia_value *value)
{
    mlia_value_write(value, 0, &cli->output);
    mlia_buffer_add_byte(&cli->output, '\n');
}

void mlia_cli_write_error_stream(const mlia_buffer *buffer)
{
    size_t done = 0;
    while (done < buffer->size) {
        ssize_t put = write(STDERR_FILENO, buffer->data + done, buffer->size - done);
        if (put < 0 && errno != EINTR)
            return;
        done += put > 0 ? (size_t)put : 0;
    }
}

static void report(mlia_cli *cli, const mlia_diagnostic *diagnostic, mlia_str hint)
{
    mlia_buffer line = {0};
    if (cli->json_errors) {
        mlia_arena *arena = mlia_arena_new(0);
        const mlia_value *value = arena != NULL ? mlia_diagnostic_value(arena, diagnostic, hint) : NULL;
        if (value != NULL) {
            mlia_value_write(value, -1, &line);
            mlia_buffer_add_byte(&line, '\n');
        }
        mlia_arena_free(arena);
    } else {
        mlia_diagnostic_text(diagnostic, hint, &line);
    }
    mlia_cli_write_error_stream(&line);
    mlia_buffer_free(&line);
}

void mlia_cli_report_diagnostics(mlia_cli *cli)
{
    for (; cli->reported < cli->diagnostics.count; cli->reported++) {
        const mlia_diagnostic *diagnostic = &cli->diagnostics.items[cli->reported];
        bool is_note = mlia_kind_class(diagnostic->kind) == MLIA_CLASS_NOTE;
        if (!is_note || !cli->quiet)
            report(cli, diagnostic, MLIA_STR_NONE);
    }
}

void mlia_cli_report_error(mlia_cli *cli, const mlia_status *status)
{
    mlia_diagnostic diagnostic = mlia_diagnostic_of(status);
    mlia_str hint = mlia_status_hint_text(status);
    char try_help[96];
    if (mlia_kind_class(diagnostic.kind) != MLIA_CLASS_USAGE) {
        report(cli, &diagnostic, hint);
        return;
    }
    const char *name = cli->command != NULL ? cli->command->name : "";
    int size = snprintf(try_help, sizeof try_help, "Try 'mlia%s%s --help'.", *name != '\0' ? " " : "", name);
    mlia_str text = {try_help, (size_t)size};
    report(cli, &diagnostic, cli->json_errors ? text : hint);
    if (!cli->json_errors) {
        mlia_buffer line = {0};
        mlia_buffer_format(&line, "%s\n", try_help);
        mlia_cli_write_error_stream(&line);
        mlia_buffer_free(&line);
    }
}

void mlia_cli_progress(const mlia_cli *cli, const char *text)
{
    const char *label = cli->debug ? "debug" : "progress";
    if (!cli->debug && !mlia_cli_shows_progress(cli))
        return;
    mlia_buffer line = {0};
    mlia_buffer_format(&line, "mlia: %s: %s\n", label, text);
    mlia_cli_write_error_stream(&line);
    mlia_buffer_free(&line);
}

/* What is to be written: the bulk, or what was printed, as the one piece that `printed` has room for. */
static mlia_pieces output_pieces(const mlia_cli *cli, mlia_bytes *printed)
{
    *printed = mlia_buffer_bytes(&cli->output);
    return cli->bulk.size > 0 ? cli->bulk
                              : (mlia_pieces){.items = printed, .count = 1, .size = printed->size};
}

static void forget_output(mlia_cli *cli)
{
    cli->output.size = 0;
    cli->bulk = (mlia_pieces){0};
}

mlia_status *mlia_cli_write_output(mlia_cli *cli)
{
    mlia_str path = mlia_cli_value(cli, "output");
    if (path.size == 0 || mlia_str_equal_c(path, "-"))
        return NULL;
    MLIA_TRY(mlia_buffer_status(&cli->output));
    mlia_bytes printed;
    mlia_pieces pieces = output_pieces(cli, &printed);
    mlia_status *status = mlia_file_write_pieces(path.data, &pieces);
    forget_output(cli); /* also when it failed: nothing of it belongs on standard output */
    return status;
}

static mlia_status *print_bytes(mlia_bytes bytes)
{
    size_t done = 0;
    while (done < bytes.size) {
        ssize_t put = write(STDOUT_FILENO, bytes.data + done, bytes.size - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EPIPE)
            _exit(CLOSED_PIPE_STATUS);
        if (put < 0)
            return mlia_error(MLIA_E_WRITE, "cannot write to standard output: %s", strerror(errno));
        done += (size_t)put;
    }
    return NULL;
}

mlia_status *mlia_cli_flush(mlia_cli *cli)
{
    MLIA_TRY(mlia_buffer_status(&cli->output));
    mlia_bytes printed;
    mlia_pieces pieces = output_pieces(cli, &printed);
    for (size_t i = 0; i < pieces.count; i++)
        MLIA_TRY(print_bytes(pieces.items[i]));
    forget_output(cli);
    return NULL;
}

void mlia_cli_print_table(mlia_cli *cli, const char *title, size_t columns, const char *const *headers,
                          const mlia_str *cells, size_t rows)
{
    mlia_cli_print(cli, "%s\n", title);
    if (rows == 0) {
        mlia_cli_print(cli, "  none\n");
        return;
    }
    for (size_t row = 0; row <= rows; row++) {
        for (size_t column = 0; column < columns; column++) {
            size_t width = strlen(headers[column]);
            for (size_t i = 0; i < rows; i++)
                if (cells[i * columns + column].size > width)
                    width = cells[i * columns + column].size;
            mlia_str cell = row == 0 ? mlia_str_from_c(headers[column]) : cells[(row - 1) * columns + column];
            bool last = column + 1 == columns;
            mlia_cli_print(cli, "  %-*.*s", last ? 0 : (int)width, MLIA_STR_ARG(cell));
        }
        mlia_cli_print(cli, "\n");
    }
}
