/* What the environment says: folders, clock, run id. Variables are ignored in a set-user-ID process. */
#ifndef MLIA_CORE_ENVIRONMENT_H
#define MLIA_CORE_ENVIRONMENT_H

#include "base/hash.h"
#include "targets/profile.h"

/* Value of a variable; empty when it is not set or empty. */
mlia_str mlia_environment(const char *name);

/* $MLIA_PROFILE_PATH, then $XDG_DATA_HOME/mlia/profiles (~/.local/share/mlia/profiles). */
mlia_status *mlia_environment_profile_folders(mlia_arena *arena, mlia_profile_folders *folders);

/* $XDG_CONFIG_HOME/mlia/config.toml (~/.config/mlia/config.toml); empty when there is no home. */
mlia_str mlia_environment_config_path(mlia_arena *arena);

enum { MLIA_TIMESTAMP_SIZE = 24 };

typedef struct mlia_run_identity {
    char run_id[MLIA_UUID_SIZE + 1];
    char timestamp[MLIA_TIMESTAMP_SIZE + 1]; /* 2026-01-01T00:00:00.000Z */
} mlia_run_identity;

/* Identity of this run: $MLIA_RUN_ID and $SOURCE_DATE_EPOCH, else random and the clock. E_CONFIG for
 * malformed ones. */
mlia_status *mlia_environment_identity(mlia_run_identity *identity);

#endif
