/* Spellings of MLIR text that whole files seldom show, one by one. */
#include <unistd.h>

#include "mlir_files.h"

#define HEAD       "module {\n  func.func @main(%a: tensor<2x3xi8>) -> tensor<2x3xi8> {\n"
#define TAIL       "    return %a : tensor<2x3xi8>\n  }\n}\n"
#define MAIN(body) HEAD body TAIL

static mlir_file item;

static const mlia_graph *read_good(const char *text)
{
    assert_ok(read_text(text, &item));
    return item.graph;
}

static void expect_bad(const char *text, mlia_kind kind, uint32_t line, uint32_t column)
{
    mlia_status *status = read_text(text, &item);
    assert_non_null(status);
    if (mlia_status_kind(status) != kind)
        print_error("%.*s\n", MLIA_STR_ARG(mlia_status_message(status)));
    assert_string_equal(mlia_kind_name(mlia_status_kind(status)), mlia_kind_name(kind));
    assert_int_equal(mlia_status_line(status), line);
    assert_int_equal(mlia_status_column(status), column);
    mlia_status_free(status);
    close_mlir(&item);
}

/* The constant of operator `op` as numbers. */
static void expect_numbers(const mlia_graph *graph, uint32_t op, const double *numbers, uint64_t count)
{
    const mlia_graph_value *value = &graph->values[graph->operators[op].outputs[0]];
    for (uint64_t i = 0; i < count; i++) {
        double number;
        assert_true(mlia_constant_number(value, i, &number));
        assert_true(number == numbers[i]);
    }
}

/* A function with one constant in line 3. */
static void constant_text(char *text, size_t size, const char *dense, const char *type)
{
    int used = snprintf(text, size, "%s%s%s : %s}> : () -> %s\n%s", HEAD,
                        "    %0 = \"tosa.const\"() <{values = ", dense, type, type, TAIL);
    assert_true(used > 0 && (size_t)used < size);
}

static void test_constants(void **state)
{
    (void)state;
    static const struct {
        const char *dense;
        const char *type;
        uint64_t count;
        double numbers[4];
    } cases[] = {
        {"dense<7>", "tensor<2x3xi8>", 4, {7, 7, 7, 7}},
        {"dense<[[1, -2], [255, 0x10]]>", "tensor<2x2xi8>", 4, {1, -2, -1, 16}},
        {"dense<\"0x01FF\">", "tensor<2xi8>", 2, {1, -1}},
        {"dense<\"0x0100\">", "tensor<3xi16>", 3, {1, 1, 1}},
        {"dense<[true, false, true]>", "tensor<3xi1>", 3, {1, 0, 1}},
        {"dense<\"0x05\">", "tensor<9xi1>", 4, {1, 1, 1, 1}},
        {"dense<\"0x0500\">", "tensor<9xi1>", 4, {1, 0, 1, 0}},
        {"dense<[-8, 7, 3]>", "tensor<3xi4>", 3, {-8, 7, 3}},
        {"dense<\"0x0F0703\">", "tensor<3xi4>", 3, {-1, 7, 3}},
        {"dense<[-140737488355328, 1]>", "tensor<2xi48>", 2, {-140737488355328.0, 1}},
        {"dense<[9223372036854775807, -9223372036854775808]>",
         "tensor<2xi64>",
         2,
         {9223372036854775807.0, -9223372036854775808.0}},
        {"dense<[1.5, -0.25, 1.0e-40, 0x3F800000]>", "tensor<4xf32>", 4, {1.5, -0.25, (double)1.0e-40F, 1}},
        {"dense<[65504.0, 5.96046448e-08, 1.00048828125, 1.001465]>",
         "tensor<4xf16>",
         4,
         {65504, 0x1p-24, 1, 0x1.008p0}},
        {"dense<[3.0, -1.00390625, 1.01171875, 0.0]>", "tensor<4xbf16>", 4, {3, -1, 1.015625, 0}},
        {"dense<[448.0, 0.001953125, -240.0, 17.0]>", "tensor<4xf8E4M3FN>", 4, {448, 0x1p-9, -240, 16}},
        {"dense<[57344.0, 1.52587890625e-05, 0.0, 1.125]>", "tensor<4xf8E5M2>", 4, {57344, 0x1p-16, 0, 1}},
        {"dense<[7.5, 0.125, -0.0, 1.0625]>", "tensor<4xf6E2M3FN>", 4, {7.5, 0.125, 0, 1}},
        {"dense<[28.0, 0.0625, 0.0, 5.5]>", "tensor<4xf6E3M2FN>", 4, {28, 0.0625, 0, 6}},
        {"dense<[6.0, 0.5, 0.0, -1.25]>", "tensor<4xf4E2M1FN>", 4, {6, 0.5, 0, -1}},
        {"dense<[1.0, 4.0, 0.5, 6.1]>", "tensor<4xf8E8M0FNU>", 4, {1, 4, 0.5, 8}},
        {"dense<[\"0x1\", \"0xC0\"]>", "tensor<2x!tosa.mxint8>", 2, {1, -64}},
        {"dense<2.0>", "tensor<f32>", 1, {2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        constant_text(text, sizeof text, cases[i].dense, cases[i].type);
        const mlia_graph *graph = read_good(text);
        if (mlia_type_describe(graph->values[1].type)->bits == 8 && graph->values[1].type == MLIA_TYPE_MXINT8)
            assert_int_equal(graph->values[1].constant->bytes.data[1], 0xC0);
        else
            expect_numbers(graph, 0, cases[i].numbers, cases[i].count);
        close_mlir(&item);
    }
}

enum { BLOB_BYTES = 3 << 20 };

/* Two constants of the same three MiB of hexadecimal digits, and a mistake behind them if `bad` is not NULL.
 * One is a resource. `change` is put in place of digits in the middle of the first. */
static char *blob_text(const char *change, const char *bad)
{
    static const char type[] = "tensor<1572864xi16>";
    size_t room = (size_t)4 * BLOB_BYTES + 2000;
    char *text = malloc(room);
    assert_non_null(text);
    char *digits = malloc(2 * BLOB_BYTES + 1);
    assert_non_null(digits);
    for (size_t i = 0; i < 2 * BLOB_BYTES; i++)
        digits[i] = "0123456789abcdefABCDEF"[i * i % 22];
    digits[2 * BLOB_BYTES] = '\0';
    int used = snprintf(text, room,
                        "%s    %%0 = \"tosa.const\"() <{values = dense<\"0x%s\"> : %s}> : () -> %s\n"
                        "    %%1 = \"tosa.const\"() <{values = dense_resource<w> : %s}> : () -> %s\n%s%s"
                        "{-# dialect_resources: { builtin: { w: \"0x04000000%s\" } } #-}\n",
                        HEAD, digits, type, type, type, type, bad != NULL ? bad : "", TAIL, digits);
    assert_true(used > 0 && (size_t)used < room);
    if (change != NULL)
        memcpy(strstr(text, "0x") + BLOB_BYTES, change, strlen(change));
    free(digits);
    return text;
}

static void expect_bad_blob(const char *change, const char *bad, mlia_kind kind, uint32_t line,
                            uint32_t column)
{
    char *text = blob_text(change, bad);
    expect_bad(text, kind, line, column);
    free(text);
}

static void test_blobs(void **state)
{
    (void)state;
    char *text = blob_text(NULL, NULL);
    const mlia_graph *graph = read_good(text);
    const mlia_constant *first = graph->values[1].constant;
    const mlia_constant *second = graph->values[2].constant;
    assert_int_equal(first->bytes.size, BLOB_BYTES);
    assert_int_equal(second->bytes.size, BLOB_BYTES);
    const char *digits = strstr(text, "0x") + 2;
    for (size_t i = 0; i < BLOB_BYTES; i++) {
        char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        assert_int_equal(first->bytes.data[i], strtoul(pair, NULL, 16));
    }
    assert_memory_equal(first->bytes.data, second->bytes.data, BLOB_BYTES);
    assert_int_equal(graph->operators[1].line, 4);

    /* the same from a mapped file, whose text is forgotten on the way */
    char path[] = "/tmp/mlia-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    mlia_file *file = NULL;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_graph *again = NULL;
    assert_ok(mlia_file_write(path, (mlia_bytes){(const uint8_t *)text, strlen(text)}));
    assert_ok(mlia_file_open(path, &file));
    assert_ok(mlia_mlir_read_file(file, arena, NULL, &again));
    assert_memory_equal(again->values[2].constant->bytes.data, second->bytes.data, BLOB_BYTES);
    mlia_arena_free(arena);
    mlia_file_free(file);
    unlink(path);
    close_mlir(&item);
    free(text);

    expect_bad_blob(NULL, "    %2 = tosa.nothing\n", MLIA_E_MLIR_ENUM, 5, 5);
    expect_bad_blob("g", NULL, MLIA_E_MLIR_DATA, 3, 45);
    expect_bad_blob("\n", NULL, MLIA_E_MLIR_SYNTAX, 3, 42);
    expect_bad_blob("\xFF", NULL, MLIA_E_MLIR_UTF8, 3, 43 + BLOB_BYTES);
    expect_bad_blob("\"", NULL, MLIA_E_MLIR_SYNTAX, 3, 45 + 2 * BLOB_BYTES);
}

static void test_bad_constants(void **state)
{
    (void)state;
    static const struct {
        const char *dense;
        const char *type;
        mlia_kind kind;
    } cases[] = {
        {"dense<256>", "tensor<1xi8>", MLIA_E_MLIR_DATA},
        {"dense<-129>", "tensor<1xi8>", MLIA_E_MLIR_DATA},
        {"dense<-1>", "tensor<1xui8>", MLIA_E_MLIR_DATA},
        {"dense<128>", "tensor<1xsi8>", MLIA_E_MLIR_DATA},
        {"dense<1.5>", "tensor<1xi8>", MLIA_E_MLIR_DATA},
        {"dense<[1, 2, 3]>", "tensor<2xi8>", MLIA_E_MLIR_DATA},
        {"dense<[1]>", "tensor<i8>", MLIA_E_MLIR_DATA},
        {"dense<[[1], [2, 3]]>", "tensor<2x2xi8>", MLIA_E_MLIR_DATA},
        {"dense<>", "tensor<2xi8>", MLIA_E_MLIR_DATA},
        {"dense<70000.0>", "tensor<1xf16>", MLIA_E_MLIR_DATA},
        {"dense<0x100000000>", "tensor<1xf32>", MLIA_E_MLIR_DATA},
        {"dense<true>", "tensor<1xi8>", MLIA_E_MLIR_DATA},
        {"dense<\"0x0G\">", "tensor<1xi8>", MLIA_E_MLIR_DATA},
        {"dense<word>", "tensor<1xi8>", MLIA_E_MLIR_SYNTAX},
        {"dense<1 2>", "tensor<2xi8>", MLIA_E_MLIR_SYNTAX},
        {"dense<1>", "tensor<?xi8>", MLIA_E_MLIR_DATA},
        {"dense<1>", "tensor<1xf64>", MLIA_E_MLIR_TYPE},
        {"dense_resource<nothing>", "tensor<1xi8>", MLIA_E_MLIR_DANGLING},
        {"[1]", "tensor<1xi8>", MLIA_E_MLIR_SYNTAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        constant_text(text, sizeof text, cases[i].dense, cases[i].type);
        mlia_status *status = read_text(text, &item);
        assert_non_null(status);
        if (mlia_status_kind(status) != cases[i].kind)
            print_error("%s : %s: %.*s\n", cases[i].dense, cases[i].type,
                        MLIA_STR_ARG(mlia_status_message(status)));
        assert_int_equal(mlia_status_kind(status), cases[i].kind);
        assert_int_equal(mlia_status_line(status), 3);
        mlia_status_free(status);
        close_mlir(&item);
    }
}

static void test_resources(void **state)
{
    (void)state;
    const mlia_graph *graph = read_good(MAIN(
        "    %0 = \"tosa.const\"() <{values = dense_resource<w> : tensor<2xi16>}> : () -> tensor<2xi16>\n"
        "    %1 = \"tosa.const\"() <{values = dense_resource<\"odd key\"> : tensor<2xi8>}> : () -> "
        "tensor<2xi8>\n") "{-#\n  dialect_resources: {\n    builtin: {\n      w: \"0x020000000100FFFF\",\n   "
                          "   \"odd key\": \"0x010000000305\"\n"
                          "    }\n  },\n  external_resources: {\n    mlir_reproducer: {\n      verify_each: "
                          "true\n    }\n  }\n#-}\n");
    expect_numbers(graph, 0, (double[]){1, -1}, 2);
    expect_numbers(graph, 1, (double[]){3, 5}, 2);
    close_mlir(&item);
}

/* Aliases before and behind their use, of types, attributes and locations, also on one line with other
 * things. */
static void test_aliases(void **state)
{
    (void)state;
    const mlia_graph *graph = read_good(
        "!t = !u\n#mode = #tosa.nan_mode<IGNORE>\n"
        "func.func @main(%a: !t) -> !t {\n"
        "  %0 = tosa.maximum %a, %a {nan_mode = #mode} : (!t, !t) -> !t loc(#here)\n"
        "  return %0 : !t loc(#outer)\n} #here = loc(\"x\"(#outer))\n"
        "#outer = loc(fused<\"m\">[\"a\", callsite(\"b\":1:2 at #inner), unknown])\n!u = tensor<2xf32>\n"
        "#inner = loc(\"f\":3:4 to 5:6)\n");
    assert_int_equal(graph->operators[0].attributes->nan_mode, MLIA_NAN_IGNORE);
    assert_str(graph->sources[0].location,
               "loc(\"x\"(fused<\"m\">[\"a\", callsite(\"b\":1:2 at \"f\":3:4 to 5:6), unknown]))");
    assert_str(graph->sources[0].label, "x");
    assert_int_equal(graph->operators[0].line, 4);
    assert_int_equal(graph->operators[0].column, 3);
    close_mlir(&item);
    expect_bad("#a = loc(#b)\n#b = loc(#a)\nmodule {}\n", MLIA_E_MLIR_CYCLE, 2, 10);
    expect_bad("!a = !b\n!b = !a\nmodule {}\n", MLIA_E_MLIR_CYCLE, 2, 6);
    expect_bad("#a = loc(\"x\")\n#a = loc(\"y\")\n", MLIA_E_MLIR_DUPLICATE, 2, 1);
}

/* Every alias doubles the text: the reader stops long before memory is gone. */
static void test_location_bomb(void **state)
{
    (void)state;
    mlia_buffer text = {0};
    mlia_buffer_format(&text, "#l0 = loc(\"x\")\n");
    for (int i = 1; i < 20; i++)
        mlia_buffer_format(&text, "#l%d = loc(fused[#l%d, #l%d, #l%d])\n", i, i - 1, i - 1, i - 1);
    mlia_buffer_format(&text, "%s", MAIN(""));
    assert_kind(read_bytes(mlia_buffer_bytes(&text), &item), MLIA_E_MLIR_LIMIT);
    close_mlir(&item);
    mlia_buffer_free(&text);
}

static void test_types(void **state)
{
    (void)state;
    const mlia_graph *graph = read_good("func.func @main(%a: tensor<0x10xf32>, %b: tensor<?x3xui8, "
                                        "#foo.bar<1, \"x>\">>, %c: tensor<*xi8>, %d: tensor<i32>,"
                                        " %e: !tosa.shape<4>) {\n  return\n}\n");
    assert_int_equal(graph->values[0].dims[0], 0);
    assert_int_equal(graph->values[0].dims[1], 10);
    assert_int_equal(graph->values[1].dims[0], MLIA_DIM_UNKNOWN);
    assert_true(graph->values[1].is_unsigned);
    assert_true(graph->values[2].unranked);
    assert_int_equal(graph->values[3].rank, 0);
    assert_int_equal(graph->values[4].kind, MLIA_KIND_SHAPE);
    assert_int_equal(graph->values[4].rank, 4);
    close_mlir(&item);
    expect_bad("func.func @main(%a: tensor<2xf64>) {\n  return\n}\n", MLIA_E_MLIR_TYPE, 1, 1);
    expect_bad("func.func @main(%a: tensor<2xi9q>) {\n  return\n}\n", MLIA_E_MLIR_SYNTAX, 1, 30);
}

static const char captured[] =
    "func.func @main(%c: tensor<1xi1>, %x: tensor<4xi32>) -> (tensor<4xi32>, tensor<1xi32>) {\n"
    "  %s = tosa.const_shape {values = dense<4> : tensor<1xindex>} : () -> !tosa.shape<1>\n"
    "  %0 = tosa.cond_if %c : tensor<1xi1> -> tensor<4xi32> {\n"
    "    %1 = tosa.reshape %x, %s : (tensor<4xi32>, !tosa.shape<1>) -> tensor<4xi32>\n"
    "    tosa.yield %1 : tensor<4xi32>\n  } else {\n"
    "    tosa.yield %x : tensor<4xi32>\n  }\n"
    "  %n = \"tosa.const\"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>\n"
    "  %w = tosa.while_loop (%i = %n) : (tensor<1xi32>) -> tensor<1xi32> {\n"
    "    %2 = tosa.greater %i, %n : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>\n"
    "    tosa.yield %2 : tensor<1xi1>\n  } do {\n"
    "  ^bb0(%j: tensor<1xi32>):\n"
    "    %3 = tosa.add %j, %n : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>\n"
    "    tosa.yield %3 : tensor<1xi32>\n  }\n"
    "  return %0, %w : tensor<4xi32>, tensor<1xi32>\n}\n";

/* Values of the function that regions read become inputs of the regions; constant shapes are repeated inside.
 */
static void test_captures(void **state)
{
    (void)state;
    const mlia_graph *graph = read_good(captured);
    const mlia_operator *branch = &graph->operators[1];
    assert_int_equal(branch->op, MLIA_OP_COND_IF);
    assert_int_equal(branch->input_count, 2);
    const mlia_block *then = &graph->blocks[graph->regions[branch->attributes->then_graph].block];
    const mlia_block *other = &graph->blocks[graph->regions[branch->attributes->else_graph].block];
    assert_int_equal(then->input_count, 1);
    assert_int_equal(other->input_count, 1);
    assert_int_equal(then->operator_count, 2);
    assert_int_equal(graph->operators[then->operators[0]].op, MLIA_OP_CONST_SHAPE);
    assert_int_equal(other->outputs[0], other->inputs[0]);
    const mlia_operator *loop = &graph->operators[graph->operators[1].number + 4];
    assert_int_equal(loop->op, MLIA_OP_WHILE_LOOP);
    assert_int_equal(loop->input_count, 2);
    assert_int_equal(loop->output_count, 2);
    const mlia_block *body = &graph->blocks[graph->regions[loop->attributes->body_graph].block];
    assert_int_equal(body->output_count, 2);
    assert_int_equal(body->outputs[1], body->inputs[1]);
    close_mlir(&item);
}

static void expect_ids(const char *text, const char *const *ids)
{
    const mlia_graph *graph = read_good(text);
    for (uint32_t i = 0; i < graph->source_count; i++)
        assert_true(mlia_str_equal_c(graph->sources[i].id, ids[i]));
    close_mlir(&item);
}

/* Numbers of results where all are plain and different, else positions. */
static void test_ids(void **state)
{
    (void)state;
    expect_ids(MAIN("    %7 = tosa.abs %a : (tensor<2x3xi8>) -> tensor<2x3xi8>\n"
                    "    \"tfl.thing\"(%7) : (tensor<2x3xi8>) -> ()\n"
                    "    %3 = tosa.abs %7 : (tensor<2x3xi8>) -> tensor<2x3xi8>\n"),
               (const char *const[]){"7", "op_1", "3"});
    expect_ids(MAIN("    %7 = tosa.abs %a : (tensor<2x3xi8>) -> tensor<2x3xi8>\n"
                    "    %b = tosa.abs %7 : (tensor<2x3xi8>) -> tensor<2x3xi8>\n"),
               (const char *const[]){"0", "1"});
}

static void test_functions(void **state)
{
    (void)state;
    const mlia_graph *graph =
        read_good("module @m {\n  func.func private @f(tensor<1xi8>) -> tensor<1xi8>\n"
                  "  func.func @other() {\n    return\n  }\n"
                  "  func.func public @main(%a: tensor<1xi8> loc(unknown), %b: tensor<1xi8> "
                  "{tf_saved_model.index_path = [\"path\"]}) -> (tensor<1xi8> {x.y}) attributes "
                  "{tf.entry_function = {inputs = \"p,q\", outputs = \"r\"}} {\n"
                  "    %0 = tosa.abs %a : (tensor<1xi8>) -> tensor<1xi8>\n"
                  "    func.return %0 : tensor<1xi8>\n  }\n}\n");
    assert_int_equal(item.diagnostics.count, 0);
    assert_str(graph->values[0].name, "p");
    assert_str(graph->values[1].name, "path");
    assert_str(graph->values[2].name, "r");
    close_mlir(&item);
    read_good("func.func @f() {\n  return\n}\nfunc.func @g() {\n  return\n}\n");
    assert_int_equal(item.diagnostics.count, 1);
    assert_int_equal(item.diagnostics.items[0].kind, MLIA_W_MLIR_MAIN);
    close_mlir(&item);
    expect_bad("module {\n  func.func private @f(tensor<1xi8>)\n}\n", MLIA_E_MLIR_EMPTY, 4, 1);
}

/* Files from before properties keep everything in the last dictionary. */
static void test_old_generic(void **state)
{
    (void)state;
    const mlia_graph *graph = read_good(
        "\"builtin.module\"() ({\n  \"func.func\"() ({\n  ^bb0(%arg0: tensor<2x3xf32>):\n"
        "    %0 = \"tosa.argmax\"(%arg0) {axis = 1 : i32} : (tensor<2x3xf32>) -> tensor<2xi32>\n"
        "    \"func.return\"(%0) : (tensor<2xi32>) -> ()\n"
        "  }) {function_type = (tensor<2x3xf32>) -> tensor<2xi32>, sym_name = \"main\"} : () -> ()\n"
        "}) : () -> ()\n");
    assert_int_equal(graph->operators[0].attributes->axis, 1);
    assert_int_equal(graph->operators[0].attributes->nan_mode, MLIA_NAN_PROPAGATE);
    close_mlir(&item);
}

static void test_foreign(void **state)
{
    (void)state;
    const mlia_graph *graph =
        read_good(MAIN("    %0 = \"tfl.lstm\"(%a) <{x = #tfl<y>, z = affine_map<(d0) -> (d0)>}> ({\n      "
                       "\"a.b\"() : () -> ()\n    }) : "
                       "(tensor<2x3xi8>) -> tensor<4xf64> loc(\"l\")\n"
                       "    %1:2 = arith.thing %a, [1, 2,\n      3] {k} : i8 loc(\"q\")\n"
                       "    \"tfl.use\"(%1#1, %0) : (i8, tensor<4xf64>) -> ()\n"));
    assert_int_equal(graph->operator_count, 3);
    assert_str(graph->operators[0].foreign_name, "tfl.lstm");
    assert_str(graph->operators[1].foreign_name, "arith.thing");
    assert_int_equal(graph->operators[1].output_count, 2);
    assert_str(graph->sources[1].label, "q");
    assert_int_equal(graph->values[graph->operators[0].outputs[0]].kind, MLIA_KIND_NO_VALUE);
    close_mlir(&item);
}

static void test_errors(void **state)
{
    (void)state;
    expect_bad(MAIN("    %0 = tosa.add %a : (tensor<2x3xi8>) -> tensor<2x3xi8>\n"), MLIA_E_MLIR_SYNTAX, 3, 5);
    expect_bad(MAIN("    %0, %1 = tosa.abs %a : (tensor<2x3xi8>) -> tensor<2x3xi8>\n"), MLIA_E_MLIR_SYNTAX, 3,
               5);
    expect_bad(MAIN("    %0 = tosa.reshape %a, %a : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<6xi8>\n"),
               MLIA_E_MLIR_TYPE, 3, 5);
    expect_bad(MAIN("    %0 = tosa.maximum %a, %a {nan_mode = MAYBE} : (tensor<2x3xi8>, tensor<2x3xi8>) -> "
                    "tensor<2x3xi8>\n"),
               MLIA_E_MLIR_ENUM, 3, 5);
    expect_bad(MAIN("    %0 = tosa.transpose %a {perms = array<i32: 0, 4294967296>} : (tensor<2x3xi8>) -> "
                    "tensor<3x2xi8>\n"),
               MLIA_E_MLIR_ATTRIBUTE, 3, 5);
    expect_bad(MAIN("    call @f() : () -> ()\n"), MLIA_E_MLIR_UNSUPPORTED, 3, 5);
    expect_bad(MAIN("    %0 = tosa.variable_read @v : tensor<1xi8>\n"), MLIA_E_MLIR_DANGLING, 3, 5);
    expect_bad(MAIN("    %0 = tosa.abs %a#1 : (tensor<2x3xi8>) -> tensor<2x3xi8>\n"), MLIA_E_MLIR_DANGLING, 3,
               19);
    expect_bad(MAIN("    nonsense\n"), MLIA_E_MLIR_SYNTAX, 3, 5);
    expect_bad(
        "module {\n  func.func @main() {\n    \"cf.br\"()[^bb1] : () -> ()\n  ^bb1:\n    return\n  }\n}\n",
        MLIA_E_MLIR_UNSUPPORTED, 3, 14);
    expect_bad("#a = loc(\"x\")\n#a\nmodule {}\n", MLIA_E_MLIR_SYNTAX, 2, 1);
    expect_bad("garbage\n", MLIA_E_MLIR_SYNTAX, 1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants),     cmocka_unit_test(test_blobs),
        cmocka_unit_test(test_bad_constants), cmocka_unit_test(test_resources),
        cmocka_unit_test(test_aliases),       cmocka_unit_test(test_location_bomb),
        cmocka_unit_test(test_types),         cmocka_unit_test(test_captures),
        cmocka_unit_test(test_ids),           cmocka_unit_test(test_functions),
        cmocka_unit_test(test_old_generic),   cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
