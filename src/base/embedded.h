/* Files that are compiled into the program (EMBED in src/rooms.cmake). A room declares its own array:
 *
 *     extern const mlia_embedded mlia_embedded_targets[];
 */
#ifndef MLIA_BASE_EMBEDDED_H
#define MLIA_BASE_EMBEDDED_H

#include "base/text.h"

typedef struct mlia_embedded {
    const char *name; /* base name of the file; NULL ends the array */
    mlia_str text;
} mlia_embedded;

/* Text of a file, or an empty view when there is none of that name. */
static inline mlia_str mlia_embedded_find(const mlia_embedded *files, mlia_str name)
{
    for (; files->name != NULL; files++)
        if (mlia_str_equal_c(name, files->name))
            return files->text;
    return MLIA_STR_NONE;
}

#endif
