/* TensorFlow Lite models on their way to graphs: the choices of the command line, and files beside the model.
 */
#ifndef MLIA_CORE_TFLITE_H
#define MLIA_CORE_TFLITE_H

#include "convert/tflite_to_tosa/convert.h"

/* Options as typed; empty ones were not given. */
typedef struct mlia_tflite_choices {
    mlia_str rounding;  /* --tflite-rounding: reference, single, official */
    mlia_str state;     /* --tflite-state: variable, io, zero */
    mlia_str signature; /* --signature: key of a signature */
    mlia_str subgraph;  /* --subgraph: number or name of a subgraph */
} mlia_tflite_choices;

/* True when any option was given: they mean nothing for other formats. */
bool mlia_tflite_is_chosen(const mlia_tflite_choices *choices);

/* Reads a model. Files that its external buffers name are taken from the folder of `path` ("-" or NULL: none
 * are) and copied into `arena`: relative names without "..", no links, regular files only
 * (E_TFLITE_BUFFER_RANGE). */
mlia_status *mlia_tflite_load(mlia_bytes file, const char *path, mlia_arena *arena,
                              mlia_diagnostics *diagnostics, mlia_tflite **model);

/* Reads and lowers a model. `to_tosa`: the graph is to be written as TOSA, which has variables and control
 * flow; otherwise state becomes inputs and outputs, unless the choices say so, and branches are inlined.
 * Errors: E_OPTION_VALUE for a choice that the model does not have, and those of reader and lowering. */
mlia_status *mlia_tflite_graph(mlia_bytes file, const char *path, mlia_str name,
                               const mlia_tflite_choices *choices, bool to_tosa,
                               const mlia_input_shape *shapes, size_t shape_count, mlia_arena *arena,
                               mlia_diagnostics *diagnostics, mlia_graph **graph);

#endif
