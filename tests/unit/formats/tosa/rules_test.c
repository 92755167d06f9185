/* Rules of the TOSA reader on files made here, each one sound but for a detail: one region with the operators
 * CONST → c and OP(x) → y. */
#include "formats/tosa/tosa.h"

#include "formats/tosa/schema.h"
#include "graph/operators.h"
#include "test_support.h"

/* What differs from the sound file; zero members keep it. */
typedef struct sample {
    int32_t minor; /* of the version */
    bool no_regions;
    size_t extra_blocks; /* empty ones */
    bool filled_extra_block;
    uint32_t op;              /* default MAX_POOL2D */
    uint32_t attribute_type;  /* default that of `op` */
    size_t kernel_count;      /* default 2 */
    int64_t nan_mode;         /* default 1; -1 = absent */
    size_t element_size;      /* bytes of CLAMP's min_val and max_val; default 4 */
    uint32_t type;            /* of c; default INT32 */
    int32_t dim;              /* of c; default 2 */
    size_t rank;              /* of x; default 1 */
    size_t data_size;         /* of c; default 8 */
    uint64_t external_offset; /* of c */
    bool variable;            /* c is a variable */
    bool unranked;            /* c is unranked, yet has dimensions */
    uint32_t scale_type;      /* of c */
} sample;

static size_t or_default(size_t value, size_t fallback)
{
    return value ? value : fallback;
}

static mlia_flatbuf_ref add_attribute(mlia_flatbuf_builder *b, const sample *with, uint32_t op)
{
    static const int32_t numbers[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const int32_t zeros[4];
    static const uint8_t bytes[64] = {1};
    mlia_flatbuf_ref kernel = mlia_flatbuf_add_vector(b, numbers, or_default(with->kernel_count, 2), 4, 4);
    mlia_flatbuf_ref stride = mlia_flatbuf_add_vector(b, numbers, 2, 4, 4);
    mlia_flatbuf_ref pad = mlia_flatbuf_add_vector(b, zeros, 4, 4, 4);
    mlia_flatbuf_ref element = mlia_flatbuf_add_vector(b, bytes, or_default(with->element_size, 4), 1, 8);
    int64_t nan_mode = with->nan_mode == -1 ? 0 : (int64_t)or_default((size_t)with->nan_mode, 1);
    mlia_flatbuf_begin(b, mlia_tosa_attribute_schema(op));
    if (op == MLIA_OP_MAX_POOL2D) {
        mlia_flatbuf_set_ref(b, 0, kernel);
        mlia_flatbuf_set_ref(b, 1, stride);
        mlia_flatbuf_set_ref(b, 2, pad);
        mlia_flatbuf_set_integer(b, 3, nan_mode);
    } else if (op == MLIA_OP_CLAMP) {
        mlia_flatbuf_set_ref(b, 0, element);
        mlia_flatbuf_set_ref(b, 1, element);
        mlia_flatbuf_set_integer(b, 2, nan_mode);
    }
    return mlia_flatbuf_end(b);
}

static mlia_flatbuf_ref add_names(mlia_flatbuf_builder *b, const char *name)
{
    mlia_flatbuf_ref text = name ? mlia_flatbuf_add_string(b, mlia_str_from_c(name)) : 0;
    return mlia_flatbuf_add_refs(b, &text, name ? 1 : 0);
}

static mlia_flatbuf_ref add_operator(mlia_flatbuf_builder *b, const sample *with, uint32_t op, uint32_t type,
                                     const char *input, const char *output)
{
    mlia_flatbuf_ref attribute = add_attribute(b, with, type);
    mlia_flatbuf_ref inputs = add_names(b, input);
    mlia_flatbuf_ref outputs = add_names(b, output);
    mlia_flatbuf_begin(b, &mlia_tosa_operator_schema);
    mlia_flatbuf_set_integer(b, TOSA_OPERATOR_OP, op);
    mlia_flatbuf_set_integer(b, TOSA_OPERATOR_ATTRIBUTE_TYPE, type);
    mlia_flatbuf_set_ref(b, TOSA_OPERATOR_ATTRIBUTE, attribute);
    mlia_flatbuf_set_ref(b, TOSA_OPERATOR_INPUTS, inputs);
    mlia_flatbuf_set_ref(b, TOSA_OPERATOR_OUTPUTS, outputs);
    return mlia_flatbuf_end(b);
}

static mlia_flatbuf_ref add_tensor(mlia_flatbuf_builder *b, const char *name, size_t rank)
{
    int32_t dims[64];
    for (size_t i = 0; i < rank; i++)
        dims[i] = 2;
    mlia_flatbuf_ref shape = mlia_flatbuf_add_vector(b, dims, rank, 4, 4);
    mlia_flatbuf_ref text = mlia_flatbuf_add_string(b, mlia_str_from_c(name));
    mlia_flatbuf_begin(b, &mlia_tosa_tensor_schema);
    mlia_flatbuf_set_ref(b, TOSA_TENSOR_NAME, text);
    mlia_flatbuf_set_ref(b, TOSA_TENSOR_SHAPE, shape);
    mlia_flatbuf_set_integer(b, TOSA_TENSOR_TYPE, MLIA_TYPE_INT32);
    return mlia_flatbuf_end(b);
}

static mlia_flatbuf_ref add_constant(mlia_flatbuf_builder *b, const sample *with)
{
    static const uint8_t bytes[64] = {1, 2, 3, 4, 5, 6, 7, 8};
    const int32_t dim = with->dim ? with->dim : 2;
    mlia_flatbuf_ref shape = mlia_flatbuf_add_vector(b, &dim, 1, 4, 4);
    mlia_flatbuf_ref text = mlia_flatbuf_add_string(b, MLIA_STR("c"));
    mlia_flatbuf_ref data = mlia_flatbuf_add_vector(b, bytes, or_default(with->data_size, 8), 1, 8);
    mlia_flatbuf_begin(b, &mlia_tosa_tensor_schema);
    mlia_flatbuf_set_ref(b, TOSA_TENSOR_NAME, text);
    mlia_flatbuf_set_ref(b, TOSA_TENSOR_SHAPE, shape);
    mlia_flatbuf_set_integer(b, TOSA_TENSOR_TYPE, (int64_t)or_default(with->type, MLIA_TYPE_INT32));
    if (with->external_offset != 0) {
        mlia_flatbuf_set_integer(b, TOSA_TENSOR_OFFSET, (int64_t)with->external_offset);
        mlia_flatbuf_set_integer(b, TOSA_TENSOR_SIZE, 8);
    } else {
        mlia_flatbuf_set_ref(b, TOSA_TENSOR_DATA, data);
    }
    mlia_flatbuf_set_integer(b, TOSA_TENSOR_VARIABLE, with->variable);
    mlia_flatbuf_set_integer(b, TOSA_TENSOR_IS_UNRANKED, with->unranked);
    mlia_flatbuf_set_integer(b, TOSA_TENSOR_SCALE_TYPE, with->scale_type);
    return mlia_flatbuf_end(b);
}

static mlia_flatbuf_ref add_block(mlia_flatbuf_builder *b, const sample *with)
{
    uint32_t op = (uint32_t)or_default(with->op, MLIA_OP_MAX_POOL2D);
    const mlia_flatbuf_ref operators[] = {
        add_operator(b, with, MLIA_OP_CONST, MLIA_OP_CONST, NULL, "c"),
        add_operator(b, with, op, (uint32_t)or_default(with->attribute_type, op), "x", "y")};
    const mlia_flatbuf_ref tensors[] = {add_constant(b, with), add_tensor(b, "x", or_default(with->rank, 1)),
                                        add_tensor(b, "y", 1)};
    mlia_flatbuf_ref operator_list = mlia_flatbuf_add_refs(b, operators, 2);
    mlia_flatbuf_ref tensor_list = mlia_flatbuf_add_refs(b, tensors, 3);
    mlia_flatbuf_ref inputs = add_names(b, "x");
    mlia_flatbuf_ref outputs = add_names(b, "y");
    mlia_flatbuf_begin(b, &mlia_tosa_block_schema);
    mlia_flatbuf_set_ref(b, TOSA_BLOCK_OPERATORS, operator_list);
    mlia_flatbuf_set_ref(b, TOSA_BLOCK_TENSORS, tensor_list);
    mlia_flatbuf_set_ref(b, TOSA_BLOCK_INPUTS, inputs);
    mlia_flatbuf_set_ref(b, TOSA_BLOCK_OUTPUTS, outputs);
    return mlia_flatbuf_end(b);
}

static mlia_flatbuf_ref add_regions(mlia_flatbuf_builder *b, const sample *with)
{
    mlia_flatbuf_ref blocks[4] = {add_block(b, with)};
    for (size_t i = 0; i < with->extra_blocks; i++) {
        mlia_flatbuf_begin(b, &mlia_tosa_block_schema);
        mlia_flatbuf_ref empty = mlia_flatbuf_end(b);
        blocks[i + 1] = with->filled_extra_block ? blocks[0] : empty;
    }
    mlia_flatbuf_ref list = mlia_flatbuf_add_refs(b, blocks, 1 + with->extra_blocks);
    mlia_flatbuf_begin(b, &mlia_tosa_region_schema);
    mlia_flatbuf_set_ref(b, TOSA_REGION_BLOCKS, list);
    mlia_flatbuf_ref region = mlia_flatbuf_end(b);
    return mlia_flatbuf_add_refs(b, &region, with->no_regions ? 0 : 1);
}

static void make(const sample *with, mlia_buffer *out)
{
    mlia_flatbuf_builder *b = mlia_flatbuf_builder_new();
    mlia_flatbuf_ref regions = add_regions(b, with);
    mlia_flatbuf_begin(b, &mlia_tosa_version_schema);
    mlia_flatbuf_set_integer(b, TOSA_VERSION_MAJOR, 1);
    mlia_flatbuf_set_integer(b, TOSA_VERSION_MINOR, with->minor);
    mlia_flatbuf_set_integer(b, TOSA_VERSION_PATCH, 0);
    mlia_flatbuf_set_integer(b, TOSA_VERSION_DRAFT, 0);
    mlia_flatbuf_ref version = mlia_flatbuf_end(b);
    mlia_flatbuf_begin(b, &mlia_tosa_graph_schema);
    mlia_flatbuf_set_ref(b, TOSA_GRAPH_VERSION, version);
    mlia_flatbuf_set_ref(b, TOSA_GRAPH_REGIONS, regions);
    assert_ok(mlia_flatbuf_finish(b, mlia_flatbuf_end(b), MLIA_TOSA_IDENTIFIER, out));
    mlia_flatbuf_builder_free(b);
}

/* The file is refused with `kind` at `member`, a place with a byte offset. */
static void refused(sample with, mlia_kind kind, const char *member)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_buffer file = {0};
    mlia_graph *graph;
    make(&with, &file);
    mlia_status *status = mlia_tosa_read(mlia_buffer_bytes(&file), arena, NULL, &graph);
    assert_non_null(status);
    assert_string_equal(mlia_kind_name(mlia_status_kind(status)), mlia_kind_name(kind));
    assert_true(mlia_str_equal_c(mlia_status_member(status), member));
    assert_true(mlia_status_offset(status) < file.size);
    mlia_status_free(status);
    mlia_buffer_free(&file);
    mlia_arena_free(arena);
}

/* The file is read, with a warning of `kind` (0 = none at all). */
static void accepted(sample with, mlia_kind kind)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_buffer file = {0};
    mlia_graph *graph;
    make(&with, &file);
    assert_ok(mlia_tosa_read(mlia_buffer_bytes(&file), arena, &diagnostics, &graph));
    assert_int_equal(diagnostics.count > 0, kind != 0);
    if (kind != 0)
        assert_string_equal(mlia_kind_name(diagnostics.items[0].kind), mlia_kind_name(kind));
    mlia_buffer_free(&file);
    mlia_arena_free(arena);
}

#define BLOCK "regions[0].blocks[0]"

static void structure(void **state)
{
    (void)state;
    accepted((sample){0}, 0);
    accepted((sample){.minor = 1}, 0);
    accepted((sample){.minor = 2}, MLIA_W_TOSA_VERSION);
    accepted((sample){.extra_blocks = 2}, 0);
    refused((sample){.extra_blocks = 2, .filled_extra_block = true}, MLIA_E_TOSA_UNSUPPORTED,
            "regions[0].blocks[1]");
    refused((sample){.no_regions = true}, MLIA_E_TOSA_EMPTY, "");
    refused((sample){.type = MLIA_TYPE_SHAPE}, MLIA_E_TOSA_ENUM, BLOCK ".tensors[0].type");
    refused((sample){.rank = 33}, MLIA_E_TOSA_LIMIT, BLOCK ".tensors[1]");
    accepted((sample){.rank = 32}, 0);
}

static void attributes(void **state)
{
    (void)state;
    refused((sample){.kernel_count = 3}, MLIA_E_TOSA_ATTRIBUTE, BLOCK ".operators[1].attribute.kernel");
    refused((sample){.nan_mode = -1}, MLIA_E_TOSA_ATTRIBUTE, BLOCK ".operators[1].attribute.nan_mode");
    refused((sample){.nan_mode = 7}, MLIA_E_TOSA_ENUM, BLOCK ".operators[1].attribute.nan_mode");
    refused((sample){.op = MLIA_OP_ABS, .attribute_type = MLIA_OP_CEIL}, MLIA_E_TOSA_ATTRIBUTE,
            BLOCK ".operators[1].attribute_type");
    accepted((sample){.op = MLIA_OP_ABS}, 0);
    accepted((sample){.op = MLIA_OP_CLAMP}, 0);
    accepted((sample){.op = MLIA_OP_CLAMP, .element_size = 8}, 0);
    accepted((sample){.op = MLIA_OP_CLAMP, .element_size = 9}, MLIA_W_TOSA_DATA);
    refused((sample){.op = MLIA_OP_CLAMP, .element_size = 3}, MLIA_E_TOSA_ATTRIBUTE,
            BLOCK ".operators[1].attribute.min_val");
    refused((sample){.op = MLIA_OP_VARIABLE_READ}, MLIA_E_TOSA_DANGLING, BLOCK ".operators[1]");
}

static void constants(void **state)
{
    (void)state;
    refused((sample){.dim = -1}, MLIA_E_TOSA_SHAPE, BLOCK ".tensors[0].shape");
    refused((sample){.unranked = true}, MLIA_E_TOSA_SHAPE, BLOCK ".tensors[0].shape");
    refused((sample){.data_size = 7}, MLIA_E_TOSA_DATA, BLOCK ".tensors[0].data");
    accepted((sample){.data_size = 9}, MLIA_W_TOSA_DATA);
    accepted((sample){.type = MLIA_TYPE_INT48, .data_size = 16}, 0); /* 12 bytes and padding */
    accepted((sample){.variable = true}, 0);
    refused((sample){.scale_type = MLIA_TYPE_FP8UE8M0}, MLIA_E_TOSA_ENUM, BLOCK ".tensors[0].block_shape");
    refused((sample){.scale_type = 99}, MLIA_E_TOSA_ENUM, BLOCK ".tensors[0].scale_type");
    refused((sample){.external_offset = 1 << 20}, MLIA_E_TOSA_OFFSET, BLOCK ".tensors[0].offset");
}

static void bytes_outside_of_the_flatbuffer(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_buffer file = {0};
    mlia_graph *graph;
    make(&(sample){.external_offset = 4096}, &file);
    mlia_buffer_add_zeros(&file, 4096 - file.size);
    mlia_buffer_add(&file, "external", 8);
    assert_ok(mlia_tosa_read(mlia_buffer_bytes(&file), arena, NULL, &graph));
    assert_int_equal(graph->values[0].constant->bytes.size, 8);
    assert_ptr_equal(graph->values[0].constant->bytes.data, file.data + 4096);
    mlia_buffer_free(&file);
    mlia_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure),
        cmocka_unit_test(attributes),
        cmocka_unit_test(constants),
        cmocka_unit_test(bytes_outside_of_the_flatbuffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
