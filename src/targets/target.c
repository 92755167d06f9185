/* The table of targets. */
#include "targets/target.h"

static const mlia_target targets[] = {
    {
        .type = MLIA_STR_INIT("neural-technology"),
        .description = MLIA_STR_INIT("neural accelerator inside a mobile GPU"),
        .default_backends = MLIA_STR_INIT("nx-performance-estimator"),
        .component = {MLIA_COMPONENT_NPU, MLIA_STR_INIT("mali"), MLIA_STR_INIT("nx"), .name = {NULL, 0}},
    },
};

size_t mlia_target_count(void)
{
    return sizeof targets / sizeof *targets;
}

const mlia_target *mlia_target_at(size_t index)
{
    return &targets[index];
}

const mlia_target *mlia_target_find(mlia_str type)
{
    for (size_t i = 0; i < mlia_target_count(); i++)
        if (mlia_str_equal(targets[i].type, type))
            return &targets[i];
    return NULL;
}
