/* Routes: how a model gets from one form to another. Forms are the file formats and "graphs in memory"; a
 * step goes from one form to the next; a route is the cheapest chain of steps. A new reader, writer or
 * converter is one row of the table in route.c. */
#ifndef MLIA_CORE_ROUTE_H
#define MLIA_CORE_ROUTE_H

#include "backends/backend.h"
#include "base/file.h"
#include "convert/tosa_to_vgf/tosa_to_vgf.h"
#include "core/tflite.h"

/* Forms: 0 … MLIA_FORMAT_COUNT - 1 are files of that format. */
enum { MLIA_FORM_GRAPHS = MLIA_FORMAT_COUNT, MLIA_FORM_COUNT };

/* A model in one form. */
typedef struct mlia_artifact {
    mlia_bytes bytes;               /* a file that is read */
    mlia_pieces pieces;             /* a file that was made; may hold views of the graphs it was made from */
    mlia_backend_segment *segments; /* MLIA_FORM_GRAPHS */
    uint32_t segment_count;
} mlia_artifact;

typedef struct mlia_route_context {
    mlia_arena *arena; /* artifacts and graphs live here */
    mlia_diagnostics *diagnostics;
    mlia_str name;                  /* base name of the model file, for locations */
    const mlia_file *file;          /* what the first artifact is a view of; NULL: memory of the caller's */
    const mlia_input_shape *shapes; /* --input-shape */
    size_t shape_count;
    const char *path; /* of the model file, for files beside it; NULL or "-": there are none */
    const mlia_tflite_choices *tflite;   /* may be NULL */
    bool last;                           /* the graphs are not needed any more: a step may use them up */
    bool to_tosa;                        /* the graphs will be written as TOSA */
    const mlia_tosa_to_vgf_options *vgf; /* how VGF files are written; NULL: the defaults */
} mlia_route_context;

typedef struct mlia_step {
    const char *id; /* "tosa_to_graph" */
    unsigned from;  /* forms */
    unsigned to;
    unsigned cost;
    const char *backend; /* support backend that takes part, or NULL */
    mlia_status *(*run)(const mlia_route_context *context, const mlia_artifact *from, mlia_artifact *to);
} mlia_step;

enum { MLIA_ROUTE_LIMIT = 8 };

typedef struct mlia_route {
    const mlia_step *steps[MLIA_ROUTE_LIMIT];
    size_t count;
} mlia_route;

/* Cheapest route; of equally cheap ones the first in the table. False when there is none. */
bool mlia_route_find(unsigned from, unsigned to, mlia_route *route);
/* Runs all steps. `artifact` is the input and becomes the output. */
mlia_status *mlia_route_run(const mlia_route *route, const mlia_route_context *context,
                            mlia_artifact *artifact);

/* Fixes unknown dimensions in all graphs of `artifact`: the given input shapes, else 1. */
mlia_status *mlia_artifact_resolve(const mlia_route_context *context, mlia_artifact *artifact);

/* The same, leaving nothing unknown: E_TOSA_SHAPE names the operator whose result is. Not `assume`: no
 * dimension becomes 1. */
mlia_status *mlia_artifact_fix_shapes(const mlia_route_context *context, bool assume,
                                      mlia_artifact *artifact);

/* Refuses graphs whose shapes contradict the rules of their operators (mlia_graph_check_shapes). */
mlia_status *mlia_artifact_check_shapes(const mlia_artifact *artifact);

/* True for formats that some step writes. */
bool mlia_form_is_target(unsigned form);

/* "tosa", or "graphs". */
mlia_str mlia_form_name(unsigned form);

#endif
