/* Modules that the writer makes, read back whole, then with one rule broken at a time. */
#include "formats/spirv/spirv.h"

#include <stdlib.h>

#include "formats/spirv/grammar.h"
#include "formats/spirv/write.h"
#include "graph/build.h"
#include "test_support.h"

enum { WORD_LIMIT = 1024 };

typedef struct fixture {
    mlia_arena *arena;
    mlia_graph *graph; /* out = CLAMP(ADD(a, constant)), both inputs int32[4] */
    uint32_t words[WORD_LIMIT];
    size_t count;
    mlia_diagnostics diagnostics;
    mlia_graph *result;
} fixture;

static const uint8_t numbers[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0xFC, 0xFF, 0xFF, 0xFF};
static const uint8_t low[4] = {0};
static const uint8_t high[4] = {9, 0, 0, 0};

static uint32_t tensor(fixture *state)
{
    static const int64_t dims[1] = {4};
    return mlia_graph_add_tensor(state->graph, 0, MLIA_STR_NONE, MLIA_TYPE_INT32, 1, dims);
}

static void build_graph(fixture *state)
{
    state->graph = mlia_graph_new(state->arena, MLIA_SOURCE_TOSA);
    mlia_graph_add_region(state->graph, MLIA_STR("main"), MLIA_STR("main"));
    uint32_t input = tensor(state);
    uint32_t constant = tensor(state);
    uint32_t sum = tensor(state);
    uint32_t output = tensor(state);
    mlia_constant *data = MLIA_NEW(state->arena, mlia_constant);
    *data = (mlia_constant){{numbers, sizeof numbers}, MLIA_ENCODING_BYTES, false};
    state->graph->values[constant].constant = data;
    mlia_graph_add_operator(state->graph, 0, MLIA_OP_CONST, NULL, 0, &constant, 1, NULL, MLIA_NONE);
    mlia_source source = {.id = MLIA_STR("0"), .label = MLIA_STR("block/sum")};
    uint32_t named = mlia_graph_add_source(state->graph, source);
    uint32_t operands[2] = {input, constant};
    mlia_graph_add_operator(state->graph, 0, MLIA_OP_ADD, operands, 2, &sum, 1, NULL, named);
    mlia_attributes attributes = mlia_attributes_default();
    attributes.min_val = (mlia_bytes){low, sizeof low};
    attributes.max_val = (mlia_bytes){high, sizeof high};
    mlia_graph_add_operator(state->graph, 0, MLIA_OP_CLAMP, &sum, 1, &output, 1, &attributes, MLIA_NONE);
    mlia_graph_set_block_inputs(state->graph, 0, &input, 1);
    mlia_graph_set_block_outputs(state->graph, 0, &output, 1);
    assert_ok(mlia_graph_finish(state->graph, NULL));
}

static void setup(fixture *state)
{
    *state = (fixture){.arena = mlia_arena_new(0)};
    state->diagnostics.arena = state->arena;
    build_graph(state);
    const mlia_block *block = mlia_graph_main(state->graph);
    mlia_spirv_port input = {block->inputs[0], 0};
    mlia_spirv_port output = {block->outputs[0], 1};
    mlia_spirv_write_options options = {
        .entry_point = MLIA_STR("main"),
        .operators = block->operators,
        .operator_count = block->operator_count,
        .inputs = &input,
        .input_count = 1,
        .outputs = &output,
        .output_count = 1,
        .replicated_composites = true,
        .debug_info = true,
    };
    mlia_buffer module = {0};
    assert_ok(mlia_spirv_write(state->graph, &options, &module));
    assert_true(module.size <= sizeof state->words);
    memcpy(state->words, module.data, module.size);
    state->count = module.size / 4;
    mlia_buffer_free(&module);
}

/* Word of the `nth` instruction (from 0) with the opcode. */
static size_t find(const fixture *state, uint32_t opcode, uint32_t nth)
{
    for (size_t at = MLIA_SPIRV_HEADER_WORDS; at < state->count; at += state->words[at] >> 16)
        if ((state->words[at] & 0xFFFF) == opcode && nth-- == 0)
            return at;
    fail_msg("no instruction %u", opcode);
    return 0;
}

static void insert(fixture *state, size_t at, const uint32_t *words, size_t count)
{
    assert_true(state->count + count <= WORD_LIMIT);
    memmove(state->words + at + count, state->words + at, (state->count - at) * sizeof *words);
    memcpy(state->words + at, words, count * sizeof *words);
    state->count += count;
}

static mlia_status *read_words(fixture *state)
{
    mlia_spirv_options options = {
        .entry_point = MLIA_STR("main"), .segment = 3, .diagnostics = &state->diagnostics};
    return mlia_spirv_read((mlia_bytes){(const uint8_t *)state->words, state->count * 4}, &options,
                           state->arena, &state->result);
}

static void test_round_trip(void **unused)
{
    (void)unused;
    fixture state;
    setup(&state);
    assert_ok(read_words(&state));
    const mlia_block *block = mlia_graph_main(state.result);
    assert_int_equal(block->operator_count, 3);
    const mlia_operator *add = &state.result->operators[block->operators[1]];
    assert_int_equal(add->op, MLIA_OP_ADD);
    assert_str(state.result->sources[add->source].label, "block/sum");
    assert_true(mlia_str_starts_with(state.result->sources[add->source].id, MLIA_STR("segment_3/spirv-")));
    int64_t number;
    assert_true(mlia_constant_integer(&state.result->values[add->inputs[1]], 3, &number));
    assert_int_equal(number, -4);
    const mlia_operator *clamp = &state.result->operators[block->operators[2]];
    assert_memory_equal(clamp->attributes->max_val.data, high, sizeof high);
    assert_int_equal(clamp->attributes->nan_mode, MLIA_NAN_PROPAGATE);
    mlia_arena_free(state.arena);
}

static void test_disassembly(void **unused)
{
    (void)unused;
    fixture state;
    setup(&state);
    mlia_buffer text = {0};
    assert_ok(mlia_spirv_disassemble((mlia_bytes){(const uint8_t *)state.words, state.count * 4}, &text));
    mlia_buffer_add_byte(&text, 0);
    const char *lines = (const char *)text.data;
    assert_non_null(strstr(lines, "OpMemoryModel Logical Vulkan\n"));
    assert_non_null(strstr(lines, " ADD %"));
    assert_non_null(strstr(lines, " CLAMP %"));
    assert_non_null(strstr(lines, "OpString \"block/sum\"\n"));
    mlia_buffer_free(&text);
    mlia_arena_free(state.arena);
}

/* Each case breaks one rule in a fresh module. */
typedef void breaker(fixture *state);

static void swap_magic(fixture *state)
{
    state->words[0] = __builtin_bswap32(state->words[0]);
}
static void wrong_magic(fixture *state)
{
    state->words[0]++;
}
static void header_only_part(fixture *state)
{
    state->count = 4;
}
static void no_words(fixture *state)
{
    state->words[find(state, MLIA_SPIRV_OpGraphARM, 0)] &= 0xFFFF;
}
static void too_many_words(fixture *state)
{
    state->words[find(state, MLIA_SPIRV_OpGraphEndARM, 0)] |= 0x7FFF0000;
}
static void huge_bound(fixture *state)
{
    state->words[3] = MLIA_SPIRV_ID_LIMIT + 2;
}
static void id_beyond_bound(fixture *state)
{
    state->words[3] = state->words[find(state, MLIA_SPIRV_OpGraphARM, 0) + 2];
}
static void defined_twice(fixture *state)
{
    state->words[find(state, MLIA_SPIRV_OpGraphInputARM, 0) + 2] =
        state->words[find(state, MLIA_SPIRV_OpGraphARM, 0) + 2];
}
static void reads_itself(fixture *state)
{
    size_t add = find(state, MLIA_SPIRV_OpExtInst, 0);
    state->words[add + 5] = state->words[add + 2];
}
static void unknown_instruction(fixture *state)
{
    state->words[find(state, MLIA_SPIRV_OpExtInst, 0) + 4] = 66;
}
static void unknown_opcode(fixture *state)
{
    static const uint32_t words[2] = {2u << 16 | 999, 1};
    insert(state, find(state, MLIA_SPIRV_OpExtInst, 0), words, 2);
}
static void missing_operand(fixture *state)
{
    size_t add = find(state, MLIA_SPIRV_OpExtInst, 0);
    state->words[add] -= 1u << 16;
    state->words[add + 6] = 1u << 16 | MLIA_SPIRV_OpNop;
}
static void wrong_operator(fixture *state)
{
    state->words[find(state, MLIA_SPIRV_OpExtInst, 0) + 4] = MLIA_OP_ABS - 1;
}
static void output_twice(fixture *state)
{
    size_t at = find(state, MLIA_SPIRV_OpGraphSetOutputARM, 0);
    uint32_t words[3] = {state->words[at], state->words[at + 1], state->words[at + 2]};
    insert(state, at, words, 3);
}
static void output_never(fixture *state)
{
    size_t at = find(state, MLIA_SPIRV_OpGraphSetOutputARM, 0);
    for (size_t i = 0; i < 3; i++)
        state->words[at + i] = 1u << 16 | MLIA_SPIRV_OpNop;
}
static void no_entry_point(fixture *state)
{
    size_t at = find(state, MLIA_SPIRV_OpGraphEntryPointARM, 0);
    size_t count = state->words[at] >> 16;
    for (size_t i = 0; i < count; i++)
        state->words[at + i] = 1u << 16 | MLIA_SPIRV_OpNop;
}
static void interface_swapped(fixture *state)
{
    size_t at = find(state, MLIA_SPIRV_OpGraphEntryPointARM, 0);
    state->words[at + 4] = state->words[find(state, MLIA_SPIRV_OpGraphARM, 0) + 2];
}
static void no_end(fixture *state)
{
    state->words[find(state, MLIA_SPIRV_OpGraphEndARM, 0)] = 1u << 16 | MLIA_SPIRV_OpNop;
}
static void text_without_end(fixture *state)
{
    size_t at = find(state, MLIA_SPIRV_OpExtension, 0);
    size_t count = state->words[at] >> 16;
    for (size_t i = 1; i < count; i++)
        state->words[at + i] = 0x41414141;
}
static void enumeration(fixture *state)
{
    size_t clamp = find(state, MLIA_SPIRV_OpExtInst, 1);
    state->words[clamp + 7] = state->words[clamp + 6]; /* nan_mode 9 */
}

static void test_broken_modules(void **unused)
{
    (void)unused;
    static const struct {
        breaker *function;
        mlia_kind kind;
    } cases[] = {
        {swap_magic, MLIA_E_SPIRV},
        {wrong_magic, MLIA_E_SPIRV},
        {header_only_part, MLIA_E_SPIRV},
        {no_words, MLIA_E_SPIRV_WORD_COUNT},
        {too_many_words, MLIA_E_SPIRV_WORD_COUNT},
        {huge_bound, MLIA_E_SPIRV_LIMIT},
        {id_beyond_bound, MLIA_E_SPIRV},
        {defined_twice, MLIA_E_SPIRV},
        {reads_itself, MLIA_E_SPIRV},
        {unknown_instruction, MLIA_E_SPIRV_UNKNOWN},
        {unknown_opcode, MLIA_E_SPIRV_UNKNOWN},
        {missing_operand, MLIA_E_SPIRV},
        {wrong_operator, MLIA_E_SPIRV},
        {output_twice, MLIA_E_SPIRV},
        {output_never, MLIA_E_SPIRV},
        {no_entry_point, MLIA_E_SPIRV},
        {interface_swapped, MLIA_E_SPIRV},
        {no_end, MLIA_E_SPIRV},
        {text_without_end, MLIA_E_SPIRV},
        {enumeration, MLIA_E_SPIRV},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture state;
        setup(&state);
        cases[i].function(&state);
        mlia_status *status = read_words(&state);
        if (status == NULL || mlia_status_kind(status) != cases[i].kind)
            fail_msg("case %zu: %s", i,
                     status == NULL ? "accepted" : mlia_kind_name(mlia_status_kind(status)));
        mlia_status_free(status);
        mlia_arena_free(state.arena);
    }
}

static void test_entry_point_of_another_name(void **unused)
{
    (void)unused;
    fixture state;
    setup(&state);
    mlia_spirv_options options = {.entry_point = MLIA_STR("other"), .diagnostics = &state.diagnostics};
    assert_ok(mlia_spirv_read((mlia_bytes){(const uint8_t *)state.words, state.count * 4}, &options,
                              state.arena, &state.result));
    assert_int_equal(state.diagnostics.count, 1);
    assert_int_equal(state.diagnostics.items[0].kind, MLIA_W_VGF_ENTRY_POINT);
    mlia_arena_free(state.arena);
}

/* Debug information of older producers: another set, instruction 4, the text first. */
static void test_old_debug_information(void **unused)
{
    (void)unused;
    fixture state;
    setup(&state);
    uint32_t set = state.words[3];
    uint32_t result = state.words[find(&state, MLIA_SPIRV_OpExtInst, 1) + 2];
    uint32_t void_type = state.words[find(&state, MLIA_SPIRV_OpTypeVoid, 0) + 1];
    uint32_t text = state.words[find(&state, MLIA_SPIRV_OpString, 0) + 1];
    for (uint32_t i = 0; state.words[find(&state, MLIA_SPIRV_OpString, i) + 2] != 0x636F6C62;
         i++) /* "bloc" */
        text = state.words[find(&state, MLIA_SPIRV_OpString, i + 1) + 1];
    uint32_t debug[7] = {7u << 16 | MLIA_SPIRV_OpExtInst, void_type, set + 1, set, 4, text, result};
    /* in place of the new debug information */
    state.count = find(&state, MLIA_SPIRV_OpGraphEndARM, 0) + 1;
    insert(&state, state.count, debug, 7);
    uint32_t import[2 + 8] = {10u << 16 | MLIA_SPIRV_OpExtInstImport, set};
    memcpy(import + 2, "NonSemantic.MLGraph.DebugInfo.1", 32);
    insert(&state, find(&state, MLIA_SPIRV_OpMemoryModel, 0), import, 10);
    state.words[3] += 2;
    assert_ok(read_words(&state));
    const mlia_block *block = mlia_graph_main(state.result);
    const mlia_operator *clamp = &state.result->operators[block->operators[2]];
    assert_str(state.result->sources[clamp->source].label, "block/sum");
    mlia_arena_free(state.arena);
}

/* The table of TOSA operands fits the table of operators. */
static void test_operand_table(void **unused)
{
    (void)unused;
    for (uint32_t op = 1; op <= MLIA_OP_LAST_SPIRV; op++) {
        const mlia_spirv_tosa_info *info = mlia_spirv_tosa_describe(op);
        const mlia_op_info *operation = mlia_op_describe(op);
        uint32_t fields = 0;
        size_t input = 0;
        assert_non_null(info->forms);
        for (const char *form = info->forms; *form != 0; form++) {
            if (strchr("ubev", *form) != NULL)
                assert_true(fields < info->field_count && mlia_op_has_field(op, info->fields[fields++]));
            else if (strchr("stz", *form) != NULL)
                assert_int_equal(operation->inputs.data[input++] == 'S', *form == 's');
        }
        assert_int_equal(fields, operation->field_count);
        assert_int_equal(input, operation->inputs.size);
        assert_string_equal(mlia_spirv_set_instruction(MLIA_SPIRV_SET_TOSA, op - 1), operation->name.data);
    }
    assert_null(mlia_spirv_tosa_describe(MLIA_OP_IDENTITY)->forms);
}

static void test_refused_operator(void **unused)
{
    (void)unused;
    fixture state;
    setup(&state);
    const mlia_block *block = mlia_graph_main(state.graph);
    state.graph->operators[block->operators[1]].op = MLIA_OP_COND_IF;
    mlia_spirv_write_options options = {
        .entry_point = MLIA_STR("main"), .operators = block->operators, .operator_count = 3};
    mlia_buffer module = {0};
    mlia_status *status = mlia_spirv_write(state.graph, &options, &module);
    assert_non_null(status);
    assert_int_equal(mlia_status_kind(status), MLIA_E_TOSA_UNSUPPORTED);
    assert_str(mlia_status_message(status), "COND_IF 'block/sum': the operator has no SPIR-V instruction");
    mlia_status_free(status);
    mlia_buffer_free(&module);
    mlia_arena_free(state.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_disassembly),
        cmocka_unit_test(test_broken_modules),
        cmocka_unit_test(test_entry_point_of_another_name),
        cmocka_unit_test(test_old_debug_information),
        cmocka_unit_test(test_operand_table),
        cmocka_unit_test(test_refused_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
