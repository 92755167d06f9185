/* Writing VGF containers. */
#ifndef MLIA_VGF_WRITE_H
#define MLIA_VGF_WRITE_H

#include "formats/vgf/vgf.h"

/* Appends the container in the layout of version 0.5.0 to `out`, whose size must be a multiple of 16. Equal
 * containers give equal bytes. Nothing is checked: read the result back (mlia_vgf_read). Errors: E_LIMIT (a
 * table above 2 GiB), E_MEMORY. */
mlia_status *mlia_vgf_write(const mlia_vgf *vgf, mlia_buffer *out);

#endif
