/* What belongs to the module as a whole: captured values of regions, variables, names, ids, version. */
#include <stdlib.h>

#include "formats/mlir/builder.h"

static mlia_status *region_type_error(const mlia_mlir_builder *builder, const void *position, uint32_t number,
                                      const char *what)
{
    return mlia_mlir_error(builder->context, MLIA_MLIR_TYPE, position, "region %u: %s", number, what);
}

static bool same_types(const mlia_mlir_builder *builder, const uint32_t *a, uint32_t a_count,
                       const uint32_t *b, uint32_t b_count)
{
    if (a_count != b_count)
        return false;
    for (uint32_t i = 0; i < a_count; i++)
        if (!mlia_mlir_type_equal(builder->types[a[i]], builder->types[b[i]]))
            return false;
    return true;
}

static mlia_status *check_regions(const mlia_mlir_builder *builder, const mlia_operator *op,
                                  const uint32_t regions[2], const void *position)
{
    const mlia_graph *graph = builder->graph;
    bool loop = op->op == MLIA_OP_WHILE_LOOP;
    uint32_t skip = loop ? 0 : 1; /* the condition of COND_IF is not passed on */
    for (uint32_t k = 0; k < 2; k++) {
        const mlia_block *block = &graph->blocks[graph->regions[regions[k]].block];
        if (!same_types(builder, block->inputs, block->input_count, op->inputs + skip,
                        op->input_count - skip))
            return region_type_error(builder, position, k, "arguments differ from the operands");
        if (loop && k == 0) {
            if (block->output_count != 1 || graph->values[block->outputs[0]].type != MLIA_TYPE_BOOL)
                return region_type_error(builder, position, k, "expected one result of type i1");
        } else if (!same_types(builder, block->outputs, block->output_count, op->outputs, op->output_count)) {
            return region_type_error(builder, position, k, "results differ from those of the operator");
        }
    }
    if (loop && !same_types(builder, op->inputs, op->input_count, op->outputs, op->output_count))
        return region_type_error(builder, position, 1, "a loop's results differ from its operands");
    return NULL;
}

/* Appends to a copy of a value list. */
static uint32_t *extend(mlia_arena *arena, const uint32_t *values, uint32_t count, size_t more)
{
    uint32_t *copy = MLIA_NEW_ARRAY(arena, uint32_t, count + more);
    if (copy != NULL && count > 0)
        memcpy(copy, values, count * sizeof *copy);
    return copy;
}

static mlia_str key_of(const uint32_t *value)
{
    return (mlia_str){(const char *)value, sizeof *value};
}

/* A fresh value of the same type as `model` in `block`. */
static mlia_status *copy_value(mlia_mlir_builder *builder, uint32_t model, uint32_t block, uint32_t *value)
{
    mlia_graph *graph = builder->graph;
    mlia_graph_value item = graph->values[model];
    *value = item.kind == MLIA_KIND_SHAPE
                 ? mlia_graph_add_shape(graph, block, MLIA_STR_NONE, item.rank, NULL)
                 : mlia_graph_add_tensor(graph, block, MLIA_STR_NONE, item.type, item.rank, item.dims);
    if (*value == MLIA_NONE || !MLIA_RESERVE(graph->arena, builder->types, *value, builder->type_capacity))
        return mlia_error_memory();
    graph->values[*value].is_unsigned = item.is_unsigned;
    graph->values[*value].unranked = item.unranked;
    builder->types[*value] = builder->types[model];
    return NULL;
}

/* Values that either region captures, each once, in order of first use. */
static mlia_status *unite(mlia_arena *arena, const mlia_mlir_captures captures[2], uint32_t **all,
                          size_t *count)
{
    *count = captures[0].count;
    *all = extend(arena, captures[0].outer, (uint32_t)captures[0].count, captures[1].count);
    MLIA_TRY_ALLOC(*all);
    for (size_t i = 0; i < captures[1].count; i++)
        if (mlia_map_find(&captures[0].local, key_of(&captures[1].outer[i])) == NULL)
            (*all)[(*count)++] = captures[1].outer[i];
    return NULL;
}

/* Gives a region one more input per captured value; `locals` are what they are called inside. */
static mlia_status *add_inputs(mlia_mlir_builder *builder, uint32_t block, const mlia_mlir_captures *captures,
                               const uint32_t *outer, size_t count, uint32_t *locals)
{
    mlia_graph *graph = builder->graph;
    uint32_t before = graph->blocks[block].input_count;
    uint32_t *inputs = extend(graph->arena, graph->blocks[block].inputs, before, count);
    MLIA_TRY_ALLOC(inputs);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *local = mlia_map_find(&captures->local, key_of(&outer[i]));
        if (local != NULL)
            locals[i] = *local;
        else
            MLIA_TRY(copy_value(builder, outer[i], block, &locals[i]));
        inputs[before + i] = locals[i];
    }
    return mlia_graph_set_block_inputs(graph, block, inputs, before + (uint32_t)count) ? NULL
                                                                                       : mlia_error_memory();
}

/* A loop hands captured values on unchanged: they are results of its body and of the operator too. */
static mlia_status *add_loop_results(mlia_mlir_builder *builder, uint32_t index, uint32_t block,
                                     const uint32_t *locals, size_t count)
{
    mlia_graph *graph = builder->graph;
    uint32_t before = graph->blocks[block].output_count;
    uint32_t *yielded = extend(graph->arena, graph->blocks[block].outputs, before, count);
    uint32_t *results = extend(graph->arena, graph->operators[index].outputs, before, count);
    if (yielded == NULL || results == NULL)
        return mlia_error_memory();
    for (size_t i = 0; i < count; i++) {
        yielded[before + i] = locals[i];
        MLIA_TRY(copy_value(builder, locals[i], graph->operators[index].block, &results[before + i]));
    }
    graph->operators[index].outputs = results;
    graph->operators[index].output_count = before + (uint32_t)count;
    return mlia_graph_set_block_outputs(graph, block, yielded, before + (uint32_t)count)
               ? NULL
               : mlia_error_memory();
}

mlia_status *mlia_mlir_join_regions(mlia_mlir_builder *builder, uint32_t index,
                                    mlia_mlir_captures captures[2], const void *position)
{
    mlia_graph *graph = builder->graph;
    uint32_t regions[2];
    mlia_operator_regions(&graph->operators[index], regions);
    MLIA_TRY(check_regions(builder, &graph->operators[index], regions, position));
    uint32_t *outer;
    size_t count;
    MLIA_TRY(unite(graph->arena, captures, &outer, &count));
    if (count == 0)
        return NULL;
    uint32_t *locals = MLIA_NEW_ARRAY(graph->arena, uint32_t, count);
    MLIA_TRY_ALLOC(locals);
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t block = graph->regions[regions[k]].block;
        MLIA_TRY(add_inputs(builder, block, &captures[k], outer, count, locals));
        if (k == 1 && graph->operators[index].op == MLIA_OP_WHILE_LOOP)
            MLIA_TRY(add_loop_results(builder, index, block, locals, count));
    }
    mlia_operator *op = &graph->operators[index];
    uint32_t *inputs = extend(graph->arena, op->inputs, op->input_count, count);
    MLIA_TRY_ALLOC(inputs);
    memcpy(inputs + op->input_count, outer, count * sizeof *outer);
    op->inputs = inputs;
    op->input_count += (uint32_t)count;
    return NULL;
}

/* Dimensions of a variable: generic form has them as var_shape, pretty form as the type of the value. */
static mlia_status *variable_shape(const mlia_mlir_builder *builder, const mlia_mlir_operation *operation,
                                   mlia_variable *variable)
{
    const mlia_mlir_attribute *type =
        mlia_mlir_get_kind(&operation->attributes, MLIA_STR("type"), MLIA_MLIR_TYPE_ATTRIBUTE);
    if (type != NULL && type->type->kind == MLIA_MLIR_TYPE_TENSOR) {
        variable->type = type->type->element;
        variable->rank = type->type->rank;
        variable->dims = type->type->dims;
        return NULL;
    }
    const mlia_mlir_attribute *shape =
        mlia_mlir_get_kind(&operation->attributes, MLIA_STR("var_shape"), MLIA_MLIR_DENSE);
    if (type == NULL || shape == NULL || shape->type->element != MLIA_TYPE_SHAPE || shape->type->rank != 1 ||
        shape->type->dims[0] > MLIA_RANK_LIMIT)
        return mlia_mlir_error(builder->context, MLIA_MLIR_ATTRIBUTE, operation->position,
                               "tosa.variable needs the attributes 'type' and 'var_shape'");
    uint32_t rank = (uint32_t)shape->type->dims[0];
    int64_t *dims = MLIA_NEW_ARRAY(builder->context->arena, int64_t, rank);
    MLIA_TRY_ALLOC(dims);
    for (uint32_t i = 0; i < rank; i++)
        dims[i] =
            (int64_t)mlia_load_u64(shape->as.constant.bytes.data + (shape->as.constant.splat ? 0 : 8 * i));
    *variable = (mlia_variable){.type = type->type->element, .rank = rank, .dims = dims};
    return NULL;
}

mlia_status *mlia_mlir_add_variable(mlia_mlir_builder *builder, const mlia_mlir_operation *operation)
{
    mlia_variable variable = {0};
    const mlia_mlir_attribute *name = mlia_mlir_get(&operation->attributes, MLIA_STR("sym_name"));
    if (name == NULL || (name->kind != MLIA_MLIR_STRING && name->kind != MLIA_MLIR_SYMBOL))
        return mlia_mlir_error(builder->context, MLIA_MLIR_ATTRIBUTE, operation->position,
                               "tosa.variable has no attribute 'sym_name'");
    MLIA_TRY(variable_shape(builder, operation, &variable));
    if (variable.type == MLIA_TYPE_UNKNOWN)
        return mlia_mlir_error(builder->context, MLIA_MLIR_TYPE, operation->position,
                               "variable '%.*s' has a type that TOSA does not have",
                               MLIA_STR_ARG(name->text));
    variable.name = name->text;
    const mlia_mlir_attribute *initial = mlia_mlir_get(&operation->attributes, MLIA_STR("initial_value"));
    if (initial != NULL && initial->kind == MLIA_MLIR_DENSE) {
        if (initial->type->element != variable.type || initial->type->rank != variable.rank ||
            (variable.rank > 0 &&
             memcmp(initial->type->dims, variable.dims, variable.rank * sizeof *variable.dims) != 0))
            return mlia_mlir_error(builder->context, MLIA_MLIR_TYPE, operation->position,
                                   "initial value of variable '%.*s' has another type than the variable",
                                   MLIA_STR_ARG(name->text));
        mlia_constant *constant = MLIA_NEW(builder->context->arena, mlia_constant);
        MLIA_TRY_ALLOC(constant);
        *constant = initial->as.constant;
        variable.initial = constant;
    }
    bool is_new;
    MLIA_TRY_ALLOC(mlia_map_insert(&builder->variables, name->text, builder->graph->variable_count, &is_new));
    if (!is_new)
        return mlia_mlir_error(builder->context, MLIA_MLIR_DUPLICATE, operation->position,
                               "variable '%.*s' is declared twice", MLIA_STR_ARG(name->text));
    return mlia_graph_add_variable(builder->graph, variable) != MLIA_NONE ? NULL : mlia_error_memory();
}

/* Name that a dictionary of an argument or result gives: tosa.tensor_name before tf_saved_model.index_path.
 */
static mlia_str name_in(const mlia_mlir_attribute *attributes)
{
    mlia_mlir_dictionary dictionary = {0};
    if (attributes != NULL && attributes->kind == MLIA_MLIR_DICTIONARY) {
        dictionary.items = (mlia_mlir_named *)(uintptr_t)attributes->as.members;
        dictionary.count = attributes->count;
    }
    const mlia_mlir_attribute *name =
        mlia_mlir_get_kind(&dictionary, MLIA_STR("tosa.tensor_name"), MLIA_MLIR_STRING);
    if (name == NULL) {
        const mlia_mlir_attribute *path =
            mlia_mlir_get_kind(&dictionary, MLIA_STR("tf_saved_model.index_path"), MLIA_MLIR_LIST);
        if (path != NULL && path->count == 1 && path->as.items[0]->kind == MLIA_MLIR_STRING)
            name = path->as.items[0];
    }
    return name != NULL && mlia_utf8_valid(name->text) ? name->text : MLIA_STR_NONE;
}

/* The comma-separated names that tf.entry_function gives to one side; empty when they are not `count`. */
static mlia_str entry_names(const mlia_mlir_dictionary *function, mlia_str side, uint32_t count)
{
    const mlia_mlir_attribute *entry =
        mlia_mlir_get_kind(function, MLIA_STR("tf.entry_function"), MLIA_MLIR_DICTIONARY);
    mlia_mlir_dictionary members = {0};
    if (entry != NULL) {
        members.items = (mlia_mlir_named *)(uintptr_t)entry->as.members;
        members.count = entry->count;
    }
    const mlia_mlir_attribute *names = mlia_mlir_get_kind(&members, side, MLIA_MLIR_STRING);
    if (names == NULL || !mlia_utf8_valid(names->text))
        return MLIA_STR_NONE;
    uint32_t parts = 1;
    for (size_t i = 0; i < names->text.size; i++)
        parts += names->text.data[i] == ',';
    return parts == count ? names->text : MLIA_STR_NONE;
}

static mlia_str next_name(mlia_str *names)
{
    size_t comma = mlia_str_find(*names, ',');
    mlia_str name = mlia_str_slice(*names, 0, comma);
    *names = comma == SIZE_MAX ? MLIA_STR_NONE : mlia_str_slice(*names, comma + 1, names->size);
    return name;
}

static void name_values(mlia_graph *graph, const uint32_t *values, uint32_t count,
                        const mlia_mlir_attribute *attributes, const mlia_mlir_dictionary *function,
                        mlia_str side)
{
    bool listed = attributes != NULL && attributes->kind == MLIA_MLIR_LIST && attributes->count == count;
    mlia_str entries = entry_names(function, side, count);
    for (uint32_t i = 0; i < count; i++) {
        mlia_graph_value *value = &graph->values[values[i]];
        mlia_str entry = next_name(&entries);
        mlia_str own = listed ? name_in(attributes->as.items[i]) : MLIA_STR_NONE;
        if (value->name.size == 0)
            value->name = own.size > 0 ? own : entry;
    }
}

mlia_status *mlia_mlir_name_interface(mlia_mlir_builder *builder,
                                      const mlia_mlir_attribute *argument_attributes,
                                      const mlia_mlir_attribute *result_attributes,
                                      const mlia_mlir_dictionary *function)
{
    const mlia_block *block = mlia_graph_main(builder->graph);
    name_values(builder->graph, block->inputs, block->input_count, argument_attributes, function,
                MLIA_STR("inputs"));
    name_values(builder->graph, block->outputs, block->output_count, result_attributes, function,
                MLIA_STR("outputs"));
    return NULL;
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* True when every operator with results has one, with a decimal name that no other has. */
static mlia_status *numbered(const mlia_mlir_builder *builder, bool *result)
{
    uint32_t count = builder->graph->source_count;
    int64_t *sorted = MLIA_NEW_ARRAY(builder->context->arena, int64_t, count);
    MLIA_TRY_ALLOC(sorted);
    *result = true;
    if (count > 0) {
        memcpy(sorted, builder->ssa, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_numbers);
    }
    for (uint32_t i = 0; i < count && *result; i++)
        *result = sorted[i] != MLIA_MLIR_NO_SSA && (i == 0 || sorted[i] < 0 || sorted[i] != sorted[i - 1]);
    return NULL;
}

/* Ids of sources: the SSA number where the file has plain numbers throughout, else the running position. */
static mlia_status *set_ids(mlia_mlir_builder *builder)
{
    mlia_graph *graph = builder->graph;
    bool by_number = false;
    MLIA_TRY(numbered(builder, &by_number));
    for (uint32_t i = 0; i < graph->source_count; i++) {
        int64_t number = by_number && builder->ssa[i] >= 0 ? builder->ssa[i] : i;
        bool mark = by_number && builder->ssa[i] == MLIA_MLIR_NO_RESULT;
        graph->sources[i].id =
            mlia_arena_format(graph->arena, "%s%lld", mark ? "op_" : "", (long long)number);
        MLIA_TRY_ALLOC(graph->sources[i].id.data);
    }
    return NULL;
}

/* Version from tosa.fbs_version ("1.1.0d"), else the lowest that has all operators and types. */
static void set_version(mlia_graph *graph, const mlia_mlir_dictionary *module)
{
    const mlia_mlir_attribute *text =
        mlia_mlir_get_kind(module, MLIA_STR("tosa.fbs_version"), MLIA_MLIR_STRING);
    const char *digits =
        text != NULL && (text->text.size == 5 || text->text.size == 6) ? text->text.data : "";
    if (digits[0] == '1' && digits[1] == '.' && digits[3] == '.' && digits[2] >= '0' && digits[2] <= '9' &&
        digits[4] >= '0' && digits[4] <= '9') {
        for (int i = 0; i < 3; i++)
            graph->version[i] = digits[2 * i] - '0';
        graph->draft = text->text.size == 6;
        return;
    }
    bool newer = false;
    for (uint32_t i = 0; i < graph->operator_count; i++)
        newer = newer || graph->operators[i].op > MLIA_OP_LAST_1_0;
    for (uint32_t i = 0; i < graph->value_count; i++)
        newer = newer || graph->values[i].type > MLIA_TYPE_LAST_1_0;
    graph->version[1] = newer ? 1 : 0;
    graph->draft = newer;
}

mlia_status *mlia_mlir_builder_finish(mlia_mlir_builder *builder, const mlia_mlir_dictionary *module)
{
    set_version(builder->graph, module);
    MLIA_TRY(set_ids(builder));
    return mlia_graph_finish(builder->graph, builder->context->diagnostics);
}
