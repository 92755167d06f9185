/* One check: from request to document. Order: configuration, model file, format, reading, shapes, analyses,
 * document. */
#ifndef MLIA_CORE_RUN_H
#define MLIA_CORE_RUN_H

#include "core/log.h"
#include "core/model.h"
#include "core/settings.h"
#include "core/tflite.h"

enum { MLIA_KIND_LIMIT = 2 };

typedef struct mlia_check_request {
    const char *model_path; /* "-": standard input; NULL: measured data without a model */
    const mlia_profile *profile;
    mlia_str profile_argument; /* as typed */
    const mlia_user_config *config;
    const mlia_backend *backend;             /* the analysing one */
    mlia_result_kind kinds[MLIA_KIND_LIMIT]; /* results asked for, in the order of the document */
    size_t kind_count;
    const mlia_setting_choices *choices;
    const mlia_input_shape *shapes;
    size_t shape_count;
    mlia_tflite_choices tflite;
    mlia_texts profiling_data; /* paths as typed */
    bool data_flow;            /* extensions.mlia_graph */
    mlia_texts command_line;
    mlia_status *(*write_file)(void *context, mlia_str path, mlia_bytes bytes); /* NULL: no side files */
    void *write_context;
    mlia_log *log; /* may be NULL */
} mlia_check_request;

typedef struct mlia_check_outcome {
    mlia_model_file model;   /* must stay open as long as the document is used */
    mlia_document *document; /* NULL when its envelope could not be filled */
} mlia_check_outcome;

/* Runs the check. Returns the first error; the document, if there is one, then holds failed results.
 * Everything lives in `arena`; the caller frees outcome->model.file. */
mlia_status *mlia_check_run(const mlia_check_request *request, mlia_arena *arena,
                            mlia_diagnostics *diagnostics, mlia_check_outcome *outcome);

#endif
