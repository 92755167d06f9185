/* Collecting faults with their JSON paths. A path is a chain of steps on the stack, written out only when
 * there is something to report. */
#ifndef MLIA_RESULT_FAULT_H
#define MLIA_RESULT_FAULT_H

#include "base/bytes.h"
#include "result/document.h"

typedef struct mlia_step {
    const struct mlia_step *up; /* NULL: the document */
    mlia_str name;              /* member; data NULL: array item */
    size_t index;
} mlia_step;

static inline mlia_step mlia_step_member(const mlia_step *up, const char *name)
{
    return (mlia_step){.up = up, .name = mlia_str_from_c(name)};
}

static inline mlia_step mlia_step_item(const mlia_step *up, size_t index)
{
    return (mlia_step){.up = up, .index = index};
}

/* $.results[0].entities[3]; member names that are no identifiers are quoted. data NULL when out of memory. */
mlia_str mlia_step_path(mlia_arena *arena, const mlia_step *step);

/* Adds a fault. A NULL sink ignores it; running out of memory only drops the text. */
void mlia_fault_add(mlia_faults *faults, const char *rule, const mlia_step *at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* E_DOCUMENT with the first fault ("R2: text" at its path), or NULL when there is none. */
mlia_status *mlia_faults_status(const mlia_faults *faults);

/* printf arguments for a text from a file: "%.*s" of at most 200 bytes. */
#define MLIA_SHORT_ARG(text) (int)mlia_utf8_cut((text), 200), ((text).size ? (text).data : "")

#endif
