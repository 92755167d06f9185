/* Compatibility with neural technology: each operator gets a level from what the model converter does with
 * it, is demoted when it breaks a rule that the converter or the specification has, and says why. */
#include "targets/compatibility.h"

#include "graph/analyse.h"

/* --- words --- */

static const struct {
    mlia_str name;
    mlia_str nx_placement;
    mlia_str placement;
} levels[MLIA_LEVEL_COUNT] = {
    [MLIA_LEVEL_TOSA] = {MLIA_STR_INIT("TOSA"), MLIA_STR_INIT("NX"), MLIA_STR_INIT("NX")},
    [MLIA_LEVEL_SHADER] = {MLIA_STR_INIT("Shader"), MLIA_STR_INIT("EE"), MLIA_STR_INIT("GPU")},
    [MLIA_LEVEL_NON_NX] = {MLIA_STR_INIT("Non-NX"), MLIA_STR_INIT(""), MLIA_STR_INIT("CPU")},
};

mlia_str mlia_compatibility_level_name(mlia_compatibility_level level)
{
    return levels[level].name;
}

mlia_str mlia_compatibility_nx_placement(mlia_compatibility_level level)
{
    return levels[level].nx_placement;
}

mlia_str mlia_compatibility_placement(mlia_compatibility_level level)
{
    return levels[level].placement;
}

typedef enum reason_code {
    FLOAT_ON_SHADER,
    CUSTOM_ON_SHADER,
    FOLDED,
    BEYOND_LEVEL,
    FOREIGN,
    NOT_LOWERED,
    CUSTOM_DOMAIN,
    NO_EQUIVALENT, /* these five: why a conversion kept an operator as CUSTOM */
    NOT_ON_TYPES,
    NOT_KNOWN,
    BEYOND_LIMITS,
    NOT_CONVERTED,
    CONTROL_FLOW,
    VARIABLE,
    BAD_OPERATOR,
    BAD_TYPE,
    BAD_RANK,
    BAD_SHAPE,
    BAD_ATTRIBUTE,
    CONVERTER_TYPE,
} reason_code;

static const struct {
    mlia_str code;
    mlia_str description;
} reasons[] = {
    [FLOAT_ON_SHADER] = {MLIA_STR_INIT("W_FLOAT_ON_SHADER"),
                         MLIA_STR_INIT("Floating-point operators run on the execution engine, not on NX.")},
    [CUSTOM_ON_SHADER] = {MLIA_STR_INIT("W_CUSTOM_OPERATOR"),
                          MLIA_STR_INIT("Custom operators are compiled to a shader.")},
    [FOLDED] = {MLIA_STR_INIT("N_FOLDED"),
                MLIA_STR_INIT("The model converter removes this operator; it costs nothing.")},
    [BEYOND_LEVEL] = {MLIA_STR_INIT("W_LEVEL"),
                      MLIA_STR_INIT(
                          "The operator exceeds level 8K, the sizes that every implementation supports.")},
    [FOREIGN] = {MLIA_STR_INIT("E_FOREIGN_OPERATOR"),
                 MLIA_STR_INIT("The operator belongs to another dialect than TOSA.")},
    [NOT_LOWERED] = {MLIA_STR_INIT("E_OPERATOR"),
                     MLIA_STR_INIT("The operator cannot be lowered to an NX graph.")},
    [CUSTOM_DOMAIN] = {MLIA_STR_INIT("E_CUSTOM_OPERATOR"),
                       MLIA_STR_INIT("Only custom operators that hold a shader can be lowered.")},
    [NO_EQUIVALENT] = {MLIA_STR_INIT("E_TFLITE_OPERATOR"), MLIA_STR_INIT("TOSA has no such operator.")},
    [NOT_ON_TYPES] = {MLIA_STR_INIT("E_TFLITE_TYPE"),
                      MLIA_STR_INIT("TOSA has no such operator on these types.")},
    [NOT_KNOWN] = {MLIA_STR_INIT("E_TFLITE_DATA_DEPENDENT"),
                   MLIA_STR_INIT("A shape or constant that TOSA needs depends on data.")},
    [BEYOND_LIMITS] = {MLIA_STR_INIT("E_TFLITE_LIMIT"),
                       MLIA_STR_INIT("The operator goes beyond the limits of TOSA.")},
    [NOT_CONVERTED] = {MLIA_STR_INIT("E_NOT_CONVERTED"),
                       MLIA_STR_INIT("The conversion to TOSA kept the operator as it was.")},
    [CONTROL_FLOW] = {MLIA_STR_INIT("E_CONTROL_FLOW"),
                      MLIA_STR_INIT("Control flow cannot be lowered to an NX graph.")},
    [VARIABLE] = {MLIA_STR_INIT("E_VARIABLE"), MLIA_STR_INIT("Variables cannot be lowered to an NX graph.")},
    [BAD_OPERATOR] = {MLIA_STR_INIT("E_OPERANDS"), MLIA_STR_INIT("The operands do not fit the operator.")},
    [BAD_TYPE] = {MLIA_STR_INIT("E_TYPE"),
                  MLIA_STR_INIT("No profile of TOSA has the operator on these types.")},
    [BAD_RANK] = {MLIA_STR_INIT("E_RANK"),
                  MLIA_STR_INIT("A tensor has a rank that the operator cannot take.")},
    [BAD_SHAPE] = {MLIA_STR_INIT("E_SHAPE"), MLIA_STR_INIT("A shape breaks a rule of TOSA or is not known.")},
    [BAD_ATTRIBUTE] = {MLIA_STR_INIT("E_ATTRIBUTE"), MLIA_STR_INIT("An attribute breaks a rule of TOSA.")},
    [CONVERTER_TYPE] = {MLIA_STR_INIT("E_CONVERTER_TYPE"),
                        MLIA_STR_INIT("TOSA has the operator on these types, the model converter has not.")},
};

/* --- what the model converter does with operators --- */

typedef enum lowering {
    NEVER,  /* "failed to legalize": also all that later drafts may add */
    LOWERS, /* the operators 1-67 and CONST_SHAPE */
    FREE,   /* IDENTITY: taken and removed */
    FOLDS,  /* shape arithmetic on known shapes */
    POOLS,  /* adaptive pools with constant parameters become plain pools */
    SHADER, /* CUSTOM of the shader's domain */
    CONTROL,
    STATE,
} lowering;

static lowering lowering_of(uint32_t op)
{
    switch (op) {
    case MLIA_OP_CONST_SHAPE:
        return LOWERS;
    case MLIA_OP_IDENTITY:
        return FREE;
    case MLIA_OP_CUSTOM:
        return SHADER;
    case MLIA_OP_COND_IF:
    case MLIA_OP_WHILE_LOOP:
        return CONTROL;
    case MLIA_OP_VARIABLE:
    case MLIA_OP_VARIABLE_READ:
    case MLIA_OP_VARIABLE_WRITE:
        return STATE;
    case MLIA_OP_MAX_POOL2D_ADAPTIVE:
    case MLIA_OP_AVG_POOL2D_ADAPTIVE:
        return POOLS;
    case MLIA_OP_ASSERT_EQUAL_SHAPE:
        return NEVER;
    default:
        if (op >= 1 && op <= MLIA_OP_CONST)
            return LOWERS;
        return mlia_op_describe(op)->group == MLIA_GROUP_SHAPE ? FOLDS : NEVER;
    }
}

enum { MAX_CONVERTER_RANK = 6 };

/* Domain of custom operators that hold a shader. */
static const mlia_str shader_domain = MLIA_STR_INIT("com.arm.VulkanCustomShader");

/* --- one operator --- */

typedef struct checker {
    const mlia_graph *graph;
    mlia_arena *arena;
    const mlia_operator *op;
    mlia_compatibility_record *record;
} checker_state;

static mlia_status *add_reason(checker_state *checker, reason_code code, mlia_str detail)
{
    mlia_compatibility_record *record = checker->record;
    MLIA_TRY_ALLOC(detail.data);
    if (!MLIA_RESERVE(checker->arena, record->reasons, record->reason_count, record->reason_capacity))
        return mlia_error_memory();
    record->reasons[record->reason_count++] =
        (mlia_compatibility_reason){reasons[code].code, reasons[code].description, detail};
    return NULL;
}

/* The first failure decides what the record's `error` says; all are reasons. */
static mlia_status *fail_with(checker_state *checker, reason_code code, mlia_rule rule, mlia_str error,
                              mlia_str detail)
{
    mlia_compatibility_record *record = checker->record;
    if (record->level != MLIA_LEVEL_NON_NX) {
        record->level = MLIA_LEVEL_NON_NX;
        record->error = error;
        record->rule = mlia_rule_name(rule);
        record->reason_count = 0; /* why it would run elsewhere is of no interest any more */
    }
    return add_reason(checker, code, detail);
}

static mlia_status *fail_unsupported(checker_state *checker, reason_code code, mlia_str detail)
{
    return fail_with(checker, code, MLIA_RULE_OPERATOR, MLIA_STR("unsupported operation"), detail);
}

static mlia_str region_name(const checker_state *checker, uint32_t region)
{
    return checker->graph->regions[region].name;
}

static mlia_status *refuse_control_flow(checker_state *checker)
{
    uint32_t regions[2] = {0, 0};
    mlia_operator_regions(checker->op, regions);
    mlia_str first = region_name(checker, regions[0]);
    mlia_str second = region_name(checker, regions[1]);
    mlia_str detail = checker->op->op == MLIA_OP_WHILE_LOOP
                          ? mlia_arena_format(checker->arena, "WHILE_LOOP with condition region '%.*s'",
                                              MLIA_STR_ARG(first))
                          : mlia_arena_format(checker->arena, "COND_IF with regions '%.*s' and '%.*s'",
                                              MLIA_STR_ARG(first), MLIA_STR_ARG(second));
    return fail_unsupported(checker, CONTROL_FLOW, detail);
}

static mlia_status *refuse_variable(checker_state *checker)
{
    uint32_t variable = checker->op->attributes != NULL ? checker->op->attributes->variable : MLIA_NONE;
    mlia_str name =
        variable < checker->graph->variable_count ? checker->graph->variables[variable].name : MLIA_STR("");
    return fail_unsupported(checker, VARIABLE,
                            mlia_arena_format(checker->arena, "%.*s of '%.*s'",
                                              MLIA_STR_ARG(mlia_operator_name(checker->op)),
                                              MLIA_STR_ARG(name)));
}

/* An operator that a conversion kept as CUSTOM: it says itself why. */
static mlia_status *refuse_unconverted(checker_state *checker, const mlia_source *source)
{
    static const reason_code codes[] = {NO_EQUIVALENT, NOT_ON_TYPES, NOT_KNOWN, BEYOND_LIMITS, NOT_CONVERTED};
    size_t i = 0;
    while (codes[i] != NOT_CONVERTED && !mlia_str_equal(reasons[codes[i]].code, source->refusal_code))
        i++;
    mlia_rule rule = codes[i] == NOT_ON_TYPES ? MLIA_RULE_TYPE : MLIA_RULE_OPERATOR;
    return fail_with(checker, codes[i], rule, source->refusal, source->refusal);
}

static mlia_status *place_custom(checker_state *checker)
{
    uint32_t source = checker->op->source;
    const mlia_attributes *attributes = checker->op->attributes;
    mlia_str domain = attributes != NULL ? attributes->domain_name : MLIA_STR_NONE;
    mlia_str name = attributes != NULL ? attributes->operator_name : MLIA_STR_NONE;
    mlia_str detail = mlia_arena_format(checker->arena, "domain '%.*s', operator '%.*s'",
                                        MLIA_STR_ARG(domain), MLIA_STR_ARG(name));
    if (source != MLIA_NONE && checker->graph->sources[source].refusal.size > 0)
        MLIA_TRY(refuse_unconverted(checker, &checker->graph->sources[source]));
    if (!mlia_str_equal(domain, shader_domain))
        return fail_unsupported(checker, CUSTOM_DOMAIN, detail);
    checker->record->level = MLIA_LEVEL_SHADER;
    checker->record->supported = true;
    return add_reason(checker, CUSTOM_ON_SHADER, detail);
}

/* Integer results run on NX, floating-point ones on the execution engine: the first output decides. */
static mlia_status *place_by_type(checker_state *checker)
{
    checker->record->supported = true;
    if (checker->op->output_count == 0)
        return NULL;
    const mlia_graph_value *output = &checker->graph->values[checker->op->outputs[0]];
    if (!mlia_type_is_float(output->type))
        return NULL;
    checker->record->level = MLIA_LEVEL_SHADER;
    return add_reason(checker, FLOAT_ON_SHADER,
                      mlia_arena_format(checker->arena, "output 0 is %.*s",
                                        MLIA_STR_ARG(mlia_type_describe(output->type)->name)));
}

static mlia_status *place(checker_state *checker)
{
    mlia_str name = mlia_operator_name(checker->op);
    if (checker->op->op == MLIA_OP_FOREIGN)
        return fail_with(checker, FOREIGN, MLIA_RULE_OPERATOR,
                         mlia_arena_format(checker->arena, "%.*s: not a TOSA operator", MLIA_STR_ARG(name)),
                         name);
    switch (lowering_of(checker->op->op)) {
    case LOWERS:
    case POOLS:
        return place_by_type(checker);
    case FREE:
    case FOLDS:
        checker->record->supported = true;
        return add_reason(checker, FOLDED, name);
    case SHADER:
        return place_custom(checker);
    case CONTROL:
        return refuse_control_flow(checker);
    case STATE:
        return refuse_variable(checker);
    case NEVER:
    default:
        return fail_unsupported(checker, NOT_LOWERED, name);
    }
}

/* --- demotion --- */

static mlia_str type_name(const checker_state *checker, uint32_t value)
{
    return mlia_type_describe(checker->graph->values[value].type)->name;
}

static mlia_status *check_converter_types(checker_state *checker)
{
    const mlia_operator *op = checker->op;
    if (mlia_types_have_instruction(checker->graph, op))
        return NULL;
    mlia_str out = type_name(checker, op->outputs[0]);
    mlia_str name = mlia_operator_name(op);
    mlia_str error =
        op->input_count == 0
            ? mlia_arena_format(checker->arena, "%.*s of %.*s: legal, but the model converter refuses it",
                                MLIA_STR_ARG(name), MLIA_STR_ARG(out))
            : mlia_arena_format(
                  checker->arena, "%.*s on %.*s to %.*s: legal, but the model converter refuses it",
                  MLIA_STR_ARG(name), MLIA_STR_ARG(type_name(checker, op->inputs[0])), MLIA_STR_ARG(out));
    return fail_with(checker, CONVERTER_TYPE, MLIA_RULE_TYPE, error, error);
}

static mlia_status *check_converter_rank(checker_state *checker)
{
    const mlia_operator *op = checker->op;
    for (uint32_t i = 0; i < op->input_count + op->output_count; i++) {
        uint32_t value = i < op->input_count ? op->inputs[i] : op->outputs[i - op->input_count];
        const mlia_graph_value *item = &checker->graph->values[value];
        if (item->kind != MLIA_KIND_TENSOR || item->rank <= MAX_CONVERTER_RANK)
            continue;
        mlia_str error = mlia_arena_format(checker->arena, "%.*s: '%.*s' has rank %u, at most %d is possible",
                                           MLIA_STR_ARG(mlia_operator_name(op)), MLIA_STR_ARG(item->name),
                                           item->rank, MAX_CONVERTER_RANK);
        return fail_with(checker, BAD_RANK, MLIA_RULE_RANK, error, error);
    }
    return NULL;
}

static mlia_status *apply_finding(checker_state *checker, const mlia_finding *finding)
{
    static const reason_code codes[] = {
        [MLIA_RULE_OPERATOR] = BAD_OPERATOR,   [MLIA_RULE_TYPE] = BAD_TYPE,
        [MLIA_RULE_RANK] = BAD_RANK,           [MLIA_RULE_SHAPE] = BAD_SHAPE,
        [MLIA_RULE_ATTRIBUTE] = BAD_ATTRIBUTE,
    };
    if (finding->rule == MLIA_RULE_LEVEL)
        return add_reason(checker, BEYOND_LEVEL, finding->text);
    return fail_with(checker, codes[finding->rule], finding->rule, finding->text, finding->text);
}

/* Decides on one operator; `findings` are those about it. */
static mlia_status *check_operator(checker_state *checker, const mlia_finding *findings, size_t count)
{
    MLIA_TRY(place(checker));
    if (checker->record->level == MLIA_LEVEL_NON_NX)
        return NULL; /* it cannot be lowered whatever its types are */
    for (size_t i = 0; i < count; i++)
        MLIA_TRY(apply_finding(checker, &findings[i]));
    MLIA_TRY(check_converter_types(checker));
    return check_converter_rank(checker);
}

/* --- all operators --- */

static bool is_trivial(uint32_t op)
{
    return op == MLIA_OP_CONST || op == MLIA_OP_CONST_SHAPE || op == MLIA_OP_RESHAPE;
}

static void summarise(mlia_compatibility *result)
{
    size_t failed = result->per_level[MLIA_LEVEL_NON_NX];
    result->status = failed == 0               ? MLIA_COMPATIBILITY_OK
                     : failed == result->count ? MLIA_COMPATIBILITY_INCOMPATIBLE
                                               : MLIA_COMPATIBILITY_PARTIAL;
    if (result->count > 0)
        result->accelerator_percentage =
            100.0 * (double)result->per_level[MLIA_LEVEL_TOSA] / (double)result->count;
}

mlia_status *mlia_compatibility_check(const mlia_graph *graph, mlia_compatibility_options options,
                                      mlia_arena *arena, mlia_compatibility *result)
{
    mlia_findings findings = {0};
    *result = (mlia_compatibility){0};
    MLIA_TRY(mlia_graph_verify(graph, arena, &findings));
    result->records = MLIA_NEW_ARRAY(arena, mlia_compatibility_record, graph->operator_count);
    MLIA_TRY_ALLOC(result->records);
    size_t next = 0; /* finding: they are in operator order */
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        const mlia_operator *op = &graph->operators[i];
        size_t first = next;
        while (next < findings.count && findings.items[next].op == i)
            next++;
        if (op->number == MLIA_NONE || (options.skip_trivial && is_trivial(op->op)))
            continue;
        mlia_compatibility_record *record = &result->records[result->count++];
        *record =
            (mlia_compatibility_record){.op = i, .level = MLIA_LEVEL_TOSA, .trivial = is_trivial(op->op)};
        checker_state checker = {graph, arena, op, record};
        MLIA_TRY(check_operator(&checker, next > first ? &findings.items[first] : NULL, next - first));
        result->per_level[record->level]++;
    }
    summarise(result);
    return NULL;
}
