/* Conformance: one walk over a JSON tree along the tables of shape.h. */
#include "result/conform.h"

#include <math.h>

#include "base/map.h"

const mlia_field *mlia_shape_field(const mlia_shape *shape, const char *name)
{
    for (size_t i = 0; i < shape->count; i++)
        if (strcmp(shape->fields[i].name, name) == 0)
            return &shape->fields[i];
    return NULL;
}

static mlia_str text_of(const json_t *json)
{
    return (mlia_str){json_string_value(json), json_string_length(json)};
}

static unsigned types_of(const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_NULL:
        return MLIA_JSON_NULL;
    case JSON_TRUE:
    case JSON_FALSE:
        return MLIA_JSON_BOOL;
    case JSON_INTEGER:
        return MLIA_JSON_INTEGER | MLIA_JSON_NUMBER;
    case JSON_REAL: {
        double value = json_real_value(json);
        return MLIA_JSON_NUMBER | (value == trunc(value) ? MLIA_JSON_INTEGER : 0);
    }
    case JSON_STRING:
        return MLIA_JSON_STRING;
    case JSON_ARRAY:
        return MLIA_JSON_ARRAY;
    case JSON_OBJECT:
        return MLIA_JSON_OBJECT;
    }
    return 0;
}

static const char *name_of_types(unsigned types)
{
    static const struct {
        unsigned types;
        const char *name;
    } names[] = {{MLIA_JSON_STRING, "a string"},
                 {MLIA_JSON_OBJECT, "an object"},
                 {MLIA_JSON_ARRAY, "an array"},
                 {MLIA_JSON_NUMBER, "a number"},
                 {MLIA_JSON_INTEGER, "an integer"},
                 {MLIA_JSON_STRING | MLIA_JSON_NULL, "a string or null"},
                 {MLIA_JSON_STRING | MLIA_JSON_INTEGER, "a string or an integer"},
                 {MLIA_JSON_INTEGER | MLIA_JSON_NULL | MLIA_JSON_ARRAY, "an integer, null or an array"},
                 {MLIA_JSON_NULL, "null"},
                 {MLIA_JSON_BOOL, "a boolean"},
                 {MLIA_JSON_NUMBER | MLIA_JSON_INTEGER, "a number"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].types == types)
            return names[i].name;
    return "a string, number, boolean, array or object";
}

static void check_text(const mlia_conformance *c, const mlia_field *field, mlia_str text, const mlia_step *at)
{
    if (field->texts != NULL) {
        const char *const *allowed = field->texts;
        while (*allowed != NULL && !mlia_str_equal_c(text, *allowed))
            allowed++;
        if (*allowed == NULL)
            mlia_fault_add(c->faults, "schema", at, "'%.*s' is none of the allowed texts ('%s' …)",
                           MLIA_SHORT_ARG(text), field->texts[0]);
    }
    if (field->accepts != NULL && !field->accepts(text))
        mlia_fault_add(c->faults, "schema", at, "'%.*s' is not %s", MLIA_SHORT_ARG(text), field->expected);
}

static void check_number(const mlia_conformance *c, const mlia_field *field, double value,
                         const mlia_step *at)
{
    if (field->has_least && value < field->least)
        mlia_fault_add(c->faults, "schema", at, "%.17g is less than %u", value, field->least);
    if (field->is_positive && value <= 0)
        mlia_fault_add(c->faults, "schema", at, "%.17g is not above 0", value);
    if (field->is_one && value != 1)
        mlia_fault_add(c->faults, "schema", at, "%.17g is not 1", value);
}

/* Items of a list of texts that occur before. */
static void check_unique(const mlia_conformance *c, json_t *array, const mlia_step *at)
{
    mlia_arena *scratch = mlia_arena_new(0);
    mlia_map seen = mlia_map_in(scratch);
    for (size_t i = 0; scratch != NULL && i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);
        bool is_new = true;
        mlia_step place = mlia_step_item(at, i);
        if (json_is_string(item) && mlia_map_insert(&seen, text_of(item), 0, &is_new) != NULL && !is_new)
            mlia_fault_add(c->faults, "schema", &place, "'%.*s' occurs twice", MLIA_SHORT_ARG(text_of(item)));
    }
    mlia_arena_free(scratch);
}

static void check_value(const mlia_conformance *c, const mlia_field *field, json_t *json,
                        const mlia_step *at);

static void check_array(const mlia_conformance *c, const mlia_field *field,
                        json_t *array, /* NOLINT(misc-no-recursion) */
                        const mlia_step *at)
{
    size_t count = json_array_size(array);
    if (count < field->least)
        mlia_fault_add(c->faults, "schema", at, "%zu items; at least %u are needed", count, field->least);
    for (size_t i = 0; field->item != NULL && i < count; i++) {
        mlia_step place = mlia_step_item(at, i);
        check_value(c, field->item, json_array_get(array, i), &place);
    }
    if (field->unique)
        check_unique(c, array, at);
}

static void check_value(const mlia_conformance *c, const mlia_field *field,
                        json_t *json, /* NOLINT(misc-no-recursion) */
                        const mlia_step *at)
{
    unsigned types = types_of(json);
    if ((types & field->types) == 0) {
        mlia_fault_add(c->faults, "schema", at, "%s where %s belongs", name_of_types(types),
                       name_of_types(field->types));
        return;
    }
    if (json_is_string(json))
        check_text(c, field, text_of(json), at);
    else if (json_is_number(json))
        check_number(c, field, json_number_value(json), at);
    else if (json_is_array(json))
        check_array(c, field, json, at);
    else if (json_is_object(json) && field->shape != NULL)
        mlia_conform(c, field->shape, json, at);
}

/* A metric is numeric or unavailable, never something between. */
static void check_metric(const mlia_conformance *c, const json_t *metric, const mlia_step *at)
{
    static const char *const numeric[] = {"value", "aggregation", "samples", NULL};
    static const char *const missing[] = {"availability", "reason", NULL};
    bool unavailable = json_object_get(metric, "availability") != NULL;
    const char *const *forbidden = unavailable ? numeric : missing;
    for (; *forbidden != NULL; forbidden++)
        if (json_object_get(metric, *forbidden) != NULL)
            mlia_fault_add(c->faults, "schema", at, "%s metric may not have '%s'",
                           unavailable ? "an unavailable" : "a numeric", *forbidden);
    if (!unavailable && json_object_get(metric, "value") == NULL)
        mlia_fault_add(c->faults, "schema", at, "a metric needs 'value' or 'availability'");
    if (unavailable && json_string_length(json_object_get(metric, "reason")) == 0)
        mlia_fault_add(c->faults, "schema", at, "an unavailable metric needs a 'reason' that is not empty");
}

static void check_unknown(const mlia_conformance *c, const mlia_shape *shape, const char *name,
                          const mlia_step *place)
{
    if (!c->lenient)
        mlia_fault_add(c->faults, "schema", place, "unknown member of %s", shape->name);
    else
        mlia_warn(c->diagnostics, MLIA_W_DOCUMENT_VERSION, "unknown member '%.*s' of %s is kept and ignored",
                  MLIA_SHORT_ARG(mlia_str_from_c(name)), shape->name);
}

void mlia_conform(const mlia_conformance *c, const mlia_shape *shape,
                  json_t *object, /* NOLINT(misc-no-recursion) */
                  const mlia_step *at)
{
    uint64_t seen = 0;
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        const mlia_field *field = mlia_shape_field(shape, name);
        mlia_step place = mlia_step_member(at, name);
        if (field != NULL) {
            seen |= UINT64_C(1) << (field - shape->fields);
            check_value(c, field, value, &place);
        } else if (!shape->open) {
            check_unknown(c, shape, name, &place);
        }
        if (shape->others != NULL &&
            (shape->others_apply == NULL || shape->others_apply(mlia_str_from_c(name))))
            check_value(c, shape->others, value, &place);
    }
    for (size_t i = 0; i < shape->count; i++)
        if (shape->fields[i].required && (seen >> i & 1) == 0)
            mlia_fault_add(c->faults, "schema", at, "the member '%s' is missing", shape->fields[i].name);
    if (shape == &mlia_metric_shape)
        check_metric(c, object, at);
}
