/* Types of MLIR text. */
#include "base/checked.h"
#include "formats/mlir/attribute.h"

static mlia_status *keep_type(const mlia_mlir_lexer *lexer, mlia_mlir_type value, const mlia_mlir_type **type)
{
    mlia_mlir_type *copy = MLIA_NEW(lexer->context->arena, mlia_mlir_type);
    MLIA_TRY_ALLOC(copy);
    *copy = value;
    *type = copy;
    return NULL;
}

/* Reads "2x?x" from the raw characters behind '<': tokens would take "0x10" for a hexadecimal number. */
static mlia_status *parse_dimensions(mlia_mlir_lexer *lexer, mlia_mlir_type *type)
{
    int64_t dims[MLIA_RANK_LIMIT];
    const char *p = lexer->next;
    for (;;) {
        while (p < lexer->end && (*p == ' ' || *p == '\t'))
            p++;
        const char *begin = p;
        int64_t dim = 0;
        if (p < lexer->end && (*p == '?' || *p == '*')) {
            type->unranked = *p++ == '*';
            dim = MLIA_DIM_UNKNOWN;
        } else {
            while (p < lexer->end && *p >= '0' && *p <= '9') {
                if (!mlia_mul_i64(dim, 10, &dim) || !mlia_add_i64(dim, *p - '0', &dim))
                    return mlia_mlir_error(lexer->context, MLIA_MLIR_LIMIT, begin,
                                           "dimension does not fit 64 bits");
                p++;
            }
            if (p == begin)
                break;
        }
        while (p < lexer->end && (*p == ' ' || *p == '\t'))
            p++;
        if (p >= lexer->end || *p != 'x')
            return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, p, "expected 'x' after a dimension");
        p++;
        if (type->unranked)
            break;
        if (type->rank == MLIA_RANK_LIMIT)
            return mlia_mlir_error(lexer->context, MLIA_MLIR_LIMIT, begin, "more than %d dimensions",
                                   MLIA_RANK_LIMIT);
        dims[type->rank++] = dim;
    }
    if (type->rank > 0) {
        int64_t *copy = MLIA_NEW_ARRAY(lexer->context->arena, int64_t, type->rank);
        MLIA_TRY_ALLOC(copy);
        memcpy(copy, dims, type->rank * sizeof *dims);
        type->dims = copy;
    }
    return mlia_mlir_jump(lexer, p);
}

/* At the token behind "tensor", a '<'. */
static mlia_status *parse_new_tensor(mlia_mlir_lexer *lexer, const mlia_mlir_type **type)
{
    mlia_mlir_type tensor = {.kind = MLIA_MLIR_TYPE_TENSOR};
    if (!mlia_mlir_at(lexer, '<'))
        return mlia_mlir_expected(lexer, "'<' after tensor");
    MLIA_TRY(parse_dimensions(lexer, &tensor));
    const mlia_mlir_type *element = NULL;
    MLIA_TRY(mlia_mlir_parse_type(lexer, &element));
    if (element != NULL && element->kind == MLIA_MLIR_TYPE_ELEMENT) {
        tensor.element = element->element;
        tensor.signedness = element->signedness;
    }
    if (tensor.element == MLIA_TYPE_UNKNOWN) {
        tensor.text = mlia_mlir_type_text(lexer->context->arena, element);
        MLIA_TRY_ALLOC(tensor.text.data);
    }
    bool encoding;
    MLIA_TRY(mlia_mlir_accept(lexer, ',', &encoding));
    if (encoding) {
        const mlia_mlir_attribute *ignored;
        MLIA_TRY(mlia_mlir_parse_attribute(lexer, &ignored));
    }
    MLIA_TRY(mlia_mlir_expect(lexer, '>', "'>' at the end of the tensor type"));
    return keep_type(lexer, tensor, type);
}

/* At the token behind "tensor": types that are spelled alike are one type. */
static mlia_status *parse_tensor(mlia_mlir_lexer *lexer, const mlia_mlir_type **type)
{
    mlia_mlir_context *context = lexer->context;
    const char *begin = lexer->token.begin;
    const char *close = memchr(begin, '>', (size_t)(lexer->end - begin));
    bool simple =
        close != NULL && *begin == '<' && memchr(begin + 1, '<', (size_t)(close - begin - 1)) == NULL;
    if (!simple)
        return parse_new_tensor(lexer, type);
    bool is_new;
    mlia_str key = {begin, (size_t)(close + 1 - begin)};
    uint32_t *index = mlia_map_insert(&context->tensor_types, key, (uint32_t)context->tensor_count, &is_new);
    if (index == NULL ||
        !MLIA_RESERVE(context->arena, context->tensor_items, context->tensor_count, context->tensor_capacity))
        return mlia_error_memory();
    if (!is_new) {
        *type = context->tensor_items[*index];
        return mlia_mlir_jump(lexer, close + 1);
    }
    size_t own = context->tensor_count++;
    MLIA_TRY(parse_new_tensor(lexer, type));
    context->tensor_items[own] = *type;
    return NULL;
}

/* A type with an optional body in angle brackets that TOSA has no use for. */
static mlia_status *parse_opaque(mlia_mlir_lexer *lexer, const mlia_mlir_type **type)
{
    const char *begin = lexer->token.begin;
    const char *end = lexer->next;
    if (lexer->next < lexer->end && *lexer->next == '<') {
        MLIA_TRY(mlia_mlir_find_angle(lexer, lexer->next + 1, &end));
        end++;
    }
    MLIA_TRY(mlia_mlir_jump(lexer, end));
    return keep_type(
        lexer, (mlia_mlir_type){.kind = MLIA_MLIR_TYPE_OPAQUE, .text = {begin, (size_t)(end - begin)}}, type);
}

static mlia_status *parse_shape(mlia_mlir_lexer *lexer, const mlia_mlir_type **type)
{
    MLIA_TRY(mlia_mlir_advance(lexer));
    MLIA_TRY(mlia_mlir_expect(lexer, '<', "'<' after !tosa.shape"));
    uint64_t length;
    if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_INTEGER))
        return mlia_mlir_expected(lexer, "the number of values of !tosa.shape");
    if (!mlia_mlir_parse_integer(lexer->token.text, &length) || length > UINT16_MAX)
        return mlia_mlir_error(lexer->context, MLIA_MLIR_LIMIT, lexer->token.begin, "shape of %.*s values",
                               MLIA_STR_ARG(lexer->token.text));
    MLIA_TRY(mlia_mlir_advance(lexer));
    MLIA_TRY(mlia_mlir_expect(lexer, '>', "'>' at the end of !tosa.shape"));
    return keep_type(
        lexer,
        (mlia_mlir_type){.kind = MLIA_MLIR_TYPE_SHAPE, .element = MLIA_TYPE_SHAPE, .rank = (uint32_t)length},
        type);
}

mlia_mlir_alias *mlia_mlir_find_alias(const mlia_mlir_lexer *lexer)
{
    if (lexer->outline == NULL)
        return NULL;
    mlia_str name = {lexer->token.text.data - 1, lexer->token.text.size + 1};
    const uint32_t *index = mlia_map_find(&lexer->outline->alias_names, name);
    return index == NULL ? NULL : &lexer->outline->aliases[*index];
}

static mlia_status *parse_type_alias(mlia_mlir_lexer *lexer, mlia_mlir_alias *alias,
                                     const mlia_mlir_type **type)
{
    if (alias->type == NULL) {
        if (alias->busy)
            return mlia_mlir_error(lexer->context, MLIA_MLIR_CYCLE, lexer->token.begin,
                                   "type alias '!%.*s' is defined by itself",
                                   MLIA_STR_ARG(lexer->token.text));
        alias->busy = true;
        mlia_mlir_lexer inner = *lexer;
        MLIA_TRY(mlia_mlir_enter(&inner));
        MLIA_TRY(mlia_mlir_jump(&inner, alias->value));
        MLIA_TRY(mlia_mlir_parse_type(&inner, &alias->type));
        alias->end = inner.token.begin;
        alias->busy = false;
    }
    *type = alias->type;
    return mlia_mlir_advance(lexer);
}

static mlia_status *parse_dialect_type(mlia_mlir_lexer *lexer, const mlia_mlir_type **type)
{
    mlia_str name = lexer->token.text;
    mlia_mlir_alias *alias = mlia_mlir_find_alias(lexer);
    if (alias != NULL)
        return parse_type_alias(lexer, alias, type);
    if (mlia_str_equal_c(name, "tosa.shape"))
        return parse_shape(lexer, type);
    if (mlia_str_equal_c(name, "tosa.mxint8")) {
        MLIA_TRY(mlia_mlir_advance(lexer));
        return keep_type(lexer, (mlia_mlir_type){.kind = MLIA_MLIR_TYPE_ELEMENT, .element = MLIA_TYPE_MXINT8},
                         type);
    }
    if (mlia_str_find(name, '.') == SIZE_MAX && !(lexer->next < lexer->end && *lexer->next == '<'))
        return mlia_mlir_error(lexer->context, MLIA_MLIR_DANGLING, lexer->token.begin,
                               "type alias '!%.*s' is not defined", MLIA_STR_ARG(name));
    return parse_opaque(lexer, type);
}

static const char *const opaque_types[] = {"none", "memref", "vector", "tuple", "complex", "opaque"};

mlia_status *mlia_mlir_parse_type(mlia_mlir_lexer *lexer, const mlia_mlir_type **type)
{
    MLIA_TRY(mlia_mlir_enter(lexer));
    mlia_mlir_type scalar;
    mlia_status *status = NULL;
    mlia_str word = lexer->token.text;
    if (mlia_mlir_at(lexer, '(')) {
        status = mlia_mlir_parse_function_type(lexer, type);
    } else if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_BANG)) {
        status = parse_dialect_type(lexer, type);
    } else if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_WORD)) {
        status = mlia_mlir_expected(lexer, "a type");
    } else if (mlia_str_equal_c(word, "tensor")) {
        status = mlia_mlir_advance(lexer);
        if (status == NULL)
            status = parse_tensor(lexer, type);
    } else if (mlia_mlir_scalar(word, &scalar)) {
        status = mlia_mlir_advance(lexer);
        if (status == NULL)
            status = keep_type(lexer, scalar, type);
    } else {
        bool known = false;
        for (size_t i = 0; i < sizeof opaque_types / sizeof *opaque_types; i++)
            known = known || mlia_str_equal_c(word, opaque_types[i]);
        status = known ? parse_opaque(lexer, type)
                       : mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, lexer->token.begin,
                                         "expected a type, found '%.*s'", MLIA_STR_ARG(word));
    }
    mlia_mlir_leave(lexer);
    return status;
}

/* Types between brackets, up to and including ')'; the current token is behind '('. */
static mlia_status *parse_type_list(mlia_mlir_lexer *lexer, const mlia_mlir_type *const **types,
                                    uint32_t *count)
{
    mlia_arena *arena = lexer->context->arena;
    const mlia_mlir_type *few[8]; /* most lists are shorter: no growing memory for them */
    const mlia_mlir_type **items = few;
    size_t used = 0;
    size_t capacity = sizeof few / sizeof *few;
    bool more = !mlia_mlir_at(lexer, ')');
    while (more) {
        if (!MLIA_RESERVE(arena, items, used, capacity))
            return mlia_error_memory();
        MLIA_TRY(mlia_mlir_parse_type(lexer, &items[used]));
        used++;
        MLIA_TRY(mlia_mlir_accept(lexer, ',', &more));
    }
    const mlia_mlir_type **kept = items;
    if (items == few) {
        kept = MLIA_NEW_ARRAY(arena, const mlia_mlir_type *, used);
        MLIA_TRY_ALLOC(kept);
        memcpy(kept, few, used * sizeof *few);
    }
    *types = kept;
    *count = (uint32_t)used;
    return mlia_mlir_expect(lexer, ')', "',' or ')' after a type");
}

mlia_status *mlia_mlir_parse_results(mlia_mlir_lexer *lexer, const mlia_mlir_type *const **types,
                                     uint32_t *count)
{
    bool list;
    MLIA_TRY(mlia_mlir_accept(lexer, '(', &list));
    if (list)
        return parse_type_list(lexer, types, count);
    const mlia_mlir_type **single = MLIA_NEW(lexer->context->arena, const mlia_mlir_type *);
    MLIA_TRY_ALLOC(single);
    *types = single;
    *count = 1;
    return mlia_mlir_parse_type(lexer, single);
}

mlia_status *mlia_mlir_parse_signature(mlia_mlir_lexer *lexer, mlia_mlir_type *function)
{
    *function = (mlia_mlir_type){.kind = MLIA_MLIR_TYPE_FUNCTION};
    MLIA_TRY(mlia_mlir_enter(lexer));
    MLIA_TRY(mlia_mlir_expect(lexer, '(', "'(' and operand types"));
    MLIA_TRY(parse_type_list(lexer, &function->inputs, &function->input_count));
    MLIA_TRY(mlia_mlir_expect(lexer, MLIA_MLIR_TOKEN_ARROW, "'->' and result types"));
    MLIA_TRY(mlia_mlir_parse_results(lexer, &function->results, &function->result_count));
    mlia_mlir_leave(lexer);
    return NULL;
}

mlia_status *mlia_mlir_parse_function_type(mlia_mlir_lexer *lexer, const mlia_mlir_type **type)
{
    mlia_mlir_type function;
    MLIA_TRY(mlia_mlir_parse_signature(lexer, &function));
    return keep_type(lexer, function, type);
}
