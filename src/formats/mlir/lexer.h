/* Tokens of MLIR text, and the outline of a file: where brackets close, aliases are defined and resources
 * begin. */
#ifndef MLIA_FORMATS_MLIR_LEXER_H
#define MLIA_FORMATS_MLIR_LEXER_H

#include "formats/mlir/ir.h"

/* Kinds of tokens. A punctuation character is its own kind. */
enum {
    MLIA_MLIR_TOKEN_END = 256,
    MLIA_MLIR_TOKEN_VALUE,  /* %name or %name#3 */
    MLIA_MLIR_TOKEN_BLOCK,  /* ^name */
    MLIA_MLIR_TOKEN_SYMBOL, /* @name; @"name" has a quoted text */
    MLIA_MLIR_TOKEN_HASH,   /* #name */
    MLIA_MLIR_TOKEN_BANG,   /* !name */
    MLIA_MLIR_TOKEN_WORD,
    MLIA_MLIR_TOKEN_INTEGER, /* 12, 0x0C */
    MLIA_MLIR_TOKEN_FLOAT,
    MLIA_MLIR_TOKEN_STRING, /* text without its quotes, escapes not yet decoded */
    MLIA_MLIR_TOKEN_ARROW,
    MLIA_MLIR_TOKEN_COLONS,
    MLIA_MLIR_TOKEN_ELLIPSIS,
};

typedef struct mlia_mlir_token {
    int kind;
    uint32_t result; /* VALUE: number behind '#', else UINT32_MAX */
    mlia_str text;   /* without the sigil */
    const char *begin;
} mlia_mlir_token;

/* An alias definition: #name = …, !name = …. */
typedef struct mlia_mlir_alias {
    const char *begin; /* the sigil of the definition */
    const char *value; /* behind the '=' */
    const char *end;   /* behind the value, once it is resolved */
    bool busy;         /* being resolved */
    const mlia_mlir_type *type;
    const mlia_mlir_attribute *attribute;
} mlia_mlir_alias;

typedef struct mlia_mlir_brace {
    uint64_t open; /* offsets in the file */
    uint64_t close;
} mlia_mlir_brace;

/* A long string "0x…", decoded (hex.h). */
typedef struct mlia_mlir_blob {
    const char *begin; /* the first digit */
    const char *end;   /* the '"' behind the last */
    const uint8_t *bytes;
} mlia_mlir_blob;

/* What one quick pass over the text finds. */
typedef struct mlia_mlir_outline {
    mlia_map alias_names; /* with the sigil → index into `aliases` */
    mlia_mlir_alias *aliases;
    size_t alias_count;
    size_t alias_capacity;
    mlia_mlir_brace *braces; /* ascending by `open` */
    size_t brace_count;
    size_t brace_capacity;
    mlia_mlir_blob *blobs; /* ascending by `begin` */
    size_t blob_count;
    size_t blob_capacity;
    const char *resources;  /* behind "{-#", NULL when there is no resource section */
    mlia_map resource_keys; /* key → index into `resource_blobs`; filled on first use */
    mlia_str *resource_blobs;
    size_t resource_count;
    size_t resource_capacity;
    bool resources_read;
    bool comments; /* there are some */
} mlia_mlir_outline;

typedef struct mlia_mlir_lexer {
    mlia_mlir_context *context;
    mlia_mlir_outline *outline; /* NULL for texts inside bytecode: no aliases, no resources */
    const char *next;           /* first character behind the current token */
    const char *end;
    uint32_t depth; /* nesting of attributes, types and locations */
    mlia_mlir_token token;
} mlia_mlir_lexer;

/* Checks encoding, brackets, strings and comments of the whole text and decodes its blobs. E_MLIR_UTF8,
 * E_MLIR_SYNTAX, E_MLIR_LIMIT, E_MLIR_DUPLICATE. */
mlia_status *mlia_mlir_outline_read(mlia_mlir_context *context, mlia_mlir_outline *outline);
/* The '}' that closes the '{' at `open`; NULL when there is no brace at that place. */
const char *mlia_mlir_closing_brace(const mlia_mlir_context *context, const mlia_mlir_outline *outline,
                                    const char *open);

/* Position behind the string whose '"' stands at `p`, or NULL when it does not end on its line. `outline` may
 * be NULL. */
const char *mlia_mlir_skip_string(const mlia_mlir_outline *outline, const char *p, const char *end);

/* Goes on to the next token. E_MLIR_SYNTAX. */
mlia_status *mlia_mlir_advance(mlia_mlir_lexer *lexer);
/* Goes to `position` and reads the token there. */
mlia_status *mlia_mlir_jump(mlia_mlir_lexer *lexer, const char *position);

static inline bool mlia_mlir_at(const mlia_mlir_lexer *lexer, int kind)
{
    return lexer->token.kind == kind;
}

bool mlia_mlir_at_word(const mlia_mlir_lexer *lexer, const char *word);

/* "expected `what`, found …" at the current token. */
mlia_status *mlia_mlir_expected(const mlia_mlir_lexer *lexer, const char *what)
    __attribute__((returns_nonnull));
/* Consumes a token of `kind`; `what` names it in the message. */
mlia_status *mlia_mlir_expect(mlia_mlir_lexer *lexer, int kind, const char *what);
/* Consumes a token of `kind` if it is there and tells so. */
mlia_status *mlia_mlir_accept(mlia_mlir_lexer *lexer, int kind, bool *accepted);

/* Steps into one more level of nesting, and out again. E_MLIR_LIMIT. */
mlia_status *mlia_mlir_enter(mlia_mlir_lexer *lexer);
static inline void mlia_mlir_leave(mlia_mlir_lexer *lexer)
{
    lexer->depth--;
}

/* Decodes the escapes of a STRING token (or the quoted name of a SYMBOL). The text may be any bytes. */
mlia_status *mlia_mlir_unescape(const mlia_mlir_lexer *lexer, mlia_str raw, mlia_str *text);
/* Value of an INTEGER token as a bit pattern; false when it does not fit 64 bits. */
bool mlia_mlir_parse_integer(mlia_str text, uint64_t *value);

/* The current position is behind a '<': finds the matching '>' (brackets of all kinds and strings are
 * matched). E_MLIR_SYNTAX. */
mlia_status *mlia_mlir_find_angle(const mlia_mlir_lexer *lexer, const char *begin, const char **close);

#endif
