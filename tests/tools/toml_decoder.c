/* Reads TOML from standard input and prints it as the tagged JSON of the public toml-test suite; exit status
 * 1 with a message on invalid text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "formats/toml/toml.h"

static void print_string(mlia_str text)
{
    putchar('"');
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte < 0x20 || byte == '"' || byte == '\\')
            printf("\\u%04x", byte);
        else
            putchar(byte);
    }
    putchar('"');
}

static void print_tagged(const char *type, mlia_str text)
{
    printf("{\"type\": \"%s\", \"value\": ", type);
    print_string(text);
    putchar('}');
}

static void print_number(double number)
{
    char text[64];
    int size =
        isnan(number) ? snprintf(text, sizeof text, "nan") : snprintf(text, sizeof text, "%.17g", number);
    print_tagged("float", (mlia_str){text, (size_t)size});
}

static void print_integer(int64_t integer)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%lld", (long long)integer);
    print_tagged("integer", (mlia_str){text, (size_t)size});
}

static void print_value(const mlia_toml *value)
{
    static const char *const tags[] = {
        [MLIA_TOML_STRING] = "string",
        [MLIA_TOML_DATETIME] = "datetime",
        [MLIA_TOML_DATETIME_LOCAL] = "datetime-local",
        [MLIA_TOML_DATE_LOCAL] = "date-local",
        [MLIA_TOML_TIME_LOCAL] = "time-local",
    };
    switch (value->type) {
    case MLIA_TOML_INTEGER:
        print_integer(value->as.integer);
        break;
    case MLIA_TOML_FLOAT:
        print_number(value->as.number);
        break;
    case MLIA_TOML_BOOL:
        print_tagged("bool", value->as.boolean ? MLIA_STR("true") : MLIA_STR("false"));
        break;
    case MLIA_TOML_ARRAY:
        putchar('[');
        for (size_t i = 0; i < value->count; i++) {
            fputs(i ? ", " : "", stdout);
            print_value(value->items[i]);
        }
        putchar(']');
        break;
    case MLIA_TOML_TABLE:
        putchar('{');
        for (size_t i = 0; i < value->count; i++) {
            fputs(i ? ", " : "", stdout);
            print_string(value->members[i].key);
            fputs(": ", stdout);
            print_value(value->members[i].value);
        }
        putchar('}');
        break;
    default:
        print_tagged(tags[value->type], value->as.text);
    }
}

int main(void)
{
    mlia_file *file = NULL;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_toml *root;
    mlia_str text = MLIA_STR("");
    mlia_status *status = mlia_file_open("-", &file);
    if (status == NULL)
        text = (mlia_str){(const char *)mlia_file_bytes(file).data, mlia_file_bytes(file).size};
    else if (mlia_status_kind(status) == MLIA_E_EMPTY) {
        mlia_status_free(status);
        status = NULL;
    }
    if (status == NULL)
        status = mlia_toml_read(arena, text, MLIA_E_CONFIG, &root);
    if (status == NULL)
        print_value(root);
    else
        fprintf(stderr, "%u:%u: %.*s\n", mlia_status_line(status), mlia_status_column(status),
                MLIA_STR_ARG(mlia_status_message(status)));
    int exit_status = status != NULL;
    mlia_status_free(status);
    mlia_file_free(file);
    mlia_arena_free(arena);
    return exit_status;
}
