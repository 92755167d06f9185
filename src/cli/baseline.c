/* `check --baseline`: this run beside a stored document. */
#include "cli/baseline.h"

#include "core/baseline.h"
#include "render/numbers.h"
#include "render/table.h"

static void add_text(const mlia_terminal *t, mlia_table *table, mlia_str text)
{
    mlia_table_cell(t, table, mlia_terminal_text(t, text));
}

/* Difference in per cent of the baseline. */
static mlia_str difference(mlia_arena *arena, double baseline, double value)
{
    if (baseline == value)
        return MLIA_STR("0.0 %");
    if (baseline == 0)
        return MLIA_STR("new");
    return mlia_arena_format(arena, "%+.1f %%", (value - baseline) / baseline * 100);
}

static void add_figures(const mlia_terminal *t, mlia_table *table, double baseline, double value,
                        mlia_str unit)
{
    mlia_table_cell(t, table, mlia_show_value(t->arena, baseline, unit));
    mlia_table_cell(t, table, mlia_show_value(t->arena, value, unit));
    mlia_table_cell(t, table, difference(t->arena, baseline, value));
}

static const char *mode_name(const mlia_result *result)
{
    return result->mode == MLIA_RESULT_MODE_PREDICTED ? "Predicted" : "Measured";
}

/* "Predicted" and "Measured" where that tells the two apart. */
static void add_columns(const mlia_terminal *t, mlia_table *table, const mlia_baseline *pairing,
                        const char *first, const char *second)
{
    bool differ = pairing->baseline->mode != pairing->result->mode;
    mlia_table_column(t, table, first, MLIA_ALIGN_TEXT, MLIA_STYLE_NAME);
    mlia_table_column(t, table, second, MLIA_ALIGN_TEXT, MLIA_STYLE_PLAIN);
    mlia_table_column(t, table, differ ? mode_name(pairing->baseline) : "Baseline", MLIA_ALIGN_FIGURE,
                      MLIA_STYLE_PLAIN);
    mlia_table_column(t, table, differ ? mode_name(pairing->result) : "This run", MLIA_ALIGN_FIGURE,
                      MLIA_STYLE_PLAIN);
    mlia_table_column(t, table, "Difference", MLIA_ALIGN_FIGURE, MLIA_STYLE_HIGHLIGHT);
}

static void put_metrics(const mlia_terminal *t, const mlia_baseline *pairing)
{
    mlia_table table = {0};
    add_columns(t, &table, pairing, "Metric", "Unit");
    for (size_t i = 0; i < pairing->result->metrics.count; i++) {
        const mlia_metric *metric = &pairing->result->metrics.items[i];
        const mlia_metric *other = mlia_metrics_find(&pairing->baseline->metrics, metric->name);
        if (metric->unavailable || metric->qualifiers != NULL || other == NULL || other->unavailable ||
            !mlia_str_equal(metric->unit, other->unit))
            continue;
        add_text(t, &table, metric->name);
        add_text(t, &table, metric->unit);
        add_figures(t, &table, other->value, metric->value, metric->unit);
    }
    mlia_table_print(t, &table, 2);
}

static void put_chains(const mlia_terminal *t, const mlia_baseline *pairing)
{
    mlia_table table = {0};
    add_columns(t, &table, pairing, "Chain", "Counterpart");
    for (size_t i = 0; i < pairing->pairs.count; i++) {
        const mlia_chain_pair *pair = &pairing->pairs.items[i];
        add_text(t, &table, pair->chain->name);
        add_text(t, &table,
                 mlia_arena_format(t->arena, "%s%.*s", pair->exact ? "" : "~ ",
                                   MLIA_STR_ARG(pair->baseline->name)));
        add_figures(t, &table, pair->baseline_cycles, pair->cycles, MLIA_STR("cycles"));
    }
    mlia_terminal_end_line(t);
    mlia_terminal_put_c(t, MLIA_STYLE_TITLE,
                        "  Chains with the same operators (~ with at least half of them), total_cycles");
    mlia_terminal_end_line(t);
    mlia_table_print(t, &table, 2);
}

static void put_title(const mlia_terminal *t, const mlia_baseline *pairing, mlia_str path)
{
    mlia_terminal_end_line(t);
    mlia_terminal_put_c(t, MLIA_STYLE_TITLE, "Baseline ");
    mlia_terminal_put(t, MLIA_STYLE_PLAIN, mlia_terminal_text(t, path), 0);
    mlia_terminal_put_c(t, MLIA_STYLE_PLAIN, "   by ");
    mlia_terminal_put(t, MLIA_STYLE_NAME, mlia_terminal_text(t, pairing->baseline->producer), 0);
    mlia_terminal_end_line(t);
}

static void put_comparison(const mlia_terminal *t, const mlia_baseline *pairing, mlia_str path)
{
    put_title(t, pairing, path);
    put_metrics(t, pairing);
    if (pairing->pairs.count > 0)
        put_chains(t, pairing);
    if (pairing->unpaired + pairing->unpaired_baseline == 0)
        return;
    mlia_str left =
        mlia_arena_format(t->arena, "  Without counterpart: %zu chains of this run, %zu of the baseline",
                          pairing->unpaired, pairing->unpaired_baseline);
    mlia_terminal_put(t, MLIA_STYLE_PLAIN, left, 0);
    mlia_terminal_end_line(t);
}

mlia_status *mlia_cli_print_baseline(mlia_cli *cli, const mlia_cli_reports *reports,
                                     const mlia_user_config *config, const mlia_document *baseline,
                                     const mlia_document *document)
{
    mlia_str path = mlia_cli_value(cli, "baseline");
    bool behind_report = mlia_cli_reports_text(reports);
    mlia_baseline pairing;
    mlia_buffer text = {0};
    mlia_terminal terminal = {.arena = cli->arena, .buffer = behind_report ? &cli->output : &text};
    MLIA_TRY(mlia_status_path(mlia_baseline_pair(baseline, document, cli->arena, &pairing), path));
    MLIA_TRY(mlia_cli_render_options(cli, config, &terminal.options));
    terminal.options.color = terminal.options.color && behind_report;
    if (pairing.result != NULL)
        put_comparison(&terminal, &pairing, path);
    mlia_status *status = mlia_buffer_status(terminal.buffer);
    if (status == NULL && !behind_report)
        mlia_cli_write_error_stream(&text);
    mlia_buffer_free(&text);
    return status;
}
