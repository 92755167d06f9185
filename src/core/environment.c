/* Environment variables, read in one place. */
#include "core/environment.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

mlia_str mlia_environment(const char *name)
{
    return mlia_str_from_c(secure_getenv(name));
}

/* $NAME/REST, else $HOME/FALLBACK/REST; relative folders are ignored, as the base directory specification
 * says. */
static mlia_str base_folder(mlia_arena *arena, const char *name, const char *fallback, const char *rest)
{
    mlia_str base = mlia_environment(name);
    if (base.size > 0 && base.data[0] == '/')
        return mlia_arena_format(arena, "%.*s/%s", MLIA_STR_ARG(base), rest);
    mlia_str home = mlia_environment("HOME");
    if (home.size == 0)
        return MLIA_STR_NONE;
    return mlia_arena_format(arena, "%.*s/%s/%s", MLIA_STR_ARG(home), fallback, rest);
}

mlia_str mlia_environment_config_path(mlia_arena *arena)
{
    return base_folder(arena, "XDG_CONFIG_HOME", ".config", "mlia/config.toml");
}

mlia_status *mlia_environment_profile_folders(mlia_arena *arena, mlia_profile_folders *folders)
{
    MLIA_LIST(mlia_str) list = {0};
    mlia_str rest = mlia_environment("MLIA_PROFILE_PATH");
    while (rest.size > 0) {
        mlia_str folder = mlia_str_take(&rest, ':');
        if (folder.size > 0 && !MLIA_APPEND(arena, list, folder))
            return mlia_error_memory();
    }
    mlia_str own = base_folder(arena, "XDG_DATA_HOME", ".local/share", "mlia/profiles");
    if (own.size > 0 && !MLIA_APPEND(arena, list, own))
        return mlia_error_memory();
    *folders = (mlia_profile_folders){list.items, list.count};
    return NULL;
}

/* Milliseconds since 1970. */
static mlia_status *run_time(int64_t *milliseconds)
{
    mlia_str epoch = mlia_environment("SOURCE_DATE_EPOCH");
    if (epoch.size == 0) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        *milliseconds = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
        return NULL;
    }
    const int64_t last_second = 253402300799; /* end of the year 9999 */
    int64_t seconds;
    if (!mlia_str_to_i64(epoch, &seconds) || seconds < 0 || seconds > last_second)
        return mlia_error(MLIA_E_CONFIG, "SOURCE_DATE_EPOCH '%.*s' is no number of seconds since 1970",
                          MLIA_STR_ARG(epoch));
    *milliseconds = seconds * 1000;
    return NULL;
}

mlia_status *mlia_environment_identity(mlia_run_identity *identity)
{
    int64_t milliseconds = 0;
    MLIA_TRY(run_time(&milliseconds));
    time_t seconds = (time_t)(milliseconds / 1000);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    char date[20];
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(identity->timestamp, sizeof identity->timestamp, "%s.%03uZ", date,
             (unsigned)(milliseconds % 1000) % 1000);
    mlia_str id = mlia_environment("MLIA_RUN_ID");
    if (id.size == 0)
        return mlia_uuid_v7((uint64_t)milliseconds, identity->run_id);
    if (!mlia_uuid_valid(id))
        return mlia_error(MLIA_E_CONFIG, "MLIA_RUN_ID '%.*s' is no UUID", MLIA_STR_ARG(id));
    for (size_t i = 0; i <= MLIA_UUID_SIZE; i++)
        identity->run_id[i] = (char)tolower((unsigned char)id.data[i]);
    return NULL;
}
