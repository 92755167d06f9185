/* The list of warnings and notes. */
#include "base/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>

static bool is_repeated(const mlia_diagnostics *sink, const mlia_diagnostic *item)
{
    for (size_t i = 0; i < sink->count; i++) {
        const mlia_diagnostic *other = &sink->items[i];
        if (other->kind == item->kind && other->offset == item->offset &&
            mlia_str_equal(other->message, item->message) && mlia_str_equal(other->path, item->path) &&
            mlia_str_equal(other->member, item->member))
            return true;
    }
    return false;
}

static void add(mlia_diagnostics *sink, mlia_kind kind, uint64_t offset, mlia_str member, const char *format,
                va_list arguments)
{
    if (sink->count >= MLIA_DIAGNOSTIC_LIMIT) {
        sink->dropped++;
        return;
    }
    char text[2048];
    int size = vsnprintf(text, sizeof text, format, arguments);
    if (size < 0)
        return;
    size_t used = (size_t)size < sizeof text ? (size_t)size : sizeof text - 1;
    mlia_diagnostic item = {
        .kind = kind,
        .message =
            mlia_arena_str(sink->arena, (mlia_str){text, mlia_utf8_cut((mlia_str){text, used + 1}, used)}),
        .path = sink->path,
        .member = mlia_arena_str(sink->arena, member),
        .offset = offset,
    };
    if (item.message.data == NULL || is_repeated(sink, &item) ||
        !MLIA_RESERVE(sink->arena, sink->items, sink->count, sink->capacity))
        return;
    sink->items[sink->count++] = item;
}

void mlia_warn(mlia_diagnostics *sink, mlia_kind kind, const char *format, ...)
{
    if (sink == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    add(sink, kind, MLIA_NO_OFFSET, MLIA_STR_NONE, format, arguments);
    va_end(arguments);
}

void mlia_warn_at(mlia_diagnostics *sink, mlia_kind kind, uint64_t offset, mlia_str member,
                  const char *format, ...)
{
    if (sink == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    add(sink, kind, offset, member, format, arguments);
    va_end(arguments);
}
