/* Types, attributes and errors shared by text and bytecode. */
#include "formats/mlir/ir.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/checked.h"

static const mlia_kind fault_kinds[MLIA_MLIR_FAULT_COUNT][2] = {
    [MLIA_MLIR_SYNTAX] = {MLIA_E_MLIR_SYNTAX, MLIA_E_MLIRBC_SCHEMA},
    [MLIA_MLIR_ENUM] = {MLIA_E_MLIR_ENUM, MLIA_E_MLIRBC_ENUM},
    [MLIA_MLIR_ATTRIBUTE] = {MLIA_E_MLIR_ATTRIBUTE, MLIA_E_MLIRBC_ATTRIBUTE},
    [MLIA_MLIR_DANGLING] = {MLIA_E_MLIR_DANGLING, MLIA_E_MLIRBC_DANGLING},
    [MLIA_MLIR_DUPLICATE] = {MLIA_E_MLIR_DUPLICATE, MLIA_E_MLIRBC_SCHEMA},
    [MLIA_MLIR_CYCLE] = {MLIA_E_MLIR_CYCLE, MLIA_E_MLIRBC_CYCLE},
    [MLIA_MLIR_DATA] = {MLIA_E_MLIR_DATA, MLIA_E_MLIRBC_DATA},
    [MLIA_MLIR_TYPE] = {MLIA_E_MLIR_TYPE, MLIA_E_MLIRBC_TYPE},
    [MLIA_MLIR_UTF8] = {MLIA_E_MLIR_UTF8, MLIA_E_MLIRBC_UTF8},
    [MLIA_MLIR_EMPTY] = {MLIA_E_MLIR_EMPTY, MLIA_E_MLIRBC_EMPTY},
    [MLIA_MLIR_UNSUPPORTED] = {MLIA_E_MLIR_UNSUPPORTED, MLIA_E_MLIRBC_UNSUPPORTED},
    [MLIA_MLIR_LIMIT] = {MLIA_E_MLIR_LIMIT, MLIA_E_MLIRBC_LIMIT},
    [MLIA_MLIR_TRUNCATED] = {MLIA_E_MLIR_SYNTAX, MLIA_E_MLIRBC_TRUNCATED},
    [MLIA_MLIR_OFFSET] = {MLIA_E_MLIR_SYNTAX, MLIA_E_MLIRBC_OFFSET},
};

static mlia_status *at_text_position(mlia_status *status, mlia_bytes file, const char *position)
{
    const char *line_start = (const char *)file.data;
    const char *next;
    uint32_t line = 1;
    while ((next = memchr(line_start, '\n', (size_t)(position - line_start))) != NULL) {
        line_start = next + 1;
        line++;
    }
    return mlia_status_at_line(status, line, (uint32_t)(position - line_start) + 1);
}

mlia_status *mlia_mlir_error(const mlia_mlir_context *context, mlia_mlir_fault fault, const void *position,
                             const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    mlia_status *status = mlia_error(fault_kinds[fault][context->bytecode], "%s", message);
    const uint8_t *place = position;
    if (place == NULL || place < context->file.data || place > context->file.data + context->file.size)
        return status;
    if (context->bytecode)
        return mlia_status_at(status, (uint64_t)(place - context->file.data));
    return at_text_position(status, context->file, position);
}

const mlia_mlir_attribute *mlia_mlir_get(const mlia_mlir_dictionary *dictionary, mlia_str name)
{
    for (size_t i = 0; i < dictionary->count; i++)
        if (mlia_str_equal(dictionary->items[i].name, name))
            return dictionary->items[i].value;
    return NULL;
}

const mlia_mlir_attribute *mlia_mlir_get_kind(const mlia_mlir_dictionary *dictionary, mlia_str name,
                                              mlia_mlir_attribute_kind kind)
{
    const mlia_mlir_attribute *value = mlia_mlir_get(dictionary, name);
    return value != NULL && value->kind == kind ? value : NULL;
}

bool mlia_mlir_type_equal(const mlia_mlir_type *a, const mlia_mlir_type *b)
{
    if (a == b || a->kind == MLIA_MLIR_TYPE_ANY || b->kind == MLIA_MLIR_TYPE_ANY)
        return true;
    return a->kind == b->kind && a->element == b->element && a->signedness == b->signedness &&
           a->unranked == b->unranked && a->rank == b->rank && mlia_str_equal(a->text, b->text) &&
           (a->dims == NULL || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0) &&
           a->kind != MLIA_MLIR_TYPE_FUNCTION;
}

static void add_element(mlia_buffer *buffer, const mlia_mlir_type *type)
{
    static const char *const marks[] = {"", "s", "u"};
    if (type->element == MLIA_TYPE_UNKNOWN) {
        mlia_buffer_add_str(buffer, type->text);
        return;
    }
    mlia_buffer_format(buffer, "%s%.*s", marks[type->signedness],
                       MLIA_STR_ARG(mlia_type_describe(type->element)->mlir));
}

static void add_type(mlia_buffer *buffer, const mlia_mlir_type *type)
{
    switch ((mlia_mlir_type_kind)type->kind) {
    case MLIA_MLIR_TYPE_ELEMENT:
        add_element(buffer, type);
        break;
    case MLIA_MLIR_TYPE_TENSOR:
        mlia_buffer_format(buffer, type->unranked ? "tensor<*x" : "tensor<");
        for (uint32_t i = 0; i < type->rank; i++)
            if (type->dims[i] == MLIA_DIM_UNKNOWN)
                mlia_buffer_format(buffer, "?x");
            else
                mlia_buffer_format(buffer, "%lldx", (long long)type->dims[i]);
        add_element(buffer, type);
        mlia_buffer_format(buffer, ">");
        break;
    case MLIA_MLIR_TYPE_SHAPE:
        mlia_buffer_format(buffer, "!tosa.shape<%u>", type->rank);
        break;
    case MLIA_MLIR_TYPE_FUNCTION:
        mlia_buffer_format(buffer, "a function type");
        break;
    case MLIA_MLIR_TYPE_OPAQUE:
    case MLIA_MLIR_TYPE_ANY:
        mlia_buffer_add_str(buffer, type->text);
        break;
    }
}

mlia_str mlia_mlir_type_text(mlia_arena *arena, const mlia_mlir_type *type)
{
    mlia_buffer buffer = {0};
    add_type(&buffer, type);
    mlia_str text = mlia_arena_str(arena, mlia_buffer_str(&buffer));
    mlia_buffer_free(&buffer);
    return text;
}

/* Scalars of MLIR that TOSA has no type for. */
static const char *const foreign_floats[] = {"f64",        "f80",        "f128",          "tf32",  "f8E4M3",
                                             "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E3M4"};

static bool is_integer_spelling(mlia_str text)
{
    if (text.size < 2 || text.size > 9 || text.data[0] != 'i')
        return false;
    for (size_t i = 1; i < text.size; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return true;
}

bool mlia_mlir_scalar(mlia_str text, mlia_mlir_type *type)
{
    *type = (mlia_mlir_type){.kind = MLIA_MLIR_TYPE_ELEMENT};
    mlia_str spelling = text;
    if (text.size > 2 && text.data[1] == 'i' && (text.data[0] == 's' || text.data[0] == 'u')) {
        type->signedness = text.data[0] == 's' ? 1 : 2;
        spelling = mlia_str_slice(text, 1, text.size);
    }
    for (uint32_t i = 1; i < MLIA_TYPE_LIMIT; i++)
        if (mlia_str_equal(mlia_type_describe(i)->mlir, spelling)) {
            type->element = (uint8_t)i;
            return true;
        }
    type->signedness = 0;
    type->text = text;
    if (is_integer_spelling(spelling))
        return true;
    for (size_t i = 0; i < sizeof foreign_floats / sizeof *foreign_floats; i++)
        if (mlia_str_equal_c(text, foreign_floats[i]))
            return true;
    return false;
}

bool mlia_mlir_type_elements(const mlia_mlir_type *type, uint64_t *count)
{
    *count = 1;
    bool zero = false;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dims[i] < 0)
            return false;
        if (type->dims[i] == 0)
            zero = true;
        else if (!mlia_mul_u64(*count, (uint64_t)type->dims[i], count))
            return false;
    }
    if (zero)
        *count = 0;
    return !type->unranked && *count < (uint64_t)INT64_MAX / 8;
}

void mlia_mlir_quote(mlia_buffer *buffer, mlia_str text)
{
    mlia_buffer_add_byte(buffer, '"');
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte == '\\')
            mlia_buffer_format(buffer, "\\\\");
        else if (byte >= 0x20 && byte < 0x7F && byte != '"')
            mlia_buffer_add_byte(buffer, byte);
        else
            mlia_buffer_format(buffer, "\\%02X", byte);
    }
    mlia_buffer_add_byte(buffer, '"');
}
