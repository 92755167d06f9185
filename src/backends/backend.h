/* Backends: the named analyses. A backend is one constant descriptor: what it accepts, which options it has,
 * and two functions: `configure` turns its options into the values in force (before any model is read), `run`
 * analyses.
 *
 * A backend prints nothing and writes no file itself: results go to the result builder, side files through
 * mlia_backend_write_file, warnings into the diagnostics of the request.
 */
#ifndef MLIA_BACKENDS_BACKEND_H
#define MLIA_BACKENDS_BACKEND_H

#include "formats/detect/format.h"
#include "graph/analyse.h"
#include "result/build.h"

typedef enum mlia_option_type {
    MLIA_OPTION_FLAG, /* no value; "true" or "false" in files */
    MLIA_OPTION_PATH, /* a file, or a bundled name where the help says so */
    MLIA_OPTION_STRING,
    MLIA_OPTION_INTEGER, /* ≥ 0 */
    MLIA_OPTION_CHOICE,  /* one of `choices` */
} mlia_option_type;

/* One option of a backend: `--BACKEND.KEY-WITH-DASHES` on the command line, `key_with_underscores` in files.
 */
typedef struct mlia_backend_option {
    const char *key; /* file spelling: "system_config"; NULL ends a table */
    mlia_option_type type;
    const char *argument; /* "FILE"; NULL for flags */
    const char *fallback; /* value when nothing sets it; NULL = none */
    const char *choices;  /* blank-separated, only MLIA_OPTION_CHOICE */
    const char *help;     /* one line without final period */
} mlia_backend_option;

/* Value in force of one option, and who set it. */
typedef struct mlia_setting {
    mlia_str value;  /* NULL data: not set and no default */
    mlia_str origin; /* "built-in", "profile FILE:LINE", "config FILE:LINE", "command line" */
    mlia_str folder; /* a relative path is looked up here first; empty: the current folder */
} mlia_setting;

/* What the user and the profile chose for one backend. */
typedef struct mlia_settings {
    const mlia_setting *items; /* one for each row of the backend's option table, in its order */
    const mlia_str *overrides; /* "SECTION.KEY=VALUE" texts of --set, in order */
    size_t override_count;
} mlia_settings;

/* One value in force for `profile show`, options included. */
typedef struct mlia_configured_value {
    mlia_str key; /* "system_config", "memory.dram.bytes_per_cycle" */
    const mlia_value *value;
    mlia_str origin;
} mlia_configured_value;

/* Outcome of `configure`; everything lives in the arena given to it. */
typedef struct mlia_backend_configuration {
    const void *state;          /* the backend's own */
    const mlia_value *document; /* object: backends[].configuration of the document */
    const mlia_value *target;   /* object: members of target.configuration ("clock_hz"); NULL = none */
    const mlia_configured_value *values; /* sorted by key; everything in force, for `profile show` */
    size_t value_count;
    bool skip_trivial_operators; /* its option skip_trivial_ops, if it has one */
    mlia_str name; /* replace the descriptor's name and version in the document when not empty */
    mlia_str version;
    bool external; /* a program of the user's does the work: impl.kind is "external" */
} mlia_backend_configuration;

/* One graph to analyse. */
typedef struct mlia_backend_segment {
    uint32_t index;    /* position in the VGF; 0 for a model that is one graph */
    mlia_str name;     /* module or segment name; may be empty */
    mlia_graph *graph; /* finished, shapes resolved; NULL: a compute (shader) segment, to be skipped */
} mlia_backend_segment;

/* What a run learns about its input and the document says of it. Members that stay empty change nothing. */
typedef struct mlia_backend_facts {
    const mlia_value *configuration; /* replaces backends[].configuration */
    mlia_value *runtime;             /* becomes context.runtime_configuration */
    mlia_str target_description;     /* replaces target.description */
    mlia_str model_name;             /* model of a run without MODEL: base name, format id, bytes */
    mlia_str model_format;
    mlia_bytes model;
} mlia_backend_facts;

typedef struct mlia_backend_request {
    mlia_result_kind kind;                /* of the result asked for */
    mlia_format format;                   /* of the model as given; MLIA_FORMAT_UNKNOWN: there is none */
    mlia_str model_path;                  /* as the user typed it; "stdin" for standard input */
    mlia_str model_stem;                  /* base name without suffix, safe in file names */
    mlia_bytes model;                     /* its bytes */
    const mlia_backend_segment *segments; /* in order of index */
    uint32_t segment_count;
    const mlia_backend_configuration *configuration;
    const mlia_str *profiling_data; /* measured input: paths as typed, in order */
    uint32_t profiling_data_count;
    mlia_document *document;     /* only for mlia_document_set_extension; mlia_graph is core's */
    mlia_backend_facts *facts;   /* never NULL; texts and values in `arena` */
    uint32_t result_index;       /* position of the result in the document, for extensions */
    bool skip_trivial_operators; /* CONST, CONST_SHAPE and RESHAPE get no check and no part in percentages */
    double advice_share;         /* percent of the total from which a chain gets advice of its own */
    mlia_str profile_argument;   /* the profile as the user typed it */
    mlia_arena *arena;           /* lives as long as the document */
    mlia_diagnostics *diagnostics;
    /* Stores a side file under the output folder, or is NULL when no files are written. */
    mlia_status *(*write_file)(void *context, mlia_str relative_path, mlia_bytes bytes);
    void *write_context;
    bool (*cancelled)(void); /* true: stop with E_TIMEOUT or as told by the caller; NULL = never */
} mlia_backend_request;

#define MLIA_CATEGORY_BIT(kind) (UINT32_C(1) << (kind))

typedef struct mlia_backend mlia_backend;

struct mlia_backend {
    const char *id;                     /* "nx-performance-estimator" */
    const char *name;                   /* "NX Performance Estimator (open analytical model)" */
    const char *version;                /* of the analysis, not of the program */
    const char *summary;                /* one line for lists and help */
    uint32_t categories;                /* MLIA_CATEGORY_BIT of the results it makes */
    uint32_t formats;                   /* MLIA_FORMAT_BIT of the models it accepts */
    const char *targets;                /* target types it works for, blank-separated */
    const mlia_backend *compatibility;  /* who makes its compatibility results; NULL = itself */
    bool selectable;                    /* may be named with --backend */
    bool profiling;                     /* works on measured data (--profiling-data) only */
    const mlia_backend_option *options; /* ended by a row without key; NULL = none */
    /* NULL: nothing to configure. Errors: E_ESTIMATOR_CONFIG, E_OVERRIDE, E_NOT_FOUND …: class config. */
    mlia_status *(*configure)(const mlia_settings *settings, mlia_arena *arena,
                              mlia_backend_configuration *configuration);
    /* Fills a result that `builder` has begun (kind and producer set). An error means: no result at all. */
    mlia_status *(*run)(const mlia_backend_request *request, mlia_result_builder *builder);
};

/* All backends, sorted by id. */
size_t mlia_backend_count(void);
const mlia_backend *mlia_backend_at(size_t index);
/* Backend by name: letter case and '-' do not count ("NXPerformanceEstimator"). NULL when none. */
const mlia_backend *mlia_backend_find(mlia_str name);
/* Position of an option by its file spelling, SIZE_MAX when the backend has none of that name. */
size_t mlia_backend_option_find(const mlia_backend *backend, mlia_str key);
size_t mlia_backend_option_count(const mlia_backend *backend);

/* Writes a side file if files are written at all. */
static inline mlia_status *mlia_backend_write_file(const mlia_backend_request *request, mlia_str path,
                                                   mlia_bytes bytes)
{
    return request->write_file != NULL ? request->write_file(request->write_context, path, bytes) : NULL;
}

/* The descriptors; each is defined in the file of its name. A new backend is one line in registry.c. */
extern const mlia_backend mlia_backend_ml_sdk_model_converter;
extern const mlia_backend mlia_backend_tosa_flatbuffers;
extern const mlia_backend mlia_backend_neural_technology_profiling_data;
extern const mlia_backend mlia_backend_nx_performance_estimator;

#endif
