/* Which backend analyses, and which results are asked for. */
#include "cli/choose.h"

#include "base/suggest.h"

static bool works_for(const mlia_backend *backend, const mlia_target *target)
{
    return mlia_str_equal_c(target->type, backend->targets);
}

/* Adds the backends of a target that take measured data, or the words of its default backends. */
static mlia_status *default_backends(mlia_cli *cli, const mlia_target *target, bool measured,
                                     mlia_texts *names)
{
    mlia_str rest = measured ? MLIA_STR_NONE : target->default_backends;
    for (size_t i = 0; measured && i < mlia_backend_count(); i++) {
        const mlia_backend *backend = mlia_backend_at(i);
        if (backend->profiling && works_for(backend, target) &&
            !MLIA_APPEND(cli->arena, *names, mlia_str_from_c(backend->id)))
            return mlia_error_memory();
    }
    while (rest.size > 0)
        if (!MLIA_APPEND(cli->arena, *names, mlia_str_take(&rest, ' ')))
            return mlia_error_memory();
    return NULL;
}

static mlia_status *unknown_backend(mlia_str name)
{
    mlia_suggestion near = mlia_suggest(name);
    mlia_buffer list = {0};
    for (size_t i = 0; i < mlia_backend_count(); i++) {
        if (!mlia_backend_at(i)->selectable)
            continue;
        mlia_suggest_among(&near, mlia_str_from_c(mlia_backend_at(i)->id));
        mlia_buffer_format(&list, "%s%s", list.size > 0 ? ", " : "", mlia_backend_at(i)->id);
    }
    mlia_str found = mlia_suggest_found(&near);
    mlia_status *status =
        mlia_error(MLIA_E_BACKEND_UNKNOWN, "there is no backend '%.*s'" MLIA_SUGGESTION "; there are: %.*s",
                   MLIA_STR_ARG(name), MLIA_SUGGESTION_ARG(found), (int)list.size,
                   list.size ? (const char *)list.data : "none");
    mlia_buffer_free(&list);
    return status;
}

mlia_status *mlia_cli_choose_backend(mlia_cli *cli, const mlia_profile *profile, const mlia_backend **backend)
{
    mlia_texts names = {0};
    MLIA_TRY(mlia_cli_values(cli, "backend", &names));
    bool measured = mlia_cli_has(cli, "profiling-data");
    if (names.count == 0)
        MLIA_TRY(default_backends(cli, profile->target, measured, &names));
    *backend = NULL;
    size_t different = 0;
    for (size_t i = 0; i < names.count; i++) {
        const mlia_backend *named = mlia_backend_find(names.items[i]);
        if (named == NULL)
            return unknown_backend(names.items[i]);
        if (!named->selectable)
            return mlia_error(MLIA_E_BACKEND_NOT_SELECTABLE, "'%s' is a support integration, not selectable",
                              named->id);
        if (!works_for(named, profile->target))
            return mlia_error(MLIA_E_BACKEND_TARGET, "'%s' does not work for target %.*s but for %s",
                              named->id, MLIA_STR_ARG(profile->target->type), named->targets);
        different += named != *backend;
        *backend = named;
    }
    if (different != 1 || *backend == NULL)
        return mlia_error(MLIA_E_BACKEND_COUNT, "%zu backends are named; a %.*s run takes exactly one",
                          different, MLIA_STR_ARG(profile->target->type));
    if ((*backend)->profiling && !measured)
        return mlia_error(MLIA_E_OPTION_MISSING, "%s needs '--profiling-data'", (*backend)->id);
    if (measured && !(*backend)->profiling)
        return mlia_error(MLIA_E_OPTION_CONFLICT,
                          "'--backend %s' and '--profiling-data' exclude each other: that backend does not "
                          "read measured data",
                          (*backend)->id);
    return NULL;
}

mlia_status *mlia_cli_check_unused_options(const mlia_cli *cli, const mlia_backend *backend)
{
    for (size_t i = 0; i < cli->uses.count; i++) {
        const mlia_cli_option *option = cli->uses.items[i].option;
        bool estimates = strcmp(option->name, "set") == 0 || strcmp(option->name, "input-shape") == 0;
        if ((option->backend != NULL && option->backend != backend) || (estimates && backend->profiling))
            return mlia_error(MLIA_E_OPTION_UNUSED, "'--%s' has no effect: the run uses %s", option->name,
                              backend->id);
    }
    return NULL;
}

mlia_status *mlia_cli_choose_kinds(const mlia_cli *cli, const mlia_backend *backend,
                                   mlia_check_request *request)
{
    bool performance = mlia_cli_has(cli, "performance");
    bool compatibility = mlia_cli_has(cli, "compatibility") || !performance;
    if (compatibility)
        request->kinds[request->kind_count++] = MLIA_RESULT_COMPATIBILITY;
    if (performance)
        request->kinds[request->kind_count++] = MLIA_RESULT_PERFORMANCE;
    for (size_t i = 0; i < request->kind_count; i++)
        if ((backend->categories & MLIA_CATEGORY_BIT(request->kinds[i])) == 0)
            return mlia_status_hint(mlia_error(MLIA_E_CATEGORY, "%s does not offer %s", backend->id,
                                               mlia_result_kind_name(request->kinds[i])),
                                    "use --%s", compatibility ? "performance" : "compatibility");
    return NULL;
}
