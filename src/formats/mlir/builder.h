/* From operations to the graph: what text and bytecode readers call, in the order of the file. */
#ifndef MLIA_FORMATS_MLIR_BUILDER_H
#define MLIA_FORMATS_MLIR_BUILDER_H

#include "formats/mlir/ir.h"
#include "graph/build.h"

enum { MLIA_MLIR_NO_SSA = -1, MLIA_MLIR_NO_RESULT = -2 };

/* One operation, its operands already looked up. */
typedef struct mlia_mlir_operation {
    mlia_str name;            /* "tosa.add" */
    const uint32_t *operands; /* values as mlia_mlir_use gave them */
    uint32_t operand_count;
    uint32_t result_count;
    const mlia_mlir_type *const *results;
    mlia_mlir_dictionary attributes; /* properties and discardable attributes together */
    mlia_str location;               /* "loc(…)", or empty */
    uint32_t region_count;
    const void *position; /* in the file */
    uint32_t line;
    uint32_t column;
    int64_t ssa; /* decimal name of its only result, MLIA_MLIR_NO_SSA or MLIA_MLIR_NO_RESULT */
} mlia_mlir_operation;

/* Values of an outer block that a region reads: they become inputs of the region and of its operator. */
typedef struct mlia_mlir_captures {
    mlia_map local; /* outer value (4 bytes) → value inside */
    uint32_t *outer;
    size_t count;
    size_t capacity;
} mlia_mlir_captures;

typedef struct mlia_mlir_frame {
    uint32_t block;
    mlia_mlir_captures captures;
} mlia_mlir_frame;

typedef struct mlia_mlir_builder {
    mlia_mlir_context *context;
    mlia_graph *graph;
    const mlia_mlir_type **types; /* of each value of the graph */
    size_t type_capacity;
    mlia_mlir_frame frames[MLIA_MLIR_REGION_LIMIT];
    uint32_t depth;   /* number of frames */
    uint32_t ordinal; /* operations so far: running position */
    int64_t *ssa;     /* of each source */
    size_t ssa_capacity;
    mlia_map locations; /* location text → index of the first source that has it */
    mlia_map variables; /* name → index */
} mlia_mlir_builder;

mlia_status *mlia_mlir_builder_start(mlia_mlir_builder *builder, mlia_mlir_context *context);

/* Variable declaration ("tosa.variable"). */
mlia_status *mlia_mlir_add_variable(mlia_mlir_builder *builder, const mlia_mlir_operation *operation);

/* Opens the main function; the values of its arguments are stored in `arguments`. */
mlia_status *mlia_mlir_begin_function(mlia_mlir_builder *builder, mlia_str name,
                                      const mlia_mlir_type *const *types, uint32_t count, uint32_t *arguments,
                                      const void *position);

/* Adds an operator; the values of its results are stored in `results` (result_count of them), its index in
 * `*index`. */
mlia_status *mlia_mlir_add_operation(mlia_mlir_builder *builder, const mlia_mlir_operation *operation,
                                     uint32_t *results, uint32_t *index);

/* Opens region `number` of operator `index`: what follows belongs to it until mlia_mlir_end_region. */
mlia_status *mlia_mlir_begin_region(mlia_mlir_builder *builder, uint32_t index, uint32_t number,
                                    const mlia_mlir_type *const *types, uint32_t count, uint32_t *arguments,
                                    const void *position);
mlia_status *mlia_mlir_end_region(mlia_mlir_builder *builder, mlia_mlir_captures *captures);
/* After both regions: adds captured values to the operator and checks the regions' types. */
mlia_status *mlia_mlir_join_regions(mlia_mlir_builder *builder, uint32_t index,
                                    mlia_mlir_captures captures[2], const void *position);

/* The value that stands for `value` in the current block: itself, or what it is called inside the region. */
mlia_status *mlia_mlir_use(mlia_mlir_builder *builder, uint32_t value, uint32_t *used);

/* Ends the current block: its outputs. `types` are the expected ones (NULL: not checked here). */
mlia_status *mlia_mlir_terminate(mlia_mlir_builder *builder, const uint32_t *values, uint32_t count,
                                 const mlia_mlir_type *const *types, uint32_t type_count,
                                 const void *position);

/* Names of arguments and results of the main function. Any of the attributes may be NULL. */
mlia_status *mlia_mlir_name_interface(mlia_mlir_builder *builder,
                                      const mlia_mlir_attribute *argument_attributes,
                                      const mlia_mlir_attribute *result_attributes,
                                      const mlia_mlir_dictionary *function);

/* Ids, version and mlia_graph_finish. `module` are the attributes of the module. */
mlia_status *mlia_mlir_builder_finish(mlia_mlir_builder *builder, const mlia_mlir_dictionary *module);

/* Attributes of a TOSA operator from the dictionary of the operation (builder_attributes.c). */
mlia_status *mlia_mlir_convert_attributes(const mlia_mlir_builder *builder,
                                          const mlia_mlir_operation *operation, uint32_t op,
                                          mlia_attributes *attributes);

#endif
