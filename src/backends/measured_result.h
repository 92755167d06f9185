/* A measurement of captures as a result: entities, figures, metrics, warnings. */
#ifndef MLIA_BACKENDS_MEASURED_RESULT_H
#define MLIA_BACKENDS_MEASURED_RESULT_H

#include "measure/measure.h"
#include "result/build.h"

/* Fills `builder`; texts live in `arena` and in the measurement. Only E_MEMORY. */
mlia_status *mlia_measured_result(const mlia_measurement *measurement, mlia_arena *arena,
                                  mlia_result_builder *builder);

#endif
