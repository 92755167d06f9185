/* Editing of a graph; see edit.h. */
#include "convert/simplify/edit.h"

#include "base/hash.h"
#include "graph/encode.h"

/* Room for the side tables of values and operators that the graph has got since. */
static mlia_status *extend(mlia_edit *edit)
{
    size_t values = edit->graph->value_count;
    if (values > edit->value_capacity) {
        size_t capacity = edit->value_capacity;
        edit->forward = mlia_arena_grow(edit->scratch, edit->forward, edit->value_capacity, &capacity, values,
                                        sizeof *edit->forward, _Alignof(uint32_t));
        MLIA_TRY_ALLOC(edit->forward);
        size_t same = edit->value_capacity;
        edit->uses = mlia_arena_grow(edit->scratch, edit->uses, edit->value_capacity, &same, values,
                                     sizeof *edit->uses, _Alignof(uint32_t));
        MLIA_TRY_ALLOC(edit->uses);
        same = edit->value_capacity;
        edit->splat = mlia_arena_grow(edit->scratch, edit->splat, edit->value_capacity, &same, values, 1, 1);
        MLIA_TRY_ALLOC(edit->splat);
        for (size_t i = edit->value_capacity; i < capacity; i++)
            edit->forward[i] = (uint32_t)i;
        edit->value_capacity = capacity;
    }
    size_t operators = edit->graph->operator_count;
    if (operators > edit->dead_capacity) {
        edit->dead = mlia_arena_grow(edit->scratch, edit->dead, edit->dead_capacity, &edit->dead_capacity,
                                     operators, sizeof *edit->dead, _Alignof(bool));
        MLIA_TRY_ALLOC(edit->dead);
    }
    return NULL;
}

uint32_t mlia_edit_value(mlia_edit *edit, uint32_t value)
{
    uint32_t last = value;
    while (edit->forward[last] != last)
        last = edit->forward[last];
    while (edit->forward[value] != last) { /* shorten the way for the next one */
        uint32_t next = edit->forward[value];
        edit->forward[value] = last;
        value = next;
    }
    return last;
}

uint32_t mlia_edit_input(mlia_edit *edit, uint32_t op, uint32_t index)
{
    return mlia_edit_value(edit, edit->graph->operators[op].inputs[index]);
}

uint32_t mlia_edit_producer(mlia_edit *edit, uint32_t value, mlia_op kind)
{
    uint32_t producer = edit->graph->values[value].producer;
    bool found = producer != MLIA_NONE && !edit->dead[producer] &&
                 edit->graph->operators[producer].op == (uint32_t)kind;
    return found ? producer : MLIA_NONE;
}

void mlia_edit_replace(mlia_edit *edit, uint32_t op, uint32_t value)
{
    edit->forward[edit->graph->operators[op].outputs[0]] = value;
    edit->dead[op] = true;
    edit->changed = true;
}

void mlia_edit_set_input(mlia_edit *edit, uint32_t op, uint32_t index, uint32_t value)
{
    /* the copy of the operator owns its list (copy_operator), so the view can be written through */
    ((uint32_t *)edit->graph->operators[op].inputs)[index] = value;
    edit->changed = true;
}

mlia_status *mlia_edit_set_inputs(mlia_edit *edit, uint32_t op, const uint32_t *inputs, uint32_t count)
{
    uint32_t *copy = MLIA_NEW_ARRAY(edit->arena, uint32_t, count);
    MLIA_TRY_ALLOC(copy);
    memcpy(copy, inputs, count * sizeof *copy);
    edit->graph->operators[op].inputs = copy;
    edit->graph->operators[op].input_count = count;
    edit->changed = true;
    return NULL;
}

bool mlia_edit_same_type(mlia_edit *edit, uint32_t a, uint32_t b)
{
    const mlia_graph_value *left = &edit->graph->values[a];
    const mlia_graph_value *right = &edit->graph->values[b];
    if (left->type != right->type || left->kind != right->kind || left->rank != right->rank ||
        left->unranked != right->unranked)
        return false;
    for (uint32_t i = 0; left->kind == MLIA_KIND_TENSOR && i < left->rank; i++)
        if (left->dims[i] != right->dims[i])
            return false;
    return true;
}

bool mlia_edit_static(mlia_edit *edit, uint32_t value)
{
    uint64_t elements;
    return mlia_value_elements(&edit->graph->values[value], &elements);
}

mlia_status *mlia_edit_bytes(mlia_edit *edit, uint32_t value, mlia_bytes *bytes)
{
    return mlia_constant_encode(&edit->graph->values[value], MLIA_ENCODING_BYTES, edit->arena, bytes);
}

/* The same for the time of the edit. */
static mlia_status *scratch_bytes(mlia_edit *edit, uint32_t value, mlia_bytes *bytes)
{
    return mlia_constant_encode(&edit->graph->values[value], MLIA_ENCODING_BYTES, edit->scratch, bytes);
}

/* One element of a constant in BYTES encoding: a view of the first, or a copy. */
static bool first_element(mlia_edit *edit, uint32_t index, mlia_bytes *element)
{
    mlia_graph_value one = edit->graph->values[index];
    one.rank = 0;
    one.dims = NULL;
    mlia_constant constant = *one.constant;
    constant.splat = false;
    uint64_t size;
    if (!mlia_constant_bytes(one.type, (mlia_encoding)constant.encoding, 1, &size) ||
        constant.bytes.size < size)
        return false;
    constant.bytes.size = (size_t)size;
    one.constant = &constant;
    mlia_status *status = mlia_constant_encode(&one, MLIA_ENCODING_BYTES, edit->arena, element);
    mlia_status_free(status);
    return status == NULL;
}

static bool all_equal(mlia_bytes bytes, size_t size)
{
    for (size_t i = size; i + size <= bytes.size; i += size)
        if (memcmp(bytes.data, bytes.data + i, size) != 0)
            return false;
    return true;
}

bool mlia_edit_splat(mlia_edit *edit, uint32_t index, mlia_bytes *element)
{
    const mlia_graph_value *value = &edit->graph->values[index];
    if (value->kind != MLIA_KIND_TENSOR || value->constant == NULL || value->producer == MLIA_NONE ||
        edit->splat[index] == 2 || !first_element(edit, index, element))
        return false;
    if (edit->splat[index] == 0) {
        mlia_bytes bytes = {NULL, 0};
        bool equal = value->constant->splat;
        if (!equal) {
            mlia_status *status = scratch_bytes(edit, index, &bytes);
            equal = status == NULL && all_equal(bytes, element->size);
            mlia_status_free(status);
        }
        edit->splat[index] = equal ? 1 : 2;
    }
    return edit->splat[index] == 1;
}

const int64_t *mlia_edit_shape(mlia_edit *edit, uint32_t value)
{
    const mlia_graph_value *shape = &edit->graph->values[value];
    static const int64_t none[1] = {0};
    if (shape->kind != MLIA_KIND_SHAPE)
        return NULL;
    return shape->shape_values != NULL ? shape->shape_values : shape->rank == 0 ? none : NULL;
}

enum {
    INLINE_CONTENT = 64
}; /* bytes of content that a key holds; of larger constants it holds as many samples */

/* Content of a constant: its bytes, or those of one element when all are equal. */
static mlia_status *constant_content(mlia_edit *edit, uint32_t index, mlia_bytes *bytes)
{
    *bytes = (mlia_bytes){NULL, 0};
    if (edit->graph->values[index].kind == MLIA_KIND_SHAPE || mlia_edit_splat(edit, index, bytes))
        return NULL;
    return scratch_bytes(edit, index, bytes);
}

/* Key of a constant from its type, its dimensions and `content`; `mark` keeps keys of different content
 * apart. */
static mlia_status *constant_key(mlia_edit *edit, uint32_t index, char mark, mlia_bytes content,
                                 mlia_str *key)
{
    const mlia_graph_value *value = &edit->graph->values[index];
    const int64_t *numbers = value->kind == MLIA_KIND_SHAPE ? value->shape_values : value->dims;
    size_t header = 8 + (size_t)value->rank * sizeof *numbers;
    char *data = MLIA_NEW_ARRAY(edit->scratch, char, header + content.size);
    MLIA_TRY_ALLOC(data);
    data[0] = (char)value->type;
    data[1] = (char)value->kind;
    data[2] = (char)value->rank;
    data[3] = mark;
    if (value->rank > 0 && numbers != NULL)
        memcpy(data + 8, numbers, header - 8);
    if (content.size > 0)
        memcpy(data + header, content.data, content.size);
    *key = (mlia_str){data, header + content.size};
    return NULL;
}

static mlia_status *find_key(mlia_edit *edit, uint32_t index, char mark, mlia_bytes content, uint32_t *known)
{
    mlia_str key = MLIA_STR_NONE;
    MLIA_TRY(constant_key(edit, index, mark, content, &key));
    const uint32_t *found = mlia_map_insert(&edit->known_constants, key, index, NULL);
    MLIA_TRY_ALLOC(found);
    *known = *found;
    return NULL;
}

/* Value of an equal constant, or `index` itself, which is then known. Splats and written-out constants of
 * equal content are equal. Large constants are compared only when their samples are equal, and told apart by
 * SHA-256 when they differ all the same: most are never looked at as a whole. */
static mlia_status *find_equal(mlia_edit *edit, uint32_t index, uint32_t *equal)
{
    mlia_bytes bytes = {NULL, 0};
    MLIA_TRY(constant_content(edit, index, &bytes));
    if (bytes.size <= INLINE_CONTENT)
        return find_key(edit, index, 'b', bytes, equal);
    uint8_t samples[INLINE_CONTENT];
    for (size_t i = 0; i < INLINE_CONTENT; i++)
        samples[i] = bytes.data[bytes.size / INLINE_CONTENT * i];
    MLIA_TRY(find_key(edit, index, 's', (mlia_bytes){samples, sizeof samples}, equal));
    if (*equal == index)
        return NULL;
    mlia_bytes other = {NULL, 0};
    MLIA_TRY(constant_content(edit, *equal, &other));
    if (other.size == bytes.size && memcmp(other.data, bytes.data, bytes.size) == 0)
        return NULL;
    char digest[MLIA_SHA256_HEX_SIZE + 1];
    mlia_sha256_hex(bytes, digest);
    return find_key(edit, index, 'h', (mlia_bytes){(const uint8_t *)digest, sizeof digest}, equal);
}

mlia_status *mlia_edit_make_constant(mlia_edit *edit, uint32_t op, mlia_bytes bytes, bool is_splat)
{
    mlia_constant *constant = MLIA_NEW(edit->arena, mlia_constant);
    MLIA_TRY_ALLOC(constant);
    *constant = (mlia_constant){bytes, MLIA_ENCODING_BYTES, is_splat};
    mlia_operator *target = &edit->graph->operators[op];
    target->op = MLIA_OP_CONST;
    target->input_count = 0;
    target->attributes = NULL;
    edit->graph->values[target->outputs[0]].constant = constant;
    edit->splat[target->outputs[0]] = 0;
    edit->changed = true;
    return NULL;
}

mlia_status *mlia_edit_add_shape(mlia_edit *edit, const int64_t *values, uint32_t count, uint32_t *value)
{
    *value = mlia_graph_add_shape(edit->graph, 0, MLIA_STR_NONE, count, values);
    if (*value == MLIA_NONE)
        return mlia_error_memory();
    uint32_t op =
        mlia_graph_add_operator(edit->graph, 0, MLIA_OP_CONST_SHAPE, NULL, 0, value, 1, NULL, MLIA_NONE);
    if (op == MLIA_NONE)
        return mlia_error_memory();
    MLIA_TRY(extend(edit));
    if (!MLIA_RESERVE(edit->scratch, edit->constants, edit->constant_count, edit->constant_capacity))
        return mlia_error_memory();
    edit->constants[edit->constant_count++] = op;
    return NULL;
}

mlia_status *mlia_edit_add_operator(mlia_edit *edit, mlia_op kind, uint32_t model, const uint32_t *inputs,
                                    uint32_t input_count, uint32_t type, uint32_t rank, const int64_t *dims,
                                    const mlia_attributes *attributes, uint32_t *op)
{
    uint32_t source = model == MLIA_NONE ? MLIA_NONE : edit->graph->operators[model].source;
    uint32_t output = mlia_graph_add_tensor(edit->graph, 0, MLIA_STR_NONE, type, rank, dims);
    if (output == MLIA_NONE)
        return mlia_error_memory();
    *op = mlia_graph_add_operator(edit->graph, 0, (uint32_t)kind, inputs, input_count, &output, 1, attributes,
                                  source);
    if (*op == MLIA_NONE)
        return mlia_error_memory();
    if (model != MLIA_NONE)
        mlia_operator_take_place(&edit->graph->operators[*op], &edit->graph->operators[model]);
    else
        edit->graph->operators[*op].number = MLIA_NONE;
    return extend(edit);
}

mlia_status *mlia_edit_append(mlia_edit *edit, uint32_t op)
{
    if (!MLIA_RESERVE(edit->scratch, edit->operators, edit->operator_count, edit->operator_capacity))
        return mlia_error_memory();
    edit->operators[edit->operator_count++] = op;
    return NULL;
}

/* --- opening --- */

static bool is_constant(const mlia_operator *op)
{
    return op->op == MLIA_OP_CONST || op->op == MLIA_OP_CONST_SHAPE;
}

mlia_status *mlia_edit_copy(const mlia_graph *graph, mlia_arena *arena, mlia_graph **result)
{
    mlia_graph *copy = MLIA_NEW(arena, mlia_graph);
    MLIA_TRY_ALLOC(copy);
    *copy = *graph;
    copy->arena = arena;
    copy->values = MLIA_NEW_ARRAY(arena, mlia_graph_value, graph->value_count);
    copy->operators = MLIA_NEW_ARRAY(arena, mlia_operator, graph->operator_count);
    size_t operands = 0;
    for (uint32_t i = 0; i < graph->operator_count; i++)
        operands += graph->operators[i].input_count;
    uint32_t *inputs = MLIA_NEW_ARRAY(arena, uint32_t, operands);
    MLIA_TRY_ALLOC(copy->values);
    MLIA_TRY_ALLOC(copy->operators);
    MLIA_TRY_ALLOC(inputs);
    if (graph->value_count > 0)
        memcpy(copy->values, graph->values, graph->value_count * sizeof *copy->values);
    if (graph->operator_count > 0)
        memcpy(copy->operators, graph->operators, graph->operator_count * sizeof *copy->operators);
    copy->value_capacity = copy->value_count;
    copy->operator_capacity = copy->operator_count;
    copy->source_capacity = copy->source_count;
    for (uint32_t i = 0; i < copy->operator_count; i++) {
        mlia_operator *op = &copy->operators[i];
        if (op->input_count > 0)
            memcpy(inputs, op->inputs, op->input_count * sizeof *inputs);
        op->inputs = inputs;
        inputs += op->input_count;
    }
    *result = copy;
    return NULL;
}

/* Puts constants that stand in the list of operators into that of constants: those in front of all operators
 * behind it, later ones before it. */
static mlia_status *sort_constants(mlia_edit *edit, size_t moved)
{
    size_t count = edit->operator_count;
    uint32_t *constants = MLIA_NEW_ARRAY(edit->scratch, uint32_t, edit->constant_count + moved);
    uint32_t *later = MLIA_NEW_ARRAY(edit->scratch, uint32_t, moved);
    MLIA_TRY_ALLOC(constants);
    MLIA_TRY_ALLOC(later);
    size_t later_count = 0;
    edit->operator_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t op = edit->operators[i];
        if (edit->dead[op])
            continue;
        if (!is_constant(&edit->graph->operators[op])) {
            edit->operators[edit->operator_count++] = op;
            continue;
        }
        uint32_t value = edit->graph->operators[op].outputs[0];
        MLIA_TRY(find_equal(edit, value, &edit->forward[value]));
        if (edit->forward[value] != value) {
            edit->dead[op] = true;
        } else if (edit->operator_count == 0) {
            if (!MLIA_RESERVE(edit->scratch, edit->constants, edit->constant_count, edit->constant_capacity))
                return mlia_error_memory();
            edit->constants[edit->constant_count++] = op;
        } else {
            later[later_count++] = op;
        }
    }
    if (later_count == 0)
        return NULL;
    for (size_t i = 0; i < later_count; i++)
        constants[i] = later[later_count - 1 - i];
    if (edit->constant_count > 0)
        memcpy(constants + later_count, edit->constants, edit->constant_count * sizeof *constants);
    edit->constants = constants;
    edit->constant_count += later_count;
    edit->constant_capacity = edit->constant_count;
    return NULL;
}

mlia_status *mlia_edit_hoist(mlia_edit *edit)
{
    size_t moved = 0;
    for (size_t i = 0; i < edit->operator_count; i++)
        moved += is_constant(&edit->graph->operators[edit->operators[i]]);
    return moved > 0 ? sort_constants(edit, moved) : NULL;
}

mlia_status *mlia_edit_take(mlia_graph *graph, mlia_arena *scratch, mlia_edit *edit)
{
    *edit = (mlia_edit){
        .arena = graph->arena, .scratch = scratch, .graph = graph, .known_constants = mlia_map_in(scratch)};
    const mlia_block *block = mlia_graph_main(graph);
    MLIA_TRY(extend(edit));
    edit->inputs = block->inputs;
    edit->input_count = block->input_count;
    edit->outputs = MLIA_NEW_ARRAY(scratch, uint32_t, block->output_count);
    MLIA_TRY_ALLOC(edit->outputs);
    edit->output_count = block->output_count;
    if (block->output_count > 0)
        memcpy(edit->outputs, block->outputs, block->output_count * sizeof *edit->outputs);
    for (uint32_t i = 0; i < block->operator_count; i++)
        MLIA_TRY(mlia_edit_append(edit, block->operators[i]));
    mlia_str name = graph->regions[0].name;
    graph->regions = NULL;
    graph->blocks = NULL;
    graph->region_count = graph->block_count = 0;
    graph->region_capacity = graph->block_capacity = 0;
    if (mlia_graph_add_region(graph, name, MLIA_STR("main")) == MLIA_NONE)
        return mlia_error_memory();
    return mlia_edit_hoist(edit);
}

/* --- uses --- */

mlia_status *mlia_edit_count_uses(mlia_edit *edit)
{
    if (edit->value_capacity > 0)
        memset(edit->uses, 0, edit->value_capacity * sizeof *edit->uses);
    for (uint32_t i = 0; i < edit->output_count; i++)
        edit->uses[mlia_edit_value(edit, edit->outputs[i])]++;
    for (size_t i = edit->operator_count; i-- > 0;) {
        uint32_t index = edit->operators[i];
        const mlia_operator *op = &edit->graph->operators[index];
        uint32_t regions[2]; /* may write variables */
        bool used = op->output_count == 0 || op->op == MLIA_OP_VARIABLE_WRITE ||
                    (mlia_operator_regions(op, regions) > 0 && edit->graph->variable_count > 0);
        for (uint32_t k = 0; k < op->output_count; k++)
            used = used || edit->uses[op->outputs[k]] > 0;
        if (!used)
            edit->dead[index] = true;
        for (uint32_t k = 0; !edit->dead[index] && k < op->input_count; k++)
            edit->uses[mlia_edit_input(edit, index, k)]++;
    }
    size_t count = 0;
    for (size_t i = 0; i < edit->operator_count; i++)
        if (!edit->dead[edit->operators[i]])
            edit->operators[count++] = edit->operators[i];
    edit->operator_count = count;
    return NULL;
}

/* --- closing --- */

/* Brings `items` into the order of the list: order[new] = old, a permutation, which this uses up. */
static void permute(mlia_operator *items, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (order[i] == i)
            continue;
        mlia_operator first = items[i];
        uint32_t place = i;
        while (order[place] != i) {
            uint32_t from = order[place];
            items[place] = items[from];
            order[place] = place;
            place = from;
        }
        items[place] = first;
        order[place] = place;
    }
}

/* Operators that stay, in their new order, then the others, whose results are forgotten. */
static mlia_status *order_operators(mlia_edit *edit, uint32_t **order, uint32_t *kept)
{
    mlia_graph *graph = edit->graph;
    uint32_t count = graph->operator_count;
    bool *stays = MLIA_NEW_ARRAY(edit->scratch, bool, count);
    *order = MLIA_NEW_ARRAY(edit->scratch, uint32_t, count);
    MLIA_TRY_ALLOC(stays);
    MLIA_TRY_ALLOC(*order);
    uint32_t next = 0;
    for (size_t i = 0; i < edit->constant_count; i++) {
        uint32_t op = edit->constants[i];
        if (!edit->dead[op] && edit->uses[graph->operators[op].outputs[0]] > 0)
            (*order)[next++] = op;
    }
    for (size_t i = 0; i < edit->operator_count; i++)
        (*order)[next++] = edit->operators[i];
    for (uint32_t i = 0; i < next; i++)
        stays[(*order)[i]] = true;
    *kept = next;
    for (uint32_t i = 0; i < count; i++)
        if (!stays[i]) {
            (*order)[next++] = i;
            for (uint32_t k = 0; k < graph->operators[i].output_count; k++)
                graph->values[graph->operators[i].outputs[k]].constant = NULL;
        }
    return NULL;
}

/* Operands of an operator that stays. */
static void close_operator(mlia_edit *edit, uint32_t index)
{
    mlia_operator *op = &edit->graph->operators[index];
    uint32_t *inputs = (uint32_t *)(uintptr_t)op->inputs; /* its own, see mlia_edit_set_input */
    for (uint32_t i = 0; i < op->input_count; i++)
        inputs[i] = mlia_edit_value(edit, inputs[i]);
    op->block = 0;
}

mlia_status *mlia_edit_close(mlia_edit *edit, mlia_diagnostics *diagnostics)
{
    MLIA_TRY(mlia_edit_count_uses(edit));
    mlia_graph *graph = edit->graph;
    uint32_t *order = NULL;
    uint32_t kept = 0;
    MLIA_TRY(order_operators(edit, &order, &kept));
    permute(graph->operators, order, graph->operator_count);
    graph->operator_count = kept;
    graph->variables = NULL;
    graph->variable_count = 0;
    graph->variable_capacity = 0;
    for (uint32_t i = 0; i < graph->value_count; i++) {
        graph->values[i].block = 0;
        graph->values[i].variable = MLIA_NONE;
        graph->values[i].scale = NULL;
    }
    mlia_block *block = &graph->blocks[0];
    block->operators = MLIA_NEW_ARRAY(graph->arena, uint32_t, kept);
    MLIA_TRY_ALLOC(block->operators);
    block->operator_count = kept;
    block->operator_capacity = kept;
    for (uint32_t i = 0; i < kept; i++) {
        close_operator(edit, i);
        block->operators[i] = i;
    }
    for (uint32_t i = 0; i < edit->output_count; i++)
        edit->outputs[i] = mlia_edit_value(edit, edit->outputs[i]);
    if (!mlia_graph_set_block_inputs(graph, 0, edit->inputs, edit->input_count) ||
        !mlia_graph_set_block_outputs(graph, 0, edit->outputs, edit->output_count))
        return mlia_error_memory();
    return mlia_graph_finish(graph, diagnostics);
}
