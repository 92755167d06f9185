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

/* Simplification and type changes. Types change between two rounds of simplification, as in the official
 * converter: then what a change makes superfluous goes too. */
static mlia_status *prepare(const mlia_graph *graph, const mlia_tosa_to_vgf_options *options,
                            mlia_arena *arena, mlia_diagnostics *diagnostics, mlia_graph **prepared)
{
    mlia_edit edit;
    mlia_graph *stage = NULL;
    if (mlia_graph_main(graph)->output_count == 0)
        return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "the model returns nothing, which a SPIR-V graph cannot");
    MLIA_TRY(mlia_edit_open(graph, arena, &edit));
    MLIA_TRY(mlia_simplify(&edit));
    MLIA_TRY(refuse_operators(&edit));
    MLIA_TRY(mlia_edit_close(&edit, diagnostics, &stage));
    MLIA_TRY(mlia_edit_open(stage, arena, &edit));
    MLIA_TRY(mlia_narrow_floats(&edit, options->narrowing));
    MLIA_TRY(mlia_vgf_lower_integers(&edit, diagnostics));
    MLIA_TRY(mlia_edit_close(&edit, diagnostics, &stage));
    MLIA_TRY(mlia_edit_open(stage, arena, &edit));
    MLIA_TRY(mlia_simplify(&edit));
    MLIA_TRY(mlia_fold_constants(&edit));
    MLIA_TRY(mlia_simplify(&edit)); /* what has become constant */
    MLIA_TRY(separate_results(&edit));
    MLIA_TRY(mlia_edit_close(&edit, diagnostics, prepared));
    return mlia_vgf_check_types(*prepared, arena);
}

/* Reads the result under all rules of the reader. A fault is one of ours. */
static mlia_status *check(mlia_bytes file)
{
    mlia_arena *arena = mlia_arena_new(0);
    MLIA_TRY_ALLOC(arena);
    mlia_vgf *vgf = NULL;
    mlia_graph *graph = NULL;
    mlia_status *status = mlia_vgf_read(file, arena, NULL, &vgf);
    for (uint32_t i = 0; status == NULL && i < vgf->segment_count; i++)
        if (vgf->segments[i].type == MLIA_VGF_GRAPH)
            status = mlia_vgf_segment_graph(vgf, i, arena, NULL, &graph);
    if (status != NULL && mlia_status_kind(status) != MLIA_E_MEMORY) {
        mlia_status *fault = mlia_error(MLIA_E_INTERNAL, "the VGF that was written does not read back: %.*s",
                                        MLIA_STR_ARG(mlia_status_message(status)));
        mlia_status_free(status);
        status = fault;
    }
    mlia_arena_free(arena);
    return status;
}

static mlia_status *write_partitions(const mlia_graph *graph, const mlia_partitions *partitions,
                                     const mlia_tosa_to_vgf_options *options, mlia_arena *arena,
                                     mlia_buffer *file)
{
    mlia_buffer *code = MLIA_NEW_ARRAY(arena, mlia_buffer, partitions->count);
    MLIA_TRY_ALLOC(code);
    mlia_vgf vgf;
    mlia_status *status = mlia_vgf_layout(graph, partitions, options, arena, code, &vgf);
    if (status == NULL)
        status = mlia_vgf_write(&vgf, file);
    for (uint32_t i = 0; i < partitions->count; i++)
        mlia_buffer_free(&code[i]);
    return status;
}

static mlia_status *convert(const mlia_graph *graph, const mlia_tosa_to_vgf_options *options,
                            mlia_arena *arena, mlia_diagnostics *diagnostics, mlia_buffer *file)
{
    mlia_graph *prepared = NULL;
    mlia_partitions partitions;
    size_t start = file->size;
    MLIA_TRY(prepare(graph, options, arena, diagnostics, &prepared));
    MLIA_TRY(mlia_partition_graph(prepared, arena, &partitions));
    MLIA_TRY(write_partitions(prepared, &partitions, options, arena, file));
    return check((mlia_bytes){file->data + start, file->size - start});
}

mlia_status *mlia_tosa_to_vgf(const mlia_graph *graph, const mlia_tosa_to_vgf_options *options,
                              mlia_diagnostics *diagnostics, mlia_buffer *file)
{
    static const mlia_tosa_to_vgf_options defaults = {0};
    mlia_arena *arena = mlia_arena_new(0);
    MLIA_TRY_ALLOC(arena);
    mlia_status *status = convert(graph, options == NULL ? &defaults : options, arena, diagnostics, file);
    mlia_arena_free(arena);
    return status;
}
