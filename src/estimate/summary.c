/* Reads the network summary of an estimator: leaves {"value": number or null, "unit": text}. */
#include <jansson.h>

#include "estimate/program.h"

static const mlia_str paths[MLIA_SUMMARY_FIELD_COUNT] = {
#define X(name, path) MLIA_STR_INIT(path),
    MLIA_SUMMARY_FIELDS(X)
#undef X
};

/* Factor that brings an inference time into milliseconds; 0 for other units. */
static double milliseconds(const char *unit)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"ms", 1}, {"s", 1e3}, {"us", 1e-3}, {"ns", 1e-6}, {"milliseconds", 1}, {"seconds", 1e3}};
    for (size_t i = 0; unit != NULL && i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0)
            return units[i].factor;
    return 0;
}

static const json_t *find_leaf(const json_t *root, mlia_str path)
{
    while (root != NULL && path.size > 0) {
        size_t dot = mlia_str_find(path, '.');
        mlia_str name = mlia_str_slice(path, 0, dot == SIZE_MAX ? path.size : dot);
        path = dot == SIZE_MAX ? MLIA_STR_NONE : mlia_str_slice(path, dot + 1, path.size);
        root = json_object_getn(root, name.data, name.size);
    }
    return root;
}

static mlia_status *read_leaf(const json_t *root, mlia_summary_field field, mlia_summary *summary)
{
    const json_t *leaf = find_leaf(root, paths[field]);
    const json_t *value = json_object_get(leaf, "value");
    if (leaf == NULL || json_is_null(leaf) || json_is_null(value))
        return NULL;
    if (!json_is_number(value))
        return mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "the value is no number and not null");
    double number = json_number_value(value);
    if (number < 0)
        return mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "the value %g is negative", number);
    if (field == MLIA_SUMMARY_INFERENCE_TIME) {
        double factor = milliseconds(json_string_value(json_object_get(leaf, "unit")));
        if (factor <= 0)
            return mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "the unit is none of ns, us, ms, s");
        number *= factor;
    }
    summary->values[field] = number;
    summary->available[field] = true;
    return NULL;
}

mlia_status *mlia_summary_read(mlia_str name, mlia_str text, mlia_summary *summary)
{
    json_error_t error;
    json_t *root = json_loadb(text.data != NULL ? text.data : "", text.size, JSON_REJECT_DUPLICATES, &error);
    mlia_status *status = NULL;
    *summary = (mlia_summary){0};
    if (root == NULL)
        status = mlia_status_at_line(mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "no JSON: %s", error.text),
                                     error.line > 0 ? (uint32_t)error.line : 0, 0);
    else if (!json_is_object(json_object_get(root, "network_performance")))
        status = mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "there is no object network_performance");
    for (mlia_summary_field field = 0; field < MLIA_SUMMARY_FIELD_COUNT && status == NULL; field++)
        status = mlia_status_in(read_leaf(root, field, summary), "%.*s", MLIA_STR_ARG(paths[field]));
    json_decref(root);
    return mlia_status_path(status, name);
}
