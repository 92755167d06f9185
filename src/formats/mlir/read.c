/* Text or bytecode: the first bytes decide, never the name of the file. */
#include "formats/mlir/read.h"

#include "formats/mlir/mlir.h"

bool mlia_mlir_is_bytecode(mlia_bytes file)
{
    return file.size >= 4 && memcmp(file.data, "ML\xEFR", 4) == 0;
}

static mlia_status *read(mlia_bytes file, const mlia_file *mapping, mlia_arena *arena,
                         mlia_diagnostics *diagnostics, mlia_graph **graph)
{
    mlia_mlir_context context = {
        .arena = arena,
        .tensor_types = mlia_map_in(arena),
        .diagnostics = diagnostics,
        .file = file,
        .mapping = mapping,
        .bytecode = mlia_mlir_is_bytecode(file),
        .location_budget = file.size > SIZE_MAX / 128 ? SIZE_MAX : file.size * 64 + MLIA_MLIR_TEXT_LIMIT,
    };
    if (context.bytecode)
        return mlia_mlir_read_bytecode(&context, graph);
    if (file.size >= 3 && memcmp(file.data, "ML\xEF", 3) == 0)
        return mlia_status_at(
            mlia_error(MLIA_E_MLIRBC_IDENTIFIER, "expected 4D 4C EF 52 at the start of MLIR bytecode"), 0);
    return mlia_mlir_read_text(&context, graph);
}

mlia_status *mlia_mlir_read(mlia_bytes file, mlia_arena *arena, mlia_diagnostics *diagnostics,
                            mlia_graph **graph)
{
    return read(file, NULL, arena, diagnostics, graph);
}

mlia_status *mlia_mlir_read_file(const mlia_file *file, mlia_arena *arena, mlia_diagnostics *diagnostics,
                                 mlia_graph **graph)
{
    return read(mlia_file_bytes(file), file, arena, diagnostics, graph);
}
