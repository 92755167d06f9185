/* The tables of names.def and of tensor formats. */
#include "formats/vgf/names.h"
#include "formats/vgf/vgf.h"

static const struct {
    mlia_vgf_sort sort;
    uint32_t number;
    mlia_str name;
} names[] = {
#define X(sort, number, name) {MLIA_VGF_NAME_##sort, number, MLIA_STR_INIT(name)},
#include "formats/vgf/names.def"
#undef X
};

mlia_str mlia_vgf_name(mlia_vgf_sort sort, uint32_t number)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].sort == sort && names[i].number == number)
            return names[i].name;
    return MLIA_STR_NONE;
}

bool mlia_vgf_number(mlia_vgf_sort sort, mlia_str name, uint32_t *number)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].sort == sort && mlia_str_equal(names[i].name, name)) {
            *number = names[i].number;
            return true;
        }
    return false;
}

static const mlia_vgf_format formats[] = {
    {13, MLIA_TYPE_INT8, true},
    {14, MLIA_TYPE_INT8, false},
    {74, MLIA_TYPE_INT16, true},
    {75, MLIA_TYPE_INT16, false},
    {98, MLIA_TYPE_INT32, true},
    {99, MLIA_TYPE_INT32, false},
    {111, MLIA_TYPE_INT48, false},
    {76, MLIA_TYPE_FP16, false},
    {100, MLIA_TYPE_FP32, false},
    {1000460000, MLIA_TYPE_BOOL, false},
    {1000460001, MLIA_TYPE_BF16, false},
    {1000460002, MLIA_TYPE_FP8E4M3, false},
    {1000460003, MLIA_TYPE_FP8E5M2, false},
};

const mlia_vgf_format *mlia_vgf_format_of(uint32_t number)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].number == number)
            return &formats[i];
    return NULL;
}

uint32_t mlia_vgf_format_number(uint32_t type, bool is_unsigned)
{
    if (type == MLIA_TYPE_INT4)
        type = MLIA_TYPE_INT8;
    else if (type == MLIA_TYPE_INT64)
        type = MLIA_TYPE_INT48;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].type == type && formats[i].is_unsigned == is_unsigned)
            return formats[i].number;
    return 0;
}
