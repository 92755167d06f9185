/* Status objects and the table of kinds and classes. */
#define MLIA_STATUS_DEFINITIONS
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_MESSAGE = 4096 };

struct mlia_status {
    mlia_kind kind;
    uint32_t line;
    uint32_t column;
    uint64_t offset;
    char *message;
    char *hint;
    char *path;
    char *member;
};

static mlia_status memory_status = {.kind = MLIA_E_MEMORY, .offset = MLIA_NO_OFFSET};
static const char memory_message[] = "out of memory";

static const struct {
    const char *name;
    mlia_class class;
} kinds[] = {
#define X(name, class) {#name, MLIA_CLASS_##class},
#include "base/kinds.def"
#undef X
};

static const struct {
    const char *name;
    int exit_status;
} classes[] = {
    [MLIA_CLASS_USAGE] = {"usage", 2},       [MLIA_CLASS_CONFIG] = {"config", 2},
    [MLIA_CLASS_INPUT] = {"input", 1},       [MLIA_CLASS_UNSUPPORTED] = {"unsupported", 1},
    [MLIA_CLASS_ANALYSIS] = {"analysis", 1}, [MLIA_CLASS_IO] = {"io", 1},
    [MLIA_CLASS_LIMIT] = {"limit", 1},       [MLIA_CLASS_PLUGIN] = {"plugin", 1},
    [MLIA_CLASS_TIMEOUT] = {"timeout", 1},   [MLIA_CLASS_GATE] = {"gate", 3},
    [MLIA_CLASS_BATCH] = {"batch", 5},       [MLIA_CLASS_INTERNAL] = {"internal", 70},
    [MLIA_CLASS_WARNING] = {"warning", 0},   [MLIA_CLASS_NOTE] = {"note", 0},
};

const char *mlia_kind_name(mlia_kind kind)
{
    return kinds[kind].name;
}

mlia_class mlia_kind_class(mlia_kind kind)
{
    return kinds[kind].class;
}

const char *mlia_class_name(mlia_class class)
{
    return classes[class].name;
}

int mlia_class_exit_status(mlia_class class)
{
    return classes[class].exit_status;
}

/* Copy of `text` that no file can use to send escape sequences to a terminal. NULL when out of memory. */
static char *escaped_copy(const char *text, size_t size)
{
    char *copy = malloc(size * 4 + 1);
    if (copy != NULL)
        copy[mlia_utf8_harmless((mlia_str){text, size}, copy)] = '\0';
    return copy;
}

static char *format_copy(const char *format, va_list arguments)
{
    char text[MAX_MESSAGE];
    int size = vsnprintf(text, sizeof text, format, arguments);
    if (size < 0)
        return NULL;
    size_t used = (size_t)size < sizeof text ? (size_t)size : sizeof text - 1;
    used = mlia_utf8_cut((mlia_str){text, used + 1}, used);
    return escaped_copy(text, used);
}

mlia_status *mlia_error(mlia_kind kind, const char *format, ...)
{
    mlia_status *status = calloc(1, sizeof *status);
    if (status == NULL)
        return &memory_status;
    status->kind = kind;
    status->offset = MLIA_NO_OFFSET;
    va_list arguments;
    va_start(arguments, format);
    status->message = format_copy(format, arguments);
    va_end(arguments);
    if (status->message == NULL) {
        free(status);
        return &memory_status;
    }
    return status;
}

mlia_status *mlia_error_memory(void)
{
    return &memory_status;
}

static bool is_dynamic(const mlia_status *status)
{
    return status != NULL && status != &memory_status;
}

mlia_status *mlia_status_at(mlia_status *status, uint64_t byte_offset)
{
    if (is_dynamic(status) && status->offset == MLIA_NO_OFFSET)
        status->offset = byte_offset;
    return status;
}

mlia_status *mlia_status_at_line(mlia_status *status, uint32_t line, uint32_t column)
{
    if (is_dynamic(status) && status->line == 0) {
        status->line = line;
        status->column = column;
    }
    return status;
}

mlia_status *mlia_status_in(mlia_status *status, const char *format, ...)
{
    if (!is_dynamic(status) || status->member != NULL)
        return status;
    va_list arguments;
    va_start(arguments, format);
    status->member = format_copy(format, arguments);
    va_end(arguments);
    return status;
}

mlia_status *mlia_status_path(mlia_status *status, mlia_str path)
{
    if (is_dynamic(status) && status->path == NULL)
        status->path = escaped_copy(path.size ? path.data : "", path.size);
    return status;
}

mlia_status *mlia_status_hint(mlia_status *status, const char *format, ...)
{
    if (!is_dynamic(status) || status->hint != NULL)
        return status;
    va_list arguments;
    va_start(arguments, format);
    status->hint = format_copy(format, arguments);
    va_end(arguments);
    return status;
}

mlia_status *mlia_status_about(mlia_status *status, const char *format, ...)
{
    if (!is_dynamic(status))
        return status;
    va_list arguments;
    va_start(arguments, format);
    char *about = format_copy(format, arguments);
    va_end(arguments);
    size_t size = about == NULL ? 0 : strlen(about) + strlen(status->message) + sizeof ": ";
    char *message = size == 0 ? NULL : malloc(size);
    if (message != NULL) {
        snprintf(message, size, "%s: %s", about, status->message);
        free(status->message);
        status->message = message;
    }
    free(about);
    return status;
}

mlia_status *mlia_status_as(mlia_status *status, mlia_kind kind)
{
    if (is_dynamic(status))
        status->kind = kind;
    return status;
}

mlia_kind mlia_status_kind(const mlia_status *status)
{
    return status->kind;
}

mlia_str mlia_status_message(const mlia_status *status)
{
    return mlia_str_from_c(status->message ? status->message : memory_message);
}

mlia_str mlia_status_hint_text(const mlia_status *status)
{
    return mlia_str_from_c(status->hint);
}

mlia_str mlia_status_path_text(const mlia_status *status)
{
    return mlia_str_from_c(status->path);
}

mlia_str mlia_status_member(const mlia_status *status)
{
    return mlia_str_from_c(status->member);
}

uint64_t mlia_status_offset(const mlia_status *status)
{
    return status->offset;
}

uint32_t mlia_status_line(const mlia_status *status)
{
    return status->line;
}

uint32_t mlia_status_column(const mlia_status *status)
{
    return status->column;
}

void mlia_status_free(mlia_status *status)
{
    if (!is_dynamic(status))
        return;
    free(status->message);
    free(status->hint);
    free(status->path);
    free(status->member);
    free(status);
}
