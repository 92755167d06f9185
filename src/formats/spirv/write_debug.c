/* Debug information of a module that is written: names of the graph, its inputs, constants, operators and
 * outputs. */
#include "formats/spirv/writer.h"

enum { TEXT_LIMIT = 262120 }; /* bytes; an OpString holds no more */

/* Id of the OpString with this text. */
static mlia_status *text_id(spirv_writer *writer, mlia_str text, uint32_t *id)
{
    if (text.data == NULL)
        text = MLIA_STR("");
    text = mlia_str_slice(text, 0, mlia_utf8_cut(text, TEXT_LIMIT));
    size_t zero = mlia_str_find(text, 0);
    if (zero != SIZE_MAX)
        text.size = zero;
    uint32_t *known = mlia_map_insert(&writer->texts, text, 0, NULL);
    MLIA_TRY_ALLOC(known);
    if (*known == 0) {
        *known = spirv_new_id(writer);
        MLIA_TRY(spirv_emit_text(&writer->strings, MLIA_SPIRV_OpString, known, 1, text, 1));
    }
    *id = *known;
    return NULL;
}

/* The text that stands for an operator: its location as the file has it, else its label, else its place in a
 * text file. */
static mlia_str text_of(const spirv_writer *writer, const mlia_operator *op)
{
    const mlia_source *source = op->source == MLIA_NONE ? NULL : &writer->graph->sources[op->source];
    if (source != NULL && source->location.size > 0)
        return source->location;
    if (source != NULL && source->label.size > 0)
        return source->label;
    if (op->line == 0 || writer->options->file.size == 0)
        return MLIA_STR_NONE;
    return mlia_arena_format(writer->arena, "%.*s:%u:%u", MLIA_STR_ARG(writer->options->file), op->line,
                             op->column);
}

static mlia_status *debug(spirv_writer *writer, mlia_spirv_debug number, const uint32_t *operands,
                          size_t count, uint32_t *id)
{
    uint32_t void_type = spirv_intern(writer, MLIA_SPIRV_OpTypeVoid, 0, NULL, 0);
    uint32_t *words = MLIA_NEW_ARRAY(writer->arena, uint32_t, count + 4);
    MLIA_TRY_ALLOC(words);
    *id = spirv_new_id(writer);
    words[0] = void_type;
    words[1] = *id;
    words[2] = writer->debug_set;
    words[3] = (uint32_t)number;
    memcpy(words + 4, operands, count * sizeof *operands);
    return spirv_emit(&writer->debug, MLIA_SPIRV_OpExtInst, words, count + 4);
}

static mlia_status *name_tensor(spirv_writer *writer, uint32_t tensor, mlia_str text)
{
    uint32_t operands[2] = {tensor, 0};
    MLIA_TRY(text_id(writer, text, &operands[1]));
    uint32_t id;
    return debug(writer, MLIA_SPIRV_DEBUG_TENSOR, operands, 2, &id);
}

/* Operators with the same text, in order. */
typedef struct text_group {
    mlia_str text;
    uint32_t count;
    uint32_t used;
    uint32_t *results;
} text_group;

static mlia_status *collect_groups(spirv_writer *writer, text_group **groups, uint32_t *group_count)
{
    const mlia_spirv_write_options *options = writer->options;
    mlia_map by_text = mlia_map_in(writer->arena);
    uint32_t *group_of = MLIA_NEW_ARRAY(writer->arena, uint32_t, options->operator_count);
    MLIA_TRY_ALLOC(group_of);
    *groups = MLIA_NEW_ARRAY(writer->arena, text_group, options->operator_count);
    MLIA_TRY_ALLOC(*groups);
    *group_count = 0;
    for (uint32_t i = 0; i < options->operator_count; i++) {
        if (writer->operator_ids[i] == 0)
            continue;
        mlia_str text = text_of(writer, &writer->graph->operators[options->operators[i]]);
        bool is_new;
        uint32_t *known = mlia_map_insert(&by_text, text, *group_count, &is_new);
        MLIA_TRY_ALLOC(known);
        if (is_new)
            (*groups)[(*group_count)++].text = text;
        (*groups)[*known].count++;
        group_of[i] = *known;
    }
    for (uint32_t i = 0; i < *group_count; i++) {
        (*groups)[i].results = MLIA_NEW_ARRAY(writer->arena, uint32_t, (*groups)[i].count);
        MLIA_TRY_ALLOC((*groups)[i].results);
    }
    for (uint32_t i = 0; i < options->operator_count; i++)
        if (writer->operator_ids[i] != 0) {
            text_group *group = &(*groups)[group_of[i]];
            group->results[group->used++] = writer->operator_ids[i];
        }
    return NULL;
}

enum { RESULTS_PER_OPERATION = 32768 }; /* more would not fit into one instruction */

static mlia_status *name_operators(spirv_writer *writer, uint32_t debug_graph)
{
    text_group *groups = NULL;
    uint32_t group_count = 0;
    MLIA_TRY(collect_groups(writer, &groups, &group_count));
    for (uint32_t i = 0; i < group_count; i++)
        for (uint32_t first = 0; first < groups[i].count; first += RESULTS_PER_OPERATION) {
            uint32_t count = groups[i].count - first;
            count = count > RESULTS_PER_OPERATION ? RESULTS_PER_OPERATION : count;
            uint32_t *operands = MLIA_NEW_ARRAY(writer->arena, uint32_t, (size_t)count + 2);
            MLIA_TRY_ALLOC(operands);
            operands[0] = debug_graph;
            MLIA_TRY(text_id(writer, groups[i].text, &operands[1]));
            memcpy(operands + 2, groups[i].results + first, count * sizeof *operands);
            uint32_t id;
            MLIA_TRY(debug(writer, MLIA_SPIRV_DEBUG_OPERATION, operands, (size_t)count + 2, &id));
        }
    return NULL;
}

static mlia_str text_of_producer(const spirv_writer *writer, uint32_t value)
{
    uint32_t producer = writer->graph->values[value].producer;
    return producer == MLIA_NONE ? MLIA_STR_NONE : text_of(writer, &writer->graph->operators[producer]);
}

mlia_status *spirv_write_debug(spirv_writer *writer, uint32_t graph_id)
{
    const mlia_spirv_write_options *options = writer->options;
    writer->debug_set = spirv_new_id(writer);
    mlia_str name = MLIA_STR("main");
    for (uint32_t i = 0; i < options->input_count; i++)
        MLIA_TRY(name_tensor(writer, writer->ids[options->inputs[i].value],
                             writer->graph->values[options->inputs[i].value].name));
    for (size_t i = 0; i < writer->constant_count; i++)
        MLIA_TRY(name_tensor(writer, writer->ids[writer->constants[i]],
                             text_of_producer(writer, writer->constants[i])));
    for (uint32_t i = 0; i < options->output_count; i++)
        MLIA_TRY(name_tensor(writer, writer->ids[options->outputs[i].value],
                             text_of_producer(writer, options->outputs[i].value)));
    uint32_t operands[2] = {graph_id, 0};
    MLIA_TRY(text_id(writer, name, &operands[1]));
    uint32_t debug_graph = 0;
    MLIA_TRY(debug(writer, MLIA_SPIRV_DEBUG_GRAPH, operands, 2, &debug_graph));
    return name_operators(writer, debug_graph);
}
