/* Collapse: framework frames and the like disappear from the entity graph, what hung below them moves up. */
#include <stdlib.h>

#include "result/stages.h"

static const mlia_str nx_globs[] = {MLIA_STR_INIT("**/site-packages/torch/**"),
                                    MLIA_STR_INIT("**/site-packages/executorch/**")};
static const mlia_collapse_rule nx_rules[] = {
    {MLIA_STR_INIT("code_stack"), MLIA_STR_INIT("file"), nx_globs, sizeof nx_globs / sizeof *nx_globs}};
const mlia_collapse_rules mlia_collapse_nx = {nx_rules, sizeof nx_rules / sizeof *nx_rules};

/* Contractions that make more edges than this in total are not done. */
enum { EDGE_BUDGET = 1 << 24 };

/* Next code point; ill-formed bytes count as one character each sequence. */
static uint32_t next_point(mlia_str text, size_t *position)
{
    uint32_t point;
    (void)mlia_utf8_next(text, position, &point);
    return point;
}

/* Matches one character against the set whose '[' stands before `*position`; false in `*is_set`: never
 * closed. */
static bool match_set(mlia_str pattern, size_t *position, uint32_t point, bool *is_set)
{
    size_t at = *position;
    bool negated = at < pattern.size && pattern.data[at] == '!';
    at += negated;
    size_t first = at;
    size_t close = at;
    while (close < pattern.size && (pattern.data[close] != ']' || close == first))
        close++;
    *is_set = close < pattern.size;
    if (!*is_set)
        return false;
    mlia_str set = mlia_str_slice(pattern, first, close - first);
    bool found = false;
    for (size_t i = 0; i < set.size;) {
        uint32_t low = next_point(set, &i);
        uint32_t high = low;
        if (i + 1 < set.size && set.data[i] == '-') {
            i++;
            high = next_point(set, &i);
        }
        found = found || (point >= low && point <= high);
    }
    *position = close + 1;
    return found != negated;
}

/* Matches one element of the pattern that is not '*' with one character. */
static bool match_one(mlia_str pattern, size_t *p, mlia_str text, size_t *t)
{
    size_t next_p = *p;
    size_t next_t = *t;
    uint32_t point = next_point(text, &next_t);
    uint32_t element = next_point(pattern, &next_p);
    bool matches = element == point || element == '?';
    if (element == '[') {
        bool is_set;
        size_t set_end = next_p;
        bool in_set = match_set(pattern, &set_end, point, &is_set);
        if (is_set) {
            matches = in_set;
            next_p = set_end;
        } else {
            matches = point == '[';
        }
    }
    *p = next_p;
    *t = next_t;
    return matches;
}

bool mlia_glob_match(mlia_str pattern, mlia_str text)
{
    size_t p = 0;
    size_t t = 0;
    size_t star = SIZE_MAX; /* behind the last '*' … */
    size_t retry = 0;       /* … and where its run ends so far */
    for (;;) {
        if (p < pattern.size && pattern.data[p] == '*') {
            star = ++p;
            retry = t;
            continue;
        }
        if (t == text.size && p == pattern.size)
            return true;
        if (t < text.size && p < pattern.size && match_one(pattern, &p, text, &t))
            continue;
        if (star == SIZE_MAX || retry == text.size)
            return false;
        (void)next_point(text, &retry);
        t = retry;
        p = star;
    }
}

static bool is_selected(const mlia_entity *entity, const mlia_collapse_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        const mlia_collapse_rule *rule = &rules->items[i];
        if (!mlia_str_equal(entity->kind, rule->kind))
            continue;
        const mlia_value *value = mlia_value_get(entity->attributes, rule->attribute);
        for (size_t g = 0; value != NULL && value->type == MLIA_VALUE_STRING && g < rule->glob_count; g++)
            if (mlia_glob_match(rule->globs[g], value->as.string))
                return true;
    }
    return false;
}

typedef MLIA_LIST(uint32_t) neighbours;

/* The graph while nodes disappear: lists may name removed nodes and name others twice. */
typedef struct contraction {
    mlia_arena *arena;
    const mlia_result *result;
    mlia_kind_table kinds;
    neighbours *parents;
    neighbours *children;
    bool *is_removed;
    uint32_t *mark;
    uint32_t stamp;
    size_t edges_made;
} contraction;

/* Drops removed and repeated nodes from a list. */
static void tidy(contraction *c, neighbours *list)
{
    size_t kept = 0;
    c->stamp++;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t node = list->items[i];
        if (c->is_removed[node] || c->mark[node] == c->stamp)
            continue;
        c->mark[node] = c->stamp;
        list->items[kept++] = node;
    }
    list->count = kept;
}

/* May `node` go: are the edges that would take its place allowed? */
static bool can_contract(contraction *c, uint32_t node)
{
    const neighbours *up = &c->parents[node];
    const neighbours *down = &c->children[node];
    if (down->count > 0 && up->count > (EDGE_BUDGET - c->edges_made) / down->count)
        return false;
    for (size_t i = 0; i < up->count; i++)
        for (size_t k = 0; k < down->count; k++)
            if (!mlia_kind_edge_allowed(&c->kinds, c->kinds.of_entity[up->items[i]],
                                        c->kinds.of_entity[down->items[k]]))
                return false;
    return true;
}

static bool contract(contraction *c, uint32_t node)
{
    const neighbours *up = &c->parents[node];
    const neighbours *down = &c->children[node];
    c->is_removed[node] = true;
    c->edges_made += up->count * down->count;
    for (size_t i = 0; i < up->count; i++)
        for (size_t k = 0; k < down->count; k++)
            if (!MLIA_APPEND(c->arena, c->children[up->items[i]], down->items[k]) ||
                !MLIA_APPEND(c->arena, c->parents[down->items[k]], up->items[i]))
                return false;
    return true;
}

static int compare_candidates(const void *left, const void *right)
{
    return mlia_str_compare((*(const mlia_entity *const *)left)->id,
                            (*(const mlia_entity *const *)right)->id);
}

static mlia_status *make_contraction(contraction *c, const mlia_result *result)
{
    mlia_result_index index;
    MLIA_TRY(mlia_result_index_make(c->arena, result, &index));
    MLIA_TRY(mlia_kind_table_make(c->arena, result, &c->kinds));
    c->result = result;
    c->parents = MLIA_NEW_ARRAY(c->arena, neighbours, index.count);
    c->children = MLIA_NEW_ARRAY(c->arena, neighbours, index.count);
    c->is_removed = MLIA_NEW_ARRAY(c->arena, bool, index.count);
    c->mark = MLIA_NEW_ARRAY(c->arena, uint32_t, index.count);
    MLIA_TRY_ALLOC(c->parents);
    MLIA_TRY_ALLOC(c->children);
    MLIA_TRY_ALLOC(c->is_removed);
    MLIA_TRY_ALLOC(c->mark);
    for (size_t i = 0; i < index.edges.count; i++) {
        mlia_edge edge = index.edges.items[i];
        if (!MLIA_APPEND(c->arena, c->children[edge.from], edge.to) ||
            !MLIA_APPEND(c->arena, c->parents[edge.to], edge.from))
            return mlia_error_memory();
    }
    return NULL;
}

/* Removes candidates in order of their ids; `*removed` tells how many went. */
static mlia_status *contract_all(contraction *c, const mlia_entity **candidates, size_t count,
                                 mlia_diagnostics *diagnostics, size_t *removed)
{
    qsort((void *)candidates, count, sizeof(const mlia_entity *), compare_candidates);
    *removed = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t node = (uint32_t)(candidates[i] - c->result->entities.items);
        tidy(c, &c->parents[node]);
        tidy(c, &c->children[node]);
        if (!can_contract(c, node)) {
            mlia_warn(diagnostics, MLIA_W_COLLAPSE,
                      "'%.*s' cannot be collapsed: its neighbours may not be connected",
                      MLIA_STR_ARG(candidates[i]->id));
            continue;
        }
        if (!contract(c, node))
            return mlia_error_memory();
        ++*removed;
    }
    return NULL;
}

static bool is_gone(const mlia_map *gone, mlia_str id)
{
    return id.data != NULL && mlia_map_find(gone, id) != NULL;
}

/* Breakdowns and checks of removed entities go; advice forgets them, and goes when it loses its last one. */
static void forget(const mlia_map *gone, mlia_result *result)
{
    size_t kept = 0;
    for (size_t i = 0; i < result->breakdowns.count; i++)
        if (!is_gone(gone, result->breakdowns.items[i].entity_id))
            result->breakdowns.items[kept++] = result->breakdowns.items[i];
    result->breakdowns.count = kept;
    kept = 0;
    for (size_t i = 0; i < result->checks.count; i++)
        if (!is_gone(gone, result->checks.items[i].entity_id))
            result->checks.items[kept++] = result->checks.items[i];
    result->checks.count = kept;
    kept = 0;
    for (size_t i = 0; i < result->advice.count; i++) {
        mlia_texts *ids = &result->advice.items[i].affected_entity_ids;
        size_t before = ids->count;
        ids->count = 0;
        for (size_t k = 0; k < before; k++)
            if (!is_gone(gone, ids->items[k]))
                ids->items[ids->count++] = ids->items[k];
        if (ids->count > 0 || before == 0)
            result->advice.items[kept++] = result->advice.items[i];
    }
    result->advice.count = kept;
}

/* Entities and edges that are left. */
static mlia_status *apply(contraction *c, mlia_arena *arena, mlia_result *result)
{
    uint32_t *new_position = MLIA_NEW_ARRAY(c->arena, uint32_t, result->entities.count);
    MLIA_TRY_ALLOC(new_position);
    mlia_map gone = mlia_map_in(c->arena);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < result->entities.count; i++) {
        new_position[i] = kept;
        if (c->is_removed[i])
            MLIA_TRY_ALLOC(mlia_map_insert(&gone, result->entities.items[i].id, 0, NULL));
        else
            result->entities.items[kept++] = result->entities.items[i];
    }
    mlia_edges edges = {0};
    for (uint32_t i = 0; i < result->entities.count; i++)
        for (size_t k = 0; !c->is_removed[i] && k < c->children[i].count; k++) {
            uint32_t child = c->children[i].items[k];
            if (!c->is_removed[child] &&
                !MLIA_APPEND(c->arena, edges, (mlia_edge){new_position[i], new_position[child]}))
                return mlia_error_memory();
        }
    result->entities.count = kept;
    mlia_edges_normalise(&edges);
    forget(&gone, result);
    return mlia_result_set_edges(arena, &edges, result);
}

static mlia_status *collapse(mlia_arena *scratch, mlia_arena *arena, const mlia_collapse_rules *rules,
                             mlia_diagnostics *diagnostics, mlia_result *result)
{
    MLIA_LIST(const mlia_entity *) candidates = {0};
    for (size_t i = 0; i < result->entities.count; i++)
        if (is_selected(&result->entities.items[i], rules) &&
            !MLIA_APPEND(scratch, candidates, &result->entities.items[i]))
            return mlia_error_memory();
    if (candidates.count == 0)
        return NULL;
    contraction c = {.arena = scratch};
    size_t removed;
    MLIA_TRY(make_contraction(&c, result));
    MLIA_TRY(contract_all(&c, candidates.items, candidates.count, diagnostics, &removed));
    return removed > 0 ? apply(&c, arena, result) : NULL;
}

mlia_status *mlia_result_collapse(mlia_arena *arena, const mlia_collapse_rules *rules,
                                  mlia_diagnostics *diagnostics, mlia_result *result)
{
    mlia_arena *scratch = mlia_arena_new(0);
    MLIA_TRY_ALLOC(scratch);
    mlia_status *status = collapse(scratch, arena, rules, diagnostics, result);
    mlia_arena_free(scratch);
    return status;
}
