/* What text and bytecode have in common before it becomes a graph: types, attributes, operations, and the
 * context that errors need. Everything lives in the arena of the context or views into the file. */
#ifndef MLIA_FORMATS_MLIR_IR_H
#define MLIA_FORMATS_MLIR_IR_H

#include "base/bytes.h"
#include "base/file.h"
#include "base/map.h"
#include "graph/graph.h"

enum {
    MLIA_MLIR_DEPTH_LIMIT = 192,        /* nesting of attributes, types and locations: an alias takes three */
    MLIA_MLIR_REGION_LIMIT = 256,       /* nesting of regions: MAX_NESTING of level "none" */
    MLIA_MLIR_TEXT_LIMIT = 1024 * 1024, /* bytes of one location text */
};

/* Kinds of faults; the format decides between E_MLIR_* and E_MLIRBC_*. */
typedef enum mlia_mlir_fault {
    MLIA_MLIR_SYNTAX, /* bytecode: SCHEMA */
    MLIA_MLIR_ENUM,
    MLIA_MLIR_ATTRIBUTE,
    MLIA_MLIR_DANGLING,
    MLIA_MLIR_DUPLICATE,
    MLIA_MLIR_CYCLE,
    MLIA_MLIR_DATA,
    MLIA_MLIR_TYPE,
    MLIA_MLIR_UTF8,
    MLIA_MLIR_EMPTY,
    MLIA_MLIR_UNSUPPORTED,
    MLIA_MLIR_LIMIT,
    MLIA_MLIR_TRUNCATED, /* text: SYNTAX */
    MLIA_MLIR_OFFSET,    /* text: SYNTAX */
    MLIA_MLIR_FAULT_COUNT,
} mlia_mlir_fault;

typedef struct mlia_mlir_context {
    mlia_arena *arena;
    mlia_diagnostics *diagnostics;
    mlia_bytes file;
    const mlia_file
        *mapping; /* where `file` comes from, or NULL: parts that were read need not stay in memory */
    bool bytecode;
    mlia_map tensor_types; /* "<2x3xi8>" → index into `tensor_items`: files have few types, used many times */
    const struct mlia_mlir_type **tensor_items;
    size_t tensor_count;
    size_t tensor_capacity;
    size_t location_budget; /* bytes of expanded location text still allowed: aliases can multiply */
} mlia_mlir_context;

/* New error at `position`, a pointer into the file (NULL: no place): line and column in text, byte offset in
 * bytecode. */
mlia_status *mlia_mlir_error(const mlia_mlir_context *context, mlia_mlir_fault fault, const void *position,
                             const char *format, ...) __attribute__((format(printf, 4, 5), returns_nonnull));

typedef enum mlia_mlir_type_kind {
    MLIA_MLIR_TYPE_ELEMENT, /* i8, f32, index … */
    MLIA_MLIR_TYPE_TENSOR,
    MLIA_MLIR_TYPE_SHAPE, /* !tosa.shape<N>: rank = N */
    MLIA_MLIR_TYPE_FUNCTION,
    MLIA_MLIR_TYPE_OPAQUE, /* anything else; `text` spells it */
    MLIA_MLIR_TYPE_ANY,    /* result of an operation in a foreign spelling: equals every type */
} mlia_mlir_type_kind;

typedef struct mlia_mlir_type {
    uint8_t kind;       /* mlia_mlir_type_kind */
    uint8_t element;    /* mlia_type; UNKNOWN when TOSA does not have it (f64, i2): `text` spells it */
    uint8_t signedness; /* 0 signless, 1 signed, 2 unsigned */
    bool unranked;
    uint32_t rank;
    uint32_t input_count; /* functions */
    uint32_t result_count;
    const int64_t *dims;
    const struct mlia_mlir_type *const *inputs;
    const struct mlia_mlir_type *const *results;
    mlia_str text;
} mlia_mlir_type;

typedef enum mlia_mlir_attribute_kind {
    MLIA_MLIR_UNIT,
    MLIA_MLIR_INTEGER, /* true and false too: type i1 */
    MLIA_MLIR_FLOAT,   /* `element`: one element of `type` */
    MLIA_MLIR_STRING,
    MLIA_MLIR_SYMBOL,
    MLIA_MLIR_KEYWORD, /* IGNORE, #tosa.nan_mode<IGNORE> */
    MLIA_MLIR_TYPE_ATTRIBUTE,
    MLIA_MLIR_DENSE, /* `constant` of tensor `type` */
    MLIA_MLIR_ARRAY, /* array<i64: …>: `integers` */
    MLIA_MLIR_LIST,  /* `items` */
    MLIA_MLIR_DICTIONARY,
    MLIA_MLIR_LOCATION, /* `text` without loc( ) */
    MLIA_MLIR_OPAQUE,   /* legal, but nothing that TOSA uses */
} mlia_mlir_attribute_kind;

typedef struct mlia_mlir_attribute {
    mlia_mlir_attribute_kind kind;
    uint32_t count;
    const mlia_mlir_type *type;
    union {
        int64_t integer;
        uint64_t element; /* bit pattern */
        mlia_constant constant;
        const int64_t *integers;
        const struct mlia_mlir_attribute *const *items;
        const struct mlia_mlir_named *members;
    } as;
    mlia_str text; /* STRING, SYMBOL, KEYWORD, LOCATION */
} mlia_mlir_attribute;

typedef struct mlia_mlir_named {
    mlia_str name;
    const mlia_mlir_attribute *value;
} mlia_mlir_named;

/* A growing list of named attributes: the dictionary of one operation. */
typedef struct mlia_mlir_dictionary {
    mlia_mlir_named *items;
    size_t count;
    size_t capacity;
} mlia_mlir_dictionary;

/* Value of the attribute `name`, or NULL. */
const mlia_mlir_attribute *mlia_mlir_get(const mlia_mlir_dictionary *dictionary, mlia_str name);
/* The same with the condition that it is of `kind`; NULL when it is of another. */
const mlia_mlir_attribute *mlia_mlir_get_kind(const mlia_mlir_dictionary *dictionary, mlia_str name,
                                              mlia_mlir_attribute_kind kind);

/* Same type; encodings of tensors do not count, ANY equals everything. */
bool mlia_mlir_type_equal(const mlia_mlir_type *a, const mlia_mlir_type *b);
/* Spelling for messages: "tensor<1x?xi8>". */
mlia_str mlia_mlir_type_text(mlia_arena *arena, const mlia_mlir_type *type);
/* Fills `type` for the spelling of a scalar ("i8", "ui16", "f32", "index", "f64"); false when there is no
 * such scalar in MLIR. */
bool mlia_mlir_scalar(mlia_str text, mlia_mlir_type *type);
/* Number of elements of a tensor type; false when a dimension is unknown or the product overflows. */
bool mlia_mlir_type_elements(const mlia_mlir_type *type, uint64_t *count);

/* Appends `text` in quotes, with the escapes of MLIR. */
void mlia_mlir_quote(mlia_buffer *buffer, mlia_str text);

#endif
