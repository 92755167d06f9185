/* Target profiles: TOML files that name a target and its configuration; the built-in ones are compiled in
 * from profiles/. docs/configuration.md describes the keys. */
#ifndef MLIA_TARGETS_PROFILE_H
#define MLIA_TARGETS_PROFILE_H

#include "base/diagnostics.h"
#include "formats/toml/toml.h"
#include "targets/target.h"

/* Options of one backend in a profile. */
typedef struct mlia_profile_backend {
    mlia_str id;
    const mlia_toml *options; /* table */
    uint32_t line;            /* of the header or key */
    uint32_t column;
} mlia_profile_backend;

typedef struct mlia_profile {
    mlia_str name;
    const mlia_target *target;
    mlia_str description; /* empty when none */
    mlia_components components;
    mlia_str source; /* "built-in" or the file's path */
    mlia_str folder; /* folder of the file, for its relative paths; empty for built-in ones */
    MLIA_LIST(mlia_profile_backend) backends;
} mlia_profile;

/* Folders with extra profiles, in order of search. */
typedef struct mlia_profile_folders {
    const mlia_str *items;
    size_t count;
} mlia_profile_folders;

/* Reads the text of a profile; `source` is for messages, folder and `profile->source`. E_PROFILE with line
 * and column. */
mlia_status *mlia_profile_read(mlia_arena *arena, mlia_str text, mlia_str source, mlia_profile *profile);

/* Profile by name or path. With a '/' or ending in ".toml" it is a path; else built-in names, then the
 * folders, then a file of that name in the current folder. E_PROFILE_UNKNOWN names near ones; E_PROFILE; file
 * errors. */
mlia_status *mlia_profile_load(mlia_arena *arena, mlia_str name, mlia_profile_folders folders,
                               mlia_profile *profile);

/* All profiles by name, sorted by target and name: built-in ones and those of the folders. A file that is no
 * profile is left out with a warning. */
typedef MLIA_LIST(mlia_profile) mlia_profiles;
mlia_status *mlia_profile_list(mlia_arena *arena, mlia_profile_folders folders, mlia_diagnostics *diagnostics,
                               mlia_profiles *profiles);

#endif
