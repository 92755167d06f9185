/* The user's configuration file (TOML). docs/configuration.md describes the keys. */
#ifndef MLIA_CORE_USER_CONFIG_H
#define MLIA_CORE_USER_CONFIG_H

#include "base/diagnostics.h"
#include "formats/toml/toml.h"
#include "result/build.h"

typedef struct mlia_user_config {
    mlia_str path;   /* empty: none was read */
    mlia_str folder; /* of the file, for relative paths in it */
    bool no_color;   /* color = false */
    mlia_str theme;  /* "dark", "light", or empty */
    bool has_top;
    int64_t top;
    mlia_str output_dir;
    mlia_texts hide_advice; /* ids that text reports leave out */
    double advice_share;    /* percent of the total from which a chain gets advice */
    MLIA_LIST(mlia_collapse_rule) collapse;
    const mlia_toml *backend_options; /* table or NULL; core/settings checks it */
} mlia_user_config;

/* Reads the configuration. `given` true: from `path` ("" reads none, a missing file is E_CONFIG); else from
 * $MLIA_CONFIG or the usual place, where a file may be missing. Unknown top-level and [core] keys are
 * warnings (W_CONFIG_KEY). */
mlia_status *mlia_user_config_load(mlia_arena *arena, bool given, mlia_str path,
                                   mlia_diagnostics *diagnostics, mlia_user_config *config);

/* The same from text; `path` is for messages. */
mlia_status *mlia_user_config_read(mlia_arena *arena, mlia_str text, mlia_str path,
                                   mlia_diagnostics *diagnostics, mlia_user_config *config);

#endif
