/* Operations to graph operators: values, operand checks, constants, sources. */
#include "formats/mlir/builder.h"

#include "graph/location.h"

mlia_status *mlia_mlir_builder_start(mlia_mlir_builder *builder, mlia_mlir_context *context)
{
    *builder = (mlia_mlir_builder){.context = context,
                                   .locations = mlia_map_in(context->arena),
                                   .variables = mlia_map_in(context->arena)};
    builder->graph =
        mlia_graph_new(context->arena, context->bytecode ? MLIA_SOURCE_MLIR_BYTECODE : MLIA_SOURCE_MLIR);
    MLIA_TRY_ALLOC(builder->graph);
    return NULL;
}

static mlia_status *type_error(const mlia_mlir_builder *builder, const mlia_mlir_type *type,
                               const void *position, const char *what)
{
    mlia_str text = mlia_mlir_type_text(builder->context->arena, type);
    return mlia_mlir_error(builder->context, MLIA_MLIR_TYPE, position,
                           "%s has type %.*s, which TOSA does not have", what, MLIA_STR_ARG(text));
}

static bool is_tosa_type(const mlia_mlir_type *type)
{
    return type->kind == MLIA_MLIR_TYPE_SHAPE ||
           (type->kind == MLIA_MLIR_TYPE_TENSOR && type->element != MLIA_TYPE_UNKNOWN);
}

static mlia_status *add_value(mlia_mlir_builder *builder, uint32_t block, const mlia_mlir_type *type,
                              uint32_t *value)
{
    mlia_graph *graph = builder->graph;
    if (type->kind == MLIA_MLIR_TYPE_SHAPE)
        *value = mlia_graph_add_shape(graph, block, MLIA_STR_NONE, type->rank, NULL);
    else if (is_tosa_type(type))
        *value = mlia_graph_add_tensor(graph, block, MLIA_STR_NONE, type->element, 0, NULL);
    else
        *value = mlia_graph_add_tensor(graph, block, MLIA_STR_NONE, MLIA_TYPE_UNKNOWN, 0, NULL);
    if (*value == MLIA_NONE ||
        !MLIA_RESERVE(builder->context->arena, builder->types, *value, builder->type_capacity))
        return mlia_error_memory();
    builder->types[*value] = type;
    mlia_graph_value *item = &graph->values[*value];
    if (type->kind == MLIA_MLIR_TYPE_TENSOR && is_tosa_type(type)) {
        item->rank = type->rank; /* shared with the type: values of one type are many */
        item->dims = type->dims;
    }
    item->is_unsigned = type->signedness == 2;
    item->unranked = type->unranked;
    if (!is_tosa_type(type))
        item->kind = MLIA_KIND_NO_VALUE;
    return NULL;
}

static mlia_status *add_arguments(mlia_mlir_builder *builder, uint32_t block,
                                  const mlia_mlir_type *const *types, uint32_t count, uint32_t *arguments,
                                  const void *position)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!is_tosa_type(types[i]))
            return type_error(builder, types[i], position, "argument");
        MLIA_TRY(add_value(builder, block, types[i], &arguments[i]));
    }
    return mlia_graph_set_block_inputs(builder->graph, block, arguments, count) ? NULL : mlia_error_memory();
}

static mlia_status *push_frame(mlia_mlir_builder *builder, uint32_t region, const void *position)
{
    if (builder->depth == MLIA_MLIR_REGION_LIMIT)
        return mlia_mlir_error(builder->context, MLIA_MLIR_LIMIT, position,
                               "regions nested deeper than %d levels", MLIA_MLIR_REGION_LIMIT);
    builder->frames[builder->depth++] =
        (mlia_mlir_frame){.block = builder->graph->regions[region].block,
                          .captures = {.local = mlia_map_in(builder->context->arena)}};
    return NULL;
}

mlia_status *mlia_mlir_begin_function(mlia_mlir_builder *builder, mlia_str name,
                                      const mlia_mlir_type *const *types, uint32_t count, uint32_t *arguments,
                                      const void *position)
{
    uint32_t region = mlia_graph_add_region(builder->graph, name, MLIA_STR("0"));
    if (region == MLIA_NONE)
        return mlia_error_memory();
    MLIA_TRY(push_frame(builder, region, position));
    return add_arguments(builder, builder->frames[0].block, types, count, arguments, position);
}

static mlia_mlir_frame *top(mlia_mlir_builder *builder)
{
    return &builder->frames[builder->depth - 1];
}

/* A constant shape is repeated inside the region: only tensors can be inputs of regions. */
static mlia_status *repeat_shape(mlia_mlir_builder *builder, uint32_t block, uint32_t outer, uint32_t *inner)
{
    mlia_graph *graph = builder->graph;
    const mlia_operator *producer = &graph->operators[graph->values[outer].producer];
    uint32_t source = producer->source;
    uint64_t offset = producer->offset;
    uint32_t line = producer->line;
    uint32_t column = producer->column;
    uint32_t op = mlia_graph_add_operator(graph, block, MLIA_OP_CONST_SHAPE, NULL, 0, inner, 1, NULL, source);
    if (op == MLIA_NONE)
        return mlia_error_memory();
    graph->values[*inner].shape_values = graph->values[outer].shape_values;
    graph->operators[op].offset = offset;
    graph->operators[op].line = line;
    graph->operators[op].column = column;
    return NULL;
}

static bool is_constant_shape(const mlia_graph *graph, uint32_t value)
{
    uint32_t producer = graph->values[value].producer;
    return producer != MLIA_NONE && graph->operators[producer].op == MLIA_OP_CONST_SHAPE;
}

/* What `outer`, a value of the next outer block, is called inside `frame`. */
static mlia_status *capture(mlia_mlir_builder *builder, mlia_mlir_frame *frame, uint32_t outer,
                            uint32_t *inner)
{
    mlia_arena *arena = builder->context->arena;
    const uint32_t *known =
        mlia_map_find(&frame->captures.local, (mlia_str){(const char *)&outer, sizeof outer});
    if (known != NULL) {
        *inner = *known;
        return NULL;
    }
    uint32_t *key = MLIA_NEW(arena, uint32_t);
    MLIA_TRY_ALLOC(key);
    *key = outer;
    MLIA_TRY(add_value(builder, frame->block, builder->types[outer], inner));
    MLIA_TRY_ALLOC(
        mlia_map_insert(&frame->captures.local, (mlia_str){(const char *)key, sizeof *key}, *inner, NULL));
    if (is_constant_shape(builder->graph, outer))
        return repeat_shape(builder, frame->block, outer, inner);
    if (!MLIA_RESERVE(arena, frame->captures.outer, frame->captures.count, frame->captures.capacity))
        return mlia_error_memory();
    frame->captures.outer[frame->captures.count++] = outer;
    return NULL;
}

mlia_status *mlia_mlir_use(mlia_mlir_builder *builder, uint32_t value, uint32_t *used)
{
    uint32_t block = builder->graph->values[value].block;
    uint32_t level = builder->depth;
    while (level > 0 && builder->frames[level - 1].block != block)
        level--;
    *used = value;
    for (; level < builder->depth; level++)
        MLIA_TRY(capture(builder, &builder->frames[level], *used, used));
    return NULL;
}

/* Number of operands or results that the letters of the operator table allow. */
static mlia_status *check_count(const mlia_mlir_builder *builder, const mlia_mlir_operation *operation,
                                mlia_str letters, uint32_t count, const char *what)
{
    if (count == letters.size || (mlia_letters_variadic(letters) && count + 1 >= letters.size))
        return NULL;
    return mlia_mlir_error(
        builder->context, MLIA_MLIR_SYNTAX, operation->position, "%.*s takes %s%zu %s%s, found %u",
        MLIA_STR_ARG(operation->name), mlia_letters_variadic(letters) ? "at least " : "",
        letters.size - mlia_letters_variadic(letters), what, letters.size == 1 ? "" : "s", count);
}

/* Letter of operand `i` of `count`; the variadic letter stands for as many as are left over. */
static char letter_of(mlia_str letters, uint32_t i, uint32_t count)
{
    size_t list = mlia_str_find(letters, 'L');
    if (list == SIZE_MAX)
        list = mlia_str_find(letters, 'Z');
    if (list == SIZE_MAX || i < list)
        return letters.data[i];
    size_t behind = letters.size - list - 1; /* letters after the list */
    return i + behind < count ? letters.data[list] : letters.data[letters.size - (count - i)];
}

static bool fits_letter(char letter, const mlia_mlir_type *type)
{
    if (type->kind == MLIA_MLIR_TYPE_ANY)
        return true;
    bool shape = letter == 'S' || letter == 'Z';
    return is_tosa_type(type) && shape == (type->kind == MLIA_MLIR_TYPE_SHAPE);
}

static mlia_status *check_signature(const mlia_mlir_builder *builder, const mlia_mlir_operation *operation,
                                    uint32_t op)
{
    const mlia_op_info *info = mlia_op_describe(op);
    MLIA_TRY(check_count(builder, operation, info->inputs, operation->operand_count, "operand"));
    MLIA_TRY(check_count(builder, operation, info->outputs, operation->result_count, "result"));
    for (uint32_t i = 0; i < operation->operand_count + operation->result_count; i++) {
        bool operand = i < operation->operand_count;
        uint32_t k = operand ? i : i - operation->operand_count;
        const mlia_mlir_type *type = operand ? builder->types[operation->operands[k]] : operation->results[k];
        char letter = operand ? letter_of(info->inputs, k, operation->operand_count)
                              : letter_of(info->outputs, k, operation->result_count);
        if (fits_letter(letter, type))
            continue;
        mlia_str text = mlia_mlir_type_text(builder->context->arena, type);
        return mlia_mlir_error(builder->context, MLIA_MLIR_TYPE, operation->position,
                               "%s %u of %.*s has type %.*s, expected a %s", operand ? "operand" : "result",
                               k, MLIA_STR_ARG(operation->name), MLIA_STR_ARG(text),
                               letter == 'S' || letter == 'Z' ? "!tosa.shape" : "tensor of a TOSA type");
    }
    return NULL;
}

static mlia_status *constant_values(const mlia_mlir_builder *builder, const mlia_mlir_operation *operation,
                                    const mlia_mlir_attribute **values)
{
    *values = mlia_mlir_get(&operation->attributes, MLIA_STR("values"));
    if (*values == NULL || (*values)->kind != MLIA_MLIR_DENSE)
        return mlia_mlir_error(builder->context, MLIA_MLIR_ATTRIBUTE, operation->position,
                               "%.*s has no constant in attribute 'values'", MLIA_STR_ARG(operation->name));
    return NULL;
}

static mlia_status *different_constant(const mlia_mlir_builder *builder, const mlia_mlir_operation *operation,
                                       const mlia_mlir_attribute *values)
{
    mlia_str found = mlia_mlir_type_text(builder->context->arena, values->type);
    mlia_str expected = mlia_mlir_type_text(builder->context->arena, operation->results[0]);
    return mlia_mlir_error(builder->context, MLIA_MLIR_TYPE, operation->position,
                           "%.*s of type %.*s holds a constant of type %.*s", MLIA_STR_ARG(operation->name),
                           MLIA_STR_ARG(expected), MLIA_STR_ARG(found));
}

static mlia_status *set_constant(mlia_mlir_builder *builder, const mlia_mlir_operation *operation,
                                 uint32_t value)
{
    const mlia_mlir_attribute *values;
    MLIA_TRY(constant_values(builder, operation, &values));
    if (!mlia_mlir_type_equal(values->type, operation->results[0]))
        return different_constant(builder, operation, values);
    mlia_constant *constant = MLIA_NEW(builder->context->arena, mlia_constant);
    MLIA_TRY_ALLOC(constant);
    *constant = values->as.constant;
    builder->graph->values[value].constant = constant;
    return NULL;
}

static mlia_status *set_shape(mlia_mlir_builder *builder, const mlia_mlir_operation *operation,
                              uint32_t value)
{
    const mlia_mlir_attribute *values;
    MLIA_TRY(constant_values(builder, operation, &values));
    uint32_t length = operation->results[0]->rank;
    if (values->type->element != MLIA_TYPE_SHAPE || values->type->rank != 1 ||
        values->type->dims[0] != length)
        return different_constant(builder, operation, values);
    const mlia_constant *constant = &values->as.constant;
    int64_t *numbers = MLIA_NEW_ARRAY(builder->context->arena, int64_t, length);
    MLIA_TRY_ALLOC(numbers);
    for (uint32_t i = 0; i < length; i++)
        numbers[i] = (int64_t)mlia_load_u64(constant->bytes.data + (constant->splat ? 0 : 8 * i));
    builder->graph->values[value].shape_values = numbers;
    return NULL;
}

static mlia_status *add_source(mlia_mlir_builder *builder, const mlia_mlir_operation *operation,
                               uint32_t *index)
{
    mlia_graph *graph = builder->graph;
    mlia_source source = {0};
    bool is_new = true;
    if (operation->location.size > 0) {
        uint32_t *first =
            mlia_map_insert(&builder->locations, operation->location, graph->source_count, &is_new);
        MLIA_TRY_ALLOC(first);
        if (is_new)
            MLIA_TRY(mlia_location_decode(builder->context->arena, operation->location, &source));
        else
            source = graph->sources[*first];
    }
    source.type = operation->name;
    *index = mlia_graph_add_source(graph, source);
    if (*index == MLIA_NONE ||
        !MLIA_RESERVE(builder->context->arena, builder->ssa, *index, builder->ssa_capacity))
        return mlia_error_memory();
    builder->ssa[*index] = operation->result_count == 0 ? MLIA_MLIR_NO_RESULT : operation->ssa;
    builder->ordinal++;
    return NULL;
}

/* Operator number of the operation's name. */
static mlia_status *find_op(const mlia_mlir_builder *builder, const mlia_mlir_operation *operation,
                            uint32_t *op)
{
    mlia_str name = operation->name;
    *op = MLIA_OP_FOREIGN;
    if (mlia_str_equal_c(name, "func.call") || mlia_str_equal_c(name, "call") ||
        mlia_str_equal_c(name, "tosa.apply_scale"))
        return mlia_mlir_error(builder->context, MLIA_MLIR_UNSUPPORTED, operation->position,
                               "%.*s has no operator in TOSA", MLIA_STR_ARG(name));
    if (!mlia_str_starts_with(name, MLIA_STR("tosa.")))
        return NULL;
    *op = mlia_op_by_mlir_name(mlia_str_slice(name, 5, name.size));
    if (*op == MLIA_OP_FOREIGN || *op == MLIA_OP_VARIABLE)
        return mlia_mlir_error(builder->context, MLIA_MLIR_ENUM, operation->position,
                               "TOSA has no operator '%.*s' in a function", MLIA_STR_ARG(name));
    uint32_t regions = *op == MLIA_OP_COND_IF || *op == MLIA_OP_WHILE_LOOP ? 2 : 0;
    if (operation->region_count != regions)
        return mlia_mlir_error(builder->context, MLIA_MLIR_SYNTAX, operation->position,
                               "%.*s has %u regions, found %u", MLIA_STR_ARG(name), regions,
                               operation->region_count);
    return NULL;
}

/* New regions of COND_IF and WHILE_LOOP, named after the function, operator and region number. */
static mlia_status *add_regions(mlia_mlir_builder *builder, uint32_t op, mlia_attributes *attributes)
{
    mlia_graph *graph = builder->graph;
    const mlia_block *block = &graph->blocks[top(builder)->block];
    mlia_str parent = graph->regions[block->region].name;
    uint32_t position = block->operator_count;
    uint32_t regions[2];
    for (uint32_t k = 0; k < 2; k++) {
        mlia_str name = mlia_arena_format(graph->arena, "%.*s.%u.%u", MLIA_STR_ARG(parent), position, k);
        MLIA_TRY_ALLOC(name.data);
        regions[k] = mlia_graph_add_region(graph, name, MLIA_STR("0"));
        if (regions[k] == MLIA_NONE)
            return mlia_error_memory();
    }
    if (op == MLIA_OP_COND_IF) {
        attributes->then_graph = regions[0];
        attributes->else_graph = regions[1];
    } else {
        attributes->cond_graph = regions[0];
        attributes->body_graph = regions[1];
    }
    return NULL;
}

static bool has_attributes(uint32_t op)
{
    return mlia_op_describe(op)->field_count > 0 || op == MLIA_OP_VARIABLE_READ ||
           op == MLIA_OP_VARIABLE_WRITE;
}

mlia_status *mlia_mlir_add_operation(mlia_mlir_builder *builder, const mlia_mlir_operation *operation,
                                     uint32_t *results, uint32_t *index)
{
    mlia_graph *graph = builder->graph;
    uint32_t block = top(builder)->block;
    uint32_t op;
    uint32_t source = MLIA_NONE;
    mlia_attributes attributes;
    MLIA_TRY(find_op(builder, operation, &op));
    if (op != MLIA_OP_FOREIGN)
        MLIA_TRY(check_signature(builder, operation, op));
    MLIA_TRY(mlia_mlir_convert_attributes(builder, operation, op, &attributes));
    MLIA_TRY(add_source(builder, operation, &source));
    if (operation->region_count == 2 && op != MLIA_OP_FOREIGN)
        MLIA_TRY(add_regions(builder, op, &attributes));
    for (uint32_t i = 0; i < operation->result_count; i++)
        MLIA_TRY(add_value(builder, block, operation->results[i], &results[i]));
    if (op == MLIA_OP_CONST)
        MLIA_TRY(set_constant(builder, operation, results[0]));
    if (op == MLIA_OP_CONST_SHAPE)
        MLIA_TRY(set_shape(builder, operation, results[0]));
    *index =
        mlia_graph_add_operator(graph, block, op, operation->operands, operation->operand_count, results,
                                operation->result_count, has_attributes(op) ? &attributes : NULL, source);
    if (*index == MLIA_NONE)
        return builder->ordinal >= 1u << 24 ? mlia_mlir_error(builder->context, MLIA_MLIR_LIMIT,
                                                              operation->position, "more than 2^24 operators")
                                            : mlia_error_memory();
    mlia_operator *added = &graph->operators[*index];
    added->line = operation->line;
    added->column = operation->column;
    if (builder->context->bytecode)
        added->offset = (uint64_t)((const uint8_t *)operation->position - builder->context->file.data);
    if (op == MLIA_OP_FOREIGN)
        added->foreign_name = operation->name;
    return NULL;
}

mlia_status *mlia_mlir_begin_region(mlia_mlir_builder *builder, uint32_t index, uint32_t number,
                                    const mlia_mlir_type *const *types, uint32_t count, uint32_t *arguments,
                                    const void *position)
{
    uint32_t regions[2];
    mlia_operator_regions(&builder->graph->operators[index], regions);
    MLIA_TRY(push_frame(builder, regions[number], position));
    return add_arguments(builder, top(builder)->block, types, count, arguments, position);
}

mlia_status *mlia_mlir_end_region(mlia_mlir_builder *builder, mlia_mlir_captures *captures)
{
    *captures = top(builder)->captures;
    builder->depth--;
    return NULL;
}

mlia_status *mlia_mlir_terminate(mlia_mlir_builder *builder, const uint32_t *values, uint32_t count,
                                 const mlia_mlir_type *const *types, uint32_t type_count,
                                 const void *position)
{
    if (types != NULL || type_count != count) {
        if (type_count != count)
            return mlia_mlir_error(builder->context, MLIA_MLIR_TYPE, position,
                                   "expected %u results at the end of the function, found %u", type_count,
                                   count);
        for (uint32_t i = 0; i < count; i++)
            if (!mlia_mlir_type_equal(builder->types[values[i]], types[i])) {
                mlia_str found = mlia_mlir_type_text(builder->context->arena, builder->types[values[i]]);
                mlia_str expected = mlia_mlir_type_text(builder->context->arena, types[i]);
                return mlia_mlir_error(builder->context, MLIA_MLIR_TYPE, position,
                                       "result %u of the function has type %.*s, expected %.*s", i,
                                       MLIA_STR_ARG(found), MLIA_STR_ARG(expected));
            }
    }
    return mlia_graph_set_block_outputs(builder->graph, top(builder)->block, values, count)
               ? NULL
               : mlia_error_memory();
}
