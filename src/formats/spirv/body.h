/* A graph body while it is read. Private to this room. */
#ifndef MLIA_SPIRV_BODY_H
#define MLIA_SPIRV_BODY_H

#include "formats/spirv/module.h"
#include "graph/build.h"

typedef struct spirv_body {
    spirv_module *module;
    mlia_graph *graph;
    const spirv_type *type; /* OpTypeGraphARM */
    uint32_t *inputs;       /* values, by index */
    uint32_t *taken;        /* inputs that the body has named */
    uint32_t *outputs;      /* values, by index; MLIA_NONE until set */
} spirv_body;

/* Operand `index` as a tensor value; constants become CONST operators. */
mlia_status *spirv_tensor_operand(spirv_body *body, const spirv_instruction *at, uint32_t index,
                                  uint32_t *value, const spirv_type **type);
/* Operand `index` as a shape value, which becomes a CONST_SHAPE operator. */
mlia_status *spirv_shape_operand(spirv_body *body, const spirv_instruction *at, uint32_t index,
                                 uint32_t *value);
/* Operand `index` as a constant of a kind. */
mlia_status *spirv_constant_operand(spirv_body *body, const spirv_instruction *at, uint32_t index,
                                    spirv_kind kind, spirv_entity **entity);
/* Adds the operator of an instruction of an extended set: its outputs are the tensors of the result type. */
mlia_status *spirv_add_instruction(spirv_body *body, const spirv_instruction *at, uint32_t op, mlia_str name,
                                   const uint32_t *inputs, uint32_t input_count,
                                   const mlia_attributes *attributes);

/* An OpExtInst of the body (extended.c). */
mlia_status *spirv_extended(spirv_body *body, const spirv_instruction *at);

#endif
