/* Support backend tosa-flatbuffers: stands in the document when TOSA FlatBuffers were read or written.
 * Analyses nothing, so it cannot be selected. */
#include "backends/backend.h"

const mlia_backend mlia_backend_tosa_flatbuffers = {
    .id = "tosa-flatbuffers",
    .name = "TOSA FlatBuffers",
    .version = "TOSA 1.1.0 draft",
    .summary = "reads and writes TOSA FlatBuffers",
    .formats = MLIA_FORMAT_BIT(MLIA_FORMAT_TOSA),
    .targets = "neural-technology",
};
