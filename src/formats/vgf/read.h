/* A container while it is read. Private to this room. */
#ifndef MLIA_VGF_READ_H
#define MLIA_VGF_READ_H

#include "formats/vgf/schema.h"
#include "formats/vgf/vgf.h"

enum { VGF_MODULES, VGF_SEQUENCE, VGF_RESOURCES, VGF_CONSTANTS }; /* sections in the order of the header */

typedef struct vgf_reading {
    mlia_bytes bytes; /* whole file */
    mlia_bytes sections[VGF_SECTION_COUNT];
    mlia_arena *arena;
    mlia_diagnostics *diagnostics;
    mlia_vgf *vgf;
} vgf_reading;

mlia_status *vgf_open_table(vgf_reading *file, uint32_t section, const mlia_flatbuf_rules *rules,
                            const mlia_flatbuf_schema *schema, mlia_flatbuf *buffer);

/* The constant section in either layout (constants.c). */
mlia_status *vgf_read_constants(vgf_reading *file);

#endif
