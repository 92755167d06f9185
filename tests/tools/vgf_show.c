/* Shows what the VGF room sees, for tests that compare it with other tools.
 *
 *   vgf-show dump FILE                 the container as JSON
 *   vgf-show spirv FILE MODULE         disassembly of a module
 *   vgf-show graph FILE SEGMENT        operators of a segment, one a line
 *   vgf-show tree FILE SEGMENT         the same as JSON
 *
 * Exit status 1 and "KIND: message" on standard error for a file that is refused; warnings go there too. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "formats/spirv/spirv.h"
#include "formats/vgf/vgf.h"
#include "graph/dump.h"

static void print_text(mlia_str text)
{
    putchar('"');
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte < 0x20 || byte == '"' || byte == '\\')
            printf("\\u%04x", byte);
        else
            putchar(byte);
    }
    putchar('"');
}

static void print_value(const mlia_value *value)
{
    switch (value->type) {
    case MLIA_VALUE_BOOL:
        printf(value->as.boolean ? "true" : "false");
        break;
    case MLIA_VALUE_INTEGER:
        printf("%" PRId64, value->as.integer);
        break;
    case MLIA_VALUE_NUMBER:
        printf("%.17g", value->as.number);
        break;
    case MLIA_VALUE_STRING:
        print_text(value->as.string);
        break;
    case MLIA_VALUE_ARRAY:
        putchar('[');
        for (uint32_t i = 0; i < value->count; i++) {
            if (i > 0)
                putchar(',');
            print_value(value->as.items[i]);
        }
        putchar(']');
        break;
    case MLIA_VALUE_OBJECT:
        putchar('{');
        for (uint32_t i = 0; i < value->count; i++) {
            if (i > 0)
                putchar(',');
            print_text(value->as.members[i].name);
            putchar(':');
            print_value(value->as.members[i].value);
        }
        putchar('}');
        break;
    default:
        printf("null");
        break;
    }
}

static void print_tensor(const mlia_graph *graph, uint32_t index)
{
    const mlia_graph_value *value = &graph->values[index];
    printf(" %" PRIu32 ":%.*s[", index, MLIA_STR_ARG(mlia_type_describe(value->type)->name));
    for (uint32_t i = 0; i < value->rank; i++)
        printf(i > 0 ? ",%" PRId64 : "%" PRId64,
               value->kind == MLIA_KIND_SHAPE ? value->shape_values[i] : value->dims[i]);
    putchar(']');
}

static void print_graph(const mlia_graph *graph)
{
    const mlia_block *block = mlia_graph_main(graph);
    printf("inputs");
    for (uint32_t i = 0; i < block->input_count; i++)
        print_tensor(graph, block->inputs[i]);
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const mlia_operator *op = &graph->operators[block->operators[i]];
        const mlia_source *source = &graph->sources[op->source];
        printf("\n%.*s %.*s", MLIA_STR_ARG(source->id), MLIA_STR_ARG(source->type));
        for (uint32_t k = 0; k < op->input_count; k++)
            print_tensor(graph, op->inputs[k]);
        printf(" ->");
        for (uint32_t k = 0; k < op->output_count; k++)
            print_tensor(graph, op->outputs[k]);
        printf(" label ");
        print_text(source->label);
        if (source->file.size > 0)
            printf(" at %.*s:%" PRIu32 ":%" PRIu32, MLIA_STR_ARG(source->file), source->line, source->column);
    }
    printf("\noutputs");
    for (uint32_t i = 0; i < block->output_count; i++)
        print_tensor(graph, block->outputs[i]);
    putchar('\n');
}

static mlia_status *show(int count, char **arguments, mlia_bytes bytes, mlia_arena *arena,
                         mlia_diagnostics *diagnostics)
{
    mlia_vgf *vgf = NULL;
    MLIA_TRY(mlia_vgf_read(bytes, arena, diagnostics, &vgf));
    uint32_t index = count > 3 ? (uint32_t)strtoul(arguments[3], NULL, 10) : 0;
    if (strcmp(arguments[1], "tree") == 0) {
        mlia_graph *graph = NULL;
        mlia_value *value = NULL;
        MLIA_TRY(mlia_vgf_segment_graph(vgf, index, arena, diagnostics, &graph));
        MLIA_TRY(mlia_graph_dump(graph, arena, &value));
        print_value(value);
        putchar('\n');
    } else if (strcmp(arguments[1], "graph") == 0) {
        mlia_graph *graph = NULL;
        MLIA_TRY(mlia_vgf_segment_graph(vgf, index, arena, diagnostics, &graph));
        print_graph(graph);
    } else if (strcmp(arguments[1], "spirv") == 0) {
        if (index >= vgf->module_count)
            return mlia_error(MLIA_E_VGF_INDEX, "module %" PRIu32, index);
        mlia_buffer text = {0};
        mlia_status *status = mlia_spirv_disassemble(vgf->modules[index].code, &text);
        if (text.size > 0)
            fwrite(text.data, 1, text.size, stdout);
        mlia_buffer_free(&text);
        return status;
    } else {
        mlia_value *value = NULL;
        MLIA_TRY(mlia_vgf_dump(vgf, arena, &value));
        print_value(value);
        putchar('\n');
    }
    return NULL;
}

int main(int count, char **arguments)
{
    if (count < 3)
        return 2;
    mlia_file *file = NULL;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_status *status = mlia_file_open(arguments[2], &file);
    if (status == NULL)
        status = show(count, arguments, mlia_file_bytes(file), arena, &diagnostics);
    for (size_t i = 0; i < diagnostics.count; i++)
        fprintf(stderr, "%s: %.*s\n", mlia_kind_name(diagnostics.items[i].kind),
                MLIA_STR_ARG(diagnostics.items[i].message));
    int result = status == NULL ? 0 : 1;
    if (status != NULL)
        fprintf(stderr, "%s: %.*s\n", mlia_kind_name(mlia_status_kind(status)),
                MLIA_STR_ARG(mlia_status_message(status)));
    mlia_status_free(status);
    mlia_arena_free(arena);
    mlia_file_free(file);
    return result;
}
