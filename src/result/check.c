/* Rules R1-R5: unique ids, references, no cycles, known kinds, covered edges. Near-linear in the result. */
#include "result/check.h"

/* What one check looks at; `scratch` is freed afterwards. */
typedef struct checker {
    const mlia_result *result;
    mlia_arena *scratch;
    mlia_faults *faults;
    mlia_result_index index;
    mlia_kind_table kinds;
} checker;

static void check_unique_ids(checker *c, const mlia_step *entities)
{
    for (uint32_t i = 0; i < c->index.count; i++) {
        mlia_str id = c->result->entities.items[i].id;
        uint32_t first = *mlia_map_find(&c->index.ids, id);
        mlia_step item = mlia_step_item(entities, i);
        mlia_step place = mlia_step_member(&item, "id");
        if (first != i)
            mlia_fault_add(c->faults, "R1", &place, "the id '%.*s' is that of entity %u too",
                           MLIA_SHORT_ARG(id), first);
    }
}

static void check_reference(checker *c, const mlia_step *place, mlia_str id)
{
    if (mlia_map_find(&c->index.ids, id) == NULL)
        mlia_fault_add(c->faults, "R2", place, "'%.*s' is no entity of this result", MLIA_SHORT_ARG(id));
}

static void check_reference_list(checker *c, const mlia_step *owner, const char *member,
                                 const mlia_texts *ids)
{
    mlia_step list = mlia_step_member(owner, member);
    for (size_t i = 0; i < ids->count; i++) {
        mlia_step place = mlia_step_item(&list, i);
        check_reference(c, &place, ids->items[i]);
    }
}

static void check_entity_references(checker *c, const mlia_step *entities)
{
    for (uint32_t i = 0; i < c->index.count; i++) {
        mlia_step item = mlia_step_item(entities, i);
        check_reference_list(c, &item, "parent_ids", &c->result->entities.items[i].parent_ids);
        check_reference_list(c, &item, "child_ids", &c->result->entities.items[i].child_ids);
    }
}

static void check_other_references(checker *c, const mlia_step *at)
{
    const mlia_result *result = c->result;
    mlia_step breakdowns = mlia_step_member(at, "breakdowns");
    for (size_t i = 0; i < result->breakdowns.count; i++) {
        mlia_step item = mlia_step_item(&breakdowns, i);
        mlia_step place = mlia_step_member(&item, "entity_id");
        check_reference(c, &place, result->breakdowns.items[i].entity_id);
    }
    mlia_step checks = mlia_step_member(at, "checks");
    for (size_t i = 0; i < result->checks.count; i++) {
        mlia_step item = mlia_step_item(&checks, i);
        mlia_step place = mlia_step_member(&item, "entity_id");
        if (result->checks.items[i].entity_id.data != NULL)
            check_reference(c, &place, result->checks.items[i].entity_id);
    }
    mlia_step advice = mlia_step_member(at, "advice");
    for (size_t i = 0; i < result->advice.count; i++) {
        mlia_step item = mlia_step_item(&advice, i);
        check_reference_list(c, &item, "affected_entity_ids", &result->advice.items[i].affected_entity_ids);
    }
}

/* Entities that cannot be sorted lie on a cycle or behind one; walking to a parent that cannot be sorted
 * either must come back to where it was. */
static mlia_status *check_cycles(checker *c, const mlia_step *entities)
{
    uint32_t *order;
    uint32_t sorted;
    MLIA_TRY(mlia_topological_order(c->scratch, &c->index.children, &c->index.parents, c->index.count, &order,
                                    &sorted));
    if (sorted == c->index.count)
        return NULL;
    bool *done = MLIA_NEW_ARRAY(c->scratch, bool, c->index.count);
    bool *seen = MLIA_NEW_ARRAY(c->scratch, bool, c->index.count);
    MLIA_TRY_ALLOC(done);
    MLIA_TRY_ALLOC(seen);
    for (uint32_t i = 0; i < sorted; i++)
        done[order[i]] = true;
    uint32_t node = 0;
    while (done[node])
        node++;
    while (!seen[node]) {
        seen[node] = true;
        const uint32_t *parents = mlia_adjacent(&c->index.parents, node);
        uint32_t i = 0;
        while (done[parents[i]])
            i++;
        node = parents[i];
    }
    mlia_step place = mlia_step_item(entities, node);
    mlia_fault_add(c->faults, "R3", &place, "'%.*s' is its own ancestor",
                   MLIA_SHORT_ARG(c->result->entities.items[node].id));
    return NULL;
}

static bool is_declared(const checker *c, mlia_str kind)
{
    const uint32_t *number = mlia_map_find(&c->kinds.numbers, kind);
    return number != NULL && *number < c->kinds.count;
}

static void check_kind_names(checker *c, const mlia_step *owner, const char *member, const mlia_texts *kinds)
{
    mlia_step list = mlia_step_member(owner, member);
    for (size_t i = 0; i < kinds->count; i++) {
        mlia_step place = mlia_step_item(&list, i);
        if (!is_declared(c, kinds->items[i]))
            mlia_fault_add(c->faults, "R4", &place, "the kind '%.*s' is neither well known nor declared",
                           MLIA_SHORT_ARG(kinds->items[i]));
    }
}

static mlia_status *check_kinds(checker *c, const mlia_step *at)
{
    mlia_step list = mlia_step_member(at, "entity_kinds");
    mlia_map seen = mlia_map_in(c->scratch);
    for (size_t i = 0; i < c->result->entity_kinds.count; i++) {
        const mlia_entity_kind *kind = &c->result->entity_kinds.items[i];
        mlia_step item = mlia_step_item(&list, i);
        mlia_step place = mlia_step_member(&item, "id");
        bool is_new;
        MLIA_TRY_ALLOC(mlia_map_insert(&seen, kind->id, 0, &is_new));
        if (*mlia_map_find(&c->kinds.numbers, kind->id) < MLIA_KIND_WELL_KNOWN)
            mlia_fault_add(c->faults, "R4", &place, "the kind '%.*s' is well known and may not be declared",
                           MLIA_SHORT_ARG(kind->id));
        else if (!is_new)
            mlia_fault_add(c->faults, "R4", &place, "the kind '%.*s' is declared twice",
                           MLIA_SHORT_ARG(kind->id));
        check_kind_names(c, &item, "parent_kinds", &kind->parent_kinds);
        check_kind_names(c, &item, "child_kinds", &kind->child_kinds);
    }
    mlia_step entities = mlia_step_member(at, "entities");
    for (uint32_t i = 0; i < c->index.count; i++) {
        mlia_step item = mlia_step_item(&entities, i);
        mlia_step place = mlia_step_member(&item, "kind");
        if (c->kinds.of_entity[i] >= c->kinds.count)
            mlia_fault_add(c->faults, "R4", &place, "the kind '%.*s' is neither well known nor declared",
                           MLIA_SHORT_ARG(c->result->entities.items[i].kind));
    }
    return NULL;
}

static void check_edges(checker *c, const mlia_step *entities)
{
    for (size_t i = 0; i < c->index.edges.count; i++) {
        mlia_edge edge = c->index.edges.items[i];
        uint32_t from = c->kinds.of_entity[edge.from];
        uint32_t to = c->kinds.of_entity[edge.to];
        if (from >= c->kinds.count || to >= c->kinds.count || mlia_kind_edge_allowed(&c->kinds, from, to))
            continue;
        const mlia_entity *parent = &c->result->entities.items[edge.from];
        const mlia_entity *child = &c->result->entities.items[edge.to];
        mlia_step place = mlia_step_item(entities, edge.from);
        mlia_fault_add(c->faults, "R5", &place,
                       "no declared edge of kinds covers '%.*s' (%.*s) -> '%.*s' (%.*s)",
                       MLIA_SHORT_ARG(parent->id), MLIA_SHORT_ARG(parent->kind), MLIA_SHORT_ARG(child->id),
                       MLIA_SHORT_ARG(child->kind));
    }
}

static mlia_status *check_references(checker *c, const mlia_step *at)
{
    MLIA_TRY(mlia_result_index_make(c->scratch, c->result, &c->index));
    MLIA_TRY(mlia_kind_table_make(c->scratch, c->result, &c->kinds));
    mlia_step entities = mlia_step_member(at, "entities");
    check_unique_ids(c, &entities);
    check_entity_references(c, &entities);
    check_other_references(c, at);
    MLIA_TRY(check_cycles(c, &entities));
    MLIA_TRY(check_kinds(c, at));
    check_edges(c, &entities);
    return NULL;
}

mlia_status *mlia_result_check_references(const mlia_result *result, const mlia_step *at, mlia_faults *faults)
{
    checker c = {.result = result, .faults = faults, .scratch = mlia_arena_new(0)};
    MLIA_TRY_ALLOC(c.scratch);
    mlia_status *status = check_references(&c, at);
    mlia_arena_free(c.scratch);
    return status;
}
