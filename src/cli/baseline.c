/* `check --baseline`: this run beside a stored document. */
#include "cli/baseline.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/baseline.h"
#include "result/document.h"

enum { COLUMNS = 5 };

/* One line of a table; texts live in the arena. */
typedef struct row {
    mlia_str cells[COLUMNS];
} row;

typedef struct table {
    mlia_arena *arena;
    MLIA_LIST(row) rows;
    bool failed; /* out of memory */
} table;

/* Names come from files: control characters must not reach a terminal. */
static mlia_str safe(table *t, mlia_str text)
{
    mlia_buffer copy = {0};
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte < 0x20 || byte == 0x7F)
            mlia_buffer_format(&copy, "\\x%02x", byte);
        else
            mlia_buffer_add_byte(&copy, byte);
    }
    mlia_str stored = mlia_arena_str(t->arena, mlia_buffer_str(&copy));
    t->failed |= stored.data == NULL || copy.failed;
    mlia_buffer_free(&copy);
    return stored;
}

/* "9,569" for whole numbers, "64.52" for others. */
static mlia_str number(table *t, double value)
{
    char digits[MLIA_NUMBER_TEXT_SIZE];
    char grouped[2 * MLIA_NUMBER_TEXT_SIZE];
    size_t count = mlia_number_text(value, digits);
    size_t size = 0;
    bool is_whole = strspn(digits, "0123456789") == count;
    for (size_t i = 0; is_whole && i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            grouped[size++] = ',';
        grouped[size++] = digits[i];
    }
    mlia_str text = is_whole ? mlia_arena_str(t->arena, (mlia_str){grouped, size})
                             : mlia_arena_format(t->arena, "%.2f", value);
    t->failed |= text.data == NULL;
    return text;
}

/* Difference in per cent of the baseline. */
static mlia_str difference(table *t, double baseline, double value)
{
    mlia_str text = baseline == value ? MLIA_STR("0.0 %")
                    : baseline == 0
                        ? MLIA_STR("new")
                        : mlia_arena_format(t->arena, "%+.1f %%", (value - baseline) / baseline * 100);
    t->failed |= text.data == NULL;
    return text;
}

static void add_row(table *t, row line)
{
    t->failed |= !MLIA_APPEND(t->arena, t->rows, line);
}

/* Number of code points, good enough for aligning. */
static size_t width_of(mlia_str text)
{
    size_t width = 0;
    for (size_t i = 0; i < text.size; i++)
        width += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return width;
}

/* The first two columns are texts, the others figures. */
static void print_table(const table *t, mlia_buffer *out)
{
    size_t widths[COLUMNS] = {0};
    for (size_t i = 0; i < t->rows.count; i++)
        for (size_t k = 0; k < COLUMNS; k++) {
            size_t width = width_of(t->rows.items[i].cells[k]);
            widths[k] = width > widths[k] ? width : widths[k];
        }
    for (size_t i = 0; i < t->rows.count; i++) {
        for (size_t k = 0; k < COLUMNS; k++) {
            mlia_str cell = t->rows.items[i].cells[k];
            int pad = (int)(widths[k] - width_of(cell));
            mlia_buffer_format(out, "  %*s%.*s%*s", k < 2 ? 0 : pad, "", MLIA_STR_ARG(cell), k < 2 ? pad : 0,
                               "");
        }
        mlia_buffer_format(out, "\n");
    }
}

static const char *side_name(const mlia_result *result, const char *fallback)
{
    return result->mode == MLIA_RESULT_MODE_PREDICTED  ? "Predicted"
           : result->mode == MLIA_RESULT_MODE_MEASURED ? "Measured"
                                                       : fallback;
}

static void add_header(table *t, const mlia_baseline *pairing, const char *first, const char *second)
{
    const char *left = side_name(pairing->baseline, "Baseline");
    const char *right = side_name(pairing->result, "This run");
    bool same = strcmp(left, right) == 0;
    add_row(t,
            (row){{mlia_str_from_c(first), mlia_str_from_c(second), mlia_str_from_c(same ? "Baseline" : left),
                   mlia_str_from_c(same ? "This run" : right), MLIA_STR("Difference")}});
}

static void add_metrics(table *t, const mlia_baseline *pairing)
{
    add_header(t, pairing, "Metric", "Unit");
    for (size_t i = 0; i < pairing->result->metrics.count; i++) {
        const mlia_metric *metric = &pairing->result->metrics.items[i];
        const mlia_metric *other = mlia_metrics_find(&pairing->baseline->metrics, metric->name);
        if (metric->unavailable || metric->qualifiers != NULL || other == NULL || other->unavailable ||
            !mlia_str_equal(metric->unit, other->unit))
            continue;
        add_row(t, (row){{safe(t, metric->name), safe(t, metric->unit), number(t, other->value),
                          number(t, metric->value), difference(t, other->value, metric->value)}});
    }
}

static void add_chains(table *t, const mlia_baseline *pairing)
{
    add_header(t, pairing, "Chain", "Counterpart");
    for (size_t i = 0; i < pairing->pairs.count; i++) {
        const mlia_chain_pair *pair = &pairing->pairs.items[i];
        mlia_str partner = mlia_arena_format(t->arena, "%s%.*s", pair->exact ? "" : "~ ",
                                             MLIA_STR_ARG(pair->baseline->name));
        add_row(t, (row){{safe(t, pair->chain->name), safe(t, partner), number(t, pair->baseline_cycles),
                          number(t, pair->cycles), difference(t, pair->baseline_cycles, pair->cycles)}});
    }
}

static mlia_status *print(const mlia_baseline *pairing, mlia_str path, mlia_arena *arena, mlia_buffer *out)
{
    table metrics = {.arena = arena};
    table chains = {.arena = arena};
    add_metrics(&metrics, pairing);
    add_chains(&chains, pairing);
    if (metrics.failed || chains.failed)
        return mlia_error_memory();
    mlia_buffer_format(out, "\nBaseline %.*s   %.*s\n", MLIA_STR_ARG(path),
                       MLIA_STR_ARG(pairing->baseline->producer));
    print_table(&metrics, out);
    if (pairing->pairs.count > 0) {
        mlia_buffer_format(out,
                           "\n  Chains with the same operators, total_cycles (~ at least half of them)\n");
        print_table(&chains, out);
    }
    if (pairing->unpaired + pairing->unpaired_baseline > 0)
        mlia_buffer_format(out, "  Without counterpart: %zu chains of this run, %zu of the baseline\n",
                           pairing->unpaired, pairing->unpaired_baseline);
    return mlia_buffer_status(out);
}

mlia_status *mlia_cli_print_baseline(mlia_cli *cli, const mlia_cli_reports *reports, mlia_str path,
                                     const mlia_document *baseline, const mlia_document *document)
{
    mlia_baseline pairing;
    MLIA_TRY(mlia_status_path(mlia_baseline_pair(baseline, document, cli->arena, &pairing), path));
    if (pairing.result == NULL)
        return NULL;
    mlia_buffer out = {0};
    mlia_status *status = print(&pairing, path, cli->arena, &out);
    if (status == NULL && mlia_cli_reports_text(reports))
        mlia_buffer_add(&cli->output, out.data, out.size);
    else if (status == NULL)
        mlia_cli_write_error_stream(&out);
    mlia_buffer_free(&out);
    return status;
}
