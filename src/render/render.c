/* The table of renderings. */
#include "render/render.h"

#include "result/document.h"

const mlia_renderer mlia_renderers[] = {
    {"text", "txt", mlia_render_text},
    {"json", "json", mlia_render_json},
    {"csv", "csv", mlia_render_csv},
    {"csv-wide", "csv", mlia_render_csv_wide},
    {NULL, NULL, NULL},
};

mlia_status *mlia_render(const mlia_document *document, mlia_str format, const mlia_render_options *options,
                         mlia_buffer *buffer)
{
    for (const mlia_renderer *renderer = mlia_renderers; renderer->format != NULL; renderer++)
        if (mlia_str_equal_c(format, renderer->format)) {
            MLIA_TRY(renderer->render(document, options, buffer));
            return mlia_buffer_status(buffer);
        }
    return mlia_error(MLIA_E_OPTION_VALUE, "there is no format '%.*s'", MLIA_STR_ARG(format));
}

mlia_status *mlia_render_json(const mlia_document *document, const mlia_render_options *options,
                              mlia_buffer *buffer)
{
    (void)options;
    mlia_document_write(document, buffer);
    return NULL;
}
