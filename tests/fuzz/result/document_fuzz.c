/* Any text as a document. What is read can be checked, post-processed, written and read again, and the second
 * writing gives the same bytes as the first. */
#include <stdlib.h>

#include "result/build.h"
#include "result/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool kept)
{
    if (!kept)
        abort();
}

/* Writes, reads and writes again; only text that is no UTF-8 or a limit may keep a document from coming back.
 */
static void round_trip(const mlia_document *document)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_buffer first = {0};
    mlia_buffer second = {0};
    mlia_document *again;
    mlia_document_write(document, &first);
    demand(mlia_document_read(mlia_buffer_str(&first), arena, NULL, NULL, &again) == NULL);
    mlia_document_write(again, &second);
    demand(mlia_str_equal(mlia_buffer_str(&first), mlia_buffer_str(&second)));
    mlia_buffer_free(&first);
    mlia_buffer_free(&second);
    mlia_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new((size_t)1 << 30);
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_faults faults = {.arena = arena};
    mlia_document *document;
    mlia_status *status =
        mlia_document_read((mlia_str){(const char *)data, size}, arena, &diagnostics, &faults, &document);
    if (status == NULL) {
        demand(faults.total == 0);
        demand(mlia_document_check(document, true, &faults) == NULL);
        round_trip(document);
        bool done = true;
        for (size_t i = 0; i < document->results.count; i++) {
            mlia_status *refused =
                mlia_result_postprocess(arena, &mlia_collapse_nx, &diagnostics, &document->results.items[i]);
            done = done && refused == NULL;
            mlia_status_free(refused);
        }
        if (done)
            round_trip(document);
    } else {
        demand(mlia_status_message(status).size > 0);
    }
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
