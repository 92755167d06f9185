/* Alternatives of a target: all ways to put records with disjoint origins together so that they cover what is
 * required and none is superfluous. Atoms that are part of every solution and of no alternative are put aside
 * first, so that the search is as large as the doubt, not as large as the target. */
#include <stdlib.h>

#include "result/project.h"

enum { STEP_BUDGET = 1000000, RECORD_BUDGET = 4096, DEPTH_BUDGET = 2048 };

/* One record that may be chosen, with the cells it covers: required leaves and needed origins that no atom
 * put aside covers. */
typedef struct option {
    mlia_record *record;
    mlia_numbers cells;
} option;

typedef struct search {
    mlia_projection *p;
    uint32_t exposer;
    bool with_extras;
    mlia_choice *choice; /* NULL: make records of all solutions */
    bool found_new;
    bool over_budget;
    uint64_t step_limit;
    mlia_records aside;
    MLIA_LIST(option) options;
    uint32_t cell_count;
    mlia_numbers *options_of; /* cell → options */
    uint32_t *covered;        /* cell → chosen options that cover it */
    mlia_numbers chosen;
} search;

/* Is every origin of a record in an atom that all solutions contain? */
static bool is_settled(const mlia_projection *p, const mlia_record *record)
{
    for (uint32_t i = 0; i < record->origin_count; i++) {
        const mlia_record *atom = p->records.items[p->atom_of[record->origins[i]]];
        if (atom->stamp != p->space.stamp || !atom->is_eligible || !atom->is_forced || atom->is_tangled)
            return false;
    }
    return true;
}

static bool is_candidate(search *s, mlia_record *record)
{
    mlia_projection *p = s->p;
    if (record->origin_count > 1 && record->exposer == s->exposer && !record->has_more_exposers)
        return false;
    return mlia_record_assess(p, record) && (s->with_extras || record->extras == 0) && !is_settled(p, record);
}

/* All records that overlap the target and are in doubt. */
static mlia_status *collect_doubtful(search *s, mlia_records *found)
{
    mlia_projection *p = s->p;
    uint32_t walk = ++p->visit;
    for (size_t i = 0; i < p->atoms.count; i++) {
        const mlia_record *atom = p->records.items[p->atoms.items[i]];
        for (uint32_t o = 0; o < atom->origin_count; o++) {
            uint32_t origin = atom->origins[o];
            uint32_t own[2] = {p->single_of[origin], p->atom_of[origin]};
            mlia_numbers lists[2] = {{own, 2, 2}, p->composites[origin]};
            for (size_t list = 0; list < 2; list++)
                for (size_t k = 0; k < lists[list].count; k++) {
                    mlia_record *record = p->records.items[lists[list].items[k]];
                    p->steps++;
                    if (record->visit == walk)
                        continue;
                    record->visit = walk;
                    if (is_candidate(s, record) && !MLIA_APPEND(p->arena, *found, record))
                        return mlia_error_memory();
                    if (found->count > RECORD_BUDGET || p->steps > s->step_limit) {
                        s->over_budget = true;
                        return NULL;
                    }
                }
        }
    }
    return NULL;
}

static mlia_status *add_option(search *s, mlia_record *record)
{
    if (!MLIA_APPEND(s->p->arena, s->options, (option){.record = record}))
        return mlia_error_memory();
    return NULL;
}

/* Forced atoms that an alternative contains become options too; the others are put aside. */
static mlia_status *split_forced(search *s, const mlia_records *doubtful)
{
    mlia_projection *p = s->p;
    uint32_t mark = ++p->visit;
    for (size_t i = 0; i < doubtful->count; i++) {
        for (uint32_t o = 0; o < doubtful->items[i]->origin_count; o++)
            p->origin_mark[doubtful->items[i]->origins[o]] = mark;
        MLIA_TRY(add_option(s, doubtful->items[i]));
    }
    for (size_t i = 0; i < p->atoms.count; i++) {
        mlia_record *atom = p->records.items[p->atoms.items[i]];
        if (!atom->is_forced || atom->is_tangled)
            continue;
        bool touched = false;
        for (uint32_t o = 0; o < atom->origin_count; o++)
            touched = touched || p->origin_mark[atom->origins[o]] == mark;
        if (touched && (s->with_extras || atom->extras == 0))
            MLIA_TRY(add_option(s, atom));
        if (!touched && !MLIA_APPEND(p->arena, s->aside, atom))
            return mlia_error_memory();
    }
    return NULL;
}

/* Numbers what is left to cover: `numbers` (all MLIA_NO_RECORD before) gets the cell of each leaf and origin.
 */
static uint32_t number_cells(search *s, uint32_t *leaf_cells, uint32_t *origin_cells)
{
    mlia_projection *p = s->p;
    uint32_t mark = ++p->visit;
    for (size_t i = 0; i < s->aside.count; i++) {
        const mlia_record *atom = s->aside.items[i];
        for (uint32_t k = 0; k < atom->leaf_count; k++)
            p->extra_mark[atom->leaves[k]] = mark;
        for (uint32_t k = 0; k < atom->origin_count; k++)
            p->origin_mark[atom->origins[k]] = mark;
        p->steps += atom->leaf_count;
    }
    uint32_t count = 0;
    uint32_t target = p->space.target;
    for (size_t i = 0; i < mlia_leaf_count(&p->space, target); i++) {
        uint32_t leaf = mlia_leaves(&p->space, target)[i];
        if (mlia_adjacent_count(&p->covers, leaf) > 0 && p->extra_mark[leaf] != mark)
            leaf_cells[leaf] = count++;
    }
    for (size_t i = 0; i < p->needed_origins.count; i++) {
        uint32_t origin = p->needed_origins.items[i];
        if (p->origin_mark[origin] != mark && origin_cells[origin] == MLIA_NO_RECORD)
            origin_cells[origin] = count++;
    }
    return count;
}

static mlia_status *list_cells(search *s, const uint32_t *leaf_cells, const uint32_t *origin_cells)
{
    mlia_projection *p = s->p;
    for (uint32_t i = 0; i < s->options.count; i++) {
        option *item = &s->options.items[i];
        for (uint32_t k = 0; k < item->record->leaf_count; k++) {
            uint32_t cell = leaf_cells[item->record->leaves[k]];
            if (cell != MLIA_NO_RECORD &&
                (!MLIA_APPEND(p->arena, item->cells, cell) || !MLIA_APPEND(p->arena, s->options_of[cell], i)))
                return mlia_error_memory();
        }
        for (uint32_t k = 0; k < item->record->origin_count; k++) {
            uint32_t cell = origin_cells[item->record->origins[k]];
            if (cell != MLIA_NO_RECORD &&
                (!MLIA_APPEND(p->arena, item->cells, cell) || !MLIA_APPEND(p->arena, s->options_of[cell], i)))
                return mlia_error_memory();
        }
        p->steps += item->record->leaf_count;
    }
    return NULL;
}

static bool is_superfluous(const search *s, const option *item)
{
    for (size_t i = 0; i < item->cells.count; i++)
        if (s->covered[item->cells.items[i]] == 1)
            return false;
    return true;
}

/* Leaves of a solution outside the target. */
static uint32_t count_extras(search *s, const mlia_records *parts)
{
    mlia_projection *p = s->p;
    uint32_t mark = ++p->visit;
    uint32_t extras = 0;
    for (size_t i = 0; i < parts->count; i++) {
        for (uint32_t k = 0; parts->items[i]->extras > 0 && k < parts->items[i]->leaf_count; k++) {
            uint32_t leaf = parts->items[i]->leaves[k];
            extras += !mlia_is_target_leaf(&p->space, leaf) && p->extra_mark[leaf] != mark;
            p->extra_mark[leaf] = mark;
        }
        p->steps += parts->items[i]->extras;
    }
    return extras;
}

static mlia_status *take_solution(search *s)
{
    mlia_projection *p = s->p;
    mlia_records parts = {0};
    for (size_t i = 0; i < s->chosen.count; i++) {
        const option *item = &s->options.items[s->chosen.items[i]];
        if (is_superfluous(s, item))
            return NULL;
        if (!MLIA_APPEND(p->arena, parts, item->record))
            return mlia_error_memory();
    }
    for (size_t i = 0; i < s->aside.count; i++)
        if (!MLIA_APPEND(p->arena, parts, s->aside.items[i]))
            return mlia_error_memory();
    p->steps += parts.count;
    uint32_t extras = count_extras(s, &parts);
    if (parts.count == 0 || (extras > 0) != s->with_extras)
        return NULL;
    mlia_record *record;
    bool is_new;
    MLIA_TRY(mlia_record_sum(p, parts.items, parts.count, s->exposer, &record, &is_new));
    if (record == NULL)
        return NULL;
    s->found_new = s->found_new || is_new;
    if (s->choice != NULL)
        mlia_choice_offer(s->choice, record, extras);
    return NULL;
}

static bool is_disjoint(const search *s, const mlia_record *record)
{
    for (uint32_t i = 0; i < record->origin_count; i++)
        if (s->p->is_taken[record->origins[i]])
            return false;
    return true;
}

static void choose(search *s, uint32_t number, bool taken)
{
    const option *item = &s->options.items[number];
    for (uint32_t i = 0; i < item->record->origin_count; i++)
        s->p->is_taken[item->record->origins[i]] = taken;
    for (size_t i = 0; i < item->cells.count; i++)
        s->covered[item->cells.items[i]] += taken ? 1u : UINT32_MAX;
}

static bool is_over(search *s)
{
    s->over_budget = s->over_budget || s->p->steps > s->step_limit || s->chosen.count > DEPTH_BUDGET;
    return s->over_budget || (s->choice != NULL && s->choice->is_conflict && !s->with_extras);
}

static mlia_status *extend(search *s) /* NOLINT(misc-no-recursion): at most DEPTH_BUDGET deep */
{
    uint32_t cell = 0;
    while (cell < s->cell_count && s->covered[cell] > 0)
        cell++;
    s->p->steps += cell + 1;
    if (is_over(s))
        return NULL;
    if (cell == s->cell_count)
        return take_solution(s);
    for (size_t i = 0; i < s->options_of[cell].count && !is_over(s); i++) {
        uint32_t number = s->options_of[cell].items[i];
        s->p->steps += s->options.items[number].record->origin_count;
        if (!is_disjoint(s, s->options.items[number].record))
            continue;
        if (!MLIA_APPEND(s->p->arena, s->chosen, number))
            return mlia_error_memory();
        choose(s, number, true);
        mlia_status *status = extend(s);
        choose(s, number, false);
        s->chosen.count--;
        MLIA_TRY(status);
    }
    return NULL;
}

static mlia_status *prepare_and_search(search *s)
{
    mlia_projection *p = s->p;
    mlia_records doubtful = {0};
    MLIA_TRY(collect_doubtful(s, &doubtful));
    if (s->over_budget)
        return NULL;
    mlia_records_drop_dominated(p, &doubtful);
    MLIA_TRY(split_forced(s, &doubtful));
    uint32_t *cells = MLIA_NEW_ARRAY(p->arena, uint32_t, 2 * (size_t)p->space.count);
    MLIA_TRY_ALLOC(cells);
    memset(cells, 0xFF, 2 * (size_t)p->space.count * sizeof *cells);
    s->cell_count = number_cells(s, cells, cells + p->space.count);
    s->options_of = MLIA_NEW_ARRAY(p->arena, mlia_numbers, s->cell_count);
    s->covered = MLIA_NEW_ARRAY(p->arena, uint32_t, s->cell_count);
    MLIA_TRY_ALLOC(s->options_of);
    MLIA_TRY_ALLOC(s->covered);
    MLIA_TRY(list_cells(s, cells, cells + p->space.count));
    for (size_t i = 0; i < s->aside.count; i++)
        if (!s->with_extras && s->aside.items[i]->extras > 0)
            return NULL;
    return extend(s);
}

mlia_status *mlia_cover_search(mlia_projection *p, uint32_t exposer, bool with_extras, mlia_choice *choice,
                               bool *found_new, bool *over_budget)
{
    search s = {.p = p,
                .exposer = exposer,
                .with_extras = with_extras,
                .choice = choice,
                .step_limit = p->steps + STEP_BUDGET};
    MLIA_TRY(prepare_and_search(&s));
    *found_new = *found_new || s.found_new;
    *over_budget = *over_budget || s.over_budget;
    return NULL;
}
