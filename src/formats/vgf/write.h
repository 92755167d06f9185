/* Writing VGF containers. */
#ifndef MLIA_VGF_WRITE_H
#define MLIA_VGF_WRITE_H

#include "base/pieces.h"
#include "formats/vgf/vgf.h"

/* The container in the layout of version 0.5.0 as pieces: memory of `arena`, and views of the data of large
 * constants, which are not copied. Equal containers give equal bytes. Nothing is checked: read the result
 * back (mlia_vgf_read). Errors: E_LIMIT (a table above 2 GiB), E_MEMORY. */
mlia_status *mlia_vgf_write(const mlia_vgf *vgf, mlia_arena *arena, mlia_pieces *file);

#endif
