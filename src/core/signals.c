/* Signal handlers: async-signal-safe calls only. */
#include "core/signals.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { SIGNAL_STATUS = 128 };

/* The only state of the program outside a run: a signal handler can have no other. */
static volatile sig_atomic_t held;
static volatile sig_atomic_t pending;
static char timeout_message[512];
static int timeout_status;

static void on_signal(int number)
{
    if (held && pending == 0)
        pending = number;
    else
        _exit(SIGNAL_STATUS + number);
}

static void on_timeout(int number)
{
    (void)number;
    if (held)
        return;
    (void)!write(STDERR_FILENO, timeout_message, strlen(timeout_message));
    _exit(timeout_status);
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void mlia_signals_install(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction old;
        /* nohup and shells that start background jobs ignore a signal on purpose */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            handle(numbers[i], on_signal);
    }
}

static void on_shortened_file(int number)
{
    static const char message[] = "mlia: error[E_READ]: a file became shorter while it was read\n";
    (void)number;
    (void)!write(STDERR_FILENO, message, sizeof message - 1);
    _exit(1);
}

void mlia_signals_expect_shortened_files(void)
{
    handle(SIGBUS, on_shortened_file);
}

void mlia_signals_set_timeout(double seconds, const char *message, int exit_status)
{
    snprintf(timeout_message, sizeof timeout_message, "%s", message);
    timeout_status = exit_status;
    handle(SIGALRM, on_timeout);
    struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)seconds,
                     .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
    if (timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0)
        timer.it_value.tv_usec = 1;
    setitimer(ITIMER_REAL, &timer, NULL);
}

void mlia_signals_hold(bool hold)
{
    const struct itimerval off = {0};
    held = hold;
    if (hold)
        setitimer(ITIMER_REAL, &off, NULL);
}

int mlia_signals_pending(void)
{
    return pending;
}
