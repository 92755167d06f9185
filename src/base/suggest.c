/* Near names for messages. */
#include "base/suggest.h"

enum { NEAR = 2 };

mlia_suggestion mlia_suggest(mlia_str given)
{
    return (mlia_suggestion){.given = given, .distance = NEAR + 1};
}

void mlia_suggest_among(mlia_suggestion *suggestion, mlia_str name)
{
    unsigned distance = mlia_str_distance(suggestion->given, name, NEAR);
    /* A short text is near everything: at most half of it may be wrong. */
    if (distance < suggestion->distance && distance * 2 <= suggestion->given.size) {
        suggestion->distance = distance;
        suggestion->nearest = name;
    }
    if (suggestion->given.size > 0 && mlia_str_starts_with(name, suggestion->given)) {
        suggestion->continued = name;
        suggestion->continued_count++;
    }
}

mlia_str mlia_suggest_found(const mlia_suggestion *suggestion)
{
    if (suggestion->distance <= NEAR)
        return suggestion->nearest;
    return suggestion->continued_count == 1 ? suggestion->continued : MLIA_STR_NONE;
}
