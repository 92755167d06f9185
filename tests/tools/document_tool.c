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
