/* tosa-copy IN OUT: reads a TOSA FlatBuffer and writes it again; prints warnings. Exit status 1 with the kind
 * and message when that fails. */
#include <stdio.h>

#include "base/file.h"
#include "formats/tosa/tosa.h"

static mlia_status *copy(const char *from, const char *to, mlia_arena *arena)
{
    mlia_file *file;
    MLIA_TRY(mlia_file_open(from, &file));
    mlia_graph *graph;
    mlia_buffer out = {0};
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_status *status = mlia_tosa_read(mlia_file_bytes(file), arena, &diagnostics, &graph);
    for (size_t i = 0; i < diagnostics.count; i++)
        fprintf(stderr, "%s: %.*s\n", mlia_kind_name(diagnostics.items[i].kind),
                MLIA_STR_ARG(diagnostics.items[i].message));
    if (status == NULL)
        status = mlia_tosa_write(graph, &out);
    if (status == NULL)
        status = mlia_file_write(to, mlia_buffer_bytes(&out));
    mlia_buffer_free(&out);
    mlia_file_free(file);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: tosa-copy IN OUT\n");
        return 2;
    }
    mlia_arena *arena = mlia_arena_new(0);
    mlia_status *status = arena ? copy(argv[1], argv[2], arena) : mlia_error_memory();
    if (status != NULL)
        fprintf(stderr, "%s: %.*s (%.*s)\n", mlia_kind_name(mlia_status_kind(status)),
                MLIA_STR_ARG(mlia_status_message(status)), MLIA_STR_ARG(mlia_status_member(status)));
    int result = status != NULL;
    mlia_status_free(status);
    mlia_arena_free(arena);
    return result;
}
