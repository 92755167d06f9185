/* Signals and the time limit of a run. Until files are being written the program simply ends; while they are,
 * a signal only waits until the folder is complete or gone. */
#ifndef MLIA_CORE_SIGNALS_H
#define MLIA_CORE_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>

/* From now on SIGINT, SIGTERM and SIGHUP end the program with status 128 + number. */
void mlia_signals_install(void);

/* From now on reading what another program has cut off a mapped file ends the program with an error. */
void mlia_signals_expect_shortened_files(void);

/* After `seconds` the program writes `message` on standard error and ends with `exit_status`. */
void mlia_signals_set_timeout(double seconds, const char *message, int exit_status);

/* While held, the first signal only sets a mark; a second one ends the program at once. Ends the time limit
 * for good: what is about to be written is the answer. */
void mlia_signals_hold(bool hold);

/* Number of the signal that came while held, else 0. */
int mlia_signals_pending(void);

#endif
