/* Types of MLIR bytecode. */
#include "formats/mlir/bytecode.h"

/* Codes of the builtin dialect. */
enum {
    TYPE_INTEGER = 0,
    TYPE_INDEX = 1,
    TYPE_FUNCTION = 2,
    TYPE_NONE = 12,
    TYPE_TENSOR = 13,
    TYPE_ENCODED_TENSOR = 14,
    TYPE_TUPLE = 15,
    TYPE_UNRANKED = 18,
    TYPE_LAST = 32,
};

/* Spellings of the types that are a code alone. */
static const char *const scalar_codes[TYPE_LAST + 1] = {
    [1] = "index",       [3] = "bf16",
    [4] = "f16",         [5] = "f32",
    [6] = "f64",         [7] = "f80",
    [8] = "f128",        [21] = "tf32",
    [22] = "f8E5M2",     [23] = "f8E4M3",
    [24] = "f8E4M3FN",   [25] = "f8E5M2FNUZ",
    [26] = "f8E4M3FNUZ", [27] = "f8E4M3B11FNUZ",
    [28] = "f8E3M4",     [29] = "f4E2M1FN",
    [30] = "f6E2M3FN",   [31] = "f6E3M2FN",
    [32] = "f8E8M0FNU",
};

static mlia_status *read_types(mlia_mlir_bytecode *file, mlia_reader *reader,
                               const mlia_mlir_type *const **types, uint32_t *count)
{
    MLIA_TRY(mlia_mlir_read_count(file, reader, count));
    const mlia_mlir_type **items = MLIA_NEW_ARRAY(file->context.arena, const mlia_mlir_type *, *count);
    MLIA_TRY_ALLOC(items);
    for (uint32_t i = 0; i < *count; i++)
        MLIA_TRY(mlia_mlir_read_type(file, reader, &items[i]));
    *types = items;
    return NULL;
}

static mlia_status *read_tensor(mlia_mlir_bytecode *file, mlia_reader *reader, bool ranked,
                                mlia_mlir_type *type)
{
    type->kind = MLIA_MLIR_TYPE_TENSOR;
    type->unranked = !ranked;
    if (ranked) {
        MLIA_TRY(mlia_mlir_read_count(file, reader, &type->rank));
        if (type->rank > MLIA_RANK_LIMIT)
            return mlia_mlir_reader_error(file, MLIA_MLIR_LIMIT, reader, "tensor of more than 32 dimensions");
        int64_t *dims = type->rank > 0 ? MLIA_NEW_ARRAY(file->context.arena, int64_t, type->rank) : NULL;
        if (type->rank > 0)
            MLIA_TRY_ALLOC(dims);
        for (uint32_t i = 0; i < type->rank; i++) {
            MLIA_TRY(mlia_mlir_read_signed(file, reader, &dims[i]));
            if (dims[i] == INT64_MIN)
                dims[i] = MLIA_DIM_UNKNOWN;
            else if (dims[i] < 0)
                return mlia_mlir_reader_error(file, MLIA_MLIR_TYPE, reader, "negative dimension");
        }
        type->dims = dims;
    }
    const mlia_mlir_type *element;
    MLIA_TRY(mlia_mlir_read_type(file, reader, &element));
    type->signedness = element->signedness;
    if (element->kind == MLIA_MLIR_TYPE_ELEMENT)
        type->element = element->element;
    if (type->element == MLIA_TYPE_UNKNOWN) {
        type->text = mlia_mlir_type_text(file->context.arena, element);
        MLIA_TRY_ALLOC(type->text.data);
    }
    return NULL;
}

static mlia_status *read_integer_type(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_mlir_type *type)
{
    static const char *const marks[] = {"", "s", "u", ""};
    uint64_t value = 0;
    MLIA_TRY(mlia_mlir_read_number(file, reader, &value));
    if (value >> 2 > 1u << 24 || (value & 3) == 3 || value >> 2 == 0)
        return mlia_mlir_reader_error(file, MLIA_MLIR_TYPE, reader, "integer type of impossible width");
    mlia_str text =
        mlia_arena_format(file->context.arena, "%si%llu", marks[value & 3], (unsigned long long)value >> 2);
    MLIA_TRY_ALLOC(text.data);
    mlia_mlir_scalar(text, type);
    return NULL;
}

mlia_status *mlia_mlir_read_builtin_type(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_mlir_type *type)
{
    uint64_t code = 0;
    const mlia_mlir_attribute *encoding;
    const mlia_mlir_type *const *members;
    uint32_t count = 0;
    MLIA_TRY(mlia_mlir_read_number(file, reader, &code));
    switch (code) {
    case TYPE_INTEGER:
        return read_integer_type(file, reader, type);
    case TYPE_FUNCTION:
        type->kind = MLIA_MLIR_TYPE_FUNCTION;
        MLIA_TRY(read_types(file, reader, &type->inputs, &type->input_count));
        return read_types(file, reader, &type->results, &type->result_count);
    case TYPE_ENCODED_TENSOR:
        MLIA_TRY(mlia_mlir_read_attribute(file, reader, &encoding));
        return read_tensor(file, reader, true, type);
    case TYPE_TENSOR:
    case TYPE_UNRANKED:
        return read_tensor(file, reader, code == TYPE_TENSOR, type);
    case TYPE_NONE:
        *type = (mlia_mlir_type){.kind = MLIA_MLIR_TYPE_OPAQUE, .text = MLIA_STR("none")};
        return NULL;
    case TYPE_TUPLE:
        *type = (mlia_mlir_type){.kind = MLIA_MLIR_TYPE_OPAQUE, .text = MLIA_STR("tuple")};
        return read_types(file, reader, &members, &count);
    default:
        if (code <= TYPE_LAST && scalar_codes[code] != NULL) {
            mlia_mlir_scalar(mlia_str_from_c(scalar_codes[code]), type);
            return NULL;
        }
        return mlia_mlir_error(&file->context, MLIA_MLIR_ENUM, reader->bytes.data,
                               "type code %llu is unknown", (unsigned long long)code);
    }
}
