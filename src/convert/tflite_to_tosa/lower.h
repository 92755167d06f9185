/* What the lowering rules share. Private to this room.
 *
 * A rule is one function: it takes operands, emits TOSA operators and sets results. Emitting functions return
 * the new value's index. The first fault is kept in the lowering (mlia_lower_fail); from then on every
 * function does nothing and returns MLIA_NONE, so that a rule reads straight on without checks, and its
 * caller looks at the fault once.
 */
#ifndef MLIA_CONVERT_TFLITE_TO_TOSA_LOWER_H
#define MLIA_CONVERT_TFLITE_TO_TOSA_LOWER_H

#include "base/map.h"
#include "convert/tflite_to_tosa/convert.h"

enum { MAX_RANK = 8 /* of a TFLite tensor here; results must come down to 6 */, TOSA_MAX_RANK = 6 };

/* A tensor as a rule sees it: declared by the model, with resolved dimensions, and constant or computed. */
typedef struct operand {
    const mlia_tflite_tensor *tensor; /* declaration: name, quantisation */
    int32_t index;                    /* in the subgraph */
    uint32_t type;                    /* mlia_tflite_type */
    uint32_t rank;
    int64_t dims[MAX_RANK];
    bool is_constant; /* known at conversion: `data` in TFLite's encoding, `elements` of them */
    mlia_bytes data;
    uint64_t elements;
    uint32_t value; /* TOSA value; MLIA_NONE while a constant has not been emitted */
    uint32_t state; /* RESOURCE: number of the variable it names + 1 */
    uint32_t edge;  /* UINT8 graph input: the block input that a RESCALE still has to bring to INT8; else
                       MLIA_NONE */
} operand;

/* One subgraph being lowered (the entry, or one inlined into it). */
typedef struct frame {
    struct frame *parent;
    uint32_t subgraph;
    const mlia_tflite_subgraph *tflite;
    operand *tensors; /* one for each tensor of the subgraph */
} frame;

typedef struct carried_state carried_state; /* state.c */

typedef struct lowering {
    const mlia_tflite *model;
    const mlia_tflite_to_tosa_options *options;
    mlia_str file_name;
    mlia_arena *arena;
    mlia_diagnostics *diagnostics;
    mlia_graph *graph;
    uint32_t block;
    frame *frame;
    const mlia_tflite_operator *op; /* the one being lowered */
    uint32_t op_index;
    uint32_t source;    /* its mlia_source */
    mlia_map constants; /* content → value: equal constants are emitted once */
    mlia_status *fault;
    uint32_t *results; /* values that became results of the model's operators, in order */
    size_t result_count;
    size_t result_capacity;
    carried_state *states;
    uint32_t state_count;
    size_t state_capacity;
    mlia_map state_index;
    bool *called_once;   /* by subgraph: CALL_ONCE has run it */
    bool initialising;   /* inside CALL_ONCE: assignments give initial values */
    uint64_t inlined;    /* tensors and operators of inlined subgraphs so far */
    uint64_t folded;     /* elements of constants worked out so far */
    uint32_t *source_of; /* by subgraph: first source index, MLIA_NONE before it is made */
} lowering;

/* Keeps the first fault; later ones are freed. */
void mlia_lower_fail(lowering *l, mlia_status *status);
/* Fault of the operator at hand: message gets the operator's name in front and its place. */
void mlia_lower_error(lowering *l, mlia_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* a · b, or the end of the range: dimensions and counts of a model can be anything. */
static inline int64_t mlia_lower_times(int64_t a, int64_t b)
{
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) ? product : (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

/* ---- operands and results (operands.c) ---- */

/* Operand `index`, or NULL when it is absent (-1 or beyond the end). */
operand *mlia_lower_input(lowering *l, uint32_t index);
/* Operand that must be there: E_TFLITE_OPERANDS otherwise, and then NULL. */
operand *mlia_lower_required(lowering *l, uint32_t index);
/* Declaration of result `index` (rank and dims are the declared ones). NULL when the operator has no such
 * result. */
operand *mlia_lower_output(lowering *l, uint32_t index);
/* Operand 0 and result 0 of an operator, both of which must be there (E_TFLITE_OPERANDS); false after a
 * fault. */
bool mlia_lower_take(lowering *l, operand **in, operand **out);
/* TOSA value of an operand; a constant is emitted on first use, converted to the type it has in TOSA. */
uint32_t mlia_lower_value(lowering *l, operand *x);
/* Sets result `index`: gives it the tensor's name, compares dimensions with the declared ones that are not
 * dynamic (E_TFLITE_SHAPE) and narrows nothing. A value that already is another tensor gets an IDENTITY only
 * at graph outputs. */
void mlia_lower_set(lowering *l, uint32_t index, uint32_t value);
/* Sets result `index` to a constant known at conversion, in TFLite's encoding of `type`. */
void mlia_lower_set_constant(lowering *l, uint32_t index, uint32_t rank, const int64_t *dims,
                             mlia_bytes data);

/* TOSA type of a TFLite type inside the graph: UINT8 → INT8, INT64 and UINT32 → INT32; UNKNOWN when there is
 * none. */
uint32_t mlia_lower_type(uint32_t tflite_type);
bool mlia_lower_is_quantised(const operand *x); /* integer type with a scale */
bool mlia_lower_is_float(const operand *x);     /* FLOAT32, FLOAT16, BFLOAT16 */
/* Per-tensor scale and zero point as the graph sees them: a UINT8 tensor is INT8 with zero point - 128.
 * E_TFLITE_QUANTIZATION when the operand has no scale. */
double mlia_lower_scale(lowering *l, const operand *x);
float mlia_lower_scale32(lowering *l, const operand *x);
int32_t mlia_lower_zero(const operand *x);
/* The number 0 of the model's file as the graph stores it, whatever the zero point: -128 for UINT8. */
int32_t mlia_lower_raw_zero(const operand *x);
/* Range of the type as stored in the graph (UINT8: -128 … 127). */
int32_t mlia_lower_min(const operand *x);
int32_t mlia_lower_max(const operand *x);

/* Element `index` of a constant operand. Integers and BOOL (as stored in the file, UINT8 not shifted), or
 * floats. */
int64_t mlia_lower_integer_at(const operand *x, uint64_t index);
double mlia_lower_number_at(const operand *x, uint64_t index);
/* All elements of a constant integer operand with at most `limit` elements: E_TFLITE_DATA_DEPENDENT when not
 * constant. */
const int64_t *mlia_lower_integers(lowering *l, operand *x, uint32_t limit, uint32_t *count);
/* Axis from -rank … rank-1 to 0 … rank-1; E_TFLITE_ATTRIBUTE outside. */
uint32_t mlia_lower_axis(lowering *l, int64_t axis, uint32_t rank);

/* Options of the operator at hand by field id: MLIA_TFLITE_Conv2DOptions_stride_w. */
int32_t mlia_lower_option(const lowering *l, uint32_t field);
float mlia_lower_option_float(const lowering *l, uint32_t field);

/* ---- emitting (emit.c, emit_move.c) ---- */

/* Dimensions, rank and element type of a value. */
const mlia_graph_value *mlia_lower_info(const lowering *l, uint32_t value);
#define VALUE_DIMS(l, value) (mlia_lower_info((l), (value))->dims)
#define VALUE_RANK(l, value) (mlia_lower_info((l), (value))->rank)
#define VALUE_TYPE(l, value) (mlia_lower_info((l), (value))->type)

/* False when an earlier fault, or a missing value, makes further work pointless. */
bool mlia_lower_alive(const lowering *l, const uint32_t *inputs, uint32_t count);

/* Any operator with one result. `attributes` NULL for operators without fields. */
uint32_t mlia_emit(lowering *l, mlia_op op, const uint32_t *inputs, uint32_t count,
                   const mlia_attributes *attributes, uint32_t type, uint32_t rank, const int64_t *dims);

/* Constants; equal ones are emitted once. `bytes` in TOSA encoding, must outlive the graph (arena or file).
 */
uint32_t mlia_emit_const(lowering *l, uint32_t type, uint32_t rank, const int64_t *dims, mlia_bytes bytes);
uint32_t mlia_emit_ints(lowering *l, uint32_t type, uint32_t count, const int64_t *values); /* rank 1 */
uint32_t mlia_emit_int(lowering *l, uint32_t type, int64_t value);                          /* shape [1] */
uint32_t mlia_emit_floats(lowering *l, uint32_t rank, const int64_t *dims, const float *values);
/* One number with `rank` dimensions of 1, in any numeric type: the other operand of a broadcast. */
uint32_t mlia_emit_scalar(lowering *l, uint32_t type, uint32_t rank, double value);
/* The same in the type and rank of another value. */
uint32_t mlia_emit_number(lowering *l, uint32_t like, double value);
uint32_t mlia_emit_shape(lowering *l, uint32_t length, const int64_t *values);

/* `value` as one of the outputs of its block: inputs, constants and values among `earlier` get an IDENTITY.
 */
uint32_t mlia_emit_own(lowering *l, uint32_t value, const uint32_t *earlier, uint32_t count);

/* Element-wise operators; dimensions broadcast, operands of smaller rank are reshaped with leading ones. */
uint32_t mlia_emit_unary(lowering *l, mlia_op op, uint32_t x);
uint32_t mlia_emit_binary(lowering *l, mlia_op op, uint32_t a, uint32_t b); /* comparisons give BOOL */
uint32_t mlia_emit_mul(lowering *l, uint32_t a, uint32_t b, int32_t shift); /* INT8/16/32 → INT32 */
uint32_t mlia_emit_select(lowering *l, uint32_t condition, uint32_t a, uint32_t b);
uint32_t mlia_emit_shift_right(lowering *l, uint32_t a, uint32_t b, bool round);
uint32_t mlia_emit_negate(lowering *l, uint32_t x); /* zero points 0 */
uint32_t mlia_emit_cast(lowering *l, uint32_t x, uint32_t type);
uint32_t mlia_emit_clamp(lowering *l, uint32_t x, double low, double high);
uint32_t mlia_emit_table(lowering *l, uint32_t x,
                         const int64_t *entries); /* INT8: 256 → INT8; INT16: 513 → INT32 */
uint32_t mlia_emit_reduce(lowering *l, mlia_op op, uint32_t x, uint32_t axis);

/* Data movement. Each returns `x` itself when nothing would move. */
uint32_t mlia_emit_reshape(lowering *l, uint32_t x, uint32_t rank, const int64_t *dims);
uint32_t mlia_emit_transpose(lowering *l, uint32_t x, const uint32_t *perms);
uint32_t mlia_emit_slice(lowering *l, uint32_t x, const int64_t *start, const int64_t *size);
/* Slice of one axis. */
uint32_t mlia_emit_part(lowering *l, uint32_t x, uint32_t axis, int64_t start, int64_t size);
uint32_t mlia_emit_concat(lowering *l, const uint32_t *values, uint32_t count, uint32_t axis);
/* before/after per axis in `pads` (2 × rank); `value` is a constant of one element in x's type. */
uint32_t mlia_emit_pad(lowering *l, uint32_t x, const int64_t *pads, uint32_t value);
uint32_t mlia_emit_tile(lowering *l, uint32_t x, const int64_t *multiples);
uint32_t mlia_emit_reverse(lowering *l, uint32_t x, uint32_t axis);
uint32_t mlia_emit_gather(lowering *l, uint32_t values, uint32_t indices); /* [N,K,C], [N,W] → [N,W,C] */

/* ---- positions (positions.c) ---- */

/* 0, 1, … count - 1 along `axis` of a constant of `rank` dimensions. */
uint32_t mlia_emit_iota(lowering *l, int64_t count, uint32_t axis, uint32_t rank);
/* GATHER on tensors of any type: BOOL goes through INT8. */
uint32_t mlia_emit_gather_any(lowering *l, uint32_t values, uint32_t indices);
/* SLICE with a begin that the device computes; begin + size must stay inside, as in the interpreter. */
void mlia_lower_computed_slice(lowering *l, operand *x, operand *begin, const int64_t *size);
/* DYNAMIC_UPDATE_SLICE with such a begin, which is clamped so that the update fits. */
void mlia_lower_computed_update(lowering *l, operand *x, operand *update, operand *begin);

/* ---- numerics (requantise.c) ---- */

/* Which rounding a RESCALE wants; --tflite-rounding may change all but EXACT. */
typedef enum round_kind {
    ROUND_EXACT,  /* identity or table interpolation: single rounding always */
    ROUND_SINGLE, /* R1 */
    ROUND_DOUBLE, /* R2 */
} round_kind;

/* m ≥ 0 as multiplier · 2^(exponent - 31), multiplier 0 or in [2^30, 2^31). */
void mlia_lower_multiplier(double m, int32_t *multiplier, int32_t *exponent);

/* RESCALE by `count` real multipliers (1, or one per element of the last dimension). INT48 inputs use 16-bit
 * multipliers. E_TFLITE_LIMIT when a shift falls below 2. */
uint32_t mlia_emit_rescale(lowering *l, uint32_t x, uint32_t type, const double *multipliers, uint32_t count,
                           int32_t zero_in, int32_t zero_out, round_kind round);
uint32_t mlia_emit_rescale1(lowering *l, uint32_t x, uint32_t type, double multiplier, int32_t zero_in,
                            int32_t zero_out, round_kind round);
/* The same with the numbers given: multiplier and shift of TOSA. */
uint32_t mlia_emit_rescale_raw(lowering *l, uint32_t x, uint32_t type, int32_t multiplier, int32_t shift,
                               int32_t zero_in, int32_t zero_out, round_kind round);
/* x / divisor of an INT16 or INT32 value, |x| < 2^30, rounded half away from zero and saturated to `type`. */
uint32_t mlia_emit_quotient(lowering *l, uint32_t x, uint32_t type, int64_t divisor);
/* Identity RESCALE: changes the type with saturation and moves the zero point. */
uint32_t mlia_emit_retype(lowering *l, uint32_t x, uint32_t type, int32_t zero_in, int32_t zero_out);
/* UINT8 at the edge of the graph: the raw bytes of a graph input as INT8 (`into`), or a result back to raw
 * bytes. */
uint32_t mlia_emit_edge(lowering *l, const operand *x, uint32_t value, bool into);
/* The centred value: identity RESCALE to INT32 that takes the operand's zero point off. */
uint32_t mlia_emit_centred(lowering *l, operand *x);
/* Quantised operand → FP32, and FP32 → quantised like `as` (rounds half away, saturates). */
uint32_t mlia_emit_dequantise(lowering *l, operand *x);
uint32_t mlia_emit_quantise(lowering *l, uint32_t x, const operand *as);

/* Fused activation of the operator at hand on a result that is quantised like `as` (or float). `activation`
 * is TFLite's number. E_TFLITE_ATTRIBUTE for activations that the type does not have. */
uint32_t mlia_emit_activation(lowering *l, uint32_t x, int32_t activation, const operand *as);

/* 256 entries of an INT8 table for f on operands quantised like `in` and `out`. */
void mlia_lower_table8(lowering *l, const operand *in, const operand *out,
                       float (*f)(float x, float parameter), float parameter, int64_t entries[256]);
/* 513 entries of an INT16 table; f in double when `wide`. */
void mlia_lower_table16(double scale_in, int32_t zero_in, double scale_out, int32_t zero_out,
                        double (*f)(double x, double parameter), double parameter, bool wide,
                        int64_t entries[513]);

/* Half away from zero, saturated to int64. */
int64_t mlia_lower_round(double x);

/* ---- state (state.c) ---- */

/* Value of a state tensor as it is now; an operand that is no variable just has its value. */
uint32_t mlia_state_read(lowering *l, operand *x);
/* Its new value; nothing happens for an operand that is no variable. */
void mlia_state_write(lowering *l, operand *x, uint32_t value);
/* What all states are now: around branches that are both lowered. `other` are the values where `condition`
 * holds. */
typedef struct mlia_state_values {
    uint32_t *values;
    uint32_t count;
} mlia_state_values;
mlia_state_values mlia_state_save(lowering *l);
void mlia_state_restore(lowering *l, mlia_state_values saved);
void mlia_state_merge(lowering *l, mlia_state_values other, uint32_t condition);
/* After the last operator: writes variables, or adds the extra inputs and outputs, at most state_count each.
 */
void mlia_state_finish(lowering *l, uint32_t *inputs, uint32_t *input_count, uint32_t *outputs,
                       uint32_t *output_count);

/* ---- constants (fold.c, fold_arithmetic.c) ---- */

/* Room for a constant result: NULL when it is too large to be worked out here, of a type without whole bytes,
 * or after a fault. */
uint8_t *mlia_fold_room(lowering *l, uint32_t type, uint32_t rank, const int64_t *dims, uint64_t *elements,
                        size_t *size);
/* True when a list of a · b numbers that a lowering makes up is of reasonable size; else E_TFLITE_LIMIT. */
bool mlia_fold_bounded(lowering *l, int64_t a, int64_t b);
void mlia_fold_store(uint8_t *bytes, uint32_t type, uint64_t index, int64_t value); /* wraps to the type */
void mlia_fold_store_float(uint8_t *bytes, uint64_t index, float value);
/* Elements between two neighbours along each axis of a dense operand. */
void mlia_fold_strides(const operand *x, int64_t strides[MAX_RANK]);
/* Next position in row-major order; false after the last. */
bool mlia_fold_next(uint32_t rank, const int64_t *dims, int64_t *at);

/* Constants made of constant values (fold_values.c); MLIA_NONE where the operator has to be emitted. */
typedef struct rescale_numbers {
    int64_t multiplier;
    int64_t shift;
    int32_t zero_in;
    int32_t zero_out;
    uint32_t rounding; /* of TOSA */
} rescale_numbers;
uint32_t mlia_fold_reshaped(lowering *l, uint32_t x, uint32_t rank, const int64_t *dims);
uint32_t mlia_fold_rescaled(lowering *l, uint32_t x, uint32_t type, rescale_numbers numbers);
uint32_t mlia_fold_retyped(lowering *l, uint32_t x, uint32_t type); /* CAST of integers; wraps */
uint32_t mlia_fold_reciprocal(lowering *l, uint32_t x);

/* Each sets result `index` as a constant and returns true when x is a constant of reasonable size; false: the
 * caller emits operators. View: element `at` of the result is element offset + Σ at·strides of x. */
bool mlia_fold_view(lowering *l, uint32_t index, const operand *x, uint32_t rank, const int64_t *dims,
                    int64_t offset, const int64_t *strides);
bool mlia_fold_part(lowering *l, uint32_t index, const operand *x, uint32_t axis, int64_t start, int64_t size,
                    bool keep_axis);
bool mlia_fold_broadcast(lowering *l, uint32_t index, const operand *x, uint32_t rank, const int64_t *dims);
/* All operands joined along `axis`; `dims` of the result. */
bool mlia_fold_concat(lowering *l, uint32_t axis, uint32_t rank, const int64_t *dims);
bool mlia_fold_cast(lowering *l, const operand *x, const operand *out);
bool mlia_fold_quantise(lowering *l, const operand *x, const operand *out);
/* Arithmetic on constants: works out the operator at hand if it can. */
bool mlia_fold_operator(lowering *l);

/* ---- windows (window.c) ---- */

/* Padding of one spatial axis: TFLite's SAME or VALID for kernel, stride and dilation. `used` is the input
 * extent that the window covers (the rest is cut off first). E_TFLITE_ATTRIBUTE for values below 1. */
typedef struct window {
    int64_t before;
    int64_t after;
    int64_t used;
    int64_t out;
} window;
window mlia_lower_window(lowering *l, int64_t in, int64_t kernel, int64_t stride, int64_t dilation,
                         bool same);

/* Attribute list (kernel, stride, pad …) in the arena. */
mlia_int_list mlia_lower_list(lowering *l, uint32_t count, const int64_t *values);

/* ---- rules ---- */

typedef void lower_rule(lowering *l);

typedef struct rule_row {
    lower_rule *rule; /* NULL: no TOSA meaning */
    uint8_t min_inputs;
    uint8_t max_inputs;  /* UINT8_MAX: any number */
    const char *refusal; /* why there is no rule */
    mlia_kind refusal_kind;
} rule_row;

/* Row of a builtin; never NULL. rules.c */
const rule_row *mlia_lower_rule(uint32_t op);

/* Lowers all operators of a subgraph whose inputs the frame already holds; used for the entry and for inlined
 * subgraphs. */
void mlia_lower_subgraph(lowering *l, frame *inner);
/* Frame for a subgraph with nothing in it but its constants. */
frame *mlia_lower_frame(lowering *l, uint32_t subgraph, frame *parent);

#endif
