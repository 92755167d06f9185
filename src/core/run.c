/* Running one check. */
#include "core/run.h"

#include "core/data_flow.h"
#include "core/diagnostic.h"
#include "core/environment.h"
#include "core/route.h"

/* A backend that takes part, with its configuration. */
typedef struct participant {
    const mlia_backend *backend;
    mlia_backend_configuration configuration;
    mlia_backend_facts facts; /* what it learned while it ran */
} participant;

typedef struct run {
    const mlia_check_request *request;
    mlia_arena *arena;
    mlia_diagnostics *diagnostics;
    mlia_check_outcome *outcome;
    mlia_run_identity identity;
    MLIA_LIST(participant) participants; /* analysing ones first, then support, in order of use */
    mlia_artifact artifact;
} run;

/* --- configuration --- */

static mlia_status *add_participant(run *r, const mlia_backend *backend)
{
    participant entry = {.backend = backend};
    mlia_settings settings;
    for (size_t i = 0; i < r->participants.count; i++)
        if (r->participants.items[i].backend == backend)
            return NULL;
    MLIA_TRY(mlia_settings_resolve(r->arena, backend, r->request->profile, r->request->config,
                                   r->request->choices, r->diagnostics, &settings));
    MLIA_TRY(mlia_settings_configure(r->arena, backend, &settings, &entry.configuration));
    return MLIA_APPEND(r->arena, r->participants, entry) ? NULL : mlia_error_memory();
}

/* A producer is always among the participants. */
static participant *participant_of(const run *r, const mlia_backend *backend)
{
    size_t i = 0;
    while (r->participants.items[i].backend != backend)
        i++;
    return &r->participants.items[i];
}

/* Who makes the results of a kind. */
static const mlia_backend *producer_of(const run *r, mlia_result_kind kind)
{
    const mlia_backend *backend = r->request->backend;
    return kind == MLIA_RESULT_COMPATIBILITY && backend->compatibility != NULL ? backend->compatibility
                                                                               : backend;
}

/* The configuration of a backend that answers for the analysing one: the option of that one which it heeds.
 */
static mlia_status *inherit_options(run *r, participant *entry)
{
    bool skip = r->participants.items[0].configuration.skip_trivial_operators;
    mlia_value *document = mlia_value_object(r->arena);
    if (document == NULL ||
        !mlia_value_set(r->arena, document, MLIA_STR("skip_trivial_ops"), mlia_value_bool(r->arena, skip)))
        return mlia_error_memory();
    entry->configuration.document = document;
    return NULL;
}

/* The analysing backend is configured even when only another one makes results: its options decide. */
static mlia_status *configure(run *r)
{
    MLIA_TRY(mlia_settings_check(r->request->profile, r->request->config));
    MLIA_TRY(add_participant(r, r->request->backend));
    for (size_t i = 0; i < r->request->kind_count; i++) {
        const mlia_backend *producer = producer_of(r, r->request->kinds[i]);
        MLIA_TRY(add_participant(r, producer));
        if (producer != r->request->backend)
            MLIA_TRY(inherit_options(r, &r->participants.items[r->participants.count - 1]));
    }
    return NULL;
}

/* --- the document's envelope --- */

static mlia_status *fill_target(run *r, mlia_document *document)
{
    const mlia_profile *profile = r->request->profile;
    mlia_value *configuration = mlia_value_object(r->arena);
    bool done = configuration != NULL && mlia_value_set(r->arena, configuration, MLIA_STR("target"),
                                                        mlia_value_string(r->arena, profile->target->type));
    const mlia_value *more = r->participants.items[0].configuration.target;
    for (uint32_t i = 0; done && more != NULL && i < more->count; i++)
        done = mlia_value_set(r->arena, configuration, more->as.members[i].name, more->as.members[i].value);
    document->target = (mlia_target_info){.profile_name = profile->name,
                                          .target_type = profile->target->type,
                                          .components = profile->components,
                                          .configuration = configuration,
                                          .description = profile->description};
    return done ? NULL : mlia_error_memory();
}

static mlia_status *fill_envelope(run *r)
{
    const mlia_model_file *model = &r->outcome->model;
    mlia_document *document = mlia_document_new(r->arena);
    MLIA_TRY_ALLOC(document);
    document->run_id = mlia_arena_str(r->arena, mlia_str_from_c(r->identity.run_id));
    document->timestamp = mlia_arena_str(r->arena, mlia_str_from_c(r->identity.timestamp));
    document->tool = (mlia_tool_info){MLIA_STR("mlia"), MLIA_STR(MLIA_VERSION)};
    if (model->file != NULL)
        document->model = (mlia_model_info){.name = model->name,
                                            .format = mlia_format_describe(model->format)->id,
                                            .hash = mlia_str_from_c(model->hash),
                                            .size_bytes = (int64_t)mlia_file_bytes(model->file).size,
                                            .has_size = true};
    document->context.cli_arguments = r->request->command_line;
    if (document->run_id.data == NULL || document->timestamp.data == NULL)
        return mlia_error_memory();
    MLIA_TRY(fill_target(r, document));
    r->outcome->document = document;
    return NULL;
}

/* False only for an analysing backend that makes no result itself. */
static bool takes_part(const run *r, size_t index)
{
    bool makes_result = index > 0;
    for (size_t i = 0; i < r->request->kind_count; i++)
        makes_result =
            makes_result || producer_of(r, r->request->kinds[i]) == r->participants.items[index].backend;
    return makes_result;
}

static mlia_status *fill_backends(run *r)
{
    mlia_document *document = r->outcome->document;
    for (size_t i = 0; i < r->participants.count; i++) {
        if (!takes_part(r, i))
            continue;
        const participant *entry = &r->participants.items[i];
        const mlia_backend_configuration *configuration = &entry->configuration;
        mlia_value *impl = mlia_value_object(r->arena);
        mlia_backend_info info = {
            .id = mlia_str_from_c(entry->backend->id),
            .name = configuration->name.size ? configuration->name : mlia_str_from_c(entry->backend->name),
            .version = configuration->version.size ? configuration->version
                                                   : mlia_str_from_c(entry->backend->version),
            .impl = impl,
            .configuration = (mlia_value *)(uintptr_t)configuration->document,
        };
        if (impl == NULL ||
            !mlia_value_set(r->arena, impl, MLIA_STR("kind"),
                            mlia_value_string(r->arena, configuration->external ? MLIA_STR("external")
                                                                                : MLIA_STR("built-in"))) ||
            !MLIA_APPEND(r->arena, document->backends, info))
            return mlia_error_memory();
    }
    return NULL;
}

/* --- the model --- */

/* E_FORMAT_BACKEND, naming what the backend accepts. */
static mlia_status *check_format(const run *r)
{
    const mlia_backend *backend = r->request->backend;
    mlia_format format = r->outcome->model.format;
    mlia_route route;
    if (backend->profiling)
        return NULL; /* it knows which models its measured data can be of */
    if ((backend->formats & MLIA_FORMAT_BIT(format)) != 0 &&
        mlia_route_find(format, MLIA_FORM_GRAPHS, &route))
        return NULL;
    mlia_buffer list = {0};
    for (unsigned i = 0; i < MLIA_FORMAT_COUNT; i++)
        if ((backend->formats & MLIA_FORMAT_BIT(i)) != 0)
            mlia_buffer_format(&list, "%s%s", list.size > 0 ? ", " : "",
                               mlia_format_describe((mlia_format)i)->id.data);
    mlia_status *status = mlia_error(MLIA_E_FORMAT_BACKEND, "%s does not accept %s models; it accepts %.*s",
                                     backend->id, mlia_format_describe(format)->id.data, (int)list.size,
                                     list.size ? (const char *)list.data : "none");
    mlia_buffer_free(&list);
    return mlia_status_path(status, r->outcome->model.path);
}

static mlia_status *open_model(run *r)
{
    mlia_model_file *model = &r->outcome->model;
    MLIA_TRY(mlia_model_open(r->request->model_path, r->arena, r->diagnostics, model));
    mlia_model_hash(model);
    mlia_log_add(r->request->log, "INFO", "%.*s: %s, sha256 %s", MLIA_STR_ARG(model->path),
                 mlia_format_describe(model->format)->title.data, model->hash);
    return check_format(r);
}

static mlia_status *read_model(run *r)
{
    const mlia_model_file *model = &r->outcome->model;
    mlia_route_context context = {.arena = r->arena,
                                  .diagnostics = r->diagnostics,
                                  .name = model->name,
                                  .file = model->file,
                                  .shapes = r->request->shapes,
                                  .shape_count = r->request->shape_count,
                                  .path = r->request->model_path,
                                  .tflite = &r->request->tflite};
    mlia_route route;
    r->artifact = (mlia_artifact){.bytes = mlia_file_bytes(model->file)};
    if (!mlia_route_find(model->format, MLIA_FORM_GRAPHS, &route))
        return mlia_error(MLIA_E_NO_ROUTE, "no way leads from %.*s to a graph",
                          MLIA_STR_ARG(mlia_form_name(model->format)));
    for (size_t i = 0; i < route.count; i++)
        if (route.steps[i]->backend != NULL)
            MLIA_TRY(add_participant(r, mlia_backend_find(mlia_str_from_c(route.steps[i]->backend))));
    MLIA_TRY(mlia_route_run(&route, &context, &r->artifact));
    return mlia_artifact_resolve(&context, &r->artifact);
}

/* --- results --- */

/* Figures of a graph that breaks the rules of TOSA would mean nothing. Compatibility results name every
 * broken rule; here the first one is the error. */
static mlia_status *check_graphs(const run *r)
{
    enum { FINDING_LIMIT = 100 };
    for (uint32_t i = 0; i < r->artifact.segment_count; i++) {
        const mlia_graph *graph = r->artifact.segments[i].graph;
        mlia_findings findings = {.limit = FINDING_LIMIT};
        if (graph == NULL)
            continue;
        MLIA_TRY(mlia_graph_verify(graph, r->arena, &findings));
        MLIA_TRY(mlia_findings_status(graph, &findings));
    }
    return NULL;
}

/* The result of `kind`; an error means that it could not be made. */
static mlia_status *analyse(run *r, mlia_result_kind kind, mlia_result *result)
{
    const mlia_check_request *request = r->request;
    const mlia_model_file *model = &r->outcome->model;
    const mlia_backend *producer = producer_of(r, kind);
    mlia_backend_request backend_request = {
        .kind = kind,
        .format = model->format,
        .model_path = model->path,
        .model_stem = model->stem,
        .model = model->file != NULL ? mlia_file_bytes(model->file) : (mlia_bytes){0},
        .segments = r->artifact.segments,
        .segment_count = r->artifact.segment_count,
        .configuration = &participant_of(r, producer)->configuration,
        .facts = &participant_of(r, producer)->facts,
        .profiling_data = request->profiling_data.items,
        .profiling_data_count = (uint32_t)request->profiling_data.count,
        .document = r->outcome->document,
        .result_index = (uint32_t)r->outcome->document->results.count,
        .skip_trivial_operators = r->participants.items[0].configuration.skip_trivial_operators,
        .advice_share = request->config->advice_share,
        .profile_argument = request->profile_argument,
        .arena = r->arena,
        .diagnostics = r->diagnostics,
        .write_file = request->write_file,
        .write_context = request->write_context,
    };
    mlia_log_add(request->log, "INFO", "%s by %s", mlia_result_kind_name(kind), producer->id);
    mlia_result_builder *builder = mlia_result_builder_new(r->arena, kind, mlia_str_from_c(producer->id));
    MLIA_TRY_ALLOC(builder);
    if (kind == MLIA_RESULT_PERFORMANCE)
        MLIA_TRY(check_graphs(r));
    mlia_collapse_rules rules = {request->config->collapse.items, request->config->collapse.count};
    MLIA_TRY(producer->run(&backend_request, builder));
    return mlia_result_finish(builder, rules.count > 0 ? &rules : NULL, r->diagnostics, result);
}

/* A result that says why there is none. */
static mlia_status *failed_result(run *r, mlia_result_kind kind, const mlia_status *fault,
                                  mlia_result *result)
{
    mlia_result_builder *builder =
        mlia_result_builder_new(r->arena, kind, mlia_str_from_c(producer_of(r, kind)->id));
    MLIA_TRY_ALLOC(builder);
    mlia_result_set_status(builder, MLIA_RESULT_STATUS_FAILED);
    if (kind == MLIA_RESULT_PERFORMANCE)
        mlia_result_set_mode(builder, r->request->backend->profiling ? MLIA_RESULT_MODE_MEASURED
                                                                     : MLIA_RESULT_MODE_PREDICTED);
    mlia_result_add_error(builder, fault);
    return mlia_result_finish(builder, NULL, NULL, result);
}

/* Keeps the first error of a run. */
static void keep_first(mlia_status **first, mlia_status *status)
{
    if (*first == NULL)
        *first = status;
    else
        mlia_status_free(status);
}

/* Makes every result; with a `fault` of reading, all are failed. Returns the first error. */
static mlia_status *make_results(run *r, mlia_status *fault)
{
    mlia_document *document = r->outcome->document;
    mlia_status *first = fault;
    for (size_t i = 0; i < r->request->kind_count; i++) {
        mlia_result result = {0};
        mlia_result_kind kind = r->request->kinds[i];
        mlia_status *status = fault == NULL ? analyse(r, kind, &result) : NULL;
        const mlia_status *reason = fault != NULL ? fault : status;
        mlia_status *failure = reason != NULL ? failed_result(r, kind, reason, &result) : NULL;
        if (status != NULL)
            keep_first(&first, mlia_status_path(status, r->outcome->model.path));
        if (failure == NULL && !MLIA_APPEND(r->arena, document->results, result))
            failure = mlia_error_memory();
        if (failure != NULL) {
            r->outcome->document = NULL; /* a document without its results would lie */
            keep_first(&first, failure);
            return first;
        }
    }
    return first;
}

/* --- intermediate models --- */

/* What a model is converted to on the way, kept beside the document: from MLIA_FORMAT_BIT formats. */
static const struct {
    uint32_t from;
    unsigned form;
    const char *folder;
} intermediates[] = {
    {MLIA_FORMAT_BIT(MLIA_FORMAT_TFLITE), MLIA_FORMAT_TOSA, "tflite-to-tosa"},
    {MLIA_FORMAT_BIT(MLIA_FORMAT_TFLITE) | MLIA_FORMAT_BIT(MLIA_FORMAT_TOSA) |
         MLIA_FORMAT_BIT(MLIA_FORMAT_TOSAMLIR),
     MLIA_FORMAT_VGF, "ml-sdk-model-converter"},
};

static mlia_status *write_intermediate(run *r, unsigned form, const char *folder)
{
    mlia_route route;
    mlia_diagnostics ignored = {.arena = r->arena}; /* the analysis has told what matters */
    mlia_route_context context = {.arena = r->arena,
                                  .diagnostics = &ignored,
                                  .name = r->outcome->model.name,
                                  .path = r->request->model_path};
    mlia_artifact artifact = r->artifact;
    if (!mlia_route_find(MLIA_FORM_GRAPHS, form, &route))
        return NULL;
    MLIA_TRY(mlia_route_run(&route, &context, &artifact));
    mlia_str path = mlia_arena_format(r->arena, "%s/%.*s.%.*s", folder, MLIA_STR_ARG(r->outcome->model.stem),
                                      MLIA_STR_ARG(mlia_form_name(form)));
    MLIA_TRY_ALLOC(path.data);
    for (size_t i = 0; i < route.count; i++)
        if (route.steps[i]->backend != NULL)
            MLIA_TRY(add_participant(r, mlia_backend_find(mlia_str_from_c(route.steps[i]->backend))));
    mlia_bytes bytes;
    MLIA_TRY(mlia_pieces_bytes(&artifact.pieces, r->arena, &bytes));
    return r->request->write_file(r->request->write_context, path, bytes);
}

/* A model that cannot be converted is no error here: the compatibility result says why. */
static mlia_status *keep_intermediates(run *r)
{
    if (r->request->write_file == NULL || r->artifact.segment_count == 0)
        return NULL;
    for (size_t i = 0; i < sizeof intermediates / sizeof *intermediates; i++) {
        if ((intermediates[i].from & MLIA_FORMAT_BIT(r->outcome->model.format)) == 0)
            continue;
        mlia_status *status = write_intermediate(r, intermediates[i].form, intermediates[i].folder);
        if (status != NULL && mlia_kind_class(mlia_status_kind(status)) == MLIA_CLASS_IO)
            return status;
        if (status != NULL)
            mlia_log_add(r->request->log, "INFO", "nothing for %s: %.*s", intermediates[i].folder,
                         MLIA_STR_ARG(mlia_status_message(status)));
        mlia_status_free(status);
    }
    return NULL;
}

/* --- extensions --- */

static mlia_value *new_extension(mlia_arena *arena, const char *list_name, mlia_value *list)
{
    mlia_value *extension = mlia_value_object(arena);
    bool done = extension != NULL && list != NULL &&
                mlia_value_set(arena, extension, MLIA_STR("schema_version"), mlia_value_integer(arena, 1)) &&
                mlia_value_set(arena, extension, mlia_str_from_c(list_name), list);
    return done ? extension : NULL;
}

static mlia_status *add_data_flow(run *r)
{
    mlia_document *document = r->outcome->document;
    mlia_value *graphs = mlia_value_array(r->arena);
    MLIA_TRY_ALLOC(graphs);
    if (r->artifact.segment_count == 0)
        return NULL; /* measured data without a graph */
    for (size_t i = 0; i < document->results.count; i++)
        if (document->results.items[i].entities.count > 0)
            MLIA_TRY(mlia_data_flow_add(r->arena, graphs, (uint32_t)i, &document->results.items[i],
                                        r->artifact.segments, r->artifact.segment_count));
    if (graphs->count == 0)
        return NULL;
    mlia_value *extension = new_extension(r->arena, "graphs", graphs);
    return mlia_document_set_extension(document, MLIA_STR("mlia_graph"), extension) ? NULL
                                                                                    : mlia_error_memory();
}

/* Notes about where files go are no part of the answer. */
static bool belongs_to_document(const mlia_diagnostic *diagnostic)
{
    return diagnostic->kind != MLIA_N_WRITTEN;
}

static mlia_status *add_diagnostics(run *r, const mlia_status *fault)
{
    mlia_value *items = mlia_value_array(r->arena);
    MLIA_TRY_ALLOC(items);
    for (size_t i = 0; i < r->diagnostics->count; i++)
        if (belongs_to_document(&r->diagnostics->items[i]) &&
            !mlia_value_add(r->arena, items,
                            mlia_diagnostic_value(r->arena, &r->diagnostics->items[i], MLIA_STR_NONE)))
            return mlia_error_memory();
    if (fault != NULL) {
        mlia_diagnostic diagnostic = mlia_diagnostic_of(fault);
        if (!mlia_value_add(r->arena, items,
                            mlia_diagnostic_value(r->arena, &diagnostic, mlia_status_hint_text(fault))))
            return mlia_error_memory();
    }
    if (items->count == 0)
        return NULL;
    mlia_value *extension = new_extension(r->arena, "items", items);
    return mlia_document_set_extension(r->outcome->document, MLIA_STR("mlia_diagnostics"), extension)
               ? NULL
               : mlia_error_memory();
}

/* The model and the target as the measured data show them. */
static mlia_status *apply_facts(run *r, mlia_document *document)
{
    for (size_t i = 0; i < r->participants.count; i++) {
        participant *entry = &r->participants.items[i];
        const mlia_backend_facts *facts = &entry->facts;
        if (facts->configuration != NULL)
            entry->configuration.document = facts->configuration;
        if (facts->runtime != NULL)
            document->context.runtime_configuration = facts->runtime;
        if (facts->target_description.size > 0)
            document->target.description = facts->target_description;
        if (facts->model_name.size == 0 || r->outcome->model.file != NULL)
            continue;
        char hash[MLIA_SHA256_HEX_SIZE + 1];
        mlia_sha256_hex(facts->model, hash);
        mlia_str copy = mlia_arena_str(r->arena, mlia_str_from_c(hash));
        MLIA_TRY_ALLOC(copy.data);
        document->model =
            (mlia_model_info){facts->model_name, facts->model_format, copy, (int64_t)facts->model.size, true};
    }
    return NULL;
}

/* What is added once all results are there. */
static mlia_status *complete_document(run *r, mlia_document *document, const mlia_status *fault)
{
    MLIA_TRY(apply_facts(r, document));
    MLIA_TRY(fill_backends(r));
    if (r->request->data_flow)
        MLIA_TRY(add_data_flow(r));
    return add_diagnostics(r, fault);
}

mlia_status *mlia_check_run(const mlia_check_request *request, mlia_arena *arena,
                            mlia_diagnostics *diagnostics, mlia_check_outcome *outcome)
{
    run r = {.request = request, .arena = arena, .diagnostics = diagnostics, .outcome = outcome};
    *outcome = (mlia_check_outcome){.model = {.format = MLIA_FORMAT_UNKNOWN}};
    MLIA_TRY(mlia_environment_identity(&r.identity));
    MLIA_TRY(configure(&r));
    if (request->model_path != NULL)
        MLIA_TRY(open_model(&r));
    MLIA_TRY(fill_envelope(&r));
    mlia_status *status = NULL;
    if (outcome->model.file != NULL && !request->backend->profiling) {
        mlia_str previous = diagnostics->path;
        diagnostics->path = outcome->model.path;
        status = mlia_status_path(read_model(&r), outcome->model.path);
        diagnostics->path = previous;
    }
    status = make_results(&r, status);
    if (status == NULL)
        status = keep_intermediates(&r);
    if (outcome->document != NULL && outcome->model.file == NULL &&
        r.participants.items[0].facts.model_name.size == 0)
        outcome->document = NULL; /* a run without MODEL that failed before it knew what was measured */
    if (status != NULL &&
        (request->backend->profiling || mlia_kind_class(mlia_status_kind(status)) == MLIA_CLASS_CONFIG))
        outcome->document = NULL; /* wrong data or configuration: nothing was analysed */
    if (outcome->document == NULL)
        return status;
    mlia_status *failure = complete_document(&r, outcome->document, status);
    if (failure != NULL)
        outcome->document = NULL;
    keep_first(&status, failure);
    return status;
}
