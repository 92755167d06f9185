/* The rules beyond the schema for one result: R1-R5 for every document, R6-R11 for our own. */
#ifndef MLIA_RESULT_CHECK_H
#define MLIA_RESULT_CHECK_H

#include "result/fault.h"
#include "result/index.h"

/* `at` is the place of the result. Faults are added to `faults`; only E_MEMORY and E_LIMIT are returned. */
mlia_status *mlia_result_check_references(const mlia_result *result, const mlia_step *at,
                                          mlia_faults *faults);
mlia_status *mlia_result_check_promises(const mlia_result *result, const mlia_step *at, mlia_faults *faults);

/* What $defs/strict of the schema demands of the document around the results and of names inside them. */
void mlia_document_check_names(const mlia_document *document, mlia_faults *faults);

#endif
