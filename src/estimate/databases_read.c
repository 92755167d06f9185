/* Reads the databases of a segment and connects them: performance rows → stripes → chains, cascades → fused
 * operators → operators → the graph. Every fault names file, table and row. */
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "estimate/databases.h"
#include "estimate/plan.h"

/* ---- tables ---- */

enum { COLUMNS = 5 };

typedef struct row {
    mlia_str cells[COLUMNS]; /* missing ones are empty */
} row;

typedef struct table {
    const mlia_database_file *file;
    const char *name;
    row *rows;
    uint32_t count;
    size_t capacity;
    mlia_map by_id; /* first cell → row */
} table;

static mlia_str trim(mlia_str s)
{
    while (s.size > 0 && (s.data[0] == ' ' || s.data[0] == '\t'))
        s = mlia_str_slice(s, 1, s.size);
    while (s.size > 0 && strchr(" \t\r", s.data[s.size - 1]) != NULL)
        s.size--;
    return s;
}

static mlia_status *fault(const table *t, uint32_t row_number, mlia_status *status)
{
    return mlia_status_path(mlia_status_in(status, "table %s, row %u", t->name, row_number), t->file->name);
}

#define ROW_FAULT(table, number, ...)                                                                        \
    fault((table), (number), mlia_error(MLIA_E_ESTIMATOR_PROGRAM, __VA_ARGS__))

/* Position of `word` in `text` from `start` on, SIZE_MAX when it is not there. */
static size_t find_text(mlia_str text, size_t start, const char *word)
{
    const char *found =
        start < text.size ? memmem(text.data + start, text.size - start, word, strlen(word)) : NULL;
    return found == NULL ? SIZE_MAX : (size_t)(found - text.data);
}

/* The CDATA body of a table. */
static mlia_status *find_body(const mlia_database_file *file, const char *name, mlia_str *body)
{
    char heading[64];
    snprintf(heading, sizeof heading, "<table name=\"%s\">", name);
    size_t start = find_text(file->text, 0, heading);
    size_t open = start == SIZE_MAX ? SIZE_MAX : find_text(file->text, start, "<![CDATA[");
    size_t close = open == SIZE_MAX ? SIZE_MAX : find_text(file->text, open, "]]>");
    size_t end = start == SIZE_MAX ? SIZE_MAX : find_text(file->text, start, "</table>");
    if (close == SIZE_MAX || end < open)
        return mlia_status_path(
            mlia_error(MLIA_E_ESTIMATOR_PROGRAM,
                       start == SIZE_MAX ? "there is no table %s" : "table %s has no body", name),
            file->name);
    *body = mlia_str_slice(file->text, open + 9, close - open - 9);
    return NULL;
}

/* Cuts a line at its first `columns` - 1 commas. */
static row split_row(mlia_str line, uint32_t columns)
{
    row r = {0};
    for (uint32_t i = 0; i < columns; i++) {
        size_t comma = i + 1 < columns ? mlia_str_find(line, ',') : SIZE_MAX;
        r.cells[i] = trim(comma == SIZE_MAX ? line : mlia_str_slice(line, 0, comma));
        line = comma == SIZE_MAX ? MLIA_STR_NONE : mlia_str_slice(line, comma + 1, line.size);
    }
    return r;
}

/* Reads a table of `columns` columns; its first line must begin with "id". Ids are unique unless `repeats`.
 */
static mlia_status *read_table(const mlia_database_file *file, const char *name, uint32_t columns,
                               bool repeats, mlia_arena *arena, table *t)
{
    mlia_str body = MLIA_STR_NONE;
    *t = (table){.file = file, .name = name, .by_id = mlia_map_in(arena)};
    MLIA_TRY(find_body(file, name, &body));
    bool heading = true;
    while (body.size > 0) {
        size_t newline = mlia_str_find(body, '\n');
        mlia_str line = trim(mlia_str_slice(body, 0, newline == SIZE_MAX ? body.size : newline));
        body = newline == SIZE_MAX ? MLIA_STR_NONE : mlia_str_slice(body, newline + 1, body.size);
        if (line.size == 0)
            continue;
        if (heading) {
            if (!mlia_str_starts_with(line, MLIA_STR("\"id\"")))
                return ROW_FAULT(t, 0, "the columns do not begin with \"id\"");
            heading = false;
            continue;
        }
        if (!MLIA_RESERVE(arena, t->rows, t->count, t->capacity))
            return mlia_error_memory();
        t->rows[t->count] = split_row(line, columns);
        bool is_new = true;
        MLIA_TRY_ALLOC(mlia_map_insert(&t->by_id, t->rows[t->count].cells[0], t->count, &is_new));
        t->count++;
        if (!is_new && !repeats)
            return ROW_FAULT(t, t->count, "id %.*s has a row already",
                             MLIA_STR_ARG(t->rows[t->count - 1].cells[0]));
    }
    return heading ? ROW_FAULT(t, 0, "the line with the columns is missing") : NULL;
}

static mlia_status *read_number(const table *t, uint32_t index, mlia_str text, const char *what,
                                uint64_t *number)
{
    int64_t value = 0;
    if (!mlia_str_to_i64(text, &value))
        return ROW_FAULT(t, index + 1, "%s is \"%.*s\"; a whole number is expected", what,
                         MLIA_STR_ARG(text));
    if (value < 0 || (double)value > 9007199254740991.0)
        return ROW_FAULT(t, index + 1, "%s is %.*s; it must be between 0 and 2^53 - 1", what,
                         MLIA_STR_ARG(text));
    *number = (uint64_t)value;
    return NULL;
}

/* The next item of a list cell ("a;b;"); false at its end. */
static bool next_item(mlia_str *list, mlia_str *item)
{
    while (list->size > 0) {
        size_t semicolon = mlia_str_find(*list, ';');
        *item = trim(semicolon == SIZE_MAX ? *list : mlia_str_slice(*list, 0, semicolon));
        *list = semicolon == SIZE_MAX ? MLIA_STR_NONE : mlia_str_slice(*list, semicolon + 1, list->size);
        if (item->size > 0)
            return true;
    }
    return false;
}

/* Row of another table that an id names. */
static mlia_status *follow_id(const table *from, uint32_t index, const table *to, mlia_str id,
                              uint32_t *row_index)
{
    const uint32_t *found = mlia_map_find(&to->by_id, id);
    if (found == NULL)
        return ROW_FAULT(from, index + 1, "table %s has no row %.*s", to->name, MLIA_STR_ARG(id));
    *row_index = *found;
    return NULL;
}

/* ---- figures ---- */

static uint32_t find_name(mlia_str name, uint32_t count, mlia_str (*name_of)(uint32_t))
{
    uint32_t i = 0;
    while (i < count && !mlia_str_equal(name_of(i), name))
        i++;
    return i;
}

static mlia_str memory_at(uint32_t index)
{
    return mlia_memory_name((mlia_memory)index);
}

static mlia_str section_at(uint32_t index)
{
    return mlia_section_name((mlia_section)index);
}

static mlia_status *read_memories(const table *t, uint32_t index, mlia_cost *cost,
                                  mlia_diagnostics *diagnostics)
{
    mlia_str list = t->rows[index].cells[3];
    mlia_str name;
    while (next_item(&list, &name)) {
        mlia_str texts[3] = {MLIA_STR_NONE, MLIA_STR_NONE, MLIA_STR_NONE};
        uint64_t numbers[3];
        for (uint32_t i = 0; i < 3; i++) {
            next_item(&list, &texts[i]);
            MLIA_TRY(read_number(t, index, texts[i], "a figure of a memory", &numbers[i]));
        }
        uint32_t memory = find_name(name, MLIA_MEMORY_COUNT, memory_at);
        if (memory < MLIA_MEMORY_COUNT)
            cost->memories[memory] = (mlia_traffic){numbers[0], numbers[1], numbers[2]};
        else if (!mlia_str_equal_c(name, "Internal"))
            mlia_warn(diagnostics, MLIA_W_UNESTIMATED,
                      "memory \"%.*s\" of %.*s is not known; its figures are left out", MLIA_STR_ARG(name),
                      MLIA_STR_ARG(t->file->name));
    }
    return NULL;
}

static mlia_status *read_sections(const table *t, uint32_t index, mlia_cost *cost,
                                  mlia_diagnostics *diagnostics)
{
    mlia_str list = t->rows[index].cells[4];
    mlia_str name;
    while (next_item(&list, &name)) {
        mlia_str text = MLIA_STR_NONE;
        uint64_t cycles = 0;
        next_item(&list, &text);
        MLIA_TRY(read_number(t, index, text, "the cycles of a section", &cycles));
        uint32_t section = find_name(name, MLIA_SECTION_COUNT, section_at);
        if (section < MLIA_SECTION_COUNT)
            cost->sections[section] = cycles;
        else
            mlia_warn(diagnostics, MLIA_W_UNESTIMATED,
                      "section \"%.*s\" of %.*s is not known; its figures are left out", MLIA_STR_ARG(name),
                      MLIA_STR_ARG(t->file->name));
    }
    return NULL;
}

static mlia_status *read_cost(const table *t, uint32_t index, mlia_cost *cost, mlia_diagnostics *diagnostics)
{
    MLIA_TRY(read_number(t, index, t->rows[index].cells[1], "opCycles", &cost->op_cycles));
    MLIA_TRY(read_number(t, index, t->rows[index].cells[2], "totalCycles", &cost->total_cycles));
    MLIA_TRY(read_memories(t, index, cost, diagnostics));
    return read_sections(t, index, cost, diagnostics);
}

/* ---- connecting ---- */

typedef struct reading {
    mlia_arena *arena;
    mlia_diagnostics *diagnostics;
    mlia_estimate_segment *segment;
    table performance, stripes, chains, fused, operators;
    uint32_t *operator_of; /* graph operator of each row of `operators`, MLIA_NONE when it is not found */
} reading;

/* "spirv-52" of "TOSACONV2D_spirv_id_52", else empty. */
static mlia_str spirv_name(mlia_arena *arena, mlia_str label)
{
    static const char word[] = "_spirv_id_";
    size_t start = find_text(label, 0, word);
    if (start == SIZE_MAX)
        return MLIA_STR_NONE;
    mlia_str number = mlia_str_slice(label, start + sizeof word - 1, label.size);
    return mlia_arena_format(arena, "spirv-%.*s", MLIA_STR_ARG(number));
}

/* Names of the graph's operators → operator; MLIA_NONE for a label that several have. */
static mlia_status *index_graph(const reading *r, mlia_map *names)
{
    const mlia_graph *graph = r->segment->graph;
    *names = mlia_map_in(r->arena);
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        if (graph->operators[i].source == MLIA_NONE)
            continue;
        const mlia_source *source = &graph->sources[graph->operators[i].source];
        size_t slash = mlia_str_find_last(source->id, '/');
        mlia_str keys[] = {mlia_str_slice(source->id, slash == SIZE_MAX ? 0 : slash + 1, source->id.size),
                           source->label};
        for (uint32_t k = 0; k < 2; k++) {
            bool is_new = true;
            if (keys[k].size == 0)
                continue;
            uint32_t *value = mlia_map_insert(names, keys[k], i, &is_new);
            MLIA_TRY_ALLOC(value);
            if (!is_new && *value != i)
                *value = MLIA_NONE;
        }
    }
    return NULL;
}

static mlia_status *find_operators(reading *r)
{
    mlia_map names;
    MLIA_TRY(index_graph(r, &names));
    r->operator_of = MLIA_NEW_ARRAY(r->arena, uint32_t, r->operators.count);
    MLIA_TRY_ALLOC(r->operator_of);
    for (uint32_t i = 0; i < r->operators.count; i++) {
        mlia_str list = r->operators.rows[i].cells[2];
        mlia_str label;
        r->operator_of[i] = MLIA_NONE;
        while (r->operator_of[i] == MLIA_NONE && next_item(&list, &label)) {
            mlia_str spirv = spirv_name(r->arena, label);
            const uint32_t *found = mlia_map_find(&names, spirv.size > 0 ? spirv : label);
            if (found != NULL)
                r->operator_of[i] = *found;
        }
    }
    return NULL;
}

/* Operators and groups of one chain. */
static mlia_status *read_chain(reading *r, uint32_t chain_row, mlia_estimate_chain *chain)
{
    mlia_str groups_list = r->chains.rows[chain_row].cells[1];
    mlia_str id;
    mlia_estimate_group *groups = NULL;
    size_t group_capacity = 0;
    size_t group_count = 0;
    uint32_t *operators = NULL;
    size_t capacity = 0;
    size_t count = 0;
    uint32_t sizes_start = 0;
    MLIA_TRY(read_number(&r->chains, chain_row, r->chains.rows[chain_row].cells[0], "id", &chain->id));
    while (next_item(&groups_list, &id)) {
        uint32_t fused = 0;
        MLIA_TRY(follow_id(&r->chains, chain_row, &r->fused, id, &fused));
        mlia_str list = r->fused.rows[fused].cells[1];
        sizes_start = (uint32_t)count;
        while (next_item(&list, &id)) {
            uint32_t operator_row = 0;
            MLIA_TRY(follow_id(&r->fused, fused, &r->operators, id, &operator_row));
            if (r->operator_of[operator_row] == MLIA_NONE)
                continue;
            if (!MLIA_RESERVE(r->arena, operators, count, capacity))
                return mlia_error_memory();
            operators[count++] = r->operator_of[operator_row];
        }
        if (!MLIA_RESERVE(r->arena, groups, group_count, group_capacity))
            return mlia_error_memory();
        groups[group_count++].operator_count = (uint32_t)count - sizes_start;
    }
    uint32_t next = 0;
    for (size_t g = 0; g < group_count; g++) {
        groups[g].operators = operators != NULL ? &operators[next] : NULL;
        next += groups[g].operator_count;
    }
    chain->operators = operators;
    chain->operator_count = (uint32_t)count;
    chain->groups = groups;
    chain->group_count = (uint32_t)group_count;
    return NULL;
}

/* A stripe on its way to its place: cascades by their first stripe, then chains, then stripes. */
typedef struct placed {
    uint64_t id, chain_id, cascade_id;
    uint64_t chain_first, cascade_first; /* first stripe of its chain and cascade */
    uint32_t chain_row;
    uint32_t performance_row;
} placed;

#define COMPARE(a, b) ((a) < (b) ? -1 : 1)

static int by_place(const void *a, const void *b)
{
    const placed *x = a;
    const placed *y = b;
    if (x->cascade_first != y->cascade_first)
        return COMPARE(x->cascade_first, y->cascade_first);
    if (x->chain_first != y->chain_first)
        return COMPARE(x->chain_first, y->chain_first);
    return x->id == y->id ? 0 : COMPARE(x->id, y->id);
}

/* Lowers the first stripe that `ids` keeps for `key`. */
static mlia_status *note_first(mlia_map *ids, mlia_str key, uint64_t *firsts, uint32_t *count,
                               uint64_t stripe)
{
    bool is_new = false;
    uint32_t *place = mlia_map_insert(ids, key, *count, &is_new);
    MLIA_TRY_ALLOC(place);
    if (is_new)
        firsts[(*count)++] = stripe;
    else if (stripe < firsts[*place])
        firsts[*place] = stripe;
    return NULL;
}

static mlia_status *place_stripes(reading *r, placed **result)
{
    const table *stripes = &r->stripes;
    placed *list = MLIA_NEW_ARRAY(r->arena, placed, stripes->count);
    uint64_t *chain_firsts = MLIA_NEW_ARRAY(r->arena, uint64_t, stripes->count);
    uint64_t *cascade_firsts = MLIA_NEW_ARRAY(r->arena, uint64_t, stripes->count);
    uint32_t counts[2] = {0};
    mlia_map chains = mlia_map_in(r->arena);
    mlia_map cascades = mlia_map_in(r->arena);
    MLIA_TRY_ALLOC(list);
    MLIA_TRY_ALLOC(chain_firsts);
    MLIA_TRY_ALLOC(cascade_firsts);
    for (uint32_t i = 0; i < stripes->count; i++) {
        const row *cells = &stripes->rows[i];
        MLIA_TRY(read_number(stripes, i, cells->cells[0], "id", &list[i].id));
        mlia_str chain_list = cells->cells[1];
        mlia_str cascade_list = cells->cells[2];
        mlia_str chain = MLIA_STR_NONE;
        mlia_str cascade = MLIA_STR_NONE;
        mlia_str more;
        next_item(&chain_list, &chain);
        next_item(&cascade_list, &cascade);
        if (next_item(&chain_list, &more) || next_item(&cascade_list, &more))
            return ROW_FAULT(stripes, i + 1, "a stripe names more than one chain or cascade");
        MLIA_TRY(follow_id(stripes, i, &r->chains, chain, &list[i].chain_row));
        MLIA_TRY(read_number(stripes, i, cascade, "cascade_op_id", &list[i].cascade_id));
        MLIA_TRY(read_number(stripes, i, chain, "op_id", &list[i].chain_id));
        MLIA_TRY(note_first(&chains, chain, chain_firsts, &counts[0], list[i].id));
        MLIA_TRY(note_first(&cascades, cascade, cascade_firsts, &counts[1], list[i].id));
        const uint32_t *figures = mlia_map_find(&r->performance.by_id, cells->cells[0]);
        if (figures == NULL)
            return ROW_FAULT(stripes, i + 1, "stripe %.*s has no row in %.*s", MLIA_STR_ARG(cells->cells[0]),
                             MLIA_STR_ARG(r->performance.file->name));
        list[i].performance_row = *figures;
    }
    for (uint32_t i = 0; i < stripes->count; i++) {
        mlia_str chain = trim(stripes->rows[i].cells[1]);
        mlia_str cascade = trim(stripes->rows[i].cells[2]);
        mlia_str item = MLIA_STR_NONE;
        next_item(&chain, &item);
        list[i].chain_first = chain_firsts[*mlia_map_find(&chains, item)];
        next_item(&cascade, &item);
        list[i].cascade_first = cascade_firsts[*mlia_map_find(&cascades, item)];
    }
    qsort(list, stripes->count, sizeof *list, by_place);
    *result = list;
    return NULL;
}

static mlia_status *fill_segment(reading *r, const placed *list)
{
    uint32_t count = r->stripes.count;
    mlia_estimate_segment *s = r->segment;
    mlia_estimate_stripe *stripes = MLIA_NEW_ARRAY(r->arena, mlia_estimate_stripe, count);
    mlia_estimate_chain *chains = MLIA_NEW_ARRAY(r->arena, mlia_estimate_chain, count);
    mlia_estimate_cascade *cascades = MLIA_NEW_ARRAY(r->arena, mlia_estimate_cascade, count);
    mlia_map seen = mlia_map_in(r->arena);
    MLIA_TRY_ALLOC(stripes);
    MLIA_TRY_ALLOC(chains);
    MLIA_TRY_ALLOC(cascades);
    for (uint32_t i = 0; i < count; i++) {
        const placed *p = &list[i];
        bool new_cascade = i == 0 || p->cascade_id != list[i - 1].cascade_id;
        if (new_cascade)
            cascades[s->cascade_count++] =
                (mlia_estimate_cascade){.id = p->cascade_id, .first_chain = s->chain_count};
        if (new_cascade || p->chain_row != list[i - 1].chain_row) {
            bool is_new = true;
            mlia_str id = r->chains.rows[p->chain_row].cells[0];
            MLIA_TRY_ALLOC(mlia_map_insert(&seen, id, 0, &is_new));
            if (!is_new)
                return ROW_FAULT(&r->chains, p->chain_row + 1, "chain %.*s belongs to two cascades",
                                 MLIA_STR_ARG(id));
            mlia_estimate_chain *chain = &chains[s->chain_count++];
            MLIA_TRY(read_chain(r, p->chain_row, chain));
            chain->first_stripe = i;
            chain->cascade = s->cascade_count - 1;
            cascades[chain->cascade].chain_count++;
        }
        mlia_estimate_chain *chain = &chains[s->chain_count - 1];
        stripes[i] = (mlia_estimate_stripe){.id = p->id, .chain = s->chain_count - 1};
        MLIA_TRY(read_cost(&r->performance, p->performance_row, &stripes[i].cost, r->diagnostics));
        chain->stripe_count++;
        mlia_cost_add(&chain->cost, &stripes[i].cost);
        mlia_cost_add(&cascades[chain->cascade].cost, &stripes[i].cost);
        mlia_cost_add(&s->cost, &stripes[i].cost);
    }
    for (uint32_t i = 0; i < s->chain_count; i++)
        mlia_chain_find_bound(&chains[i]);
    s->stripes = stripes;
    s->stripe_count = count;
    s->chains = chains;
    s->cascades = cascades;
    return NULL;
}

mlia_status *mlia_databases_read(const mlia_database_file *performance, const mlia_database_file *debug,
                                 mlia_arena *arena, mlia_diagnostics *diagnostics,
                                 mlia_estimate_segment *segment)
{
    reading r = {.arena = arena, .diagnostics = diagnostics, .segment = segment};
    MLIA_TRY(read_table(performance, "performance", 5, false, arena, &r.performance));
    MLIA_TRY(read_table(debug, "stripe_op_id", 3, false, arena, &r.stripes));
    MLIA_TRY(read_table(debug, "chain_op_id", 2, false, arena, &r.chains));
    MLIA_TRY(read_table(debug, "fused_op_id", 2, false, arena, &r.fused));
    MLIA_TRY(read_table(debug, "tosa_op_id", 3, false, arena, &r.operators));
    for (uint32_t i = 0; i < r.performance.count; i++) {
        uint32_t stripe = 0;
        MLIA_TRY(follow_id(&r.performance, i, &r.stripes, r.performance.rows[i].cells[0], &stripe));
    }
    if (r.performance.count == 0)
        r.stripes.count = 0; /* a model that the program has no figures for */
    MLIA_TRY(find_operators(&r));
    placed *list = NULL;
    MLIA_TRY(place_stripes(&r, &list));
    return fill_segment(&r, list);
}
