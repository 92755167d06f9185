/* Backend nx-performance-estimator: performance of a model on a neural accelerator inside a mobile GPU, from
 * the open analytical model (docs/estimator.md). */
#include <stdlib.h>

#include "backends/nx_estimate.h"

enum { OPTION_SYSTEM, OPTION_COMPILER, OPTION_SKIP_TRIVIAL };

static const mlia_backend_option options[] = {
    [OPTION_SYSTEM] = {"system_config", MLIA_OPTION_PATH, "FILE", "default", NULL,
                       "system configuration: an INI file or a bundled name"},
    [OPTION_COMPILER] = {"compiler_config", MLIA_OPTION_PATH, "FILE", "default", NULL,
                         "graph-compiler configuration: an INI file or a bundled name"},
    [OPTION_SKIP_TRIVIAL] = {"skip_trivial_ops", MLIA_OPTION_FLAG, NULL, "false", NULL,
                             "leave CONST, CONST_SHAPE and RESHAPE out of accelerator_operator_percentage"},
    {0},
};

typedef struct nx_state {
    mlia_estimate_config config;
} nx_state;

static int by_key(const void *a, const void *b)
{
    return mlia_str_compare(((const mlia_configured_value *)a)->key, ((const mlia_configured_value *)b)->key);
}

/* Who set a value, in the words of `profile show`. */
static mlia_str value_origin(mlia_arena *arena, mlia_str origin)
{
    if (mlia_str_equal_c(origin, "override"))
        return MLIA_STR("command line");
    if (mlia_str_equal_c(origin, "default") || mlia_bundled_find(origin) != NULL)
        return MLIA_STR("built-in");
    return mlia_arena_format(arena, "file %.*s", MLIA_STR_ARG(origin));
}

/* Options and every key in force, sorted, for `profile show`. */
static mlia_status *list_values(const nx_state *state, const mlia_settings *settings, mlia_arena *arena,
                                mlia_backend_configuration *configuration)
{
    size_t option_count = sizeof options / sizeof *options - 1;
    mlia_configured_value *values =
        MLIA_NEW_ARRAY(arena, mlia_configured_value, MLIA_CONFIG_KEY_COUNT + option_count);
    MLIA_TRY_ALLOC(values);
    size_t count = 0;
    for (size_t i = 0; i < option_count; i++) {
        if (settings->items[i].value.data == NULL)
            continue;
        mlia_value *value = options[i].type == MLIA_OPTION_FLAG
                                ? mlia_value_bool(arena, mlia_str_equal_c(settings->items[i].value, "true"))
                                : mlia_value_string(arena, settings->items[i].value);
        MLIA_TRY_ALLOC(value);
        values[count++] =
            (mlia_configured_value){mlia_str_from_c(options[i].key), value, settings->items[i].origin};
    }
    for (mlia_config_key key = 0; key < MLIA_CONFIG_KEY_COUNT; key++) {
        const mlia_config_info *info = mlia_config_describe(key);
        mlia_str name =
            mlia_arena_format(arena, "%.*s.%.*s", MLIA_STR_ARG(info->section), MLIA_STR_ARG(info->key));
        mlia_value *value = mlia_config_value(&state->config, key, arena);
        mlia_str origin = value_origin(arena, state->config.origins[key]);
        MLIA_TRY_ALLOC(name.data);
        MLIA_TRY_ALLOC(value);
        MLIA_TRY_ALLOC(origin.data);
        values[count++] = (mlia_configured_value){name, value, origin};
    }
    qsort(values, count, sizeof *values, by_key);
    configuration->values = values;
    configuration->value_count = count;
    return NULL;
}

/* backends[].configuration: names as given, overrides, and every value in force. */
static mlia_status *describe(const nx_state *state, bool skip_trivial, mlia_arena *arena,
                             mlia_backend_configuration *configuration)
{
    const mlia_estimate_config *config = &state->config;
    mlia_value *object = mlia_value_object(arena);
    mlia_value *overrides = mlia_value_array(arena);
    bool done = object != NULL && overrides != NULL;
    for (size_t i = 0; i < config->override_count && done; i++)
        done = mlia_value_add(arena, overrides, mlia_value_string(arena, config->overrides[i]));
    done =
        done &&
        mlia_value_set(arena, object, MLIA_STR("system_config"),
                       mlia_value_string(arena, config->system_name)) &&
        mlia_value_set(arena, object, MLIA_STR("compiler_config"),
                       mlia_value_string(arena, config->compiler_name)) &&
        mlia_value_set(arena, object, MLIA_STR("skip_trivial_ops"), mlia_value_bool(arena, skip_trivial)) &&
        mlia_value_set(arena, object, MLIA_STR("calibrated"),
                       mlia_value_bool(arena, mlia_config_is_calibrated(config))) &&
        mlia_value_set(arena, object, MLIA_STR("overrides"), overrides) &&
        mlia_value_set(arena, object, MLIA_STR("values"), mlia_config_values(config, arena));
    configuration->document = object;
    return done ? NULL : mlia_error_memory();
}

static mlia_status *configure(const mlia_settings *settings, mlia_arena *arena,
                              mlia_backend_configuration *configuration)
{
    nx_state *state = MLIA_NEW(arena, nx_state);
    MLIA_TRY_ALLOC(state);
    mlia_config_choice choice = {.system = settings->items[OPTION_SYSTEM].value,
                                 .system_folder = settings->items[OPTION_SYSTEM].folder,
                                 .compiler = settings->items[OPTION_COMPILER].value,
                                 .compiler_folder = settings->items[OPTION_COMPILER].folder,
                                 .overrides = settings->overrides,
                                 .override_count = settings->override_count};
    MLIA_TRY(mlia_config_load(&choice, arena, &state->config));
    configuration->state = state;
    bool skip_trivial = mlia_str_equal_c(settings->items[OPTION_SKIP_TRIVIAL].value, "true");
    configuration->skip_trivial_operators = skip_trivial;
    MLIA_TRY(describe(state, skip_trivial, arena, configuration));
    return list_values(state, settings, arena, configuration);
}

static mlia_status *estimate_model(const mlia_backend_request *request, const nx_state *state,
                                   mlia_estimate **estimate)
{
    mlia_estimate_input *inputs = MLIA_NEW_ARRAY(request->arena, mlia_estimate_input, request->segment_count);
    MLIA_TRY_ALLOC(inputs);
    for (uint32_t i = 0; i < request->segment_count; i++)
        inputs[i] = (mlia_estimate_input){request->segments[i].index, request->segments[i].name,
                                          request->segments[i].graph};
    return mlia_estimate_run(inputs, request->segment_count, &state->config, request->arena,
                             request->diagnostics, estimate);
}

static mlia_status *run(const mlia_backend_request *request, mlia_result_builder *builder)
{
    const nx_state *state = request->configuration->state;
    mlia_estimate *estimate = NULL;
    MLIA_TRY(estimate_model(request, state, &estimate));
    nx_report report = {
        .request = request, .builder = builder, .arena = request->arena, .estimate = estimate};
    report.figures = nx_figures_of(estimate);
    report.memories[MLIA_MEMORY_L1] = true;
    report.memories[MLIA_MEMORY_L2] = state->config.cascade_enable > 0;
    report.memories[MLIA_MEMORY_DRAM] = true;
    mlia_result_set_mode(builder, MLIA_RESULT_MODE_PREDICTED);
    mlia_result_set_status(builder, estimate->complete ? MLIA_RESULT_STATUS_OK : MLIA_RESULT_STATUS_PARTIAL);
    MLIA_TRY(nx_report_entities(&report));
    MLIA_TRY(nx_report_metrics(&report));
    MLIA_TRY(nx_report_advice(&report));
    MLIA_TRY(nx_report_extensions(&report));
    return nx_report_files(&report);
}

const mlia_backend mlia_backend_nx_performance_estimator = {
    .id = "nx-performance-estimator",
    .name = "NX Performance Estimator (open analytical model)",
    .version = MLIA_ESTIMATE_REVISION,
    .summary = "estimates cycles, traffic and memory of a model",
    .categories = MLIA_CATEGORY_BIT(MLIA_RESULT_PERFORMANCE) | MLIA_CATEGORY_BIT(MLIA_RESULT_COMPATIBILITY),
    .formats = MLIA_FORMAT_BIT(MLIA_FORMAT_TFLITE) | MLIA_FORMAT_BIT(MLIA_FORMAT_TOSA) |
               MLIA_FORMAT_BIT(MLIA_FORMAT_TOSAMLIR) | MLIA_FORMAT_BIT(MLIA_FORMAT_VGF) |
               MLIA_FORMAT_BIT(MLIA_FORMAT_PT2) | MLIA_FORMAT_BIT(MLIA_FORMAT_PTE),
    .targets = "neural-technology",
    .compatibility = &mlia_backend_ml_sdk_model_converter,
    .selectable = true,
    .options = options,
    .configure = configure,
    .run = run,
};
