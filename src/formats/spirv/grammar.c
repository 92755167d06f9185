/* The tables of grammar.h. */
#include "formats/spirv/grammar.h"

static const mlia_spirv_instruction_info instructions[] = {
#define X(opcode, name, operands) {opcode, "Op" #name, operands},
#include "formats/spirv/core.def"
#undef X
};

const mlia_spirv_instruction_info *mlia_spirv_describe(uint32_t opcode)
{
    size_t low = 0;
    size_t high = sizeof instructions / sizeof instructions[0];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (instructions[middle].opcode < opcode)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < sizeof instructions / sizeof instructions[0] && instructions[low].opcode == opcode;
    return found ? &instructions[low] : NULL;
}

#define F1(a)                               MLIA_FIELD_##a
#define F2(a, b)                            F1(a), F1(b)
#define F3(a, b, c)                         F2(a, b), F1(c)
#define F4(a, b, c, d)                      F3(a, b, c), F1(d)
#define F5(a, b, c, d, e)                   F4(a, b, c, d), F1(e)
#define PICK(_1, _2, _3, _4, _5, name, ...) name
#define FIELDS(...)                         LIST(PICK(__VA_ARGS__, F5, F4, F3, F2, F1, )(__VA_ARGS__))
#define LIST(...)                                                                                            \
    (const mlia_field[]){__VA_ARGS__}, sizeof((const mlia_field[]){__VA_ARGS__}) / sizeof(mlia_field)
#define NO_FIELDS NULL, 0

static const mlia_spirv_tosa_info tosa[MLIA_OP_LIMIT] = {
#define X(name, forms, fields) [MLIA_OP_##name] = {forms, fields},
#include "formats/spirv/tosa.def"
#undef X
};

const mlia_spirv_tosa_info *mlia_spirv_tosa_describe(uint32_t op)
{
    return &tosa[op < MLIA_OP_LIMIT ? op : MLIA_OP_FOREIGN];
}

static const struct {
    mlia_str prefix; /* of the import's name */
    mlia_spirv_set set;
} sets[] = {
    {MLIA_STR_INIT("TOSA.001000."), MLIA_SPIRV_SET_TOSA},
    {MLIA_STR_INIT("Arm.ExperimentalMLOperations."), MLIA_SPIRV_SET_ML_OPERATIONS},
    {MLIA_STR_INIT("Arm.MotionEngine."), MLIA_SPIRV_SET_MOTION_ENGINE},
    {MLIA_STR_INIT("NonSemantic.Graph.DebugInfo."), MLIA_SPIRV_SET_DEBUG},
    {MLIA_STR_INIT("NonSemantic.MLGraph.DebugInfo."), MLIA_SPIRV_SET_OLD_DEBUG},
    {MLIA_STR_INIT("NonSemantic."), MLIA_SPIRV_SET_NON_SEMANTIC},
};

mlia_spirv_set mlia_spirv_set_by_name(mlia_str name)
{
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        if (mlia_str_starts_with(name, sets[i].prefix))
            return sets[i].set;
    return MLIA_SPIRV_SET_UNKNOWN;
}

static const char *const motion_engine[] = {"MIN_SAD", "MIN_SAD_COST", "RAW_SAD"};

const char *mlia_spirv_set_instruction(mlia_spirv_set set, uint32_t number)
{
    switch (set) {
    case MLIA_SPIRV_SET_TOSA:
        return number < MLIA_OP_LAST_SPIRV ? mlia_op_describe(number + 1)->name.data : NULL;
    case MLIA_SPIRV_SET_ML_OPERATIONS:
        return number == 0 ? "CALL" : NULL;
    case MLIA_SPIRV_SET_MOTION_ENGINE:
        return number < sizeof motion_engine / sizeof motion_engine[0] ? motion_engine[number] : NULL;
    default:
        return NULL;
    }
}

/* Enumerants by operand letter. Capabilities: those of graph modules and the common ones around them. */
static const struct {
    char letter;
    uint32_t number;
    const char *name;
} enumerants[] = {
    {'c', 0, "Matrix"},
    {'c', 1, "Shader"},
    {'c', 4, "Addresses"},
    {'c', 5, "Linkage"},
    {'c', 6, "Kernel"},
    {'c', 9, "Float16"},
    {'c', 10, "Float64"},
    {'c', 11, "Int64"},
    {'c', 22, "Int16"},
    {'c', 39, "Int8"},
    {'c', 4174, "TensorsARM"},
    {'c', 4175, "StorageTensorArrayDynamicIndexingARM"},
    {'c', 4176, "StorageTensorArrayNonUniformIndexingARM"},
    {'c', 4191, "GraphARM"},
    {'c', 4212, "Float8EXT"},
    {'c', 4213, "Float8CooperativeMatrixEXT"},
    {'c', 5116, "BFloat16TypeKHR"},
    {'c', 5345, "VulkanMemoryModel"},
    {'c', 6024, "ReplicatedCompositesEXT"},
    {'d', 0, "RelaxedPrecision"},
    {'d', 1, "SpecId"},
    {'d', 2, "Block"},
    {'d', 6, "ArrayStride"},
    {'d', MLIA_SPIRV_BINDING, "Binding"},
    {'d', MLIA_SPIRV_DESCRIPTOR_SET, "DescriptorSet"},
    {'d', 35, "Offset"},
    {'S', 0, "UniformConstant"},
    {'S', 1, "Input"},
    {'S', 2, "Uniform"},
    {'S', 3, "Output"},
    {'S', 12, "StorageBuffer"},
    {'A', 0, "Logical"},
    {'A', 1, "Physical32"},
    {'A', 2, "Physical64"},
    {'M', 0, "Simple"},
    {'M', 1, "GLSL450"},
    {'M', 2, "OpenCL"},
    {'M', 3, "Vulkan"},
    {'F', MLIA_SPIRV_BFLOAT16, "BFloat16KHR"},
    {'F', MLIA_SPIRV_FLOAT8E4M3, "Float8E4M3EXT"},
    {'F', MLIA_SPIRV_FLOAT8E5M2, "Float8E5M2EXT"},
    {'L', 0, "Unknown"},
    {'L', 1, "ESSL"},
    {'L', 2, "GLSL"},
    {'L', 5, "HLSL"},
};

const char *mlia_spirv_enumerant(char letter, uint32_t number)
{
    for (size_t i = 0; i < sizeof enumerants / sizeof enumerants[0]; i++)
        if (enumerants[i].letter == letter && enumerants[i].number == number)
            return enumerants[i].name;
    return NULL;
}

/* Position = number of the enumeration acc_type in SPIR-V. */
static const mlia_type accumulators[] = {MLIA_TYPE_UNKNOWN, MLIA_TYPE_INT32, MLIA_TYPE_FP16, MLIA_TYPE_FP32,
                                         MLIA_TYPE_INT48};

uint32_t mlia_spirv_accumulator(uint32_t type)
{
    for (uint32_t i = 1; i < sizeof accumulators / sizeof accumulators[0]; i++)
        if (accumulators[i] == type)
            return i;
    return 0;
}

mlia_type mlia_spirv_accumulator_type(uint32_t number)
{
    return number < sizeof accumulators / sizeof accumulators[0] ? accumulators[number] : MLIA_TYPE_UNKNOWN;
}

static const mlia_spirv_element elements[] = {
    {MLIA_TYPE_BOOL, 0, false, -1, 0, NULL},
    {MLIA_TYPE_INT8, 8, false, -1, 39, NULL},
    {MLIA_TYPE_INT16, 16, false, -1, 22, NULL},
    {MLIA_TYPE_INT32, 32, false, -1, 0, NULL},
    {MLIA_TYPE_INT48, 64, false, -1, 11, NULL},
    {MLIA_TYPE_FP16, 16, true, -1, 9, NULL},
    {MLIA_TYPE_FP32, 32, true, -1, 0, NULL},
    {MLIA_TYPE_BF16, 16, true, MLIA_SPIRV_BFLOAT16, 5116, "SPV_KHR_bfloat16"},
    {MLIA_TYPE_FP8E4M3, 8, true, MLIA_SPIRV_FLOAT8E4M3, 4212, "SPV_EXT_float8"},
    {MLIA_TYPE_FP8E5M2, 8, true, MLIA_SPIRV_FLOAT8E5M2, 4212, "SPV_EXT_float8"},
};

const mlia_spirv_element *mlia_spirv_element_of(uint32_t type)
{
    if (type == MLIA_TYPE_INT4)
        type = MLIA_TYPE_INT8;
    else if (type == MLIA_TYPE_INT64)
        type = MLIA_TYPE_INT48;
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
        if (elements[i].type == type)
            return &elements[i];
    return NULL;
}

const mlia_spirv_element *mlia_spirv_element_by_spelling(bool is_float, uint32_t width, int32_t encoding)
{
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
        if (elements[i].is_float == is_float && elements[i].width == width &&
            elements[i].encoding == encoding)
            return &elements[i];
    return NULL;
}
