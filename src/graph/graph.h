/* The one graph in memory. Every reader builds it, every analysis and writer reads it.
 *
 * Normal form (established by the readers through graph/build.h, see mlia_graph_finish): operators of a block
 * are in execution order, attribute defaults are filled in, variables are VARIABLE_READ / VARIABLE_WRITE
 * operators, constants are the outputs of CONST and CONST_SHAPE operators, shape constants hold real numbers.
 * Operators of other dialects stay as MLIA_OP_FOREIGN. All arrays and texts live in `arena`, or are views
 * into the file that the caller keeps open.
 */
#ifndef MLIA_GRAPH_GRAPH_H
#define MLIA_GRAPH_GRAPH_H

#include "base/arena.h"
#include "base/diagnostics.h"
#include "graph/operators.h"

#define MLIA_NONE        UINT32_MAX    /* no index */
#define MLIA_DIM_UNKNOWN ((int64_t)-1) /* dimension not known */
enum { MLIA_RANK_LIMIT = 32 };         /* MAX_RANK of level "none": no value has more dimensions */

typedef struct mlia_int_list {
    uint32_t count;
    const int32_t *values;
} mlia_int_list;

/* All attribute fields; an operator uses those that its row of the operator table names. Lists are spatial: y
 * then x (CONV3D depth, y, x); pads are pairs top, bottom, left, right (CONV3D front, back first). */
typedef struct mlia_attributes {
    int32_t axis;
    uint32_t nan_mode;      /* mlia_nan_mode */
    uint32_t acc_type;      /* mlia_type */
    uint32_t mode;          /* mlia_resize_mode */
    uint32_t rounding_mode; /* mlia_rounding_mode */
    uint32_t block_size;    /* 1 or 32 */
    uint32_t variable;      /* VARIABLE_READ, VARIABLE_WRITE: index into mlia_graph.variables, or MLIA_NONE */
    bool local_bound;
    bool inverse;
    bool round;
    bool scale32;
    bool per_channel;
    bool input_unsigned;
    bool output_unsigned;
    bool allow_broadcast;
    mlia_int_list kernel;
    mlia_int_list stride;
    mlia_int_list pad;
    mlia_int_list dilation;
    mlia_int_list out_pad;
    mlia_int_list perms;
    mlia_bytes min_val; /* one element in the input's type */
    mlia_bytes max_val;
    mlia_str operator_name; /* CUSTOM */
    mlia_str domain_name;
    mlia_bytes implementation_attrs;
    uint32_t then_graph; /* regions: index into mlia_graph.regions, or MLIA_NONE */
    uint32_t else_graph;
    uint32_t cond_graph;
    uint32_t body_graph;
} mlia_attributes;

/* How the bytes of a constant are laid out. All are row-major and little-endian. */
typedef enum mlia_encoding {
    MLIA_ENCODING_TOSA,  /* FlatBuffers: INT4 and FP4 two per byte (low nibble first), FP6 packed, INT48 in 6
                            bytes, BOOL 1 byte */
    MLIA_ENCODING_BYTES, /* VGF: whole bytes: INT4 and FP6/FP4 one per byte, INT48 in 8 bytes; any non-zero
                            BOOL is true */
} mlia_encoding;

typedef struct mlia_constant {
    mlia_bytes bytes;
    uint8_t encoding; /* mlia_encoding */
    bool splat;       /* `bytes` holds one element that every element equals */
} mlia_constant;

/* Scales of a block-scaled tensor (TOSA 1.1 draft): one scale per `block_shape` elements of the last
 * dimension. */
typedef struct mlia_block_scale {
    uint8_t type;         /* mlia_type of the scales */
    uint32_t block_shape; /* 32 */
    mlia_bytes bytes;     /* scales of a constant; data is NULL when there are none */
} mlia_block_scale;

typedef enum mlia_value_kind { MLIA_KIND_TENSOR, MLIA_KIND_SHAPE, MLIA_KIND_NO_VALUE } mlia_value_kind;

/* A tensor, or a shape value (a list of integers), or the "none" value of foreign operators. */
typedef struct mlia_graph_value {
    mlia_str name;               /* tensor name of the file; may be empty */
    uint8_t kind;                /* mlia_value_kind */
    uint8_t type;                /* mlia_type; MLIA_TYPE_SHAPE for shapes */
    bool is_unsigned;            /* only MLIR and TFLite can say so */
    bool unranked;               /* then rank is 0 and dims NULL */
    bool is_constant;            /* set by mlia_graph_finish: mlia_value_is_constant */
    uint32_t rank;               /* tensors: number of dimensions; shapes: number of values */
    const int64_t *dims;         /* tensors: MLIA_DIM_UNKNOWN for unknown; NULL when rank is 0 */
    const int64_t *shape_values; /* shapes: `rank` values, NULL while not known */
    const mlia_constant
        *constant; /* tensors: value of a CONST output, or initial value of a variable; else NULL */
    const mlia_block_scale *scale; /* block-scaled tensors, else NULL: kept, but nothing analyses them */
    uint32_t variable; /* the tensor that stands for a variable in the file (name, initial value): index into
                          mlia_graph.variables; else MLIA_NONE. VARIABLE_READ and VARIABLE_WRITE name the
                          variable in their attributes and do not have it as an operand */
    uint32_t producer; /* operator index, MLIA_NONE for block inputs */
    uint32_t producer_output; /* position in the producer's outputs */
    uint32_t use_count;       /* operands that read it, and block outputs */
    uint32_t block;           /* block it belongs to */
} mlia_graph_value;

/* One operator of the user's file (TOSA operator, TFLite operator, SPIR-V instruction, FX node …): the entity
 * that figures are reported on. A file that is analysed as it is has one per operator; a conversion makes
 * several operators share one. */
typedef struct mlia_code_frame {
    mlia_str file;
    uint32_t line; /* ≥ 1 */
    mlia_str function;
} mlia_code_frame;

/* One level of a module stack. Recorded shapes of torch_info.nn_module_stack: an object key → [NAME, TYPE],
 * or a list of objects (tracer_key/key, name, module_type) or arrays [key, name, type]. A "<root>" module is
 * put in front unless the first key is "<root>". */
typedef struct mlia_module_step {
    mlia_str key;  /* the tracer's key: identifies the entity nn_module/KEY */
    mlia_str name; /* qualified name ("block.relu"); the key where none is recorded */
    mlia_str type; /* class of the module; may be empty */
} mlia_module_step;

typedef struct mlia_source {
    mlia_str id;   /* canonical id without "source_operator/": "3", "operator/5", "segment_0/spirv-16", an FX
                      node name */
    mlia_str type; /* operator type in the file's own words: "CONV2D", "tosa.conv2d", "CONV_2D",
                      "aten.convolution.default" */
    mlia_str operator_name;  /* operator of the file that this one was converted from, by a JSON location
                                ("aten.conv2d.default", "CONV_2D"); empty when none */
    mlia_str origin;         /* that operator's id ("operator/3"); empty when none */
    mlia_str label;          /* name from the location (graph/location.h); empty when none */
    mlia_str refusal;        /* why a conversion kept it as CUSTOM; empty when it did not */
    mlia_str refusal_code;   /* error kind of that: "E_TFLITE_LIMIT" */
    const mlia_str *results; /* names of all its results, where there are several: label is the first */
    uint32_t result_count;
    const mlia_str
        *absorbed; /* ids of operators whose work it does too: they have no operators of their own */
    uint32_t absorbed_count;
    mlia_str location; /* location text as stored; empty when none */
    mlia_str file;     /* file position of the location; empty when none */
    uint32_t line;
    uint32_t column;
    const mlia_module_step *modules; /* outermost first */
    uint32_t module_count;
    const mlia_code_frame *frames; /* outermost first */
    uint32_t frame_count;
} mlia_source;

typedef struct mlia_operator {
    uint32_t op;    /* mlia_op; MLIA_OP_FOREIGN for other dialects */
    uint32_t block; /* index of its block */
    uint32_t input_count;
    uint32_t output_count;
    const uint32_t *inputs; /* value indexes */
    const uint32_t *outputs;
    const mlia_attributes *attributes; /* NULL when the operator has no fields */
    uint32_t source; /* index into mlia_graph.sources, or MLIA_NONE (made by a conversion for no operator) */
    mlia_str foreign_name; /* "tfl.no_value"; only for MLIA_OP_FOREIGN */
    uint32_t number;       /* position in the file over regions, blocks, operators, from 0; MLIA_NONE when the
                              program       itself added it (a split shape constant) */
    uint32_t region_index; /* place in the file, for messages: region, block, operator */
    uint32_t block_index;
    uint32_t operator_index;
    uint64_t offset; /* byte offset in the file, MLIA_NO_OFFSET when there is none */
    uint32_t line;   /* text files: line and column, else 0 */
    uint32_t column;
} mlia_operator;

typedef struct mlia_block {
    mlia_str name;
    uint32_t region;
    uint32_t *operators; /* operator indexes in execution order */
    uint32_t operator_count;
    size_t operator_capacity; /* private to graph/build.h */
    uint32_t *inputs;         /* value indexes */
    uint32_t input_count;
    uint32_t *outputs;
    uint32_t output_count;
} mlia_block;

typedef struct mlia_region {
    mlia_str name;
    uint32_t block;  /* its (only) block */
    uint32_t parent; /* operator that runs it, or MLIA_NONE */
} mlia_region;

typedef struct mlia_variable {
    mlia_str name;
    uint8_t type; /* mlia_type */
    uint32_t rank;
    const int64_t *dims;
    const mlia_constant *initial; /* NULL when none */
} mlia_variable;

typedef enum mlia_source_format {
    MLIA_SOURCE_TOSA,
    MLIA_SOURCE_MLIR,
    MLIA_SOURCE_MLIR_BYTECODE,
    MLIA_SOURCE_SPIRV,
    MLIA_SOURCE_TFLITE,
    MLIA_SOURCE_PT2,
} mlia_source_format;

typedef struct mlia_graph {
    mlia_arena *arena;
    mlia_source_format format;
    int32_t version[3]; /* TOSA specification version; 1.0.0 when the format has none */
    bool draft;
    mlia_str name; /* of the module or segment; may be empty */
    mlia_graph_value *values;
    uint32_t value_count;
    mlia_operator *operators; /* in file order; execution order is in the blocks */
    uint32_t operator_count;
    mlia_region *regions; /* region 0 is the main graph */
    uint32_t region_count;
    mlia_block *blocks;
    uint32_t block_count;
    mlia_variable *variables;
    uint32_t variable_count;
    mlia_source *sources;
    uint32_t source_count;
    size_t value_capacity; /* private to graph/build.h, also below */
    size_t operator_capacity;
    size_t region_capacity;
    size_t block_capacity;
    size_t variable_capacity;
    size_t source_capacity;
} mlia_graph;

/* The main block: block of region 0. */
static inline const mlia_block *mlia_graph_main(const mlia_graph *graph)
{
    return &graph->blocks[graph->regions[0].block];
}

/* Number of elements; false when a dimension is unknown, the value is unranked, or the product does not fit.
 */
bool mlia_value_elements(const mlia_graph_value *value, uint64_t *count);
/* Bytes in memory as the cost model counts them: elements × mlia_type_bytes. False as mlia_value_elements. */
bool mlia_value_bytes(const mlia_graph_value *value, uint64_t *bytes);
/* Bytes that a constant of `elements` elements of `type` needs in an encoding. False on overflow. */
bool mlia_constant_bytes(uint32_t type, mlia_encoding encoding, uint64_t elements, uint64_t *bytes);

/* Element `index` of an integer or BOOL constant (sign-extended), splats included. False when out of range or
 * no integer. */
bool mlia_constant_integer(const mlia_graph_value *value, uint64_t index, int64_t *result);
/* Element `index` of any constant as a double (exact for every type up to 32 bits). */
bool mlia_constant_number(const mlia_graph_value *value, uint64_t index, double *result);

/* printf: the name of a value, in quotes behind a blank, if it has one: "input" MLIA_NAME " has no rank". */
#define MLIA_NAME           "%s%.*s%s"
#define MLIA_NAME_ARG(name) ((name).size > 0 ? " '" : ""), MLIA_STR_ARG(name), ((name).size > 0 ? "'" : "")

/* Adds the place of an operator in its file to an error (NULL allowed): path, byte offset, line and column as
 * far as the format has them. Returns `status`. */
mlia_status *mlia_status_at_operator(mlia_status *status, const mlia_graph *graph, const mlia_operator *op);
/* The same, with the operator's name and label in front of the message. */
mlia_status *mlia_status_of_operator(mlia_status *status, const mlia_graph *graph, const mlia_operator *op);
#if defined(__clang_analyzer__) && !defined(MLIA_GRAPH_DEFINITIONS)
/* As in status.h: the static analyser does not see that an error stays an error. */
#define mlia_status_of_operator(status, graph, op) ((void)(graph), (void)(op), (status))
#endif

/* Regions that an operator runs (COND_IF: then, else; WHILE_LOOP: cond, body): region indexes and their
 * number, 0 or 2. */
uint32_t mlia_operator_regions(const mlia_operator *op, uint32_t regions[2]);

/* Name of an operator for messages: "CONV2D", or the foreign name. */
mlia_str mlia_operator_name(const mlia_operator *op);

/* The number that a bit pattern of a float type stands for (low bits of `pattern`); NAN for other types. */
double mlia_float_decode(uint32_t type, uint64_t pattern);

/* True when the value can be computed from the file alone: its producer is CONST or CONST_SHAPE, DIM of a
 * tensor whose shape is known, or an operator without side effects (not CUSTOM, COND_IF, WHILE_LOOP,
 * VARIABLE_*, foreign) whose inputs are all such values. Decided once by mlia_graph_finish. */
bool mlia_value_is_constant(const mlia_graph *graph, uint32_t value);

#endif
