/* The log of a run, kept in memory and written to logs/mlia.log of the output folder. */
#ifndef MLIA_CORE_LOG_H
#define MLIA_CORE_LOG_H

#include "base/bytes.h"

typedef struct mlia_log {
    mlia_buffer text;
    void (*echo)(void *context, const char *line); /* gets every message too, for --debug; NULL = nobody */
    void *echo_context;
} mlia_log;

/* One line "2026-01-01 00:00:00,123 - mlia.core - INFO - text" (UTC). A NULL log ignores it. */
void mlia_log_add(mlia_log *log, const char *level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
