/* Tables of the document's objects (docs/output.md); the JSON schema docs/mlia-output.schema.json says the
 * same.
 */
#include "result/shape.h"

#include "result/pattern.h"

#define TEXT_ROW(name, text) text,
#define TEXTS(name, rows)    static const char *const name[] = {rows(TEXT_ROW) NULL}
TEXTS(result_kinds, MLIA_RESULT_KINDS);
TEXTS(result_statuses, MLIA_RESULT_STATUSES);
TEXTS(result_modes, MLIA_RESULT_MODES);
TEXTS(check_statuses, MLIA_CHECK_STATUSES);
TEXTS(advice_categories, MLIA_ADVICE_CATEGORIES);
TEXTS(advice_severities, MLIA_ADVICE_SEVERITIES);
TEXTS(component_types, MLIA_COMPONENT_TYPES);
static const char *const availabilities[] = {"unavailable", NULL};
static const char *const placements[] = {"NPU", "NX", "CPU", "GPU", "DSP", "Unknown", NULL};
static const char *const phases[] = {"before", "after", NULL};
static const char *const assumption_sources[] = {"published", "calibrated", "assumed", NULL};
static const char *const schedule_units[] = {"cycles", "ms", NULL};
static const char *const schedule_bounds[] = {"compute", "memory", "latency", NULL};
static const char *const diagnostic_severities[] = {"error", "warning", "note", NULL};
static const char *const diagnostic_stages[] = {
    "options",  "configuration", "profile",   "plugin",  "input",  "parse", "convert",  "compatibility",
    "estimate", "ingest",        "correlate", "project", "render", "write", "internal", NULL};

/* Rows. `owner` is the struct, `member` its field; R rows are required members, O rows optional ones. */
#define AT(owner, member) .offset = offsetof(owner, member)
#define FIELD(member_name, json_types, ...)                                                                  \
    {                                                                                                        \
        .name = (member_name), .types = (json_types), __VA_ARGS__                                            \
    }
#define R_TEXT(owner, member, ...)                                                                           \
    FIELD(#member, MLIA_JSON_STRING, .required = true, .store = MLIA_STORE_TEXT, AT(owner, member),          \
          __VA_ARGS__)
#define O_TEXT(owner, member, ...)                                                                           \
    FIELD(#member, MLIA_JSON_STRING, .store = MLIA_STORE_TEXT, AT(owner, member), __VA_ARGS__)
#define R_ENUM(owner, member, names)                                                                         \
    FIELD(#member, MLIA_JSON_STRING, .required = true, .store = MLIA_STORE_ENUM, AT(owner, member),          \
          .texts = (names))
#define O_ENUM(owner, member, names)                                                                         \
    FIELD(#member, MLIA_JSON_STRING, .store = MLIA_STORE_ENUM, AT(owner, member), .texts = (names))
#define O_TEXTS(owner, member, ...)                                                                          \
    FIELD(#member, MLIA_JSON_ARRAY, .store = MLIA_STORE_TEXTS, AT(owner, member), __VA_ARGS__)
#define R_VALUE(owner, member)                                                                               \
    FIELD(#member, MLIA_JSON_OBJECT, .required = true, .store = MLIA_STORE_VALUE, AT(owner, member))
#define O_VALUE(owner, member, ...)                                                                          \
    FIELD(#member, MLIA_JSON_OBJECT, .store = MLIA_STORE_VALUE, AT(owner, member), __VA_ARGS__)
#define R_STRUCT(owner, member, type)                                                                        \
    FIELD(#member, MLIA_JSON_OBJECT, .required = true, .store = MLIA_STORE_STRUCT, AT(owner, member),        \
          .shape = (type))
#define R_STRUCTS(owner, member, type, ...)                                                                  \
    FIELD(#member, MLIA_JSON_ARRAY, .required = true, .store = MLIA_STORE_STRUCTS, AT(owner, member),        \
          .item = (type), __VA_ARGS__)
#define O_STRUCTS(owner, member, type)                                                                       \
    FIELD(#member, MLIA_JSON_ARRAY, .store = MLIA_STORE_STRUCTS, AT(owner, member), .item = (type))
#define NOT_BLANK .accepts = mlia_pattern_not_blank, .expected = "a text that is not blank"

#define FIELDS(rows) .count = sizeof(rows) / sizeof *(rows), .fields = (rows)
#define STRUCT_SHAPE(variable, label, type, rows)                                                            \
    const mlia_shape variable = {.name = (label), .size = sizeof(type), FIELDS(rows)}
#define OBJECT_SHAPE(variable, label, rows, ...)                                                             \
    static const mlia_shape variable = {.name = (label), .open = true, FIELDS(rows), __VA_ARGS__}
#define ITEM(variable, ...)         static const mlia_field variable = {__VA_ARGS__}
#define OBJECT_ITEM(variable, type) ITEM(variable, .types = MLIA_JSON_OBJECT, .shape = (type))

ITEM(text_item, .types = MLIA_JSON_STRING);
ITEM(kind_item, .types = MLIA_JSON_STRING, NOT_BLANK);
ITEM(count_item, .types = MLIA_JSON_INTEGER, .has_least = true);
ITEM(integer_item, .types = MLIA_JSON_INTEGER);

static const mlia_field qualifier_rows[] = {FIELD("placement", MLIA_JSON_STRING, .texts = placements),
                                            FIELD("phase", MLIA_JSON_STRING, .texts = phases)};
ITEM(qualifier_item,
     .types = MLIA_JSON_BOOL | MLIA_JSON_NUMBER | MLIA_JSON_STRING | MLIA_JSON_ARRAY | MLIA_JSON_OBJECT);
OBJECT_SHAPE(qualifiers_shape, "qualifiers", qualifier_rows, .others = &qualifier_item,
             .others_apply = mlia_pattern_qualifier);
#define QUALIFIERS(owner) O_VALUE(owner, qualifiers, .shape = &qualifiers_shape)

static const mlia_field metric_rows[] = {
    R_TEXT(mlia_metric, name),
    FIELD("value", MLIA_JSON_NUMBER, .store = MLIA_STORE_NUMBER, AT(mlia_metric, value),
          .flag = offsetof(mlia_metric, unavailable)),
    R_TEXT(mlia_metric, unit),
    O_TEXT(mlia_metric, aggregation),
    FIELD("samples", MLIA_JSON_INTEGER, .store = MLIA_STORE_INTEGER, AT(mlia_metric, samples),
          .flag = offsetof(mlia_metric, has_samples)),
    FIELD("availability", MLIA_JSON_STRING, .store = MLIA_STORE_CONSTANT, AT(mlia_metric, unavailable),
          .texts = availabilities),
    O_TEXT(mlia_metric, reason),
    QUALIFIERS(mlia_metric),
};
STRUCT_SHAPE(mlia_metric_shape, "metric", mlia_metric, metric_rows);
OBJECT_ITEM(metric_item, &mlia_metric_shape);

static const mlia_field breakdown_rows[] = {
    O_TEXT(mlia_breakdown, id),
    R_TEXT(mlia_breakdown, entity_id),
    R_STRUCTS(mlia_breakdown, metrics, &metric_item),
    QUALIFIERS(mlia_breakdown),
};
static STRUCT_SHAPE(breakdown_shape, "breakdown", mlia_breakdown, breakdown_rows);
OBJECT_ITEM(breakdown_item, &breakdown_shape);

static const mlia_field check_rows[] = {
    R_TEXT(mlia_check, id),
    R_ENUM(mlia_check, status, check_statuses),
    FIELD("entity_id", MLIA_JSON_STRING | MLIA_JSON_NULL, .store = MLIA_STORE_TEXT,
          AT(mlia_check, entity_id)),
    O_VALUE(mlia_check, details),
};
static STRUCT_SHAPE(check_shape, "check", mlia_check, check_rows);
OBJECT_ITEM(check_item, &check_shape);

static const mlia_field entity_rows[] = {
    R_TEXT(mlia_entity, id),
    R_TEXT(mlia_entity, kind, NOT_BLANK),
    R_TEXT(mlia_entity, name),
    FIELD("placement", MLIA_JSON_STRING | MLIA_JSON_NULL, .store = MLIA_STORE_TEXT,
          AT(mlia_entity, placement)),
    O_TEXTS(mlia_entity, parent_ids, .item = &text_item),
    O_TEXTS(mlia_entity, child_ids, .item = &text_item),
    O_VALUE(mlia_entity, attributes),
    O_TEXT(mlia_entity, stack_trace),
};
STRUCT_SHAPE(mlia_entity_shape, "entity", mlia_entity, entity_rows);
OBJECT_ITEM(entity_item, &mlia_entity_shape);

static const mlia_field entity_kind_rows[] = {
    R_TEXT(mlia_entity_kind, id, NOT_BLANK),
    O_TEXTS(mlia_entity_kind, parent_kinds, .item = &kind_item, .unique = true),
    O_TEXTS(mlia_entity_kind, child_kinds, .item = &kind_item, .unique = true),
};
static STRUCT_SHAPE(entity_kind_shape, "entity kind", mlia_entity_kind, entity_kind_rows);
OBJECT_ITEM(entity_kind_item, &entity_kind_shape);

static const mlia_field advice_rows[] = {
    R_TEXT(mlia_advice, id),
    R_ENUM(mlia_advice, category, advice_categories),
    R_ENUM(mlia_advice, severity, advice_severities),
    R_TEXT(mlia_advice, message),
    O_TEXTS(mlia_advice, affected_entity_ids, .item = &text_item),
    O_VALUE(mlia_advice, details),
};
static STRUCT_SHAPE(advice_shape, "advice", mlia_advice, advice_rows);
OBJECT_ITEM(advice_item, &advice_shape);

static const mlia_field result_rows[] = {
    R_ENUM(mlia_result, kind, result_kinds),
    R_ENUM(mlia_result, status, result_statuses),
    R_TEXT(mlia_result, producer),
    O_ENUM(mlia_result, mode, result_modes),
    O_TEXTS(mlia_result, warnings, .item = &text_item),
    O_TEXTS(mlia_result, errors, .item = &text_item),
    O_STRUCTS(mlia_result, metrics, &metric_item),
    O_STRUCTS(mlia_result, breakdowns, &breakdown_item),
    O_STRUCTS(mlia_result, checks, &check_item),
    O_STRUCTS(mlia_result, entities, &entity_item),
    O_STRUCTS(mlia_result, entity_kinds, &entity_kind_item),
    O_STRUCTS(mlia_result, advice, &advice_item),
};
static STRUCT_SHAPE(result_shape, "result", mlia_result, result_rows);
OBJECT_ITEM(result_item, &result_shape);

static const mlia_shape component_shape;
OBJECT_ITEM(component_item, &component_shape);
static const mlia_field component_rows[] = {
    R_ENUM(mlia_component, type, component_types),
    R_TEXT(mlia_component, family),
    O_TEXT(mlia_component, model),
    O_TEXT(mlia_component, variant),
    O_TEXT(mlia_component, name),
    O_STRUCTS(mlia_component, components, &component_item),
};
static STRUCT_SHAPE(component_shape, "component", mlia_component, component_rows);

static const mlia_field tool_rows[] = {R_TEXT(mlia_tool_info, name), R_TEXT(mlia_tool_info, version)};
static STRUCT_SHAPE(tool_shape, "tool", mlia_tool_info, tool_rows);

static const mlia_field target_rows[] = {
    R_TEXT(mlia_target_info, profile_name),
    R_TEXT(mlia_target_info, target_type),
    R_STRUCTS(mlia_target_info, components, &component_item, .least = 1),
    R_VALUE(mlia_target_info, configuration),
    O_TEXT(mlia_target_info, description),
    O_TEXT(mlia_target_info, host_platform),
};
static STRUCT_SHAPE(target_shape, "target", mlia_target_info, target_rows);

static const mlia_field backend_rows[] = {
    R_TEXT(mlia_backend_info, id),
    R_TEXT(mlia_backend_info, name),
    R_TEXT(mlia_backend_info, version),
    O_VALUE(mlia_backend_info, impl),
    R_VALUE(mlia_backend_info, configuration),
};
static STRUCT_SHAPE(backend_shape, "backend", mlia_backend_info, backend_rows);
OBJECT_ITEM(backend_item, &backend_shape);

static const mlia_field model_rows[] = {
    R_TEXT(mlia_model_info, name),
    R_TEXT(mlia_model_info, format),
    R_TEXT(mlia_model_info, hash, .accepts = mlia_pattern_sha256, .expected = "64 hexadecimal digits"),
    FIELD("size_bytes", MLIA_JSON_INTEGER, .store = MLIA_STORE_INTEGER, AT(mlia_model_info, size_bytes),
          .flag = offsetof(mlia_model_info, has_size), .has_least = true),
};
static STRUCT_SHAPE(model_shape, "model", mlia_model_info, model_rows);

static const mlia_field git_rows[] = {FIELD("mlia_commit", MLIA_JSON_STRING)};
static const mlia_shape git_shape = {.name = "git", FIELDS(git_rows)};
static const mlia_field context_rows[] = {
    O_VALUE(mlia_context_info, runtime_configuration),
    O_VALUE(mlia_context_info, git, .shape = &git_shape),
    O_TEXT(mlia_context_info, notes),
    O_TEXTS(mlia_context_info, cli_arguments, .item = &text_item),
};
static STRUCT_SHAPE(context_shape, "context", mlia_context_info, context_rows);

/* Extensions: kept as values, known ones are checked. Rows name only what is demanded. */
#define TEXT_OF(name)        FIELD(name, MLIA_JSON_STRING, .required = true)
#define COUNT_OF(name)       FIELD(name, MLIA_JSON_INTEGER, .required = true, .has_least = true)
#define ARRAY_OF(name, type) FIELD(name, MLIA_JSON_ARRAY, .required = true, .item = (type))
#define SHA256_OF(name)                                                                                      \
    FIELD(name, MLIA_JSON_STRING, .required = true, .accepts = mlia_pattern_sha256_lower,                    \
          .expected = "64 lower-case hexadecimal digits")
#define VERSION_1 FIELD("schema_version", MLIA_JSON_INTEGER, .required = true, .is_one = true)

static const mlia_field handle_rows[] = {TEXT_OF("id"), TEXT_OF("name"), TEXT_OF("op"),
                                         FIELD("target", MLIA_JSON_STRING | MLIA_JSON_NULL, .required = true),
                                         FIELD("debug_handle",
                                               MLIA_JSON_INTEGER | MLIA_JSON_NULL | MLIA_JSON_ARRAY,
                                               .required = true, .item = &integer_item)};
OBJECT_SHAPE(node_shape, "node", handle_rows);
OBJECT_ITEM(node_item, &node_shape);
static const mlia_field flow_rows[] = {TEXT_OF("source_id"), TEXT_OF("target_id")};
OBJECT_SHAPE(flow_shape, "edge", flow_rows);
OBJECT_ITEM(flow_item, &flow_shape);
static const mlia_field source_graph_rows[] = {
    TEXT_OF("method"), FIELD("methods", MLIA_JSON_ARRAY, .required = true, .least = 1, .item = &text_item),
    ARRAY_OF("nodes", &node_item), ARRAY_OF("edges", &flow_item)};
OBJECT_SHAPE(source_graph_shape, "source graph", source_graph_rows);
static const mlia_field relationship_rows[] = {COUNT_OF("result_index"), TEXT_OF("source_id"),
                                               TEXT_OF("target_id")};
OBJECT_SHAPE(relationship_shape, "chain relationship", relationship_rows);
OBJECT_ITEM(relationship_item, &relationship_shape);
static const mlia_field delegate_rows[] = {FIELD("id", MLIA_JSON_STRING, .required = true,
                                                 .accepts = mlia_pattern_delegate_id,
                                                 .expected = "pte/METHOD/chain/I/instruction/J"),
                                           TEXT_OF("method"),
                                           COUNT_OF("chain_index"),
                                           COUNT_OF("instruction_id"),
                                           COUNT_OF("delegate_index"),
                                           TEXT_OF("backend_name"),
                                           SHA256_OF("payload_sha256")};
OBJECT_SHAPE(delegate_shape, "delegate", delegate_rows);
OBJECT_ITEM(delegate_item, &delegate_shape);
static const mlia_field association_rows[] = {
    TEXT_OF("delegate_id"),
    COUNT_OF("result_index"),
    FIELD("partition", MLIA_JSON_STRING | MLIA_JSON_INTEGER, .required = true),
    COUNT_OF("segment_index"),
    FIELD("spirv_id", MLIA_JSON_INTEGER, .required = true, .has_least = true, .least = 1),
    TEXT_OF("api_label"),
    ARRAY_OF("operator_names", &text_item),
    ARRAY_OF("entity_ids", &text_item),
    ARRAY_OF("chain_ids", &text_item),
    FIELD("chain_id", MLIA_JSON_STRING | MLIA_JSON_NULL, .required = true)};
OBJECT_SHAPE(association_shape, "operator association", association_rows);
OBJECT_ITEM(association_item, &association_shape);
static const mlia_field companion_rows[] = {TEXT_OF("path"), SHA256_OF("sha256"),
                                            ARRAY_OF("delegates", &delegate_item),
                                            ARRAY_OF("operator_associations", &association_item)};
OBJECT_SHAPE(companion_shape, "companion model", companion_rows);
static const mlia_field executorch_rows[] = {
    VERSION_1, FIELD("source_graph", MLIA_JSON_OBJECT, .required = true, .shape = &source_graph_shape),
    ARRAY_OF("chain_relationships", &relationship_item),
    FIELD("companion_model", MLIA_JSON_OBJECT, .shape = &companion_shape)};
OBJECT_SHAPE(executorch_shape, "executorch", executorch_rows);

ITEM(frequency_item, .types = MLIA_JSON_NUMBER, .is_positive = true);
static const mlia_shape clocks_shape = {.name = "clock_hz", .open = true, .others = &frequency_item};
static const mlia_field assumption_rows[] = {
    TEXT_OF("id"), TEXT_OF("text"),
    FIELD("source", MLIA_JSON_STRING, .required = true, .texts = assumption_sources)};
OBJECT_SHAPE(assumption_shape, "assumption", assumption_rows);
OBJECT_ITEM(assumption_item, &assumption_shape);
static const mlia_field estimator_rows[] = {
    VERSION_1, TEXT_OF("model_revision"),
    FIELD("clock_hz", MLIA_JSON_OBJECT, .required = true, .shape = &clocks_shape),
    ARRAY_OF("assumptions", &assumption_item),
    FIELD("error_band_percent", MLIA_JSON_NUMBER, .has_least = true)};
OBJECT_SHAPE(estimator_shape, "mlia_estimator", estimator_rows);

static const mlia_field tensor_rows[] = {FIELD("name", MLIA_JSON_STRING), FIELD("type", MLIA_JSON_STRING),
                                         FIELD("shape", MLIA_JSON_ARRAY, .item = &count_item)};
OBJECT_SHAPE(tensor_shape, "tensor", tensor_rows);
static const mlia_field data_edge_rows[] = {TEXT_OF("source_id"), COUNT_OF("source_output"),
                                            TEXT_OF("target_id"), COUNT_OF("target_input"),
                                            FIELD("tensor", MLIA_JSON_OBJECT, .shape = &tensor_shape)};
OBJECT_SHAPE(data_edge_shape, "edge", data_edge_rows);
OBJECT_ITEM(data_edge_item, &data_edge_shape);
static const mlia_field graph_rows[] = {COUNT_OF("result_index"), ARRAY_OF("edges", &data_edge_item)};
OBJECT_SHAPE(graph_shape, "graph", graph_rows);
OBJECT_ITEM(graph_item, &graph_shape);
static const mlia_field graphs_rows[] = {VERSION_1, ARRAY_OF("graphs", &graph_item)};
OBJECT_SHAPE(graphs_shape, "mlia_graph", graphs_rows);

static const mlia_field span_rows[] = {
    FIELD("result_index", MLIA_JSON_INTEGER, .has_least = true), TEXT_OF("entity_id"),
    FIELD("start", MLIA_JSON_NUMBER, .required = true, .has_least = true),
    FIELD("duration", MLIA_JSON_NUMBER, .required = true, .has_least = true),
    FIELD("bound", MLIA_JSON_STRING, .texts = schedule_bounds)};
OBJECT_SHAPE(span_shape, "span", span_rows);
OBJECT_ITEM(span_item, &span_shape);
static const mlia_field lane_rows[] = {TEXT_OF("name"), ARRAY_OF("spans", &span_item)};
OBJECT_SHAPE(lane_shape, "lane", lane_rows);
OBJECT_ITEM(lane_item, &lane_shape);
static const mlia_field schedule_rows[] = {
    VERSION_1, FIELD("unit", MLIA_JSON_STRING, .required = true, .texts = schedule_units),
    ARRAY_OF("lanes", &lane_item)};
OBJECT_SHAPE(schedule_shape, "mlia_schedule", schedule_rows);

static const mlia_field diagnostic_rows[] = {
    FIELD("code", MLIA_JSON_STRING, .required = true, .accepts = mlia_pattern_diagnostic_code,
          .expected = "a kind such as E_WRITE"),
    FIELD("severity", MLIA_JSON_STRING, .required = true, .texts = diagnostic_severities),
    FIELD("stage", MLIA_JSON_STRING, .texts = diagnostic_stages),
    TEXT_OF("message"),
    FIELD("hint", MLIA_JSON_STRING),
    FIELD("path", MLIA_JSON_STRING),
    FIELD("offset", MLIA_JSON_INTEGER, .has_least = true),
    FIELD("line", MLIA_JSON_INTEGER, .has_least = true, .least = 1),
    FIELD("column", MLIA_JSON_INTEGER, .has_least = true, .least = 1),
    FIELD("entity_id", MLIA_JSON_STRING)};
OBJECT_SHAPE(diagnostic_shape, "diagnostic", diagnostic_rows);
OBJECT_ITEM(diagnostic_item, &diagnostic_shape);
static const mlia_field diagnostics_rows[] = {VERSION_1, ARRAY_OF("items", &diagnostic_item)};
OBJECT_SHAPE(diagnostics_shape, "mlia_diagnostics", diagnostics_rows);

static const mlia_field extension_rows[] = {
    FIELD("executorch", MLIA_JSON_OBJECT, .shape = &executorch_shape),
    FIELD("mlia_estimator", MLIA_JSON_OBJECT, .shape = &estimator_shape),
    FIELD("mlia_graph", MLIA_JSON_OBJECT, .shape = &graphs_shape),
    FIELD("mlia_schedule", MLIA_JSON_OBJECT, .shape = &schedule_shape),
    FIELD("mlia_diagnostics", MLIA_JSON_OBJECT, .shape = &diagnostics_shape)};
OBJECT_SHAPE(extensions_shape, "extensions", extension_rows);

static const mlia_field document_rows[] = {
    R_TEXT(mlia_document, schema_version, .accepts = mlia_pattern_schema_version,
           .expected = "1.MINOR.PATCH"),
    R_TEXT(mlia_document, run_id, .accepts = mlia_pattern_uuid, .expected = "a UUID"),
    R_TEXT(mlia_document, timestamp, .accepts = mlia_pattern_timestamp,
           .expected = "an ISO 8601 date and time"),
    R_STRUCT(mlia_document, tool, &tool_shape),
    R_STRUCT(mlia_document, target, &target_shape),
    R_STRUCT(mlia_document, model, &model_shape),
    R_STRUCT(mlia_document, context, &context_shape),
    R_STRUCTS(mlia_document, backends, &backend_item, .least = 1),
    R_STRUCTS(mlia_document, results, &result_item),
    O_VALUE(mlia_document, extensions, .shape = &extensions_shape),
};
STRUCT_SHAPE(mlia_document_shape, "document", mlia_document, document_rows);
