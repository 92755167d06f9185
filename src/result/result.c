/* Names of enumerations and small look-ups of the document. */
#include "result/result.h"

#define NAME_ROW(name, text) text,
#define NAMES(function, type, rows)                                                                          \
    const char *function(type value)                                                                         \
    {                                                                                                        \
        static const char *const names[] = {"", rows(NAME_ROW)};                                             \
        return (size_t)value < sizeof names / sizeof *names ? names[value] : "";                             \
    }

NAMES(mlia_result_kind_name, mlia_result_kind, MLIA_RESULT_KINDS)
NAMES(mlia_result_status_name, mlia_result_status, MLIA_RESULT_STATUSES)
NAMES(mlia_result_mode_name, mlia_result_mode, MLIA_RESULT_MODES)
NAMES(mlia_check_status_name, mlia_check_status, MLIA_CHECK_STATUSES)
NAMES(mlia_advice_category_name, mlia_advice_category, MLIA_ADVICE_CATEGORIES)
NAMES(mlia_advice_severity_name, mlia_advice_severity, MLIA_ADVICE_SEVERITIES)
NAMES(mlia_component_type_name, mlia_component_type, MLIA_COMPONENT_TYPES)

mlia_document *mlia_document_new(mlia_arena *arena)
{
    mlia_document *document = MLIA_NEW(arena, mlia_document);
    if (document == NULL)
        return NULL;
    document->arena = arena;
    document->schema_version = MLIA_STR("1.2.0");
    return document;
}

bool mlia_document_set_extension(mlia_document *document, mlia_str name, mlia_value *value)
{
    if (value == NULL)
        return false;
    if (document->extensions == NULL)
        document->extensions = mlia_value_object(document->arena);
    mlia_value *extensions = document->extensions;
    for (uint32_t i = 0; extensions != NULL && i < extensions->count; i++)
        if (mlia_str_equal(extensions->as.members[i].name, name)) {
            extensions->as.members[i].value = value;
            return true;
        }
    return mlia_value_set(document->arena, extensions, name, value);
}

const mlia_breakdown *mlia_result_breakdown(const mlia_result *result, mlia_str entity_id,
                                            const mlia_value *qualifiers)
{
    for (size_t i = 0; i < result->breakdowns.count; i++) {
        const mlia_breakdown *breakdown = &result->breakdowns.items[i];
        if (mlia_str_equal(breakdown->entity_id, entity_id) &&
            mlia_value_equal(breakdown->qualifiers, qualifiers))
            return breakdown;
    }
    return NULL;
}

const mlia_metric *mlia_metrics_find(const mlia_metrics *metrics, mlia_str name)
{
    for (size_t i = 0; i < metrics->count; i++)
        if (metrics->items[i].qualifiers == NULL && mlia_str_equal(metrics->items[i].name, name))
            return &metrics->items[i];
    return NULL;
}
