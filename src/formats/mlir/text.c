/* MLIR text: the module, its variables and functions, and the choice of the main function. */
#include "formats/mlir/text.h"
#include "formats/mlir/read.h"

typedef struct text_function {
    mlia_str name;
    const char *position;
    const char *body; /* its '{' */
    bool generic;     /* arguments stand behind the label of the block */
    mlia_mlir_arguments arguments;
    const mlia_mlir_type *const *results;
    uint32_t result_count;
    mlia_mlir_attribute *argument_attributes;
    mlia_mlir_attribute *result_attributes;
    mlia_mlir_dictionary attributes;
} text_function;

typedef struct function_list {
    text_function *items;
    size_t count;
    size_t capacity;
} function_list;

static mlia_status *parse_module_operations(mlia_mlir_text_reader *reader, function_list *functions, int end);

static mlia_status *push_entry(mlia_mlir_text_reader *reader, const mlia_mlir_attribute ***items,
                               size_t *count, size_t *capacity, const mlia_mlir_dictionary *dictionary)
{
    mlia_mlir_attribute entry = {
        .kind = MLIA_MLIR_DICTIONARY, .count = (uint32_t)dictionary->count, .as.members = dictionary->items};
    if (!MLIA_RESERVE(reader->context.arena, *items, *count, *capacity))
        return mlia_error_memory();
    (*items)[*count] = mlia_mlir_new_attribute(reader->context.arena, entry);
    MLIA_TRY_ALLOC((*items)[*count]);
    (*count)++;
    return NULL;
}

static mlia_status *finish_list(mlia_mlir_text_reader *reader, const mlia_mlir_attribute **items,
                                size_t count, mlia_mlir_attribute **list)
{
    if (list == NULL)
        return NULL;
    *list = mlia_mlir_new_attribute(
        reader->context.arena,
        (mlia_mlir_attribute){.kind = MLIA_MLIR_LIST, .count = (uint32_t)count, .as.items = items});
    MLIA_TRY_ALLOC(*list);
    return NULL;
}

mlia_status *mlia_mlir_parse_arguments(mlia_mlir_text_reader *reader, mlia_mlir_arguments *arguments,
                                       mlia_mlir_attribute **attributes, bool declaration)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    const mlia_mlir_attribute **entries = NULL;
    size_t entry_count = 0;
    size_t entry_capacity = 0;
    bool more = !mlia_mlir_at(lexer, ')');
    while (more) {
        mlia_mlir_dictionary dictionary = {0};
        mlia_str location;
        if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_VALUE)) {
            MLIA_TRY(mlia_mlir_push_token(reader, &arguments->names, 1));
            MLIA_TRY(mlia_mlir_expect(lexer, ':', "':' and the type of the argument"));
        } else if (!declaration) {
            return mlia_mlir_expected(lexer, "the name of an argument");
        }
        if (!MLIA_RESERVE(reader->context.arena, arguments->types, arguments->count, arguments->capacity))
            return mlia_error_memory();
        MLIA_TRY(mlia_mlir_parse_type(lexer, &arguments->types[arguments->count++]));
        if (mlia_mlir_at(lexer, '{'))
            MLIA_TRY(mlia_mlir_parse_dictionary(lexer, &dictionary));
        MLIA_TRY(push_entry(reader, &entries, &entry_count, &entry_capacity, &dictionary));
        MLIA_TRY(mlia_mlir_parse_optional_location(lexer, &location));
        MLIA_TRY(mlia_mlir_accept(lexer, ',', &more));
    }
    MLIA_TRY(finish_list(reader, entries, entry_count, attributes));
    return mlia_mlir_expect(lexer, ')', "',' or ')' after an argument");
}

/* "-> T" or "-> (T {…}, …)", or nothing. */
static mlia_status *parse_function_results(mlia_mlir_text_reader *reader, text_function *function)
{
    static const mlia_mlir_type *const none[1];
    mlia_mlir_lexer *lexer = &reader->lexer;
    bool arrow;
    bool list;
    function->results = none;
    MLIA_TRY(mlia_mlir_accept(lexer, MLIA_MLIR_TOKEN_ARROW, &arrow));
    if (!arrow)
        return NULL;
    MLIA_TRY(mlia_mlir_accept(lexer, '(', &list));
    if (!list)
        return mlia_mlir_parse_results(lexer, &function->results, &function->result_count);
    mlia_mlir_arguments results = {0};
    MLIA_TRY(mlia_mlir_parse_arguments(reader, &results, &function->result_attributes, true));
    function->results = results.types != NULL ? results.types : none;
    function->result_count = (uint32_t)results.count;
    return NULL;
}

static mlia_status *push_function(mlia_mlir_text_reader *reader, function_list *functions,
                                  const text_function *function)
{
    if (function->body == NULL)
        return NULL; /* a declaration */
    if (!MLIA_RESERVE(reader->context.arena, functions->items, functions->count, functions->capacity))
        return mlia_error_memory();
    functions->items[functions->count++] = *function;
    return NULL;
}

/* func.func [private] @name(…) -> … attributes {…} {…} at the word. */
static mlia_status *parse_function(mlia_mlir_text_reader *reader, function_list *functions)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    text_function function = {.position = lexer->token.begin};
    MLIA_TRY(mlia_mlir_advance(lexer));
    if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_WORD)) /* visibility */
        MLIA_TRY(mlia_mlir_advance(lexer));
    if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_SYMBOL))
        return mlia_mlir_expected(lexer, "'@' and the name of the function");
    MLIA_TRY(mlia_mlir_unescape(lexer, lexer->token.text, &function.name));
    MLIA_TRY(mlia_mlir_advance(lexer));
    MLIA_TRY(mlia_mlir_expect(lexer, '(', "'(' and the arguments"));
    MLIA_TRY(mlia_mlir_parse_arguments(reader, &function.arguments, &function.argument_attributes, true));
    MLIA_TRY(parse_function_results(reader, &function));
    if (mlia_mlir_at_word(lexer, "attributes")) {
        MLIA_TRY(mlia_mlir_advance(lexer));
        MLIA_TRY(mlia_mlir_parse_dictionary(lexer, &function.attributes));
    }
    if (mlia_mlir_at(lexer, '{')) {
        if (function.arguments.names.count != function.arguments.count)
            return mlia_mlir_error(&reader->context, MLIA_MLIR_SYNTAX, function.position,
                                   "function with a body needs names for its arguments");
        function.body = lexer->token.begin;
        MLIA_TRY(mlia_mlir_jump(
            lexer, mlia_mlir_closing_brace(&reader->context, &reader->outline, function.body) + 1));
    }
    mlia_str location;
    MLIA_TRY(mlia_mlir_parse_optional_location(lexer, &location));
    return push_function(reader, functions, &function);
}

/* "func.func" in generic form, already read. */
static mlia_status *take_generic_function(mlia_mlir_text_reader *reader, function_list *functions,
                                          const mlia_mlir_text_operation *operation)
{
    const mlia_mlir_dictionary *attributes = &operation->base.attributes;
    const mlia_mlir_attribute *name = mlia_mlir_get_kind(attributes, MLIA_STR("sym_name"), MLIA_MLIR_STRING);
    const mlia_mlir_attribute *type =
        mlia_mlir_get_kind(attributes, MLIA_STR("function_type"), MLIA_MLIR_TYPE_ATTRIBUTE);
    if (name == NULL || type == NULL || type->type->kind != MLIA_MLIR_TYPE_FUNCTION)
        return mlia_mlir_error(&reader->context, MLIA_MLIR_ATTRIBUTE, operation->base.position,
                               "func.func needs the attributes 'sym_name' and 'function_type'");
    static const mlia_mlir_type *const none[1];
    text_function function = {
        .name = name->text,
        .position = operation->base.position,
        .generic = true,
        .results = type->type->results != NULL ? type->type->results : none,
        .result_count = type->type->result_count,
        .argument_attributes =
            (mlia_mlir_attribute *)(uintptr_t)mlia_mlir_get(attributes, MLIA_STR("arg_attrs")),
        .result_attributes =
            (mlia_mlir_attribute *)(uintptr_t)mlia_mlir_get(attributes, MLIA_STR("res_attrs")),
        .attributes = *attributes,
    };
    if (operation->base.region_count == 1 &&
        mlia_mlir_closing_brace(&reader->context, &reader->outline, operation->regions[0]) !=
            operation->regions[0] + 1)
        function.body = operation->regions[0];
    return push_function(reader, functions, &function);
}

/* tosa.variable @name = dense<…> : T, or : T; at the word. */
static mlia_status *parse_variable(mlia_mlir_text_reader *reader)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    mlia_mlir_operation operation = {.position = lexer->token.begin};
    mlia_mlir_named entries[3];
    const mlia_mlir_attribute *value = NULL;
    const mlia_mlir_type *type;
    mlia_str location;
    MLIA_TRY(mlia_mlir_advance(lexer));
    if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_SYMBOL))
        return mlia_mlir_expected(lexer, "'@' and the name of the variable");
    entries[0].name = MLIA_STR("sym_name");
    MLIA_TRY(mlia_mlir_parse_attribute(lexer, &entries[0].value));
    bool has_value;
    MLIA_TRY(mlia_mlir_accept(lexer, '=', &has_value));
    if (has_value) {
        MLIA_TRY(mlia_mlir_parse_attribute(lexer, &value));
        type = value->type;
        if (value->kind != MLIA_MLIR_DENSE)
            return mlia_mlir_error(&reader->context, MLIA_MLIR_ATTRIBUTE, operation.position,
                                   "initial value of a variable must be a constant of a TOSA type");
    } else {
        MLIA_TRY(mlia_mlir_expect(lexer, ':', "':' and the type of the variable"));
        MLIA_TRY(mlia_mlir_parse_type(lexer, &type));
    }
    MLIA_TRY(mlia_mlir_parse_optional_location(lexer, &location));
    mlia_mlir_attribute type_attribute = {.kind = MLIA_MLIR_TYPE_ATTRIBUTE, .type = type};
    entries[1] = (mlia_mlir_named){MLIA_STR("type"), &type_attribute};
    entries[2] = (mlia_mlir_named){MLIA_STR("initial_value"), value};
    operation.attributes = (mlia_mlir_dictionary){.items = entries, .count = has_value ? 3 : 2};
    return mlia_mlir_add_variable(&reader->builder, &operation);
}

/* "module @name attributes {…} {…} loc(…)" at the word. */
static mlia_status *parse_module(mlia_mlir_text_reader *reader, function_list *functions)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    mlia_str location;
    MLIA_TRY(mlia_mlir_enter(lexer));
    MLIA_TRY(mlia_mlir_advance(lexer));
    bool named;
    MLIA_TRY(mlia_mlir_accept(lexer, MLIA_MLIR_TOKEN_SYMBOL, &named));
    if (mlia_mlir_at_word(lexer, "attributes")) {
        MLIA_TRY(mlia_mlir_advance(lexer));
        MLIA_TRY(mlia_mlir_parse_dictionary(lexer, &reader->module));
    }
    MLIA_TRY(mlia_mlir_expect(lexer, '{', "'{' of the module"));
    MLIA_TRY(parse_module_operations(reader, functions, '}'));
    MLIA_TRY(mlia_mlir_expect(lexer, '}', "'}' of the module"));
    MLIA_TRY(mlia_mlir_parse_optional_location(lexer, &location));
    mlia_mlir_leave(lexer);
    return NULL;
}

/* Operation of the module in generic form. */
static mlia_status *parse_generic_member(mlia_mlir_text_reader *reader, function_list *functions)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    mlia_mlir_text_operation operation = {.base.position = lexer->token.begin};
    MLIA_TRY(mlia_mlir_parse_generic(reader, &operation));
    if (mlia_str_equal_c(operation.base.name, "func.func"))
        return take_generic_function(reader, functions, &operation);
    if (mlia_str_equal_c(operation.base.name, "tosa.variable"))
        return mlia_mlir_add_variable(&reader->builder, &operation.base);
    if (!mlia_str_equal_c(operation.base.name, "builtin.module") || operation.base.region_count != 1)
        return NULL; /* another dialect's declaration */
    reader->module = operation.base.attributes;
    mlia_mlir_lexer after = *lexer;
    mlia_mlir_arguments none = {0};
    bool labelled;
    MLIA_TRY(mlia_mlir_enter(lexer));
    MLIA_TRY(mlia_mlir_jump(lexer, operation.regions[0] + 1));
    MLIA_TRY(mlia_mlir_parse_label(reader, &none, &labelled));
    MLIA_TRY(parse_module_operations(reader, functions, '}'));
    *lexer = after;
    return NULL;
}

/* "#name = …", "!name = …": resolved here at the latest, so that a broken definition is found. */
static mlia_status *pass_alias(mlia_mlir_text_reader *reader)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    mlia_mlir_alias *alias = mlia_mlir_find_alias(lexer);
    const mlia_mlir_attribute *attribute;
    const mlia_mlir_type *type;
    if (alias == NULL || alias->begin != lexer->token.begin)
        return mlia_mlir_expected(lexer, "an alias definition, a module or a function");
    if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_HASH))
        MLIA_TRY(mlia_mlir_parse_attribute(lexer, &attribute));
    else
        MLIA_TRY(mlia_mlir_parse_type(lexer, &type));
    return mlia_mlir_jump(lexer, alias->end);
}

/* "{-# … #-}" at its '{'. */
static mlia_status *pass_resources(mlia_mlir_text_reader *reader)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    if (reader->outline.resources != lexer->token.begin + 3)
        return mlia_mlir_expected(lexer, "a module or a function");
    const char *close = mlia_mlir_closing_brace(&reader->context, &reader->outline, lexer->token.begin);
    return mlia_mlir_jump(lexer, close + 1);
}

/* Everything up to a token of kind `end`, which stays. */
static mlia_status *parse_module_operations(mlia_mlir_text_reader *reader, function_list *functions, int end)
{
    mlia_mlir_lexer *lexer = &reader->lexer;
    bool top = end == MLIA_MLIR_TOKEN_END;
    while (!mlia_mlir_at(lexer, end)) {
        int kind = lexer->token.kind;
        if (top && (kind == MLIA_MLIR_TOKEN_HASH || kind == MLIA_MLIR_TOKEN_BANG))
            MLIA_TRY(pass_alias(reader));
        else if (top && kind == '{')
            MLIA_TRY(pass_resources(reader));
        else if (kind == MLIA_MLIR_TOKEN_STRING)
            MLIA_TRY(parse_generic_member(reader, functions));
        else if (mlia_mlir_at_word(lexer, "module") || mlia_mlir_at_word(lexer, "builtin.module"))
            MLIA_TRY(parse_module(reader, functions));
        else if (mlia_mlir_at_word(lexer, "func.func"))
            MLIA_TRY(parse_function(reader, functions));
        else if (mlia_mlir_at_word(lexer, "tosa.variable"))
            MLIA_TRY(parse_variable(reader));
        else
            return mlia_mlir_expected(lexer, top ? "a module, a function or an alias definition"
                                                 : "a function, a variable or '}'");
    }
    return NULL;
}

/* @main, else the first; there is at least one. */
static const text_function *choose_function(const mlia_mlir_text_reader *reader,
                                            const function_list *functions)
{
    const text_function *first = &functions->items[0];
    for (size_t i = 0; i < functions->count; i++)
        if (mlia_str_equal_c(functions->items[i].name, "main"))
            return &functions->items[i];
    if (functions->count > 1)
        mlia_warn(reader->context.diagnostics, MLIA_W_MLIR_MAIN,
                  "%zu functions and none is called main: '%.*s' is used, '%.*s' is not", functions->count,
                  MLIA_STR_ARG(first->name), MLIA_STR_ARG(functions->items[1].name));
    return first;
}

static mlia_status *build_function(mlia_mlir_text_reader *reader, const text_function *function)
{
    mlia_mlir_arguments arguments = function->arguments;
    MLIA_TRY(mlia_mlir_jump(&reader->lexer, function->body + 1));
    bool labelled;
    if (function->generic)
        MLIA_TRY(mlia_mlir_parse_label(reader, &arguments, &labelled));
    uint32_t *values = MLIA_NEW_ARRAY(reader->context.arena, uint32_t, arguments.count);
    MLIA_TRY_ALLOC(values);
    MLIA_TRY(mlia_mlir_begin_function(&reader->builder, function->name, arguments.types,
                                      (uint32_t)arguments.count, values, function->position));
    for (size_t i = 0; i < arguments.count; i++)
        MLIA_TRY(mlia_mlir_bind(reader, &arguments.names.items[i], values[i], 1));
    MLIA_TRY(mlia_mlir_parse_block(reader, function->results, function->result_count));
    return mlia_mlir_name_interface(&reader->builder, function->argument_attributes,
                                    function->result_attributes, &function->attributes);
}

static mlia_status *read_text(mlia_mlir_text_reader *reader)
{
    function_list functions = {0};
    MLIA_TRY(mlia_mlir_outline_read(&reader->context, &reader->outline));
    MLIA_TRY(mlia_mlir_builder_start(&reader->builder, &reader->context));
    MLIA_TRY(mlia_mlir_advance(&reader->lexer));
    MLIA_TRY(parse_module_operations(reader, &functions, MLIA_MLIR_TOKEN_END));
    if (functions.count == 0)
        return mlia_mlir_error(&reader->context, MLIA_MLIR_EMPTY, reader->lexer.token.begin,
                               "the module has no function with a body");
    MLIA_TRY(build_function(reader, choose_function(reader, &functions)));
    return mlia_mlir_builder_finish(&reader->builder, &reader->module);
}

mlia_status *mlia_mlir_read_text(const mlia_mlir_context *context, mlia_graph **graph)
{
    mlia_mlir_text_reader *reader = MLIA_NEW(context->arena, mlia_mlir_text_reader);
    MLIA_TRY_ALLOC(reader);
    reader->context = *context;
    const char *begin = (const char *)context->file.data;
    reader->lexer = (mlia_mlir_lexer){.context = &reader->context,
                                      .outline = &reader->outline,
                                      .next = begin,
                                      .end = begin + context->file.size};
    reader->names = mlia_map_in(context->arena);
    reader->line_start = reader->line_scan = begin;
    reader->line = 1;
    MLIA_TRY(read_text(reader));
    *graph = reader->builder.graph;
    return NULL;
}
