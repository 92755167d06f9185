/* Driver of the oracle tests: what the library does with documents, one verb per thing.
 *
 *   document-tool numbers                 lines of 16 hexadecimal digits (bits of doubles) → their texts
 *   document-tool validate [--strict] F   faults, one a line: RULE: PATH: TEXT
 *   document-tool rewrite F               read and write again
 *   document-tool postprocess F [KIND ATTRIBUTE GLOB…]
 *                                         post-process every result with this collapse rule, write the
 * document
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "render/render.h"
#include "result/build.h"
#include "result/document.h"

static int fail(mlia_status *status)
{
    fprintf(stderr, "%s: %.*s: %.*s\n", mlia_kind_name(mlia_status_kind(status)),
            MLIA_STR_ARG(mlia_status_member(status)), MLIA_STR_ARG(mlia_status_message(status)));
    mlia_status_free(status);
    return 1;
}

static int print_numbers(void)
{
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        uint64_t bits = strtoull(line, NULL, 16);
        double value;
        char text[MLIA_NUMBER_TEXT_SIZE];
        memcpy(&value, &bits, sizeof value);
        mlia_number_text(value, text);
        puts(text);
    }
    return 0;
}

static int print_faults(mlia_arena *arena, mlia_str text, bool strict)
{
    mlia_faults faults = {.arena = arena};
    mlia_status *status = mlia_document_validate(text, strict, arena, NULL, &faults);
    if (status != NULL)
        return fail(status);
    for (size_t i = 0; i < faults.count; i++)
        printf("%s: %.*s: %.*s\n", faults.items[i].rule, MLIA_STR_ARG(faults.items[i].path),
               MLIA_STR_ARG(faults.items[i].text));
    return faults.total > 0;
}

static int write_out(const mlia_document *document)
{
    mlia_buffer buffer = {0};
    mlia_document_write(document, &buffer);
    fwrite(buffer.data, 1, buffer.size, stdout);
    mlia_buffer_free(&buffer);
    return 0;
}

static int postprocess(mlia_arena *arena, mlia_document *document, int count, char **arguments)
{
    mlia_str globs[8];
    mlia_collapse_rule rule = {.globs = globs};
    mlia_collapse_rules rules = {&rule, 0};
    if (count >= 3) {
        rule.kind = mlia_str_from_c(arguments[0]);
        rule.attribute = mlia_str_from_c(arguments[1]);
        for (int i = 2; i < count && i < 10; i++)
            globs[rule.glob_count++] = mlia_str_from_c(arguments[i]);
        rules.count = 1;
    }
    mlia_diagnostics diagnostics = {.arena = arena};
    for (size_t i = 0; i < document->results.count; i++) {
        mlia_status *status =
            mlia_result_postprocess(arena, &rules, &diagnostics, &document->results.items[i]);
        if (status != NULL)
            return fail(status);
    }
    for (size_t i = 0; i < diagnostics.count; i++)
        fprintf(stderr, "%s: %.*s\n", mlia_kind_name(diagnostics.items[i].kind),
                MLIA_STR_ARG(diagnostics.items[i].message));
    return write_out(document);
}

/* One OPTION=VALUE of a rendering; false when there is no such option. */
static bool set_option(mlia_render_options *options, mlia_str *groups, mlia_str *hidden, mlia_str option)
{
    size_t equals = mlia_str_find(option, '=');
    mlia_str name = mlia_str_slice(option, 0, equals);
    mlia_str value = mlia_str_slice(option, equals == SIZE_MAX ? equals : equals + 1, SIZE_MAX);
    int64_t number = 0;
    (void)mlia_str_to_i64(value, &number);
    bool *flags[] = {&options->color, &options->true_color, &options->light, &options->ascii};
    static const char *const names[] = {"color", "true_color", "light", "ascii"};
    for (size_t i = 0; i < 4; i++)
        if (mlia_str_equal_c(name, names[i])) {
            *flags[i] = number != 0;
            return true;
        }
    if (mlia_str_equal_c(name, "width"))
        options->width = (unsigned)number;
    else if (mlia_str_equal_c(name, "top"))
        options->top = (size_t)number;
    else if (mlia_str_equal_c(name, "group") && options->group_count < 8)
        groups[options->group_count++] = value;
    else if (mlia_str_equal_c(name, "hide") && options->hidden_count < 8)
        hidden[options->hidden_count++] = value;
    else
        return false;
    return true;
}

static int render(const mlia_document *document, int count, char **arguments)
{
    mlia_str groups[8];
    mlia_str hidden[8];
    mlia_render_options options = {.top = 20, .group_by = groups, .hidden_advice = hidden};
    for (int i = 1; i < count; i++)
        if (!set_option(&options, groups, hidden, mlia_str_from_c(arguments[i])))
            return 2;
    mlia_buffer buffer = {0};
    mlia_status *status =
        mlia_render(document, mlia_str_from_c(count > 0 ? arguments[0] : ""), &options, &buffer);
    if (status == NULL)
        fwrite(buffer.data, 1, buffer.size, stdout);
    mlia_buffer_free(&buffer);
    return status == NULL ? 0 : fail(status);
}

static int run(mlia_arena *arena, int count, char **arguments)
{
    const char *verb = arguments[0];
    bool strict = count > 2 && strcmp(arguments[1], "--strict") == 0;
    mlia_file *file;
    mlia_status *status = mlia_file_read(arguments[strict ? 2 : 1], (size_t)1 << 30, &file);
    if (status != NULL)
        return fail(status);
    mlia_bytes bytes = mlia_file_bytes(file);
    mlia_str text = {(const char *)bytes.data, bytes.size};
    int result = 1;
    if (strcmp(verb, "validate") == 0) {
        result = print_faults(arena, text, strict);
    } else {
        mlia_document *document;
        status = mlia_document_read(text, arena, NULL, NULL, &document);
        if (status != NULL)
            result = fail(status);
        else if (strcmp(verb, "postprocess") == 0)
            result = postprocess(arena, document, count - 2, arguments + 2);
        else if (strcmp(verb, "render") == 0)
            result = render(document, count - 2, arguments + 2);
        else
            result = write_out(document);
    }
    mlia_file_free(file);
    return result;
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "numbers") == 0)
        return print_numbers();
    if (count < 3)
        return 2;
    mlia_arena *arena = mlia_arena_new(0);
    int result = run(arena, count - 1, arguments + 1);
    mlia_arena_free(arena);
    return result;
}
