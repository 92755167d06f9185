/* Log lines. */
#include "core/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

void mlia_log_add(mlia_log *log, const char *level, const char *format, ...)
{
    if (log == NULL)
        return;
    char text[1024] = "";
    char message[4 * sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    message[mlia_utf8_harmless(mlia_str_from_c(text), message)] = '\0';
    struct timespec now;
    struct tm utc;
    char date[20];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &utc);
    mlia_buffer_format(&log->text, "%s,%03d - mlia.core - %s - %s\n", date, (int)(now.tv_nsec / 1000000),
                       level, message);
    if (log->echo != NULL)
        log->echo(log->echo_context, message);
}
