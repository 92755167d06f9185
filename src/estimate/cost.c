/* Price of a chain: cycles of every section and bytes read, for its first band of rows. The formulas and
 * where their numbers come from are in docs/estimator.md; block sizes of the hardware are constants here,
 * rates and latencies are keys of the configuration. */
#include <math.h>

#include "estimate/plan.h"

enum {
    GRANULE = 16,       /* bytes of one column that the readers and writers move at a time */
    READ_COLUMNS = 4,   /* rows are fetched in pieces of this many columns */
    COLUMNS = 8,        /* columns that the engines work on at a time */
    READ_CHANNELS = 32, /* output channels for which a convolution reads its input once */
    DEPTH_LANES = 64,   /* input channels and */
    CHANNEL_LANES = 72, /* output channels of the multiply-accumulate array in one cycle */
    TILE = 8,           /* rows and columns of a tile of the shallow and depthwise mapping, and */
    WINDOW_ROWS = 3,    /* the part of the kernel that it takes in one pass */
    WINDOW_COLUMNS = 4,
    SHALLOW_DEPTH = 16, /* below: a shallow input */
    TABLE_ENTRY = 12,   /* bytes of one step of a 16-bit table: base and slope */
    RESIZE_PASSES = 4,  /* corners of a bilinear step */
    ARGMAX_PASSES = 2,  /* value and index */
};
#define ARRAY_MACS 4608.0 /* DEPTH_LANES × CHANNEL_LANES */

static double up(double value, double multiple)
{
    return ceil(value / multiple) * multiple;
}

/* Work of a multiply-accumulate or pooling operator, batch and depth included. */
typedef struct window {
    double planes;                  /* output planes: batch × depth */
    double rows, columns, channels; /* of one output plane */
    double depth;                   /* input channels that one output needs */
    double input_channels;
    double kernel_planes, kernel_rows, kernel_columns;
    double row_reach, column_reach; /* kernel extent with dilation */
    double row_stride, column_stride;
    double input_bytes, output_bytes; /* of one element */
    const mlia_graph_value *weights;
} window;

static double at(const mlia_graph_value *value, uint32_t index)
{
    return index < value->rank ? (double)value->dims[index] : 1;
}

static double item(mlia_int_list list, uint32_t index, double fallback)
{
    return index < list.count && list.values[index] > 0 ? list.values[index] : fallback;
}

/* Kernel extent, strides and dilation; lists are y, x (depth first for CONV3D). */
static void set_kernel(window *w, const mlia_operator *op, double planes, double rows, double columns)
{
    static const mlia_attributes none = {0};
    const mlia_attributes *a = op->attributes != NULL ? op->attributes : &none;
    uint32_t first = op->op == MLIA_OP_CONV3D ? 1 : 0;
    w->kernel_planes = planes;
    w->kernel_rows = rows;
    w->kernel_columns = columns;
    w->row_stride = item(a->stride, first, 1);
    w->column_stride = item(a->stride, first + 1, 1);
    w->row_reach = (rows - 1) * item(a->dilation, first, 1) + 1;
    w->column_reach = (columns - 1) * item(a->dilation, first + 1, 1) + 1;
}

/* A transposed convolution computes each output from ⌈kernel / stride⌉ inputs in each direction. */
static void transpose_kernel(window *w)
{
    w->kernel_rows = ceil(w->kernel_rows / w->row_stride);
    w->kernel_columns = ceil(w->kernel_columns / w->column_stride);
    w->row_reach = w->kernel_rows;
    w->column_reach = w->kernel_columns;
    w->row_stride = 1 / w->row_stride;
    w->column_stride = 1 / w->column_stride;
}

static window window_of(const mlia_plan *plan, const mlia_operator *op)
{
    const mlia_graph *graph = plan->graph;
    const mlia_graph_value *in = &graph->values[op->inputs[0]];
    const mlia_graph_value *out = &graph->values[op->outputs[0]];
    const mlia_graph_value *weights = op->input_count > 1 ? &graph->values[op->inputs[1]] : in;
    bool is_3d = op->op == MLIA_OP_CONV3D;
    uint32_t row = is_3d ? 2 : 1;
    window w = {.planes = at(out, 0) * (is_3d ? at(out, 1) : 1),
                .rows = at(out, row),
                .columns = at(out, row + 1),
                .channels = at(out, row + 2),
                .depth = at(in, row + 2),
                .input_channels = at(in, row + 2),
                .input_bytes = mlia_type_bytes(in->type),
                .output_bytes = mlia_type_bytes(out->type),
                .weights = weights};
    switch (op->op) {
    case MLIA_OP_MATMUL:
    case MLIA_OP_MATMUL_T:
        w.planes = 1;
        w.rows = at(out, 0);
        w.columns = at(out, 1);
        w.channels = at(out, 2);
        w.depth = w.input_channels = at(in, 2);
        set_kernel(&w, op, 1, 1, 1);
        break;
    case MLIA_OP_DEPTHWISE_CONV2D:
        w.depth = 1;
        set_kernel(&w, op, 1, at(weights, 0), at(weights, 1));
        break;
    case MLIA_OP_AVG_POOL2D:
    case MLIA_OP_MAX_POOL2D:
        w.depth = 1;
        set_kernel(&w, op, 1, op->attributes != NULL ? item(op->attributes->kernel, 0, 1) : 1,
                   op->attributes != NULL ? item(op->attributes->kernel, 1, 1) : 1);
        break;
    default:
        set_kernel(&w, op, is_3d ? at(weights, 1) : 1, at(weights, row), at(weights, row + 1));
        if (op->op == MLIA_OP_TRANSPOSE_CONV2D)
            transpose_kernel(&w);
        break;
    }
    if (w.rows == 1 && w.columns == 1 && w.row_reach == 1 && w.column_reach == 1) {
        w.columns = w.planes; /* a batch of vectors is one row */
        w.planes = 1;
    }
    return w;
}

/* Cuts the rows of a chain into bands. */
static void set_bands(mlia_price *price, const mlia_estimate_config *config, double rows)
{
    price->rows = fmax(rows, 1);
    price->first = ceil(price->rows / fmin(config->stripe_count, price->rows));
    price->bands = (uint32_t)ceil(price->rows / price->first);
}

/* Input of a window operator: bytes from DRAM, and cycles of the input reader. `blocks`: how often it is
 * read. */
static void price_input(mlia_price *price, const mlia_estimate_config *config, const window *w, double blocks,
                        double rate)
{
    double rows = ceil((price->first - 1) * w->row_stride) + w->row_reach;
    double columns = up(ceil((w->columns - 1) * w->column_stride) + w->column_reach, READ_COLUMNS);
    double column_bytes = w->input_channels * w->input_bytes;
    double lines = w->planes * w->kernel_planes * rows * blocks;
    double granules = columns * up(column_bytes, GRANULE);
    if (column_bytes < GRANULE) /* the kernel columns of one output column share granules */
        granules = fmin(granules, up(w->columns, COLUMNS) * up(w->kernel_columns * column_bytes, GRANULE));
    price->read_scaled = price->input = lines * fmax(config->burst_bytes, columns * column_bytes);
    price->scaled[MLIA_SECTION_INPUT_READER] = lines * granules / rate;
    price->overlap = fmax(0, w->row_reach - w->row_stride);
    price->stride = w->row_stride;
}

/* Encoded weights of one output channel. Depths below 16 are stored in pairs. */
static double channel_weights(const mlia_estimate_config *config, const window *w)
{
    double depth = w->depth < SHALLOW_DEPTH ? up(w->depth, 2) : w->depth;
    double raw =
        w->kernel_planes * w->kernel_rows * w->kernel_columns * depth * mlia_type_bytes(w->weights->type);
    if (mlia_type_bytes(w->weights->type) > 1)
        return raw;
    if (w->weights->type == MLIA_TYPE_INT4 || w->weights->type == MLIA_TYPE_FP4E2M1)
        raw /= 2;
    return floor(raw * config->encoded_ratio);
}

/* Weights and parameters that each band reads and decodes. */
static void price_weights(mlia_price *price, const mlia_estimate_config *config, const window *w)
{
    double channel = channel_weights(config, w);
    double parameters = config->parameter_bytes * w->channels;
    price->weight_bytes = channel * w->channels + parameters;
    price->read_fixed = price->weight_bytes + config->stream_bytes;
    price->fixed[MLIA_SECTION_WEIGHT_DECODER] =
        ceil(ceil(w->channels / CHANNEL_LANES) * channel * CHANNEL_LANES / config->decoder_rate);
    price->fixed[MLIA_SECTION_INPUT_READER] = config->reader_start;
}

/* Cycles of the array for 8-bit work: the cheapest of its mappings. */
static double array_cycles(const mlia_price *price, const window *w, bool depthwise)
{
    double tiles = w->planes * w->kernel_planes * ceil(price->first / TILE) * ceil(w->columns / TILE) *
                   up(w->channels, GRANULE) * ceil(w->kernel_rows / WINDOW_ROWS);
    if (depthwise)
        return tiles * ceil(w->kernel_columns / WINDOW_COLUMNS);
    double best = tiles * ceil(w->kernel_columns * w->depth / SHALLOW_DEPTH);
    double pixels = w->planes * price->first * fmax(w->columns, COLUMNS);
    double taps = w->kernel_planes * w->kernel_rows * w->kernel_columns;
    for (int pack = 1; pack <= 4; pack *= 2) {
        double lanes = (double)DEPTH_LANES / pack;
        if (pack == 1 || w->depth <= lanes)
            best = fmin(best, ceil(pixels / pack) * ceil(w->depth / lanes) *
                                  ceil(w->channels / CHANNEL_LANES) * taps);
    }
    return best;
}

static bool is_fp32(uint32_t type)
{
    return type == MLIA_TYPE_FP32;
}

/* Peak of the array for a type of activations. */
static double array_rate(const mlia_estimate_config *config, uint32_t type)
{
    if (mlia_type_is_float(type))
        return config->mac_fp16;
    return mlia_type_bytes(type) > 1 ? config->mac_int16 : config->mac_int8;
}

/* Multiply-accumulate work: on the array, or on the vector engine for 32-bit floating point. */
static void price_macs(mlia_price *price, const mlia_estimate_config *config, const window *w, uint32_t type,
                       bool depthwise)
{
    double taps = w->kernel_planes * w->kernel_rows * w->kernel_columns * w->depth;
    double outputs = w->planes * w->rows * w->columns * w->channels;
    price->macs = outputs * taps;
    price->channels = w->channels;
    if (is_fp32(type))
        price->scaled[MLIA_SECTION_VECTOR_ENGINE] += w->planes * price->first * w->columns *
                                                     up(w->channels, GRANULE) * taps * config->fp32_passes /
                                                     config->vector_rate;
    else
        price->scaled[MLIA_SECTION_CONVOLUTION_ENGINE] =
            ceil(array_cycles(price, w, depthwise) * ARRAY_MACS / array_rate(config, type));
}

/* ---- element-wise work ---- */

static bool is_transcendental(uint32_t op)
{
    switch (op) {
    case MLIA_OP_ERF:
    case MLIA_OP_SIGMOID:
    case MLIA_OP_TANH:
    case MLIA_OP_INTDIV:
    case MLIA_OP_POW:
    case MLIA_OP_COS:
    case MLIA_OP_EXP:
    case MLIA_OP_LOG:
    case MLIA_OP_RECIPROCAL:
    case MLIA_OP_RSQRT:
    case MLIA_OP_SIN:
        return true;
    default:
        return false;
    }
}

static double passes_of(const mlia_plan *plan, const mlia_operator *op)
{
    const mlia_estimate_config *config = plan->config;
    const mlia_graph_value *value = &plan->graph->values[op->inputs[0]];
    double passes = is_fp32(value->type) ? config->fp32_passes : 1;
    if (is_transcendental(op->op))
        passes *= config->transcendental_passes;
    if (op->op == MLIA_OP_ARGMAX)
        passes *= ARGMAX_PASSES;
    if (op->op == MLIA_OP_FFT2D || op->op == MLIA_OP_RFFT2D)
        passes *= ceil(log2(fmax(2, at(value, 1) * at(value, 2))));
    return passes;
}

/* Cycles for the `share` of a tensor's rows that one band holds. */
static double element_cycles(const mlia_estimate_config *config, const mlia_extent *e, double share,
                             double passes, bool packed)
{
    if (e->elements <= 1)
        return e->elements * passes;
    double cycles = e->batch * e->rows * share * up(e->columns, COLUMNS) * up(e->channels, GRANULE) * passes /
                    config->vector_rate;
    if (packed)
        cycles = fmin(cycles, e->elements * share * passes / config->packed_rate);
    return ceil(cycles);
}

static bool is_wide_table(const mlia_plan *plan, const mlia_operator *op)
{
    return op->op == MLIA_OP_TABLE && mlia_type_bytes(plan->graph->values[op->inputs[0]].type) > 1;
}

static bool is_broadcast(const mlia_plan *plan, const mlia_operator *op, const mlia_extent *out)
{
    for (uint32_t k = 0; k < op->input_count && k < 2; k++) {
        const mlia_graph_value *value = &plan->graph->values[plan->roots[op->inputs[k]]];
        if (!value->is_constant && value->kind == MLIA_KIND_TENSOR &&
            mlia_extent_of(value).elements < out->elements)
            return true;
    }
    return false;
}

/* One fused operator on the vector engine; broadcasts also pass the transform unit. */
static void price_step(const mlia_plan *plan, mlia_price *price, const mlia_fused *fused, double share,
                       bool packed)
{
    const mlia_operator *op = &plan->graph->operators[fused->operators[0]];
    mlia_extent out = mlia_extent_of(&plan->graph->values[op->outputs[0]]);
    double passes = passes_of(plan, op);
    double cycles = element_cycles(plan->config, &out, share, passes, packed);
    if (plan->operators[fused->operators[0]].role == MLIA_ROLE_REDUCE) {
        mlia_extent in = mlia_extent_of(&plan->graph->values[op->inputs[0]]);
        cycles += element_cycles(plan->config, &in, share, passes, packed);
    } else if (op->op != MLIA_OP_TABLE && is_broadcast(plan, op, &out)) {
        price->scaled[MLIA_SECTION_TRANSFORM_UNIT] += cycles;
    }
    price->scaled[MLIA_SECTION_VECTOR_ENGINE] += cycles;
}

/* A TABLE that a chain applies: its entries are read by every band. */
static void price_table(const mlia_plan *plan, mlia_price *price, const mlia_operator *op)
{
    const mlia_estimate_config *config = plan->config;
    if (op->op != MLIA_OP_TABLE || op->input_count < 2)
        return;
    double entries = mlia_extent_of(&plan->graph->values[op->inputs[1]]).elements;
    double bytes = is_wide_table(plan, op) ? fmax(0, entries - 1) * TABLE_ENTRY : entries;
    price->fixed[MLIA_SECTION_VECTOR_ENGINE] += config->table_cycles;
    price->fixed[MLIA_SECTION_INPUT_READER] += ceil(bytes / config->reader_element_wise);
    price->read_fixed += fmax(config->burst_bytes, bytes);
    price->weight_bytes += bytes;
}

/* Bytes of a tensor in memory as element-wise work reads it: tensors between chains have at least 16 bytes
 * for each column. `cycles` of the input reader. */
static double element_read(const mlia_plan *plan, uint32_t root, bool packed, double *cycles)
{
    const mlia_estimate_config *config = plan->config;
    const mlia_graph_value *value = &plan->graph->values[root];
    mlia_extent e = mlia_extent_of(value);
    double column_bytes = e.channels * e.element_bytes;
    bool shallow = column_bytes < GRANULE && value->producer != MLIA_NONE && !value->is_constant;
    double bytes = e.batch * e.rows * e.columns * (shallow ? GRANULE : column_bytes);
    double rate = shallow && !packed ? config->reader_shallow : config->reader_element_wise;
    *cycles = fmax(ceil(bytes / rate), config->burst_bytes / GRANULE);
    return fmax(bytes, config->burst_bytes);
}

static double element_write(const mlia_estimate_config *config, const mlia_graph_value *value, bool packed)
{
    mlia_extent e = mlia_extent_of(value);
    double column_bytes = e.channels * e.element_bytes;
    double pixels = e.batch * e.rows * e.columns;
    double cycles = pixels * column_bytes / config->writer_rate;
    if (column_bytes < GRANULE)
        cycles = pixels * (packed ? column_bytes : GRANULE) / config->writer_shallow;
    return fmax(ceil(cycles), config->burst_bytes / GRANULE);
}

static void price_elements(const mlia_plan *plan, const mlia_plan_chain *chain, mlia_price *price)
{
    const mlia_estimate_config *config = plan->config;
    const mlia_operator *lead = mlia_chain_lead(plan, chain);
    set_bands(price, config, mlia_extent_of(&plan->graph->values[lead->outputs[0]]).rows);
    double share = price->first / price->rows;
    price->stride = 1;
    for (uint32_t i = 0; i < chain->count; i++) {
        const mlia_fused *fused = &plan->fused[chain->fused[i]];
        price_step(plan, price, fused, share, chain->reads_table);
        for (uint32_t k = 0; k < fused->count; k++)
            price_table(plan, price, &plan->graph->operators[fused->operators[k]]);
    }
    bool single = true;
    for (uint32_t i = 0; i < chain->input_count; i++) {
        double cycles = 0;
        double bytes = element_read(plan, chain->inputs[i], chain->reads_table, &cycles) * share;
        price->read_scaled += bytes;
        price->scaled[MLIA_SECTION_INPUT_READER] += cycles * share;
        single = single && mlia_extent_of(&plan->graph->values[chain->inputs[i]]).elements <= 1;
        if (i == 0)
            price->input = bytes;
    }
    for (uint32_t i = 0; i < chain->output_count; i++)
        price->scaled[MLIA_SECTION_OUTPUT_WRITER] +=
            element_write(config, &plan->graph->values[chain->outputs[i]], chain->reads_table) * share;
    price->drain = chain->reads_table ? config->latency_table
                   : single           ? config->latency_single
                                      : config->latency_element_wise;
}

/* ---- moves ---- */

static double value_bytes(const mlia_graph_value *value)
{
    mlia_extent e = mlia_extent_of(value);
    return e.elements * e.element_bytes;
}

static void price_move(const mlia_plan *plan, const mlia_plan_chain *chain, mlia_price *price)
{
    const mlia_estimate_config *config = plan->config;
    const mlia_operator *op = mlia_chain_lead(plan, chain);
    const mlia_graph_value *result =
        &plan->graph->values[op->output_count > 0 ? op->outputs[0] : op->inputs[0]];
    double moved = value_bytes(result);
    double read = 0;
    bool partial = op->op == MLIA_OP_SLICE || op->op == MLIA_OP_GATHER || op->op == MLIA_OP_ROW_GATHER;
    for (uint32_t i = 0; i < chain->input_count; i++) {
        double bytes = value_bytes(&plan->graph->values[chain->inputs[i]]);
        read += fmax(config->burst_bytes, partial && i == 0 ? fmin(bytes, moved) : bytes);
    }
    bool blends =
        op->op == MLIA_OP_RESIZE && op->attributes != NULL && op->attributes->mode == MLIA_RESIZE_BILINEAR;
    set_bands(price, config, mlia_extent_of(result).rows);
    double share = price->first / price->rows;
    price->stride = 1;
    price->read_scaled = read * share;
    price->scaled[MLIA_SECTION_INPUT_READER] = ceil(read / config->reader_element_wise) * share;
    price->scaled[MLIA_SECTION_TRANSFORM_UNIT] =
        ceil(moved * (blends ? RESIZE_PASSES : 1) / config->transform_rate) * share;
    price->scaled[MLIA_SECTION_OUTPUT_WRITER] = ceil(moved / config->writer_rate) * share;
    price->drain = config->latency_element_wise;
    if (op->output_count == 0)
        price->write = moved; /* VARIABLE_WRITE */
}

/* ---- multiply-accumulate and pooling ---- */

/* Passes of the vector engine over the result: one for the accumulators with RESCALE and CLAMP, one for every
 * other operator that the chain took along. */
static double result_passes(const mlia_plan *plan, const mlia_plan_chain *chain, mlia_price *price)
{
    double passes = 1;
    for (uint32_t i = 1; i < chain->count; i++) {
        const mlia_fused *fused = &plan->fused[chain->fused[i]];
        const mlia_operator *op = &plan->graph->operators[fused->operators[0]];
        if (op->op != MLIA_OP_RESCALE && op->op != MLIA_OP_CLAMP)
            passes += passes_of(plan, op);
        for (uint32_t k = 0; k < fused->count; k++)
            price_table(plan, price, &plan->graph->operators[fused->operators[k]]);
    }
    return passes;
}

/* Operand data of absorbed operators (ADD of a constant tensor). */
static void price_extra_inputs(const mlia_plan *plan, const mlia_plan_chain *chain, mlia_price *price,
                               uint32_t known)
{
    for (uint32_t i = known; i < chain->input_count; i++)
        price->read_scaled +=
            fmax(plan->config->burst_bytes, value_bytes(&plan->graph->values[chain->inputs[i]])) *
            price->first / price->rows;
}

static void price_window(const mlia_plan *plan, const mlia_plan_chain *chain, mlia_price *price)
{
    const mlia_estimate_config *config = plan->config;
    const mlia_operator *op = mlia_chain_lead(plan, chain);
    uint8_t role = plan->operators[op - plan->graph->operators].role;
    uint32_t type = plan->graph->values[op->inputs[0]].type;
    window w = window_of(plan, op);
    set_bands(price, config, w.rows);
    bool is_pool = role == MLIA_ROLE_POOL;
    bool is_depthwise = role == MLIA_ROLE_DEPTHWISE;
    double blocks = role == MLIA_ROLE_CONVOLUTION ? ceil(w.channels / READ_CHANNELS) : 1;
    price_input(price, config, &w, blocks,
                is_pool        ? config->reader_pooling
                : is_depthwise ? config->reader_depthwise
                               : config->reader_convolution);
    bool fixed_weights = !is_pool && plan->graph->values[op->inputs[1]].is_constant;
    if (fixed_weights) {
        price_weights(price, config, &w);
    } else if (!is_pool) {
        double bytes = value_bytes(w.weights) * price->first / price->rows;
        price->read_scaled += bytes;
        price->scaled[MLIA_SECTION_INPUT_READER] += bytes / config->reader_convolution;
        price->fixed[MLIA_SECTION_INPUT_READER] = config->reader_start;
    }
    double columns = is_pool ? up(w.columns, 2) : fmax(w.columns, COLUMNS);
    double plane = w.planes * price->first * columns * up(w.channels, GRANULE);
    if (is_pool) {
        double window_elements = w.kernel_rows * w.kernel_columns * w.planes * price->first * w.columns;
        price->scaled[MLIA_SECTION_CONVOLUTION_ENGINE] =
            ceil(window_elements * up(w.channels, GRANULE) * (is_fp32(type) ? config->fp32_passes : 1) /
                 config->pool_rate);
        price->channels = w.channels;
    } else {
        price_macs(price, config, &w, type, is_depthwise);
    }
    price->scaled[MLIA_SECTION_VECTOR_ENGINE] +=
        plane * result_passes(plan, chain, price) / config->vector_rate;
    const mlia_fused *last = &plan->fused[chain->fused[chain->count - 1]];
    const mlia_operator *final = &plan->graph->operators[last->operators[last->count - 1]];
    price->scaled[MLIA_SECTION_OUTPUT_WRITER] =
        plane * mlia_type_bytes(plan->graph->values[final->outputs[0]].type) / config->writer_rate;
    price_extra_inputs(plan, chain, price, fixed_weights || is_pool ? 1 : 2);
    if (is_pool)
        price->drain = w.rows == 1 ? config->latency_pooling : config->latency_depthwise;
    else if (w.planes * w.rows * w.columns == 1)
        price->drain = config->latency_single;
    else if (is_depthwise)
        price->drain = config->latency_depthwise;
    else
        price->drain = w.depth < SHALLOW_DEPTH ? config->latency_shallow : config->latency_convolution;
}

/* ---- confidence ---- */

static mlia_confidence operator_confidence(const mlia_plan *plan, uint32_t index)
{
    const mlia_operator *op = &plan->graph->operators[index];
    const mlia_graph_value *in = &plan->graph->values[op->inputs[0]];
    bool bytes = mlia_type_bytes(in->type) == 1;
    if (mlia_type_is_float(in->type))
        return MLIA_CONFIDENCE_ASSUMED;
    switch (op->op) {
    case MLIA_OP_CONV2D: {
        window w = window_of(plan, op);
        bool known = w.depth < SHALLOW_DEPTH || w.kernel_rows * w.kernel_columns == 1;
        return bytes && known ? MLIA_CONFIDENCE_CALIBRATED : MLIA_CONFIDENCE_EXTRAPOLATED;
    }
    case MLIA_OP_DEPTHWISE_CONV2D: {
        window w = window_of(plan, op);
        return bytes && w.kernel_rows == 3 && w.kernel_columns == 3 ? MLIA_CONFIDENCE_CALIBRATED
                                                                    : MLIA_CONFIDENCE_EXTRAPOLATED;
    }
    case MLIA_OP_AVG_POOL2D:
        return bytes && window_of(plan, op).rows == 1 ? MLIA_CONFIDENCE_CALIBRATED
                                                      : MLIA_CONFIDENCE_EXTRAPOLATED;
    case MLIA_OP_TABLE:
        return bytes ? MLIA_CONFIDENCE_EXTRAPOLATED : MLIA_CONFIDENCE_CALIBRATED;
    case MLIA_OP_RESCALE:
    case MLIA_OP_CLAMP:
        return MLIA_CONFIDENCE_CALIBRATED;
    default:
        break;
    }
    uint8_t role = plan->operators[index].role;
    bool vector = role == MLIA_ROLE_ELEMENT || role == MLIA_ROLE_REDUCE;
    if (!vector || is_transcendental(op->op))
        return role == MLIA_ROLE_TRANSFORM || vector ? MLIA_CONFIDENCE_ASSUMED : MLIA_CONFIDENCE_EXTRAPOLATED;
    return in->type == MLIA_TYPE_INT32 && mlia_extent_of(in).channels == 1 ? MLIA_CONFIDENCE_CALIBRATED
                                                                           : MLIA_CONFIDENCE_EXTRAPOLATED;
}

static mlia_confidence chain_confidence(const mlia_plan *plan, const mlia_plan_chain *chain)
{
    mlia_confidence worst =
        mlia_config_is_calibrated(plan->config) ? MLIA_CONFIDENCE_CALIBRATED : MLIA_CONFIDENCE_ASSUMED;
    for (uint32_t i = 0; i < chain->count; i++) {
        const mlia_fused *fused = &plan->fused[chain->fused[i]];
        for (uint32_t k = 0; k < fused->count; k++) {
            mlia_confidence confidence = operator_confidence(plan, fused->operators[k]);
            if (confidence > worst)
                worst = confidence;
        }
    }
    return worst;
}

mlia_status *mlia_plan_price(mlia_plan *plan)
{
    plan->prices = MLIA_NEW_ARRAY(plan->arena, mlia_price, plan->chain_count);
    MLIA_TRY_ALLOC(plan->prices);
    for (uint32_t i = 0; i < plan->chain_count; i++) {
        mlia_plan_chain *chain = &plan->chains[i];
        mlia_price *price = &plan->prices[i];
        for (uint32_t k = 0; k < chain->output_count; k++)
            price->write += value_bytes(&plan->graph->values[chain->outputs[k]]);
        switch (plan->operators[plan->fused[chain->fused[0]].operators[0]].role) {
        case MLIA_ROLE_CONVOLUTION:
        case MLIA_ROLE_DEPTHWISE:
        case MLIA_ROLE_POOL:
            price_window(plan, chain, price);
            break;
        case MLIA_ROLE_TRANSFORM:
            price_move(plan, chain, price);
            break;
        default:
            for (uint32_t k = 0; k < chain->count; k++)
                chain->reads_table =
                    chain->reads_table ||
                    is_wide_table(plan, &plan->graph->operators[plan->fused[chain->fused[k]].operators[0]]);
            price_elements(plan, chain, price);
            break;
        }
        price->confidence = chain_confidence(plan, chain);
    }
    return NULL;
}
