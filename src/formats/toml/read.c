/* Statements, keys, tables and arrays of TOML. */
#include <stdio.h>

#include "formats/toml/scan.h"

/* How a table or array came to be: decides who may still add to it. */
typedef enum toml_definition {
    TOML_IMPLICIT, /* parent of a header's table */
    TOML_HEADER,   /* [name] or an item of [[name]] */
    TOML_DOTTED,   /* parent in a dotted key of section `section` */
    TOML_CLOSED,   /* inline table or array: complete as written */
    TOML_ITEMS,    /* array of [[name]] */
} toml_definition;

typedef struct toml_parser {
    toml_scanner scanner;
    mlia_toml *root;
    mlia_toml *table;      /* of the last header */
    uint32_t section;      /* number of the last header or inline table */
    uint32_t last_section; /* highest number given */
} toml_parser;

/* One part of a dotted key. */
typedef struct toml_key {
    mlia_str text;
    uint32_t line;
    uint32_t column;
} toml_key;

enum { MAP_FROM = 8 };

const char *mlia_toml_type_name(mlia_toml_type type)
{
    static const char *const names[] = {
        [MLIA_TOML_STRING] = "a string",      [MLIA_TOML_INTEGER] = "an integer",
        [MLIA_TOML_FLOAT] = "a float",        [MLIA_TOML_BOOL] = "a boolean",
        [MLIA_TOML_DATETIME] = "a date-time", [MLIA_TOML_DATETIME_LOCAL] = "a local date-time",
        [MLIA_TOML_DATE_LOCAL] = "a date",    [MLIA_TOML_TIME_LOCAL] = "a time",
        [MLIA_TOML_ARRAY] = "an array",       [MLIA_TOML_TABLE] = "a table",
    };
    return names[type];
}

const mlia_toml_member *mlia_toml_find(const mlia_toml *table, mlia_str key)
{
    if (table->type != MLIA_TOML_TABLE)
        return NULL;
    if (table->map.count > 0) {
        const uint32_t *index = mlia_map_find(&table->map, key);
        return index != NULL ? &table->members[*index] : NULL;
    }
    for (size_t i = 0; i < table->count; i++)
        if (mlia_str_equal(table->members[i].key, key))
            return &table->members[i];
    return NULL;
}

/* NULL when out of memory. */
static mlia_toml *new_value(const toml_parser *parser, const mlia_toml *parent, mlia_toml_type type,
                            toml_definition definition)
{
    const toml_scanner *scanner = &parser->scanner;
    mlia_toml *value = MLIA_NEW(scanner->arena, mlia_toml);
    if (value == NULL)
        return NULL;
    value->type = type;
    value->definition = (uint8_t)definition;
    value->line = scanner->line;
    value->column = toml_column(scanner);
    value->depth = (uint16_t)(parent != NULL ? parent->depth + 1 : 0);
    value->map = mlia_map_in(scanner->arena);
    return value;
}

/* Values below `parent` must not lie too deep. */
static mlia_status *check_depth(const toml_parser *parser, const mlia_toml *parent)
{
    if (parent->depth < MLIA_TOML_DEPTH)
        return NULL;
    return toml_error(&parser->scanner, "nesting deeper than %d", MLIA_TOML_DEPTH);
}

static mlia_status *index_members(mlia_toml *table, size_t first)
{
    for (size_t i = first; i < table->count; i++)
        MLIA_TRY_ALLOC(mlia_map_insert(&table->map, table->members[i].key, (uint32_t)i, NULL));
    return NULL;
}

/* Adds a member; the key must be new. */
static mlia_status *add_member(toml_parser *parser, mlia_toml *table, toml_key key, mlia_toml *value)
{
    mlia_arena *arena = parser->scanner.arena;
    if (!MLIA_RESERVE(arena, table->members, table->count, table->capacity))
        return mlia_error_memory();
    table->members[table->count++] = (mlia_toml_member){key.text, value, key.line, key.column};
    if (table->count < MAP_FROM)
        return NULL;
    return index_members(table, table->count == MAP_FROM ? 0 : table->count - 1);
}

static mlia_status *add_item(toml_parser *parser, mlia_toml *array, mlia_toml *value)
{
    // An array of pointers is what is meant. NOLINTNEXTLINE(bugprone-sizeof-expression)
    if (!MLIA_RESERVE(parser->scanner.arena, array->items, array->count, array->capacity))
        return mlia_error_memory();
    array->items[array->count++] = value;
    return NULL;
}

static mlia_status *key_error(const toml_parser *parser, toml_key key, const char *text)
{
    mlia_str shown =
        mlia_str_slice(key.text, 0, mlia_utf8_cut(key.text, key.text.size < 80 ? key.text.size : 80));
    return mlia_status_at_line(mlia_error(parser->scanner.kind, "key '%.*s': %s", MLIA_STR_ARG(shown), text),
                               key.line, key.column);
}

/* --- keys --- */

static bool is_bare_key_byte(int byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           byte == '_' || byte == '-';
}

static mlia_status *read_key_part(toml_scanner *scanner, toml_key *key)
{
    *key = (toml_key){.line = scanner->line, .column = toml_column(scanner)};
    int byte = toml_peek(scanner, 0);
    if (byte == '"' || byte == '\'')
        return toml_read_string(scanner, false, &key->text);
    size_t size = 0;
    while (is_bare_key_byte(toml_peek(scanner, size)))
        size++;
    if (size == 0)
        return toml_error(scanner, "a key is missing");
    key->text = mlia_str_slice(scanner->text, scanner->position, size);
    scanner->position += size;
    return NULL;
}

/* Reads the next part and tells whether another one follows its dot. */
static mlia_status *read_next_part(toml_scanner *scanner, toml_key *key, bool *more)
{
    toml_skip_blanks(scanner);
    MLIA_TRY(read_key_part(scanner, key));
    toml_skip_blanks(scanner);
    *more = toml_take(scanner, '.');
    return NULL;
}

/* --- values --- */

static mlia_status *read_value(toml_parser *parser, const mlia_toml *parent, mlia_toml **value);

/* Table for a part of a dotted key that is not the last. */
static mlia_status *enter_dotted(toml_parser *parser, mlia_toml **table, toml_key key)
{
    const mlia_toml_member *member = mlia_toml_find(*table, key.text);
    mlia_toml *next;
    if (member == NULL) {
        MLIA_TRY(check_depth(parser, *table));
        next = new_value(parser, *table, MLIA_TOML_TABLE, TOML_DOTTED);
        MLIA_TRY_ALLOC(next);
        MLIA_TRY(add_member(parser, *table, key, next));
    } else {
        next = member->value;
        bool open = next->type == MLIA_TOML_TABLE &&
                    (next->definition == TOML_IMPLICIT ||
                     (next->definition == TOML_DOTTED && next->section == parser->section));
        if (!open)
            return key_error(parser, key, "is already defined and cannot be extended here");
        next->definition = TOML_DOTTED;
    }
    next->section = parser->section;
    *table = next;
    return NULL;
}

/* KEY = VALUE, into `table`. */
static mlia_status *read_pair(toml_parser *parser, mlia_toml *table)
{
    toml_scanner *scanner = &parser->scanner;
    toml_key key = {0};
    bool more = false;
    MLIA_TRY(read_next_part(scanner, &key, &more));
    while (more) {
        MLIA_TRY(enter_dotted(parser, &table, key));
        MLIA_TRY(read_next_part(scanner, &key, &more));
    }
    if (!toml_take(scanner, '='))
        return toml_error(scanner, "'=' is missing behind the key");
    if (mlia_toml_find(table, key.text) != NULL)
        return key_error(parser, key, "is defined twice");
    toml_skip_blanks(scanner);
    mlia_toml *value = NULL;
    MLIA_TRY(read_value(parser, table, &value));
    return add_member(parser, table, key, value);
}

static mlia_status *read_inline_table(toml_parser *parser, mlia_toml *table)
{
    toml_scanner *scanner = &parser->scanner;
    uint32_t outer_section = parser->section;
    parser->section = ++parser->last_section;
    scanner->position++;
    toml_skip_blanks(scanner);
    bool more = !toml_take(scanner, '}');
    while (more) {
        MLIA_TRY(read_pair(parser, table));
        toml_skip_blanks(scanner);
        more = toml_take(scanner, ',');
        if (!more && !toml_take(scanner, '}'))
            return toml_error(scanner, "',' or '}' is missing in an inline table");
        toml_skip_blanks(scanner);
    }
    parser->section = outer_section;
    return NULL;
}

/* White space, line ends and comments between the items of an array. */
static mlia_status *skip_array_space(toml_scanner *scanner)
{
    do
        MLIA_TRY(toml_skip_comment(scanner));
    while (toml_take_newline(scanner));
    return NULL;
}

static mlia_status *read_array(toml_parser *parser, mlia_toml *array)
{
    toml_scanner *scanner = &parser->scanner;
    scanner->position++;
    MLIA_TRY(skip_array_space(scanner));
    while (!toml_take(scanner, ']')) {
        mlia_toml *item = NULL;
        MLIA_TRY(read_value(parser, array, &item));
        MLIA_TRY(add_item(parser, array, item));
        MLIA_TRY(skip_array_space(scanner));
        bool more = toml_take(scanner, ',');
        MLIA_TRY(skip_array_space(scanner));
        if (!more && toml_peek(scanner, 0) != ']')
            return toml_error(scanner, "',' or ']' is missing in an array");
    }
    return NULL;
}

static mlia_status *read_value(toml_parser *parser, const mlia_toml *parent, mlia_toml **value)
{
    toml_scanner *scanner = &parser->scanner;
    int byte = toml_peek(scanner, 0);
    MLIA_TRY(check_depth(parser, parent));
    *value = new_value(parser, parent, byte == '[' ? MLIA_TOML_ARRAY : MLIA_TOML_TABLE, TOML_CLOSED);
    MLIA_TRY_ALLOC(*value);
    if (byte == '[')
        return read_array(parser, *value);
    if (byte == '{')
        return read_inline_table(parser, *value);
    if (byte != '"' && byte != '\'')
        return toml_read_scalar(scanner, *value);
    (*value)->type = MLIA_TOML_STRING;
    return toml_read_string(scanner, true, &(*value)->as.text);
}

/* --- headers --- */

/* Table for a part of a header that is not the last: the last item where the key names an array of tables. */
static mlia_status *enter_header(toml_parser *parser, mlia_toml **table, toml_key key)
{
    const mlia_toml_member *member = mlia_toml_find(*table, key.text);
    if (member == NULL) {
        MLIA_TRY(check_depth(parser, *table));
        mlia_toml *next = new_value(parser, *table, MLIA_TOML_TABLE, TOML_IMPLICIT);
        MLIA_TRY_ALLOC(next);
        MLIA_TRY(add_member(parser, *table, key, next));
        *table = next;
        return NULL;
    }
    mlia_toml *next = member->value;
    if (next->definition == TOML_ITEMS)
        next = next->items[next->count - 1];
    if (next->type != MLIA_TOML_TABLE || next->definition == TOML_CLOSED)
        return key_error(parser, key, "is already defined and cannot be extended here");
    *table = next;
    return NULL;
}

/* The table that [… key] opens. */
static mlia_status *open_table(toml_parser *parser, mlia_toml *parent, toml_key key)
{
    const mlia_toml_member *member = mlia_toml_find(parent, key.text);
    if (member == NULL) {
        MLIA_TRY(check_depth(parser, parent));
        parser->table = new_value(parser, parent, MLIA_TOML_TABLE, TOML_HEADER);
        MLIA_TRY_ALLOC(parser->table);
        return add_member(parser, parent, key, parser->table);
    }
    if (member->value->type != MLIA_TOML_TABLE || member->value->definition != TOML_IMPLICIT)
        return key_error(parser, key, "is defined twice");
    parser->table = member->value;
    parser->table->definition = TOML_HEADER;
    parser->table->line = key.line;
    parser->table->column = key.column;
    return NULL;
}

/* The new item that [[… key]] opens. */
static mlia_status *open_item(toml_parser *parser, mlia_toml *parent, toml_key key)
{
    const mlia_toml_member *member = mlia_toml_find(parent, key.text);
    mlia_toml *array;
    if (member == NULL) {
        MLIA_TRY(check_depth(parser, parent));
        array = new_value(parser, parent, MLIA_TOML_ARRAY, TOML_ITEMS);
        MLIA_TRY_ALLOC(array);
        MLIA_TRY(add_member(parser, parent, key, array));
    } else {
        array = member->value;
        if (array->definition != TOML_ITEMS)
            return key_error(parser, key, "is already defined and no array of tables");
    }
    MLIA_TRY(check_depth(parser, array));
    parser->table = new_value(parser, array, MLIA_TOML_TABLE, TOML_HEADER);
    MLIA_TRY_ALLOC(parser->table);
    return add_item(parser, array, parser->table);
}

static mlia_status *read_header(toml_parser *parser)
{
    toml_scanner *scanner = &parser->scanner;
    scanner->position++;
    bool is_item = toml_take(scanner, '[');
    mlia_toml *parent = parser->root;
    toml_key key = {0};
    bool more = false;
    MLIA_TRY(read_next_part(scanner, &key, &more));
    while (more) {
        MLIA_TRY(enter_header(parser, &parent, key));
        MLIA_TRY(read_next_part(scanner, &key, &more));
    }
    if (!toml_take(scanner, ']') || (is_item && !toml_take(scanner, ']')))
        return toml_error(scanner, "']' is missing");
    parser->section = ++parser->last_section;
    return is_item ? open_item(parser, parent, key) : open_table(parser, parent, key);
}

static mlia_status *read_statement(toml_parser *parser)
{
    toml_scanner *scanner = &parser->scanner;
    toml_skip_blanks(scanner);
    int byte = toml_peek(scanner, 0);
    if (byte == '[')
        MLIA_TRY(read_header(parser));
    else if (byte != TOML_END && byte != '\n' && byte != '\r' && byte != '#')
        MLIA_TRY(read_pair(parser, parser->table));
    MLIA_TRY(toml_skip_comment(scanner));
    if (!toml_take_newline(scanner) && toml_peek(scanner, 0) != TOML_END)
        return toml_error(scanner, "the line goes on behind its end");
    return NULL;
}

/* E_TOML_SYNTAX at the first ill-formed sequence. */
static mlia_status *check_utf8(toml_scanner scanner)
{
    size_t position = 0;
    while (position < scanner.text.size) {
        uint32_t code;
        scanner.position = position;
        if (!mlia_utf8_next(scanner.text, &position, &code))
            return toml_error(&scanner, "the text is not UTF-8");
        if (code == '\n') {
            scanner.line++;
            scanner.line_start = position;
        }
    }
    return NULL;
}

mlia_status *mlia_toml_read(mlia_arena *arena, mlia_str text, mlia_kind kind, mlia_toml **root)
{
    if (mlia_str_starts_with(text, MLIA_STR("\xEF\xBB\xBF")))
        text = mlia_str_slice(text, 3, SIZE_MAX);
    toml_parser parser = {.scanner = {.arena = arena, .text = text, .kind = kind, .line = 1}};
    MLIA_TRY(check_utf8(parser.scanner));
    parser.root = new_value(&parser, NULL, MLIA_TOML_TABLE, TOML_HEADER);
    MLIA_TRY_ALLOC(parser.root);
    parser.table = parser.root;
    while (toml_peek(&parser.scanner, 0) != TOML_END)
        MLIA_TRY(read_statement(&parser));
    *root = parser.root;
    return NULL;
}
