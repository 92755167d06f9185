/* The bytecode reader: container and tables (bytecode.c), attributes, types and locations
 * (bytecode_attribute.c, bytecode_type.c, bytecode_location.c), properties (bytecode_properties.c),
 * operations (bytecode_operation.c). Everything that does not add up is refused with the byte offset. */
#ifndef MLIA_FORMATS_MLIR_BYTECODE_H
#define MLIA_FORMATS_MLIR_BYTECODE_H

#include "formats/mlir/attribute.h"
#include "formats/mlir/builder.h"

enum { MLIA_MLIR_BYTECODE_VERSION = 6 }; /* newest that is known */

/* Sections by number. */
typedef enum mlia_mlir_section {
    MLIA_MLIR_STRINGS,
    MLIA_MLIR_DIALECTS,
    MLIA_MLIR_ENTRIES, /* attributes and types */
    MLIA_MLIR_ENTRY_OFFSETS,
    MLIA_MLIR_IR,
    MLIA_MLIR_RESOURCES,
    MLIA_MLIR_RESOURCE_OFFSETS,
    MLIA_MLIR_DIALECT_VERSIONS,
    MLIA_MLIR_PROPERTIES,
    MLIA_MLIR_SECTION_COUNT,
} mlia_mlir_section;

/* One encoded attribute or type. */
typedef struct mlia_mlir_entry {
    mlia_bytes bytes;
    uint32_t dialect;
    bool custom; /* else zero-terminated MLIR text */
    bool busy;   /* being decoded */
    const mlia_mlir_attribute *attribute;
    const mlia_mlir_type *type;
} mlia_mlir_entry;

typedef struct mlia_mlir_bytecode {
    mlia_mlir_context context;
    mlia_mlir_builder builder;
    uint32_t version;
    mlia_bytes sections[MLIA_MLIR_SECTION_COUNT];
    bool present[MLIA_MLIR_SECTION_COUNT];
    mlia_str *strings;
    uint32_t string_count;
    mlia_str *dialects;
    uint32_t dialect_count;
    mlia_str *names; /* of operations */
    size_t name_count;
    size_t name_capacity;
    mlia_mlir_entry *attributes;
    uint32_t attribute_count;
    mlia_mlir_entry *types;
    uint32_t type_count;
    mlia_bytes *blobs; /* by resource handle; data NULL when declared without data */
    size_t blob_count;
    size_t blob_capacity;
    mlia_bytes *properties;
    uint32_t property_count;
    uint32_t depth; /* nesting of attributes and types */
} mlia_mlir_bytecode;

/* Reading with bounds checks; a failure is E_MLIRBC_TRUNCATED at the place. */
mlia_status *mlia_mlir_read_byte(const mlia_mlir_bytecode *file, mlia_reader *reader, uint8_t *value);
mlia_status *mlia_mlir_read_number(const mlia_mlir_bytecode *file, mlia_reader *reader, uint64_t *value);
mlia_status *mlia_mlir_read_signed(const mlia_mlir_bytecode *file, mlia_reader *reader, int64_t *value);
/* A number below `limit`; E_MLIRBC_OFFSET names `what`. */
mlia_status *mlia_mlir_read_index(const mlia_mlir_bytecode *file, mlia_reader *reader, uint64_t limit,
                                  const char *what, uint32_t *value);
/* A count of things that take at least one byte each. E_MLIRBC_TRUNCATED. */
mlia_status *mlia_mlir_read_count(const mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t *count);
/* The same with a flag in the lowest bit. */
mlia_status *mlia_mlir_read_flagged(const mlia_mlir_bytecode *file, mlia_reader *reader, uint64_t *value,
                                    bool *flag);
mlia_status *mlia_mlir_read_blob(const mlia_mlir_bytecode *file, mlia_reader *reader, uint64_t size,
                                 mlia_bytes *bytes);
mlia_status *mlia_mlir_read_section(const mlia_mlir_bytecode *file, mlia_reader *reader, uint8_t *id,
                                    mlia_bytes *bytes);
/* Passes padding 0xCB up to a multiple of `alignment` in the file. */
mlia_status *mlia_mlir_read_padding(const mlia_mlir_bytecode *file, mlia_reader *reader, uint64_t alignment);
mlia_status *mlia_mlir_read_end(const mlia_mlir_bytecode *file, const mlia_reader *reader, const char *what);

/* Error at the reader's place. */
mlia_status *mlia_mlir_reader_error(const mlia_mlir_bytecode *file, mlia_mlir_fault fault,
                                    const mlia_reader *reader, const char *what)
    __attribute__((returns_nonnull));

/* Attribute or type by its index, decoded on first use. */
mlia_status *mlia_mlir_attribute_at(mlia_mlir_bytecode *file, uint64_t index,
                                    const mlia_mlir_attribute **attribute);
mlia_status *mlia_mlir_type_at(mlia_mlir_bytecode *file, uint64_t index, const mlia_mlir_type **type);
/* The same with the index read first. */
mlia_status *mlia_mlir_read_attribute(mlia_mlir_bytecode *file, mlia_reader *reader,
                                      const mlia_mlir_attribute **attribute);
mlia_status *mlia_mlir_read_type(mlia_mlir_bytecode *file, mlia_reader *reader, const mlia_mlir_type **type);
mlia_status *mlia_mlir_read_string(const mlia_mlir_bytecode *file, mlia_reader *reader, mlia_str *text);

/* An attribute that must be a string. */
mlia_status *mlia_mlir_read_string_attribute(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_str *text);

/* Codes of locations among the attributes of the builtin dialect. */
enum {
    MLIA_MLIR_CODE_CALLSITE = 10,
    MLIA_MLIR_CODE_FILE = 11,
    MLIA_MLIR_CODE_FUSED = 12,
    MLIA_MLIR_CODE_FUSED_METADATA = 13,
    MLIA_MLIR_CODE_NAME = 14,
    MLIA_MLIR_CODE_UNKNOWN = 15,
    MLIA_MLIR_CODE_RANGE = 22,
};

/* Bodies of entries of the builtin dialect: a type from its code on, a location behind its code. */
mlia_status *mlia_mlir_read_builtin_type(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_mlir_type *type);
mlia_status *mlia_mlir_read_location(mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t code,
                                     mlia_mlir_attribute *out);

/* Properties of an operation, an index into their section, added to its attributes. */
mlia_status *mlia_mlir_read_properties(mlia_mlir_bytecode *file, mlia_reader *reader,
                                       mlia_mlir_operation *operation);

/* Appends to the attributes of an operation. */
mlia_status *mlia_mlir_add_attribute(mlia_mlir_bytecode *file, mlia_mlir_dictionary *dictionary,
                                     mlia_str name, const mlia_mlir_attribute *value);

/* The module in section IR. */
mlia_status *mlia_mlir_read_module(mlia_mlir_bytecode *file);

#endif
