/* 2:4 sparsity of weights. */
#ifndef MLIA_TOSA_TO_VGF_SPARSITY_H
#define MLIA_TOSA_TO_VGF_SPARSITY_H

#include "graph/graph.h"

/* Dimension along which the weight of a CONV2D or TRANSPOSE_CONV2D is 2:4 sparse: 3, its input channels, or
 * -1. `bytes` are its elements in BYTES encoding. As the official converter: only weights of rank 4, of INT4,
 * INT8, FP16 or FP32, of windows larger than 1×1, whose elements are not all equal. */
int32_t mlia_weight_sparsity(const mlia_graph_value *value, mlia_bytes bytes);

#endif
