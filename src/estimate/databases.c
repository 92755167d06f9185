/* Writes the databases of a segment. Texts of the model cannot break the format: separators in labels become
 * '_'. */
#include "estimate/databases.h"

#include <inttypes.h>

static void begin_file(mlia_buffer *buffer, const char *root)
{
    mlia_buffer_format(buffer, "<?xml version='1.0' encoding='utf-8' ?>\n<%s>\n", root);
}

static void end_file(mlia_buffer *buffer, const char *root)
{
    mlia_buffer_format(buffer, "</%s>\n", root);
}

static void begin_table(mlia_buffer *buffer, const char *name, const char *columns)
{
    mlia_buffer_format(buffer, "<table name=\"%s\">\n<![CDATA[\n%s\n", name, columns);
}

static void end_table(mlia_buffer *buffer)
{
    mlia_buffer_format(buffer, "]]>\n</table>\n");
}

void mlia_performance_database_write(const mlia_estimate_segment *segment, mlia_buffer *buffer)
{
    begin_file(buffer, "performance_database");
    begin_table(buffer, "performance",
                "\"id\", \"opCycles\", \"totalCycles\", \"memoryName;readBytes;writeBytes;trafficCycles\", "
                "\"sectionName;cycles\"");
    for (uint32_t i = 0; i < segment->stripe_count; i++) {
        const mlia_estimate_stripe *stripe = &segment->stripes[i];
        mlia_buffer_format(buffer, "%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", ", stripe->id,
                           stripe->cost.op_cycles, stripe->cost.total_cycles);
        for (mlia_memory m = 0; m < MLIA_MEMORY_COUNT; m++)
            mlia_buffer_format(buffer, "%.*s;%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";",
                               MLIA_STR_ARG(mlia_memory_name(m)), stripe->cost.memories[m].read_bytes,
                               stripe->cost.memories[m].write_bytes, stripe->cost.memories[m].cycles);
        mlia_buffer_format(buffer, ", ");
        for (mlia_section s = 0; s < MLIA_SECTION_COUNT; s++)
            mlia_buffer_format(buffer, "%.*s;%" PRIu64 ";", MLIA_STR_ARG(mlia_section_name(s)),
                               stripe->cost.sections[s]);
        mlia_buffer_add_byte(buffer, '\n');
    }
    end_table(buffer);
    end_file(buffer, "performance_database");
}

/* A label: "TOSANAME_spirv_id_N" for operators of a SPIR-V module, else label or id of the source. */
static void write_label(const mlia_graph *graph, const mlia_operator *op, mlia_buffer *buffer)
{
    if (op->source == MLIA_NONE)
        return;
    const mlia_source *source = &graph->sources[op->source];
    size_t slash = mlia_str_find_last(source->id, '/');
    mlia_str last = slash == SIZE_MAX ? source->id : mlia_str_slice(source->id, slash + 1, source->id.size);
    if (graph->format == MLIA_SOURCE_SPIRV && mlia_str_starts_with(last, MLIA_STR("spirv-"))) {
        mlia_str number = mlia_str_slice(last, sizeof "spirv-" - 1, last.size);
        mlia_buffer_format(buffer, "TOSA%.*s_spirv_id_%.*s;", MLIA_STR_ARG(mlia_operator_name(op)),
                           MLIA_STR_ARG(number));
        return;
    }
    mlia_str label = source->label.size > 0 ? source->label : source->id;
    for (size_t i = 0; i < label.size; i++) {
        char c = label.data[i];
        bool breaks = c == ',' || c == ';' || c == '"' || c == ']' || (unsigned char)c < ' ';
        mlia_buffer_add_byte(buffer, (uint8_t)(breaks ? '_' : c));
    }
    mlia_buffer_add_byte(buffer, ';');
}

static void write_operators(const mlia_estimate_segment *segment, mlia_buffer *buffer)
{
    begin_table(buffer, "tosa_op_id", "\"id\", \"tosa_op\", \"api_labels\"");
    for (uint32_t c = 0; c < segment->chain_count; c++)
        for (uint32_t i = 0; i < segment->chains[c].operator_count; i++) {
            uint32_t index = segment->chains[c].operators[i];
            const mlia_operator *op = &segment->graph->operators[index];
            mlia_buffer_format(buffer, "%u, %.*s, ", index, MLIA_STR_ARG(mlia_operator_name(op)));
            write_label(segment->graph, op, buffer);
            mlia_buffer_add_byte(buffer, '\n');
        }
    end_table(buffer);
}

static void write_fused(const mlia_estimate_segment *segment, mlia_buffer *buffer)
{
    uint32_t fused = 0;
    begin_table(buffer, "fused_op_id", "\"id\", \"tosa_op_ids\"");
    for (uint32_t c = 0; c < segment->chain_count; c++)
        for (uint32_t g = 0; g < segment->chains[c].group_count; g++) {
            const mlia_estimate_group *group = &segment->chains[c].groups[g];
            mlia_buffer_format(buffer, "%u, ", fused++);
            for (uint32_t i = 0; i < group->operator_count; i++)
                mlia_buffer_format(buffer, "%u;", group->operators[i]);
            mlia_buffer_add_byte(buffer, '\n');
        }
    end_table(buffer);
    fused = 0;
    begin_table(buffer, "chain_op_id", "\"id\", \"fused_op_ids\"");
    for (uint32_t c = 0; c < segment->chain_count; c++) {
        mlia_buffer_format(buffer, "%" PRIu64 ", ", segment->chains[c].id);
        for (uint32_t g = 0; g < segment->chains[c].group_count; g++)
            mlia_buffer_format(buffer, "%u;", fused++);
        mlia_buffer_add_byte(buffer, '\n');
    }
    end_table(buffer);
}

static void write_cascades(const mlia_estimate_segment *segment, mlia_buffer *buffer)
{
    begin_table(buffer, "cascade_op_id", "\"id\", \"op_ids\"");
    for (uint32_t i = 0; i < segment->cascade_count; i++) {
        const mlia_estimate_cascade *cascade = &segment->cascades[i];
        mlia_buffer_format(buffer, "%" PRIu64 ", ", cascade->id);
        for (uint32_t c = 0; c < cascade->chain_count; c++)
            mlia_buffer_format(buffer, "%" PRIu64 ";", segment->chains[cascade->first_chain + c].id);
        mlia_buffer_add_byte(buffer, '\n');
    }
    end_table(buffer);
}

static void write_stripes(const mlia_estimate_segment *segment, mlia_buffer *buffer)
{
    begin_table(buffer, "stripe_op_id", "\"id\", \"op_id\", \"cascade_op_id\"");
    for (uint32_t i = 0; i < segment->stripe_count; i++) {
        const mlia_estimate_chain *chain = &segment->chains[segment->stripes[i].chain];
        mlia_buffer_format(buffer, "%" PRIu64 ", %" PRIu64 ", %" PRIu64 "\n", segment->stripes[i].id,
                           chain->id, segment->cascades[chain->cascade].id);
    }
    end_table(buffer);
    begin_table(buffer, "command_streams_id", "\"id\", \"stripe_op_indexs\"");
    for (uint32_t i = 0; i < segment->cascade_count; i++) {
        const mlia_estimate_cascade *cascade = &segment->cascades[i];
        mlia_buffer_format(buffer, "%" PRIu64 ", ", cascade->id);
        for (uint32_t c = 0; c < cascade->chain_count; c++) {
            const mlia_estimate_chain *chain = &segment->chains[cascade->first_chain + c];
            for (uint32_t s = 0; s < chain->stripe_count; s++)
                mlia_buffer_format(buffer, "%" PRIu64 ";", segment->stripes[chain->first_stripe + s].id);
        }
        mlia_buffer_add_byte(buffer, '\n');
    }
    end_table(buffer);
}

void mlia_debug_database_write(const mlia_estimate_segment *segment, mlia_buffer *buffer)
{
    begin_file(buffer, "debug_database");
    write_operators(segment, buffer);
    begin_table(buffer, "shader_op_id", "\"id\", \"api_labels\"");
    end_table(buffer);
    write_fused(segment, buffer);
    write_cascades(segment, buffer);
    write_stripes(segment, buffer);
    end_file(buffer, "debug_database");
}

void mlia_timing_database_write(const mlia_estimate_segment *segment, mlia_buffer *buffer)
{
    uint64_t start = 0;
    begin_file(buffer, "timing_database");
    begin_table(buffer, "timing", "\"stripe_op_id\", \"startCycle\", \"endCycle\"");
    for (uint32_t i = 0; i < segment->stripe_count; i++) {
        uint64_t cycles = segment->stripes[i].cost.total_cycles;
        mlia_buffer_format(buffer, "%" PRIu64 ", %" PRIu64 ", %" PRIu64 "\n", segment->stripes[i].id, start,
                           start + cycles);
        start += cycles;
    }
    end_table(buffer);
    end_file(buffer, "timing_database");
}
