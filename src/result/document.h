/* The document as text: reading, checking, writing. Used by `check`, `report`, `validate` and everything that
 * takes a stored document. */
#ifndef MLIA_RESULT_DOCUMENT_H
#define MLIA_RESULT_DOCUMENT_H

#include "base/bytes.h"
#include "base/diagnostics.h"
#include "result/result.h"

/* One violated rule. */
typedef struct mlia_fault {
    const char *rule; /* "schema", "R1" … "R12" */
    mlia_str path;    /* JSON path: $.results[0].entities[3].id */
    mlia_str text;
} mlia_fault;

/* Faults in order of discovery, texts in `arena`. At most MLIA_FAULTS_KEPT are kept; `total` counts all. */
enum { MLIA_FAULTS_KEPT = 1000 };
typedef struct mlia_faults {
    mlia_arena *arena;
    mlia_fault *items;
    size_t count;
    size_t capacity;
    size_t total;
} mlia_faults;

/* Reads a document of schema version 1.x. Refused: text that is no JSON, duplicate members, depth above 64,
 * more than 1 GiB (E_JSON_SYNTAX, E_LIMIT), and whatever the schema or rules R1-R5 refuse (E_DOCUMENT with
 * the first fault; all of them in `faults`, which may be NULL). Older shapes and unknown members of newer
 * minor versions are accepted with a warning. Texts are copied into `arena`: `text` may go afterwards. */
mlia_status *mlia_document_read(mlia_str text, mlia_arena *arena, mlia_diagnostics *diagnostics,
                                mlia_faults *faults, mlia_document **document);

/* Rules R1-R5, with `strict` also R6-R11 and this program's promises about names and formats. Returns
 * E_MEMORY or NULL; what is wrong is in `faults`. */
mlia_status *mlia_document_check(const mlia_document *document, bool strict, mlia_faults *faults);

/* `mlia validate`: everything that can be said about the text of a document, including (strict) R12, its
 * layout. Returns only E_MEMORY; a text that is no JSON is a fault of rule "json". */
mlia_status *mlia_document_validate(mlia_str text, bool strict, mlia_arena *arena,
                                    mlia_diagnostics *diagnostics, mlia_faults *faults);

/* The JSON text: 4 spaces per level, ASCII only, numbers as RFC 8785, one line feed at the end. Texts that
 * are not UTF-8 are written with U+FFFD. The buffer remembers running out of memory. */
void mlia_document_write(const mlia_document *document, mlia_buffer *buffer);

/* The same text for any value, indented by `level` levels; `level` -1 writes it on one line without spaces.
 */
void mlia_value_write(const mlia_value *value, int level, mlia_buffer *buffer);

/* The number as RFC 8785 wants it (shortest text that reads back to the same double); with NUL. */
enum { MLIA_NUMBER_TEXT_SIZE = 32 };
size_t mlia_number_text(double value, char text[MLIA_NUMBER_TEXT_SIZE]);

#endif
