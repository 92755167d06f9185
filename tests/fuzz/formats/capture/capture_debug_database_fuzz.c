/* Any bytes as a debug database: every row of an accepted one can be found by its id. */
#include <stdlib.h>

#include "formats/capture/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const mlia_debug_database *database)
{
    for (mlia_debug_section section = 0; section < MLIA_DEBUG_SECTION_COUNT; section++) {
        const mlia_debug_table *table = &database->tables[section];
        for (size_t i = 0; i < table->count; i++) {
            if (mlia_debug_find(database, section, table->rows[i].cells[MLIA_DEBUG_ID]) != &table->rows[i])
                abort();
            mlia_str cell = table->rows[i].cells[1];
            for (mlia_str id; mlia_debug_next_id(&cell, &id);)
                if (id.size == 0 || mlia_str_find(id, ';') != SIZE_MAX)
                    abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_debug_database database;
    mlia_status *status = mlia_debug_database_decode((mlia_bytes){data, size}, arena, &database);
    if (status == NULL)
        check(&database);
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
