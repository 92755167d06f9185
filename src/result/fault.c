/* Faults and their places. */
#include "result/fault.h"

#include <stdarg.h>
#include <stdio.h>

static bool is_identifier(mlia_str name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9'))
            return false;
    }
    return name.size > 0;
}

/* Steps from the document down: the chain is short (depth of the document), so recursion is. */
static void add_step(mlia_buffer *buffer, const mlia_step *step) /* NOLINT(misc-no-recursion) */
{
    if (step == NULL)
        return;
    add_step(buffer, step->up);
    if (step->name.data == NULL) {
        mlia_buffer_format(buffer, "[%zu]", step->index);
    } else if (is_identifier(step->name)) {
        mlia_buffer_format(buffer, ".%.*s", MLIA_STR_ARG(step->name));
    } else {
        mlia_value name = {.type = MLIA_VALUE_STRING, .as.string = step->name};
        mlia_buffer_add_byte(buffer, '[');
        mlia_value_write(&name, -1, buffer);
        mlia_buffer_add_byte(buffer, ']');
    }
}

mlia_str mlia_step_path(mlia_arena *arena, const mlia_step *step)
{
    mlia_buffer buffer = {0};
    mlia_buffer_add_byte(&buffer, '$');
    add_step(&buffer, step);
    mlia_str path = buffer.failed ? MLIA_STR_NONE : mlia_arena_str(arena, mlia_buffer_str(&buffer));
    mlia_buffer_free(&buffer);
    return path;
}

/* Copy in which control characters are written as \\xNN. */
static mlia_str visible_copy(mlia_arena *arena, const char *text)
{
    mlia_buffer buffer = {0};
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            mlia_buffer_format(&buffer, "\\x%02x", (unsigned char)*text);
        else
            mlia_buffer_add_byte(&buffer, (uint8_t)*text);
    }
    mlia_str copy = buffer.failed ? MLIA_STR_NONE : mlia_arena_str(arena, mlia_buffer_str(&buffer));
    mlia_buffer_free(&buffer);
    return copy;
}

void mlia_fault_add(mlia_faults *faults, const char *rule, const mlia_step *at, const char *format, ...)
{
    enum { TEXT_SIZE = 1024 };
    if (faults == NULL)
        return;
    faults->total++;
    if (faults->count == MLIA_FAULTS_KEPT ||
        !MLIA_RESERVE(faults->arena, faults->items, faults->count, faults->capacity))
        return;
    char text[TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    faults->items[faults->count++] =
        (mlia_fault){rule, mlia_step_path(faults->arena, at), visible_copy(faults->arena, text)};
}

mlia_status *mlia_faults_status(const mlia_faults *faults)
{
    if (faults->total == 0)
        return NULL;
    if (faults->count == 0)
        return mlia_error_memory();
    const mlia_fault *first = &faults->items[0];
    return mlia_status_in(mlia_error(MLIA_E_DOCUMENT, "%s: %.*s", first->rule, MLIA_STR_ARG(first->text)),
                          "%.*s", MLIA_STR_ARG(first->path));
}
