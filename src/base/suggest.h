/* "did you mean": the one known name that is near a misspelt one. */
#ifndef MLIA_BASE_SUGGEST_H
#define MLIA_BASE_SUGGEST_H

#include "base/text.h"

typedef struct mlia_suggestion {
    mlia_str given;
    mlia_str nearest; /* within edit distance 2 */
    unsigned distance;
    mlia_str continued; /* the name that begins with `given` */
    unsigned continued_count;
} mlia_suggestion;

mlia_suggestion mlia_suggest(mlia_str given);
/* Considers one known name. */
void mlia_suggest_among(mlia_suggestion *suggestion, mlia_str name);
/* The nearest name within edit distance 2 (but never one that shares nothing), else the only one that begins
 * with the given text, else an empty view. */
mlia_str mlia_suggest_found(const mlia_suggestion *suggestion);

/* printf: "unknown key 'x'" MLIA_SUGGESTION, …, MLIA_SUGGESTION_ARG(found): adds "; did you mean 'y'?" when
 * something was found. */
#define MLIA_SUGGESTION "%s%.*s%s"
#define MLIA_SUGGESTION_ARG(found)                                                                           \
    (found).size ? "; did you mean '" : "", MLIA_STR_ARG(found), (found).size ? "'?" : ""

#endif
