/* Any bytes as a SPIR-V module, and any text as a cell of labels: the first two bytes are the cell's size. */
#include <stdlib.h>

#include "measure/labels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static mlia_status *check(mlia_bytes code, mlia_str cell, mlia_arena *arena)
{
    mlia_measured_module module;
    MLIA_TRY(mlia_measured_module_read(code, arena, &module));
    for (size_t i = 0; i < module.count; i++) {
        uint32_t position;
        if (!mlia_measured_module_find(&module, module.ids[i], &position) || position != i)
            abort();
    }
    const mlia_str *labels;
    size_t count;
    uint64_t budget = 1 << 20;
    MLIA_TRY(mlia_labels_split(cell, &module, &budget, arena, &labels, &count));
    for (size_t i = 0; i < count; i++) {
        uint32_t id;
        if (labels[i].size == 0)
            abort();
        mlia_label_outcome outcome = mlia_label_resolve(labels[i], &module, &id);
        if (outcome == MLIA_LABEL_FOUND && !mlia_measured_module_find(&module, id, &(uint32_t){0}))
            abort();
    }
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return -1;
    size_t cell = mlia_load_u16(data) % (size - 1);
    mlia_arena *arena = mlia_arena_new(0);
    mlia_status_free(check((mlia_bytes){data + 2 + cell, size - 2 - cell},
                           (mlia_str){(const char *)data + 2, cell}, arena));
    mlia_arena_free(arena);
    return 0;
}
