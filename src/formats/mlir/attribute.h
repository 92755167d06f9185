/* Parsing types, attributes, constants and locations from MLIR text. Used by the text reader, and by the
 * bytecode reader for the attributes and types that bytecode holds as text. */
#ifndef MLIA_FORMATS_MLIR_ATTRIBUTE_H
#define MLIA_FORMATS_MLIR_ATTRIBUTE_H

#include "formats/mlir/lexer.h"

/* Each of these starts at the current token and ends behind what it has read. */
mlia_status *mlia_mlir_parse_type(mlia_mlir_lexer *lexer, const mlia_mlir_type **type);
mlia_status *mlia_mlir_parse_attribute(mlia_mlir_lexer *lexer, const mlia_mlir_attribute **attribute);
/* "{name = value, …}" at '{'; the entries are appended. */
mlia_status *mlia_mlir_parse_dictionary(mlia_mlir_lexer *lexer, mlia_mlir_dictionary *dictionary);
/* "T", "(T, …)": result types of functions and operations. */
mlia_status *mlia_mlir_parse_results(mlia_mlir_lexer *lexer, const mlia_mlir_type *const **types,
                                     uint32_t *count);
/* "(T, …) -> …" at '(', into `function` or as a type of its own. */
mlia_status *mlia_mlir_parse_signature(mlia_mlir_lexer *lexer, mlia_mlir_type *function);
mlia_status *mlia_mlir_parse_function_type(mlia_mlir_lexer *lexer, const mlia_mlir_type **type);
/* "loc(…)" at `loc`: canonical text with "loc(" and ")", aliases resolved; empty for loc(unknown). */
mlia_status *mlia_mlir_parse_location(mlia_mlir_lexer *lexer, mlia_str *text);
/* The same when a location is there, else an empty text. */
mlia_status *mlia_mlir_parse_optional_location(mlia_mlir_lexer *lexer, mlia_str *text);
/* dense<…> and dense_resource<…> at the word. */
mlia_status *mlia_mlir_parse_dense(mlia_mlir_lexer *lexer, mlia_mlir_attribute *attribute);

/* The alias that a HASH or BANG token names (`sigil` included in the search); NULL when there is none. */
mlia_mlir_alias *mlia_mlir_find_alias(const mlia_mlir_lexer *lexer);

/* True when `text` is "loc(…)" and nothing else. */
bool mlia_mlir_location_valid(mlia_arena *arena, mlia_str text);

/* A location text that was just written: checks its size and the budget, gives a copy in the arena. Ends the
 * life of `buffer`. */
mlia_status *mlia_mlir_keep_location(mlia_mlir_context *context, const void *position, mlia_buffer *buffer,
                                     mlia_str *text);

/* New attribute in the arena; NULL when out of memory. */
mlia_mlir_attribute *mlia_mlir_new_attribute(mlia_arena *arena, mlia_mlir_attribute attribute);

#endif
