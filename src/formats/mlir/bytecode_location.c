/* Locations of MLIR bytecode, written as the text that MLIR prints for them. */
#include "formats/mlir/bytecode.h"

static mlia_status *add_location(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_buffer *text)
{
    const mlia_mlir_attribute *attribute;
    MLIA_TRY(mlia_mlir_read_attribute(file, reader, &attribute));
    if (attribute->kind != MLIA_MLIR_LOCATION)
        return mlia_mlir_reader_error(file, MLIA_MLIR_TYPE, reader, "expected a location");
    mlia_buffer_add_str(text, attribute->text.size == 0
                                  ? MLIA_STR("unknown")
                                  : mlia_str_slice(attribute->text, 4, attribute->text.size - 5));
    if (text->size > MLIA_MLIR_TEXT_LIMIT)
        return mlia_mlir_reader_error(file, MLIA_MLIR_LIMIT, reader, "location text is too long");
    return NULL;
}

static mlia_status *add_quoted(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_buffer *text)
{
    mlia_str name;
    MLIA_TRY(mlia_mlir_read_string_attribute(file, reader, &name));
    if (!mlia_utf8_valid(name))
        return mlia_mlir_reader_error(file, MLIA_MLIR_UTF8, reader, "location name is not UTF-8");
    mlia_mlir_quote(text, name);
    return NULL;
}

static mlia_status *add_fused(mlia_mlir_bytecode *file, mlia_reader *reader, bool metadata, mlia_buffer *text)
{
    uint32_t count = 0;
    const mlia_mlir_attribute *extra = NULL;
    mlia_buffer parts = {0};
    mlia_status *status = mlia_mlir_read_count(file, reader, &count);
    for (uint32_t i = 0; status == NULL && i < count; i++) {
        mlia_buffer_add_str(&parts, i > 0 ? MLIA_STR(", ") : MLIA_STR_NONE);
        status = add_location(file, reader, &parts);
    }
    if (status == NULL && metadata)
        status = mlia_mlir_read_attribute(file, reader, &extra);
    if (status == NULL) {
        mlia_buffer_add_str(text, MLIA_STR("fused"));
        if (extra != NULL && extra->kind == MLIA_MLIR_STRING) { /* other metadata has no use here */
            mlia_buffer_add_byte(text, '<');
            mlia_mlir_quote(text, extra->text);
            mlia_buffer_add_byte(text, '>');
        }
        mlia_buffer_add_byte(text, '[');
        mlia_buffer_add_str(text, mlia_buffer_str(&parts));
        mlia_buffer_add_byte(text, ']');
        status = mlia_buffer_status(&parts);
    }
    mlia_buffer_free(&parts);
    return status;
}

/* "file":L:C, and "to :C" or "to L:C" when there are three or four numbers. */
static mlia_status *add_range(mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t count,
                              mlia_buffer *text)
{
    static const char *const before[] = {":", ":", " to :", ":"};
    for (uint32_t i = 0; i < count || i < 2; i++) {
        uint64_t number = 0; /* also what line and column are when they are left out */
        if (i < count)
            MLIA_TRY(mlia_mlir_read_number(file, reader, &number));
        const char *mark = i == 2 && count == 4 ? " to " : before[i];
        mlia_buffer_format(text, "%s%llu", mark, (unsigned long long)number);
    }
    return NULL;
}

static mlia_status *write_location(mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t code,
                                   mlia_buffer *text)
{
    switch (code) {
    case MLIA_MLIR_CODE_CALLSITE:
        mlia_buffer_add_str(text, MLIA_STR("callsite("));
        MLIA_TRY(add_location(file, reader, text));
        mlia_buffer_add_str(text, MLIA_STR(" at "));
        MLIA_TRY(add_location(file, reader, text));
        mlia_buffer_add_byte(text, ')');
        return NULL;
    case MLIA_MLIR_CODE_FILE:
        MLIA_TRY(add_quoted(file, reader, text));
        return add_range(file, reader, 2, text);
    case MLIA_MLIR_CODE_RANGE: {
        uint32_t count = 0;
        MLIA_TRY(add_quoted(file, reader, text));
        MLIA_TRY(mlia_mlir_read_count(file, reader, &count));
        if (count > 4)
            return mlia_mlir_reader_error(file, MLIA_MLIR_SYNTAX, reader,
                                          "file range has more than 4 numbers");
        return add_range(file, reader, count, text);
    }
    case MLIA_MLIR_CODE_NAME: {
        MLIA_TRY(add_quoted(file, reader, text));
        size_t before = text->size;
        mlia_buffer_add_byte(text, '(');
        MLIA_TRY(add_location(file, reader, text));
        if (text->failed ||
            mlia_str_equal_c(mlia_str_slice(mlia_buffer_str(text), before + 1, text->size), "unknown"))
            text->size = before;
        else
            mlia_buffer_add_byte(text, ')');
        return NULL;
    }
    default:
        return add_fused(file, reader, code == MLIA_MLIR_CODE_FUSED_METADATA, text);
    }
}

mlia_status *mlia_mlir_read_location(mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t code,
                                     mlia_mlir_attribute *out)
{
    out->kind = MLIA_MLIR_LOCATION;
    if (code == MLIA_MLIR_CODE_UNKNOWN)
        return NULL;
    mlia_buffer text = {0};
    mlia_buffer_add_str(&text, MLIA_STR("loc("));
    mlia_status *status = write_location(file, reader, code, &text);
    if (status != NULL) {
        mlia_buffer_free(&text);
        return status;
    }
    mlia_buffer_add_byte(&text, ')');
    return mlia_mlir_keep_location(&file->context, reader->bytes.data, &text, &out->text);
}
