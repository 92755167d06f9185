/* Operations of MLIR bytecode: the module, its functions, and what is inside the main function. */
#include "formats/mlir/bytecode.h"

enum {
    HAS_ATTRIBUTES = 0x01,
    HAS_RESULTS = 0x02,
    HAS_OPERANDS = 0x04,
    HAS_SUCCESSORS = 0x08,
    HAS_REGIONS = 0x10,
    HAS_USE_ORDER = 0x20,
    HAS_PROPERTIES = 0x40,
};

typedef struct operation_header {
    mlia_mlir_operation base; /* operands are value numbers until they are looked up */
    uint8_t mask;
    uint32_t region_count;
    bool isolated;
} operation_header;

typedef struct bytecode_function {
    mlia_mlir_operation operation;
    mlia_reader region; /* at its number of blocks */
    mlia_str name;
    const mlia_mlir_type *type;
} bytecode_function;

typedef struct module_reader {
    mlia_mlir_bytecode *file;
    bytecode_function *functions;
    size_t function_count;
    size_t function_capacity;
    uint32_t *values;  /* by number, from the function inward */
    size_t value_base; /* number 0 of the current isolated region */
    size_t value_count;
    size_t value_capacity;
} module_reader;

static mlia_status *skip_numbers(const mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t count)
{
    uint64_t ignored = 0;
    for (uint32_t i = 0; i < count; i++)
        MLIA_TRY(mlia_mlir_read_number(file, reader, &ignored));
    return NULL;
}

static mlia_status *skip_list(const mlia_mlir_bytecode *file, mlia_reader *reader)
{
    uint32_t count = 0;
    MLIA_TRY(mlia_mlir_read_count(file, reader, &count));
    return skip_numbers(file, reader, count);
}

/* Use-list orders of `values` values: they only matter to printers. */
static mlia_status *skip_use_order(const mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t values)
{
    uint32_t entries = 1;
    if (values > 1)
        MLIA_TRY(mlia_mlir_read_count(file, reader, &entries));
    for (uint32_t i = 0; i < entries; i++) {
        uint64_t count = 0;
        bool pairs = false;
        if (values > 1)
            MLIA_TRY(skip_numbers(file, reader, 1));
        MLIA_TRY(mlia_mlir_read_flagged(file, reader, &count, &pairs));
        if (count > mlia_reader_left(reader))
            return mlia_mlir_reader_error(file, MLIA_MLIR_TRUNCATED, reader,
                                          "a count is larger than the bytes left");
        MLIA_TRY(skip_numbers(file, reader, (uint32_t)count));
    }
    return NULL;
}

/* ---- operations ---- */

static mlia_status *read_attributes(module_reader *module, mlia_reader *reader,
                                    mlia_mlir_operation *operation)
{
    const mlia_mlir_attribute *dictionary;
    MLIA_TRY(mlia_mlir_read_attribute(module->file, reader, &dictionary));
    if (dictionary->kind != MLIA_MLIR_DICTIONARY)
        return mlia_mlir_reader_error(module->file, MLIA_MLIR_TYPE, reader,
                                      "expected a dictionary of attributes");
    for (uint32_t i = 0; i < dictionary->count; i++)
        MLIA_TRY(mlia_mlir_add_attribute(module->file, &operation->attributes, dictionary->as.members[i].name,
                                         dictionary->as.members[i].value));
    return NULL;
}

static mlia_status *read_result_types(module_reader *module, mlia_reader *reader,
                                      mlia_mlir_operation *operation)
{
    MLIA_TRY(mlia_mlir_read_count(module->file, reader, &operation->result_count));
    const mlia_mlir_type **types =
        MLIA_NEW_ARRAY(module->file->context.arena, const mlia_mlir_type *, operation->result_count);
    MLIA_TRY_ALLOC(types);
    for (uint32_t i = 0; i < operation->result_count; i++)
        MLIA_TRY(mlia_mlir_read_type(module->file, reader, &types[i]));
    operation->results = types;
    return NULL;
}

/* Operands become values of the graph, as the current region calls them. */
static mlia_status *read_operands(module_reader *module, mlia_reader *reader, mlia_mlir_operation *operation)
{
    mlia_mlir_bytecode *file = module->file;
    MLIA_TRY(mlia_mlir_read_count(file, reader, &operation->operand_count));
    uint32_t *operands = MLIA_NEW_ARRAY(file->context.arena, uint32_t, operation->operand_count);
    MLIA_TRY_ALLOC(operands);
    for (uint32_t i = 0; i < operation->operand_count; i++) {
        const uint8_t *place = reader->bytes.data + reader->position;
        uint64_t number = 0;
        MLIA_TRY(mlia_mlir_read_number(file, reader, &number));
        if (number >= module->value_count - module->value_base)
            return mlia_mlir_error(&file->context, MLIA_MLIR_DANGLING, place,
                                   "value %llu is used before its definition", (unsigned long long)number);
        MLIA_TRY(mlia_mlir_use(&file->builder, module->values[module->value_base + number], &operands[i]));
    }
    operation->operands = operands;
    return NULL;
}

static mlia_status *read_header(module_reader *module, mlia_reader *reader, operation_header *header)
{
    mlia_mlir_bytecode *file = module->file;
    const mlia_mlir_attribute *location;
    uint32_t name = 0;
    *header = (operation_header){
        .base = {.position = reader->bytes.data + reader->position, .ssa = MLIA_MLIR_NO_SSA}};
    mlia_mlir_operation *base = &header->base;
    MLIA_TRY(mlia_mlir_read_index(file, reader, file->name_count, "operation name", &name));
    base->name = file->names[name];
    MLIA_TRY(mlia_mlir_read_byte(file, reader, &header->mask));
    if (header->mask & 0x80)
        return mlia_mlir_reader_error(file, MLIA_MLIR_ENUM, reader, "operation has an unknown part");
    MLIA_TRY(mlia_mlir_read_attribute(file, reader, &location));
    if (location->kind == MLIA_MLIR_LOCATION)
        base->location = location->text;
    if (header->mask & HAS_ATTRIBUTES)
        MLIA_TRY(read_attributes(module, reader, base));
    if (header->mask & HAS_PROPERTIES)
        MLIA_TRY(mlia_mlir_read_properties(file, reader, base));
    if (header->mask & HAS_RESULTS)
        MLIA_TRY(read_result_types(module, reader, base));
    if (header->mask & HAS_OPERANDS)
        MLIA_TRY(read_operands(module, reader, base));
    if (header->mask & HAS_SUCCESSORS)
        return mlia_mlir_reader_error(file, MLIA_MLIR_UNSUPPORTED, reader,
                                      "operation with successors: functions of several blocks are no TOSA");
    if (header->mask & HAS_USE_ORDER)
        MLIA_TRY(skip_use_order(file, reader, base->result_count));
    if (header->mask & HAS_REGIONS) {
        uint64_t count = 0;
        MLIA_TRY(mlia_mlir_read_flagged(file, reader, &count, &header->isolated));
        if (count > mlia_reader_left(reader))
            return mlia_mlir_reader_error(file, MLIA_MLIR_TRUNCATED, reader,
                                          "a count is larger than the bytes left");
        header->region_count = (uint32_t)count;
        base->region_count = header->region_count;
    }
    return NULL;
}

/* ---- regions that are passed over ---- */

static mlia_status *skip_operation(const mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t depth);

static mlia_status *skip_block(const mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t depth)
{
    uint64_t operations = 0;
    bool has_arguments = false;
    uint32_t count = 0;
    MLIA_TRY(mlia_mlir_read_flagged(file, reader, &operations, &has_arguments));
    if (has_arguments) {
        MLIA_TRY(mlia_mlir_read_count(file, reader, &count));
        for (uint32_t i = 0; i < count; i++) {
            uint64_t type = 0;
            bool located = true;
            if (file->version >= 4)
                MLIA_TRY(mlia_mlir_read_flagged(file, reader, &type, &located));
            else
                MLIA_TRY(mlia_mlir_read_number(file, reader, &type));
            MLIA_TRY(skip_numbers(file, reader, located ? 1 : 0));
        }
        uint8_t ordered = 0;
        if (file->version >= 3)
            MLIA_TRY(mlia_mlir_read_byte(file, reader, &ordered));
        if (ordered)
            MLIA_TRY(skip_use_order(file, reader, count));
    }
    for (uint64_t i = 0; i < operations; i++)
        MLIA_TRY(skip_operation(file, reader, depth));
    return NULL;
}

static mlia_status *skip_region(const mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t depth)
{
    uint32_t blocks = 0;
    if (depth > MLIA_MLIR_REGION_LIMIT)
        return mlia_mlir_reader_error(file, MLIA_MLIR_LIMIT, reader, "regions nested deeper than 256 levels");
    MLIA_TRY(mlia_mlir_read_count(file, reader, &blocks));
    if (blocks > 0)
        MLIA_TRY(skip_numbers(file, reader, 1));
    for (uint32_t i = 0; i < blocks; i++)
        MLIA_TRY(skip_block(file, reader, depth));
    return NULL;
}

static mlia_status *skip_regions(const mlia_mlir_bytecode *file, mlia_reader *reader, uint64_t count,
                                 bool isolated, uint32_t depth)
{
    if (isolated && file->version >= 2) {
        uint8_t id = 0;
        mlia_bytes ignored;
        return mlia_mlir_read_section(file, reader, &id, &ignored);
    }
    for (uint64_t i = 0; i < count; i++)
        MLIA_TRY(skip_region(file, reader, depth + 1));
    return NULL;
}

static mlia_status *skip_operation(const mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t depth)
{
    uint8_t mask = 0;
    uint32_t results = 0;
    MLIA_TRY(skip_numbers(file, reader, 1));
    MLIA_TRY(mlia_mlir_read_byte(file, reader, &mask));
    MLIA_TRY(
        skip_numbers(file, reader, 1u + ((mask & HAS_ATTRIBUTES) != 0) + ((mask & HAS_PROPERTIES) != 0)));
    if (mask & HAS_RESULTS) {
        MLIA_TRY(mlia_mlir_read_count(file, reader, &results));
        MLIA_TRY(skip_numbers(file, reader, results));
    }
    if (mask & HAS_OPERANDS)
        MLIA_TRY(skip_list(file, reader));
    if (mask & HAS_SUCCESSORS)
        MLIA_TRY(skip_list(file, reader));
    if (mask & HAS_USE_ORDER)
        MLIA_TRY(skip_use_order(file, reader, results));
    if ((mask & HAS_REGIONS) == 0)
        return NULL;
    uint64_t count = 0;
    bool isolated = false;
    MLIA_TRY(mlia_mlir_read_flagged(file, reader, &count, &isolated));
    if (count > mlia_reader_left(reader))
        return mlia_mlir_reader_error(file, MLIA_MLIR_TRUNCATED, reader,
                                      "a count is larger than the bytes left");
    return skip_regions(file, reader, count, isolated, depth);
}

/* ---- the main function ---- */

static mlia_status *push_values(module_reader *module, const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!MLIA_RESERVE(module->file->context.arena, module->values, module->value_count,
                          module->value_capacity))
            return mlia_error_memory();
        module->values[module->value_count++] = values[i];
    }
    return NULL;
}

typedef struct block_header {
    uint64_t operation_count;
    const mlia_mlir_type **types;
    uint32_t argument_count;
} block_header;

static mlia_status *read_arguments(mlia_mlir_bytecode *file, mlia_reader *reader, block_header *block)
{
    MLIA_TRY(mlia_mlir_read_count(file, reader, &block->argument_count));
    block->types = MLIA_NEW_ARRAY(file->context.arena, const mlia_mlir_type *, block->argument_count);
    MLIA_TRY_ALLOC(block->types);
    for (uint32_t i = 0; i < block->argument_count; i++) {
        uint64_t type = 0;
        bool located = true;
        const mlia_mlir_attribute *location;
        if (file->version >= 4) {
            MLIA_TRY(mlia_mlir_read_flagged(file, reader, &type, &located));
            MLIA_TRY(mlia_mlir_type_at(file, type, &block->types[i]));
        } else {
            MLIA_TRY(mlia_mlir_read_type(file, reader, &block->types[i]));
        }
        if (located)
            MLIA_TRY(mlia_mlir_read_attribute(file, reader, &location));
    }
    uint8_t ordered = 0;
    if (file->version >= 3)
        MLIA_TRY(mlia_mlir_read_byte(file, reader, &ordered));
    return ordered ? skip_use_order(file, reader, block->argument_count) : NULL;
}

/* A region of exactly one block, up to its first operation. */
static mlia_status *read_single_block(mlia_mlir_bytecode *file, mlia_reader *reader, block_header *block)
{
    uint32_t blocks = 0;
    bool has_arguments = false;
    *block = (block_header){0};
    MLIA_TRY(mlia_mlir_read_count(file, reader, &blocks));
    if (blocks != 1)
        return mlia_mlir_reader_error(file, MLIA_MLIR_UNSUPPORTED, reader,
                                      "functions and regions of TOSA have exactly one block");
    MLIA_TRY(skip_numbers(file, reader, 1)); /* number of values */
    MLIA_TRY(mlia_mlir_read_flagged(file, reader, &block->operation_count, &has_arguments));
    return has_arguments ? read_arguments(file, reader, block) : NULL;
}

static mlia_status *read_operations(module_reader *module, mlia_reader *reader, uint64_t count,
                                    const mlia_mlir_type *function);

/* An isolated region numbers its values from 0; another one goes on with the numbers around it. */
static mlia_status *read_region(module_reader *module, mlia_reader *reader, uint32_t index, uint32_t number,
                                bool isolated, mlia_mlir_captures *captures)
{
    mlia_mlir_bytecode *file = module->file;
    const uint8_t *place = reader->bytes.data + reader->position;
    size_t outer_base = module->value_base;
    size_t outer_count = module->value_count;
    if (isolated)
        module->value_base = outer_count;
    block_header block;
    MLIA_TRY(read_single_block(file, reader, &block));
    uint32_t *arguments = MLIA_NEW_ARRAY(file->context.arena, uint32_t, block.argument_count);
    MLIA_TRY_ALLOC(arguments);
    MLIA_TRY(mlia_mlir_begin_region(&file->builder, index, number, block.types, block.argument_count,
                                    arguments, place));
    MLIA_TRY(push_values(module, arguments, block.argument_count));
    MLIA_TRY(read_operations(module, reader, block.operation_count, NULL));
    module->value_base = outer_base;
    module->value_count = outer_count;
    return mlia_mlir_end_region(&file->builder, captures);
}

/* The section that holds the regions of an isolated operation. */
static mlia_status *read_nested_section(const mlia_mlir_bytecode *file, mlia_reader *reader,
                                        mlia_reader *nested)
{
    uint8_t id = 0;
    mlia_bytes bytes;
    MLIA_TRY(mlia_mlir_read_section(file, reader, &id, &bytes));
    if (id != MLIA_MLIR_IR)
        return mlia_mlir_reader_error(file, MLIA_MLIR_SYNTAX, reader, "expected a section of operations");
    *nested = mlia_reader_of(bytes);
    return NULL;
}

static mlia_status *build_operation(module_reader *module, mlia_reader *reader, operation_header *header)
{
    mlia_mlir_bytecode *file = module->file;
    mlia_mlir_operation *base = &header->base;
    uint32_t *results = MLIA_NEW_ARRAY(file->context.arena, uint32_t, base->result_count);
    MLIA_TRY_ALLOC(results);
    uint32_t index = 0;
    MLIA_TRY(mlia_mlir_add_operation(&file->builder, base, results, &index));
    MLIA_TRY(push_values(module, results, base->result_count));
    if (file->builder.graph->operators[index].op == MLIA_OP_FOREIGN)
        return skip_regions(file, reader, header->region_count, header->isolated, 0);
    if (header->region_count == 0)
        return NULL;
    mlia_reader nested = *reader;
    bool section = header->isolated && file->version >= 2;
    if (section)
        MLIA_TRY(read_nested_section(file, reader, &nested));
    mlia_mlir_captures captures[2];
    for (uint32_t k = 0; k < 2; k++)
        MLIA_TRY(read_region(module, &nested, index, k, header->isolated, &captures[k]));
    if (section)
        MLIA_TRY(mlia_mlir_read_end(file, &nested, "the regions of an operator"));
    else
        *reader = nested;
    return mlia_mlir_join_regions(&file->builder, index, captures, base->position);
}

/* The operations of a block; the last one ends it. `function` is the type to compare results with, or NULL.
 */
static mlia_status *read_operations(module_reader *module, mlia_reader *reader, uint64_t count,
                                    const mlia_mlir_type *function)
{
    mlia_mlir_bytecode *file = module->file;
    for (uint64_t i = 0; i < count; i++) {
        operation_header header;
        MLIA_TRY(read_header(module, reader, &header));
        const mlia_mlir_operation *base = &header.base;
        bool terminator =
            mlia_str_equal_c(base->name, "func.return") || mlia_str_equal_c(base->name, "tosa.yield");
        if (terminator != (i + 1 == count) || (terminator && base->region_count > 0))
            return mlia_mlir_error(
                &file->context, MLIA_MLIR_SYNTAX, base->position,
                "expected func.return or tosa.yield exactly at the end of a block, found %.*s",
                MLIA_STR_ARG(base->name));
        if (!terminator)
            MLIA_TRY(build_operation(module, reader, &header));
        else
            return mlia_mlir_terminate(&file->builder, base->operands, base->operand_count,
                                       function != NULL ? function->results : NULL,
                                       function != NULL ? function->result_count : base->operand_count,
                                       base->position);
    }
    return mlia_mlir_reader_error(file, MLIA_MLIR_SYNTAX, reader, "block without operations");
}

static mlia_status *build_function(module_reader *module, const bytecode_function *function)
{
    mlia_mlir_bytecode *file = module->file;
    mlia_reader reader = function->region;
    block_header block;
    MLIA_TRY(read_single_block(file, &reader, &block));
    uint32_t *arguments = MLIA_NEW_ARRAY(file->context.arena, uint32_t, block.argument_count);
    MLIA_TRY_ALLOC(arguments);
    MLIA_TRY(mlia_mlir_begin_function(&file->builder, function->name, block.types, block.argument_count,
                                      arguments, function->operation.position));
    MLIA_TRY(push_values(module, arguments, block.argument_count));
    MLIA_TRY(read_operations(module, &reader, block.operation_count, function->type));
    const mlia_mlir_dictionary *attributes = &function->operation.attributes;
    return mlia_mlir_name_interface(&file->builder, mlia_mlir_get(attributes, MLIA_STR("arg_attrs")),
                                    mlia_mlir_get(attributes, MLIA_STR("res_attrs")), attributes);
}

/* ---- the module ---- */

/* Remembers a function with a body; `regions` stands at its only region. */
static mlia_status *note_function(module_reader *module, const operation_header *header, mlia_reader regions)
{
    const mlia_mlir_operation *base = &header->base;
    const mlia_mlir_attribute *name =
        mlia_mlir_get_kind(&base->attributes, MLIA_STR("sym_name"), MLIA_MLIR_STRING);
    const mlia_mlir_attribute *type =
        mlia_mlir_get_kind(&base->attributes, MLIA_STR("function_type"), MLIA_MLIR_TYPE_ATTRIBUTE);
    if (name == NULL || !mlia_utf8_valid(name->text) || type == NULL ||
        type->type->kind != MLIA_MLIR_TYPE_FUNCTION)
        return mlia_mlir_error(&module->file->context, MLIA_MLIR_ATTRIBUTE, base->position,
                               "func.func needs the attributes 'sym_name' and 'function_type'");
    if (header->region_count != 1 || mlia_reader_left(&regions) == 0 ||
        regions.bytes.data[regions.position] == 1)
        return NULL; /* a declaration: no blocks (the number 0 is the byte 1) */
    if (!MLIA_RESERVE(module->file->context.arena, module->functions, module->function_count,
                      module->function_capacity))
        return mlia_error_memory();
    module->functions[module->function_count++] =
        (bytecode_function){.operation = *base, .region = regions, .name = name->text, .type = type->type};
    return NULL;
}

static mlia_status *read_member(module_reader *module, mlia_reader *reader)
{
    mlia_mlir_bytecode *file = module->file;
    operation_header header;
    MLIA_TRY(read_header(module, reader, &header));
    mlia_reader regions = *reader;
    if (header.isolated && file->version >= 2) {
        MLIA_TRY(read_nested_section(file, reader, &regions));
    } else {
        MLIA_TRY(skip_regions(file, reader, header.region_count, false, 0));
    }
    if (mlia_str_equal_c(header.base.name, "func.func"))
        return note_function(module, &header, regions);
    if (mlia_str_equal_c(header.base.name, "tosa.variable"))
        return mlia_mlir_add_variable(&file->builder, &header.base);
    return NULL; /* another dialect's declaration */
}

/* main, else the first; there is at least one. */
static const bytecode_function *choose_function(const module_reader *module)
{
    const bytecode_function *first = &module->functions[0];
    for (size_t i = 0; i < module->function_count; i++)
        if (mlia_str_equal_c(module->functions[i].name, "main"))
            return &module->functions[i];
    if (module->function_count > 1)
        mlia_warn(module->file->context.diagnostics, MLIA_W_MLIR_MAIN,
                  "%zu functions and none is called main: '%.*s' is used, '%.*s' is not",
                  module->function_count, MLIA_STR_ARG(first->name), MLIA_STR_ARG(module->functions[1].name));
    return first;
}

/* The operations of a module's region. */
static mlia_status *read_members(module_reader *module, mlia_reader *reader)
{
    block_header block;
    MLIA_TRY(read_single_block(module->file, reader, &block));
    for (uint64_t i = 0; i < block.operation_count; i++)
        MLIA_TRY(read_member(module, reader));
    return NULL;
}

mlia_status *mlia_mlir_read_module(mlia_mlir_bytecode *file)
{
    module_reader module = {.file = file};
    mlia_reader reader = mlia_reader_of(file->sections[MLIA_MLIR_IR]);
    uint64_t count = 0;
    bool has_arguments = false;
    operation_header header;
    MLIA_TRY(mlia_mlir_read_flagged(file, &reader, &count, &has_arguments));
    if (count != 1 || has_arguments)
        return mlia_mlir_reader_error(file, MLIA_MLIR_SYNTAX, &reader, "expected one module");
    MLIA_TRY(read_header(&module, &reader, &header));
    if (!mlia_str_equal_c(header.base.name, "builtin.module") || header.region_count != 1)
        return mlia_mlir_error(&file->context, MLIA_MLIR_SYNTAX, header.base.position,
                               "expected a module, found %.*s", MLIA_STR_ARG(header.base.name));
    if (header.isolated && file->version >= 2) {
        mlia_reader nested;
        MLIA_TRY(read_nested_section(file, &reader, &nested));
        MLIA_TRY(mlia_mlir_read_end(file, &reader, "the operations"));
        reader = nested;
    }
    MLIA_TRY(read_members(&module, &reader));
    MLIA_TRY(mlia_mlir_read_end(file, &reader, "the module"));
    if (module.function_count == 0)
        return mlia_mlir_error(&file->context, MLIA_MLIR_EMPTY, reader.bytes.data,
                               "the module has no function with a body");
    MLIA_TRY(build_function(&module, choose_function(&module)));
    return mlia_mlir_builder_finish(&file->builder, &header.base.attributes);
}
