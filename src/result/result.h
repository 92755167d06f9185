/* The result document in memory: what `mlia check` answers, before it is written as JSON or rendered.
 *
 * Every struct is one object of the document (docs/output.md), every field the member of that name. All
 * memory, texts included, lives in one arena (or in something that outlives it); nothing is copied, so ids
 * and names may be literals and views. An optional text is absent when it is empty, an optional list when its
 * count is 0, an optional value when it is NULL.
 *
 * Whoever makes results uses result/build.h; readers of a document use the fields.
 */
#ifndef MLIA_RESULT_RESULT_H
#define MLIA_RESULT_RESULT_H

#include "base/value.h"

/* Enumerations: X(NAME, "text in the document"). NONE stands for an absent member. */
#define MLIA_RESULT_KINDS(X)                                                                                 \
    X(COMPATIBILITY, "compatibility")                                                                        \
    X(PERFORMANCE, "performance")
#define MLIA_RESULT_STATUSES(X)                                                                              \
    X(OK, "ok")                                                                                              \
    X(PARTIAL, "partial")                                                                                    \
    X(INCOMPATIBLE, "incompatible")                                                                          \
    X(FAILED, "failed")                                                                                      \
    X(SKIPPED, "skipped")
#define MLIA_RESULT_MODES(X)                                                                                 \
    X(MEASURED, "measured")                                                                                  \
    X(SIMULATED, "simulated")                                                                                \
    X(PREDICTED, "predicted")
#define MLIA_CHECK_STATUSES(X)                                                                               \
    X(PASS, "pass")                                                                                          \
    X(FAIL, "fail")                                                                                          \
    X(PARTIAL, "partial")
#define MLIA_ADVICE_CATEGORIES(X)                                                                            \
    X(COMPATIBILITY, "compatibility")                                                                        \
    X(PERFORMANCE, "performance")                                                                            \
    X(OPTIMIZATION, "optimization")
#define MLIA_ADVICE_SEVERITIES(X)                                                                            \
    X(INFO, "info")                                                                                          \
    X(WARNING, "warning")                                                                                    \
    X(ERROR, "error")
#define MLIA_COMPONENT_TYPES(X)                                                                              \
    X(CPU, "cpu")                                                                                            \
    X(NPU, "npu")                                                                                            \
    X(GPU, "gpu")                                                                                            \
    X(DSP, "dsp")                                                                                            \
    X(SPECIFICATION, "specification")                                                                        \
    X(SOC, "soc")

#define MLIA_ENUM_RESULT_KIND(name, text) MLIA_RESULT_##name,
#define MLIA_ENUM_STATUS(name, text)      MLIA_RESULT_STATUS_##name,
#define MLIA_ENUM_MODE(name, text)        MLIA_RESULT_MODE_##name,
#define MLIA_ENUM_CHECK(name, text)       MLIA_CHECK_##name,
#define MLIA_ENUM_CATEGORY(name, text)    MLIA_ADVICE_##name,
#define MLIA_ENUM_SEVERITY(name, text)    MLIA_SEVERITY_##name,
#define MLIA_ENUM_COMPONENT(name, text)   MLIA_COMPONENT_##name,
typedef enum { MLIA_RESULT_KIND_NONE, MLIA_RESULT_KINDS(MLIA_ENUM_RESULT_KIND) } mlia_result_kind;
typedef enum { MLIA_RESULT_STATUS_NONE, MLIA_RESULT_STATUSES(MLIA_ENUM_STATUS) } mlia_result_status;
typedef enum { MLIA_RESULT_MODE_NONE, MLIA_RESULT_MODES(MLIA_ENUM_MODE) } mlia_result_mode;
typedef enum { MLIA_CHECK_NONE, MLIA_CHECK_STATUSES(MLIA_ENUM_CHECK) } mlia_check_status;
typedef enum { MLIA_ADVICE_NONE, MLIA_ADVICE_CATEGORIES(MLIA_ENUM_CATEGORY) } mlia_advice_category;
typedef enum { MLIA_SEVERITY_NONE, MLIA_ADVICE_SEVERITIES(MLIA_ENUM_SEVERITY) } mlia_advice_severity;
typedef enum { MLIA_COMPONENT_NONE, MLIA_COMPONENT_TYPES(MLIA_ENUM_COMPONENT) } mlia_component_type;

/* The text of the document, "" for NONE. */
const char *mlia_result_kind_name(mlia_result_kind kind);
const char *mlia_result_status_name(mlia_result_status status);
const char *mlia_result_mode_name(mlia_result_mode mode);
const char *mlia_check_status_name(mlia_check_status status);
const char *mlia_advice_category_name(mlia_advice_category category);
const char *mlia_advice_severity_name(mlia_advice_severity severity);
const char *mlia_component_type_name(mlia_component_type type);

/* A growing array; append with MLIA_APPEND. */
#define MLIA_LIST(type)                                                                                      \
    struct {                                                                                                 \
        type *items;                                                                                         \
        size_t count;                                                                                        \
        size_t capacity;                                                                                     \
    }

/* Appends `item` to `list` (an lvalue of a MLIA_LIST type); false when out of memory. */
#define MLIA_APPEND(arena, list, ...)                                                                        \
    (MLIA_RESERVE((arena), (list).items, (list).count, (list).capacity)                                      \
         ? ((list).items[(list).count++] = (__VA_ARGS__), true)                                              \
         : false)

typedef MLIA_LIST(mlia_str) mlia_texts;

/* A figure. Numeric: `value` with optional aggregation and samples. Unavailable: only `reason`, non-empty. */
typedef struct mlia_metric {
    mlia_str name;
    double value; /* finite; an integer for cycles, bytes and count */
    mlia_str unit;
    mlia_str aggregation; /* sum, max, min, mean; empty on the metrics of a whole model */
    int64_t samples;
    bool has_samples;
    bool unavailable;
    mlia_str reason;
    const mlia_value *qualifiers;
} mlia_metric;

typedef MLIA_LIST(mlia_metric) mlia_metrics;

/* The figures of one entity. Authoritative ones have an id, projected ones none. */
typedef struct mlia_breakdown {
    mlia_str id;
    mlia_str entity_id;
    mlia_metrics metrics;
    const mlia_value *qualifiers;
} mlia_breakdown;

typedef struct mlia_check {
    mlia_str id;
    mlia_check_status status;
    mlia_str entity_id;
    const mlia_value *details;
} mlia_check;

typedef struct mlia_entity {
    mlia_str id;
    mlia_str kind;
    mlia_str name;
    mlia_str placement;
    mlia_texts parent_ids;
    mlia_texts child_ids;
    mlia_value *attributes;
    mlia_str stack_trace;
} mlia_entity;

typedef struct mlia_entity_kind {
    mlia_str id;
    mlia_texts parent_kinds;
    mlia_texts child_kinds;
} mlia_entity_kind;

typedef struct mlia_advice {
    mlia_str id;
    mlia_advice_category category;
    mlia_advice_severity severity;
    mlia_str message;
    mlia_texts affected_entity_ids;
    const mlia_value *details;
} mlia_advice;

typedef struct mlia_result {
    mlia_result_kind kind;
    mlia_result_status status;
    mlia_str producer; /* backend id */
    mlia_result_mode mode;
    mlia_texts warnings;
    mlia_texts errors;
    mlia_metrics metrics;
    MLIA_LIST(mlia_breakdown) breakdowns;
    MLIA_LIST(mlia_check) checks;
    MLIA_LIST(mlia_entity) entities;
    MLIA_LIST(mlia_entity_kind) entity_kinds;
    MLIA_LIST(mlia_advice) advice;
} mlia_result;

typedef struct mlia_component mlia_component;
typedef MLIA_LIST(mlia_component) mlia_components;
struct mlia_component {
    mlia_component_type type;
    mlia_str family;
    mlia_str model;
    mlia_str variant;
    mlia_str name;
    mlia_components components;
};

typedef struct mlia_tool_info {
    mlia_str name;
    mlia_str version;
} mlia_tool_info;

typedef struct mlia_target_info {
    mlia_str profile_name;
    mlia_str target_type;
    mlia_components components;
    const mlia_value *configuration; /* object; NULL is written as {} */
    mlia_str description;
    mlia_str host_platform;
} mlia_target_info;

typedef struct mlia_backend_info {
    mlia_str id;
    mlia_str name;
    mlia_str version;
    const mlia_value *impl;
    const mlia_value *configuration; /* object; NULL is written as {} */
} mlia_backend_info;

typedef struct mlia_model_info {
    mlia_str name;   /* base name */
    mlia_str format; /* tflite tosa tosamlir vgf pt2 pte etrecord spv */
    mlia_str hash;   /* SHA-256 of the file, 64 lower-case digits */
    int64_t size_bytes;
    bool has_size;
} mlia_model_info;

typedef struct mlia_context_info {
    const mlia_value *runtime_configuration;
    const mlia_value *git; /* object with at most `mlia_commit` */
    mlia_str notes;
    mlia_texts cli_arguments;
} mlia_context_info;

typedef struct mlia_document {
    mlia_arena *arena;
    mlia_str schema_version;
    mlia_str run_id;    /* UUID version 7, lower case */
    mlia_str timestamp; /* UTC, milliseconds: 2026-01-01T00:00:00.000Z */
    mlia_tool_info tool;
    mlia_target_info target;
    mlia_model_info model;
    mlia_context_info context;
    MLIA_LIST(mlia_backend_info) backends;
    MLIA_LIST(mlia_result) results;
    mlia_value *extensions; /* object or NULL */
    struct mlia_kept *kept; /* members of a newer schema version, kept for writing; private to result/ */
} mlia_document;

/* Empty document with schema_version 1.2.0; NULL when out of memory. Freed with its arena. */
mlia_document *mlia_document_new(mlia_arena *arena);

/* Sets extensions.NAME, replacing an older one. False when out of memory. */
bool mlia_document_set_extension(mlia_document *document, mlia_str name, mlia_value *value);

/* The breakdown of an entity with these qualifiers (NULL none), or NULL. Linear: for occasional use. */
const mlia_breakdown *mlia_result_breakdown(const mlia_result *result, mlia_str entity_id,
                                            const mlia_value *qualifiers);
/* First metric of that name without metric qualifiers, or NULL. */
const mlia_metric *mlia_metrics_find(const mlia_metrics *metrics, mlia_str name);

#endif
