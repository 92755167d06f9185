/* What is inside a capture, as a value to print: layer, devices, pipelines, sessions, dispatches. */
#ifndef MLIA_CORE_INSPECT_CAPTURE_H
#define MLIA_CORE_INSPECT_CAPTURE_H

#include "base/value.h"
#include "formats/capture/capture.h"

/* Object that describes the capture at `path`; of a dispatch folder only that dispatch and what it belongs
 * to. Everything lives in `arena`. Errors: those of mlia_capture_locate and mlia_capture_open. */
mlia_status *mlia_inspect_capture(const char *path, mlia_arena *arena, mlia_value **value);

#endif
