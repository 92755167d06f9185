/* Databases of somebody's estimator: two files, separated by the first NUL byte; then the same bytes as a
 * summary and as a configuration. Whatever is accepted has exact sums. */
#include <stdlib.h>

#include "estimate/databases.h"
#include "estimate/program.h"
#include "graph/build.h"

static void read_databases(mlia_str performance, mlia_str debug, mlia_arena *arena)
{
    mlia_database_file files[] = {{MLIA_STR("performance"), performance}, {MLIA_STR("debug"), debug}};
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_estimate_segment segment = {.graph = mlia_graph_new(arena, MLIA_SOURCE_SPIRV)};
    mlia_status *status = mlia_databases_read(&files[0], &files[1], arena, &diagnostics, &segment);
    if (status == NULL) {
        uint64_t total = 0;
        for (uint32_t i = 0; i < segment.cascade_count; i++)
            total += segment.cascades[i].cost.total_cycles;
        if (total != segment.cost.total_cycles)
            abort();
    } else if (mlia_status_path_text(status).size == 0 && mlia_status_kind(status) != MLIA_E_MEMORY) {
        abort();
    }
    mlia_status_free(status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_str text = {(const char *)data, size};
    size_t cut = mlia_str_find(text, '\0');
    if (cut != SIZE_MAX)
        read_databases(mlia_str_slice(text, 0, cut), mlia_str_slice(text, cut + 1, size), arena);
    mlia_summary summary;
    mlia_status_free(mlia_summary_read(MLIA_STR("summary"), text, &summary));
    mlia_estimate_config config;
    mlia_config_default(&config);
    mlia_status_free(
        mlia_config_read(&config, MLIA_CONFIG_SYSTEM, true, MLIA_STR("config"), (mlia_bytes){data, size}));
    mlia_arena_free(arena);
    return 0;
}
