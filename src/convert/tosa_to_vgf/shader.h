/* Description of a shader that a custom operator carries. */
#ifndef MLIA_TOSA_TO_VGF_SHADER_H
#define MLIA_TOSA_TO_VGF_SHADER_H

#include "formats/vgf/vgf.h"

#define MLIA_SHADER_DOMAIN "com.arm.VulkanCustomShader"

/* How the shader sees one operand or result. */
typedef struct mlia_shader_port {
    uint32_t binding;
    uint32_t descriptor_set;
    uint32_t descriptor_type; /* VkDescriptorType */
    uint32_t format;          /* VkFormat */
    bool has_sampler;
    uint32_t sampler[MLIA_VGF_SAMPLER_FIELDS];
} mlia_shader_port;

typedef struct mlia_shader {
    mlia_str entry_point;
    uint32_t groups[3];
    uint32_t code_type; /* mlia_vgf_code */
    mlia_bytes code;    /* empty: a placeholder */
    mlia_shader_port *inputs;
    mlia_shader_port *outputs;
} mlia_shader;

/* True for a custom operator of the shader domain. */
bool mlia_is_shader(const mlia_operator *op);
/* Parses the implementation attributes (a JSON object). Everything lives in `arena`. E_TOSA_ATTRIBUTE names
 * the member. */
mlia_status *mlia_shader_parse(const mlia_operator *op, mlia_arena *arena, mlia_shader *shader);

#endif
