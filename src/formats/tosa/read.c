/* Reading a TOSA FlatBuffer: container, version, structure; then names, attributes, constants (the other
 * read_*.c) and the graph's normal form.
 *
 * Refuses: other identifiers, versions before 1.0 (other operator numbers and layouts under the same
 * identifier) and from 2.0 on, required features that are not known, several blocks in a region, unknown
 * operators and types. */
#include "formats/tosa/tosa.h"

#include "formats/tosa/reader.h"

static const mlia_flatbuf_rules rules = {
    .identifier = MLIA_TOSA_IDENTIFIER,
    .flags = MLIA_FLATBUF_UNION_PAIRS,
    .short_kind = MLIA_E_TOSA_TRUNCATED,
    .identifier_kind = MLIA_E_TOSA_IDENTIFIER,
    .offset_kind = MLIA_E_TOSA_OFFSET,
    .missing_kind = MLIA_E_TOSA_SCHEMA,
    .text_kind = MLIA_E_TOSA_UTF8,
    .limit_kind = MLIA_E_TOSA_LIMIT,
    .warning_kind = MLIA_W_TOSA_DATA,
};

enum {
    NEWEST_MINOR = 1,
    FIRST_EXPERIMENTAL_MINOR = 100, /* 0.100 and later: numbered like 1.0 before its release */
};
/* CompatibilityFeature bits that mean nothing (0) or that are read (1, MXFP). */
static const uint64_t known_features = 1u << 0 | 1u << 1;

static mlia_status *read_version(tosa_reader *reader, mlia_flatbuf_table root)
{
    mlia_flatbuf_table version = mlia_flatbuf_child(root, TOSA_GRAPH_VERSION);
    int32_t *numbers = reader->graph->version;
    for (uint32_t i = 0; i < 3; i++)
        numbers[i] = mlia_flatbuf_i32(version, TOSA_VERSION_MAJOR + i);
    reader->graph->draft = mlia_flatbuf_bool(version, TOSA_VERSION_DRAFT);
    bool experimental = numbers[0] == 0 && numbers[1] >= FIRST_EXPERIMENTAL_MINOR;
    if ((numbers[0] != 1 && !experimental) || numbers[1] < 0) {
        mlia_status *status =
            mlia_error(MLIA_E_TOSA_VERSION, "TOSA %d.%d.%d file: only 1.0 and later 1.x versions can be read",
                       numbers[0], numbers[1], numbers[2]);
        mlia_status_hint(status, "regenerate it with a current exporter");
        return mlia_status_in(mlia_status_at(status, version.position), "version");
    }
    if (experimental || numbers[1] > NEWEST_MINOR)
        mlia_warn_at(reader->diagnostics, MLIA_W_TOSA_VERSION, version.position, MLIA_STR("version"),
                     "TOSA %d.%d.%d file: read as " MLIA_TOSA_SCHEMA_VERSION
                     ", anything else in it is unknown",
                     numbers[0], numbers[1], numbers[2]);
    else if (reader->graph->draft)
        mlia_warn_at(reader->diagnostics, MLIA_W_TOSA_VERSION, version.position, MLIA_STR("version"),
                     "TOSA %d.%d.%d draft file: a draft may still change", numbers[0], numbers[1],
                     numbers[2]);
    mlia_flatbuf_table compatibility = mlia_flatbuf_child(root, TOSA_GRAPH_COMPATIBILITY);
    uint64_t unknown = mlia_flatbuf_u64(compatibility, TOSA_COMPATIBILITY_FEATURES) & ~known_features;
    if (unknown != 0)
        return mlia_status_in(
            mlia_status_at(mlia_error(MLIA_E_TOSA_VERSION,
                                      "the file needs feature number %d, which this program does not know",
                                      __builtin_ctzll(unknown)),
                           mlia_flatbuf_offset(compatibility, TOSA_COMPATIBILITY_FEATURES)),
            "compatibility.features");
    return NULL;
}

static bool block_is_empty(mlia_flatbuf_table block)
{
    return mlia_flatbuf_list(block, TOSA_BLOCK_OPERATORS).count == 0 &&
           mlia_flatbuf_list(block, TOSA_BLOCK_TENSORS).count == 0 &&
           mlia_flatbuf_list(block, TOSA_BLOCK_SHAPES).count == 0;
}

static mlia_status *check_blocks(const tosa_reader *reader, uint32_t region)
{
    mlia_flatbuf_table table = mlia_flatbuf_table_at(reader->regions, region);
    mlia_flatbuf_vector blocks = mlia_flatbuf_list(table, TOSA_REGION_BLOCKS);
    if (blocks.count == 0)
        return mlia_status_in(
            mlia_status_at(mlia_error(MLIA_E_TOSA_EMPTY, "the region has no block"), table.position),
            "regions[%u]", region);
    for (uint32_t i = 1; i < blocks.count; i++) {
        mlia_flatbuf_table block = mlia_flatbuf_table_at(blocks, i);
        if (!block_is_empty(block))
            return mlia_status_in(mlia_status_at(mlia_error(MLIA_E_TOSA_UNSUPPORTED,
                                                            "a region with several blocks: only the first "
                                                            "one may have content"),
                                                 block.position),
                                  "regions[%u].blocks[%u]", region, i);
    }
    return NULL;
}

/* Operator numbers and element types of a block are numbers of the schema. */
static mlia_status *check_numbers(mlia_flatbuf_table block, uint32_t region)
{
    mlia_flatbuf_vector operators = mlia_flatbuf_list(block, TOSA_BLOCK_OPERATORS);
    for (uint32_t i = 0; i < operators.count; i++) {
        mlia_flatbuf_table op = mlia_flatbuf_table_at(operators, i);
        uint32_t number = mlia_flatbuf_u32(op, TOSA_OPERATOR_OP);
        if (number == 0 || number >= MLIA_OP_LIMIT)
            return mlia_status_in(
                mlia_status_at(mlia_error(MLIA_E_TOSA_ENUM, "operator number %u, expected 1 to %d", number,
                                          MLIA_OP_LIMIT - 1),
                               mlia_flatbuf_offset(op, TOSA_OPERATOR_OP)),
                "regions[%u].blocks[0].operators[%u].op", region, i);
    }
    mlia_flatbuf_vector tensors = mlia_flatbuf_list(block, TOSA_BLOCK_TENSORS);
    for (uint32_t i = 0; i < tensors.count; i++) {
        mlia_flatbuf_table tensor = mlia_flatbuf_table_at(tensors, i);
        uint32_t type = mlia_flatbuf_u32(tensor, TOSA_TENSOR_TYPE);
        if (type == MLIA_TYPE_UNKNOWN || type >= MLIA_TYPE_LIMIT || type == MLIA_TYPE_SHAPE)
            return mlia_status_in(mlia_status_at(mlia_error(MLIA_E_TOSA_ENUM,
                                                            "element type %u is none of a tensor, expected "
                                                            "1 to %d other than %d (SHAPE)",
                                                            type, MLIA_TYPE_LIMIT - 1, MLIA_TYPE_SHAPE),
                                                 mlia_flatbuf_offset(tensor, TOSA_TENSOR_TYPE)),
                                  "regions[%u].blocks[0].tensors[%u].type", region, i);
    }
    return NULL;
}

static mlia_status *check_structure(tosa_reader *reader)
{
    uint64_t operators = 0;
    if (reader->regions.count == 0)
        return mlia_status_at(
            mlia_error(MLIA_E_TOSA_EMPTY, "the file has no region, so there is no graph in it"),
            reader->buffer.root);
    for (uint32_t region = 0; region < reader->regions.count; region++)
        MLIA_TRY(check_blocks(reader, region));
    for (uint32_t region = 0; region < reader->regions.count; region++) {
        mlia_flatbuf_table block = tosa_block(reader, region);
        operators += mlia_flatbuf_list(block, TOSA_BLOCK_OPERATORS).count;
        if (operators > TOSA_OPERATOR_LIMIT)
            return mlia_status_in(
                mlia_status_at(mlia_error(MLIA_E_TOSA_LIMIT, "more than %d operators", TOSA_OPERATOR_LIMIT),
                               block.position),
                "regions[%u].blocks[0]", region);
        MLIA_TRY(check_numbers(block, region));
    }
    return NULL;
}

mlia_status *mlia_tosa_read(mlia_bytes file, mlia_arena *arena, mlia_diagnostics *diagnostics,
                            mlia_graph **graph)
{
    tosa_reader reader = {
        .arena = arena,
        .diagnostics = diagnostics,
        .graph = mlia_graph_new(arena, MLIA_SOURCE_TOSA),
        .region_names = mlia_map_in(arena),
        .variables = mlia_map_in(arena),
        .locations = mlia_map_in(arena),
    };
    MLIA_TRY_ALLOC(reader.graph);
    MLIA_TRY(mlia_flatbuf_open(file, &rules, &reader.buffer));
    MLIA_TRY(mlia_flatbuf_verify(&reader.buffer, &mlia_tosa_version_only_schema, diagnostics));
    MLIA_TRY(read_version(&reader, mlia_flatbuf_root(&reader.buffer, &mlia_tosa_version_only_schema)));
    MLIA_TRY(mlia_flatbuf_verify(&reader.buffer, &mlia_tosa_graph_schema, diagnostics));
    mlia_flatbuf_table root = mlia_flatbuf_root(&reader.buffer, &mlia_tosa_graph_schema);
    reader.regions = mlia_flatbuf_list(root, TOSA_GRAPH_REGIONS);
    MLIA_TRY(check_structure(&reader));
    MLIA_TRY(mlia_tosa_read_names(&reader));
    MLIA_TRY(mlia_tosa_read_attributes(&reader));
    MLIA_TRY(mlia_tosa_read_constants(&reader));
    MLIA_TRY(mlia_graph_finish(reader.graph, diagnostics));
    *graph = reader.graph;
    return NULL;
}
