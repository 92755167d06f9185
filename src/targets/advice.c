/* Compatibility advice. */
#include "targets/advice.h"

#include <stdlib.h>

typedef struct adviser {
    mlia_result_builder *builder;
    mlia_arena *arena;
    const mlia_operator_verdict *verdicts;
    size_t count;
} adviser;

static bool is_unsupported(const mlia_operator_verdict *verdict)
{
    return verdict->level == MLIA_LEVEL_NON_NX;
}

static bool is_float(const mlia_operator_verdict *verdict)
{
    return verdict->level == MLIA_LEVEL_SHADER && !verdict->is_custom;
}

static bool is_custom(const mlia_operator_verdict *verdict)
{
    return verdict->level == MLIA_LEVEL_SHADER && verdict->is_custom;
}

static bool is_beyond_level(const mlia_operator_verdict *verdict)
{
    return verdict->beyond_level && verdict->level != MLIA_LEVEL_NON_NX;
}

/* The operators an advice is about, and the different types among them in order of their names. */
typedef struct selection {
    mlia_entity_ref *entities;
    size_t count;
    mlia_str *types;
    size_t type_count;
    const mlia_operator_verdict *first;
    bool has_kept; /* operators that a conversion found no TOSA form for */
} selection;

static int compare_types(const void *a, const void *b)
{
    return mlia_str_compare(*(const mlia_str *)a, *(const mlia_str *)b);
}

static mlia_status *select_verdicts(const adviser *a, bool (*wanted)(const mlia_operator_verdict *verdict),
                                    selection *s)
{
    *s = (selection){.entities = MLIA_NEW_ARRAY(a->arena, mlia_entity_ref, a->count),
                     .types = MLIA_NEW_ARRAY(a->arena, mlia_str, a->count)};
    if (s->entities == NULL || s->types == NULL)
        return mlia_error_memory();
    for (size_t i = 0; i < a->count; i++) {
        if (!wanted(&a->verdicts[i]))
            continue;
        if (s->count == 0)
            s->first = &a->verdicts[i];
        s->has_kept = s->has_kept || a->verdicts[i].is_kept;
        s->types[s->count] = a->verdicts[i].op_type;
        s->entities[s->count++] = a->verdicts[i].entity;
    }
    qsort(s->types, s->count, sizeof *s->types, compare_types);
    for (size_t i = 0; i < s->count; i++)
        if (i == 0 || !mlia_str_equal(s->types[i], s->types[i - 1]))
            s->types[s->type_count++] = s->types[i];
    return NULL;
}

/* "A", "A and B", "A, B and C"; at most five are named. */
static mlia_str join_types(mlia_arena *arena, const selection *s)
{
    enum { NAMED = 5 };
    size_t shown = s->type_count < NAMED ? s->type_count : NAMED;
    mlia_str text = MLIA_STR("");
    for (size_t i = 0; i < shown; i++) {
        bool last = i + 1 == shown && shown == s->type_count;
        text = mlia_arena_format(arena, "%.*s%s%.*s", MLIA_STR_ARG(text),
                                 i == 0 ? ""
                                 : last ? " and "
                                        : ", ",
                                 MLIA_STR_ARG(s->types[i]));
    }
    if (shown < s->type_count)
        text = mlia_arena_format(arena, "%.*s and %zu more", MLIA_STR_ARG(text), s->type_count - shown);
    return text;
}

static mlia_value *type_details(mlia_arena *arena, const selection *s)
{
    mlia_value *details = mlia_value_object(arena);
    mlia_value *types = mlia_value_array(arena);
    bool done = details != NULL && types != NULL;
    for (size_t i = 0; done && i < s->type_count; i++)
        done = mlia_value_add(arena, types, mlia_value_string(arena, s->types[i]));
    done =
        done && mlia_value_set(arena, details, MLIA_STR("operator_types"), types) &&
        mlia_value_set(arena, details, MLIA_STR("operators"), mlia_value_integer(arena, (int64_t)s->count));
    return done ? details : NULL;
}

static bool has_type(const selection *s, const char *type)
{
    for (size_t i = 0; i < s->type_count; i++)
        if (mlia_str_equal_c(s->types[i], type))
            return true;
    return false;
}

/* What to do about operators that cannot be lowered. */
static const char *remedy(const selection *s)
{
    if (s->has_kept)
        return "use other operators or types in the model; each check says what stops one";
    if (has_type(s, "WHILE_LOOP") || has_type(s, "COND_IF"))
        return "unroll the loop or move it out of the exported graph";
    if (has_type(s, "CUSTOM"))
        return "replace custom operators by TOSA operators, or give them a shader";
    if (has_type(s, "VARIABLE") || has_type(s, "VARIABLE_READ") || has_type(s, "VARIABLE_WRITE"))
        return "pass the state as inputs and outputs of the graph";
    return "change the operator or its types; each check says what does not fit";
}

static mlia_status *add(const adviser *a, const char *id, mlia_advice_category category,
                        mlia_advice_severity severity, mlia_str message, const selection *s)
{
    mlia_value *details = s != NULL ? type_details(a->arena, s) : NULL;
    if (message.data == NULL || (s != NULL && details == NULL))
        return mlia_error_memory();
    mlia_result_add_advice(a->builder, mlia_str_from_c(id), category, severity, message,
                           s != NULL ? s->entities : NULL, s != NULL ? s->count : 0, details);
    return NULL;
}

static mlia_status *advise_unsupported(const adviser *a)
{
    selection s;
    MLIA_TRY(select_verdicts(a, is_unsupported, &s));
    if (s.count == 0)
        return NULL;
    mlia_str message =
        mlia_arena_format(a->arena, "%.*s cannot be lowered (%zu of %zu operators): %s.",
                          MLIA_STR_ARG(join_types(a->arena, &s)), s.count, a->count, remedy(&s));
    return add(a, "nx.unsupported-operator", MLIA_ADVICE_COMPATIBILITY, MLIA_SEVERITY_ERROR, message, &s);
}

static mlia_status *advise_float(const adviser *a)
{
    selection s;
    MLIA_TRY(select_verdicts(a, is_float, &s));
    if (s.count == 0)
        return NULL;
    mlia_str message = mlia_arena_format(
        a->arena,
        "%zu floating-point operator%s (%.*s) run%s on the shader cores and would run on "
        "NX after integer quantization.",
        s.count, s.count == 1 ? "" : "s", MLIA_STR_ARG(join_types(a->arena, &s)), s.count == 1 ? "s" : "");
    return add(a, "nx.float-on-shader", MLIA_ADVICE_OPTIMIZATION, MLIA_SEVERITY_WARNING, message, &s);
}

static mlia_status *advise_custom(const adviser *a)
{
    selection s;
    MLIA_TRY(select_verdicts(a, is_custom, &s));
    if (s.count == 0)
        return NULL;
    mlia_str message = mlia_arena_format(
        a->arena,
        "%zu custom operator%s run%s on the shader cores: data leaves NX before and returns after %s.",
        s.count, s.count == 1 ? "" : "s", s.count == 1 ? "s" : "", s.count == 1 ? "it" : "each");
    return add(a, "nx.custom-on-shader", MLIA_ADVICE_OPTIMIZATION, MLIA_SEVERITY_WARNING, message, &s);
}

static mlia_status *advise_level(const adviser *a)
{
    selection s;
    MLIA_TRY(select_verdicts(a, is_beyond_level, &s));
    if (s.count == 0)
        return NULL;
    mlia_str message = mlia_arena_format(
        a->arena, "%zu operator%s exceed%s level 8K, which an implementation need not support: %.*s%s.",
        s.count, s.count == 1 ? "" : "s", s.count == 1 ? "s" : "", MLIA_STR_ARG(s.first->detail),
        s.count == 1 ? "" : ", …");
    return add(a, "nx.level-limit", MLIA_ADVICE_COMPATIBILITY, MLIA_SEVERITY_WARNING, message, &s);
}

static mlia_status *advise_compatible(const adviser *a, mlia_str next_command)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->verdicts[i].level != MLIA_LEVEL_TOSA)
            return NULL;
    if (a->count == 0)
        return NULL;
    mlia_str message = a->count == 1
                           ? mlia_arena_format(a->arena, "The only operator is placed on NX. Next: %.*s",
                                               MLIA_STR_ARG(next_command))
                           : mlia_arena_format(a->arena, "All %zu operators are placed on NX. Next: %.*s",
                                               a->count, MLIA_STR_ARG(next_command));
    return add(a, "nx.compatible", MLIA_ADVICE_COMPATIBILITY, MLIA_SEVERITY_INFO, message, NULL);
}

mlia_status *mlia_advise_compatibility(mlia_result_builder *builder, mlia_arena *arena,
                                       const mlia_operator_verdict *verdicts, size_t count,
                                       mlia_str next_command)
{
    adviser a = {builder, arena, verdicts, count};
    MLIA_TRY(advise_unsupported(&a));
    MLIA_TRY(advise_float(&a));
    MLIA_TRY(advise_custom(&a));
    MLIA_TRY(advise_level(&a));
    return advise_compatible(&a, next_command);
}
