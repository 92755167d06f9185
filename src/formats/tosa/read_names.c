/* Second stage of the TOSA reader: regions, tensors, shapes and the names that connect them. Names are looked
 * up in one map per block, so the work is linear in the file.
 *
 * Refuses: a name that is defined twice in its block, a name that nothing defines, ranks above 32, variable
 * operators that do not stand on a variable. */
#include "base/checked.h"
#include "formats/tosa/reader.h"
#include "graph/location.h"

/* A block while its names are connected. */
typedef struct block_reader {
    tosa_reader *reader;
    uint32_t region; /* also the index of its block in the graph */
    mlia_map names;  /* tensors and shapes → value index */
    uint32_t *scratch;
    size_t scratch_capacity;
} block_reader;

static mlia_status *at(mlia_status *status, size_t offset, const block_reader *block, const char *list,
                       uint32_t index)
{
    return mlia_status_in(mlia_status_at(status, offset), "regions[%u].blocks[0].%s[%u]", block->region, list,
                          index);
}

static mlia_status *define(block_reader *block, mlia_str name, uint32_t value, size_t offset,
                           const char *list, uint32_t index)
{
    bool is_new;
    MLIA_TRY_ALLOC(mlia_map_insert(&block->names, name, value, &is_new));
    if (!is_new)
        return at(mlia_error(MLIA_E_TOSA_DUPLICATE, "the name '%.*s' is defined twice in its block",
                             MLIA_STR_ARG(name)),
                  offset, block, list, index);
    if (name.size > TOSA_NAME_LIMIT)
        return at(mlia_error(MLIA_E_TOSA_LIMIT, "a name of %zu bytes, at most %d are read", name.size,
                             TOSA_NAME_LIMIT),
                  offset, block, list, index);
    return NULL;
}

/* The variable that a tensor stands for; the first tensor of that name describes it. */
static mlia_status *add_variable(block_reader *block, mlia_flatbuf_table tensor, uint32_t value)
{
    mlia_graph *graph = block->reader->graph;
    mlia_graph_value *item = &graph->values[value];
    mlia_str name = mlia_flatbuf_string(tensor, TOSA_TENSOR_VARIABLE_NAME);
    if (name.size == 0)
        name = item->name;
    bool is_new;
    uint32_t *index = mlia_map_insert(&block->reader->variables, name, graph->variable_count, &is_new);
    MLIA_TRY_ALLOC(index);
    item->variable = *index;
    if (!is_new)
        return NULL;
    mlia_variable variable = {.name = name, .type = item->type, .rank = item->rank, .dims = item->dims};
    return mlia_graph_add_variable(graph, variable) == MLIA_NONE ? mlia_error_memory() : NULL;
}

static mlia_status *add_tensor(block_reader *block, mlia_flatbuf_table tensor, uint32_t index)
{
    mlia_graph *graph = block->reader->graph;
    mlia_flatbuf_vector shape = mlia_flatbuf_list(tensor, TOSA_TENSOR_SHAPE);
    int64_t dims[MLIA_RANK_LIMIT];
    if (shape.count > MLIA_RANK_LIMIT)
        return at(mlia_error(MLIA_E_TOSA_LIMIT, "a tensor of %zu dimensions, at most %d are read",
                             shape.count, MLIA_RANK_LIMIT),
                  mlia_flatbuf_offset(tensor, TOSA_TENSOR_SHAPE), block, "tensors", index);
    for (size_t i = 0; i < shape.count; i++)
        dims[i] = mlia_flatbuf_integer_at(shape, i);
    mlia_str name = mlia_flatbuf_string(tensor, TOSA_TENSOR_NAME);
    uint32_t value = mlia_graph_add_tensor(
        graph, block->region, name, mlia_flatbuf_u32(tensor, TOSA_TENSOR_TYPE), (uint32_t)shape.count, dims);
    if (value == MLIA_NONE)
        return mlia_error_memory();
    graph->values[value].unranked = mlia_flatbuf_bool(tensor, TOSA_TENSOR_IS_UNRANKED);
    MLIA_TRY(define(block, name, value, mlia_flatbuf_offset(tensor, TOSA_TENSOR_NAME), "tensors", index));
    return mlia_flatbuf_bool(tensor, TOSA_TENSOR_VARIABLE) ? add_variable(block, tensor, value) : NULL;
}

static mlia_status *add_shape(block_reader *block, mlia_flatbuf_table shape, uint32_t index)
{
    uint32_t length = mlia_flatbuf_u32(shape, TOSA_SHAPE_RANK);
    if (length > TOSA_SHAPE_LENGTH_LIMIT)
        return at(mlia_error(MLIA_E_TOSA_LIMIT, "a shape of %u values, at most %d are read", length,
                             TOSA_SHAPE_LENGTH_LIMIT),
                  mlia_flatbuf_offset(shape, TOSA_SHAPE_RANK), block, "shapes", index);
    mlia_str name = mlia_flatbuf_string(shape, TOSA_SHAPE_NAME);
    uint32_t value = mlia_graph_add_shape(block->reader->graph, block->region, name, length, NULL);
    if (value == MLIA_NONE)
        return mlia_error_memory();
    return define(block, name, value, mlia_flatbuf_offset(shape, TOSA_SHAPE_NAME), "shapes", index);
}

static mlia_status *add_values(block_reader *block, mlia_flatbuf_table table)
{
    mlia_flatbuf_vector tensors = mlia_flatbuf_list(table, TOSA_BLOCK_TENSORS);
    for (uint32_t i = 0; i < tensors.count; i++)
        MLIA_TRY(add_tensor(block, mlia_flatbuf_table_at(tensors, i), i));
    mlia_flatbuf_vector shapes = mlia_flatbuf_list(table, TOSA_BLOCK_SHAPES);
    for (uint32_t i = 0; i < shapes.count; i++)
        MLIA_TRY(add_shape(block, mlia_flatbuf_table_at(shapes, i), i));
    return NULL;
}

/* Value indexes of a list of names, at block->scratch + `start`. `op` is the operator's index in the file, or
 * MLIA_NONE for the block's own lists. */
static mlia_status *look_up(block_reader *block, mlia_flatbuf_vector names, size_t start, const char *list,
                            uint32_t op)
{
    uint32_t *scratch = mlia_arena_grow(block->reader->arena, block->scratch, start, &block->scratch_capacity,
                                        start + names.count, sizeof *scratch, _Alignof(uint32_t));
    MLIA_TRY_ALLOC(scratch);
    block->scratch = scratch;
    for (uint32_t i = 0; i < names.count; i++) {
        mlia_str name = mlia_flatbuf_string_at(names, i);
        const uint32_t *value = mlia_map_find(&block->names, name);
        if (value == NULL) {
            mlia_status *status = mlia_error(
                MLIA_E_TOSA_DANGLING, "'%.*s' names no tensor or shape of the block", MLIA_STR_ARG(name));
            mlia_status_at(status, mlia_flatbuf_offset_at(names, i));
            if (op != MLIA_NONE)
                status = mlia_status_in(status, "regions[%u].blocks[0].operators[%u].%s[%u]", block->region,
                                        op, list, i);
            return mlia_status_in(status, "regions[%u].blocks[0].%s[%u]", block->region, list, i);
        }
        scratch[start + i] = *value;
    }
    return NULL;
}

static mlia_status *set_interface(block_reader *block, mlia_flatbuf_table table)
{
    mlia_graph *graph = block->reader->graph;
    mlia_flatbuf_vector inputs = mlia_flatbuf_list(table, TOSA_BLOCK_INPUTS);
    MLIA_TRY(look_up(block, inputs, 0, "inputs", MLIA_NONE));
    if (!mlia_graph_set_block_inputs(graph, block->region, block->scratch, (uint32_t)inputs.count))
        return mlia_error_memory();
    mlia_flatbuf_vector outputs = mlia_flatbuf_list(table, TOSA_BLOCK_OUTPUTS);
    MLIA_TRY(look_up(block, outputs, 0, "outputs", MLIA_NONE));
    if (!mlia_graph_set_block_outputs(graph, block->region, block->scratch, (uint32_t)outputs.count))
        return mlia_error_memory();
    return NULL;
}

/* The operator's source. Texts that occur again are decoded once. */
static mlia_status *add_source(tosa_reader *reader, mlia_flatbuf_table op, uint32_t number, uint32_t *index)
{
    mlia_str text = mlia_flatbuf_string(mlia_flatbuf_child(op, TOSA_OPERATOR_LOCATION), TOSA_LOCATION_TEXT);
    mlia_graph *graph = reader->graph;
    mlia_source source = {0};
    bool is_new = true;
    if (text.size > TOSA_NAME_LIMIT)
        return mlia_status_at(mlia_error(MLIA_E_TOSA_LIMIT, "a location of %zu bytes, at most %d are read",
                                         text.size, TOSA_NAME_LIMIT),
                              op.position);
    if (text.size > 0) {
        const uint32_t *known = mlia_map_insert(&reader->locations, text, graph->source_count, &is_new);
        MLIA_TRY_ALLOC(known);
        if (!is_new)
            source = graph->sources[*known];
    }
    if (is_new)
        MLIA_TRY(mlia_location_decode(reader->arena, text, &source));
    source.id = mlia_arena_format(reader->arena, "%u", number);
    MLIA_TRY_ALLOC(source.id.data);
    source.type = mlia_op_describe(mlia_flatbuf_u32(op, TOSA_OPERATOR_OP))->name;
    *index = mlia_graph_add_source(graph, source);
    return *index == MLIA_NONE ? mlia_error_memory() : NULL;
}

/* How an operator stands to a variable: both file forms, the operators 73 and 74 and IDENTITY with their
 * attribute types. */
static uint32_t variable_operator(mlia_flatbuf_table op)
{
    uint32_t number = mlia_flatbuf_u32(op, TOSA_OPERATOR_OP);
    uint32_t attribute = mlia_flatbuf_u8(op, TOSA_OPERATOR_ATTRIBUTE_TYPE);
    if (number == MLIA_OP_IDENTITY &&
        (attribute == MLIA_OP_VARIABLE_READ || attribute == MLIA_OP_VARIABLE_WRITE))
        return attribute;
    return number == MLIA_OP_VARIABLE_READ || number == MLIA_OP_VARIABLE_WRITE ? number : 0;
}

/* An operator of the file whose operands are at block->scratch. */
typedef struct operands {
    uint32_t *inputs;
    uint32_t input_count;
    uint32_t *outputs;
    uint32_t output_count;
} operands;

/* A read loses its input and a write its output, which stand for the variable. */
static mlia_status *take_variable(const block_reader *block, uint32_t op, operands *list,
                                  mlia_attributes *attributes)
{
    const char *name = mlia_op_describe(op)->name.data;
    if (list->input_count != 1 || list->output_count != 1)
        return mlia_error(MLIA_E_TOSA_ATTRIBUTE, "%s has %u inputs and %u outputs, expected one of each",
                          name, list->input_count, list->output_count);
    const mlia_graph_value *values = block->reader->graph->values;
    uint32_t value = op == MLIA_OP_VARIABLE_READ ? list->inputs[0] : list->outputs[0];
    *attributes = mlia_attributes_default();
    attributes->variable = values[value].variable;
    if (attributes->variable == MLIA_NONE)
        return mlia_error(MLIA_E_TOSA_DANGLING, "%s on '%.*s', which is no variable", name,
                          MLIA_STR_ARG(values[value].name));
    if (op == MLIA_OP_VARIABLE_READ)
        list->input_count = 0;
    else
        list->output_count = 0;
    return NULL;
}

static mlia_status *add_operator(block_reader *block, mlia_flatbuf_table op, uint32_t index, uint32_t number)
{
    mlia_flatbuf_vector inputs = mlia_flatbuf_list(op, TOSA_OPERATOR_INPUTS);
    mlia_flatbuf_vector outputs = mlia_flatbuf_list(op, TOSA_OPERATOR_OUTPUTS);
    MLIA_TRY(look_up(block, inputs, 0, "inputs", index));
    MLIA_TRY(look_up(block, outputs, inputs.count, "outputs", index));
    if (tosa_is_declaration(op))
        return NULL;
    operands list = {block->scratch, (uint32_t)inputs.count, block->scratch + inputs.count,
                     (uint32_t)outputs.count};
    mlia_attributes attributes;
    uint32_t kind = variable_operator(op);
    if (kind != 0)
        MLIA_TRY(take_variable(block, kind, &list, &attributes));
    uint32_t source = MLIA_NONE;
    MLIA_TRY(add_source(block->reader, op, number, &source));
    mlia_graph *graph = block->reader->graph;
    uint32_t added = mlia_graph_add_operator(
        graph, block->region, kind ? kind : mlia_flatbuf_u32(op, TOSA_OPERATOR_OP), list.inputs,
        list.input_count, list.outputs, list.output_count, kind ? &attributes : NULL, source);
    if (added == MLIA_NONE)
        return mlia_error_memory();
    graph->operators[added].number = number;
    graph->operators[added].operator_index = index;
    graph->operators[added].offset = op.position;
    return NULL;
}

static mlia_status *read_block(tosa_reader *reader, uint32_t region, uint32_t *number)
{
    block_reader block = {.reader = reader, .region = region, .names = mlia_map_in(reader->arena)};
    mlia_flatbuf_table table = tosa_block(reader, region);
    MLIA_TRY(add_values(&block, table));
    MLIA_TRY(set_interface(&block, table));
    mlia_flatbuf_vector operators = mlia_flatbuf_list(table, TOSA_BLOCK_OPERATORS);
    for (uint32_t i = 0; i < operators.count; i++) {
        mlia_flatbuf_table op = mlia_flatbuf_table_at(operators, i);
        mlia_status *status = add_operator(&block, op, i, (*number)++);
        if (status != NULL)
            return at(status, op.position, &block, "operators", i);
    }
    return NULL;
}

mlia_status *mlia_tosa_read_names(tosa_reader *reader)
{
    for (uint32_t i = 0; i < reader->regions.count; i++) {
        mlia_flatbuf_table region = mlia_flatbuf_table_at(reader->regions, i);
        mlia_str name = mlia_flatbuf_string(region, TOSA_REGION_NAME);
        bool is_new;
        MLIA_TRY_ALLOC(mlia_map_insert(&reader->region_names, name, i, &is_new));
        if (!is_new)
            return mlia_status_in(
                mlia_status_at(
                    mlia_error(MLIA_E_TOSA_DUPLICATE, "two regions are named '%.*s'", MLIA_STR_ARG(name)),
                    mlia_flatbuf_offset(region, TOSA_REGION_NAME)),
                "regions[%u]", i);
        mlia_str block_name = mlia_flatbuf_string(tosa_block(reader, i), TOSA_BLOCK_NAME);
        if (mlia_graph_add_region(reader->graph, name, block_name) == MLIA_NONE)
            return mlia_error_memory();
    }
    uint32_t number = 0;
    for (uint32_t i = 0; i < reader->regions.count; i++)
        MLIA_TRY(read_block(reader, i, &number));
    return NULL;
}
