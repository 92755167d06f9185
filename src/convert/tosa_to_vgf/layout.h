/* The container of a partitioned graph: resources, constants, modules, segments. */
#ifndef MLIA_TOSA_TO_VGF_LAYOUT_H
#define MLIA_TOSA_TO_VGF_LAYOUT_H

#include "convert/tosa_to_vgf/partition.h"
#include "convert/tosa_to_vgf/tosa_to_vgf.h"
#include "formats/vgf/vgf.h"

/* Fills `vgf` (memory from `arena`, constants that are not views of the graph's from `data`; module code in
 * `code`, one buffer per partition, which the caller frees).
 */
mlia_status *mlia_vgf_layout(const mlia_graph *graph, const mlia_partitions *partitions,
                             const mlia_tosa_to_vgf_options *options, mlia_arena *data, mlia_arena *arena,
                             mlia_buffer *code, mlia_vgf *vgf);

#endif
