/* The text report: header, target, model, backends, then each result. */
#include "render/text.h"

#include "result/order.h"

/* --- TITLE ----… up to the right margin */
static void put_rule(const mlia_terminal *t, mlia_str title)
{
    size_t used = 4 + mlia_text_width(title) + 1;
    mlia_terminal_put_c(t, MLIA_STYLE_TITLE, "--- ");
    mlia_terminal_put(t, MLIA_STYLE_TITLE, title, 0);
    mlia_terminal_put_c(t, MLIA_STYLE_TITLE, " ");
    mlia_str dashes = mlia_arena_str(t->arena, (mlia_str){NULL, 0});
    if (used < t->options.width) {
        size_t count = t->options.width - used;
        char *line = mlia_arena_alloc(t->arena, count, 1, 1);
        if (line == NULL)
            t->buffer->failed = true;
        else
            dashes = (mlia_str){memset(line, '-', count), count};
    }
    mlia_terminal_put(t, MLIA_STYLE_TITLE, dashes, 0);
    mlia_terminal_end_line(t);
}

static void put_heading(const mlia_terminal *t, const char *title)
{
    mlia_terminal_end_line(t);
    mlia_terminal_put_c(t, MLIA_STYLE_TITLE, title);
    mlia_terminal_end_line(t);
}

enum { LABEL_WIDTH = 13, PAIR_WIDTH = 30 };

/* Labelled values, two in a line where they fit. */
typedef struct label_rows {
    const mlia_terminal *terminal;
    bool half; /* the line has its first value */
} label_rows;

static void end_labels(label_rows *rows)
{
    if (rows->half)
        mlia_terminal_end_line(rows->terminal);
    rows->half = false;
}

static void put_label(label_rows *rows, const char *label, mlia_str value, bool alone)
{
    const mlia_terminal *t = rows->terminal;
    if (value.size == 0)
        return;
    mlia_str shown = mlia_terminal_text(t, value);
    size_t width = mlia_text_width(shown);
    bool fits_second = t->options.width >= 2 + LABEL_WIDTH + PAIR_WIDTH + LABEL_WIDTH + width;
    if (rows->half && (alone || !fits_second))
        end_labels(rows);
    if (!rows->half)
        mlia_terminal_spaces(t, 2);
    mlia_terminal_put(t, MLIA_STYLE_PLAIN, mlia_str_from_c(label), LABEL_WIDTH);
    if (rows->half || alone || width >= PAIR_WIDTH) {
        size_t used = 2 + LABEL_WIDTH + (rows->half ? PAIR_WIDTH + LABEL_WIDTH : 0u);
        size_t left = t->options.width - used;
        mlia_terminal_put_cut(t, MLIA_STYLE_NAME, shown, width < left ? width : left);
        rows->half = true;
        end_labels(rows);
        return;
    }
    mlia_terminal_put(t, MLIA_STYLE_NAME, shown, PAIR_WIDTH);
    rows->half = true;
}

/* "neural-technology (npu mali nx)" */
static mlia_str profile_text(const mlia_terminal *t, const mlia_document *document)
{
    const mlia_target_info *target = &document->target;
    mlia_buffer text = {0};
    mlia_buffer_add_str(&text, target->profile_name);
    for (size_t i = 0; i < target->components.count; i++) {
        const mlia_component *component = &target->components.items[i];
        mlia_buffer_format(&text, "%s%s %.*s", i == 0 ? " (" : ", ",
                           mlia_component_type_name(component->type), MLIA_STR_ARG(component->family));
        const mlia_str rest[] = {component->model, component->variant};
        for (size_t k = 0; k < 2; k++)
            if (rest[k].size > 0)
                mlia_buffer_format(&text, " %.*s", MLIA_STR_ARG(rest[k]));
    }
    if (target->components.count > 0)
        mlia_buffer_add_byte(&text, ')');
    mlia_str copy = mlia_arena_str(t->arena, mlia_buffer_str(&text));
    mlia_buffer_free(&text);
    return copy;
}

/* A member of the first backend that has it, else of the target. */
static const mlia_value *configured(const mlia_document *document, const char *name)
{
    const mlia_value *value = NULL;
    for (size_t i = 0; i < document->backends.count && value == NULL; i++)
        value = mlia_value_get(document->backends.items[i].configuration, mlia_str_from_c(name));
    return value != NULL ? value : mlia_value_get(document->target.configuration, mlia_str_from_c(name));
}

static mlia_str configured_text(const mlia_document *document, const char *name)
{
    const mlia_value *value = configured(document, name);
    return value != NULL && value->type == MLIA_VALUE_STRING ? value->as.string : MLIA_STR_NONE;
}

static double number_of(const mlia_value *value)
{
    if (value == NULL)
        return 0;
    return value->type == MLIA_VALUE_INTEGER  ? (double)value->as.integer
           : value->type == MLIA_VALUE_NUMBER ? value->as.number
                                              : 0;
}

static mlia_str clock_text(const mlia_terminal *t, const mlia_document *document)
{
    double hertz = number_of(configured(document, "clock_hz"));
    if (hertz <= 0)
        return MLIA_STR_NONE;
    double megahertz = hertz / 1e6;
    bool is_whole = megahertz < 1e6 && megahertz == (double)(int64_t)megahertz;
    mlia_str number = is_whole ? mlia_arena_format(t->arena, "%lld", (long long)megahertz)
                               : mlia_show_significant(t->arena, megahertz);
    return mlia_arena_format(t->arena, "%.*s MHz", MLIA_STR_ARG(number));
}

static void put_target(const mlia_terminal *t, const mlia_document *document)
{
    put_heading(t, "Target information");
    label_rows rows = {.terminal = t};
    put_label(&rows, "Profile", profile_text(t, document), true);
    mlia_str device = configured_text(document, "device");
    if (device.size == 0) {
        put_label(&rows, "System", configured_text(document, "system_config"), false);
        put_label(&rows, "Compiler", configured_text(document, "compiler_config"), false);
        put_label(&rows, "Clock", clock_text(t, document), false);
    } else { /* a measurement: what was measured on counts, not what the profile would assume */
        put_label(&rows, "Device", device, false);
        put_label(&rows, "Profiled", configured_text(document, "profiling_device"), false);
    }
    put_label(&rows, "Method", configured_text(document, "etrecord_method"), false);
    end_labels(&rows);
}

static void put_model(const mlia_terminal *t, const mlia_document *document)
{
    const mlia_model_info *model = &document->model;
    put_heading(t, "Model information");
    mlia_buffer rest = {0};
    mlia_buffer_format(&rest, "  %.*s", MLIA_STR_ARG(model->format));
    if (model->has_size)
        mlia_buffer_format(&rest, "  %.*s bytes",
                           MLIA_STR_ARG(mlia_show_whole(t->arena, (double)model->size_bytes)));
    enum { HASH_START = 12 };
    mlia_buffer_format(&rest, "  sha256 %.*s", MLIA_STR_ARG(mlia_str_slice(model->hash, 0, HASH_START)));
    mlia_str shown = mlia_terminal_text(t, mlia_buffer_str(&rest));
    mlia_buffer_free(&rest);
    mlia_str mark = mlia_str_from_c(t->options.ascii ? "..." : "\xE2\x80\xA6");
    size_t rest_width = mlia_text_width(shown) + mlia_text_width(mark);
    mlia_str name = mlia_terminal_text(t, model->name);
    size_t name_width = mlia_text_width(name);
    size_t left = t->options.width - 2;
    left = left > rest_width + MLIA_TABLE_TEXT_LEAST ? left - rest_width : MLIA_TABLE_TEXT_LEAST;
    mlia_terminal_spaces(t, 2);
    mlia_terminal_put_cut(t, MLIA_STYLE_NAME, name, name_width < left ? name_width : left);
    left = t->options.width - 2 - (name_width < left ? name_width : left) - mlia_text_width(mark);
    rest_width = mlia_text_width(shown);
    mlia_terminal_put_cut(t, MLIA_STYLE_PLAIN, shown, rest_width < left ? rest_width : left);
    mlia_terminal_put(t, MLIA_STYLE_PLAIN, mark, 0);
    mlia_terminal_end_line(t);
}

static void put_backends(const mlia_terminal *t, const mlia_document *document)
{
    put_heading(t, "Backends");
    mlia_table table = {0};
    mlia_table_column(t, &table, "", MLIA_ALIGN_TEXT, MLIA_STYLE_NAME);
    mlia_table_column(t, &table, "", MLIA_ALIGN_TEXT, MLIA_STYLE_VERSION);
    mlia_table_column(t, &table, "", MLIA_ALIGN_TEXT, MLIA_STYLE_PLAIN);
    for (size_t i = 0; i < document->backends.count; i++) {
        const mlia_backend_info *backend = &document->backends.items[i];
        mlia_table_cell(t, &table, mlia_terminal_text(t, backend->id));
        mlia_table_cell(t, &table, mlia_terminal_text(t, backend->version));
        mlia_table_cell(t, &table, mlia_terminal_text(t, backend->name));
    }
    mlia_table_print(t, &table, 2);
}

/* "  warning  text", broken between words */
static void put_notice(const mlia_terminal *t, mlia_style style, const char *label, mlia_str text)
{
    enum { INDENT = 11 };
    mlia_terminal_spaces(t, 2);
    mlia_terminal_put(t, style, mlia_str_from_c(label), INDENT - 2);
    mlia_terminal_put_wrapped(t, MLIA_STYLE_PLAIN, mlia_terminal_text(t, text), INDENT, INDENT);
}

/* Position of a metric in the report: the standard ones in their usual order of interest do not matter, only
 * that what is missing comes last. */
static void put_metric(const mlia_terminal *t, const mlia_metric *metric, size_t name_width,
                       size_t value_width)
{
    mlia_terminal_spaces(t, 2);
    mlia_terminal_put_cut(t, MLIA_STYLE_NAME, mlia_terminal_text(t, metric->name), name_width);
    mlia_terminal_spaces(t, 2);
    if (metric->unavailable) {
        size_t column = 2 + name_width + 2 + 3;
        mlia_terminal_put_c(t, MLIA_STYLE_PLAIN, "-  ");
        mlia_terminal_put_wrapped(t, MLIA_STYLE_PLAIN, mlia_terminal_text(t, metric->reason), column, column);
        return;
    }
    mlia_terminal_put_right(t, MLIA_STYLE_PLAIN, mlia_show_value(t->arena, metric->value, metric->unit),
                            value_width);
    mlia_terminal_spaces(t, 1);
    mlia_str unit = mlia_terminal_text(t, metric->unit);
    mlia_str larger = mlia_str_equal(metric->unit, MLIA_STR("bytes"))
                          ? mlia_show_bytes(t->arena, metric->value)
                          : MLIA_STR_NONE;
    size_t used = 2 + name_width + 2 + value_width + 1;
    size_t left = t->options.width > used ? t->options.width - used : 0;
    mlia_str both = mlia_arena_format(t->arena, "bytes  (%.*s)", MLIA_STR_ARG(larger));
    if (larger.size > 0 && both.size <= left)
        unit = both;
    size_t width = mlia_text_width(unit);
    mlia_terminal_put_cut(t, MLIA_STYLE_PLAIN, unit, width < left ? width : left);
    mlia_terminal_end_line(t);
}

static void put_metrics(const mlia_terminal *t, const mlia_result *result)
{
    enum { NAME_LIMIT = 31 };
    size_t name_width = 0;
    size_t value_width = 0;
    for (size_t i = 0; i < result->metrics.count; i++) {
        const mlia_metric *metric = &result->metrics.items[i];
        size_t width = mlia_text_width(mlia_terminal_text(t, metric->name));
        name_width = width > name_width ? width : name_width;
        width = metric->unavailable ? 0 : mlia_show_value(t->arena, metric->value, metric->unit).size;
        value_width = width > value_width ? width : value_width;
    }
    name_width = name_width < NAME_LIMIT ? name_width : NAME_LIMIT;
    for (int missing = 0; missing < 2; missing++)
        for (size_t i = 0; i < result->metrics.count; i++)
            if (result->metrics.items[i].unavailable == (missing == 1))
                put_metric(t, &result->metrics.items[i], name_width, value_width);
}

static void put_checks(const mlia_terminal *t, const mlia_result *result)
{
    static const char *const words[] = {"passed", "failed", "partial"};
    size_t counts[3] = {0};
    if (result->checks.count == 0)
        return;
    for (size_t i = 0; i < result->checks.count; i++)
        if (result->checks.items[i].status != MLIA_CHECK_NONE)
            counts[result->checks.items[i].status - MLIA_CHECK_PASS]++;
    mlia_terminal_end_line(t);
    mlia_terminal_put_c(t, MLIA_STYLE_TITLE, "  Checks");
    for (size_t i = 0; i < 3; i++) {
        if (counts[i] == 0)
            continue;
        mlia_str number = mlia_show_whole(t->arena, (double)counts[i]);
        mlia_terminal_put_c(t, MLIA_STYLE_PLAIN, "  ");
        mlia_terminal_put(t, MLIA_STYLE_PLAIN, number, 0);
        mlia_terminal_put_c(t, MLIA_STYLE_PLAIN, " ");
        mlia_terminal_put_c(t, i == 0 ? MLIA_STYLE_PLAIN : MLIA_STYLE_WARNING, words[i]);
    }
    mlia_terminal_end_line(t);
}

/* Advice given several times is numbered: ID#2. Hiding the id hides all. */
static bool is_hidden(const mlia_terminal *t, mlia_str id)
{
    id = mlia_str_slice(id, 0, mlia_str_find(id, '#'));
    for (size_t i = 0; i < t->options.hidden_count; i++)
        if (mlia_str_equal(t->options.hidden_advice[i], id))
            return true;
    return false;
}

/* The message with the ids of (a few of) the entities it is about. */
static mlia_str advice_text(const mlia_terminal *t, const mlia_advice *advice)
{
    enum { FEW = 3 };
    mlia_buffer text = {0};
    mlia_buffer_add_str(&text, advice->message);
    const mlia_texts *ids = &advice->affected_entity_ids;
    for (size_t i = 0; i < ids->count && i < FEW; i++)
        mlia_buffer_format(&text, "%s%.*s", i == 0 ? " [" : ", ", MLIA_STR_ARG(ids->items[i]));
    if (ids->count > FEW)
        mlia_buffer_format(&text, " and %zu more", ids->count - FEW);
    if (ids->count > 0)
        mlia_buffer_add_byte(&text, ']');
    mlia_str shown = mlia_terminal_text(t, mlia_buffer_str(&text));
    mlia_buffer_free(&text);
    return shown;
}

static void put_advice(const mlia_terminal *t, const mlia_result *result)
{
    enum { SEVERITY_WIDTH = 9, ID_LIMIT = 24, LEAST_TEXT = 30 };
    static const mlia_style styles[] = {[MLIA_SEVERITY_INFO] = MLIA_STYLE_PLAIN,
                                        [MLIA_SEVERITY_WARNING] = MLIA_STYLE_WARNING,
                                        [MLIA_SEVERITY_ERROR] = MLIA_STYLE_ERROR};
    size_t id_width = 0;
    size_t shown = 0;
    for (size_t i = 0; i < result->advice.count; i++) {
        if (is_hidden(t, result->advice.items[i].id))
            continue;
        size_t width = mlia_text_width(mlia_terminal_text(t, result->advice.items[i].id));
        id_width = width > id_width ? width : id_width;
        shown++;
    }
    if (shown == 0)
        return;
    id_width = id_width < ID_LIMIT ? id_width : ID_LIMIT;
    size_t column = 2 + SEVERITY_WIDTH + id_width + 2;
    bool below = column + LEAST_TEXT > t->options.width;
    mlia_terminal_end_line(t);
    mlia_terminal_put_c(t, MLIA_STYLE_TITLE, "  Advice");
    mlia_terminal_end_line(t);
    for (size_t i = 0; i < result->advice.count; i++) {
        const mlia_advice *advice = &result->advice.items[i];
        if (is_hidden(t, advice->id))
            continue;
        mlia_terminal_spaces(t, 2);
        mlia_terminal_put(t, styles[advice->severity],
                          mlia_str_from_c(mlia_advice_severity_name(advice->severity)), SEVERITY_WIDTH);
        mlia_terminal_put_cut(t, MLIA_STYLE_NAME, mlia_terminal_text(t, advice->id), id_width);
        if (below)
            mlia_terminal_end_line(t);
        mlia_terminal_spaces(t, below ? 4 : 2);
        mlia_terminal_put_wrapped(t, MLIA_STYLE_PLAIN, advice_text(t, advice), below ? 4 : column,
                                  below ? 4 : column);
    }
}

static void put_status(const mlia_terminal *t, const mlia_result *result, size_t number)
{
    static const mlia_style styles[] = {[MLIA_RESULT_STATUS_NONE] = MLIA_STYLE_PLAIN,
                                        [MLIA_RESULT_STATUS_OK] = MLIA_STYLE_PLAIN,
                                        [MLIA_RESULT_STATUS_PARTIAL] = MLIA_STYLE_WARNING,
                                        [MLIA_RESULT_STATUS_INCOMPATIBLE] = MLIA_STYLE_ERROR,
                                        [MLIA_RESULT_STATUS_FAILED] = MLIA_STYLE_ERROR,
                                        [MLIA_RESULT_STATUS_SKIPPED] = MLIA_STYLE_WARNING};
    mlia_str title =
        mlia_arena_format(t->arena, "Result %zu: %s", number + 1,
                          result->kind == MLIA_RESULT_PERFORMANCE ? "Performance" : "Compatibility");
    const char *status = mlia_result_status_name(result->status);
    const char *mode = mlia_result_mode_name(result->mode);
    mlia_terminal_put(t, MLIA_STYLE_TITLE, title, 0);
    mlia_terminal_spaces(t, 3);
    mlia_terminal_put_c(t, styles[result->status], status);
    if (mode[0] != '\0')
        mlia_terminal_spaces(t, 3);
    mlia_terminal_put_c(t, MLIA_STYLE_PLAIN, mode);
    mlia_terminal_put_c(t, MLIA_STYLE_PLAIN, "   by ");
    size_t used = title.size + strlen(status) + strlen(mode) + (mode[0] != '\0' ? 12 : 9);
    mlia_str producer = mlia_terminal_text(t, result->producer);
    size_t left = t->options.width > used ? t->options.width - used : 1;
    size_t width = mlia_text_width(producer);
    mlia_terminal_put_cut(t, MLIA_STYLE_NAME, producer, width < left ? width : left);
    mlia_terminal_end_line(t);
}

static mlia_status *put_result(const mlia_terminal *t, const mlia_result *result, size_t number)
{
    mlia_view view;
    MLIA_TRY(mlia_view_make(t->arena, result, &view));
    mlia_terminal_end_line(t);
    put_status(t, result, number);
    for (size_t i = 0; i < result->warnings.count; i++)
        put_notice(t, MLIA_STYLE_WARNING, "warning", result->warnings.items[i]);
    for (size_t i = 0; i < result->errors.count; i++)
        put_notice(t, MLIA_STYLE_ERROR, "error", result->errors.items[i]);
    put_metrics(t, result);
    MLIA_TRY(result->kind == MLIA_RESULT_PERFORMANCE || t->options.group_count > 0
                 ? mlia_text_performance(t, &view)
                 : NULL);
    if (result->kind == MLIA_RESULT_COMPATIBILITY)
        MLIA_TRY(mlia_text_compatibility(t, &view));
    put_checks(t, result);
    put_advice(t, result);
    return NULL;
}

static mlia_status *put_document(const mlia_terminal *t, const mlia_document *document)
{
    mlia_str version = mlia_terminal_text(t, document->tool.version);
    put_rule(t, mlia_arena_format(t->arena, "ML Inference Advisor %.*s",
                                  MLIA_STR_ARG(mlia_str_slice(version, 0, mlia_utf8_cut(version, 32)))));
    put_target(t, document);
    put_model(t, document);
    put_backends(t, document);
    mlia_terminal_end_line(t);
    put_rule(t, MLIA_STR("Model Analysis Results"));
    for (size_t i = 0; i < document->results.count; i++)
        MLIA_TRY(put_result(t, &document->results.items[i], i));
    return NULL;
}

mlia_status *mlia_render_text(const mlia_document *document, const mlia_render_options *options,
                              mlia_buffer *buffer)
{
    enum { DEFAULT_WIDTH = 120, LEAST_WIDTH = 60, MOST_WIDTH = 240 };
    mlia_terminal terminal = {.arena = mlia_arena_new(0), .buffer = buffer, .options = *options};
    MLIA_TRY_ALLOC(terminal.arena);
    unsigned width = options->width == 0 ? DEFAULT_WIDTH : options->width;
    terminal.options.width = width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : width;
    mlia_status *status = put_document(&terminal, document);
    mlia_arena_free(terminal.arena);
    return status;
}
