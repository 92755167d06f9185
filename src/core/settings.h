/* Options of a backend in force: command line over user configuration over profile over built-in default,
 * each with its origin. */
#ifndef MLIA_CORE_SETTINGS_H
#define MLIA_CORE_SETTINGS_H

#include "backends/backend.h"
#include "core/user_config.h"
#include "targets/profile.h"

/* --BACKEND.KEY=VALUE of the command line; flags have the value "true". */
typedef struct mlia_setting_choice {
    const mlia_backend *backend;
    size_t option; /* row of its option table */
    mlia_str value;
} mlia_setting_choice;

typedef struct mlia_setting_choices {
    const mlia_setting_choice *items;
    size_t count;
    const mlia_str *overrides; /* texts of --set */
    size_t override_count;
} mlia_setting_choices;

/* Checks the backend tables of profile and configuration: unknown backend or option, wrong type (E_PROFILE,
 * E_CONFIG). */
mlia_status *mlia_settings_check(const mlia_profile *profile, const mlia_user_config *config);

/* The settings of `backend`; texts live as long as the arguments and `arena`. Raises N_CONFIG_OVER_PROFILE.
 * The tables must have been checked. */
mlia_status *mlia_settings_resolve(mlia_arena *arena, const mlia_backend *backend,
                                   const mlia_profile *profile, const mlia_user_config *config,
                                   const mlia_setting_choices *choices, mlia_diagnostics *diagnostics,
                                   mlia_settings *settings);

/* Settings turned into the backend's configuration. A backend without `configure` gets its options as they
 * are. */
mlia_status *mlia_settings_configure(mlia_arena *arena, const mlia_backend *backend,
                                     const mlia_settings *settings,
                                     mlia_backend_configuration *configuration);

#endif
