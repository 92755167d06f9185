/* Attributes and types of MLIR bytecode. Entries refer to each other by index in any direction; they are
 * decoded on demand, and an entry that needs itself is a cycle. */
#include "formats/mlir/bytecode.h"

#include "formats/mlir/element.h"

/* Codes of the builtin dialect. */
enum {
    ATTRIBUTE_ARRAY = 0,
    ATTRIBUTE_DICTIONARY = 1,
    ATTRIBUTE_STRING = 2,
    ATTRIBUTE_TYPED_STRING = 3,
    ATTRIBUTE_SYMBOL = 4,
    ATTRIBUTE_NESTED_SYMBOL = 5,
    ATTRIBUTE_TYPE = 6,
    ATTRIBUTE_UNIT = 7,
    ATTRIBUTE_INTEGER = 8,
    ATTRIBUTE_FLOAT = 9,
    ATTRIBUTE_RESOURCE = 16,
    ATTRIBUTE_DENSE_ARRAY = 17,
    ATTRIBUTE_DENSE = 18,
    ATTRIBUTE_DENSE_STRINGS = 19,
    ATTRIBUTE_SPARSE = 20,
    ATTRIBUTE_DISTINCT = 21,
};

/* The zero-terminated text of an entry, ready for the text parser. */
static mlia_status *text_lexer(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_mlir_lexer *lexer)
{
    const char *begin = (const char *)reader->bytes.data;
    size_t size = reader->bytes.size;
    if (size == 0 || memchr(begin, 0, size) != begin + size - 1)
        return mlia_mlir_reader_error(file, MLIA_MLIR_SYNTAX, reader,
                                      "text of an attribute is not zero-terminated");
    if (!mlia_utf8_valid((mlia_str){begin, size - 1}))
        return mlia_mlir_reader_error(file, MLIA_MLIR_UTF8, reader, "text of an attribute is not UTF-8");
    *lexer = (mlia_mlir_lexer){.context = &file->context, .next = begin, .end = begin + size - 1};
    reader->position = size;
    return mlia_mlir_advance(lexer);
}

static mlia_status *enter(mlia_mlir_bytecode *file, mlia_mlir_entry *entry, const char *what)
{
    if (entry->busy)
        return mlia_mlir_error(&file->context, MLIA_MLIR_CYCLE, entry->bytes.data, "%s refers to itself",
                               what);
    if (file->depth >= MLIA_MLIR_DEPTH_LIMIT)
        return mlia_mlir_error(&file->context, MLIA_MLIR_LIMIT, entry->bytes.data,
                               "nested deeper than %d levels", MLIA_MLIR_DEPTH_LIMIT);
    entry->busy = true;
    file->depth++;
    return NULL;
}

static void leave(mlia_mlir_bytecode *file, mlia_mlir_entry *entry)
{
    entry->busy = false;
    file->depth--;
}

static bool is_builtin(const mlia_mlir_bytecode *file, const mlia_mlir_entry *entry)
{
    return mlia_str_equal_c(file->dialects[entry->dialect], "builtin");
}

mlia_status *mlia_mlir_type_at(mlia_mlir_bytecode *file, uint64_t index, const mlia_mlir_type **type)
{
    if (index >= file->type_count)
        return mlia_mlir_error(&file->context, MLIA_MLIR_OFFSET, NULL, "type %llu of %u does not exist",
                               (unsigned long long)index, file->type_count);
    mlia_mlir_entry *entry = &file->types[index];
    *type = entry->type;
    if (*type != NULL)
        return NULL;
    MLIA_TRY(enter(file, entry, "a type"));
    mlia_reader reader = mlia_reader_of(entry->bytes);
    if (!entry->custom) {
        mlia_mlir_lexer lexer;
        MLIA_TRY(text_lexer(file, &reader, &lexer));
        MLIA_TRY(mlia_mlir_parse_type(&lexer, &entry->type));
        if (!mlia_mlir_at(&lexer, MLIA_MLIR_TOKEN_END))
            return mlia_mlir_expected(&lexer, "the end of a type");
    } else {
        mlia_mlir_type *decoded = MLIA_NEW(file->context.arena, mlia_mlir_type);
        MLIA_TRY_ALLOC(decoded);
        if (is_builtin(file, entry))
            MLIA_TRY(mlia_mlir_read_builtin_type(file, &reader, decoded));
        else
            *decoded =
                (mlia_mlir_type){.kind = MLIA_MLIR_TYPE_OPAQUE, .text = file->dialects[entry->dialect]};
        if (is_builtin(file, entry))
            MLIA_TRY(mlia_mlir_read_end(file, &reader, "a type"));
        entry->type = decoded;
    }
    leave(file, entry);
    *type = entry->type;
    return NULL;
}

mlia_status *mlia_mlir_read_type(mlia_mlir_bytecode *file, mlia_reader *reader, const mlia_mlir_type **type)
{
    uint32_t index = 0;
    MLIA_TRY(mlia_mlir_read_index(file, reader, file->type_count, "type", &index));
    return mlia_mlir_type_at(file, index, type);
}

mlia_status *mlia_mlir_read_string_attribute(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_str *text)
{
    const mlia_mlir_attribute *attribute = NULL;
    MLIA_TRY(mlia_mlir_read_attribute(file, reader, &attribute));
    if (attribute == NULL || attribute->kind != MLIA_MLIR_STRING)
        return mlia_mlir_reader_error(file, MLIA_MLIR_TYPE, reader, "expected a string attribute");
    *text = attribute->text;
    return NULL;
}

static mlia_status *read_list(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_mlir_attribute *out)
{
    MLIA_TRY(mlia_mlir_read_count(file, reader, &out->count));
    const mlia_mlir_attribute **items =
        MLIA_NEW_ARRAY(file->context.arena, const mlia_mlir_attribute *, out->count);
    MLIA_TRY_ALLOC(items);
    for (uint32_t i = 0; i < out->count; i++)
        MLIA_TRY(mlia_mlir_read_attribute(file, reader, &items[i]));
    out->kind = MLIA_MLIR_LIST;
    out->as.items = items;
    return NULL;
}

static mlia_status *read_dictionary(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_mlir_attribute *out)
{
    MLIA_TRY(mlia_mlir_read_count(file, reader, &out->count));
    mlia_mlir_named *members = MLIA_NEW_ARRAY(file->context.arena, mlia_mlir_named, out->count);
    MLIA_TRY_ALLOC(members);
    for (uint32_t i = 0; i < out->count; i++) {
        MLIA_TRY(mlia_mlir_read_string_attribute(file, reader, &members[i].name));
        MLIA_TRY(mlia_mlir_read_attribute(file, reader, &members[i].value));
    }
    out->kind = MLIA_MLIR_DICTIONARY;
    out->as.members = members;
    return NULL;
}

static mlia_status *read_symbol(mlia_mlir_bytecode *file, mlia_reader *reader, bool nested,
                                mlia_mlir_attribute *out)
{
    MLIA_TRY(mlia_mlir_read_string_attribute(file, reader, &out->text));
    out->kind = MLIA_MLIR_SYMBOL;
    mlia_mlir_attribute inner;
    return nested ? read_list(file, reader, &inner) : NULL;
}

static uint32_t integer_width(const mlia_mlir_type *type)
{
    if (type->element == MLIA_TYPE_UNKNOWN) {
        int64_t width;
        size_t skip = type->text.size > 0 && type->text.data[0] != 'i' ? 2 : 1;
        return mlia_str_to_i64(mlia_str_slice(type->text, skip, type->text.size), &width) ? (uint32_t)width
                                                                                          : 0;
    }
    return type->element == MLIA_TYPE_BOOL ? 1 : mlia_type_describe(type->element)->bits;
}

/* A number of `width` bits; of more than 64 only the lowest word is kept. */
static mlia_status *read_bits(mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t width, int64_t *value)
{
    uint8_t byte = 0;
    uint32_t words = 0;
    if (width <= 8) {
        MLIA_TRY(mlia_mlir_read_byte(file, reader, &byte));
        *value = (int64_t)((uint64_t)byte << (64 - width)) >> (64 - width);
        return NULL;
    }
    if (width <= 64)
        return mlia_mlir_read_signed(file, reader, value);
    MLIA_TRY(mlia_mlir_read_count(file, reader, &words));
    for (uint32_t i = 0; i < words; i++) {
        int64_t word;
        MLIA_TRY(mlia_mlir_read_signed(file, reader, &word));
        if (i == 0)
            *value = word;
    }
    return NULL;
}

static mlia_status *read_number_attribute(mlia_mlir_bytecode *file, mlia_reader *reader, bool fraction,
                                          mlia_mlir_attribute *out)
{
    static const struct {
        const char *name;
        uint32_t bits;
    } wide[] = {{"f64", 64}, {"f80", 80}, {"f128", 128}, {"tf32", 19}};
    MLIA_TRY(mlia_mlir_read_type(file, reader, &out->type));
    uint32_t width = 0;
    bool is_float = mlia_type_is_float(out->type->element);
    if (out->type->kind == MLIA_MLIR_TYPE_ELEMENT)
        width = integer_width(out->type);
    if (fraction && width == 0 && out->type->kind == MLIA_MLIR_TYPE_ELEMENT) {
        width = 8; /* the other f8 types */
        for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
            if (mlia_str_equal_c(out->type->text, wide[i].name))
                width = wide[i].bits;
    }
    if (width == 0 || (is_float && !fraction))
        return mlia_mlir_reader_error(file, MLIA_MLIR_TYPE, reader, "number of a type that is none");
    int64_t value = 0;
    MLIA_TRY(read_bits(file, reader, width, &value));
    if (width == 1)
        value &= 1;
    out->kind = fraction ? MLIA_MLIR_FLOAT : MLIA_MLIR_INTEGER;
    if (!fraction)
        out->as.integer = value;
    else
        out->as.element = (uint64_t)value & (width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX);
    if (fraction && !is_float)
        out->kind = MLIA_MLIR_OPAQUE;
    return NULL;
}

static mlia_status *read_dense_array(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_mlir_attribute *out)
{
    uint64_t count = 0;
    uint64_t size = 0;
    mlia_bytes bytes;
    MLIA_TRY(mlia_mlir_read_type(file, reader, &out->type));
    MLIA_TRY(mlia_mlir_read_number(file, reader, &count));
    MLIA_TRY(mlia_mlir_read_number(file, reader, &size));
    MLIA_TRY(mlia_mlir_read_blob(file, reader, size, &bytes));
    uint32_t unit = mlia_mlir_element_bytes(out->type->element);
    out->kind = MLIA_MLIR_OPAQUE;
    if (out->type->kind != MLIA_MLIR_TYPE_ELEMENT || !mlia_type_is_integer(out->type->element))
        return NULL;
    if (count > bytes.size || count * unit != bytes.size || count >= UINT32_MAX)
        return mlia_mlir_reader_error(file, MLIA_MLIR_DATA, reader,
                                      "array has not as many bytes as its elements need");
    int64_t *values = MLIA_NEW_ARRAY(file->context.arena, int64_t, count);
    MLIA_TRY_ALLOC(values);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t pattern = 0;
        for (uint32_t k = 0; k < unit; k++)
            pattern |= (uint64_t)bytes.data[i * unit + k] << (8 * k);
        values[i] = (int64_t)(pattern << (64 - 8 * unit)) >> (64 - 8 * unit);
    }
    out->kind = MLIA_MLIR_ARRAY;
    out->count = (uint32_t)count;
    out->as.integers = values;
    return NULL;
}

/* Bit-packed booleans; a lone 0x00 or 0xFF is every element. */
static mlia_status *unpack_booleans(mlia_mlir_bytecode *file, const mlia_reader *reader, mlia_bytes raw,
                                    uint64_t count, mlia_constant *constant)
{
    constant->splat = count != 1 && raw.size == 1 && (raw.data[0] == 0 || raw.data[0] == 0xFF);
    uint64_t stored = constant->splat ? 1 : count;
    if (raw.size != (stored + 7) / 8)
        return mlia_mlir_reader_error(file, MLIA_MLIR_DATA, reader,
                                      "constant has not as many bytes as its type needs");
    uint8_t *bytes = MLIA_NEW_ARRAY(file->context.arena, uint8_t, stored);
    MLIA_TRY_ALLOC(bytes);
    for (uint64_t i = 0; i < stored; i++)
        bytes[i] = raw.data[i / 8] >> (i % 8) & 1;
    constant->bytes = (mlia_bytes){bytes, (size_t)stored};
    return NULL;
}

/* `packed`: dense elements store booleans as bits; resources as bytes. */
static mlia_status *take_constant(mlia_mlir_bytecode *file, const mlia_reader *reader, mlia_bytes raw,
                                  bool packed, mlia_mlir_attribute *out)
{
    const mlia_mlir_type *type = out->type;
    uint64_t count = 0;
    out->kind = MLIA_MLIR_OPAQUE;
    if (type->kind != MLIA_MLIR_TYPE_TENSOR || type->element == MLIA_TYPE_UNKNOWN)
        return NULL;
    out->kind = MLIA_MLIR_DENSE;
    out->as.constant = (mlia_constant){.encoding = MLIA_ENCODING_TOSA};
    if (!mlia_mlir_type_elements(type, &count))
        return mlia_mlir_reader_error(file, MLIA_MLIR_DATA, reader,
                                      "constant whose size is unknown or too large");
    if (type->element == MLIA_TYPE_BOOL && packed)
        return unpack_booleans(file, reader, raw, count, &out->as.constant);
    uint64_t unit = mlia_mlir_element_bytes(type->element);
    out->as.constant.splat = count != 1 && raw.size == unit && count != 0;
    if (unit == 0 || raw.size != (out->as.constant.splat ? 1 : count) * unit)
        return mlia_mlir_reader_error(file, MLIA_MLIR_DATA, reader,
                                      "constant has not as many bytes as its type needs");
    return mlia_mlir_encode_raw(file->context.arena, type->element, raw, raw.size / unit,
                                &out->as.constant.bytes);
}

static mlia_status *read_dense(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_mlir_attribute *out)
{
    uint64_t size = 0;
    mlia_bytes raw;
    MLIA_TRY(mlia_mlir_read_type(file, reader, &out->type));
    MLIA_TRY(mlia_mlir_read_number(file, reader, &size));
    MLIA_TRY(mlia_mlir_read_blob(file, reader, size, &raw));
    return take_constant(file, reader, raw, true, out);
}

static mlia_status *read_resource_attribute(mlia_mlir_bytecode *file, mlia_reader *reader,
                                            mlia_mlir_attribute *out)
{
    uint32_t handle = 0;
    MLIA_TRY(mlia_mlir_read_type(file, reader, &out->type));
    MLIA_TRY(mlia_mlir_read_index(file, reader, file->blob_count, "resource", &handle));
    if (file->blobs[handle].data == NULL)
        return mlia_mlir_reader_error(file, MLIA_MLIR_DATA, reader, "resource is declared but has no data");
    return take_constant(file, reader, file->blobs[handle], false, out);
}

/* Elements given as strings: "0x1" for !tosa.mxint8. */
static mlia_status *read_dense_strings(mlia_mlir_bytecode *file, mlia_reader *reader,
                                       mlia_mlir_attribute *out)
{
    uint64_t splat = 0;
    uint64_t count = 0;
    MLIA_TRY(mlia_mlir_read_type(file, reader, &out->type));
    MLIA_TRY(mlia_mlir_read_number(file, reader, &splat));
    bool number = out->type->kind == MLIA_MLIR_TYPE_TENSOR && out->type->element == MLIA_TYPE_MXINT8;
    if (out->type->kind != MLIA_MLIR_TYPE_TENSOR || !mlia_mlir_type_elements(out->type, &count))
        return mlia_mlir_reader_error(file, MLIA_MLIR_DATA, reader,
                                      "constant whose size is unknown or too large");
    uint64_t stored = splat ? 1 : count;
    if (stored > mlia_reader_left(reader))
        return mlia_mlir_reader_error(file, MLIA_MLIR_TRUNCATED, reader,
                                      "a count is larger than the bytes left");
    uint8_t *bytes = MLIA_NEW_ARRAY(file->context.arena, uint8_t, stored);
    MLIA_TRY_ALLOC(bytes);
    for (uint64_t i = 0; i < stored; i++) {
        mlia_str text;
        uint64_t pattern = 0;
        MLIA_TRY(mlia_mlir_read_string(file, reader, &text));
        if (number && (!mlia_mlir_parse_integer(text, &pattern) || pattern > 255))
            return mlia_mlir_reader_error(file, MLIA_MLIR_DATA, reader, "element is no number of 8 bits");
        bytes[i] = (uint8_t)pattern;
    }
    out->kind = number ? MLIA_MLIR_DENSE : MLIA_MLIR_OPAQUE;
    if (number)
        out->as.constant =
            (mlia_constant){{bytes, (size_t)stored}, MLIA_ENCODING_TOSA, splat != 0 && count != 1};
    return NULL;
}

static mlia_status *read_builtin_attribute(mlia_mlir_bytecode *file, mlia_reader *reader,
                                           mlia_mlir_attribute *out)
{
    uint64_t code = 0;
    MLIA_TRY(mlia_mlir_read_number(file, reader, &code));
    switch (code) {
    case ATTRIBUTE_ARRAY:
        return read_list(file, reader, out);
    case ATTRIBUTE_DICTIONARY:
        return read_dictionary(file, reader, out);
    case ATTRIBUTE_STRING:
    case ATTRIBUTE_TYPED_STRING:
        out->kind = MLIA_MLIR_STRING;
        MLIA_TRY(mlia_mlir_read_string(file, reader, &out->text));
        return code == ATTRIBUTE_TYPED_STRING ? mlia_mlir_read_type(file, reader, &out->type) : NULL;
    case ATTRIBUTE_SYMBOL:
    case ATTRIBUTE_NESTED_SYMBOL:
        return read_symbol(file, reader, code == ATTRIBUTE_NESTED_SYMBOL, out);
    case ATTRIBUTE_TYPE:
        out->kind = MLIA_MLIR_TYPE_ATTRIBUTE;
        return mlia_mlir_read_type(file, reader, &out->type);
    case ATTRIBUTE_UNIT:
        return NULL;
    case ATTRIBUTE_INTEGER:
    case ATTRIBUTE_FLOAT:
        return read_number_attribute(file, reader, code == ATTRIBUTE_FLOAT, out);
    case MLIA_MLIR_CODE_CALLSITE:
    case MLIA_MLIR_CODE_FILE:
    case MLIA_MLIR_CODE_FUSED:
    case MLIA_MLIR_CODE_FUSED_METADATA:
    case MLIA_MLIR_CODE_NAME:
    case MLIA_MLIR_CODE_UNKNOWN:
    case MLIA_MLIR_CODE_RANGE:
        return mlia_mlir_read_location(file, reader, (uint32_t)code, out);
    case ATTRIBUTE_RESOURCE:
        return read_resource_attribute(file, reader, out);
    case ATTRIBUTE_DENSE_ARRAY:
        return read_dense_array(file, reader, out);
    case ATTRIBUTE_DENSE:
        return read_dense(file, reader, out);
    case ATTRIBUTE_DENSE_STRINGS:
        return read_dense_strings(file, reader, out);
    case ATTRIBUTE_SPARSE: /* no attribute of TOSA */
    case ATTRIBUTE_DISTINCT:
        out->kind = MLIA_MLIR_OPAQUE;
        reader->position = reader->bytes.size;
        return NULL;
    default:
        return mlia_mlir_error(&file->context, MLIA_MLIR_ENUM, reader->bytes.data,
                               "attribute code %llu is unknown", (unsigned long long)code);
    }
}

static mlia_status *decode_attribute(mlia_mlir_bytecode *file, mlia_mlir_entry *entry,
                                     const mlia_mlir_attribute **attribute)
{
    mlia_reader reader = mlia_reader_of(entry->bytes);
    if (!entry->custom) {
        mlia_mlir_lexer lexer;
        MLIA_TRY(text_lexer(file, &reader, &lexer));
        MLIA_TRY(mlia_mlir_parse_attribute(&lexer, attribute));
        return mlia_mlir_at(&lexer, MLIA_MLIR_TOKEN_END)
                   ? NULL
                   : mlia_mlir_expected(&lexer, "the end of an attribute");
    }
    mlia_mlir_attribute *decoded =
        mlia_mlir_new_attribute(file->context.arena, (mlia_mlir_attribute){.kind = MLIA_MLIR_UNIT});
    MLIA_TRY_ALLOC(decoded);
    *attribute = decoded;
    if (!is_builtin(file, entry)) {
        decoded->kind = MLIA_MLIR_OPAQUE;
        return NULL;
    }
    MLIA_TRY(read_builtin_attribute(file, &reader, decoded));
    return mlia_mlir_read_end(file, &reader, "an attribute");
}

mlia_status *mlia_mlir_attribute_at(mlia_mlir_bytecode *file, uint64_t index,
                                    const mlia_mlir_attribute **attribute)
{
    if (index >= file->attribute_count)
        return mlia_mlir_error(&file->context, MLIA_MLIR_OFFSET, NULL, "attribute %llu of %u does not exist",
                               (unsigned long long)index, file->attribute_count);
    mlia_mlir_entry *entry = &file->attributes[index];
    if (entry->attribute == NULL) {
        MLIA_TRY(enter(file, entry, "an attribute"));
        const mlia_mlir_attribute *decoded = NULL;
        MLIA_TRY(decode_attribute(file, entry, &decoded));
        entry->attribute = decoded; /* only when it is complete: see enter */
        leave(file, entry);
    }
    *attribute = entry->attribute;
    return NULL;
}

mlia_status *mlia_mlir_read_attribute(mlia_mlir_bytecode *file, mlia_reader *reader,
                                      const mlia_mlir_attribute **attribute)
{
    uint32_t index = 0;
    MLIA_TRY(mlia_mlir_read_index(file, reader, file->attribute_count, "attribute", &index));
    return mlia_mlir_attribute_at(file, index, attribute);
}
