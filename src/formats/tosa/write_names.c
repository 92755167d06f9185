/* Names for the TOSA writer: FlatBuffers connect by name, other formats need not have any. Every name is
 * unique in its block, and regions are unique in the file. Linear: a name that is taken remembers the next
 * suffix to try. */
#include "base/map.h"
#include "formats/tosa/writer.h"

/* A name space: name → next suffix to try when it is wanted again. */
typedef struct name_space {
    mlia_arena *arena;
    mlia_map taken;
} name_space;

/* `*name` when it is free, else with the first free suffix _2, _3, …. */
static mlia_status *take(name_space *space, mlia_str *name)
{
    bool is_new;
    if (mlia_map_insert(&space->taken, *name, 2, &is_new) == NULL)
        return mlia_error_memory();
    mlia_str wanted = *name;
    while (!is_new) {
        uint32_t *suffix = mlia_map_find(&space->taken, wanted);
        *name = mlia_arena_format(space->arena, "%.*s_%u", MLIA_STR_ARG(wanted), (*suffix)++);
        MLIA_TRY_ALLOC(name->data);
        MLIA_TRY_ALLOC(mlia_map_insert(&space->taken, *name, 2, &is_new));
    }
    return NULL;
}

static mlia_status *make(name_space *space, const char *stem, uint32_t number, mlia_str *name)
{
    *name = mlia_arena_format(space->arena, "%s%u", stem, number);
    MLIA_TRY_ALLOC(name->data);
    return take(space, name);
}

/* Groups the values by block. */
static mlia_status *collect_values(const mlia_graph *graph, mlia_arena *arena, tosa_names *names)
{
    uint32_t *starts = MLIA_NEW_ARRAY(arena, uint32_t, (size_t)graph->block_count + 1);
    uint32_t *values = MLIA_NEW_ARRAY(arena, uint32_t, graph->value_count);
    MLIA_TRY_ALLOC(starts);
    MLIA_TRY_ALLOC(values);
    for (uint32_t i = 0; i < graph->value_count; i++)
        starts[graph->values[i].block + 1]++;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        names->blocks[b].values = values + starts[b];
        names->blocks[b].value_count = starts[b + 1];
        starts[b + 1] += starts[b];
    }
    for (uint32_t i = 0; i < graph->value_count; i++)
        values[starts[graph->values[i].block]++] = i;
    return NULL;
}

/* Names for the unnamed inputs or outputs of the main block. */
static mlia_status *name_interface(const uint32_t *list, uint32_t count, const char *stem, name_space *space,
                                   tosa_names *names)
{
    for (uint32_t i = 0; i < count; i++)
        if (names->values[list[i]].size == 0)
            MLIA_TRY(make(space, stem, i, &names->values[list[i]]));
    return NULL;
}

/* The tensors of variables: those that the graph has, and new ones for variables that are only named by
 * operators. `tensors[v]` is the value of the block for variable v, `owners[v]` that block. */
typedef struct variable_tensors {
    uint32_t *owners; /* block index + 1 */
    mlia_str *tensors;
} variable_tensors;

static mlia_status *name_variables(const mlia_graph *graph, uint32_t b, name_space *space,
                                   variable_tensors *variables, tosa_names *names)
{
    block_names *block = &names->blocks[b];
    for (uint32_t i = 0; i < block->value_count; i++) {
        uint32_t variable = graph->values[block->values[i]].variable;
        if (variable == MLIA_NONE || variables->owners[variable] == b + 1)
            continue;
        variables->owners[variable] = b + 1;
        variables->tensors[variable] = names->values[block->values[i]];
    }
    for (uint32_t i = 0; i < graph->blocks[b].operator_count; i++) {
        uint32_t index = graph->blocks[b].operators[i];
        const mlia_operator *op = &graph->operators[index];
        if (op->op != MLIA_OP_VARIABLE_READ && op->op != MLIA_OP_VARIABLE_WRITE)
            continue;
        uint32_t variable = op->attributes != NULL ? op->attributes->variable : MLIA_NONE;
        if (variable >= graph->variable_count)
            return mlia_status_at_operator(mlia_error(MLIA_E_TOSA_ATTRIBUTE, "%.*s names no variable",
                                                      MLIA_STR_ARG(mlia_operator_name(op))),
                                           graph, op);
        if (variables->owners[variable] != b + 1) {
            made_tensor made = {.variable = variable};
            MLIA_TRY(make(space, "Variable_", variable, &made.name));
            if (!MLIA_RESERVE(space->arena, block->made, block->made_count, block->made_capacity))
                return mlia_error_memory();
            block->made[block->made_count++] = made;
            variables->owners[variable] = b + 1;
            variables->tensors[variable] = made.name;
        }
        names->operands[index] = variables->tensors[variable];
    }
    return NULL;
}

static mlia_status *name_block(const mlia_graph *graph, uint32_t b, mlia_arena *arena,
                               variable_tensors *variables, tosa_names *names, uint32_t *layer)
{
    name_space space = {arena, mlia_map_in(arena)};
    const block_names *block = &names->blocks[b];
    for (uint32_t i = 0; i < block->value_count; i++) {
        mlia_str *name = &names->values[block->values[i]];
        *name = graph->values[block->values[i]].name;
        if (name->size > 0)
            MLIA_TRY(take(&space, name));
    }
    if (graph->blocks[b].region == 0) {
        const mlia_block *main_block = &graph->blocks[b];
        MLIA_TRY(name_interface(main_block->inputs, main_block->input_count, "TosaInput_", &space, names));
        MLIA_TRY(name_interface(main_block->outputs, main_block->output_count, "TosaOutput_", &space, names));
    }
    for (uint32_t i = 0; i < block->value_count; i++)
        if (names->values[block->values[i]].size == 0)
            MLIA_TRY(make(&space, "layer_", (*layer)++, &names->values[block->values[i]]));
    return name_variables(graph, b, &space, variables, names);
}

static mlia_status *name_regions(const mlia_graph *graph, mlia_arena *arena, tosa_names *names)
{
    name_space space = {arena, mlia_map_in(arena)};
    for (uint32_t i = 0; i < graph->region_count; i++) {
        names->regions[i] = graph->regions[i].name;
        if (names->regions[i].size > 0)
            MLIA_TRY(take(&space, &names->regions[i]));
    }
    for (uint32_t i = 0; i < graph->region_count; i++) {
        mlia_str *name = &names->regions[i];
        if (name->size == 0 && i == 0) {
            *name = MLIA_STR("main");
            MLIA_TRY(take(&space, name));
        } else if (name->size == 0) {
            MLIA_TRY(make(&space, "region_", i, name));
        }
        mlia_str block_name = graph->blocks[graph->regions[i].block].name;
        names->block_labels[graph->regions[i].block] = block_name.size > 0 ? block_name : *name;
    }
    return NULL;
}

mlia_status *mlia_tosa_make_names(const mlia_graph *graph, mlia_arena *arena, tosa_names *names)
{
    *names = (tosa_names){
        .values = MLIA_NEW_ARRAY(arena, mlia_str, graph->value_count),
        .regions = MLIA_NEW_ARRAY(arena, mlia_str, graph->region_count),
        .block_labels = MLIA_NEW_ARRAY(arena, mlia_str, graph->block_count),
        .blocks = MLIA_NEW_ARRAY(arena, block_names, graph->block_count),
        .operands = MLIA_NEW_ARRAY(arena, mlia_str, graph->operator_count),
    };
    variable_tensors variables = {MLIA_NEW_ARRAY(arena, uint32_t, graph->variable_count),
                                  MLIA_NEW_ARRAY(arena, mlia_str, graph->variable_count)};
    MLIA_TRY_ALLOC(names->values);
    MLIA_TRY_ALLOC(names->regions);
    MLIA_TRY_ALLOC(names->block_labels);
    MLIA_TRY_ALLOC(names->blocks);
    MLIA_TRY_ALLOC(names->operands);
    MLIA_TRY_ALLOC(variables.owners);
    MLIA_TRY_ALLOC(variables.tensors);
    MLIA_TRY(collect_values(graph, arena, names));
    uint32_t layer = 0;
    for (uint32_t b = 0; b < graph->block_count; b++)
        MLIA_TRY(name_block(graph, b, arena, &variables, names, &layer));
    return name_regions(graph, arena, names);
}
