/* Joining the stripes of a segment with chains, cascades and operators. Private to measure. */
#ifndef MLIA_MEASURE_JOIN_H
#define MLIA_MEASURE_JOIN_H

#include "measure/measure.h"

/* Adds the chains and cascades of segment `position`, their figures and the chains' operators. Errors:
 * E_DEBUG_MULTI, E_LABEL_UNRESOLVED, E_LIMIT. */
mlia_status *mlia_measure_join(mlia_measurement *measurement, uint32_t position,
                               const mlia_debug_database *database, mlia_arena *arena);

/* Adds an item to the note of a kind, in any case or once only. `item.data` NULL is E_MEMORY. */
mlia_status *mlia_measure_append_note(mlia_measurement *measurement, mlia_kind kind, mlia_str item,
                                      mlia_arena *arena);
mlia_status *mlia_measure_add_note(mlia_measurement *measurement, mlia_kind kind, mlia_str item,
                                   mlia_arena *arena);

#endif
