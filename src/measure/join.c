/* Stripes lead to chains and cascades, chains over fused operations to TOSA operations, and their labels to
 * result ids of the SPIR-V module. A link that is missing never stops the analysis: it becomes a note. */
#include "measure/join.h"

#include <inttypes.h>
#include <stdio.h>

#include "graph/location.h"
#include "measure/labels.h"

/* A file can ask for far more than it has bytes: each chain repeats the lists of its fused operations, each
 * operator hangs all its ids on all its call paths. Operators and such links over all chains: */
enum { OPERATOR_LIMIT = 1 << 20 };
/* Bytes of lists that may be walked, and that may be compared with debug names, per segment. */
#define LIST_BUDGET  ((uint64_t)1 << 27)
#define LABEL_BUDGET ((uint64_t)1 << 30)

typedef struct joiner {
    mlia_measurement *measurement;
    uint32_t position; /* of the segment */
    mlia_measured_segment *segment;
    const mlia_debug_database *database;
    mlia_arena *arena;
    mlia_map own_indexes; /* stripe indexes that are their own stripe operation */
    mlia_map chains;      /* local id → position in measurement->chains */
    mlia_map cascades;
    uint32_t *operators; /* by row of tosa_ops: position in the segment's operators + 1; 0: not read yet */
    uint64_t list_budget;
    uint64_t label_budget;
} joiner;

static uint32_t segment_index(const joiner *state)
{
    return state->segment->pick->segment_index;
}

static mlia_status *add_note(joiner *state, mlia_kind kind, mlia_str detail)
{
    mlia_str item =
        mlia_arena_format(state->arena, "%" PRIu32 ":%.*s", segment_index(state), MLIA_STR_ARG(detail));
    return mlia_measure_add_note(state->measurement, kind, item, state->arena);
}

static mlia_status *add_dangling(joiner *state, mlia_debug_section section, mlia_str id)
{
    mlia_str detail = mlia_arena_format(state->arena, "%.*s:%.*s",
                                        MLIA_STR_ARG(mlia_debug_section_name(section)), MLIA_STR_ARG(id));
    MLIA_TRY_ALLOC(detail.data);
    return add_note(state, MLIA_W_DEBUG_DANGLING, detail);
}

/* The first id of a cell; empty when there is none. */
static mlia_str first_id(mlia_str cell)
{
    mlia_str id = MLIA_STR_NONE;
    mlia_debug_next_id(&cell, &id);
    return id;
}

/* Cells that may hold one id only. */
static mlia_status *check_single(const joiner *state, mlia_debug_section section, unsigned cell)
{
    const mlia_debug_table *table = &state->database->tables[section];
    for (size_t i = 0; i < table->count; i++) {
        mlia_str rest = table->rows[i].cells[cell];
        unsigned count = 0;
        for (mlia_str id; count < 2 && mlia_debug_next_id(&rest, &id);)
            count++;
        if (count > 1)
            return mlia_status_in(
                mlia_error(MLIA_E_DEBUG_MULTI, "row '%.*s' names more than one",
                           MLIA_STR_ARG(mlia_str_slice(table->rows[i].cells[MLIA_DEBUG_ID], 0, 200))),
                "section %.*s", MLIA_STR_ARG(mlia_debug_section_name(section)));
    }
    return NULL;
}

static mlia_status *index_stripes(joiner *state)
{
    const mlia_debug_table *table = &state->database->tables[MLIA_DEBUG_STRIPE_INDEXES];
    MLIA_TRY(check_single(state, MLIA_DEBUG_STRIPE_INDEXES, MLIA_DEBUG_STRIPE_OP));
    for (size_t i = 0; i < table->count; i++) {
        mlia_str cell = table->rows[i].cells[MLIA_DEBUG_STRIPE_INDEXES_OF];
        for (mlia_str id; mlia_debug_next_id(&cell, &id);)
            if (mlia_map_insert(&state->own_indexes, id, 0, NULL) == NULL)
                return mlia_error_memory();
    }
    MLIA_TRY(check_single(state, MLIA_DEBUG_STRIPE_OPS, MLIA_DEBUG_CHAIN));
    return check_single(state, MLIA_DEBUG_STRIPE_OPS, MLIA_DEBUG_CASCADE);
}

/* The stripe operation of an index, or NULL. */
static const mlia_debug_row *find_stripe(const joiner *state, uint32_t index)
{
    char text[16];
    mlia_str key = {text, (size_t)snprintf(text, sizeof text, "%" PRIu32, index)};
    const mlia_debug_row *row = mlia_debug_find(state->database, MLIA_DEBUG_STRIPE_INDEXES, key);
    mlia_str op = row != NULL ? first_id(row->cells[MLIA_DEBUG_STRIPE_OP]) : MLIA_STR_NONE;
    if (op.size == 0 && mlia_map_find(&state->own_indexes, key) != NULL)
        op = key;
    return op.size ? mlia_debug_find(state->database, MLIA_DEBUG_STRIPE_OPS, op) : NULL;
}

static void add_figures(mlia_measure_figures *figures, const mlia_stripe_sums *sums)
{
    figures->op_cycles = mlia_measure_add(figures->op_cycles, sums->op_cycles);
    figures->total_cycles = mlia_measure_add(figures->total_cycles, sums->total_cycles);
    for (size_t i = 0; i < MLIA_COUNTERS_MAX; i++)
        figures->words[i] = mlia_measure_add(figures->words[i], sums->words[i]);
    figures->counted |= sums->counted;
}

/* Position of the unit with this local id, new if needed. */
static mlia_status *find_unit(const joiner *state, mlia_map *known, mlia_str local,
                              mlia_measured_unit **units, size_t *count, size_t *capacity, uint32_t *position)
{
    bool is_new;
    const uint32_t *found = mlia_map_insert(known, local, (uint32_t)*count, &is_new);
    MLIA_TRY_ALLOC(found);
    *position = *found;
    if (!is_new)
        return NULL;
    if (!MLIA_RESERVE(state->arena, *units, *count, *capacity))
        return mlia_error_memory();
    (*units)[(*count)++] = (mlia_measured_unit){.segment = state->position, .local = local};
    return NULL;
}

static mlia_status *join_stripe(joiner *state, mlia_measured_stripe *stripe)
{
    mlia_measurement *all = state->measurement;
    const mlia_debug_row *row = find_stripe(state, stripe->index);
    mlia_str chain = row != NULL ? first_id(row->cells[MLIA_DEBUG_CHAIN]) : MLIA_STR_NONE;
    mlia_str cascade = row != NULL ? first_id(row->cells[MLIA_DEBUG_CASCADE]) : MLIA_STR_NONE;
    mlia_str number = mlia_arena_format(state->arena, "%" PRIu32, stripe->index);
    MLIA_TRY_ALLOC(number.data);
    if (chain.size == 0 || cascade.size == 0)
        MLIA_TRY(add_note(state, MLIA_W_STRIPE_UNMAPPED, number));
    if (chain.size == 0)
        chain = mlia_arena_format(state->arena, "chain_%s", number.data);
    if (cascade.size == 0)
        cascade = mlia_arena_format(state->arena, "cascade_%s", number.data);
    MLIA_TRY_ALLOC(chain.data);
    MLIA_TRY_ALLOC(cascade.data);
    if (stripe->sums.has_unlabelled)
        MLIA_TRY(add_note(state, MLIA_W_UNLABELLED_WORDS, number));
    if (all->capture->mode == 1 && stripe->sums.op_cycles == 0 && stripe->sums.total_cycles > 0)
        MLIA_TRY(add_note(state, MLIA_W_NX_ACTIVE_ZERO, number));
    MLIA_TRY(find_unit(state, &state->chains, chain, &all->chains, &all->chain_count, &all->chain_capacity,
                       &stripe->chain));
    MLIA_TRY(find_unit(state, &state->cascades, cascade, &all->cascades, &all->cascade_count,
                       &all->cascade_capacity, &stripe->cascade));
    add_figures(&all->chains[stripe->chain].figures, &stripe->sums);
    add_figures(&all->cascades[stripe->cascade].figures, &stripe->sums);
    return NULL;
}

/* Operators. */

static mlia_status *add_type(joiner *state, mlia_str type, mlia_buffer *name, mlia_measured_operator *op)
{
    if (op->types->count > 0)
        mlia_buffer_add_byte(name, '/');
    mlia_buffer_add_str(name, type);
    bool added = mlia_value_add(state->arena, op->types, mlia_value_string(state->arena, type));
    return added ? NULL : mlia_error_memory();
}

/* A cell that ends in ';' is a list, else one value. */
static mlia_status *read_types(joiner *state, mlia_str cell, mlia_measured_operator *op)
{
    mlia_buffer name = {0};
    mlia_status *status = NULL;
    op->types = mlia_value_array(state->arena);
    MLIA_TRY_ALLOC(op->types);
    if (cell.size && cell.data[cell.size - 1] != ';')
        status = add_type(state, cell, &name, op);
    else
        for (mlia_str id; status == NULL && mlia_debug_next_id(&cell, &id);)
            status = add_type(state, id, &name, op);
    if (status == NULL)
        status = mlia_buffer_status(&name);
    op->name = mlia_arena_str(state->arena, mlia_buffer_str(&name));
    mlia_buffer_free(&name);
    if (status == NULL && op->name.data == NULL)
        status = mlia_error_memory();
    return status;
}

static mlia_status *resolve_label(joiner *state, mlia_str label, mlia_map *seen, uint32_t *ids,
                                  mlia_measured_operator *op)
{
    uint32_t id = 0;
    mlia_str shown = mlia_str_slice(label, 0, 200);
    switch (mlia_label_resolve(label, state->segment->module, &id)) {
    case MLIA_LABEL_UNRESOLVED:
        return mlia_error(MLIA_E_LABEL_UNRESOLVED, "label '%.*s': the SPIR-V module has no such operation",
                          MLIA_STR_ARG(shown));
    case MLIA_LABEL_AMBIGUOUS:
        return add_note(state, MLIA_W_LABEL_AMBIGUOUS, label);
    case MLIA_LABEL_UNMATCHED:
        return add_note(state, MLIA_W_LABEL_UNMATCHED, label);
    case MLIA_LABEL_NONE:
        return NULL;
    case MLIA_LABEL_FOUND:
        break;
    }
    mlia_str key = mlia_arena_format(state->arena, "%" PRIu32, id);
    MLIA_TRY_ALLOC(key.data);
    bool is_new;
    if (mlia_map_insert(seen, key, 0, &is_new) == NULL)
        return mlia_error_memory();
    if (is_new)
        ids[op->source_count++] = id;
    return NULL;
}

/* Modules and call stacks of the labels that are JSON. */
static mlia_status *read_paths(joiner *state, mlia_measured_operator *op)
{
    mlia_source *paths = MLIA_NEW_ARRAY(state->arena, mlia_source, op->label_count);
    MLIA_TRY_ALLOC(paths);
    op->paths = paths;
    for (size_t i = 0; i < op->label_count; i++) {
        if (op->labels[i].data[0] != '{')
            continue;
        mlia_source *source = &paths[op->path_count];
        *source = (mlia_source){0};
        MLIA_TRY(mlia_location_decode(state->arena, op->labels[i], source));
        op->path_count += source->module_count > 0 || source->frame_count > 0;
    }
    return NULL;
}

static mlia_status *count_operators(joiner *state, size_t count)
{
    if (count > OPERATOR_LIMIT - state->measurement->operator_count)
        return mlia_error(MLIA_E_LIMIT, "the chains list more than %d operations", OPERATOR_LIMIT);
    state->measurement->operator_count += count;
    return NULL;
}

/* Reads a row of tosa_ops as the segment's next operator. */
static mlia_status *read_operator(joiner *state, const mlia_debug_row *row)
{
    mlia_measured_operator *op = &state->segment->operators[state->segment->operator_count];
    MLIA_TRY(read_types(state, row->cells[MLIA_DEBUG_TYPE], op));
    MLIA_TRY(mlia_labels_split(row->cells[MLIA_DEBUG_LABELS], state->segment->module, &state->label_budget,
                               state->arena, &op->labels, &op->label_count));
    uint32_t *ids = MLIA_NEW_ARRAY(state->arena, uint32_t, op->label_count);
    MLIA_TRY_ALLOC(ids);
    op->source_ids = ids;
    mlia_map seen = mlia_map_in(state->arena);
    for (size_t i = 0; i < op->label_count; i++)
        MLIA_TRY(resolve_label(state, op->labels[i], &seen, ids, op));
    MLIA_TRY(read_paths(state, op));
    MLIA_TRY(count_operators(state, op->source_count * op->path_count));
    state->segment->operator_count++;
    return NULL;
}

/* Appends the TOSA operations of one fused operation to a chain. */
static mlia_status *add_fused(joiner *state, const mlia_debug_row *fused, mlia_measured_unit *chain,
                              size_t *capacity)
{
    const mlia_debug_table *table = &state->database->tables[MLIA_DEBUG_TOSA_OPS];
    mlia_str cell = fused->cells[MLIA_DEBUG_MEMBERS];
    if (cell.size > state->list_budget)
        return mlia_error(MLIA_E_LIMIT, "the lists of the chains are longer than can be walked");
    state->list_budget -= cell.size;
    for (mlia_str id; mlia_debug_next_id(&cell, &id);) {
        const mlia_debug_row *row = mlia_debug_find(state->database, MLIA_DEBUG_TOSA_OPS, id);
        MLIA_TRY(count_operators(state, 1));
        if (row == NULL) {
            MLIA_TRY(add_dangling(state, MLIA_DEBUG_TOSA_OPS, id));
            continue;
        }
        uint32_t *op = &state->operators[row - table->rows];
        if (*op == 0) {
            MLIA_TRY(read_operator(state, row));
            *op = (uint32_t)state->segment->operator_count;
        }
        if (!MLIA_RESERVE(state->arena, chain->operators, chain->operator_count, *capacity))
            return mlia_error_memory();
        chain->operators[chain->operator_count++] = *op - 1;
    }
    return NULL;
}

static mlia_status *join_operators(joiner *state, mlia_measured_unit *chain)
{
    const mlia_debug_row *row = mlia_debug_find(state->database, MLIA_DEBUG_CHAINS, chain->local);
    mlia_str cell = row != NULL ? row->cells[MLIA_DEBUG_MEMBERS] : MLIA_STR_NONE;
    size_t capacity = 0;
    for (mlia_str id; mlia_debug_next_id(&cell, &id);) {
        const mlia_debug_row *fused = mlia_debug_find(state->database, MLIA_DEBUG_FUSED_OPS, id);
        if (fused == NULL)
            MLIA_TRY(add_dangling(state, MLIA_DEBUG_FUSED_OPS, id));
        else
            MLIA_TRY(add_fused(state, fused, chain, &capacity));
    }
    return NULL;
}

mlia_status *mlia_measure_join(mlia_measurement *measurement, uint32_t position,
                               const mlia_debug_database *database, mlia_arena *arena)
{
    joiner state = {.measurement = measurement,
                    .position = position,
                    .segment = &measurement->segments[position],
                    .database = database,
                    .arena = arena,
                    .own_indexes = mlia_map_in(arena),
                    .chains = mlia_map_in(arena),
                    .cascades = mlia_map_in(arena),
                    .list_budget = LIST_BUDGET,
                    .label_budget = LABEL_BUDGET};
    size_t rows = database->tables[MLIA_DEBUG_TOSA_OPS].count;
    state.operators = MLIA_NEW_ARRAY(arena, uint32_t, rows);
    state.segment->operators = MLIA_NEW_ARRAY(arena, mlia_measured_operator, rows);
    MLIA_TRY_ALLOC(state.operators);
    MLIA_TRY_ALLOC(state.segment->operators);
    MLIA_TRY(index_stripes(&state));
    size_t first_chain = measurement->chain_count;
    for (size_t i = 0; i < state.segment->stripe_count; i++)
        MLIA_TRY(join_stripe(&state, &state.segment->stripes[i]));
    for (size_t i = first_chain; i < measurement->chain_count; i++)
        MLIA_TRY(join_operators(&state, &measurement->chains[i]));
    return NULL;
}
