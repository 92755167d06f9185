/* Profiles and user configurations of any bytes: no crash, no leak; what is refused is refused as wrong
 * configuration. */
#include <stdlib.h>

#include "core/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_class_config(mlia_status *status)
{
    if (status != NULL && status != mlia_error_memory() &&
        mlia_kind_class(mlia_status_kind(status)) != MLIA_CLASS_CONFIG)
        abort();
    mlia_status_free(status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_str text = {(const char *)data, size};
    mlia_profile profile;
    mlia_user_config config = {0};
    expect_class_config(mlia_user_config_read(arena, text, MLIA_STR("c.toml"), &diagnostics, &config));
    mlia_status *status = mlia_profile_read(arena, text, MLIA_STR("p.toml"), &profile);
    if (status == NULL) {
        mlia_user_config none = {0};
        status = mlia_settings_check(&profile, &none);
    }
    expect_class_config(status);
    mlia_arena_free(arena);
    return 0;
}
