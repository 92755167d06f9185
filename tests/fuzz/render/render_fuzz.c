/* Any document in every form. Lines of the text report are never wider than the terminal and never hold a
 * control character, colours change nothing but escape sequences, and every CSV row has as many cells as the
 * first. */
#include <stdlib.h>

#include "render/terminal.h"
#include "result/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool kept)
{
    if (!kept)
        abort();
}

static void check_lines(mlia_str text, unsigned width)
{
    while (text.size > 0) {
        size_t end = mlia_str_find(text, '\n');
        demand(end != SIZE_MAX);
        mlia_str line = mlia_str_slice(text, 0, end);
        demand(mlia_utf8_valid(line));
        demand(mlia_text_width(line) <= width);
        for (size_t i = 0; i < line.size; i++)
            demand((unsigned char)line.data[i] >= 0x20 && line.data[i] != 0x7F);
        text = mlia_str_slice(text, end + 1, SIZE_MAX);
    }
}

/* Removes the escape sequences that colours are made of. */
static void strip(mlia_buffer *buffer)
{
    size_t kept = 0;
    for (size_t i = 0; i < buffer->size; i++) {
        if (buffer->data[i] != 0x1B) {
            buffer->data[kept++] = buffer->data[i];
            continue;
        }
        while (buffer->data[i] != 'm')
            i++;
    }
    buffer->size = kept;
}

static void check_rows(mlia_str text)
{
    size_t columns = 0;
    size_t cells = 1;
    bool quoted = false;
    for (size_t i = 0; i < text.size; i++) {
        quoted = quoted != (text.data[i] == '"');
        cells += !quoted && text.data[i] == ',';
        if (quoted || text.data[i] != '\n')
            continue;
        demand(columns == 0 || cells == columns);
        columns = cells;
        cells = 1;
    }
    demand(!quoted);
}

static void render_all(const mlia_document *document, const uint8_t *data, size_t size)
{
    mlia_str groups[] = {MLIA_STR("nn_module"), MLIA_STR("code_line"), MLIA_STR("chain"),
                         MLIA_STR("source_operator")};
    mlia_render_options options = {.width = 60 + data[size / 2] % 181u,
                                   .top = data[size / 3] % 4u,
                                   .ascii = data[size - 1] & 1,
                                   .group_by = groups,
                                   .group_count = data[size - 1] & 2 ? 4 : 0};
    mlia_buffer plain = {0};
    mlia_buffer coloured = {0};
    demand(mlia_render(document, MLIA_STR("text"), &options, &plain) == NULL);
    check_lines(mlia_buffer_str(&plain), options.width);
    options.color = true;
    options.true_color = data[size - 1] & 4;
    demand(mlia_render(document, MLIA_STR("text"), &options, &coloured) == NULL);
    strip(&coloured);
    demand(mlia_str_equal(mlia_buffer_str(&plain), mlia_buffer_str(&coloured)));
    static const char *const forms[] = {"csv", "csv-wide"};
    for (size_t i = 0; i < 2; i++) {
        plain.size = 0;
        demand(mlia_render(document, mlia_str_from_c(forms[i]), &options, &plain) == NULL);
        check_rows(mlia_buffer_str(&plain));
    }
    mlia_buffer_free(&plain);
    mlia_buffer_free(&coloured);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new((size_t)1 << 30);
    mlia_document *document;
    mlia_status *status =
        mlia_document_read((mlia_str){(const char *)data, size}, arena, NULL, NULL, &document);
    if (status == NULL)
        render_all(document, data, size);
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
