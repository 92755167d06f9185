/* Source operators: what each TOSA operator of the result came from.
 *
 * A TensorFlow Lite operator becomes one source operator, however often its subgraph is inlined. One that
 * left no TOSA operator behind (its result was worked out, or joined with another's) is absorbed by the next
 * operator that reads it; at the end of the graph, by the one before it. */
#include "convert/tflite_to_tosa/source.h"

void mlia_lower_json_text(mlia_buffer *out, mlia_str text)
{
    mlia_buffer_add_byte(out, '"');
    size_t position = 0;
    while (position < text.size) {
        size_t start = position;
        uint32_t code_point;
        bool valid = mlia_utf8_next(text, &position, &code_point);
        if (!valid)
            mlia_buffer_add_str(out, MLIA_STR("\\ufffd"));
        else if (code_point == '"' || code_point == '\\')
            mlia_buffer_format(out, "\\%c", (char)code_point);
        else if (code_point < 0x20 || code_point == 0x7F)
            mlia_buffer_format(out, "\\u%04x", code_point);
        else
            mlia_buffer_add(out, text.data + start, position - start);
    }
    mlia_buffer_add_byte(out, '"');
}

static void add_member(mlia_buffer *out, const char *name, mlia_str text)
{
    mlia_buffer_format(out, "\"%s\":", name);
    mlia_lower_json_text(out, text);
}

/* What this program alone has to say: ,"mlia":{"operators":[…],"refusal":{"code":…,"detail":…}}. */
static void add_own_members(mlia_buffer *out, const mlia_source *source)
{
    mlia_buffer_add_str(out, MLIA_STR(",\"mlia\":{"));
    if (source->absorbed_count > 0) {
        mlia_buffer_add_str(out, MLIA_STR("\"operators\":["));
        mlia_lower_json_text(out, source->id);
        for (uint32_t i = 0; i < source->absorbed_count; i++) {
            mlia_buffer_add_byte(out, ',');
            mlia_lower_json_text(out, source->absorbed[i]);
        }
        mlia_buffer_add_byte(out, ']');
    }
    if (source->refusal.size > 0) {
        mlia_buffer_add_str(out, source->absorbed_count > 0 ? MLIA_STR(",\"refusal\":{")
                                                            : MLIA_STR("\"refusal\":{"));
        add_member(out, "code", source->refusal_code);
        mlia_buffer_add_byte(out, ',');
        add_member(out, "detail", source->refusal);
        mlia_buffer_add_byte(out, '}');
    }
    mlia_buffer_add_byte(out, '}');
}

static mlia_str location_text(lowering *l, const mlia_source *source)
{
    mlia_buffer text = {0};
    mlia_buffer_format(&text, "{\"tflite\":{\"subgraph\":%u,\"operator\":%u,", source->line, source->column);
    add_member(&text, "name", source->type);
    mlia_buffer_add_byte(&text, ',');
    add_member(&text, "tensor", source->label);
    mlia_buffer_add_byte(&text, '}');
    if (source->absorbed_count > 0 || source->refusal.size > 0)
        add_own_members(&text, source);
    mlia_buffer_add_byte(&text, '}');
    mlia_str copy = text.failed ? MLIA_STR_NONE : mlia_arena_str(l->arena, mlia_buffer_str(&text));
    mlia_buffer_free(&text);
    return copy;
}

/* "operator/3", or "subgraph/1/operator/3". data NULL without memory. */
static mlia_str source_key(lowering *l, uint32_t subgraph, uint32_t operator)
{
    return subgraph == 0 ? mlia_arena_format(l->arena, "operator/%u", operator)
                         : mlia_arena_format(l->arena, "subgraph/%u/operator/%u", subgraph, operator);
}

/* ---- making them ---- */

/* Names of all results; NULL without memory. */
static const mlia_str *result_names(lowering *l, const mlia_tflite_subgraph *graph,
                                    const mlia_tflite_operator *op)
{
    mlia_str *names = MLIA_NEW_ARRAY(l->arena, mlia_str, op->outputs.count);
    for (uint32_t i = 0; names != NULL && i < op->outputs.count; i++)
        names[i] = op->outputs.values[i] >= 0 ? graph->tensors[op->outputs.values[i]].name : MLIA_STR_NONE;
    return names;
}

static uint32_t add_source(lowering *l, uint32_t subgraph, uint32_t index)
{
    const mlia_tflite_subgraph *graph = &l->model->subgraphs[subgraph];
    const mlia_tflite_operator *op = &graph->operators[index];
    mlia_source source = {
        .id = source_key(l, subgraph, index),
        .type = mlia_tflite_operator_name(op),
        .results = result_names(l, graph, op),
        .result_count = op->outputs.count,
        .file = l->file_name,
        .line = subgraph,
        .column = index,
    };
    if (source.id.data == NULL || source.results == NULL)
        return MLIA_NONE;
    if (source.result_count > 0)
        source.label = source.results[0];
    return mlia_graph_add_source(l->graph, source);
}

uint32_t mlia_lower_sources(lowering *l, uint32_t subgraph)
{
    const mlia_tflite_subgraph *graph = &l->model->subgraphs[subgraph];
    for (uint32_t i = 0; l->source_of[subgraph] == MLIA_NONE && i < graph->operator_count; i++) {
        uint32_t index = add_source(l, subgraph, i);
        if (index == MLIA_NONE) {
            mlia_lower_fail(l, mlia_error_memory());
            return MLIA_NONE;
        }
        if (i + 1 == graph->operator_count)
            l->source_of[subgraph] = index - i;
    }
    return l->source_of[subgraph];
}

/* ---- absorbed operators ---- */

/* One subgraph being looked at. Operators are in execution order: what reads a result comes behind it. */
typedef struct absorption {
    const mlia_tflite_subgraph *graph;
    uint32_t *reader;   /* by tensor: first operator that reads it, or MLIA_NONE */
    uint32_t *writer;   /* by tensor: operator that makes it, or MLIA_NONE */
    bool *is_output;    /* by tensor */
    uint32_t *absorber; /* by operator: itself while it has TOSA operators; MLIA_NONE: nobody needs it */
} absorption;

static bool runs_a_subgraph(uint32_t op)
{
    return op == MLIA_TFLITE_OP_IF || op == MLIA_TFLITE_OP_WHILE || op == MLIA_TFLITE_OP_CALL ||
           op == MLIA_TFLITE_OP_CALL_ONCE || op == MLIA_TFLITE_OP_STABLEHLO_COMPOSITE;
}

static void find_neighbours(absorption *a)
{
    const mlia_tflite_subgraph *graph = a->graph;
    for (uint32_t t = 0; t < graph->tensor_count; t++)
        a->reader[t] = a->writer[t] = MLIA_NONE;
    for (uint32_t i = graph->operator_count; i > 0; i--) {
        const mlia_tflite_operator *op = &graph->operators[i - 1];
        for (uint32_t k = 0; k < op->inputs.count; k++)
            if (op->inputs.values[k] >= 0)
                a->reader[op->inputs.values[k]] = i - 1;
        for (uint32_t k = 0; k < op->outputs.count; k++)
            if (op->outputs.values[k] >= 0)
                a->writer[op->outputs.values[k]] = i - 1;
    }
    for (uint32_t k = 0; k < graph->outputs.count; k++)
        a->is_output[graph->outputs.values[k]] = true;
}

/* The operator behind `i` that takes its result, as far as that one is needed. */
static uint32_t absorber_behind(const absorption *a, uint32_t i)
{
    const mlia_tflite_operator *op = &a->graph->operators[i];
    for (uint32_t k = 0; k < op->outputs.count; k++) {
        uint32_t next = op->outputs.values[k] < 0 ? MLIA_NONE : a->reader[op->outputs.values[k]];
        if (next != MLIA_NONE && next > i && a->absorber[next] != MLIA_NONE)
            return a->absorber[next];
    }
    return MLIA_NONE;
}

/* The operator before `i`, for one whose result leaves the graph. */
static uint32_t absorber_before(const absorption *a, uint32_t i)
{
    const mlia_tflite_operator *op = &a->graph->operators[i];
    bool leaves = false;
    for (uint32_t k = 0; k < op->outputs.count; k++)
        leaves = leaves || (op->outputs.values[k] >= 0 && a->is_output[op->outputs.values[k]]);
    for (uint32_t k = 0; leaves && k < op->inputs.count; k++) {
        uint32_t before = op->inputs.values[k] < 0 ? MLIA_NONE : a->writer[op->inputs.values[k]];
        if (before != MLIA_NONE && before < i && a->absorber[before] != MLIA_NONE)
            return a->absorber[before];
    }
    return MLIA_NONE;
}

static void find_absorbers(absorption *a, const bool *is_live)
{
    uint32_t count = a->graph->operator_count;
    for (uint32_t i = count; i > 0; i--)
        a->absorber[i - 1] = is_live[i - 1] ? i - 1 : absorber_behind(a, i - 1);
    for (uint32_t i = 0; i < count; i++)
        if (a->absorber[i] == MLIA_NONE)
            a->absorber[i] = absorber_before(a, i);
}

/* Hands the ids of absorbed operators to their absorbers, in order. */
static mlia_status *list_absorbed(lowering *l, const absorption *a, mlia_source *sources)
{
    uint32_t count = a->graph->operator_count;
    mlia_str **lists = MLIA_NEW_ARRAY(l->arena, mlia_str *, count);
    MLIA_TRY_ALLOC(lists);
    for (uint32_t i = 0; i < count; i++)
        if (a->absorber[i] != MLIA_NONE && a->absorber[i] != i && !runs_a_subgraph(a->graph->operators[i].op))
            sources[a->absorber[i]].absorbed_count++;
    for (uint32_t i = 0; i < count; i++) {
        lists[i] = MLIA_NEW_ARRAY(l->arena, mlia_str, sources[i].absorbed_count);
        MLIA_TRY_ALLOC(lists[i]);
        sources[i].absorbed = lists[i];
        sources[i].absorbed_count = 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (a->absorber[i] != MLIA_NONE && a->absorber[i] != i &&
            !runs_a_subgraph(a->graph->operators[i].op)) {
            mlia_source *absorber = &sources[a->absorber[i]];
            lists[a->absorber[i]][absorber->absorbed_count++] = sources[i].id;
        }
    return NULL;
}

static mlia_status *absorb(lowering *l, uint32_t subgraph, const bool *is_live)
{
    const mlia_tflite_subgraph *graph = &l->model->subgraphs[subgraph];
    uint32_t first = l->source_of[subgraph];
    absorption a = {
        .graph = graph,
        .reader = MLIA_NEW_ARRAY(l->arena, uint32_t, graph->tensor_count),
        .writer = MLIA_NEW_ARRAY(l->arena, uint32_t, graph->tensor_count),
        .is_output = MLIA_NEW_ARRAY(l->arena, bool, graph->tensor_count),
        .absorber = MLIA_NEW_ARRAY(l->arena, uint32_t, graph->operator_count),
    };
    MLIA_TRY_ALLOC(a.reader);
    MLIA_TRY_ALLOC(a.writer);
    MLIA_TRY_ALLOC(a.is_output);
    MLIA_TRY_ALLOC(a.absorber);
    find_neighbours(&a);
    find_absorbers(&a, is_live + first);
    return list_absorbed(l, &a, l->graph->sources + first);
}

mlia_status *mlia_lower_locations(lowering *l)
{
    mlia_graph *graph = l->graph;
    bool *is_live = MLIA_NEW_ARRAY(l->arena, bool, graph->source_count);
    MLIA_TRY_ALLOC(is_live);
    for (uint32_t i = 0; i < graph->operator_count; i++)
        if (graph->operators[i].source != MLIA_NONE)
            is_live[graph->operators[i].source] = true;
    for (uint32_t s = 0; s < l->model->subgraph_count; s++)
        if (l->source_of[s] != MLIA_NONE)
            MLIA_TRY(absorb(l, s, is_live));
    for (uint32_t i = 0; i < graph->source_count; i++)
        if (is_live[i]) {
            graph->sources[i].location = location_text(l, &graph->sources[i]);
            MLIA_TRY_ALLOC(graph->sources[i].location.data);
        }
    return NULL;
}
