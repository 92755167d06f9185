/* Operations of MLIR text in generic and pretty form. An operation is read to its end first, its regions
 * being passed over; then it is added to the graph, and its regions are read from their places. */
#include "formats/mlir/text.h"

mlia_status *mlia_mlir_push_token(mlia_mlir_text_reader *reader, mlia_mlir_tokens *tokens, uint32_t count)
{
    mlia_arena *arena = reader->context.arena;
    if (!MLIA_RESERVE(arena, tokens->items, tokens->count, tokens->capacity) ||
        !MLIA_RESERVE(arena, tokens->counts, tokens->count, tokens->count_capacity))
        return mlia_error_memory();
    tokens->counts[tokens->count] = count;
    tokens->items[tokens->count++] = reader->lexer.token;
    return mlia_mlir_advance(&reader->lexer);
}

mlia_status *mlia_mlir_bind(mlia_mlir_text_reader *reader, const mlia_mlir_token *name, uint32_t first,
                            uint32_t count)
{
    bool is_new;
    uint32_t *index = mlia_map_insert(&reader->names, name->text, (uint32_t)reader->binding_count, &is_new);
    MLIA_TRY_ALLOC(index);
    if (!is_new && reader->bindings[*index].visible)
        return mlia_mlir_error(&reader->context, MLIA_MLIR_DUPLICATE, name->begin,
                               "value '%%%.*s' is defined twice", MLIA_STR_ARG(name->text));
    *index = (uint32_t)reader->binding_count;
    if (!MLIA_RESERVE(reader->context.arena, reader->bindings, reader->binding_count,
                      reader->binding_capacity))
        return mlia_error_memory();
    reader->bindings[reader->binding_count++] = (mlia_mlir_binding){name->text, first, count, true};
    return NULL;
}

static mlia_status *look_up(mlia_mlir_text_reader *reader, const mlia_mlir_token *name, uint32_t *value)
{
    const uint32_t *index = mlia_map_find(&reader->names, name->text);
    const mlia_mlir_binding *binding = index != NULL ? &reader->bindings[*index] : NULL;
    uint32_t result = name->result == UINT32_MAX ? 0 : name->result;
    if (binding == NULL || !binding->visible || result >= binding->count)
        return mlia_mlir_error(&reader->context, MLIA_MLIR_DANGLING, name->begin,
                               "value '%%%.*s' is not defined", MLIA_STR_ARG(name->text));
    return mlia_mlir_use(&reader->builder, binding->first + result, value);
}

/* Looks operands up and compares their types with those that the operation states. */
static mlia_status *resolve(mlia_mlir_text_reader *reader, const mlia_mlir_tokens *names,
                            const mlia_mlir_type *const *types, uint32_t type_count, const uint32_t **values)
{
    mlia_mlir_context *context = &reader->context;
    if (types != NULL && type_count != names->count)
        return mlia_mlir_error(context, MLIA_MLIR_SYNTAX, reader->lexer.token.begin,
                               "expected %zu types for as many operands, found %u", names->count, type_count);
    uint32_t *list = MLIA_NEW_ARRAY(context->arena, uint32_t, names->count);
    MLIA_TRY_ALLOC(list);
    for (size_t i = 0; i < names->count; i++) {
        MLIA_TRY(look_up(reader, &names->items[i], &list[i]));
        const mlia_mlir_type *type = reader->builder.types[list[i]];
        if (types == NULL || mlia_mlir_type_equal(type, types[i]))
            continue;
        mlia_str expected = mlia_mlir_type_text(context->arena, type);
        mlia_str found = mlia_mlir_type_text(context->arena, types[i]);
        return mlia_mlir_error(context, MLIA_MLIR_TYPE, names->items[i].begin,
                               "value '%%%.*s' is used with type %.*s, expected its own type %.*s",
                               MLIA_STR_ARG(names->items[i].text), MLIA_STR_ARG(found),
                               MLIA_STR_ARG(expected));
    }
    *values = list;
    return NULL;
}

/* "%a, %b" up to something that is no value. */
static mlia_status *parse_operands(mlia_mlir_text_reader *reader, mlia_mlir_tokens *operands)
{
    bool more = mlia_mlir_at(&reader->lexer, MLIA_MLIR_TOKEN_VALUE);
    while (more) {
        if (!mlia_mlir_at(&reader->lexer, MLIA_MLIR_TOKEN_VALUE))
            return mlia_mlir_expected(&reader->lexer, "a value");
        MLIA_TRY(mlia_mlir_push_token(reader, operands, 1));
        MLIA_TRY(mlia_mlir_accept(&reader->lexer, ',', &more));
    }
    return NULL;
}

/* "%0, %a:2 =" in front of an operation. */
static mlia_status *parse_result_names(mlia_mlir_text_reader *reader, mlia_mlir_tokens *results)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    bool more = mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_VALUE);
    if (!more)
        return NULL;
    while (more) {
        if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_VALUE))
            return mlia_mlir_expected(lexer, "a value");
        MLIA_TRY(mlia_mlir_push_token(reader, results, 1));
        bool group;
        MLIA_TRY(mlia_mlir_accept(lexer, ':', &group));
        if (group) {
            uint64_t count;
            if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_INTEGER) ||
                !mlia_mlir_parse_integer(lexer->token.text, &count) || count == 0 || count > UINT16_MAX)
                return mlia_mlir_expected(lexer, "the number of results");
            results->counts[results->count - 1] = (uint32_t)count;
            MLIA_TRY(mlia_mlir_advance(lexer));
        }
        MLIA_TRY(mlia_mlir_accept(lexer, ',', &more));
    }
    return mlia_mlir_expect(lexer, '=', "'=' after the results");
}

/* Passes over a region at its '{' and remembers the place. */
static mlia_status *skip_region(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    const char *open = lexer->token.begin;
    if (!mlia_mlir_at(lexer, '{'))
        return mlia_mlir_expected(lexer, "'{' of a region");
    const char *close = mlia_mlir_closing_brace(&reader->context, &reader->outline, open);
    if (close == NULL)
        return mlia_mlir_expected(lexer, "a region");
    if (operation->base.region_count < 2)
        operation->regions[operation->base.region_count] = open;
    operation->base.region_count++;
    return mlia_mlir_jump(lexer, close + 1);
}

/* "<{…}>" and "{…}" where they stand. */
static mlia_status *parse_properties(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    bool angle;
    MLIA_TRY(mlia_mlir_accept(&reader->lexer, '<', &angle));
    if (!angle)
        return NULL;
    MLIA_TRY(mlia_mlir_parse_dictionary(&reader->lexer, &operation->base.attributes));
    return mlia_mlir_expect(&reader->lexer, '>', "'>' after the properties");
}

static mlia_status *parse_signature(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    mlia_mlir_type function;
    MLIA_TRY(mlia_mlir_expect(&reader->lexer, ':', "':' and the types of the operation"));
    MLIA_TRY(mlia_mlir_parse_signature(&reader->lexer, &function));
    operation->operand_types = function.inputs;
    operation->operand_type_count = function.input_count;
    operation->base.results = function.results;
    operation->base.result_count = function.result_count;
    return NULL;
}

mlia_status *mlia_mlir_parse_generic(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    MLIA_TRY(mlia_mlir_unescape(lexer, lexer->token.text, &operation->base.name));
    if (operation->base.name.size == 0 || !mlia_utf8_valid(operation->base.name))
        return mlia_mlir_expected(lexer, "the name of an operation");
    MLIA_TRY(mlia_mlir_advance(lexer));
    MLIA_TRY(mlia_mlir_expect(lexer, '(', "'(' and operands"));
    MLIA_TRY(parse_operands(reader, &operation->operands));
    MLIA_TRY(mlia_mlir_expect(lexer, ')', "',' or ')' after an operand"));
    if (mlia_mlir_at(lexer, '['))
        return mlia_mlir_error(&reader->context, MLIA_MLIR_UNSUPPORTED, lexer->token.begin,
                               "operation with successors: functions of several blocks are no TOSA");
    MLIA_TRY(parse_properties(reader, operation));
    bool more;
    MLIA_TRY(mlia_mlir_accept(lexer, '(', &more));
    bool regions = more;
    while (more) {
        MLIA_TRY(skip_region(reader, operation));
        MLIA_TRY(mlia_mlir_accept(lexer, ',', &more));
    }
    if (regions)
        MLIA_TRY(mlia_mlir_expect(lexer, ')', "',' or ')' after a region"));
    if (mlia_mlir_at(lexer, '{'))
        MLIA_TRY(mlia_mlir_parse_dictionary(lexer, &operation->base.attributes));
    MLIA_TRY(parse_signature(reader, operation));
    return mlia_mlir_parse_optional_location(lexer, &operation->base.location);
}

/* "OP %a, %b {…} : (T, T) -> T": every TOSA operator that has no form of its own. */
static mlia_status *parse_plain(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    MLIA_TRY(parse_operands(reader, &operation->operands));
    MLIA_TRY(parse_properties(reader, operation));
    if (mlia_mlir_at(&reader->lexer, '{'))
        MLIA_TRY(mlia_mlir_parse_dictionary(&reader->lexer, &operation->base.attributes));
    return parse_signature(reader, operation);
}

/* Adds the attribute 'name' for "@variable" at the current token. */
static mlia_status *parse_variable_name(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    mlia_mlir_dictionary *attributes = &operation->base.attributes;
    if (!mlia_mlir_at(&reader->lexer, MLIA_MLIR_TOKEN_SYMBOL))
        return mlia_mlir_expected(&reader->lexer, "'@' and the name of a variable");
    if (!MLIA_RESERVE(reader->context.arena, attributes->items, attributes->count, attributes->capacity))
        return mlia_error_memory();
    mlia_mlir_named *entry = &attributes->items[attributes->count++];
    entry->name = MLIA_STR("name");
    return mlia_mlir_parse_attribute(&reader->lexer, &entry->value);
}

/* ": T, T" as a list; one type for each operand. */
static mlia_status *parse_types(mlia_mlir_text_reader *reader, const mlia_mlir_type *const **types,
                                uint32_t *count)
{
    const mlia_mlir_type **items = NULL;
    size_t used = 0;
    size_t capacity = 0;
    bool more;
    MLIA_TRY(mlia_mlir_accept(&reader->lexer, ':', &more));
    while (more) {
        if (!MLIA_RESERVE(reader->context.arena, items, used, capacity))
            return mlia_error_memory();
        MLIA_TRY(mlia_mlir_parse_type(&reader->lexer, &items[used]));
        used++;
        MLIA_TRY(mlia_mlir_accept(&reader->lexer, ',', &more));
    }
    static const mlia_mlir_type *const none[1];
    *types = items != NULL ? items : none;
    *count = (uint32_t)used;
    return NULL;
}

static mlia_status *parse_variable_read(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    MLIA_TRY(parse_variable_name(reader, operation));
    return parse_types(reader, &operation->base.results, &operation->base.result_count);
}

static mlia_status *parse_variable_write(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    MLIA_TRY(parse_variable_name(reader, operation));
    MLIA_TRY(mlia_mlir_expect(&reader->lexer, ',', "',' and the value to write"));
    MLIA_TRY(parse_operands(reader, &operation->operands));
    return parse_types(reader, &operation->operand_types, &operation->operand_type_count);
}

/* "(%inside = %outside, …)" if it is there: both become lists of names. */
static mlia_status *parse_entries(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    bool more;
    MLIA_TRY(mlia_mlir_accept(lexer, '(', &more));
    if (!more)
        return NULL;
    more = !mlia_mlir_at(lexer, ')');
    while (more) {
        if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_VALUE))
            return mlia_mlir_expected(lexer, "the name of a region argument");
        MLIA_TRY(mlia_mlir_push_token(reader, &operation->entry_names, 1));
        MLIA_TRY(mlia_mlir_expect(lexer, '=', "'=' and a value"));
        if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_VALUE))
            return mlia_mlir_expected(lexer, "a value");
        MLIA_TRY(mlia_mlir_push_token(reader, &operation->operands, 1));
        MLIA_TRY(mlia_mlir_accept(lexer, ',', &more));
    }
    return mlia_mlir_expect(lexer, ')', "',' or ')' after a region argument");
}

static mlia_status *parse_two_regions(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation,
                                      const char *word)
{
    MLIA_TRY(skip_region(reader, operation));
    if (!mlia_mlir_at_word(&reader->lexer, word))
        return mlia_mlir_expected(&reader->lexer, strcmp(word, "do") == 0 ? "'do'" : "'else'");
    MLIA_TRY(mlia_mlir_advance(&reader->lexer));
    MLIA_TRY(skip_region(reader, operation));
    if (!mlia_mlir_at_word(&reader->lexer, "attributes"))
        return NULL;
    MLIA_TRY(mlia_mlir_advance(&reader->lexer));
    return mlia_mlir_parse_dictionary(&reader->lexer, &operation->base.attributes);
}

/* "%c (%p = %x) : CT (T) -> R {…} else {…}". */
static mlia_status *parse_cond_if(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_VALUE))
        return mlia_mlir_expected(lexer, "the condition");
    MLIA_TRY(mlia_mlir_push_token(reader, &operation->operands, 1));
    MLIA_TRY(parse_entries(reader, operation));
    MLIA_TRY(mlia_mlir_expect(lexer, ':', "':' and the types of the operation"));
    const mlia_mlir_type *condition;
    MLIA_TRY(mlia_mlir_parse_type(lexer, &condition));
    const mlia_mlir_type *const *inputs = NULL;
    uint32_t input_count = 0;
    if (mlia_mlir_at(lexer, '('))
        MLIA_TRY(mlia_mlir_parse_results(lexer, &inputs, &input_count));
    const mlia_mlir_type **types =
        MLIA_NEW_ARRAY(reader->context.arena, const mlia_mlir_type *, input_count + 1);
    MLIA_TRY_ALLOC(types);
    types[0] = condition;
    for (uint32_t i = 0; i < input_count; i++)
        types[i + 1] = inputs[i];
    operation->operand_types = types;
    operation->operand_type_count = input_count + 1;
    bool results;
    MLIA_TRY(mlia_mlir_accept(lexer, MLIA_MLIR_TOKEN_ARROW, &results));
    if (results)
        MLIA_TRY(mlia_mlir_parse_results(lexer, &operation->base.results, &operation->base.result_count));
    return parse_two_regions(reader, operation, "else");
}

/* "(%p = %x) : (T) -> T {…} do {…}". */
static mlia_status *parse_while_loop(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    MLIA_TRY(parse_entries(reader, operation));
    MLIA_TRY(parse_signature(reader, operation));
    return parse_two_regions(reader, operation, "do");
}

typedef mlia_status *(*form_parser)(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation);

static const struct {
    const char *name;
    form_parser parse;
} special_forms[] = {
    {"tosa.cond_if", parse_cond_if},
    {"tosa.while_loop", parse_while_loop},
    {"tosa.variable_read", parse_variable_read},
    {"tosa.variable_write", parse_variable_write},
};

/* Operation of another dialect in its own spelling: to the end of the line on which all brackets are closed.
 */
static mlia_status *parse_foreign(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    static const mlia_mlir_type any = {.kind = MLIA_MLIR_TYPE_ANY, .text = MLIA_STR_INIT("an unknown type")};
    mlia_mlir_lexer *lexer = &reader->lexer;
    uint32_t depth = 0;
    const char *previous = lexer->token.begin;
    while (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_END)) {
        int kind = lexer->token.kind;
        size_t gap = (size_t)(lexer->token.begin - previous);
        if (depth == 0 && (kind == '}' || memchr(previous, '\n', gap) != NULL))
            break;
        if (depth == 0 && mlia_mlir_at_word(lexer, "loc")) {
            MLIA_TRY(mlia_mlir_parse_location(lexer, &operation->base.location));
            break;
        }
        depth += kind == '(' || kind == '[' || kind == '{';
        depth -= depth > 0 && (kind == ')' || kind == ']' || kind == '}');
        previous = lexer->next;
        MLIA_TRY(mlia_mlir_advance(lexer));
    }
    uint32_t count = 0;
    for (size_t i = 0; i < operation->results.count; i++)
        count += operation->results.counts[i];
    const mlia_mlir_type **types = MLIA_NEW_ARRAY(reader->context.arena, const mlia_mlir_type *, count);
    MLIA_TRY_ALLOC(types);
    for (uint32_t i = 0; i < count; i++)
        types[i] = &any;
    operation->base.results = types;
    operation->base.result_count = count;
    return NULL;
}

static mlia_status *parse_pretty(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    mlia_str name = lexer->token.text;
    operation->base.name = name;
    if (mlia_str_find(name, '.') == SIZE_MAX && !mlia_str_equal_c(name, "call"))
        return mlia_mlir_expected(lexer, "an operation");
    MLIA_TRY(mlia_mlir_advance(lexer));
    if (!mlia_str_starts_with(name, MLIA_STR("tosa.")))
        return parse_foreign(reader, operation);
    form_parser parse = parse_plain;
    for (size_t i = 0; i < sizeof special_forms / sizeof *special_forms; i++)
        if (mlia_str_equal_c(name, special_forms[i].name))
            parse = special_forms[i].parse;
    if (mlia_op_by_mlir_name(mlia_str_slice(name, 5, name.size)) == MLIA_OP_FOREIGN)
        return mlia_mlir_error(&reader->context, MLIA_MLIR_ENUM, operation->base.position,
                               "TOSA has no operator '%.*s'", MLIA_STR_ARG(name));
    MLIA_TRY(parse(reader, operation));
    return mlia_mlir_parse_optional_location(lexer, &operation->base.location);
}

mlia_status *mlia_mlir_parse_label(mlia_mlir_text_reader *reader, mlia_mlir_arguments *arguments,
                                   bool *labelled)
{
    MLIA_TRY(mlia_mlir_accept(&reader->lexer, MLIA_MLIR_TOKEN_BLOCK, labelled));
    if (!*labelled)
        return NULL;
    bool list;
    MLIA_TRY(mlia_mlir_accept(&reader->lexer, '(', &list));
    if (list)
        MLIA_TRY(mlia_mlir_parse_arguments(reader, arguments, NULL, false));
    return mlia_mlir_expect(&reader->lexer, ':', "':' after a block label");
}

/* Region `number` of operator `index`, whose operands have the types of its arguments unless it has a label.
 */
static mlia_status *parse_region(mlia_mlir_text_reader *reader, const mlia_mlir_text_operation *operation,
                                 uint32_t index, uint32_t number, mlia_mlir_captures *captures)
{
    mlia_mlir_arguments arguments = {0};
    bool labelled;
    size_t visible = reader->binding_count;
    MLIA_TRY(mlia_mlir_jump(&reader->lexer, operation->regions[number] + 1));
    MLIA_TRY(mlia_mlir_parse_label(reader, &arguments, &labelled));
    const mlia_mlir_token *names = arguments.names.items;
    const mlia_mlir_type *const *types = arguments.types;
    size_t count = arguments.count;
    if (!labelled) {
        names = operation->entry_names.items;
        count = operation->entry_names.count;
        types = count > 0 ? operation->operand_types + (operation->operand_type_count - count) : NULL;
    }
    uint32_t *values = MLIA_NEW_ARRAY(reader->context.arena, uint32_t, count);
    MLIA_TRY_ALLOC(values);
    MLIA_TRY(mlia_mlir_begin_region(&reader->builder, index, number, types, (uint32_t)count, values,
                                    operation->regions[number]));
    for (size_t i = 0; i < count; i++)
        MLIA_TRY(mlia_mlir_bind(reader, &names[i], values[i], 1));
    MLIA_TRY(mlia_mlir_parse_block(reader, NULL, 0));
    for (size_t i = visible; i < reader->binding_count; i++)
        reader->bindings[i].visible = false;
    return mlia_mlir_end_region(&reader->builder, captures);
}

static mlia_status *parse_regions(mlia_mlir_text_reader *reader, const mlia_mlir_text_operation *operation,
                                  uint32_t index)
{
    mlia_mlir_captures captures[2];
    mlia_mlir_lexer after = reader->lexer;
    for (uint32_t k = 0; k < 2; k++)
        MLIA_TRY(parse_region(reader, operation, index, k, &captures[k]));
    reader->lexer = after;
    return mlia_mlir_join_regions(&reader->builder, index, captures, operation->base.position);
}

/* Counts lines up to `end`, which is inside of no blob. Blobs have no ends of lines and are passed over. */
static void count_lines(mlia_mlir_text_reader *reader, const char *end)
{
    const mlia_mlir_outline *outline = &reader->outline;
    while (reader->line_scan < end) {
        bool blob = reader->line_blob < outline->blob_count && outline->blobs[reader->line_blob].begin < end;
        const char *stop = blob ? outline->blobs[reader->line_blob].begin : end;
        const char *next;
        while ((next = memchr(reader->line_scan, '\n', (size_t)(stop - reader->line_scan))) != NULL) {
            reader->line_start = reader->line_scan = next + 1;
            reader->line++;
        }
        reader->line_scan = blob ? outline->blobs[reader->line_blob++].end : end;
    }
}

static void set_place(mlia_mlir_text_reader *reader, mlia_mlir_operation *operation)
{
    const char *position = operation->position;
    if (position < reader->line_start) {
        reader->line_start = reader->line_scan = (const char *)reader->context.file.data;
        reader->line_blob = 0;
        reader->line = 1;
    }
    count_lines(reader, position);
    operation->line = reader->line;
    operation->column = (uint32_t)(position - reader->line_start) + 1;
}

/* The number of a plain decimal SSA name. */
static int64_t ssa_number(const mlia_mlir_text_operation *operation)
{
    if (operation->results.count != 1 || operation->base.result_count != 1)
        return MLIA_MLIR_NO_SSA;
    int64_t number;
    mlia_str name = operation->results.items[0].text;
    return mlia_str_to_i64(name, &number) && number >= 0 ? number : MLIA_MLIR_NO_SSA;
}

static mlia_status *bind_results(mlia_mlir_text_reader *reader, const mlia_mlir_text_operation *operation,
                                 const uint32_t *values)
{
    uint32_t next = 0;
    for (size_t i = 0; i < operation->results.count; i++) {
        uint32_t count = operation->results.counts[i];
        MLIA_TRY(mlia_mlir_bind(reader, &operation->results.items[i], values[next], count));
        next += count;
    }
    return NULL;
}

static mlia_status *add_operation(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    mlia_mlir_operation *base = &operation->base;
    uint32_t named = 0;
    for (size_t i = 0; i < operation->results.count; i++)
        named += operation->results.counts[i];
    if (operation->results.count > 0 && named != base->result_count)
        return mlia_mlir_error(&reader->context, MLIA_MLIR_SYNTAX, base->position,
                               "expected names for %u results, found %u", base->result_count, named);
    MLIA_TRY(resolve(reader, &operation->operands, operation->operand_types, operation->operand_type_count,
                     &base->operands));
    base->operand_count = (uint32_t)operation->operands.count;
    base->ssa = ssa_number(operation);
    uint32_t *values = MLIA_NEW_ARRAY(reader->context.arena, uint32_t, base->result_count);
    MLIA_TRY_ALLOC(values);
    uint32_t index;
    MLIA_TRY(mlia_mlir_add_operation(&reader->builder, base, values, &index));
    if (base->region_count == 2 && reader->builder.graph->operators[index].op != MLIA_OP_FOREIGN)
        MLIA_TRY(parse_regions(reader, operation, index));
    return bind_results(reader, operation, values);
}

/* return, func.return, tosa.yield: ends the block. */
static mlia_status *parse_terminator(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation,
                                     const mlia_mlir_type *const *result_types, uint32_t result_count)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    const uint32_t *values = NULL;
    if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_STRING)) {
        MLIA_TRY(mlia_mlir_parse_generic(reader, operation));
    } else {
        MLIA_TRY(mlia_mlir_advance(lexer));
        MLIA_TRY(parse_operands(reader, &operation->operands));
        MLIA_TRY(parse_types(reader, &operation->operand_types, &operation->operand_type_count));
        MLIA_TRY(mlia_mlir_parse_optional_location(lexer, &operation->base.location));
    }
    MLIA_TRY(resolve(reader, &operation->operands, operation->operand_types, operation->operand_type_count,
                     &values));
    uint32_t count = (uint32_t)operation->operands.count;
    return mlia_mlir_terminate(&reader->builder, values, count, result_types,
                               result_types != NULL ? result_count : count, operation->base.position);
}

static bool at_terminator(const mlia_mlir_lexer *lexer)
{
    static const char *const names[] = {"return", "func.return", "tosa.yield"};
    if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_WORD) && !mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_STRING))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mlia_str_equal_c(lexer->token.text, names[i]))
            return true;
    return false;
}

/* The lists of one operation are used again for the next; operations inside its regions get their own. */
static void borrow_lists(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    operation->results = reader->spare_results;
    operation->operands = reader->spare_operands;
    operation->base.attributes = reader->spare_attributes;
    reader->spare_results = (mlia_mlir_tokens){0};
    reader->spare_operands = (mlia_mlir_tokens){0};
    reader->spare_attributes = (mlia_mlir_dictionary){0};
}

static void return_lists(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation)
{
    reader->spare_results = operation->results;
    reader->spare_operands = operation->operands;
    reader->spare_attributes = operation->base.attributes;
    reader->spare_results.count = 0;
    reader->spare_operands.count = 0;
    reader->spare_attributes.count = 0;
}

mlia_status *mlia_mlir_parse_block(mlia_mlir_text_reader *reader, const mlia_mlir_type *const *result_types,
                                   uint32_t result_count)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    for (;;) {
        mlia_mlir_text_operation operation = {.base.position = lexer->token.begin};
        borrow_lists(reader, &operation);
        MLIA_TRY(parse_result_names(reader, &operation.results));
        if (operation.results.count == 0 && at_terminator(lexer)) {
            MLIA_TRY(parse_terminator(reader, &operation, result_types, result_count));
            break;
        }
        set_place(reader, &operation.base);
        if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_STRING))
            MLIA_TRY(mlia_mlir_parse_generic(reader, &operation));
        else if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_WORD))
            MLIA_TRY(parse_pretty(reader, &operation));
        else
            return mlia_mlir_expected(lexer, "an operation, or return or tosa.yield");
        MLIA_TRY(add_operation(reader, &operation));
        return_lists(reader, &operation);
    }
    if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_BLOCK))
        return mlia_mlir_error(&reader->context, MLIA_MLIR_UNSUPPORTED, lexer->token.begin,
                               "functions and regions of several blocks are no TOSA");
    return mlia_mlir_expect(lexer, '}', "'}' after the last operation");
}
