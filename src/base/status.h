/* Errors: what went wrong, of which kind, where, and what to do about it.
 *
 * A function that can fail returns `mlia_status *`; NULL is success. A status is built once, where the fault
 * is known; callers only add context (mlia_status_in, mlia_status_path, mlia_status_hint) and pass it on.
 * Whoever ends its journey frees it. Running out of memory while building one gives a static E_MEMORY status,
 * so reporting can never fail.
 */
#ifndef MLIA_BASE_STATUS_H
#define MLIA_BASE_STATUS_H

#include "base/text.h"

typedef enum mlia_class {
    MLIA_CLASS_USAGE,
    MLIA_CLASS_CONFIG,
    MLIA_CLASS_INPUT,
    MLIA_CLASS_UNSUPPORTED,
    MLIA_CLASS_ANALYSIS,
    MLIA_CLASS_IO,
    MLIA_CLASS_LIMIT,
    MLIA_CLASS_PLUGIN,
    MLIA_CLASS_TIMEOUT,
    MLIA_CLASS_GATE,
    MLIA_CLASS_BATCH,
    MLIA_CLASS_INTERNAL,
    MLIA_CLASS_WARNING,
    MLIA_CLASS_NOTE,
} mlia_class;

/* MLIA_E_TOSA_OFFSET, MLIA_W_TOSA_BATCH, … from kinds.def. */
typedef enum mlia_kind {
#define X(name, class) MLIA_##name,
#include "base/kinds.def"
#undef X
    MLIA_KIND_COUNT
} mlia_kind;

/* "E_TOSA_OFFSET". */
const char *mlia_kind_name(mlia_kind kind);
mlia_class mlia_kind_class(mlia_kind kind);
/* "input". */
const char *mlia_class_name(mlia_class class);
/* Exit status of the program for a class: 1, 2, 3, 5 or 70; 0 for warnings and notes. */
int mlia_class_exit_status(mlia_class class);

typedef struct mlia_status mlia_status;

/* A place that is not known is absent: */
#define MLIA_NO_OFFSET UINT64_MAX

/* New status; `format` is printf's. The message has no file name, no position and no final period: those are
 * fields. Control characters in the finished message are written as \xNN; each is at most 4 KiB long. */
mlia_status *mlia_error(mlia_kind kind, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

/* The static status of kind E_MEMORY. Freeing it or adding context does nothing. */
mlia_status *mlia_error_memory(void) __attribute__((returns_nonnull));

/* Context; each returns `status` and does nothing for NULL. A place that is already set stays: the innermost
 * knows best. `member` is a path inside the file: a FlatBuffers path, ZIP member, JSON path, or INI section
 * and key. */
mlia_status *mlia_status_at(mlia_status *status, uint64_t byte_offset);
mlia_status *mlia_status_at_line(mlia_status *status, uint32_t line, uint32_t column);
mlia_status *mlia_status_in(mlia_status *status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
mlia_status *mlia_status_path(mlia_status *status, mlia_str path);
/* The same fault of another kind, for whom it means something else; out of memory stays what it is. */
mlia_status *mlia_status_as(mlia_status *status, mlia_kind kind);
mlia_status *mlia_status_hint(mlia_status *status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Puts what the fault is about, and a colon, in front of the message. */
mlia_status *mlia_status_about(mlia_status *status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#if defined(__clang_analyzer__) && !defined(MLIA_STATUS_DEFINITIONS)
/* The static analyser does not see that these return what they are given: an error stays an error. */
void mlia_status_use(const char *format, ...); /* nowhere: arguments count as used */
#define mlia_status_at(status, ...)      (status)
#define mlia_status_at_line(status, ...) (status)
#define mlia_status_in(status, ...)      (mlia_status_use(__VA_ARGS__), (status))
#define mlia_status_path(status, ...)    ((void)(__VA_ARGS__), (status))
#define mlia_status_as(status, ...)      (status)
#define mlia_status_hint(status, ...)    (status)
#define mlia_status_about(status, ...)   (mlia_status_use(__VA_ARGS__), (status))
/* … nor that an error is never NULL. */
static inline mlia_status *mlia_error_exists(mlia_status *status)
{
    if (status == NULL)
        __builtin_unreachable();
    return status;
}
#define mlia_error(...)     mlia_error_exists(mlia_error(__VA_ARGS__))
#define mlia_error_memory() mlia_error_exists(mlia_error_memory())
#endif

mlia_kind mlia_status_kind(const mlia_status *status);
mlia_str mlia_status_message(const mlia_status *status);
mlia_str mlia_status_hint_text(const mlia_status *status); /* empty when none */
mlia_str mlia_status_path_text(const mlia_status *status); /* empty when none */
mlia_str mlia_status_member(const mlia_status *status);    /* empty when none */
uint64_t mlia_status_offset(const mlia_status *status);    /* MLIA_NO_OFFSET when none */
uint32_t mlia_status_line(const mlia_status *status);      /* 0 when none */
uint32_t mlia_status_column(const mlia_status *status);    /* 0 when none */
void mlia_status_free(mlia_status *status);                /* NULL allowed */

/* Returns the status of `expression` to the caller if it failed. */
#define MLIA_TRY(expression)                                                                                 \
    do {                                                                                                     \
        mlia_status *mlia_try_status_ = (expression);                                                        \
        if (mlia_try_status_ != NULL)                                                                        \
            return mlia_try_status_;                                                                         \
    } while (0)

/* Returns E_MEMORY to the caller if an allocation gave NULL. */
#define MLIA_TRY_ALLOC(pointer)                                                                              \
    do {                                                                                                     \
        if ((pointer) == NULL)                                                                               \
            return mlia_error_memory();                                                                      \
    } while (0)

#endif
