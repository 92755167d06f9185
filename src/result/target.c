/* One target of projection: which atoms cover it, whether they decide everything, which single records do. */
#include "result/project.h"

bool mlia_record_assess(mlia_projection *p, mlia_record *record)
{
    mlia_space *space = &p->space;
    if (record->stamp == space->stamp)
        return record->is_eligible;
    record->stamp = space->stamp;
    record->is_forced = false;
    record->is_eligible = false;
    record->extras = 0;
    uint32_t kind = space->kinds->of_entity[space->target];
    if (record->kind_counts != NULL && record->kind_counts[kind] > mlia_leaf_count(space, space->target))
        return false; /* more leaves below this kind than the target has: one is another entity's */
    for (uint32_t i = 0; i < record->leaf_count; i++) {
        p->steps++;
        if (mlia_is_target_leaf(space, record->leaves[i]))
            continue;
        if (mlia_is_contested(space, record->leaves[i]))
            return false;
        record->extras++;
    }
    record->is_eligible = true;
    return true;
}

/* Looks at the origins above one leaf of the target. False: the leaf is below an origin, but no eligible atom
 * covers it. */
static bool look_at_leaf(mlia_projection *p, uint32_t leaf)
{
    uint32_t cover_count = mlia_adjacent_count(&p->covers, leaf);
    mlia_record *only = NULL;
    bool alternatives = false;
    for (uint32_t i = 0; i < cover_count; i++) {
        uint32_t origin = mlia_adjacent(&p->covers, leaf)[i];
        if (p->atom_of[origin] == MLIA_NO_RECORD)
            continue;
        mlia_record *atom = p->records.items[p->atom_of[origin]];
        bool is_new = atom->stamp != p->space.stamp;
        if (!mlia_record_assess(p, atom))
            continue;
        if (is_new)
            p->atoms.items[p->atoms.count++] = p->atom_of[origin];
        alternatives = alternatives || (only != NULL && only != atom);
        only = atom;
    }
    p->required += cover_count > 0;
    if (only != NULL && !alternatives)
        only->is_forced = true;
    return cover_count == 0 || only != NULL;
}

/* What the blocked entities inside the target need. False: one lies across its border, or has its very leaves
 * and needs several origins. */
static bool collect_needed_origins(mlia_projection *p)
{
    mlia_space *space = &p->space;
    size_t leaf_count = mlia_leaf_count(space, space->target);
    mlia_numbers inside = {0};
    bool fits = true;
    p->needed_origins.count = 0;
    for (size_t i = 0; i < leaf_count; i++) {
        uint32_t leaf = mlia_leaves(space, space->target)[i];
        for (uint32_t k = 0; k < mlia_adjacent_count(&p->blocked_at, leaf); k++) {
            mlia_blocked *blocked = &p->blocked.items[mlia_adjacent(&p->blocked_at, leaf)[k]];
            p->steps++;
            if (blocked->stamp != space->stamp) {
                blocked->stamp = space->stamp;
                blocked->hits = 0;
                fits = fits && MLIA_APPEND(p->arena, inside, mlia_adjacent(&p->blocked_at, leaf)[k]);
            }
            blocked->hits++;
        }
    }
    for (size_t i = 0; i < inside.count && fits; i++) {
        const mlia_blocked *blocked = &p->blocked.items[inside.items[i]];
        fits = blocked->hits == mlia_leaf_count(space, blocked->entity) &&
               !(blocked->hits == leaf_count && blocked->origin_count > 1);
        for (uint32_t k = 0; k < blocked->origin_count && fits; k++)
            fits = MLIA_APPEND(p->arena, p->needed_origins, blocked->origins[k]);
    }
    return fits;
}

/* Needed origins must be in eligible atoms; these are then part of every solution. */
static bool force_needed_atoms(mlia_projection *p)
{
    for (size_t i = 0; i < p->needed_origins.count; i++) {
        uint32_t number = p->atom_of[p->needed_origins.items[i]];
        if (number == MLIA_NO_RECORD || !mlia_record_assess(p, p->records.items[number]))
            return false;
        p->records.items[number]->is_forced = true;
    }
    return true;
}

/* Counts the leaves of all atoms outside the target. True when one of them is below an origin that is in no
 * atom of the target: then records with more origins may have the same extras. */
static bool count_extras(mlia_projection *p)
{
    uint32_t mark = ++p->visit;
    bool others = false;
    p->extras = 0;
    for (size_t i = 0; i < p->atoms.count; i++) {
        const mlia_record *atom = p->records.items[p->atoms.items[i]];
        for (uint32_t k = 0; atom->extras > 0 && k < atom->leaf_count; k++) {
            uint32_t leaf = atom->leaves[k];
            if (mlia_is_target_leaf(&p->space, leaf) || p->extra_mark[leaf] == mark)
                continue;
            p->extra_mark[leaf] = mark;
            p->extras++;
            for (uint32_t c = 0; c < mlia_adjacent_count(&p->covers, leaf); c++) {
                uint32_t number = p->atom_of[mlia_adjacent(&p->covers, leaf)[c]];
                others =
                    others || (number != MLIA_NO_RECORD && p->records.items[number]->stamp != p->space.stamp);
            }
        }
    }
    return others;
}

mlia_outlook mlia_project_look(mlia_projection *p, uint32_t target)
{
    p->steps += mlia_space_aim(&p->space, target);
    p->required = 0;
    p->atoms.count = 0;
    for (size_t i = 0; i < mlia_leaf_count(&p->space, target); i++)
        if (!look_at_leaf(p, mlia_leaves(&p->space, target)[i]))
            return MLIA_OUTLOOK_NOTHING;
    if (p->required == 0 || !collect_needed_origins(p) || !force_needed_atoms(p))
        return MLIA_OUTLOOK_NOTHING;
    bool open = false;
    for (size_t i = 0; i < p->atoms.count; i++) {
        const mlia_record *atom = p->records.items[p->atoms.items[i]];
        open = open || !atom->is_forced || atom->is_tangled;
    }
    open = count_extras(p) || open;
    if (open)
        return MLIA_OUTLOOK_OPEN;
    return p->extras == 0 ? MLIA_OUTLOOK_EXACT : MLIA_OUTLOOK_EXTRAS;
}

mlia_status *mlia_project_sum_atoms(mlia_projection *p, uint32_t exposer, mlia_record **record, bool *is_new)
{
    mlia_record **parts = (mlia_record **)MLIA_NEW_ARRAY(p->arena, mlia_record *, p->atoms.count);
    MLIA_TRY_ALLOC(parts);
    for (size_t i = 0; i < p->atoms.count; i++)
        parts[i] = p->records.items[p->atoms.items[i]];
    return mlia_record_sum(p, parts, p->atoms.count, exposer, record, is_new);
}

void mlia_choice_offer(mlia_choice *choice, mlia_record *record, uint32_t extras)
{
    if (choice->record == NULL || extras < choice->extras)
        *choice = (mlia_choice){record, extras, false};
    else if (extras == choice->extras && !mlia_figures_equal(&choice->record->figures, &record->figures))
        choice->is_conflict = true;
}

/* Does a record stand alone for the target: eligible, not only the target's own, covering every required leaf
 * and holding every needed origin? */
static bool is_single(mlia_projection *p, mlia_record *record, bool with_extras)
{
    if (record->origin_count > 1 && record->exposer == p->space.target && !record->has_more_exposers)
        return false;
    if (!mlia_record_assess(p, record) || (record->extras > 0) != with_extras)
        return false;
    uint32_t covered = 0;
    for (uint32_t i = 0; i < record->leaf_count; i++)
        covered += mlia_is_target_leaf(&p->space, record->leaves[i]);
    if (covered != p->required)
        return false;
    uint32_t mark = ++p->visit;
    for (uint32_t i = 0; i < record->origin_count; i++)
        p->origin_mark[record->origins[i]] = mark;
    for (size_t i = 0; i < p->needed_origins.count; i++)
        if (p->origin_mark[p->needed_origins.items[i]] != mark)
            return false;
    p->steps += record->leaf_count + record->origin_count + p->needed_origins.count;
    return true;
}

static bool same_leaves(mlia_projection *p, const mlia_record *a, const mlia_record *b)
{
    if (a->leaf_count != b->leaf_count)
        return false;
    uint32_t mark = ++p->visit;
    for (uint32_t i = 0; i < a->leaf_count; i++)
        p->extra_mark[a->leaves[i]] = mark;
    uint32_t shared = 0;
    while (shared < b->leaf_count && p->extra_mark[b->leaves[shared]] == mark)
        shared++;
    p->steps += a->leaf_count + shared;
    return shared == b->leaf_count;
}

/* Are all origins of `part` in `whole`? Both are ascending. */
static bool has_origins_of(const mlia_record *whole, const mlia_record *part)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < whole->origin_count && found < part->origin_count; i++)
        found += whole->origins[i] == part->origins[found];
    return found == part->origin_count;
}

void mlia_records_drop_dominated(mlia_projection *p, mlia_records *records)
{
    for (size_t i = 0; i < records->count; i++) {
        mlia_record *record = records->items[i];
        record->is_dominated = false;
        for (size_t k = 0; k < records->count && !record->is_dominated; k++) {
            const mlia_record *other = records->items[k];
            record->is_dominated = other->is_sealed && other->origin_count > record->origin_count &&
                                   same_leaves(p, record, other) && has_origins_of(other, record);
        }
        p->steps += records->count;
    }
    size_t kept = 0;
    for (size_t i = 0; i < records->count; i++)
        if (!records->items[i]->is_dominated)
            records->items[kept++] = records->items[i];
    records->count = kept;
}

/* Collects records that hold `origin`: its own, its atom's and composites. */
static bool collect_singles(mlia_projection *p, uint32_t origin, bool with_extras, uint32_t walk,
                            mlia_records *found)
{
    uint32_t own[2] = {p->single_of[origin], p->atom_of[origin]};
    mlia_numbers lists[2] = {{own, 2, 2}, p->composites[origin]};
    for (size_t list = 0; list < 2; list++)
        for (size_t i = 0; i < lists[list].count; i++) {
            mlia_record *record = p->records.items[lists[list].items[i]];
            p->steps++;
            if (record->visit == walk)
                continue;
            record->visit = walk;
            if (is_single(p, record, with_extras) && !MLIA_APPEND(p->arena, *found, record))
                return false;
        }
    return true;
}

mlia_status *mlia_project_offer_singles(mlia_projection *p, bool with_extras, mlia_choice *choice)
{
    /* Every single record covers the target's first required leaf, so it holds an origin above that leaf. */
    uint32_t first = 0;
    while (mlia_adjacent_count(&p->covers, mlia_leaves(&p->space, p->space.target)[first]) == 0)
        first++;
    uint32_t leaf = mlia_leaves(&p->space, p->space.target)[first];
    uint32_t walk = ++p->visit;
    mlia_records found = {0};
    for (uint32_t i = 0; i < mlia_adjacent_count(&p->covers, leaf); i++) {
        uint32_t origin = mlia_adjacent(&p->covers, leaf)[i];
        if (p->atom_of[origin] != MLIA_NO_RECORD && !collect_singles(p, origin, with_extras, walk, &found))
            return mlia_error_memory();
    }
    mlia_records_drop_dominated(p, &found);
    bool any_sealed = false;
    uint32_t fewest = UINT32_MAX;
    for (size_t i = 0; i < found.count; i++) {
        any_sealed = any_sealed || found.items[i]->is_sealed;
        fewest = found.items[i]->origin_count < fewest ? found.items[i]->origin_count : fewest;
    }
    bool filter = p->needed_origins.count == 0;
    for (size_t i = 0; i < found.count; i++) {
        mlia_record *record = found.items[i];
        if (!filter || (any_sealed ? record->is_sealed : record->origin_count == fewest))
            mlia_choice_offer(choice, record, record->extras);
    }
    return NULL;
}

bool mlia_project_expose(mlia_projection *p)
{
    bool found = false;
    uint32_t walk = ++p->visit;
    for (size_t i = 0; i < p->atoms.count; i++) {
        const mlia_record *atom = p->records.items[p->atoms.items[i]];
        const mlia_numbers *list = &p->composites[atom->origins[0]];
        p->steps += list->count;
        for (size_t k = 0; k < list->count; k++) {
            mlia_record *record = p->records.items[list->items[k]];
            if (record->visit == walk || record->has_more_exposers || record->exposer == p->space.target)
                continue;
            record->visit = walk;
            record->has_more_exposers = is_single(p, record, true) || is_single(p, record, false);
            found = found || record->has_more_exposers;
        }
    }
    return found;
}
