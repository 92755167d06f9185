/* What the analysis needs of a captured SPIR-V module: the result ids of its graph operations and their debug
 * names. Refused (E_SPIRV): wrong magic, a size that is no whole number of words, an instruction without
 * words or beyond the end. */
#ifndef MLIA_MEASURE_MODULE_H
#define MLIA_MEASURE_MODULE_H

#include "base/bytes.h"
#include "base/map.h"

typedef struct mlia_measured_module {
    const uint32_t *ids;   /* results of TOSA instructions in module order, then other ids with debug names */
    const mlia_str *names; /* debug name of each; empty when it has none */
    size_t count;
    mlia_map by_id;                /* 4 little-endian bytes → position */
    mlia_map by_name;              /* position of the first id of that name */
    const bool *shared;            /* per position: another id has the same name */
    const size_t *name_separators; /* numbers of ';' that occur inside names, descending, no repeats */
    size_t separator_count;
} mlia_measured_module;

/* Names are views into `code`. */
mlia_status *mlia_measured_module_read(mlia_bytes code, mlia_arena *arena, mlia_measured_module *module);

/* Position of an id; false when the module does not know it. */
bool mlia_measured_module_find(const mlia_measured_module *module, uint32_t id, uint32_t *position);

#endif
