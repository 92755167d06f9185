/* The steps from a TOSA graph to the bytes of a VGF. */
#include "convert/simplify/simplify.h"
#include "convert/tosa_to_vgf/layout.h"
#include "convert/tosa_to_vgf/types.h"
#include "formats/vgf/write.h"

/* A graph without operators that returns inputs: each becomes a result of its own, as in the official
 * converter. */
static mlia_status *separate_results(mlia_edit *edit)
{
    MLIA_TRY(mlia_edit_count_uses(edit));
    bool empty = edit->operator_count == 0;
    for (uint32_t i = 0; i < edit->output_count; i++)
        empty = empty && mlia_edit_tensor(edit, mlia_edit_value(edit, edit->outputs[i]))->constant == NULL;
    if (!empty)
        return NULL;
    for (uint32_t i = 0; i < edit->output_count; i++) {
        uint32_t value = mlia_edit_value(edit, edit->outputs[i]);
        const mlia_graph_value tensor = *mlia_edit_tensor(edit, value);
        uint32_t op;
        if (tensor.producer != MLIA_NONE)
            continue;
        MLIA_TRY(mlia_edit_add_operator(edit, MLIA_OP_IDENTITY, MLIA_NONE, &value, 1, tensor.type,
                                        tensor.rank, tensor.dims, NULL, &op));
        MLIA_TRY(mlia_edit_append(edit, op));
        uint32_t result = mlia_edit_operator(edit, op)->outputs[0];
        for (uint32_t k = edit->output_count; k-- > i;)
            if (mlia_edit_value(edit, edit->outputs[k]) == value)
                edit->outputs[k] = result;
    }
    return NULL;
}

/* Why no VGF can have an operator, or NULL. */
static const char *obstacle(const mlia_operator *op)
{
    uint32_t regions[2];
    if (op->op == MLIA_OP_FOREIGN)
        return "no TOSA operator";
    if (mlia_operator_regions(op, regions) > 0)
        return "a VGF has no control flow";
    if (op->op == MLIA_OP_VARIABLE_READ || op->op == MLIA_OP_VARIABLE_WRITE)
        return "a VGF has no variables";
    return NULL;
}

/* Of operators that simplification left. */
static mlia_status *refuse_operators(mlia_edit *edit)
{
    MLIA_TRY(mlia_edit_count_uses(edit));
    for (size_t i = 0; i < edit->operator_count; i++) {
        const mlia_operator *op = mlia_edit_operator(edit, edit->operators[i]);
        const char *reason = obstacle(op);
        if (reason != NULL)
            return mlia_status_of_operator(mlia_error(MLIA_E_TOSA_UNSUPPORTED, "%s", reason), edit->graph,
                                           op);
    }
    return NULL;
}

typedef mlia_status *stage_function(mlia_edit *edit, const mlia_tosa_to_vgf_options *options,
                                    mlia_diagnostics *diagnostics);

static mlia_status *simplify(mlia_edit *edit, const mlia_tosa_to_vgf_options *options,
                             mlia_diagnostics *diagnostics)
{
    (void)options;
    (void)diagnostics;
    MLIA_TRY(mlia_simplify(edit));
    return refuse_operators(edit);
}

static mlia_status *change_types(mlia_edit *edit, const mlia_tosa_to_vgf_options *options,
                                 mlia_diagnostics *diagnostics)
{
    MLIA_TRY(mlia_narrow_floats(edit, options->narrowing));
    return mlia_vgf_lower_integers(edit, diagnostics);
}

static mlia_status *simplify_and_fold(mlia_edit *edit, const mlia_tosa_to_vgf_options *options,
                                      mlia_diagnostics *diagnostics)
{
    (void)options;
    (void)diagnostics;
    MLIA_TRY(mlia_simplify(edit));
    MLIA_TRY(mlia_fold_constants(edit));
    MLIA_TRY(mlia_simplify(edit)); /* what has become constant */
    return separate_results(edit);
}

static mlia_status *run_stage(mlia_graph *graph, stage_function *stage,
                              const mlia_tosa_to_vgf_options *options, mlia_diagnostics *diagnostics)
{
    mlia_arena *scratch = mlia_arena_new(0);
    MLIA_TRY_ALLOC(scratch);
    mlia_edit edit;
    mlia_status *status = mlia_edit_take(graph, scratch, &edit);
    if (status == NULL)
        status = stage(&edit, options, diagnostics);
    if (status == NULL)
        status = mlia_edit_close(&edit, diagnostics);
    mlia_arena_free(scratch);
    return status;
}

/* Simplification and type changes. Types change between two rounds of simplification, as in the official
 * converter: then what a change makes superfluous goes too. */
static mlia_status *prepare(mlia_graph *graph, const mlia_tosa_to_vgf_options *options,
                            mlia_diagnostics *diagnostics)
{
    if (mlia_graph_main(graph)->output_count == 0)
        return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "the model returns nothing, which a SPIR-V graph cannot");
    MLIA_TRY(run_stage(graph, simplify, options, diagnostics));
    if (mlia_vgf_changes_types(graph, options->narrowing))
        MLIA_TRY(run_stage(graph, change_types, options, diagnostics));
    return run_stage(graph, simplify_and_fold, options, diagnostics);
}

#ifdef MLIA_SELF_CHECK
/* Reads the result under all rules of the reader. A fault is one of ours. */
static mlia_status *check(const mlia_pieces *file)
{
    mlia_arena *arena = mlia_arena_new(0);
    MLIA_TRY_ALLOC(arena);
    mlia_buffer bytes = {0};
    mlia_vgf *vgf = NULL;
    mlia_graph *graph = NULL;
    mlia_pieces_join(file, &bytes);
    mlia_status *status = mlia_buffer_status(&bytes);
    if (status == NULL)
        status = mlia_vgf_read(mlia_buffer_bytes(&bytes), arena, NULL, &vgf);
    for (uint32_t i = 0; status == NULL && i < vgf->segment_count; i++)
        if (vgf->segments[i].type == MLIA_VGF_GRAPH)
            status = mlia_vgf_segment_graph(vgf, i, arena, NULL, &graph);
    if (status != NULL && mlia_status_kind(status) != MLIA_E_MEMORY) {
        mlia_status *fault = mlia_error(MLIA_E_INTERNAL, "the VGF that was written does not read back: %.*s",
                                        MLIA_STR_ARG(mlia_status_message(status)));
        mlia_status_free(status);
        status = fault;
    }
    mlia_buffer_free(&bytes);
    mlia_arena_free(arena);
    return status;
}
#else
static mlia_status *check(const mlia_pieces *file)
{
    (void)file;
    return NULL;
}
#endif

static mlia_status *write_partitions(const mlia_graph *graph, const mlia_partitions *partitions,
                                     const mlia_tosa_to_vgf_options *options, mlia_arena *scratch,
                                     mlia_arena *arena, mlia_pieces *file)
{
    mlia_buffer *code = MLIA_NEW_ARRAY(scratch, mlia_buffer, partitions->count);
    MLIA_TRY_ALLOC(code);
    mlia_vgf vgf;
    mlia_status *status = mlia_vgf_layout(graph, partitions, options, arena, scratch, code, &vgf);
    if (status == NULL)
        status = mlia_vgf_write(&vgf, arena, file);
    for (uint32_t i = 0; i < partitions->count; i++)
        mlia_buffer_free(&code[i]);
    return status;
}

static mlia_status *convert(mlia_graph *graph, const mlia_tosa_to_vgf_options *options,
                            mlia_diagnostics *diagnostics, mlia_arena *scratch, mlia_arena *arena,
                            mlia_pieces *file)
{
    mlia_partitions partitions;
    MLIA_TRY(prepare(graph, options, diagnostics));
    MLIA_TRY(mlia_vgf_check_types(graph, scratch));
    MLIA_TRY(mlia_partition_graph(graph, scratch, &partitions));
    MLIA_TRY(write_partitions(graph, &partitions, options, scratch, arena, file));
    return check(file);
}

mlia_status *mlia_tosa_to_vgf_pieces(mlia_graph *graph, const mlia_tosa_to_vgf_options *options,
                                     mlia_diagnostics *diagnostics, mlia_arena *arena, mlia_pieces *file)
{
    static const mlia_tosa_to_vgf_options defaults = {0};
    mlia_arena *scratch = mlia_arena_new(0);
    MLIA_TRY_ALLOC(scratch);
    mlia_status *status =
        convert(graph, options == NULL ? &defaults : options, diagnostics, scratch, arena, file);
    mlia_arena_free(scratch);
    return status;
}

mlia_status *mlia_tosa_to_vgf(const mlia_graph *graph, const mlia_tosa_to_vgf_options *options,
                              mlia_diagnostics *diagnostics, mlia_buffer *file)
{
    mlia_arena *arena = mlia_arena_new(0);
    MLIA_TRY_ALLOC(arena);
    mlia_graph *copy = NULL;
    mlia_pieces pieces = {0};
    mlia_status *status = mlia_edit_copy(graph, arena, &copy);
    if (status == NULL)
        status = mlia_tosa_to_vgf_pieces(copy, options, diagnostics, arena, &pieces);
    if (status == NULL) {
        mlia_pieces_join(&pieces, file);
        status = mlia_buffer_status(file);
    }
    mlia_arena_free(arena);
    return status;
}
