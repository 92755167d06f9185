/* Backend nx-performance-estimator: performance of a model on a neural accelerator inside a mobile GPU, from
 * the open analytical model (docs/estimator.md). */
#include <stdlib.h>

#include "backends/nx_estimate.h"
#include "base/hash.h"

enum { OPTION_SYSTEM, OPTION_COMPILER, OPTION_SKIP_TRIVIAL, OPTION_PROGRAM };

static const mlia_backend_option options[] = {
    [OPTION_SYSTEM] = {"system_config", MLIA_OPTION_PATH, "FILE", "default", NULL,
                       "system configuration: an INI file or a bundled name"},
    [OPTION_COMPILER] = {"compiler_config", MLIA_OPTION_PATH, "FILE", "default", NULL,
                         "graph-compiler configuration: an INI file or a bundled name"},
    [OPTION_SKIP_TRIVIAL] = {"skip_trivial_ops", MLIA_OPTION_FLAG, NULL, "false", NULL,
                             "leave CONST, CONST_SHAPE and RESHAPE out of accelerator_operator_percentage"},
    [OPTION_PROGRAM] = {"program", MLIA_OPTION_PATH, "PATH", NULL, NULL,
                        "run this estimator of yours instead of the open model and read its files"},
    {0},
};

typedef struct nx_state {
    mlia_estimate_config config;
    const char *program; /* NULL: our own model */
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
    mlia_value *target = mlia_value_object(arena);
    done = done && target != NULL &&
           mlia_value_set(arena, target, MLIA_STR("system_config"),
                          mlia_value_string(arena, config->system_name)) &&
           mlia_value_set(arena, target, MLIA_STR("compiler_config"),
                          mlia_value_string(arena, config->compiler_name)) &&
           mlia_value_set(arena, target, MLIA_STR("clock_hz"),
                          mlia_value_integer(arena, (int64_t)(config->clock_mhz * 1e6)));
    configuration->document = object;
    configuration->target = target;
    return done ? NULL : mlia_error_memory();
}

/* A program of the user's: found now, so that a wrong path is told before any model is read. Its name and
 * hash stand for name and version of the backend. */
static mlia_status *configure_program(nx_state *state, const mlia_setting *setting, bool skip_trivial,
                                      mlia_arena *arena, mlia_backend_configuration *configuration)
{
    enum { PROGRAM_LIMIT = 1 << 30 };
    if (state->config.override_count > 0)
        return mlia_error(MLIA_E_OVERRIDE, "\"%.*s\" has no effect on an estimator program",
                          MLIA_STR_ARG(state->config.overrides[0]));
    char digits[MLIA_SHA256_HEX_SIZE + 1];
    mlia_str path = MLIA_STR_NONE;
    mlia_file *file = NULL;
    MLIA_TRY(mlia_config_open(setting->value, setting->folder, PROGRAM_LIMIT, arena, &path, &file));
    mlia_sha256_hex(mlia_file_bytes(file), digits);
    mlia_file_free(file);
    state->program = path.data;
    mlia_value *object = mlia_value_object(arena);
    configuration->name = mlia_str_base_name(path);
    configuration->version = mlia_arena_str(arena, mlia_str_from_c(digits));
    MLIA_TRY_ALLOC(configuration->version.data);
    if (object == NULL ||
        !mlia_value_set(arena, object, MLIA_STR("program"), mlia_value_string(arena, setting->value)) ||
        !mlia_value_set(arena, object, MLIA_STR("sha256"),
                        mlia_value_string(arena, configuration->version)) ||
        !mlia_value_set(arena, object, MLIA_STR("skip_trivial_ops"), mlia_value_bool(arena, skip_trivial)))
        return mlia_error_memory();
    configuration->document = object;
    configuration->external = true;
    mlia_configured_value *values = MLIA_NEW_ARRAY(arena, mlia_configured_value, 1);
    MLIA_TRY_ALLOC(values);
    values[0] = (mlia_configured_value){MLIA_STR("program"), mlia_value_get(object, MLIA_STR("program")),
                                        setting->origin};
    configuration->values = values;
    configuration->value_count = 1;
    return NULL;
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
    if (settings->items[OPTION_PROGRAM].value.size > 0)
        return configure_program(state, &settings->items[OPTION_PROGRAM], skip_trivial, arena, configuration);
    MLIA_TRY(describe(state, skip_trivial, arena, configuration));
    return list_values(state, settings, arena, configuration);
}

/* Our own model on every segment. */
static mlia_status *estimate_model(mlia_nx_report *report, const nx_state *state)
{
    const mlia_backend_request *request = report->request;
    mlia_estimate_input *inputs = MLIA_NEW_ARRAY(request->arena, mlia_estimate_input, request->segment_count);
    mlia_estimate *estimate = NULL;
    MLIA_TRY_ALLOC(inputs);
    for (uint32_t i = 0; i < request->segment_count; i++)
        inputs[i] = (mlia_estimate_input){request->segments[i].index, request->segments[i].name,
                                          request->segments[i].graph};
    MLIA_TRY(mlia_estimate_run(inputs, request->segment_count, &state->config, request->arena,
                               request->diagnostics, &estimate));
    report->estimate = estimate;
    report->figures = mlia_nx_figures_of(estimate);
    mlia_result_set_status(report->builder,
                           estimate->complete ? MLIA_RESULT_STATUS_OK : MLIA_RESULT_STATUS_PARTIAL);
    return NULL;
}

static mlia_status *run(const mlia_backend_request *request, mlia_result_builder *builder)
{
    const nx_state *state = request->configuration->state;
    mlia_nx_report report = {.request = request, .builder = builder, .arena = request->arena};
    report.external = state->program != NULL;
    report.memories[MLIA_MEMORY_L1] = true;
    report.memories[MLIA_MEMORY_L2] = report.external || state->config.cascade_enable > 0;
    report.memories[MLIA_MEMORY_SYSTEM_CACHE] = report.external;
    report.memories[MLIA_MEMORY_DRAM] = true;
    mlia_result_set_mode(builder, MLIA_RESULT_MODE_PREDICTED);
    MLIA_TRY(report.external ? mlia_nx_program_estimate(&report, state->program, &state->config)
                             : estimate_model(&report, state));
    MLIA_TRY(mlia_nx_report_entities(&report));
    MLIA_TRY(mlia_nx_report_metrics(&report));
    MLIA_TRY(mlia_nx_report_advice(&report));
    MLIA_TRY(mlia_nx_report_extensions(&report));
    return mlia_nx_report_files(&report);
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
