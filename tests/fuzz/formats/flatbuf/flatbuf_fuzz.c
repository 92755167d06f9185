/* The verifier and every accessor on any bytes: a table that holds itself, in all the ways a field can. What
 * the verifier lets pass is walked; what it refuses is walked as well, a few levels deep, since the accessors
 * promise to be safe without it. */
#include "formats/flatbuf/flatbuf.h"

enum { NUMBER, WIDE, REAL, NAME, NAMES, NUMBERS, CHILD, CHILDREN, CHOICE_TYPE, CHOICE };

static const mlia_flatbuf_schema schema;
static const mlia_flatbuf_schema *const choices[] = {NULL, &schema, NULL, &schema};
static const mlia_flatbuf_field fields[] = {
    {.name = "number", .type = MLIA_FLATBUF_I16, .initial = -1},
    {.name = "wide", .type = MLIA_FLATBUF_U64},
    {.name = "real", .type = MLIA_FLATBUF_F64},
    {.name = "name", .type = MLIA_FLATBUF_STRING},
    {.name = "names", .type = MLIA_FLATBUF_STRING, .is_vector = true},
    {.name = "numbers", .type = MLIA_FLATBUF_I32, .is_vector = true, .max_count = 1000},
    {.name = "child", .type = MLIA_FLATBUF_TABLE, .table = &schema},
    {.name = "children", .type = MLIA_FLATBUF_TABLE, .is_vector = true, .table = &schema},
    {.name = "choice_type", .type = MLIA_FLATBUF_U8},
    {.name = "choice", .type = MLIA_FLATBUF_UNION, .members = choices, .member_count = 4},
};
static const mlia_flatbuf_schema schema = MLIA_FLATBUF_SCHEMA("Node", fields);

/* Reads everything; `budget` bounds the work on bytes that were not verified. */
static uint64_t walk(mlia_flatbuf_table table, int depth, int *budget)
{
    if (!mlia_flatbuf_exists(table) || depth == 0 || --*budget <= 0)
        return 0;
    uint64_t sum = (uint64_t)mlia_flatbuf_integer(table, NUMBER) + mlia_flatbuf_u64(table, WIDE) +
                   (mlia_flatbuf_real(table, REAL) > 0) + mlia_flatbuf_offset(table, NAME);
    mlia_str name = mlia_flatbuf_string(table, NAME);
    if (name.size > 0)
        sum += (uint8_t)name.data[0] + (uint8_t)name.data[name.size - 1];
    mlia_flatbuf_vector names = mlia_flatbuf_list(table, NAMES);
    for (size_t i = 0; i < names.count && --*budget > 0; i++)
        sum += mlia_flatbuf_string_at(names, i).size + mlia_flatbuf_offset_at(names, i);
    mlia_flatbuf_vector numbers = mlia_flatbuf_list(table, NUMBERS);
    if (numbers.count > 0)
        sum += (uint64_t)mlia_flatbuf_integer_at(numbers, numbers.count - 1);
    sum += walk(mlia_flatbuf_child(table, CHILD), depth - 1, budget);
    sum += walk(mlia_flatbuf_child(table, CHOICE), depth - 1, budget);
    mlia_flatbuf_vector children = mlia_flatbuf_list(table, CHILDREN);
    for (size_t i = 0; i<children.count && * budget> 0; i++)
        sum += walk(mlia_flatbuf_table_at(children, i), depth - 1, budget);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned flags[] = {0, MLIA_FLATBUF_ALIGNED | MLIA_FLATBUF_UNION_PAIRS,
                                     MLIA_FLATBUF_ALIGNED | MLIA_FLATBUF_LOOSE_64,
                                     MLIA_FLATBUF_LOOSE_STRINGS | MLIA_FLATBUF_ANY_TEXT};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        mlia_flatbuf_rules rules = {.flags = flags[i],
                                    .table_limit = 10000,
                                    .short_kind = MLIA_E_TOSA_TRUNCATED,
                                    .identifier_kind = MLIA_E_TOSA_IDENTIFIER,
                                    .offset_kind = MLIA_E_TOSA_OFFSET,
                                    .missing_kind = MLIA_E_TOSA_SCHEMA,
                                    .text_kind = MLIA_E_TOSA_UTF8,
                                    .limit_kind = MLIA_E_TOSA_LIMIT,
                                    .warning_kind = MLIA_W_TOSA_DATA};
        mlia_flatbuf buffer;
        mlia_status *status = mlia_flatbuf_open((mlia_bytes){data, size}, &rules, &buffer);
        if (status == NULL) {
            int budget = 1000;
            status = mlia_flatbuf_verify(&buffer, &schema, NULL);
            walk(mlia_flatbuf_root(&buffer, &schema), MLIA_FLATBUF_DEPTH_LIMIT, &budget);
        }
        mlia_status_free(status);
    }
    return 0;
}
