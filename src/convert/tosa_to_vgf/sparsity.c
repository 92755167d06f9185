/* Looks for 2:4 sparsity; see sparsity.h. */
#include "convert/tosa_to_vgf/sparsity.h"

/* At least two zeros in each group of four elements of a row, also in the last, which may be smaller. */
static bool is_sparse(mlia_bytes bytes, size_t size, size_t row)
{
    static const uint8_t zero[8] = {0};
    for (size_t start = 0; start < bytes.size; start += row * size)
        for (size_t first = 0; first < row; first += 4) {
            size_t zeros = 0;
            for (size_t i = first; i < row && i < first + 4; i++)
                zeros += memcmp(bytes.data + start + i * size, zero, size) == 0;
            if (zeros < 2)
                return false;
        }
    return true;
}

static bool is_uniform(mlia_bytes bytes, size_t size)
{
    for (size_t i = size; i < bytes.size; i += size)
        if (memcmp(bytes.data, bytes.data + i, size) != 0)
            return false;
    return true;
}

int32_t mlia_weight_sparsity(const mlia_graph_value *value, mlia_bytes bytes)
{
    bool type = value->type == MLIA_TYPE_INT8 || value->type == MLIA_TYPE_INT4 ||
                value->type == MLIA_TYPE_FP16 || value->type == MLIA_TYPE_FP32;
    uint64_t elements = 0;
    if (!type || value->rank != 4 || !mlia_value_elements(value, &elements) || elements == 0 ||
        (value->dims[1] == 1 && value->dims[2] == 1))
        return -1;
    size_t size = bytes.size / (size_t)elements;
    size_t row = (size_t)value->dims[3];
    /* equal elements are marked only when they are floats in whole groups; the official converter then marks
     * ones, too, which are not sparse */
    bool marked = !is_uniform(bytes, size) || (mlia_type_is_float(value->type) && row % 4 == 0);
    return marked && is_sparse(bytes, size, row) ? 3 : -1;
}
