/* Opening model files. */
#include "core/model.h"

#include <stdio.h>

enum { STEM_LIMIT = 100 };

/* A name for side files: never empty, never "." or "..", nothing that a shell or another system could
 * misread. */
static mlia_str safe_stem(mlia_arena *arena, mlia_str name)
{
    size_t suffix;
    mlia_format_by_suffix(name, &suffix);
    mlia_str stem = mlia_arena_str(arena, mlia_str_slice(name, 0, name.size - suffix));
    if (stem.data == NULL)
        return stem;
    stem = mlia_str_slice(stem, 0, STEM_LIMIT);
    for (size_t i = 0; i < stem.size; i++) {
        char *c = (char *)stem.data + i;
        bool good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                    *c == '.' || *c == '_' || *c == '-';
        if (!good)
            *c = '_';
    }
    if (stem.size == 0 || mlia_str_equal_c(stem, ".") || mlia_str_equal_c(stem, ".."))
        return MLIA_STR("model");
    return stem;
}

static mlia_status *unknown_format(const mlia_model_file *model)
{
    mlia_bytes bytes = mlia_file_bytes(model->file);
    char hex[3 * 8 + 1] = "";
    for (size_t i = 0; i < 8 && i < bytes.size; i++)
        snprintf(hex + 3 * i, 4, "%02x ", bytes.data[i]);
    mlia_buffer list = {0};
    for (unsigned i = 0; i < MLIA_FORMAT_COUNT; i++)
        mlia_buffer_format(&list, "%s%s", i > 0 ? ", " : "",
                           mlia_format_describe((mlia_format)i)->title.data);
    mlia_status *status = mlia_status_path(
        mlia_error(MLIA_E_FORMAT_UNKNOWN, "no known format: the file begins with %s(known: %.*s)", hex,
                   (int)list.size, list.size ? (const char *)list.data : ""),
        model->path);
    mlia_buffer_free(&list);
    return status;
}

static void warn_extension(mlia_diagnostics *diagnostics, const mlia_model_file *model, mlia_format by_name)
{
    mlia_str previous = diagnostics->path;
    diagnostics->path = model->path;
    mlia_warn(diagnostics, MLIA_W_EXTENSION, "named like %s, but the content is %s",
              mlia_format_describe(by_name)->title.data, mlia_format_describe(model->format)->title.data);
    diagnostics->path = previous;
}

mlia_status *mlia_model_open(const char *path, mlia_arena *arena, mlia_diagnostics *diagnostics,
                             mlia_model_file *model)
{
    *model = (mlia_model_file){0};
    bool is_stdin = strcmp(path, "-") == 0;
    model->path = is_stdin ? MLIA_STR("stdin") : mlia_arena_str(arena, mlia_str_from_c(path));
    MLIA_TRY_ALLOC(model->path.data);
    model->name = mlia_str_base_name(model->path);
    model->stem = safe_stem(arena, model->name);
    MLIA_TRY_ALLOC(model->stem.data);
    MLIA_TRY(mlia_file_open(path, &model->file));
    mlia_bytes bytes = mlia_file_bytes(model->file);
    model->format = mlia_format_detect(bytes);
    mlia_format by_name = mlia_format_by_suffix(model->name, NULL);
    if (model->format == MLIA_FORMAT_UNKNOWN)
        return unknown_format(model);
    if (by_name != MLIA_FORMAT_UNKNOWN && by_name != model->format)
        warn_extension(diagnostics, model, by_name);
    return NULL;
}

void mlia_model_hash(mlia_model_file *model)
{
    mlia_sha256_hex(mlia_file_bytes(model->file), model->hash);
}
