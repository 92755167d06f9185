/* Names of Vulkan numbers. */
#ifndef MLIA_VGF_NAMES_H
#define MLIA_VGF_NAMES_H

#include "base/text.h"

typedef enum mlia_vgf_sort {
    MLIA_VGF_NAME_FORMAT,
    MLIA_VGF_NAME_DESCRIPTOR,
    MLIA_VGF_NAME_FILTER,
    MLIA_VGF_NAME_ADDRESS,
    MLIA_VGF_NAME_BORDER,
} mlia_vgf_sort;

/* "VK_FORMAT_R8_SINT"; an empty view for a number that is not in the table. */
mlia_str mlia_vgf_name(mlia_vgf_sort sort, uint32_t number);
/* Number of a name; false when there is none. */
bool mlia_vgf_number(mlia_vgf_sort sort, mlia_str name, uint32_t *number);

#endif
