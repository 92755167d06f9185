/* Parses the JSON description of a shader operator: entry_point, workgroup_sizes, shader_language with
 * shader_code, and binding, descriptorset, vkdescriptortype, vkformat and sampler of each input and output.
 */
#include "convert/tosa_to_vgf/shader.h"

#include <jansson.h>

#include "formats/vgf/names.h"

bool mlia_is_shader(const mlia_operator *op)
{
    return op->op == MLIA_OP_CUSTOM &&
           mlia_str_equal(op->attributes->domain_name, MLIA_STR(MLIA_SHADER_DOMAIN));
}

static mlia_status *bad(const char *member, const char *problem)
{
    return mlia_error(MLIA_E_TOSA_ATTRIBUTE, "shader description: '%s' %s", member, problem);
}

static mlia_status *read_number(const json_t *root, const char *member, uint32_t *number)
{
    const json_t *value = json_object_get(root, member);
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > UINT32_MAX)
        return bad(member, "must be a number from 0 to 4294967295");
    *number = (uint32_t)json_integer_value(value);
    return NULL;
}

static mlia_status *read_name(const json_t *root, const char *member, mlia_vgf_sort sort, uint32_t *number)
{
    const json_t *value = json_object_get(root, member);
    if (!json_is_string(value))
        return bad(member, "must be a text");
    mlia_str text = {json_string_value(value), json_string_length(value)};
    return mlia_vgf_number(sort, text, number) ? NULL : bad(member, "is no Vulkan name that is known here");
}

static mlia_status *read_sampler(const json_t *sampler, mlia_shader_port *port)
{
    static const struct {
        const char *member;
        mlia_vgf_sort sort;
    } fields[MLIA_VGF_SAMPLER_FIELDS] = {
        {"min_filter", MLIA_VGF_NAME_FILTER},      {"mag_filter", MLIA_VGF_NAME_FILTER},
        {"address_mode_u", MLIA_VGF_NAME_ADDRESS}, {"address_mode_v", MLIA_VGF_NAME_ADDRESS},
        {"border_color", MLIA_VGF_NAME_BORDER},
    };
    port->has_sampler = true;
    for (uint32_t i = 0; i < MLIA_VGF_SAMPLER_FIELDS; i++) {
        port->sampler[i] = MLIA_VGF_UNSET;
        if (json_object_get(sampler, fields[i].member) != NULL)
            MLIA_TRY(read_name(sampler, fields[i].member, fields[i].sort, &port->sampler[i]));
    }
    return NULL;
}

static mlia_status *read_port(const json_t *root, const char *kind, uint32_t index, mlia_shader_port *port)
{
    char member[64];
    snprintf(member, sizeof member, "%s_%u_binding", kind, index);
    MLIA_TRY(read_number(root, member, &port->binding));
    snprintf(member, sizeof member, "%s_%u_descriptorset", kind, index);
    MLIA_TRY(read_number(root, member, &port->descriptor_set));
    snprintf(member, sizeof member, "%s_%u_vkdescriptortype", kind, index);
    MLIA_TRY(read_name(root, member, MLIA_VGF_NAME_DESCRIPTOR, &port->descriptor_type));
    snprintf(member, sizeof member, "%s_%u_vkformat", kind, index);
    MLIA_TRY(read_name(root, member, MLIA_VGF_NAME_FORMAT, &port->format));
    snprintf(member, sizeof member, "%s_%u_sampler", kind, index);
    const json_t *sampler = json_object_get(root, member);
    return sampler == NULL ? NULL : read_sampler(sampler, port);
}

static int base64_digit(char digit)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *place = digit == 0 ? NULL : strchr(digits, digit);
    return place == NULL ? -1 : (int)(place - digits);
}

static mlia_status *read_base64(mlia_str text, mlia_arena *arena, mlia_bytes *bytes)
{
    uint8_t *data = MLIA_NEW_ARRAY(arena, uint8_t, text.size / 4 * 3 + 3);
    MLIA_TRY_ALLOC(data);
    size_t used = 0;
    uint32_t bits = 0;
    unsigned bit_count = 0;
    while (text.size > 0 && text.data[text.size - 1] == '=')
        text.size--;
    for (size_t i = 0; i < text.size; i++) {
        int digit = base64_digit(text.data[i]);
        if (digit < 0)
            return bad("shader_code", "is no base64");
        bits = bits << 6 | (uint32_t)digit;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            data[used++] = (uint8_t)(bits >> bit_count);
        }
    }
    if (used == 0 || used % 4 != 0)
        return bad("shader_code", "is no SPIR-V: not whole words");
    *bytes = (mlia_bytes){data, used};
    return NULL;
}

static mlia_status *read_code(const json_t *root, mlia_arena *arena, mlia_shader *shader)
{
    static const char *const languages[] = {NULL, "SPIR-V", "GLSL", "HLSL"};
    const json_t *language = json_object_get(root, "shader_language");
    const json_t *code = json_object_get(root, "shader_code");
    shader->code_type = MLIA_VGF_CODE_SPIRV;
    if (language == NULL && code == NULL)
        return NULL;
    if (!json_is_string(language) || !json_is_string(code))
        return bad("shader_language", "and 'shader_code' must both be texts");
    mlia_str text = {json_string_value(code), json_string_length(code)};
    for (uint32_t type = MLIA_VGF_CODE_SPIRV; type <= MLIA_VGF_CODE_HLSL; type++) {
        if (strcmp(json_string_value(language), languages[type]) != 0)
            continue;
        shader->code_type = type;
        if (type == MLIA_VGF_CODE_SPIRV)
            return read_base64(text, arena, &shader->code);
        mlia_str copy = mlia_arena_str(arena, text);
        MLIA_TRY_ALLOC(copy.data);
        shader->code = (mlia_bytes){(const uint8_t *)copy.data, copy.size};
        return NULL;
    }
    return bad("shader_language", "must be SPIR-V, GLSL or HLSL");
}

static mlia_status *read_object(const json_t *root, const mlia_operator *op, mlia_arena *arena,
                                mlia_shader *shader)
{
    const json_t *entry_point = json_object_get(root, "entry_point");
    if (!json_is_string(entry_point))
        return bad("entry_point", "must be a text");
    shader->entry_point =
        mlia_arena_str(arena, (mlia_str){json_string_value(entry_point), json_string_length(entry_point)});
    MLIA_TRY_ALLOC(shader->entry_point.data);
    const json_t *groups = json_object_get(root, "workgroup_sizes");
    if (json_array_size(groups) != 3)
        return bad("workgroup_sizes", "must be a list of 3 numbers");
    for (uint32_t i = 0; i < 3; i++) {
        const json_t *group = json_array_get(groups, i);
        if (!json_is_integer(group) || json_integer_value(group) < 0 ||
            json_integer_value(group) > UINT32_MAX)
            return bad("workgroup_sizes", "must be a list of 3 numbers");
        shader->groups[i] = (uint32_t)json_integer_value(group);
    }
    MLIA_TRY(read_code(root, arena, shader));
    shader->inputs = MLIA_NEW_ARRAY(arena, mlia_shader_port, op->input_count);
    shader->outputs = MLIA_NEW_ARRAY(arena, mlia_shader_port, op->output_count);
    MLIA_TRY_ALLOC(shader->inputs);
    MLIA_TRY_ALLOC(shader->outputs);
    for (uint32_t i = 0; i < op->input_count; i++)
        MLIA_TRY(read_port(root, "input", i, &shader->inputs[i]));
    for (uint32_t i = 0; i < op->output_count; i++)
        MLIA_TRY(read_port(root, "output", i, &shader->outputs[i]));
    return NULL;
}

mlia_status *mlia_shader_parse(const mlia_operator *op, mlia_arena *arena, mlia_shader *shader)
{
    *shader = (mlia_shader){0};
    mlia_bytes text = op->attributes->implementation_attrs;
    while (text.size > 0 && text.data[text.size - 1] == 0)
        text.size--;
    json_error_t fault;
    json_t *root = json_loadb((const char *)text.data, text.size, JSON_REJECT_DUPLICATES, &fault);
    if (!json_is_object(root)) {
        json_decref(root);
        return mlia_error(MLIA_E_TOSA_ATTRIBUTE,
                          "the implementation attributes of a shader must be a JSON object");
    }
    mlia_status *status = read_object(root, op, arena, shader);
    json_decref(root);
    return status;
}
