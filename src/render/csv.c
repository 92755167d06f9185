/* Figures as comma-separated values (RFC 4180 with \n): one row for each figure, or one for each entity. */
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "render/render.h"
#include "result/document.h"

/* Cells of one row; the first one has no comma before it. */
typedef struct csv {
    mlia_buffer *buffer;
    bool first;
} csv;

static bool needs_quotes(mlia_str text)
{
    for (size_t i = 0; i < text.size; i++)
        if (strchr("\",\n\r", text.data[i]) != NULL)
            return true;
    return false;
}

/* Appends text as UTF-8: ill-formed sequences become U+FFFD, quotes are doubled. */
static void add_escaped(mlia_buffer *buffer, mlia_str text)
{
    for (size_t i = 0; i < text.size;) {
        size_t start = i;
        uint32_t point;
        if (!mlia_utf8_next(text, &i, &point))
            mlia_buffer_add_str(buffer, MLIA_STR("\xEF\xBF\xBD"));
        else
            mlia_buffer_add(buffer, text.data + start, i - start);
        if (point == '"')
            mlia_buffer_add_byte(buffer, '"');
    }
}

static void next_cell(csv *c)
{
    if (!c->first)
        mlia_buffer_add_byte(c->buffer, ',');
    c->first = false;
}

/* A text cell. Spreadsheets take texts that start like a formula for one: those get an apostrophe. */
static void add_text(csv *c, mlia_str text)
{
    next_cell(c);
    bool formula = text.size > 0 && text.data[0] != '\0' && strchr("=+-@\t\r", text.data[0]) != NULL;
    bool quotes = needs_quotes(text);
    if (quotes)
        mlia_buffer_add_byte(c->buffer, '"');
    if (formula)
        mlia_buffer_add_byte(c->buffer, '\'');
    add_escaped(c->buffer, text);
    if (quotes)
        mlia_buffer_add_byte(c->buffer, '"');
}

static void add_name(csv *c, const char *text)
{
    add_text(c, mlia_str_from_c(text));
}

static void add_number(csv *c, double value)
{
    char text[MLIA_NUMBER_TEXT_SIZE];
    next_cell(c);
    mlia_buffer_add(c->buffer, text, mlia_number_text(value, text));
}

static void end_row(csv *c)
{
    mlia_buffer_add_byte(c->buffer, '\n');
    c->first = true;
}

/* Qualifiers of the breakdown and of the metric, as one compact object or two in an array; empty for none. */
static void add_qualifiers(csv *c, const mlia_value *outer, const mlia_value *inner)
{
    mlia_buffer text = {0};
    bool both = outer != NULL && inner != NULL;
    if (both)
        mlia_buffer_add_byte(&text, '[');
    if (outer != NULL)
        mlia_value_write(outer, -1, &text);
    if (both)
        mlia_buffer_add_byte(&text, ',');
    if (inner != NULL)
        mlia_value_write(inner, -1, &text);
    if (both)
        mlia_buffer_add_byte(&text, ']');
    if (text.failed)
        c->buffer->failed = true;
    add_text(c, mlia_buffer_str(&text));
    mlia_buffer_free(&text);
}

/* Where a figure belongs. */
typedef struct place {
    const mlia_result *result;
    size_t number;                   /* of the result, from 0 */
    const mlia_entity *entity;       /* NULL: the whole model */
    const mlia_breakdown *breakdown; /* NULL: the whole model */
} place;

static void add_figure(csv *c, const place *at, const mlia_metric *metric)
{
    static const mlia_entity nothing;
    const mlia_entity *entity = at->entity != NULL ? at->entity : &nothing;
    add_number(c, (double)at->number);
    add_name(c, mlia_result_kind_name(at->result->kind));
    add_name(c, mlia_result_status_name(at->result->status));
    add_text(c, at->result->producer);
    add_name(c, mlia_result_mode_name(at->result->mode));
    add_text(c, entity->id);
    add_text(c, entity->kind);
    add_text(c, entity->name);
    add_text(c, entity->placement);
    add_text(c, metric->name);
    if (metric->unavailable)
        add_name(c, "");
    else
        add_number(c, metric->value);
    add_text(c, metric->unit);
    add_text(c, metric->aggregation);
    if (metric->has_samples)
        add_number(c, (double)metric->samples);
    else
        add_name(c, "");
    add_qualifiers(c, at->breakdown != NULL ? at->breakdown->qualifiers : NULL, metric->qualifiers);
    add_name(c, metric->unavailable ? "unavailable" : "");
    add_name(c, at->breakdown == NULL ? "" : at->breakdown->id.size > 0 ? "true" : "false");
    end_row(c);
}

static mlia_status *add_result(csv *c, mlia_arena *scratch, const mlia_result *result, size_t number)
{
    place at = {.result = result, .number = number};
    for (size_t i = 0; i < result->metrics.count; i++)
        add_figure(c, &at, &result->metrics.items[i]);
    mlia_map ids = mlia_map_in(scratch);
    for (uint32_t i = 0; i < result->entities.count; i++)
        MLIA_TRY_ALLOC(mlia_map_insert(&ids, result->entities.items[i].id, i, NULL));
    for (size_t i = 0; i < result->breakdowns.count; i++) {
        at.breakdown = &result->breakdowns.items[i];
        const uint32_t *entity = mlia_map_find(&ids, at.breakdown->entity_id);
        at.entity = entity != NULL ? &result->entities.items[*entity] : NULL;
        for (size_t m = 0; m < at.breakdown->metrics.count; m++)
            add_figure(c, &at, &at.breakdown->metrics.items[m]);
    }
    return NULL;
}

mlia_status *mlia_render_csv(const mlia_document *document, const mlia_render_options *options,
                             mlia_buffer *buffer)
{
    (void)options;
    mlia_buffer_add_str(
        buffer, MLIA_STR("result,kind,status,producer,mode,entity_id,entity_kind,entity_name,placement,"
                         "metric,value,unit,aggregation,samples,qualifiers,availability,authoritative\n"));
    csv c = {.buffer = buffer, .first = true};
    for (size_t i = 0; i < document->results.count; i++) {
        mlia_arena *scratch = mlia_arena_new(0);
        MLIA_TRY_ALLOC(scratch);
        mlia_status *status = add_result(&c, scratch, &document->results.items[i], i);
        mlia_arena_free(scratch);
        MLIA_TRY(status);
    }
    return NULL;
}

/* The wide form: columns are the metrics of all breakdowns by first appearance. */
typedef struct wide {
    mlia_arena *scratch;
    mlia_map columns; /* "name [unit]" → column */
    mlia_texts titles;
    bool has_checks; /* columns "check" and "reasons" */
} wide;

static bool column_of(wide *w, const mlia_metric *metric, uint32_t *column)
{
    char text[256];
    int size =
        snprintf(text, sizeof text, "%.*s [%.*s]", MLIA_STR_ARG(metric->name), MLIA_STR_ARG(metric->unit));
    mlia_str title = {text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1};
    const uint32_t *found = mlia_map_find(&w->columns, title);
    if (found == NULL) {
        title = mlia_arena_str(w->scratch, title);
        if (title.data == NULL || !MLIA_APPEND(w->scratch, w->titles, title))
            return false;
        found = mlia_map_insert(&w->columns, title, (uint32_t)w->titles.count - 1, NULL);
    }
    if (found != NULL)
        *column = *found;
    return found != NULL;
}

static mlia_status *find_columns(wide *w, const mlia_document *document)
{
    for (size_t r = 0; r < document->results.count; r++) {
        const mlia_result *result = &document->results.items[r];
        w->has_checks = w->has_checks || result->checks.count > 0;
        for (size_t i = 0; i < result->breakdowns.count; i++)
            for (size_t m = 0; m < result->breakdowns.items[i].metrics.count; m++) {
                uint32_t column;
                if (!column_of(w, &result->breakdowns.items[i].metrics.items[m], &column))
                    return mlia_error_memory();
            }
    }
    return NULL;
}

/* The check of each entity of a result, the first if it has several; NULL for none. */
static const mlia_check **checks_by_entity(wide *w, const mlia_result *result, const mlia_map *ids)
{
    const mlia_check **checks =
        (const mlia_check **)MLIA_NEW_ARRAY(w->scratch, mlia_check *, result->entities.count);
    for (size_t i = 0; checks != NULL && i < result->checks.count; i++) {
        const mlia_check *check = &result->checks.items[i];
        const uint32_t *entity = check->entity_id.data != NULL ? mlia_map_find(ids, check->entity_id) : NULL;
        if (entity != NULL && checks[*entity] == NULL)
            checks[*entity] = check;
    }
    return checks;
}

/* Status of a check, and all its reasons: "description: detail; …". */
static void add_check(csv *c, const mlia_check *check)
{
    mlia_buffer text = {0};
    const mlia_value *list = check != NULL ? mlia_value_get(check->details, MLIA_STR("reasons")) : NULL;
    for (uint32_t i = 0; list != NULL && list->type == MLIA_VALUE_ARRAY && i < list->count; i++) {
        mlia_str description = mlia_value_get_str(list->as.items[i], MLIA_STR("description"));
        mlia_str detail = mlia_value_get_str(list->as.items[i], MLIA_STR("detail"));
        if (detail.size > 0 && description.size > 0 && description.data[description.size - 1] == '.')
            description.size--;
        mlia_buffer_format(&text, "%s%.*s%s%.*s", i > 0 ? "; " : "", MLIA_STR_ARG(description),
                           detail.size > 0 && description.size > 0 ? ": " : "", MLIA_STR_ARG(detail));
    }
    c->buffer->failed = c->buffer->failed || text.failed;
    add_name(c, check != NULL ? mlia_check_status_name(check->status) : "");
    add_text(c, mlia_buffer_str(&text));
    mlia_buffer_free(&text);
}

/* A breakdown in a row of its entity: several with different qualifiers give several rows. */
static mlia_status *add_wide_row(csv *c, wide *w, const place *at, const mlia_check *check, double *values,
                                 bool *has_value)
{
    add_number(c, (double)at->number);
    add_text(c, at->entity->id);
    add_text(c, at->entity->kind);
    add_text(c, at->entity->name);
    add_text(c, at->entity->placement);
    add_qualifiers(c, at->breakdown != NULL ? at->breakdown->qualifiers : NULL, NULL);
    if (w->has_checks)
        add_check(c, check);
    memset(has_value, 0, w->titles.count * sizeof *has_value);
    for (size_t m = 0; at->breakdown != NULL && m < at->breakdown->metrics.count; m++) {
        const mlia_metric *metric = &at->breakdown->metrics.items[m];
        uint32_t column;
        if (!column_of(w, metric, &column))
            return mlia_error_memory();
        if (metric->unavailable || metric->qualifiers != NULL)
            continue;
        values[column] = metric->value;
        has_value[column] = true;
    }
    for (size_t i = 0; i < w->titles.count; i++)
        if (has_value[i])
            add_number(c, values[i]);
        else
            add_name(c, "");
    end_row(c);
    return NULL;
}

/* Breakdowns in the order of their entities. */
typedef struct sorted_breakdown {
    uint32_t entity;
    uint32_t breakdown;
} sorted_breakdown;

static int compare_breakdowns(const void *left, const void *right)
{
    const sorted_breakdown *a = left;
    const sorted_breakdown *b = right;
    if (a->entity != b->entity)
        return a->entity < b->entity ? -1 : 1;
    return (a->breakdown > b->breakdown) - (a->breakdown < b->breakdown);
}

static mlia_status *add_wide_result(csv *c, wide *w, const mlia_result *result, size_t number)
{
    mlia_map ids = mlia_map_in(w->scratch);
    for (uint32_t i = 0; i < result->entities.count; i++)
        MLIA_TRY_ALLOC(mlia_map_insert(&ids, result->entities.items[i].id, i, NULL));
    size_t count = 0;
    sorted_breakdown *sorted = MLIA_NEW_ARRAY(w->scratch, sorted_breakdown, result->breakdowns.count);
    double *values = MLIA_NEW_ARRAY(w->scratch, double, w->titles.count);
    bool *has_value = MLIA_NEW_ARRAY(w->scratch, bool, w->titles.count);
    const mlia_check **checks = checks_by_entity(w, result, &ids);
    MLIA_TRY_ALLOC(checks);
    MLIA_TRY_ALLOC(sorted);
    MLIA_TRY_ALLOC(values);
    MLIA_TRY_ALLOC(has_value);
    for (uint32_t i = 0; i < result->breakdowns.count; i++) {
        const uint32_t *entity = mlia_map_find(&ids, result->breakdowns.items[i].entity_id);
        if (entity != NULL)
            sorted[count++] = (sorted_breakdown){*entity, i};
    }
    qsort(sorted, count, sizeof *sorted, compare_breakdowns);
    size_t next = 0;
    for (uint32_t i = 0; i < result->entities.count; i++) {
        place at = {.result = result, .number = number, .entity = &result->entities.items[i]};
        if (next == count || sorted[next].entity != i)
            MLIA_TRY(add_wide_row(c, w, &at, checks[i], values, has_value));
        for (; next < count && sorted[next].entity == i; next++) {
            at.breakdown = &result->breakdowns.items[sorted[next].breakdown];
            MLIA_TRY(add_wide_row(c, w, &at, checks[i], values, has_value));
        }
    }
    return NULL;
}

static mlia_status *render_wide(const mlia_document *document, wide *w, mlia_buffer *buffer)
{
    MLIA_TRY(find_columns(w, document));
    csv c = {.buffer = buffer, .first = true};
    static const char *const fixed[] = {"result",      "entity_id", "entity_kind",
                                        "entity_name", "placement", "qualifiers"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add_name(&c, fixed[i]);
    if (w->has_checks) {
        add_name(&c, "check");
        add_name(&c, "reasons");
    }
    for (size_t i = 0; i < w->titles.count; i++)
        add_text(&c, w->titles.items[i]);
    end_row(&c);
    for (size_t i = 0; i < document->results.count; i++)
        MLIA_TRY(add_wide_result(&c, w, &document->results.items[i], i));
    return NULL;
}

mlia_status *mlia_render_csv_wide(const mlia_document *document, const mlia_render_options *options,
                                  mlia_buffer *buffer)
{
    (void)options;
    wide w = {.scratch = mlia_arena_new(0)};
    MLIA_TRY_ALLOC(w.scratch);
    w.columns = mlia_map_in(w.scratch);
    mlia_status *status = render_wide(document, &w, buffer);
    mlia_arena_free(w.scratch);
    return status;
}
