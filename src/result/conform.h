/* Conformance of a JSON text's tree with the shape of the document: names, types, required members. */
#ifndef MLIA_RESULT_CONFORM_H
#define MLIA_RESULT_CONFORM_H

#include <jansson.h>

#include "base/diagnostics.h"
#include "result/fault.h"
#include "result/shape.h"

typedef struct mlia_conformance {
    mlia_faults *faults;
    mlia_diagnostics *diagnostics;
    bool lenient; /* unknown members of closed objects are warnings: a newer minor version */
} mlia_conformance;

/* Adds a fault of rule "schema" for everything in `object` that `shape` refuses. The tree is at most
 * MLIA_DOCUMENT_DEPTH deep. */
void mlia_conform(const mlia_conformance *conformance, const mlia_shape *shape, json_t *object,
                  const mlia_step *at);

/* Row of a member, or NULL. */
const mlia_field *mlia_shape_field(const mlia_shape *shape, const char *name);

#endif
