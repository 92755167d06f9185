/* The debug database: seven tables of text that lead from stripes over chains to the labels of operators.
 * Section names are not in the file: position decides, and the columns that a section must have reveal a
 * shift. */
#include "formats/capture/decode.h"

/* Columns that are used, in the order of the cells; `required` has a bit for each that must be there. */
static const struct {
    mlia_str name;
    mlia_str columns[MLIA_DEBUG_CELL_COUNT];
    unsigned required;
} sections[MLIA_DEBUG_SECTION_COUNT] = {
    [MLIA_DEBUG_TOSA_OPS] = {MLIA_STR_INIT("tosa_ops"),
                             {MLIA_STR_INIT("id"), MLIA_STR_INIT("tosa_op"), MLIA_STR_INIT("api_labels")},
                             1},
    [MLIA_DEBUG_API_LABELS] = {MLIA_STR_INIT("api_labels"), {{NULL, 0}}, 0},
    [MLIA_DEBUG_FUSED_OPS] = {MLIA_STR_INIT("fused_ops"),
                              {MLIA_STR_INIT("id"), MLIA_STR_INIT("tosa_op_ids")},
                              3},
    [MLIA_DEBUG_CHAINS] = {MLIA_STR_INIT("cascade_ops"),
                           {MLIA_STR_INIT("id"), MLIA_STR_INIT("fused_op_ids")},
                           3},
    [MLIA_DEBUG_CASCADE_GROUPS] = {MLIA_STR_INIT("cascade_groups"), {{NULL, 0}}, 0},
    [MLIA_DEBUG_STRIPE_OPS] = {MLIA_STR_INIT("stripe_ops"),
                               {MLIA_STR_INIT("id"), MLIA_STR_INIT("op_id"), MLIA_STR_INIT("cascade_op_id")},
                               3},
    [MLIA_DEBUG_STRIPE_INDEXES] = {MLIA_STR_INIT("stripe_indexes"),
                                   {MLIA_STR_INIT("id"), MLIA_STR_INIT("stripe_op_id"),
                                    MLIA_STR_INIT("stripe_op_indexs")},
                                   1},
};

static const mlia_str separator = MLIA_STR_INIT("----");

mlia_str mlia_debug_section_name(mlia_debug_section section)
{
    return sections[section].name;
}

/* Position of each used column in the rows of a section, and how many columns there are. */
typedef struct header {
    size_t position[MLIA_DEBUG_CELL_COUNT]; /* SIZE_MAX: the file does not have the column */
    size_t count;
} header;

/* Reading state: the section of the next line. */
typedef struct parser {
    mlia_arena *arena;
    mlia_debug_database *database;
    unsigned section;   /* MLIA_DEBUG_SECTION_COUNT: the rest of the file is ignored */
    bool in_section;    /* its header was seen */
    bool one_line_each; /* no separator in the file: every line is a section's header */
    header columns;
} parser;

/* Takes the next line off `text`; a CR before the LF does not belong to it. */
static bool next_line(mlia_str *text, mlia_str *line)
{
    if (text->size == 0)
        return false;
    size_t end = mlia_str_find(*text, '\n');
    *line = mlia_str_slice(*text, 0, end);
    *text = mlia_str_slice(*text, end == SIZE_MAX ? text->size : end + 1, SIZE_MAX);
    if (line->size && line->data[line->size - 1] == '\r')
        line->size--;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Takes the next cell off a line: up to the next TAB, or, where the line has none, up to the next white
 * space.
 * `*more` becomes false with the last one. */
static mlia_str next_cell(mlia_str *line, bool by_tab, bool *more)
{
    size_t end = 0;
    while (end < line->size && !(by_tab ? line->data[end] == '\t' : is_blank(line->data[end])))
        end++;
    mlia_str cell = mlia_str_slice(*line, 0, end);
    size_t next = end;
    if (by_tab)
        next++;
    while (!by_tab && next < line->size && is_blank(line->data[next]))
        next++;
    *more = by_tab ? end < line->size : next < line->size;
    *line = mlia_str_slice(*line, next, SIZE_MAX);
    return cell;
}

static mlia_status *in_section(mlia_status *status, unsigned section)
{
    return mlia_status_in(status, "section %.*s", MLIA_STR_ARG(sections[section].name));
}

static mlia_status *missing_column(unsigned section, mlia_str column)
{
    return in_section(mlia_error(MLIA_E_DEBUG_COLUMNS, "column '%.*s' is missing", MLIA_STR_ARG(column)),
                      section);
}

static mlia_status *read_header(parser *state, mlia_str line)
{
    const mlia_str *columns = sections[state->section].columns;
    unsigned required = sections[state->section].required;
    state->columns = (header){{SIZE_MAX, SIZE_MAX, SIZE_MAX}, 0};
    bool by_tab = mlia_str_find(line, '\t') != SIZE_MAX;
    bool more = true;
    while (!by_tab && line.size && is_blank(line.data[0]))
        line = mlia_str_slice(line, 1, SIZE_MAX);
    while (more) {
        mlia_str cell = next_cell(&line, by_tab, &more);
        for (unsigned i = 0; i < MLIA_DEBUG_CELL_COUNT; i++)
            if (columns[i].size && mlia_str_equal(cell, columns[i]))
                state->columns.position[i] = state->columns.count;
        state->columns.count++;
    }
    for (unsigned i = 0; i < MLIA_DEBUG_CELL_COUNT; i++)
        if (required >> i & 1 && state->columns.position[i] == SIZE_MAX)
            return missing_column(state->section, columns[i]);
    return NULL;
}

/* Section 7 needs one of its two columns; told after its rows, like its readers do. */
static mlia_status *end_section(const parser *state)
{
    bool has_one = state->columns.position[MLIA_DEBUG_STRIPE_OP] != SIZE_MAX ||
                   state->columns.position[MLIA_DEBUG_STRIPE_INDEXES_OF] != SIZE_MAX;
    if (state->section != MLIA_DEBUG_STRIPE_INDEXES || !state->in_section || has_one)
        return NULL;
    return missing_column(state->section, MLIA_STR("stripe_op_id"));
}

static mlia_status *store_row(parser *state, const mlia_debug_row *row)
{
    mlia_debug_table *table = &state->database->tables[state->section];
    mlia_str id = row->cells[MLIA_DEBUG_ID];
    if (id.size == 0)
        return mlia_error(MLIA_E_DEBUG_ROW, "a row without id");
    if (table->count >= UINT32_MAX || !MLIA_RESERVE(state->arena, table->rows, table->count, table->capacity))
        return mlia_error_memory();
    bool is_new;
    if (mlia_map_insert(&table->by_id, id, (uint32_t)table->count, &is_new) == NULL)
        return mlia_error_memory();
    if (!is_new)
        return mlia_error(MLIA_E_DEBUG_DUPLICATE, "id '%.*s' is there twice",
                          MLIA_STR_ARG(mlia_str_slice(id, 0, 200)));
    table->rows[table->count++] = *row;
    return NULL;
}

static mlia_status *read_row(parser *state, mlia_str line)
{
    mlia_debug_row row = {0};
    size_t count = 0;
    bool more = true;
    while (more) {
        mlia_str cell = next_cell(&line, true, &more);
        for (unsigned i = 0; i < MLIA_DEBUG_CELL_COUNT; i++)
            if (state->columns.position[i] == count)
                row.cells[i] = cell;
        count++;
    }
    if (count > state->columns.count)
        return mlia_error(MLIA_E_DEBUG_ROW, "a row with %zu cells, the header has %zu", count,
                          state->columns.count);
    return store_row(state, &row);
}

static mlia_status *read_line(parser *state, mlia_str line)
{
    if (state->section == MLIA_DEBUG_SECTION_COUNT || line.size == 0)
        return NULL;
    bool is_separator = !state->one_line_each && mlia_str_equal(line, separator);
    if (is_separator || state->one_line_each) {
        MLIA_TRY(end_section(state));
        state->section += state->in_section;
        state->in_section = false;
    }
    if (is_separator || state->section == MLIA_DEBUG_SECTION_COUNT)
        return NULL;
    if (!state->in_section) {
        state->in_section = true;
        return read_header(state, line);
    }
    return sections[state->section].required ? in_section(read_row(state, line), state->section) : NULL;
}

/* Number of sections, up to the ones that are used, and whether separators divide them. */
static unsigned count_sections(mlia_str text, bool *has_separator)
{
    unsigned parts = 0;
    unsigned lines = 0;
    bool filled = false;
    *has_separator = false;
    for (mlia_str line; next_line(&text, &line);) {
        bool is_separator = mlia_str_equal(line, separator);
        *has_separator |= is_separator;
        parts += is_separator && filled && parts < MLIA_DEBUG_SECTION_COUNT;
        lines += line.size > 0 && lines < MLIA_DEBUG_SECTION_COUNT;
        filled = is_separator ? false : filled || line.size > 0;
    }
    return *has_separator ? parts + filled : lines;
}

static mlia_status *read_sections(mlia_str text, parser *state)
{
    bool has_separator;
    unsigned count = count_sections(text, &has_separator);
    if (count < MLIA_DEBUG_SECTION_COUNT)
        return mlia_error(MLIA_E_DEBUG_SECTIONS, "%u sections, at least %d are needed", count,
                          MLIA_DEBUG_SECTION_COUNT);
    state->one_line_each = !has_separator;
    uint32_t number = 0;
    for (mlia_str line; next_line(&text, &line);) {
        number += number < UINT32_MAX;
        MLIA_TRY(mlia_status_at_line(read_line(state, line), number, 1));
    }
    return state->section == MLIA_DEBUG_SECTION_COUNT ? NULL : end_section(state);
}

mlia_status *mlia_debug_database_decode(mlia_bytes file, mlia_arena *arena, mlia_debug_database *database)
{
    mlia_bytes payload;
    MLIA_TRY(mlia_capture_unframe(file, true, &payload));
    mlia_str text = {(const char *)payload.data, payload.size};
    while (text.size > 0 && text.data[text.size - 1] == '\0')
        text.size--;
    if (!mlia_utf8_valid(text))
        return mlia_error(MLIA_E_DEBUG_TEXT, "the text is not UTF-8");
    if (mlia_str_find(text, '\0') != SIZE_MAX)
        return mlia_error(MLIA_E_DEBUG_TEXT, "the text holds a NUL");
    *database = (mlia_debug_database){0};
    for (unsigned i = 0; i < MLIA_DEBUG_SECTION_COUNT; i++)
        database->tables[i].by_id = mlia_map_in(arena);
    parser state = {.arena = arena, .database = database};
    return read_sections(text, &state);
}

const mlia_debug_row *mlia_debug_find(const mlia_debug_database *database, mlia_debug_section section,
                                      mlia_str id)
{
    const mlia_debug_table *table = &database->tables[section];
    const uint32_t *position = mlia_map_find(&table->by_id, id);
    return position != NULL ? &table->rows[*position] : NULL;
}

bool mlia_debug_next_id(mlia_str *cell, mlia_str *id)
{
    while (cell->size > 0) {
        size_t end = mlia_str_find(*cell, ';');
        mlia_str item = mlia_str_slice(*cell, 0, end);
        *cell = mlia_str_slice(*cell, end == SIZE_MAX ? cell->size : end + 1, SIZE_MAX);
        while (item.size && is_blank(item.data[0]))
            item = mlia_str_slice(item, 1, SIZE_MAX);
        while (item.size && is_blank(item.data[item.size - 1]))
            item.size--;
        if (item.size) {
            *id = item;
            return true;
        }
    }
    return false;
}
