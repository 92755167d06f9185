/* Writing errors, warnings and notes. */
#include "core/diagnostic.h"

#include <stdlib.h>

mlia_diagnostic mlia_diagnostic_of(const mlia_status *status)
{
    return (mlia_diagnostic){
        .kind = mlia_status_kind(status),
        .message = mlia_status_message(status),
        .path = mlia_status_path_text(status),
        .member = mlia_status_member(status),
        .offset = mlia_status_offset(status),
        .line = mlia_status_line(status),
        .column = mlia_status_column(status),
    };
}

const char *mlia_diagnostic_severity(mlia_kind kind)
{
    switch (mlia_kind_class(kind)) {
    case MLIA_CLASS_WARNING:
        return "warning";
    case MLIA_CLASS_NOTE:
        return "note";
    default:
        return "error";
    }
}

/* First match counts. */
static const struct {
    const char *prefix; /* of the kind without its first letter */
    const char *stage;
} stages[] = {
    {"_PROFILE", "profile"},
    {"_CONFIG", "configuration"},
    {"_ESTIMATOR_CONFIG", "configuration"},
    {"_OVERRIDE", "configuration"},
    {"_BACKEND", "configuration"},
    {"_OPTION", "options"},
    {"_ARGUMENT", "options"},
    {"_COMMAND", "options"},
    {"_DEPRECATED", "options"},
    {"_INPUT_SHAPE", "parse"},
    {"_TOSA", "parse"},
    {"_MLIR", "parse"},
    {"_VGF", "parse"},
    {"_SPIRV", "parse"},
    {"_TFLITE", "parse"},
    {"_JSON", "parse"},
    {"_DOCUMENT", "parse"},
    {"_PROJECTION", "project"},
    {"_COLLAPSE", "project"},
    {"_UNESTIMATED", "estimate"},
    {"_SEGMENT", "estimate"},
    {"_ANALYSIS", "estimate"},
    {"_ESTIMATOR", "estimate"},
    {"_NO_ROUTE", "convert"},
    {"_OUTPUT", "write"},
    {"_WRIT", "write"},
    {"_INTERNAL", "internal"},
};

const char *mlia_diagnostic_stage(mlia_kind kind)
{
    mlia_str name = mlia_str_from_c(mlia_kind_name(kind) + 1);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (mlia_str_starts_with(name, mlia_str_from_c(stages[i].prefix)))
            return stages[i].stage;
    return "input";
}

/* Names in warnings are as the file or the user wrote them. */
static void add_harmless(mlia_buffer *buffer, mlia_str text)
{
    char *copy = malloc(text.size * 4 + 1);
    if (copy != NULL)
        mlia_buffer_add(buffer, copy, mlia_utf8_harmless(text, copy));
    else
        buffer->failed = true;
    free(copy);
}

void mlia_diagnostic_text(const mlia_diagnostic *diagnostic, mlia_str hint, mlia_buffer *buffer)
{
    const char *severity = mlia_diagnostic_severity(diagnostic->kind);
    if (mlia_kind_class(diagnostic->kind) == MLIA_CLASS_NOTE)
        mlia_buffer_format(buffer, "mlia: %s: ", severity);
    else
        mlia_buffer_format(buffer, "mlia: %s[%s]: ", severity, mlia_kind_name(diagnostic->kind));
    add_harmless(buffer, diagnostic->path);
    if (diagnostic->path.size > 0)
        mlia_buffer_add_byte(buffer, ':');
    if (diagnostic->line > 0)
        mlia_buffer_format(buffer, "%u:%u:", diagnostic->line, diagnostic->column);
    if (diagnostic->path.size > 0 || diagnostic->line > 0)
        mlia_buffer_add_byte(buffer, ' ');
    if (diagnostic->offset != MLIA_NO_OFFSET)
        mlia_buffer_format(buffer, "byte %llu: ", (unsigned long long)diagnostic->offset);
    add_harmless(buffer, diagnostic->member);
    if (diagnostic->member.size > 0)
        mlia_buffer_add_str(buffer, MLIA_STR(": "));
    add_harmless(buffer, diagnostic->message);
    mlia_buffer_add_byte(buffer, '\n');
    if (hint.size > 0)
        mlia_buffer_format(buffer, "mlia: hint: %.*s\n", MLIA_STR_ARG(hint));
}

static bool set_text(mlia_arena *arena, mlia_value *object, const char *name, mlia_str text)
{
    if (text.size == 0)
        return true;
    mlia_str copy = mlia_arena_str(arena, text);
    return copy.data != NULL &&
           mlia_value_set(arena, object, mlia_str_from_c(name), mlia_value_string(arena, copy));
}

static bool set_number(mlia_arena *arena, mlia_value *object, const char *name, bool known, uint64_t number)
{
    return !known ||
           mlia_value_set(arena, object, mlia_str_from_c(name), mlia_value_integer(arena, (int64_t)number));
}

mlia_value *mlia_diagnostic_value(mlia_arena *arena, const mlia_diagnostic *diagnostic, mlia_str hint)
{
    mlia_value *object = mlia_value_object(arena);
    mlia_str message = diagnostic->message;
    if (diagnostic->member.size > 0)
        message =
            mlia_arena_format(arena, "%.*s: %.*s", MLIA_STR_ARG(diagnostic->member), MLIA_STR_ARG(message));
    bool done =
        object != NULL && message.data != NULL &&
        set_text(arena, object, "code", mlia_str_from_c(mlia_kind_name(diagnostic->kind))) &&
        set_text(arena, object, "severity", mlia_str_from_c(mlia_diagnostic_severity(diagnostic->kind))) &&
        set_text(arena, object, "stage", mlia_str_from_c(mlia_diagnostic_stage(diagnostic->kind))) &&
        set_text(arena, object, "message", message) && set_text(arena, object, "hint", hint) &&
        set_text(arena, object, "path", diagnostic->path) &&
        set_number(arena, object, "offset", diagnostic->offset != MLIA_NO_OFFSET, diagnostic->offset) &&
        set_number(arena, object, "line", diagnostic->line > 0, diagnostic->line) &&
        set_number(arena, object, "column", diagnostic->line > 0, diagnostic->column);
    return done ? object : NULL;
}
