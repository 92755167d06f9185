/* Runs a program of the user's in a temporary folder and reads its files. No shell, no descriptor of ours but
 * the three standard ones, own process group so that everything it starts can be ended. */
#include "estimate/program.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "estimate/databases.h"

enum {
    FILE_LIMIT = 256 << 20,
    PATH_SIZE = 4096,
    POLL_NANOSECONDS = 5000000,
    LINE_SHOWN = 200,
    OPEN_FOLDERS = 8
};

#define LOG_NAME "output.txt"

extern char **environ;

/* Files of a run: what goes in, what must come out, what may. */
static const char *const suffixes[] = {"_network_performance_summary.json", "_performance_database.dat",
                                       "_debug_database.dat"};
enum { SUMMARY, PERFORMANCE, DEBUG, RESULT_COUNT };

static void file_path(char path[PATH_SIZE], const char *folder, mlia_str stem, const char *suffix)
{
    snprintf(path, PATH_SIZE, "%s/%.*s%s", folder, MLIA_STR_ARG(stem), suffix);
}

/* The last line that the program printed, for messages. */
static void last_line(const char *folder, char line[LINE_SHOWN + 1])
{
    char path[PATH_SIZE];
    mlia_file *file = NULL;
    line[0] = '\0';
    snprintf(path, sizeof path, "%s/" LOG_NAME, folder);
    mlia_status *status = mlia_file_read(path, FILE_LIMIT, &file);
    mlia_status_free(status);
    if (status != NULL)
        return;
    mlia_str text = {(const char *)mlia_file_bytes(file).data, mlia_file_bytes(file).size};
    while (text.size > 0 && (text.data[text.size - 1] == '\n' || text.data[text.size - 1] == '\r'))
        text.size--;
    size_t newline = mlia_str_find_last(text, '\n');
    text = mlia_str_slice(text, newline == SIZE_MAX ? 0 : newline + 1, LINE_SHOWN);
    text.size = mlia_utf8_cut(text, text.size);
    if (text.data != NULL)
        memcpy(line, text.data, text.size);
    line[text.size] = '\0';
    mlia_file_free(file);
}

static mlia_status *start(const mlia_program_run *run, const char *folder, pid_t *pid)
{
    char program[PATH_SIZE];
    char input[256];
    char name[256];
    if (realpath(run->program, program) == NULL)
        return mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "%s cannot be run: %s", run->program, strerror(errno));
    snprintf(name, sizeof name, "%.*s", MLIA_STR_ARG(run->stem));
    snprintf(input, sizeof input, "%.*s.vgf", MLIA_STR_ARG(run->stem));
    char dash_i[] = "-i";
    char dash_o[] = "-o";
    char *arguments[] = {program, dash_i, input, dash_o, name, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return mlia_error_memory();
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return mlia_error_memory();
    }
    int failed = posix_spawn_file_actions_addchdir_np(&actions, folder);
    failed |= posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    failed |= posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, LOG_NAME,
                                               O_WRONLY | O_CREAT | O_TRUNC, 0600);
    failed |= posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    failed |= posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    failed |= posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int error = failed != 0 ? ENOMEM : posix_spawn(pid, program, &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0)
        return mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "%s cannot be run: %s", run->program, strerror(error));
    return NULL;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void end_group(pid_t pid)
{
    kill(-pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Waits for the program; ends it when it takes too long or the run is cancelled. */
static mlia_status *wait_for(const mlia_program_run *run, const char *folder, pid_t pid)
{
    const struct timespec pause = {0, POLL_NANOSECONDS};
    double limit = seconds_now() + run->seconds;
    int state = 0;
    for (;;) {
        pid_t ended = waitpid(pid, &state, WNOHANG);
        if (ended == pid)
            break;
        if (ended < 0 && errno != EINTR)
            return mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "%s was lost: %s", run->program, strerror(errno));
        if (run->cancelled != NULL && run->cancelled()) {
            end_group(pid);
            return mlia_error(MLIA_E_TIMEOUT, "%s was stopped", run->program);
        }
        if (seconds_now() > limit) {
            end_group(pid);
            return mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "%s did not end within %u seconds", run->program,
                              run->seconds);
        }
        nanosleep(&pause, NULL);
    }
    char line[LINE_SHOWN + 1];
    last_line(folder, line);
    const char *separator = line[0] != '\0' ? "; it says: " : "";
    if (WIFSIGNALED(state))
        return mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "%s was ended by signal %d%s%s", run->program,
                          WTERMSIG(state), separator, line);
    if (WEXITSTATUS(state) != 0)
        return mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "%s ended with status %d%s%s", run->program,
                          WEXITSTATUS(state), separator, line);
    return NULL;
}

static mlia_status *read_results(const mlia_program_run *run, const char *folder, mlia_arena *arena,
                                 mlia_diagnostics *diagnostics, mlia_estimate_segment *segment,
                                 mlia_summary *summary)
{
    mlia_database_file files[RESULT_COUNT];
    for (int i = 0; i < RESULT_COUNT; i++) {
        char path[PATH_SIZE];
        mlia_file *file = NULL;
        file_path(path, folder, run->stem, suffixes[i]);
        files[i].name = mlia_arena_format(arena, "%.*s%s", MLIA_STR_ARG(run->stem), suffixes[i]);
        MLIA_TRY_ALLOC(files[i].name.data);
        mlia_status *status = mlia_file_read(path, FILE_LIMIT, &file);
        if (status != NULL) {
            mlia_status *error =
                mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "%s has not written %.*s: %.*s", run->program,
                           MLIA_STR_ARG(files[i].name), MLIA_STR_ARG(mlia_status_message(status)));
            mlia_status_free(status);
            return error;
        }
        mlia_bytes bytes = mlia_file_bytes(file);
        files[i].text = mlia_arena_str(arena, (mlia_str){(const char *)bytes.data, bytes.size});
        mlia_file_free(file);
        MLIA_TRY_ALLOC(files[i].text.data);
    }
    MLIA_TRY(mlia_summary_read(files[SUMMARY].name, files[SUMMARY].text, summary));
    return mlia_databases_read(&files[PERFORMANCE], &files[DEBUG], arena, diagnostics, segment);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

mlia_status *mlia_program_estimate(const mlia_program_run *run, mlia_arena *arena,
                                   mlia_diagnostics *diagnostics, mlia_estimate_segment *segment,
                                   mlia_summary *summary)
{
    char folder[PATH_SIZE / 2];
    char path[PATH_SIZE];
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/mlia-estimator-XXXXXX",
             base != NULL && base[0] == '/' ? base : "/tmp");
    if (mkdtemp(folder) == NULL)
        return mlia_error(MLIA_E_WRITE, "no temporary folder %s: %s", folder, strerror(errno));
    file_path(path, folder, run->stem, ".vgf");
    pid_t pid = 0;
    mlia_status *status = mlia_file_write(path, run->vgf);
    if (status == NULL)
        status = start(run, folder, &pid);
    if (status == NULL)
        status = wait_for(run, folder, pid);
    if (status == NULL)
        status = read_results(run, folder, arena, diagnostics, segment, summary);
    nftw(folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS); /* links are not followed */
    return status;
}
