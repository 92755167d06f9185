/* Location texts of all formats (rules in location.h) and the canonical source reference. A text is first
 * parsed into a tree, so that a syntax error found late leaves no trace; then the tree is turned into a label
 * and a position. */
#include "graph/location.h"

#include "base/map.h"
#include "graph/location_json.h"

enum { MAX_TEXT_DEPTH = 8, MAX_TREE_DEPTH = 64 };

typedef enum node_kind { NODE_UNKNOWN, NODE_NAME, NODE_FILE, NODE_FUSED, NODE_CALLSITE } node_kind;

typedef struct node {
    node_kind kind;
    mlia_str text; /* name or file, without escapes */
    uint32_t line;
    uint32_t column;
    struct node *child; /* of a name, first part of a fused location, callee */
    struct node *next;  /* next part; caller behind the callee */
} node;

typedef struct location_parser {
    mlia_arena *arena;
    mlia_str text;
    size_t position;
    bool out_of_memory;
} location_parser;

/* --- parsing --- */

static void skip_blanks(location_parser *parser)
{
    while (parser->position < parser->text.size &&
           strchr(" \t\r\n", parser->text.data[parser->position]) != NULL &&
           parser->text.data[parser->position] != '\0')
        parser->position++;
}

/* Skips blanks, then takes `token` if it comes next. */
static bool take(location_parser *parser, const char *token)
{
    skip_blanks(parser);
    mlia_str expected = mlia_str_from_c(token);
    if (!mlia_str_starts_with(mlia_str_slice(parser->text, parser->position, parser->text.size), expected))
        return false;
    parser->position += expected.size;
    return true;
}

static bool take_number(location_parser *parser, uint32_t *number)
{
    skip_blanks(parser);
    size_t start = parser->position;
    while (parser->position < parser->text.size && parser->text.data[parser->position] >= '0' &&
           parser->text.data[parser->position] <= '9')
        parser->position++;
    int64_t value;
    if (!mlia_str_to_i64(mlia_str_slice(parser->text, start, parser->position - start), &value) ||
        value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Character of the escape sequence behind a backslash at *position, which moves on; -1 when it is none. */
static int take_escape(mlia_str text, size_t *position)
{
    if (*position >= text.size)
        return -1;
    char c = text.data[(*position)++];
    switch (c) {
    case '\\':
    case '"':
        return (unsigned char)c;
    case 'n':
        return '\n';
    case 't':
        return '\t';
    default:
        if (*position >= text.size || hex_digit(c) < 0 || hex_digit(text.data[*position]) < 0)
            return -1;
        return hex_digit(c) << 4 | hex_digit(text.data[(*position)++]);
    }
}

static bool take_string(location_parser *parser, mlia_str *string)
{
    if (!take(parser, "\""))
        return false;
    size_t end = parser->position;
    while (end < parser->text.size && parser->text.data[end] != '"')
        end += parser->text.data[end] == '\\' ? 2 : 1;
    if (end >= parser->text.size)
        return false;
    char *copy = mlia_arena_alloc(parser->arena, end - parser->position + 1, 1, 1);
    if (copy == NULL) {
        parser->out_of_memory = true;
        return false;
    }
    size_t size = 0;
    while (parser->position < end) {
        int c = (unsigned char)parser->text.data[parser->position++];
        if (c == '\\' && (c = take_escape(parser->text, &parser->position)) < 0)
            return false;
        copy[size++] = (char)c;
    }
    parser->position = end + 1;
    *string = (mlia_str){copy, size};
    return true;
}

static node *parse_location(location_parser *parser, uint32_t depth);

/* LINE:COL with an optional range " to [LINE]:COL", behind the first colon. */
static bool parse_position(location_parser *parser, node *item)
{
    uint32_t ignored;
    item->kind = NODE_FILE;
    if (!take_number(parser, &item->line) || !take(parser, ":") || !take_number(parser, &item->column))
        return false;
    if (!take(parser, "to"))
        return true;
    if (!take(parser, ":"))
        return take_number(parser, &ignored) && take(parser, ":") && take_number(parser, &ignored);
    return take_number(parser, &ignored);
}

/* Skips <METADATA>, an attribute in which only strings and angle brackets matter. */
static bool skip_metadata(location_parser *parser)
{
    if (!take(parser, "<"))
        return true;
    for (uint32_t open = 1; open > 0; parser->position++) {
        if (parser->position >= parser->text.size)
            return false;
        mlia_str ignored;
        char c = parser->text.data[parser->position];
        if (c == '<') {
            open++;
        } else if (c == '>') {
            open--;
        } else if (c == '"') {
            if (!take_string(parser, &ignored))
                return false;
            parser->position--;
        }
    }
    return true;
}

static bool parse_fused(location_parser *parser, node *item, uint32_t depth)
{
    item->kind = NODE_FUSED;
    if (!skip_metadata(parser) || !take(parser, "["))
        return false;
    if (take(parser, "]"))
        return true;
    node **link = &item->child;
    do {
        *link = parse_location(parser, depth);
        if (*link == NULL)
            return false;
        link = &(*link)->next;
    } while (take(parser, ","));
    return take(parser, "]");
}

static bool parse_callsite(location_parser *parser, node *item, uint32_t depth)
{
    item->kind = NODE_CALLSITE;
    if (!take(parser, "(") || (item->child = parse_location(parser, depth)) == NULL || !take(parser, "at"))
        return false;
    item->child->next = parse_location(parser, depth);
    return item->child->next != NULL && take(parser, ")");
}

static bool parse_name(location_parser *parser, node *item, uint32_t depth)
{
    if (!take_string(parser, &item->text))
        return false;
    if (take(parser, ":"))
        return parse_position(parser, item);
    item->kind = NODE_NAME;
    if (!take(parser, "("))
        return true;
    item->child = parse_location(parser, depth);
    return item->child != NULL && take(parser, ")");
}

/* A location without the loc( ) around it, which may be there too. NULL on a syntax error. */
static node *parse_location(location_parser *parser, uint32_t depth)
{
    node *item = depth < MAX_TREE_DEPTH ? MLIA_NEW(parser->arena, node) : NULL;
    bool parsed;
    if (item == NULL) {
        parser->out_of_memory = depth < MAX_TREE_DEPTH;
        return NULL;
    }
    if (take(parser, "loc(")) {
        item = parse_location(parser, depth + 1);
        return item != NULL && take(parser, ")") ? item : NULL;
    }
    if (take(parser, "unknown"))
        parsed = true;
    else if (take(parser, "fused"))
        parsed = parse_fused(parser, item, depth + 1);
    else if (take(parser, "callsite"))
        parsed = parse_callsite(parser, item, depth + 1);
    else
        parsed = parse_name(parser, item, depth + 1);
    return parsed ? item : NULL;
}

/* --- meaning --- */

typedef struct location_decoder {
    mlia_arena *arena;
    mlia_source *source;
} location_decoder;

static void set_position(location_decoder *decoder, mlia_str file, uint32_t line, uint32_t column)
{
    if (decoder->source->line > 0 || line == 0) /* converters write 0:0 where they know no position */
        return;
    decoder->source->file = file;
    decoder->source->line = line;
    decoder->source->column = column;
}

static mlia_status *decode_text(location_decoder *decoder, mlia_str text, uint32_t depth, mlia_str *label);

/* "main"("file") is what the FlatBuffers translator puts behind every text: it names no operator. */
static bool is_translator_mark(const node *item)
{
    return item->kind == NODE_NAME && mlia_str_equal_c(item->text, "main") && item->child != NULL &&
           item->child->kind == NODE_FILE;
}

/* Takes the next digits; false when there are none. */
static bool take_digits(mlia_str *text)
{
    size_t count = 0;
    while (count < text->size && text->data[count] >= '0' && text->data[count] <= '9')
        count++;
    *text = mlia_str_slice(*text, count, text->size);
    return count > 0;
}

/* "operator/N" and "subgraph/S/operator/N": how converted files name the operator that something comes from.
 */
static bool is_origin(mlia_str text)
{
    static const char subgraph[] = "subgraph/";
    static const char stem[] = "operator/";
    if (mlia_str_starts_with(text, MLIA_STR(subgraph))) {
        text = mlia_str_slice(text, sizeof subgraph - 1, text.size);
        if (!take_digits(&text) || !mlia_str_starts_with(text, MLIA_STR("/")))
            return false;
        text = mlia_str_slice(text, 1, text.size);
    }
    if (!mlia_str_starts_with(text, MLIA_STR(stem)))
        return false;
    text = mlia_str_slice(text, sizeof stem - 1, text.size);
    return take_digits(&text) && text.size == 0;
}

static mlia_status *decode_node(location_decoder *decoder, const node *item, uint32_t depth, mlia_str *label);

/* Joins the labels of the parts with ";" and leaves out empty and repeated ones. */
static mlia_status *decode_fused(location_decoder *decoder, const node *item, uint32_t depth, mlia_str *label)
{
    mlia_map seen = mlia_map_in(decoder->arena);
    mlia_str *labels = NULL;
    size_t count = 0;
    size_t capacity = 0;
    size_t size = 0;
    for (const node *part = item->child; part != NULL; part = part->next) {
        mlia_str name;
        bool is_new;
        MLIA_TRY(decode_node(decoder, part, depth, &name));
        if (name.size == 0)
            continue;
        MLIA_TRY_ALLOC(mlia_map_insert(&seen, name, 0, &is_new));
        if (!is_new)
            continue;
        if (!MLIA_RESERVE(decoder->arena, labels, count, capacity))
            return mlia_error_memory();
        labels[count++] = name;
        size += name.size + 1;
    }
    if (count <= 1) {
        *label = count == 1 ? labels[0] : MLIA_STR_NONE;
        return NULL;
    }
    char *joined = mlia_arena_alloc(decoder->arena, size, 1, 1);
    MLIA_TRY_ALLOC(joined);
    *label = (mlia_str){joined, size - 1};
    for (size_t i = 0; i < count; i++) {
        memcpy(joined, labels[i].data, labels[i].size);
        joined += labels[i].size;
        *joined++ = ';';
    }
    return NULL;
}

static mlia_status *decode_node(location_decoder *decoder, const node *item, uint32_t depth, mlia_str *label)
{
    mlia_str ignored;
    *label = MLIA_STR_NONE;
    switch (item->kind) {
    case NODE_UNKNOWN:
        break;
    case NODE_FILE:
        set_position(decoder, item->text, item->line, item->column);
        break;
    case NODE_NAME:
        MLIA_TRY(decode_text(decoder, item->text, depth + 1, label));
        if (item->child != NULL && !is_translator_mark(item->child)) {
            bool keep = label->size > 0 && !is_origin(*label); /* the child says what it is called */
            mlia_str inner = MLIA_STR_NONE;
            MLIA_TRY(decode_node(decoder, item->child, depth, &inner));
            *label = keep || inner.size == 0 ? *label : inner;
        }
        break;
    case NODE_FUSED:
        return decode_fused(decoder, item, depth, label);
    case NODE_CALLSITE:
        MLIA_TRY(decode_node(decoder, item->child, depth, label));
        return decode_node(decoder, item->child->next, depth, &ignored);
    }
    return NULL;
}

/* Parses a text of the form loc( … ); `*root` NULL when it is none. */
static mlia_status *parse_text(mlia_arena *arena, mlia_str text, node **root)
{
    location_parser parser = {.arena = arena, .text = text};
    *root = NULL;
    if (!take(&parser, "loc("))
        return NULL;
    parser.position = 0;
    *root = parse_location(&parser, 0);
    skip_blanks(&parser);
    if (parser.out_of_memory)
        return mlia_error_memory();
    if (parser.position < text.size)
        *root = NULL;
    return NULL;
}

/* FILE:LINE:COL. */
static bool split_position(mlia_str text, mlia_str *file, uint32_t *line, uint32_t *column)
{
    int64_t numbers[2];
    for (int i = 0; i < 2; i++) {
        size_t colon = mlia_str_find_last(text, ':');
        if (colon == SIZE_MAX)
            return false;
        mlia_str digits = mlia_str_slice(text, colon + 1, text.size);
        if (digits.size == 0 || digits.data[0] < '0' || digits.data[0] > '9' ||
            !mlia_str_to_i64(digits, &numbers[i]) || numbers[i] > UINT32_MAX)
            return false;
        text = mlia_str_slice(text, 0, colon);
    }
    *file = text;
    *line = (uint32_t)numbers[1];
    *column = (uint32_t)numbers[0];
    return text.size > 0;
}

/* A text that is neither JSON nor MLIR: positions joined by ";", or the label itself. */
static mlia_str decode_plain(location_decoder *decoder, mlia_str text)
{
    bool only_positions = true;
    for (mlia_str rest = text; rest.size > 0;) {
        size_t end = mlia_str_find(rest, ';');
        mlia_str file;
        uint32_t line;
        uint32_t column;
        if (split_position(mlia_str_slice(rest, 0, end), &file, &line, &column))
            set_position(decoder, file, line, column);
        else
            only_positions = false;
        rest = mlia_str_slice(rest, end == SIZE_MAX ? rest.size : end + 1, rest.size);
    }
    return only_positions ? MLIA_STR_NONE : text;
}

static mlia_status *decode_text(location_decoder *decoder, mlia_str text, uint32_t depth, mlia_str *label)
{
    *label = MLIA_STR_NONE;
    if (text.size == 0 || mlia_str_equal(text, MLIA_STR("unknown")))
        return NULL;
    *label = text;
    if (depth > MAX_TEXT_DEPTH)
        return NULL;
    bool is_json;
    MLIA_TRY(mlia_location_decode_json(decoder->arena, text, decoder->source, label, &is_json));
    if (is_json)
        return NULL;
    node *root;
    MLIA_TRY(parse_text(decoder->arena, text, &root));
    if (root != NULL)
        return decode_node(decoder, root, depth, label);
    if (is_origin(text) && decoder->source->origin.size == 0)
        decoder->source->origin = text;
    *label = decode_plain(decoder, text);
    return NULL;
}

mlia_status *mlia_location_decode(mlia_arena *arena, mlia_str text, mlia_source *source)
{
    location_decoder decoder = {arena, source};
    source->location = text;
    return decode_text(&decoder, text, 0, &source->label);
}

/* --- reference --- */

/* Appends `text` with everything but letters, digits and -._~ as %XX. Worst case three times the size. */
static char *encode_percent(char *out, mlia_str text)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                     (c != '\0' && strchr("-._~", c) != NULL);
        if (plain) {
            *out++ = (char)c;
        } else {
            *out++ = '%';
            *out++ = hex[c >> 4];
            *out++ = hex[c & 15];
        }
    }
    return out;
}

static mlia_str percent_encoded(mlia_arena *arena, mlia_str text)
{
    char *encoded = text.size > SIZE_MAX / 3 ? NULL : mlia_arena_alloc(arena, text.size * 3, 1, 1);
    if (encoded == NULL)
        return MLIA_STR_NONE;
    return (mlia_str){encoded, (size_t)(encode_percent(encoded, text) - encoded)};
}

/* Name of a region of an MLIR file: the function's name, then .OP.K for each level: the operator and which of
 * its regions. */
static mlia_str mlir_region_name(mlia_arena *arena, const mlia_graph *graph, uint32_t region)
{
    mlia_str suffix = MLIA_STR("");
    while (graph->regions[region].parent != MLIA_NONE && suffix.data != NULL) {
        const mlia_operator *parent = &graph->operators[graph->regions[region].parent];
        uint32_t regions[2];
        bool second = mlia_operator_regions(parent, regions) == 2 && regions[0] != region;
        suffix = mlia_arena_format(arena, ".%u.%d%.*s", parent->operator_index, second, MLIA_STR_ARG(suffix));
        region = graph->blocks[parent->block].region;
    }
    mlia_str name = percent_encoded(arena, graph->regions[region].name);
    if (suffix.data == NULL || name.data == NULL)
        return MLIA_STR_NONE;
    return mlia_arena_format(arena, "%.*s%.*s", MLIA_STR_ARG(name), MLIA_STR_ARG(suffix));
}

mlia_str mlia_source_reference(mlia_arena *arena, const mlia_graph *graph, const mlia_operator *op)
{
    const mlia_source *source = op->source == MLIA_NONE ? NULL : &graph->sources[op->source];
    if (source != NULL && source->label.size > 0)
        return source->label;
    const mlia_block *block = &graph->blocks[op->block];
    mlia_str region;
    mlia_str name = MLIA_STR("0");
    switch (graph->format) {
    case MLIA_SOURCE_TOSA:
        region = percent_encoded(arena, graph->regions[block->region].name);
        name = percent_encoded(arena, block->name);
        break;
    case MLIA_SOURCE_MLIR:
    case MLIA_SOURCE_MLIR_BYTECODE:
        region = mlir_region_name(arena, graph, block->region);
        break;
    default:
        return source != NULL ? source->id : MLIA_STR("");
    }
    if (region.data == NULL || name.data == NULL)
        return MLIA_STR_NONE;
    return mlia_arena_format(arena, "tosa:%.*s/%.*s/%u", MLIA_STR_ARG(region), MLIA_STR_ARG(name),
                             op->operator_index);
}
