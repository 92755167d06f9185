/* Errors, warnings and notes as one line of text and as one JSON object. */
#ifndef MLIA_CORE_DIAGNOSTIC_H
#define MLIA_CORE_DIAGNOSTIC_H

#include "base/bytes.h"
#include "base/diagnostics.h"
#include "base/value.h"

/* View of an error as a diagnostic; valid as long as the status. */
mlia_diagnostic mlia_diagnostic_of(const mlia_status *status);

/* "error", "warning" or "note". */
const char *mlia_diagnostic_severity(mlia_kind kind);

/* Stage of the run that a kind belongs to: "options", "parse", "estimate" … */
const char *mlia_diagnostic_stage(mlia_kind kind);

/* "mlia: error[E_X]: FILE: byte 12: MEMBER: message" and a line feed; a hint gets a line of its own. */
void mlia_diagnostic_text(const mlia_diagnostic *diagnostic, mlia_str hint, mlia_buffer *buffer);

/* Object with code, severity, stage, message, hint, path, offset, line, column; absent when unknown. NULL: no
 * memory. */
mlia_value *mlia_diagnostic_value(mlia_arena *arena, const mlia_diagnostic *diagnostic, mlia_str hint);

#endif
