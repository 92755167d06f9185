/* The text reader: module and functions (text.c), operations and regions (text_operation.c). */
#ifndef MLIA_FORMATS_MLIR_TEXT_H
#define MLIA_FORMATS_MLIR_TEXT_H

#include "formats/mlir/attribute.h"
#include "formats/mlir/builder.h"

/* Values that one name stands for: "%0:2" names two. */
typedef struct mlia_mlir_binding {
    mlia_str name;
    uint32_t first;
    uint32_t count;
    bool visible; /* false after the region that defined it has ended */
} mlia_mlir_binding;

/* A growing list of tokens: names of operands, results, arguments. */
typedef struct mlia_mlir_tokens {
    mlia_mlir_token *items;
    uint32_t *counts; /* results: values behind each name */
    size_t count;
    size_t capacity;
    size_t count_capacity;
} mlia_mlir_tokens;

typedef struct mlia_mlir_text_reader {
    mlia_mlir_context context;
    mlia_mlir_outline outline;
    mlia_mlir_lexer lexer;
    mlia_mlir_builder builder;
    mlia_map names; /* → index into `bindings` */
    mlia_mlir_binding *bindings;
    size_t binding_count;
    size_t binding_capacity;
    const char *line_start; /* of the last place asked for */
    const char *line_scan;  /* text before this has been searched for ends of lines */
    size_t line_blob;       /* first blob of the outline behind line_scan */
    uint32_t line;
    mlia_mlir_dictionary module;    /* attributes of the module */
    mlia_mlir_tokens spare_results; /* empty lists with memory for the next operation */
    mlia_mlir_tokens spare_operands;
    mlia_mlir_dictionary spare_attributes;
} mlia_mlir_text_reader;

/* Arguments of a function or block. */
typedef struct mlia_mlir_arguments {
    mlia_mlir_tokens names;
    const mlia_mlir_type **types;
    size_t count;
    size_t capacity;
} mlia_mlir_arguments;

/* An operation as it stands in the text: operands are names, regions are places. */
typedef struct mlia_mlir_text_operation {
    mlia_mlir_operation base;
    mlia_mlir_tokens results;
    mlia_mlir_tokens operands;
    const mlia_mlir_type *const *operand_types; /* NULL: nothing to compare */
    uint32_t operand_type_count;
    const char *regions[2];       /* the '{' of the first two regions */
    mlia_mlir_tokens entry_names; /* pretty COND_IF and WHILE_LOOP: names inside the regions */
} mlia_mlir_text_operation;

/* "name"(operands) <{…}> ({…}) {…} : (…) -> … loc(…) at the name. */
mlia_status *mlia_mlir_parse_generic(mlia_mlir_text_reader *reader, mlia_mlir_text_operation *operation);

/* "^bb0(%a: T loc(…), …):" if it is there. `*labelled` tells. */
mlia_status *mlia_mlir_parse_label(mlia_mlir_text_reader *reader, mlia_mlir_arguments *arguments,
                                   bool *labelled);

/* "%a: T {…} loc(…), …" up to and including ')'; the dictionaries go to `attributes` when it is not NULL. A
 * name may be missing when `declaration` is true. */
mlia_status *mlia_mlir_parse_arguments(mlia_mlir_text_reader *reader, mlia_mlir_arguments *arguments,
                                       mlia_mlir_attribute **attributes, bool declaration);

/* Operations up to the '}' of the region; the last one must be a terminator. `result_types` are those of the
 * function; NULL in other regions. */
mlia_status *mlia_mlir_parse_block(mlia_mlir_text_reader *reader, const mlia_mlir_type *const *result_types,
                                   uint32_t result_count);

/* Makes `count` values from `first` on known as `name`. E_MLIR_DUPLICATE. */
mlia_status *mlia_mlir_bind(mlia_mlir_text_reader *reader, const mlia_mlir_token *name, uint32_t first,
                            uint32_t count);

mlia_status *mlia_mlir_push_token(mlia_mlir_text_reader *reader, mlia_mlir_tokens *tokens, uint32_t count);

#endif
