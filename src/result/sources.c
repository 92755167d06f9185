/* Sources of projection: records of authoritative entities, shadowing, frontiers. */
#include <stdlib.h>

#include "result/project.h"

/* Leaves of several entities together, ascending. */
static const uint32_t *join_leaves(mlia_projection *p, const uint32_t *origins, uint32_t count,
                                   uint32_t *leaf_count)
{
    size_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most += mlia_leaf_count(&p->space, origins[i]);
    uint32_t *leaves = MLIA_NEW_ARRAY(p->arena, uint32_t, most);
    if (leaves == NULL)
        return NULL;
    uint32_t mark = ++p->visit;
    uint32_t end = 0;
    for (uint32_t i = 0; i < count; i++)
        for (size_t k = 0; k < mlia_leaf_count(&p->space, origins[i]); k++) {
            uint32_t leaf = mlia_leaves(&p->space, origins[i])[k];
            if (p->extra_mark[leaf] != mark)
                leaves[end++] = leaf;
            p->extra_mark[leaf] = mark;
        }
    p->steps += most;
    *leaf_count = end;
    return leaves;
}

static bool count_kinds(mlia_projection *p, mlia_record *record)
{
    enum { FEW_KINDS = 32 };
    size_t kinds = p->space.kinds->numbers.count;
    if (kinds > FEW_KINDS)
        return true;
    record->kind_counts = MLIA_NEW_ARRAY(p->arena, uint32_t, kinds);
    if (record->kind_counts == NULL)
        return false;
    for (uint32_t i = 0; i < record->leaf_count; i++) {
        uint64_t bits = p->space.kind_bits[record->leaves[i] * p->space.kind_words];
        for (; bits != 0; bits &= bits - 1)
            record->kind_counts[__builtin_ctzll(bits)]++;
    }
    return true;
}

/* A new record, or NULL when out of memory; `origins` must be ascending and stay. */
static mlia_record *new_record(mlia_projection *p, uint32_t *origins, uint32_t count, mlia_figures figures,
                               uint32_t exposer)
{
    mlia_record *record = MLIA_NEW(p->arena, mlia_record);
    if (record == NULL)
        return NULL;
    *record =
        (mlia_record){.origins = origins, .origin_count = count, .figures = figures, .exposer = exposer};
    if (count == 1) {
        record->leaves = mlia_leaves(&p->space, origins[0]);
        record->leaf_count = (uint32_t)mlia_leaf_count(&p->space, origins[0]);
    } else {
        record->leaves = join_leaves(p, origins, count, &record->leaf_count);
    }
    if (record->leaves == NULL || !count_kinds(p, record) || !MLIA_APPEND(p->arena, p->records, record))
        return NULL;
    return record;
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static mlia_status *sum_figures(mlia_projection *p, mlia_record *const *parts, size_t count,
                                mlia_figures *sum)
{
    MLIA_TRY(mlia_figures_copy(p->arena, &parts[0]->figures, sum));
    for (size_t i = 1; i < count; i++)
        mlia_figures_add(sum, &parts[i]->figures);
    mlia_figures_settle(sum);
    p->steps += count * (sum->count + 1);
    return NULL;
}

static mlia_status *list_composite(mlia_projection *p, const mlia_record *record, uint32_t number)
{
    for (uint32_t i = 0; i < record->origin_count; i++)
        if (!MLIA_APPEND(p->arena, p->composites[record->origins[i]], number))
            return mlia_error_memory();
    return NULL;
}

mlia_status *mlia_record_sum(mlia_projection *p, mlia_record *const *parts, size_t count, uint32_t exposer,
                             mlia_record **record, bool *is_new)
{
    *record = NULL;
    *is_new = false;
    if (count == 1) {
        *record = parts[0];
        *is_new =
            (*record)->exposer != exposer && !(*record)->has_more_exposers && (*record)->origin_count > 1;
        (*record)->has_more_exposers |= (*record)->exposer != exposer;
        return NULL;
    }
    uint32_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += parts[i]->origin_count;
    uint32_t *origins = MLIA_NEW_ARRAY(p->arena, uint32_t, total);
    MLIA_TRY_ALLOC(origins);
    uint32_t end = 0;
    bool sealed = true;
    for (size_t i = 0; i < count; i++) {
        memcpy(origins + end, parts[i]->origins, parts[i]->origin_count * sizeof *origins);
        end += parts[i]->origin_count;
        sealed = sealed && parts[i]->is_sealed;
    }
    qsort(origins, total, sizeof *origins, compare_numbers);
    mlia_str key = {(const char *)origins, total * sizeof *origins};
    const uint32_t *known = mlia_map_find(&p->by_origins, key);
    if (known != NULL) {
        *record = p->records.items[*known];
        (*record)->has_more_exposers |= (*record)->exposer != exposer;
        return NULL;
    }
    mlia_figures figures;
    MLIA_TRY(sum_figures(p, parts, count, &figures));
    if (figures.count == 0)
        return NULL;
    mlia_record *made = new_record(p, origins, total, figures, exposer);
    MLIA_TRY_ALLOC(made);
    made->is_sealed = sealed;
    uint32_t number = (uint32_t)p->records.count - 1;
    MLIA_TRY_ALLOC(mlia_map_insert(&p->by_origins, key, number, NULL));
    *record = made;
    *is_new = true;
    return list_composite(p, made, number);
}

/* An authoritative entity with an authoritative child over a declared edge is no source. */
static void find_shadowed(mlia_projection *p)
{
    const mlia_kind_table *kinds = p->space.kinds;
    for (uint32_t e = 0; e < p->space.count; e++) {
        const mlia_adjacency *children = &p->space.index->children;
        for (uint32_t i = 0; p->figures.is_authoritative[e] && i < mlia_adjacent_count(children, e); i++) {
            uint32_t child = mlia_adjacent(children, e)[i];
            if (p->figures.is_authoritative[child] &&
                mlia_kind_edge_declared(kinds, kinds->of_entity[e], kinds->of_entity[child]))
                p->is_shadowed[e] = true;
        }
    }
}

static bool is_source(const mlia_projection *p, uint32_t entity)
{
    return p->figures.is_authoritative[entity] && !p->is_shadowed[entity];
}

static mlia_status *make_origins(mlia_projection *p)
{
    mlia_edges covers = {0};
    for (uint32_t e = 0; e < p->space.count; e++) {
        p->atom_of[e] = p->single_of[e] = MLIA_NO_RECORD;
        if (!is_source(p, e))
            continue;
        for (size_t i = 0; i < mlia_leaf_count(&p->space, e); i++)
            if (!MLIA_APPEND(p->arena, covers, (mlia_edge){mlia_leaves(&p->space, e)[i], e}))
                return mlia_error_memory();
        if (!p->figures.is_usable[e])
            continue;
        uint32_t *origin = MLIA_NEW(p->arena, uint32_t);
        MLIA_TRY_ALLOC(origin);
        *origin = e;
        p->atom_of[e] = p->single_of[e] = (uint32_t)p->records.count;
        MLIA_TRY_ALLOC(new_record(p, origin, 1, p->figures.of_entity[e], e));
    }
    mlia_edges_normalise(&covers);
    mlia_adjacency unused;
    return mlia_adjacency_make(p->arena, &covers, p->space.count, &p->covers, &unused);
}

/* The sealed record of several frontier parents becomes the atom of each: their own records cover the same
 * leaves and have fewer origins. Frontiers that use one origin in different company tangle. */
static void make_atom(mlia_projection *p, const mlia_record *record, uint32_t number)
{
    bool tangled = false;
    for (uint32_t i = 0; i < record->origin_count; i++) {
        const mlia_record *atom = p->records.items[p->atom_of[record->origins[i]]];
        tangled = tangled || atom->origin_count > 1;
    }
    for (uint32_t i = 0; i < record->origin_count; i++) {
        if (tangled)
            p->records.items[p->atom_of[record->origins[i]]]->is_tangled = true;
        else
            p->atom_of[record->origins[i]] = number;
    }
}

static mlia_status *block(mlia_projection *p, uint32_t entity, const uint32_t *origins, uint32_t count)
{
    if (!MLIA_APPEND(p->arena, p->blocked,
                     (mlia_blocked){.entity = entity, .origins = origins, .origin_count = count}))
        return mlia_error_memory();
    return NULL;
}

/* An entity right below authoritative parents shows exactly their figures, or none. A parent has the entity's
 * leaves; one more leaf would be contested by the parent itself, which is an ancestor of both. */
static mlia_status *resolve_frontier(mlia_projection *p, uint32_t entity, uint32_t *parents, uint32_t count)
{
    mlia_record **parts = (mlia_record **)MLIA_NEW_ARRAY(p->arena, mlia_record *, count);
    MLIA_TRY_ALLOC(parts);
    for (uint32_t i = 0; i < count; i++) {
        if (!p->figures.is_usable[parents[i]] ||
            mlia_leaf_count(&p->space, parents[i]) != mlia_leaf_count(&p->space, entity))
            return block(p, entity, parents, count);
        parts[i] = p->records.items[p->single_of[parents[i]]];
    }
    mlia_record *record;
    bool is_new;
    MLIA_TRY(mlia_record_sum(p, parts, count, entity, &record, &is_new));
    if (record == NULL)
        return block(p, entity, parents, count);
    record->is_sealed = true;
    if (is_new)
        make_atom(p, record, (uint32_t)p->records.count - 1);
    p->shown[entity] = record;
    return NULL;
}

static mlia_status *make_frontiers(mlia_projection *p)
{
    const mlia_kind_table *kinds = p->space.kinds;
    const mlia_adjacency *up = &p->space.index->parents;
    for (uint32_t e = 0; e < p->space.count; e++) {
        if (p->figures.is_authoritative[e])
            continue;
        uint32_t count = 0;
        uint32_t *parents = MLIA_NEW_ARRAY(p->arena, uint32_t, mlia_adjacent_count(up, e));
        MLIA_TRY_ALLOC(parents);
        for (uint32_t i = 0; i < mlia_adjacent_count(up, e); i++) {
            uint32_t parent = mlia_adjacent(up, e)[i];
            if (is_source(p, parent) &&
                mlia_kind_edge_declared(kinds, kinds->of_entity[parent], kinds->of_entity[e]))
                parents[count++] = parent;
        }
        if (count == 0)
            continue;
        p->is_frontier[e] = true;
        MLIA_TRY(resolve_frontier(p, e, parents, count));
    }
    return NULL;
}

static mlia_status *index_blocked(mlia_projection *p)
{
    mlia_edges pairs = {0};
    for (uint32_t b = 0; b < p->blocked.count; b++) {
        uint32_t entity = p->blocked.items[b].entity;
        for (size_t i = 0; i < mlia_leaf_count(&p->space, entity); i++)
            if (!MLIA_APPEND(p->arena, pairs, (mlia_edge){mlia_leaves(&p->space, entity)[i], b}))
                return mlia_error_memory();
    }
    mlia_edges_normalise(&pairs);
    mlia_adjacency unused;
    return mlia_adjacency_make(p->arena, &pairs, p->space.count, &p->blocked_at, &unused);
}

mlia_status *mlia_project_sources(mlia_projection *p)
{
    find_shadowed(p);
    MLIA_TRY(make_origins(p));
    MLIA_TRY(make_frontiers(p));
    return index_blocked(p);
}
