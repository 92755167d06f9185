/* The estimator's configuration: every rate, latency and limit of the cost model.
 *
 * A configuration is built from the defaults of config.def, one INI file for the machine (system), one for
 * the graph compiler, and single overrides. The INI format is ours: sections and keys of config.def, comments
 * with
 * ';' or '#'. Refused: unknown sections and keys, duplicates, values that are no number or out of range, keys
 * of the other role, lines above 190 bytes.
 */
#ifndef MLIA_ESTIMATE_CONFIG_H
#define MLIA_ESTIMATE_CONFIG_H

#include "base/embedded.h"
#include "base/file.h"
#include "base/status.h"
#include "base/value.h"

typedef enum mlia_config_key {
#define X(group, section, key, field, ...) MLIA_CONFIG_##field,
#include "estimate/config.def"
#undef X
    MLIA_CONFIG_KEY_COUNT
} mlia_config_key;

typedef enum mlia_config_group { MLIA_CONFIG_SYSTEM, MLIA_CONFIG_COMPILER } mlia_config_group;
typedef enum mlia_config_type { MLIA_CONFIG_RATE, MLIA_CONFIG_COUNT, MLIA_CONFIG_SWITCH } mlia_config_type;

/* One row of config.def. */
typedef struct mlia_config_info {
    mlia_str section;
    mlia_str key;
    mlia_config_group group;
    mlia_config_type type;
    double fallback;
    double lowest;
    double highest;
    mlia_str unit;
    mlia_str text;
    size_t offset; /* of the double in mlia_estimate_config */
} mlia_config_info;

/* Values in force; units in config.def. Switches are 0 or 1. */
typedef struct mlia_estimate_config {
#define X(group, section, key, field, ...) double field;
#include "estimate/config.def"
#undef X
    mlia_str system_name; /* as given: bundled name or path */
    mlia_str compiler_name;
    mlia_str origins[MLIA_CONFIG_KEY_COUNT]; /* "default", file name as given, or "override" */
    const mlia_str *overrides;               /* "SECTION.KEY=VALUE", in order */
    size_t override_count;
} mlia_estimate_config;

/* What the user chose. Empty names mean "default"; a name is a bundled one (see mlia_bundled_find), else a
 * path; a relative path is looked up in `folder` first when that is not empty. */
typedef struct mlia_config_choice {
    mlia_str system;
    mlia_str system_folder;
    mlia_str compiler;
    mlia_str compiler_folder;
    const mlia_str *overrides;
    size_t override_count;
} mlia_config_choice;

const mlia_config_info *mlia_config_describe(mlia_config_key key);
double mlia_config_get(const mlia_estimate_config *config, mlia_config_key key);
/* True when every SYSTEM value is the default, the machine that the model was calibrated on. */
bool mlia_config_is_calibrated(const mlia_estimate_config *config);

/* Defaults only. */
void mlia_config_default(mlia_estimate_config *config);
/* Defaults, files, overrides. Errors: E_ESTIMATOR_CONFIG with file, line, section and key; E_OVERRIDE with
 * near names. Texts live in `arena`. */
mlia_status *mlia_config_load(const mlia_config_choice *choice, mlia_arena *arena,
                              mlia_estimate_config *config);
/* Opens a file that an option names, in `folder` first when the path is relative; `*found` is the path that
 * was there. The caller frees *file. E_ESTIMATOR_CONFIG when there is none. */
mlia_status *mlia_config_open(mlia_str path, mlia_str folder, size_t limit, mlia_arena *arena,
                              mlia_str *found, mlia_file **file);
/* Reads one INI text for a role; keys of the other role are skipped when `both_roles`, else refused. `name`
 * goes into errors and origins. */
mlia_status *mlia_config_read(mlia_estimate_config *config, mlia_config_group group, bool both_roles,
                              mlia_str name, mlia_bytes text);
/* Applies one "SECTION.KEY=VALUE". E_OVERRIDE. */
mlia_status *mlia_config_override(mlia_estimate_config *config, mlia_str text);

/* All values as a JSON object "section.key": value, sorted by name. NULL when out of memory. */
mlia_value *mlia_config_values(const mlia_estimate_config *config, mlia_arena *arena);
/* The value as JSON: number or boolean. */
mlia_value *mlia_config_value(const mlia_estimate_config *config, mlia_config_key key, mlia_arena *arena);

/* A configuration that is part of the program (file name and text), by name: letter case and a trailing
 * ".ini" do not count; the names that profiles for MLIA use are aliases. NULL when there is none. */
const mlia_embedded *mlia_bundled_find(mlia_str name);
/* All of them, sorted by file name; ended by an entry without name. */
const mlia_embedded *mlia_bundled_all(void);

#endif
