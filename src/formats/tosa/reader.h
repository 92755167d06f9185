/* What the parts of the TOSA reader share: one pass over the file per stage, so that the first fault reported
 * is the first in the order of stages whatever the order in the file. */
#ifndef MLIA_FORMATS_TOSA_READER_H
#define MLIA_FORMATS_TOSA_READER_H

#include "base/map.h"
#include "formats/tosa/schema.h"
#include "graph/build.h"

typedef struct tosa_reader {
    mlia_arena *arena;
    mlia_diagnostics *diagnostics;
    mlia_graph *graph;
    mlia_flatbuf buffer;
    mlia_flatbuf_vector regions;
    mlia_map region_names; /* name → region index */
    mlia_map variables;    /* variable name → variable index */
    mlia_map locations;    /* location text → source that has it decoded */
} tosa_reader;

/* First block of a region: the only one with content. */
static inline mlia_flatbuf_table tosa_block(const tosa_reader *reader, uint32_t region)
{
    mlia_flatbuf_table table = mlia_flatbuf_table_at(reader->regions, region);
    return mlia_flatbuf_table_at(mlia_flatbuf_list(table, TOSA_REGION_BLOCKS), 0);
}

/* Operator that stands in the file but not in the graph: a declaration of a variable, which the tensor says
 * as well. */
static inline bool tosa_is_declaration(mlia_flatbuf_table op)
{
    return mlia_flatbuf_u32(op, TOSA_OPERATOR_OP) == MLIA_OP_VARIABLE;
}

/* Stage 2: regions, values, connections (read_names.c). Fills the graph but for attributes and constants. */
mlia_status *mlia_tosa_read_names(tosa_reader *reader);
/* Stage 3: attributes of every operator (read_attributes.c). */
mlia_status *mlia_tosa_read_attributes(tosa_reader *reader);
/* Stage 4: dimensions and constant bytes (read_constants.c). */
mlia_status *mlia_tosa_read_constants(tosa_reader *reader);

#endif
