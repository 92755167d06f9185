/* Output formats: which ones were asked for, and writing them. */
#include "cli/report.h"

#include "base/file.h"
#include "render/render.h"
#include "result/document.h"

/* The renderer's own name, which lives as long as the program. The parser has checked that there is one. */
static const char *format_name(mlia_str text)
{
    const mlia_renderer *renderer = mlia_renderers;
    while (!mlia_str_equal_c(text, renderer->format))
        renderer++;
    return renderer->format;
}

static bool is_stdout(const mlia_cli_report *report)
{
    return report->path.size == 0 || mlia_str_equal_c(report->path, "-");
}

static mlia_status *add_report(mlia_cli *cli, mlia_cli_reports *reports, mlia_str value)
{
    size_t equals = mlia_str_find(value, '=');
    mlia_cli_report report = {.format = format_name(mlia_str_slice(value, 0, equals))};
    if (equals != SIZE_MAX)
        report.path = mlia_str_slice(value, equals + 1, SIZE_MAX);
    for (size_t i = 0; i < reports->count; i++) {
        const mlia_cli_report *other = &reports->items[i];
        if (!is_stdout(&report) || !is_stdout(other) ||
            mlia_str_equal_c(mlia_str_from_c(report.format), other->format))
            continue;
        bool json = mlia_cli_has(cli, "json") && i == 0;
        return mlia_error(
            MLIA_E_OPTION_CONFLICT,
            "'%s%s' and '--format %s' both want standard output; give one a file: --format %s=FILE",
            json ? "--json" : "--format ", json ? "" : other->format, report.format, report.format);
    }
    return MLIA_APPEND(cli->arena, *reports, report) ? NULL : mlia_error_memory();
}

mlia_status *mlia_cli_choose_reports(mlia_cli *cli, mlia_cli_reports *reports)
{
    *reports = (mlia_cli_reports){0};
    mlia_texts values = {0};
    MLIA_TRY(mlia_cli_values(cli, "format", &values));
    if (mlia_cli_has(cli, "json"))
        MLIA_TRY(add_report(cli, reports, MLIA_STR("json")));
    for (size_t i = 0; i < values.count; i++)
        MLIA_TRY(add_report(cli, reports, values.items[i]));
    bool to_stdout = false;
    for (size_t i = 0; i < reports->count; i++)
        to_stdout = to_stdout || is_stdout(&reports->items[i]);
    return to_stdout ? NULL : add_report(cli, reports, MLIA_STR("text"));
}

bool mlia_cli_reports_text(const mlia_cli_reports *reports)
{
    for (size_t i = 0; i < reports->count; i++)
        if (is_stdout(&reports->items[i]) && strcmp(reports->items[i].format, "text") == 0)
            return true;
    return false;
}

mlia_status *mlia_cli_read_document(mlia_cli *cli, const char *path, mlia_document **document)
{
    enum { MAX_DOCUMENT = 1 << 30 };
    mlia_file *file;
    MLIA_TRY(mlia_file_read(path, MAX_DOCUMENT, &file));
    mlia_bytes bytes = mlia_file_bytes(file);
    cli->diagnostics.path = mlia_str_from_c(path);
    mlia_status *status = mlia_document_read((mlia_str){(const char *)bytes.data, bytes.size}, cli->arena,
                                             &cli->diagnostics, NULL, document);
    cli->diagnostics.path = MLIA_STR_NONE;
    mlia_file_free(file);
    return mlia_status_path(status, mlia_str_from_c(path));
}

mlia_status *mlia_cli_render_options(mlia_cli *cli, const mlia_user_config *config,
                                     mlia_render_options *options)
{
    enum { DEFAULT_TOP = 20 };
    mlia_cli_terminal terminal;
    mlia_texts kinds = {0};
    MLIA_TRY(mlia_cli_terminal_of(cli, config, &terminal));
    MLIA_TRY(mlia_cli_values(cli, "group-by", &kinds));
    *options = (mlia_render_options){
        .width = terminal.width,
        .color = terminal.color,
        .true_color = terminal.true_color,
        .light = terminal.light,
        .ascii = terminal.ascii,
        .top = (size_t)mlia_cli_number(cli, "top", config->has_top ? config->top : DEFAULT_TOP),
        .group_by = kinds.items,
        .group_count = kinds.count,
        .hidden_advice = config->hide_advice.items,
        .hidden_count = config->hide_advice.count,
    };
    return NULL;
}

/* The name inside the output folder when `path` lies in it, else empty. */
static mlia_str name_in_folder(const mlia_cli_folder *folder, mlia_str path)
{
    while (mlia_str_starts_with(path, MLIA_STR("./")))
        path = mlia_str_slice(path, 2, SIZE_MAX);
    if (folder->output == NULL || !mlia_str_starts_with(path, folder->prefix))
        return MLIA_STR_NONE;
    return mlia_str_slice(path, folder->prefix.size, SIZE_MAX);
}

static mlia_status *write_report(mlia_cli *cli, const mlia_cli_report *report, const mlia_cli_folder *folder,
                                 mlia_render_options options, const mlia_document *document)
{
    if (is_stdout(report))
        return mlia_render(document, mlia_str_from_c(report->format), &options, &cli->output);
    mlia_buffer text = {0};
    options.color = false; /* a file is no terminal */
    options.ascii = false;
    mlia_status *status = mlia_render(document, mlia_str_from_c(report->format), &options, &text);
    mlia_bytes bytes = {text.data, text.size};
    mlia_str name = name_in_folder(folder, report->path);
    if (status == NULL)
        status = name.size > 0 ? mlia_output_add(folder->output, name, bytes)
                               : mlia_file_write(report->path.data, bytes);
    mlia_buffer_free(&text);
    return status;
}

mlia_status *mlia_cli_write_reports(mlia_cli *cli, const mlia_cli_reports *reports,
                                    const mlia_cli_folder *folder, const mlia_user_config *config,
                                    const mlia_document *document, bool failed)
{
    mlia_render_options options;
    MLIA_TRY(mlia_cli_render_options(cli, config, &options));
    for (size_t i = 0; i < reports->count; i++) {
        const mlia_cli_report *report = &reports->items[i];
        if (!failed || !is_stdout(report) || strcmp(report->format, "text") != 0)
            MLIA_TRY(write_report(cli, report, folder, options, document));
    }
    return NULL;
}
