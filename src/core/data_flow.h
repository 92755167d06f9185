/* extensions.mlia_graph: data flow between the source operators of a result. */
#ifndef MLIA_CORE_DATA_FLOW_H
#define MLIA_CORE_DATA_FLOW_H

#include "backends/backend.h"

/* Adds {result_index, edges} of one result to the array `graphs`; operators that are no entities of the
 * result are left out. Edges are in order of consumers and their inputs. E_MEMORY. */
mlia_status *mlia_data_flow_add(mlia_arena *arena, mlia_value *graphs, uint32_t result_index,
                                const mlia_result *result, const mlia_backend_segment *segments,
                                uint32_t segment_count);

#endif
