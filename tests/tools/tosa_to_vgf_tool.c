/* Converts for tests: tosa-to-vgf [--no-debug] [--no-replicate] [--keep] [--narrow
 * full|partial|full_preserve_io]
 * [--domain NAME:N] INPUT OUTPUT.vgf. INPUT is TOSA (FlatBuffer, MLIR) or a VGF. Of a VGF the first graph
 * segment is written again. Exit status 1 and "KIND: message" on standard error for input that is refused. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "convert/tosa_to_vgf/tosa_to_vgf.h"
#include "formats/mlir/mlir.h"
#include "formats/tosa/tosa.h"
#include "formats/vgf/vgf.h"

static mlia_status *read_input(mlia_bytes bytes, mlia_arena *arena, mlia_diagnostics *diagnostics,
                               mlia_graph **graph)
{
    if (bytes.size >= 8 && memcmp(bytes.data + 4, "TOSA", 4) == 0)
        return mlia_tosa_read(bytes, arena, diagnostics, graph);
    if (bytes.size < 4 || memcmp(bytes.data, "VGF1", 4) != 0)
        return mlia_mlir_read(bytes, arena, diagnostics, graph);
    mlia_vgf *vgf = NULL;
    uint32_t index = 0;
    MLIA_TRY(mlia_vgf_read(bytes, arena, diagnostics, &vgf));
    MLIA_TRY(mlia_vgf_first_graph(vgf, &index));
    return mlia_vgf_segment_graph(vgf, index, arena, diagnostics, graph);
}

static mlia_narrowing narrowing_of(const char *name)
{
    return strcmp(name, "full") == 0      ? MLIA_NARROWING_FULL
           : strcmp(name, "partial") == 0 ? MLIA_NARROWING_PARTIAL
                                          : MLIA_NARROWING_FULL_PRESERVE_IO;
}

static mlia_status *convert(const char *input, const char *output, const mlia_tosa_to_vgf_options *options,
                            mlia_arena *arena, mlia_diagnostics *diagnostics)
{
    mlia_file *file = NULL;
    mlia_graph *graph = NULL;
    mlia_buffer result = {0};
    mlia_status *status = mlia_file_open(input, &file);
    if (status == NULL)
        status = read_input(mlia_file_bytes(file), arena, diagnostics, &graph);
    if (status == NULL)
        status = mlia_tosa_to_vgf(graph, options, diagnostics, &result);
    if (status == NULL)
        status = mlia_file_write(output, mlia_buffer_bytes(&result));
    mlia_buffer_free(&result);
    mlia_file_free(file);
    return status;
}

int main(int count, char **arguments)
{
    mlia_tosa_to_vgf_options options = {0};
    mlia_spirv_domain domain = {{NULL, 0}, 0};
    int next = 1;
    for (; next < count && strncmp(arguments[next], "--", 2) == 0; next++) {
        if (strcmp(arguments[next], "--no-debug") == 0) {
            options.no_debug_info = true;
        } else if (strcmp(arguments[next], "--no-replicate") == 0) {
            options.no_replicated_composites = true;
        } else if (strcmp(arguments[next], "--keep") == 0) {
            options.keep_operators = true;
        } else if (strcmp(arguments[next], "--narrow") == 0 && next + 1 < count) {
            options.narrowing = narrowing_of(arguments[++next]);
        } else if (strcmp(arguments[next], "--domain") == 0 && next + 1 < count) {
            const char *colon = strrchr(arguments[++next], ':');
            domain.name = (mlia_str){arguments[next], (size_t)(colon - arguments[next])};
            domain.opcode = (int32_t)strtol(colon + 1, NULL, 0);
            options.domains = &domain;
            options.domain_count = 1;
        }
    }
    if (count - next != 2)
        return 2;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_status *status = convert(arguments[next], arguments[next + 1], &options, arena, &diagnostics);
    for (size_t i = 0; i < diagnostics.count; i++)
        fprintf(stderr, "%s: %.*s\n", mlia_kind_name(diagnostics.items[i].kind),
                MLIA_STR_ARG(diagnostics.items[i].message));
    if (status != NULL)
        fprintf(stderr, "%s: %.*s: %.*s\n", mlia_kind_name(mlia_status_kind(status)),
                MLIA_STR_ARG(mlia_status_member(status)), MLIA_STR_ARG(mlia_status_message(status)));
    int result = status == NULL ? 0 : 1;
    mlia_status_free(status);
    mlia_arena_free(arena);
    return result;
}
