/* Runs a command several times and prints its wall time and peak memory.
 *
 *   measure RUNS SECONDS COMMAND…      → "EXIT_STATUS BEST_NANOSECONDS PEAK_KIBIBYTES"
 *
 * Linux counts what a process held before exec among its peak, so a child of a large interpreter seems as
 * large as the interpreter. This program is small and starts the command without a copy of itself: the figure
 * is the command's own. A command that fails is run once; one that lasts longer than SECONDS is killed and
 * has the exit status 124. What it prints is thrown away. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { EXIT_TIMEOUT = 124, EXIT_NOT_RUN = 127 };

static volatile sig_atomic_t child;
static volatile sig_atomic_t late;

static void end_child(int number)
{
    (void)number;
    late = 1;
    if (child > 0)
        kill(child, SIGKILL);
}

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* One run: exit status, wall time in ns, peak resident set in KiB. */
static int run(char **command, unsigned seconds, const posix_spawn_file_actions_t *actions, long long *time,
               long *peak)
{
    pid_t pid;
    int status;
    struct rusage usage;
    long long started = now();
    if (posix_spawnp(&pid, command[0], actions, NULL, command, environ) != 0)
        return EXIT_NOT_RUN;
    child = pid;
    alarm(seconds);
    while (wait4(pid, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return EXIT_NOT_RUN;
    *time = now() - started;
    child = 0;
    alarm(0);
    *peak = usage.ru_maxrss;
    if (late)
        return EXIT_TIMEOUT;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **arguments)
{
    if (count < 4) {
        fputs("usage: measure RUNS SECONDS COMMAND…\n", stderr);
        return 2;
    }
    int runs = atoi(arguments[1]);
    unsigned seconds = (unsigned)atoi(arguments[2]);
    struct sigaction action = {.sa_handler = end_child};
    sigaction(SIGALRM, &action, NULL);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int status = 0;
    long long best = 0;
    long largest = 0;
    for (int i = 0; i < runs && status == 0; i++) {
        long long time = 0;
        long peak = 0;
        status = run(arguments + 3, seconds, &actions, &time, &peak);
        best = i == 0 || time < best ? time : best;
        largest = peak > largest ? peak : largest;
    }
    posix_spawn_file_actions_destroy(&actions);
    printf("%d %lld %ld\n", status, best, largest);
    return 0;
}
