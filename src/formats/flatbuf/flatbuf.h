/* FlatBuffers without generated code: a table of fields describes the schema; one verifier, a handful of
 * accessors and one builder serve every format that is a FlatBuffer (TOSA, TFLite, VGF sections, ExecuTorch).
 *
 * Reading: mlia_flatbuf_open (size, identifier, root), mlia_flatbuf_verify (everything the schema can reach),
 * then the accessors. An accessor checks its own bounds as well and answers "absent" where a broken file
 * leads outside, so that a forgotten verification can cost correctness but never safety. A newer file's
 * fields beyond the schema are ignored.
 *
 * Refused by the verifier, with path ("regions[0].blocks[2].name") and byte offset: whatever leads outside of
 * the bytes, offset 0, a vtable shorter than 4 bytes or of odd size, a field outside of its table, a string
 * without its zero byte or not in UTF-8, an absent required field, nesting above 64, and files that make a
 * reader visit far more than their size justifies by pointing to the same table or string many times.
 *
 * Source of the encoding: https://flatbuffers.dev/internals/ ; docs/formats/tosa-flatbuffers.md.
 */
#ifndef MLIA_FORMATS_FLATBUF_FLATBUF_H
#define MLIA_FORMATS_FLATBUF_FLATBUF_H

#include "base/bytes.h"
#include "base/diagnostics.h"

/* ---- schema ---- */

typedef enum mlia_flatbuf_type {
    MLIA_FLATBUF_SKIPPED, /* a field that is never looked at (deprecated, or of no use) */
    MLIA_FLATBUF_BOOL,
    MLIA_FLATBUF_I8,
    MLIA_FLATBUF_U8,
    MLIA_FLATBUF_I16,
    MLIA_FLATBUF_U16,
    MLIA_FLATBUF_I32,
    MLIA_FLATBUF_U32,
    MLIA_FLATBUF_I64,
    MLIA_FLATBUF_U64,
    MLIA_FLATBUF_F32,
    MLIA_FLATBUF_F64,
    MLIA_FLATBUF_STRING,
    MLIA_FLATBUF_TABLE, /* `table` */
    MLIA_FLATBUF_UNION, /* `members`; the field before it is the tag, of type U8 */
} mlia_flatbuf_type;

/* Bytes of a scalar in a table or vector; 4 (an offset) for strings, tables and unions. */
uint8_t mlia_flatbuf_type_size(mlia_flatbuf_type type);

typedef struct mlia_flatbuf_schema mlia_flatbuf_schema;

/* One field of a table. Its id is its position in mlia_flatbuf_schema.fields. */
typedef struct mlia_flatbuf_field {
    const char *name;
    mlia_flatbuf_type type;
    bool is_vector;
    bool is_required;
    int64_t initial;    /* default of an integer or BOOL (U64: same bits); floats default to 0 */
    uint32_t max_count; /* entries that a vector may have; 0 = as many as fit */
    const mlia_flatbuf_schema *table;          /* TABLE */
    const mlia_flatbuf_schema *const *members; /* UNION: schema by tag, NULL for unknown tags and 0 */
    uint32_t member_count;
} mlia_flatbuf_field;

struct mlia_flatbuf_schema {
    const char *name;
    const mlia_flatbuf_field *fields;
    uint32_t field_count; /* at most MLIA_FLATBUF_FIELD_LIMIT for tables that are built */
};

enum { MLIA_FLATBUF_FIELD_LIMIT = 32, MLIA_FLATBUF_DEPTH_LIMIT = 64 };

/* Initialiser of a schema from an array of fields. */
#define MLIA_FLATBUF_SCHEMA(table_name, field_array)                                                         \
    {                                                                                                        \
        .name = (table_name), .fields = (field_array),                                                       \
        .field_count = sizeof(field_array) / sizeof(*(field_array))                                          \
    }

/* ---- reading ---- */

typedef enum mlia_flatbuf_flag {
    MLIA_FLATBUF_ALIGNED = 1,  /* tables, scalars, lengths and offsets must be aligned from the start of the
                                  bytes (elements of vectors need not be) */
    MLIA_FLATBUF_LOOSE_64 = 2, /* … but a misaligned 8-byte scalar is only a warning */
    MLIA_FLATBUF_LOOSE_STRINGS = 4, /* a missing zero byte behind a string is only a warning */
    MLIA_FLATBUF_ANY_TEXT = 8,      /* strings may hold any bytes */
    MLIA_FLATBUF_UNION_PAIRS = 16,  /* the value of a union must be present when its tag is not 0 and absent
                                       when  it is (its offset may never be 0 in any case) */
} mlia_flatbuf_flag;

/* What a format demands, and the kinds of its errors. */
typedef struct mlia_flatbuf_rules {
    const char *identifier; /* 4 characters at byte 4, or NULL when the format has none */
    unsigned flags;         /* of mlia_flatbuf_flag */
    size_t table_limit;     /* tables reached, each time it is reached; 0 = no own limit */
    mlia_kind short_kind;   /* too small for root offset and identifier */
    mlia_kind identifier_kind;
    mlia_kind offset_kind; /* the encoding is broken */
    mlia_kind missing_kind;
    mlia_kind text_kind;
    mlia_kind limit_kind;
    mlia_kind warning_kind; /* for the LOOSE flags */
} mlia_flatbuf_rules;

/* An opened buffer; must live as long as the tables taken from it. */
typedef struct mlia_flatbuf {
    mlia_bytes bytes;
    const mlia_flatbuf_rules *rules;
    size_t root;
} mlia_flatbuf;

/* A table, or an absent one (position 0), of which every field is absent. Passed by value. */
typedef struct mlia_flatbuf_table {
    const mlia_flatbuf *buffer;
    const mlia_flatbuf_schema *schema;
    size_t position;
    size_t vtable;
} mlia_flatbuf_table;

/* A vector, or an absent one (count 0). */
typedef struct mlia_flatbuf_vector {
    const mlia_flatbuf *buffer;
    const mlia_flatbuf_field *field;
    size_t position; /* of the first element */
    size_t count;
} mlia_flatbuf_vector;

/* Checks size, identifier and the root's position. `rules` must live as long as `buffer`. */
mlia_status *mlia_flatbuf_open(mlia_bytes bytes, const mlia_flatbuf_rules *rules, mlia_flatbuf *buffer);

/* Checks everything that `schema` can reach from the root. Can be called first with a smaller schema (say,
 * the version alone) and then with the whole one. Visits at most 4 × size vector entries (every 8 bytes of a
 * string, or of a vector of numbers wider than a byte, count as one): readers may copy those they read.
 * Warnings go to `diagnostics` (may be NULL). */
mlia_status *mlia_flatbuf_verify(const mlia_flatbuf *buffer, const mlia_flatbuf_schema *schema,
                                 mlia_diagnostics *diagnostics);

mlia_flatbuf_table mlia_flatbuf_root(const mlia_flatbuf *buffer, const mlia_flatbuf_schema *schema);

static inline bool mlia_flatbuf_exists(mlia_flatbuf_table table)
{
    return table.position != 0;
}

/* True when the field is stored (also with its default value). */
bool mlia_flatbuf_has(mlia_flatbuf_table table, uint32_t field);
/* Byte offset of the stored field's value; of the string, vector or table for fields that refer to one. The
 * table's own position when it is absent: the place to name in a message. */
size_t mlia_flatbuf_offset(mlia_flatbuf_table table, uint32_t field);

/* Value of an integer or BOOL field of any width (U64: same bits), the default when absent. The others are
 * the same for callers that know the width. */
int64_t mlia_flatbuf_integer(mlia_flatbuf_table table, uint32_t field);
double mlia_flatbuf_real(mlia_flatbuf_table table, uint32_t field); /* F32, F64 */

static inline bool mlia_flatbuf_bool(mlia_flatbuf_table table, uint32_t field)
{
    return mlia_flatbuf_integer(table, field) != 0;
}
static inline uint8_t mlia_flatbuf_u8(mlia_flatbuf_table table, uint32_t field)
{
    return (uint8_t)mlia_flatbuf_integer(table, field);
}
static inline int32_t mlia_flatbuf_i32(mlia_flatbuf_table table, uint32_t field)
{
    return (int32_t)mlia_flatbuf_integer(table, field);
}
static inline uint32_t mlia_flatbuf_u32(mlia_flatbuf_table table, uint32_t field)
{
    return (uint32_t)mlia_flatbuf_integer(table, field);
}
static inline uint64_t mlia_flatbuf_u64(mlia_flatbuf_table table, uint32_t field)
{
    return (uint64_t)mlia_flatbuf_integer(table, field);
}

/* Text of a STRING field, a view into the bytes; data is NULL when absent. */
mlia_str mlia_flatbuf_string(mlia_flatbuf_table table, uint32_t field);
/* Table of a TABLE or UNION field. A union with an unknown tag gives an absent table. */
mlia_flatbuf_table mlia_flatbuf_child(mlia_flatbuf_table table, uint32_t field);
mlia_flatbuf_vector mlia_flatbuf_list(mlia_flatbuf_table table, uint32_t field);
/* All bytes of a vector of scalars, a view; data is NULL when absent (an empty vector has data). */
mlia_bytes mlia_flatbuf_bytes(mlia_flatbuf_table table, uint32_t field);

/* Elements; `index` must be below `count`. */
int64_t mlia_flatbuf_integer_at(mlia_flatbuf_vector vector, size_t index);
double mlia_flatbuf_real_at(mlia_flatbuf_vector vector, size_t index);
mlia_str mlia_flatbuf_string_at(mlia_flatbuf_vector vector, size_t index);
mlia_flatbuf_table mlia_flatbuf_table_at(mlia_flatbuf_vector vector, size_t index);
/* Byte offset of an element; of the string or table for vectors of those. */
size_t mlia_flatbuf_offset_at(mlia_flatbuf_vector vector, size_t index);

/* ---- building ---- */

/* Distance of an object from the end of the buffer; 0 = none. Objects are made before what refers to them. */
typedef uint32_t mlia_flatbuf_ref;

/* A buffer that grows from its end to its front. The same calls give the same bytes. Failures (no memory,
 * more than 2 GiB) are remembered and told by mlia_flatbuf_finish. */
typedef struct mlia_flatbuf_builder mlia_flatbuf_builder;

mlia_flatbuf_builder *mlia_flatbuf_builder_new(void); /* NULL when out of memory */
void mlia_flatbuf_builder_free(mlia_flatbuf_builder *builder);

mlia_flatbuf_ref mlia_flatbuf_add_string(mlia_flatbuf_builder *builder, mlia_str text);
/* Vector of `count` scalars of `element_size` bytes (1, 2, 4, 8) in the machine's order; the first element is
 * aligned to `alignment` (a power of two up to 16; raised to the element size). */
mlia_flatbuf_ref mlia_flatbuf_add_vector(mlia_flatbuf_builder *builder, const void *elements, size_t count,
                                         size_t element_size, size_t alignment);
/* Vector of strings or tables. */
mlia_flatbuf_ref mlia_flatbuf_add_refs(mlia_flatbuf_builder *builder, const mlia_flatbuf_ref *refs,
                                       size_t count);

/* A table: begin, set fields in any order, end. Only one table is open at a time. A scalar that equals its
 * default and a reference 0 are left out; equal vtables are shared. */
void mlia_flatbuf_begin(mlia_flatbuf_builder *builder, const mlia_flatbuf_schema *schema);
void mlia_flatbuf_set_integer(mlia_flatbuf_builder *builder, uint32_t field, int64_t value);
void mlia_flatbuf_set_real(mlia_flatbuf_builder *builder, uint32_t field, double value);
/* STRING, TABLE, UNION (set the tag as well) or vector. */
void mlia_flatbuf_set_ref(mlia_flatbuf_builder *builder, uint32_t field, mlia_flatbuf_ref ref);
/* Stores a scalar even when it is the default. */
void mlia_flatbuf_force_integer(mlia_flatbuf_builder *builder, uint32_t field, int64_t value);
mlia_flatbuf_ref mlia_flatbuf_end(mlia_flatbuf_builder *builder);

/* Appends the finished buffer to `out`, whose size must be a multiple of 16 (0 for a file of its own).
 * `identifier` is 4 characters or NULL. E_LIMIT above 2 GiB. The builder can only be freed afterwards. */
mlia_status *mlia_flatbuf_finish(mlia_flatbuf_builder *builder, mlia_flatbuf_ref root, const char *identifier,
                                 mlia_buffer *out);

/* The same without a copy: the memory of the builder goes to `arena`, `*bytes` is a view of it. */
mlia_status *mlia_flatbuf_take(mlia_flatbuf_builder *builder, mlia_flatbuf_ref root, const char *identifier,
                               mlia_arena *arena, mlia_bytes *bytes);

#endif
