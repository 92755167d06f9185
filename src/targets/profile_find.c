/* Finding target profiles: by name among the built-in ones and in folders, or by path. */
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/file.h"
#include "base/suggest.h"
#include "targets/profile.h"

#define SUFFIX MLIA_STR(".toml")

enum { MAX_PROFILE_BYTES = 1 << 20 };

extern const mlia_embedded mlia_embedded_targets[];

static mlia_status *load_file(mlia_arena *arena, const char *path, mlia_profile *profile)
{
    mlia_str text = MLIA_STR_NONE;
    /* Whatever the file system says, it is the profile that is wrong. */
    MLIA_TRY(mlia_status_as(mlia_file_read_text(path, MAX_PROFILE_BYTES, arena, &text), MLIA_E_PROFILE));
    mlia_str source = mlia_arena_str(arena, mlia_str_from_c(path));
    MLIA_TRY_ALLOC(source.data);
    return mlia_profile_read(arena, text, source, profile);
}

/* A profile of a folder must have its file's name, so that what a name finds is what it says. */
static mlia_status *load_from_folder(mlia_arena *arena, const char *path, mlia_profile *profile)
{
    MLIA_TRY(load_file(arena, path, profile));
    mlia_str stem = mlia_str_base_name(profile->source);
    stem.size -= SUFFIX.size;
    if (mlia_str_equal(stem, profile->name))
        return NULL;
    return mlia_status_path(mlia_error(MLIA_E_PROFILE,
                                       "profile_name '%.*s' must be '%.*s', the name of its file",
                                       MLIA_STR_ARG(profile->name), MLIA_STR_ARG(stem)),
                            profile->source);
}

static mlia_status *load_built_in(mlia_arena *arena, mlia_str text, mlia_profile *profile)
{
    return mlia_profile_read(arena, text, MLIA_STR("built-in"), profile);
}

static mlia_status *unknown_profile(mlia_arena *arena, mlia_str name, mlia_profile_folders folders)
{
    mlia_profiles profiles = {0};
    MLIA_TRY(mlia_profile_list(arena, folders, NULL, &profiles));
    mlia_suggestion near = mlia_suggest(name);
    for (size_t i = 0; i < profiles.count; i++)
        mlia_suggest_among(&near, profiles.items[i].name);
    mlia_str found = mlia_suggest_found(&near);
    if (found.size > 0)
        return mlia_error(MLIA_E_PROFILE_UNKNOWN, "there is no target profile '%.*s'; did you mean '%.*s'?",
                          MLIA_STR_ARG(name), MLIA_STR_ARG(found));
    return mlia_error(MLIA_E_PROFILE_UNKNOWN,
                      "there is no target profile '%.*s'; 'mlia target list' names those there are",
                      MLIA_STR_ARG(name));
}

mlia_status *mlia_profile_load(mlia_arena *arena, mlia_str name, mlia_profile_folders folders,
                               mlia_profile *profile)
{
    mlia_str path = mlia_arena_str(arena, name);
    mlia_str file_name = mlia_arena_format(arena, "%.*s.toml", MLIA_STR_ARG(name));
    if (path.data == NULL || file_name.data == NULL)
        return mlia_error_memory();
    if (mlia_str_find(name, '/') != SIZE_MAX || mlia_str_ends_with(name, SUFFIX))
        return load_file(arena, path.data, profile);
    mlia_str text = mlia_embedded_find(mlia_embedded_targets, file_name);
    if (text.size > 0)
        return load_built_in(arena, text, profile);
    for (size_t i = 0; i < folders.count; i++) {
        mlia_str candidate =
            mlia_arena_format(arena, "%.*s/%.*s", MLIA_STR_ARG(folders.items[i]), MLIA_STR_ARG(file_name));
        MLIA_TRY_ALLOC(candidate.data);
        if (access(candidate.data, F_OK) == 0)
            return load_from_folder(arena, candidate.data, profile);
    }
    if (access(path.data, F_OK) == 0)
        return load_file(arena, path.data, profile);
    return unknown_profile(arena, name, folders);
}

static bool has_name(const mlia_profiles *profiles, mlia_str name)
{
    for (size_t i = 0; i < profiles->count; i++)
        if (mlia_str_equal(profiles->items[i].name, name))
            return true;
    return false;
}

static int is_profile_file(const struct dirent *entry)
{
    return mlia_str_ends_with(mlia_str_from_c(entry->d_name), SUFFIX);
}

static mlia_status *list_file(mlia_arena *arena, mlia_str path, mlia_diagnostics *diagnostics,
                              mlia_profiles *profiles)
{
    mlia_profile profile;
    mlia_status *status = load_from_folder(arena, path.data, &profile);
    if (status != NULL) {
        mlia_str text = mlia_status_message(status);
        mlia_warn(diagnostics, MLIA_W_PROFILE, "%.*s: left out, no profile: %.*s", MLIA_STR_ARG(path),
                  MLIA_STR_ARG(text));
        mlia_status_free(status);
        return NULL;
    }
    if (!has_name(profiles, profile.name) && !MLIA_APPEND(arena, *profiles, profile))
        return mlia_error_memory();
    return NULL;
}

static mlia_status *list_folder(mlia_arena *arena, mlia_str folder, mlia_diagnostics *diagnostics,
                                mlia_profiles *profiles)
{
    struct dirent **entries = NULL;
    mlia_str path = mlia_arena_str(arena, folder);
    MLIA_TRY_ALLOC(path.data);
    int count = scandir(path.data, &entries, is_profile_file, alphasort);
    mlia_status *status = NULL;
    for (int i = 0; i < count; i++) {
        path = mlia_arena_format(arena, "%.*s/%s", MLIA_STR_ARG(folder), entries[i]->d_name);
        if (status == NULL && path.data == NULL)
            status = mlia_error_memory();
        if (status == NULL)
            status = list_file(arena, path, diagnostics, profiles);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int compare_profiles(const void *left, const void *right)
{
    const mlia_profile *a = left;
    const mlia_profile *b = right;
    int order = mlia_str_compare(a->target->type, b->target->type);
    return order != 0 ? order : mlia_str_compare(a->name, b->name);
}

mlia_status *mlia_profile_list(mlia_arena *arena, mlia_profile_folders folders, mlia_diagnostics *diagnostics,
                               mlia_profiles *profiles)
{
    for (const mlia_embedded *file = mlia_embedded_targets; file->name != NULL; file++) {
        mlia_profile profile;
        MLIA_TRY(load_built_in(arena, file->text, &profile));
        if (!MLIA_APPEND(arena, *profiles, profile))
            return mlia_error_memory();
    }
    for (size_t i = 0; i < folders.count; i++)
        MLIA_TRY(list_folder(arena, folders.items[i], diagnostics, profiles));
    if (profiles->count > 1)
        qsort(profiles->items, profiles->count, sizeof *profiles->items, compare_profiles);
    return NULL;
}
