/* Source operators, modules and call paths as entities. Ids depend on the model only. */
#include "backends/provenance.h"

#include <ctype.h>

#include "base/bytes.h"
#include "base/hash.h"

enum { HASH_DIGITS = 12 };

typedef struct writer {
    mlia_result_builder *builder;
    mlia_arena *arena;
    mlia_entity_ref *sources;    /* of each source of the graph */
    mlia_value **operator_types; /* array attribute of each source */
} writer;

mlia_str mlia_source_entity_id(mlia_arena *arena, const mlia_source *source)
{
    return mlia_arena_format(arena, "source_operator/%.*s", MLIA_STR_ARG(source->id));
}

static mlia_status *set_text(const writer *w, mlia_entity_ref entity, mlia_str name, mlia_str text)
{
    mlia_value *value = mlia_value_string(w->arena, text);
    MLIA_TRY_ALLOC(value);
    mlia_result_set_attribute(w->builder, entity, name, value);
    return NULL;
}

/* ---- modules ---- */

static mlia_status *add_modules(const writer *w, const mlia_source *source, mlia_entity_ref child)
{
    mlia_entity_ref parent = MLIA_NO_ENTITY;
    for (uint32_t i = 0; i < source->module_count; i++) {
        const mlia_module_step *step = &source->modules[i];
        mlia_str name = step->name.size > 0 ? step->name : step->key;
        mlia_str id = mlia_arena_format(w->arena, "nn_module/%.*s", MLIA_STR_ARG(step->key));
        MLIA_TRY_ALLOC(id.data);
        bool is_new = mlia_result_find_entity(w->builder, id) == MLIA_NO_ENTITY;
        mlia_entity_ref entity = mlia_result_add_entity(w->builder, id, MLIA_STR("nn_module"), name);
        if (is_new && step->type.size > 0)
            MLIA_TRY(set_text(w, entity, MLIA_STR("module_type"), step->type));
        if (entity != parent)
            mlia_result_add_edge(w->builder, parent, entity);
        parent = entity;
    }
    mlia_result_add_edge(w->builder, parent, child);
    return NULL;
}

/* ---- call paths ---- */

static mlia_str base_name(mlia_str path)
{
    size_t slash = mlia_str_find_last(path, '/');
    size_t backslash = mlia_str_find_last(path, '\\');
    size_t start = slash == SIZE_MAX ? 0 : slash + 1;
    if (backslash != SIZE_MAX && backslash + 1 > start)
        start = backslash + 1;
    return mlia_str_slice(path, start, path.size);
}

/* "NAME:LINE" with runs of other characters than [A-Za-z0-9_.:-] as one '_', none at the ends; "line" when
 * nothing is left. */
static mlia_str path_name(mlia_arena *arena, const mlia_code_frame *frame)
{
    mlia_str raw = mlia_arena_format(arena, "%.*s:%u", MLIA_STR_ARG(base_name(frame->file)), frame->line);
    char *text = raw.data != NULL ? mlia_arena_alloc(arena, raw.size + 1, 1, 1) : NULL;
    if (text == NULL)
        return MLIA_STR_NONE;
    size_t size = 0;
    for (size_t i = 0; i < raw.size; i++) {
        char c = raw.data[i];
        bool kept = c > 0 && (isalnum((unsigned char)c) || strchr("_.:-", c) != NULL);
        if (kept)
            text[size++] = c;
        else if (size > 0 && text[size - 1] != '_')
            text[size++] = '_';
    }
    while (size > 0 && text[size - 1] == '_')
        size--;
    size_t start = 0;
    while (start < size && text[start] == '_')
        start++;
    return start < size ? (mlia_str){text + start, size - start} : MLIA_STR("line");
}

/* File with forward slashes. */
static mlia_str forward(mlia_arena *arena, mlia_str file)
{
    if (mlia_str_find(file, '\\') == SIZE_MAX)
        return file;
    char *text = mlia_arena_alloc(arena, file.size + 1, 1, 1);
    for (size_t i = 0; text != NULL && i < file.size; i++)
        if ((text[i] = file.data[i]) == '\\')
            text[i] = '/';
    return (mlia_str){text, text != NULL ? file.size : 0};
}

/* Entity of the call path that ends in `frame`; `path` is the text "file:line:function" of its frames. */
static mlia_status *add_frame(const writer *w, const mlia_code_frame *frame, mlia_str path,
                              mlia_entity_ref *entity)
{
    char digits[MLIA_SHA256_HEX_SIZE + 1];
    mlia_sha256_hex((mlia_bytes){(const uint8_t *)path.data, path.size}, digits);
    mlia_str name = path_name(w->arena, frame);
    mlia_str id =
        mlia_arena_format(w->arena, "code_stack/%.*s-%.*s", MLIA_STR_ARG(name), (int)HASH_DIGITS, digits);
    MLIA_TRY_ALLOC(name.data);
    MLIA_TRY_ALLOC(id.data);
    *entity = mlia_result_find_entity(w->builder, id);
    if (*entity != MLIA_NO_ENTITY)
        return NULL;
    *entity = mlia_result_add_entity(w->builder, id, MLIA_STR("code_stack"), name);
    mlia_value *line = mlia_value_integer(w->arena, frame->line);
    MLIA_TRY_ALLOC(line);
    mlia_result_set_attribute(w->builder, *entity, MLIA_STR("line"), line);
    MLIA_TRY(set_text(w, *entity, MLIA_STR("file"), forward(w->arena, frame->file)));
    return frame->function.size > 0 ? set_text(w, *entity, MLIA_STR("function"), frame->function) : NULL;
}

static mlia_status *add_frames(const writer *w, const mlia_source *source, mlia_entity_ref child)
{
    mlia_buffer path = {0};
    mlia_entity_ref parent = MLIA_NO_ENTITY;
    mlia_status *status = NULL;
    for (uint32_t i = 0; i < source->frame_count && status == NULL; i++) {
        const mlia_code_frame *frame = &source->frames[i];
        if (i > 0)
            mlia_buffer_add_byte(&path, '\n');
        mlia_buffer_add_str(&path, forward(w->arena, frame->file));
        mlia_buffer_format(&path, ":%u:", frame->line);
        mlia_buffer_add_str(&path, frame->function);
        mlia_entity_ref entity = MLIA_NO_ENTITY;
        status = mlia_buffer_status(&path);
        if (status == NULL)
            status = add_frame(w, frame, mlia_buffer_str(&path), &entity);
        mlia_result_add_edge(w->builder, parent, entity);
        parent = entity;
    }
    mlia_result_add_edge(w->builder, parent, child);
    mlia_buffer_free(&path);
    return status;
}

mlia_status *mlia_provenance_add_paths(mlia_result_builder *builder, const mlia_source *source,
                                       mlia_entity_ref operator, mlia_arena * arena)
{
    const writer w = {.builder = builder, .arena = arena};
    MLIA_TRY(add_modules(&w, source, operator));
    return add_frames(&w, source, operator);
}

/* ---- source operators ---- */

static mlia_str lower_case(mlia_arena *arena, mlia_str text)
{
    char *copy = mlia_arena_alloc(arena, text.size + 1, 1, 1);
    for (size_t i = 0; copy != NULL && i < text.size; i++)
        copy[i] = (char)tolower((unsigned char)text.data[i]);
    return (mlia_str){copy, text.size};
}

/* Ids of the operators whose work it does too. */
static mlia_status *set_absorbed(const writer *w, mlia_entity_ref entity, const mlia_source *source)
{
    if (source->absorbed_count == 0)
        return NULL;
    mlia_value *list = mlia_value_array(w->arena);
    MLIA_TRY_ALLOC(list);
    for (uint32_t i = 0; i < source->absorbed_count; i++)
        if (!mlia_value_add(w->arena, list, mlia_value_string(w->arena, source->absorbed[i])))
            return mlia_error_memory();
    mlia_result_set_attribute(w->builder, entity, MLIA_STR("absorbed"), list);
    return NULL;
}

static mlia_status *add_source(writer *w, const mlia_source *source, uint32_t index)
{
    mlia_str id = mlia_source_entity_id(w->arena, source);
    mlia_str name = source->label.size > 0 ? source->label : lower_case(w->arena, source->type);
    MLIA_TRY_ALLOC(id.data);
    MLIA_TRY_ALLOC(name.data);
    mlia_entity_ref entity = mlia_result_add_entity(w->builder, id, MLIA_STR("source_operator"), name);
    w->sources[index] = entity;
    w->operator_types[index] = mlia_value_array(w->arena);
    MLIA_TRY_ALLOC(w->operator_types[index]);
    mlia_result_set_attribute(w->builder, entity, MLIA_STR("operator_types"), w->operator_types[index]);
    MLIA_TRY(set_text(w, entity, MLIA_STR("op_type"), source->type));
    if (source->origin.size > 0)
        MLIA_TRY(set_text(w, entity, MLIA_STR("origin"), source->origin));
    if (source->origin.size > 0 && source->operator_name.size > 0)
        MLIA_TRY(set_text(w, entity, MLIA_STR("origin_type"), source->operator_name));
    MLIA_TRY(set_absorbed(w, entity, source));
    MLIA_TRY(add_modules(w, source, entity));
    return add_frames(w, source, entity);
}

static bool any_operator(const mlia_operator *op)
{
    (void)op;
    return true;
}

mlia_status *mlia_provenance_add(mlia_result_builder *builder, const mlia_graph *graph, mlia_arena *arena,
                                 mlia_provenance *provenance)
{
    return mlia_provenance_add_some(builder, graph, arena, any_operator, provenance);
}

mlia_status *mlia_provenance_add_some(mlia_result_builder *builder, const mlia_graph *graph,
                                      mlia_arena *arena, bool (*wanted)(const mlia_operator *op),
                                      mlia_provenance *provenance)
{
    writer w = {builder, arena, MLIA_NEW_ARRAY(arena, mlia_entity_ref, graph->source_count),
                MLIA_NEW_ARRAY(arena, mlia_value *, graph->source_count)};
    provenance->graph = graph;
    provenance->operators = MLIA_NEW_ARRAY(arena, mlia_entity_ref, graph->operator_count);
    MLIA_TRY_ALLOC(w.sources);
    MLIA_TRY_ALLOC(w.operator_types);
    MLIA_TRY_ALLOC(provenance->operators);
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        const mlia_operator *op = &graph->operators[i];
        provenance->operators[i] = MLIA_NO_ENTITY;
        if (op->source == MLIA_NONE || !wanted(op))
            continue;
        if (w.operator_types[op->source] == NULL)
            MLIA_TRY(add_source(&w, &graph->sources[op->source], op->source));
        mlia_value *type = mlia_value_string(arena, mlia_operator_name(op));
        if (!mlia_value_add(arena, w.operator_types[op->source], type))
            return mlia_error_memory();
        provenance->operators[i] = w.sources[op->source];
    }
    return NULL;
}
