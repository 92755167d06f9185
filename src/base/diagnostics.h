/* Warnings and notes that a stage raises while it goes on. The sink belongs to whoever asked for the work. */
#ifndef MLIA_BASE_DIAGNOSTICS_H
#define MLIA_BASE_DIAGNOSTICS_H

#include "base/arena.h"
#include "base/status.h"

typedef struct mlia_diagnostic {
    mlia_kind kind;
    mlia_str message; /* in the sink's arena */
    mlia_str path;    /* file as the user wrote it; empty when none */
    mlia_str member;  /* place inside the file; empty when none */
    uint64_t offset;  /* MLIA_NO_OFFSET when none */
    uint32_t line;    /* 0 when none */
    uint32_t column;
} mlia_diagnostic;

/* Nobody reads more, and a hostile file could ask for any number. */
enum { MLIA_DIAGNOSTIC_LIMIT = 1000 };

/* List in order of rise; equal kind, message and place are kept once. Texts live in `arena`. */
typedef struct mlia_diagnostics {
    mlia_arena *arena;
    mlia_diagnostic *items;
    size_t count;
    size_t capacity;
    size_t dropped; /* beyond MLIA_DIAGNOSTIC_LIMIT */
    mlia_str path;  /* given to every new item: the file being read */
} mlia_diagnostics;

/* Adds a warning or note. A NULL sink ignores it; running out of memory drops it. */
void mlia_warn(mlia_diagnostics *sink, mlia_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with a byte offset and a place inside the file (may be empty). */
void mlia_warn_at(mlia_diagnostics *sink, mlia_kind kind, uint64_t offset, mlia_str member,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
