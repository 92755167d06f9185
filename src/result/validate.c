/* `mlia validate`: every rule there is, on a text. */
#include "result/check.h"

mlia_status *mlia_document_check(const mlia_document *document, bool strict, mlia_faults *faults)
{
    mlia_step results = mlia_step_member(NULL, "results");
    if (strict)
        mlia_document_check_names(document, faults);
    for (size_t i = 0; i < document->results.count; i++) {
        mlia_step at = mlia_step_item(&results, i);
        MLIA_TRY(mlia_result_check_references(&document->results.items[i], &at, faults));
        if (strict)
            MLIA_TRY(mlia_result_check_promises(&document->results.items[i], &at, faults));
    }
    return NULL;
}

/* R12: the text is the one that this program would write. */
static mlia_status *check_layout(mlia_str text, const mlia_document *document, mlia_faults *faults)
{
    mlia_buffer buffer = {0};
    mlia_document_write(document, &buffer);
    mlia_status *status = mlia_buffer_status(&buffer);
    if (status == NULL) {
        size_t same = 0;
        size_t line = 1;
        while (same < text.size && same < buffer.size && text.data[same] == (char)buffer.data[same])
            line += text.data[same++] == '\n';
        if (same < text.size || same < buffer.size)
            mlia_fault_add(faults, "R12", NULL,
                           "order of members, layout or number text differ from line %zu on", line);
    }
    mlia_buffer_free(&buffer);
    return status;
}

mlia_status *mlia_document_validate(mlia_str text, bool strict, mlia_arena *arena,
                                    mlia_diagnostics *diagnostics, mlia_faults *faults)
{
    mlia_document *document = NULL;
    mlia_status *status = mlia_document_read(text, arena, diagnostics, faults, &document);
    if (status != NULL && mlia_status_kind(status) == MLIA_E_MEMORY)
        return status;
    if (status != NULL) {
        if (faults->total == 0)
            mlia_fault_add(faults, "json", NULL, "line %u, column %u: %.*s", mlia_status_line(status),
                           mlia_status_column(status), MLIA_STR_ARG(mlia_status_message(status)));
        mlia_status_free(status);
        return NULL;
    }
    if (!strict)
        return NULL;
    MLIA_TRY(mlia_document_check(document, true, faults));
    return check_layout(text, document, faults);
}
