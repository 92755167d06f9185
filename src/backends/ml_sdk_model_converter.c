/* Backend ml-sdk-model-converter: stands for the conversion to VGF. It makes the compatibility results of the
 * neural-technology target: which operators the conversion can lower, and where they then run. Not
 * selectable. */
#include "backends/backend.h"
#include "backends/provenance.h"
#include "base/bytes.h"
#include "base/map.h"
#include "targets/advice.h"
#include "targets/compatibility.h"

/* A source operator with the records of all operators that came from it. */
typedef struct checked_operator {
    mlia_operator_verdict verdict;
    mlia_str id;
    mlia_str tosa_op;
    const mlia_compatibility_record *worst; /* the first record of its level */
    mlia_value *reasons;
    bool supported;
} checked_operator;

typedef struct checker {
    const mlia_backend_request *request;
    mlia_result_builder *builder;
    mlia_arena *arena;
    MLIA_LIST(checked_operator) operators; /* in file order */
    mlia_map places;                       /* entity id → index of `operators` */
    size_t per_level[MLIA_LEVEL_COUNT];
} checker;

/* --- collecting --- */

static bool has_code(const mlia_compatibility_record *record, const char *code, mlia_str *detail)
{
    for (size_t i = 0; i < record->reason_count; i++) {
        if (!mlia_str_equal_c(record->reasons[i].code, code))
            continue;
        *detail = record->reasons[i].detail;
        return true;
    }
    return false;
}

static mlia_status *add_reasons(const checker *c, mlia_value *list, const mlia_compatibility_record *record)
{
    for (size_t i = 0; i < record->reason_count; i++) {
        const mlia_compatibility_reason *reason = &record->reasons[i];
        mlia_value *object = mlia_value_object(c->arena);
        bool done =
            object != NULL &&
            mlia_value_set(c->arena, object, MLIA_STR("code"), mlia_value_string(c->arena, reason->code)) &&
            mlia_value_set(c->arena, object, MLIA_STR("description"),
                           mlia_value_string(c->arena, reason->description)) &&
            mlia_value_set(c->arena, object, MLIA_STR("detail"),
                           mlia_value_string(c->arena, reason->detail)) &&
            mlia_value_add(c->arena, list, object);
        if (!done)
            return mlia_error_memory();
    }
    return NULL;
}

/* The entry of an entity: a new one, or that of an earlier operator with the same source. */
static checked_operator *entry_of(checker *c, mlia_str id, mlia_entity_ref entity)
{
    bool is_new;
    const uint32_t *place = mlia_map_insert(&c->places, id, (uint32_t)c->operators.count, &is_new);
    if (place == NULL)
        return NULL;
    if (is_new) {
        checked_operator entry = {
            .verdict = {.entity = entity}, .id = id, .reasons = mlia_value_array(c->arena)};
        if (entry.reasons == NULL || !MLIA_APPEND(c->arena, c->operators, entry))
            return NULL;
    }
    return &c->operators.items[*place];
}

static mlia_status *add_record(checker *c, const mlia_graph *graph, mlia_entity_ref entity,
                               const mlia_compatibility_record *record)
{
    const mlia_operator *op = &graph->operators[record->op];
    mlia_str id = mlia_source_entity_id(c->arena, &graph->sources[op->source]);
    MLIA_TRY_ALLOC(id.data);
    checked_operator *entry = entry_of(c, id, entity);
    MLIA_TRY_ALLOC(entry);
    mlia_operator_verdict *verdict = &entry->verdict;
    MLIA_TRY(add_reasons(c, entry->reasons, record));
    verdict->beyond_level = has_code(record, "W_LEVEL", &verdict->detail) || verdict->beyond_level;
    if (entry->worst != NULL && record->level <= verdict->level)
        return NULL;
    entry->worst = record;
    entry->supported = record->supported;
    verdict->level = record->level;
    const mlia_source *source = &graph->sources[op->source];
    mlia_str kept = source->operator_name.size > 0 ? source->operator_name : source->type;
    entry->tosa_op = mlia_operator_name(op);
    verdict->is_custom = op->op == MLIA_OP_CUSTOM;
    verdict->is_kept = verdict->is_custom && source->refusal.size > 0;
    verdict->op_type = verdict->is_kept ? kept : entry->tosa_op;
    return NULL;
}

static bool is_not_trivial(const mlia_operator *op)
{
    return op->op != MLIA_OP_CONST && op->op != MLIA_OP_CONST_SHAPE && op->op != MLIA_OP_RESHAPE;
}

static mlia_status *check_segment(checker *c, const mlia_graph *graph)
{
    mlia_provenance provenance;
    mlia_compatibility *compatibility = MLIA_NEW(c->arena, mlia_compatibility);
    mlia_compatibility_options options = {.skip_trivial = c->request->skip_trivial_operators};
    MLIA_TRY_ALLOC(compatibility);
    MLIA_TRY(mlia_compatibility_check(graph, options, c->arena, compatibility));
    MLIA_TRY(options.skip_trivial
                 ? mlia_provenance_add_some(c->builder, graph, c->arena, is_not_trivial, &provenance)
                 : mlia_provenance_add(c->builder, graph, c->arena, &provenance));
    for (size_t i = 0; i < compatibility->count; i++) {
        mlia_entity_ref entity = provenance.operators[compatibility->records[i].op];
        if (entity != MLIA_NO_ENTITY)
            MLIA_TRY(add_record(c, graph, entity, &compatibility->records[i]));
    }
    return NULL;
}

/* --- writing --- */

static mlia_status *set_attribute(const checker *c, mlia_entity_ref entity, const char *name,
                                  mlia_value *value)
{
    MLIA_TRY_ALLOC(value);
    mlia_result_set_attribute(c->builder, entity, mlia_str_from_c(name), value);
    return NULL;
}

static mlia_status *write_attributes(const checker *c, const checked_operator *entry, size_t index)
{
    const mlia_operator_verdict *verdict = &entry->verdict;
    mlia_str placement = mlia_compatibility_nx_placement(verdict->level);
    mlia_result_set_placement(c->builder, verdict->entity, mlia_compatibility_placement(verdict->level));
    MLIA_TRY(set_attribute(c, verdict->entity, "compat_level",
                           mlia_value_string(c->arena, mlia_compatibility_level_name(verdict->level))));
    MLIA_TRY(set_attribute(c, verdict->entity, "index", mlia_value_integer(c->arena, (int64_t)index)));
    if (placement.size > 0)
        MLIA_TRY(set_attribute(c, verdict->entity, "nx_placement", mlia_value_string(c->arena, placement)));
    return set_attribute(c, verdict->entity, "tosa_op", mlia_value_string(c->arena, entry->tosa_op));
}

static mlia_status *write_check(const checker *c, const checked_operator *entry)
{
    mlia_value *details = NULL;
    bool failed = entry->verdict.level == MLIA_LEVEL_NON_NX;
    if (entry->reasons->count > 0 || failed) {
        details = mlia_value_object(c->arena);
        bool done = details != NULL && mlia_value_set(c->arena, details, MLIA_STR("reasons"), entry->reasons);
        if (done && failed)
            done = mlia_value_set(c->arena, details, MLIA_STR("error"),
                                  mlia_value_string(c->arena, entry->worst->error)) &&
                   mlia_value_set(c->arena, details, MLIA_STR("rule"),
                                  mlia_value_string(c->arena, entry->worst->rule));
        if (!done)
            return mlia_error_memory();
    }
    mlia_str id = mlia_arena_format(c->arena, "nx_support_%.*s", MLIA_STR_ARG(entry->id));
    MLIA_TRY_ALLOC(id.data);
    mlia_result_add_check(c->builder, id, failed ? MLIA_CHECK_FAIL : MLIA_CHECK_PASS, entry->verdict.entity,
                          details);
    return NULL;
}

static void write_status(const checker *c)
{
    size_t count = c->operators.count;
    size_t failed = c->per_level[MLIA_LEVEL_NON_NX];
    size_t off_nx = count - c->per_level[MLIA_LEVEL_TOSA];
    mlia_result_status status = MLIA_RESULT_STATUS_OK;
    if (failed > 0)
        status = failed < count ? MLIA_RESULT_STATUS_PARTIAL : MLIA_RESULT_STATUS_INCOMPATIBLE;
    mlia_result_set_status(c->builder, status);
    if (failed > 0 && failed < count)
        mlia_result_add_warning(
            c->builder, "%zu of %zu operators are placed off NX; %zu of %zu cannot be lowered at all.",
            off_nx, count, failed, count);
    else if (failed > 0)
        mlia_result_add_warning(c->builder, "%zu of %zu operators cannot be lowered.", failed, count);
    else if (off_nx > 0)
        mlia_result_add_warning(c->builder, "%zu of %zu operators are placed off NX.", off_nx, count);
    else if (count == 0)
        mlia_result_add_warning(c->builder, "The model has no operators to check.");
}

/* `word` as a shell and our command line read it back. data NULL when out of memory. */
static mlia_str shell_word(mlia_arena *arena, mlia_str word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
    const char *folder = word.size > 1 && word.data[0] == '-' ? "./" : ""; /* else an option */
    bool is_plain = word.size > 0;
    for (size_t i = 0; i < word.size && is_plain; i++)
        is_plain = memchr(plain, word.data[i], sizeof plain - 1) != NULL;
    if (is_plain)
        return mlia_arena_format(arena, "%s%.*s", folder, MLIA_STR_ARG(word));
    mlia_buffer buffer = {0};
    mlia_buffer_format(&buffer, "'%s", folder);
    for (size_t i = 0; i < word.size; i++)
        if (word.data[i] == '\'')
            mlia_buffer_add_str(&buffer, MLIA_STR("'\\''"));
        else
            mlia_buffer_add(&buffer, word.data + i, 1);
    mlia_buffer_add_byte(&buffer, '\'');
    mlia_str text = buffer.failed ? MLIA_STR_NONE : mlia_arena_str(arena, mlia_buffer_str(&buffer));
    mlia_buffer_free(&buffer);
    return text;
}

static mlia_status *write_result(checker *c)
{
    mlia_operator_verdict *verdicts = MLIA_NEW_ARRAY(c->arena, mlia_operator_verdict, c->operators.count);
    MLIA_TRY_ALLOC(verdicts);
    for (size_t i = 0; i < c->operators.count; i++) {
        const checked_operator *entry = &c->operators.items[i];
        verdicts[i] = entry->verdict;
        c->per_level[entry->verdict.level]++;
        MLIA_TRY(write_attributes(c, entry, i));
        MLIA_TRY(write_check(c, entry));
    }
    write_status(c);
    double share = c->operators.count > 0
                       ? 100.0 * (double)c->per_level[MLIA_LEVEL_TOSA] / (double)c->operators.count
                       : 0;
    mlia_result_add_metric(
        c->builder, mlia_metric_number(MLIA_STR("accelerator_operator_percentage"), MLIA_STR("%"), share));
    mlia_str model = shell_word(c->arena, c->request->model_path);
    mlia_str profile = shell_word(c->arena, c->request->profile_argument);
    MLIA_TRY_ALLOC(model.data);
    MLIA_TRY_ALLOC(profile.data);
    mlia_str next = mlia_arena_format(c->arena, "mlia check %.*s --target-profile %.*s --performance",
                                      MLIA_STR_ARG(model), MLIA_STR_ARG(profile));
    MLIA_TRY_ALLOC(next.data);
    return mlia_advise_compatibility(c->builder, c->arena, verdicts, c->operators.count, next);
}

static mlia_status *run(const mlia_backend_request *request, mlia_result_builder *builder)
{
    checker c = {.request = request,
                 .builder = builder,
                 .arena = request->arena,
                 .places = mlia_map_in(request->arena)};
    mlia_result_declare_nx_kinds(builder);
    for (uint32_t i = 0; i < request->segment_count; i++) {
        const mlia_backend_segment *segment = &request->segments[i];
        if (segment->graph != NULL)
            MLIA_TRY(check_segment(&c, segment->graph));
        else
            mlia_result_add_warning(builder,
                                    "Segment %u (%.*s) is a compute segment: its shaders are not checked.",
                                    segment->index, MLIA_STR_ARG(segment->name));
    }
    return write_result(&c);
}

const mlia_backend mlia_backend_ml_sdk_model_converter = {
    .id = "ml-sdk-model-converter",
    .name = "ML SDK Model Converter",
    .version = MLIA_VERSION,
    .summary = "converts models for Neural Technology tools and checks what can be lowered",
    .categories = MLIA_CATEGORY_BIT(MLIA_RESULT_COMPATIBILITY),
    .formats = MLIA_FORMAT_BIT(MLIA_FORMAT_TOSA) | MLIA_FORMAT_BIT(MLIA_FORMAT_TOSAMLIR) |
               MLIA_FORMAT_BIT(MLIA_FORMAT_VGF) | MLIA_FORMAT_BIT(MLIA_FORMAT_TFLITE),
    .targets = "neural-technology",
    .run = run,
};
