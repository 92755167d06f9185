/* A module as text, in the form of spirv-dis --raw-id. Does not check more than it needs to tell instructions
 * apart. */
#include <math.h>
#include <stdio.h>

#include "formats/spirv/module.h"

typedef struct listing {
    const spirv_module *module;
    mlia_map numbers; /* id → word of OpTypeInt, OpTypeFloat or OpExtInstImport */
    bool literal;     /* the next operand of an extended instruction is a number: the opcode of CALL */
    mlia_buffer *text;
} listing;

/* Word where the type or import `id` (whose place in the module is given) is defined; 0 for none. */
static uint32_t defined_at(const listing *out, uint32_t id_word)
{
    mlia_str key = {(const char *)out->module->bytes.data + (size_t)id_word * 4, 4};
    const uint32_t *word = mlia_map_find(&out->numbers, key);
    return word == NULL ? 0 : *word;
}

/* "-0x1.8p+3": sign, `exponent_bits` exponent, `fraction_bits` fraction as in IEEE 754. Infinity and NaN come
 * as the next larger exponent. */
static void print_hex_float(listing *out, uint64_t bits, unsigned exponent_bits, unsigned fraction_bits)
{
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    int exponent = (int)(bits >> fraction_bits & ((UINT64_C(1) << exponent_bits) - 1));
    int bias = (1 << (exponent_bits - 1)) - 1;
    bool zero = exponent == 0 && fraction == 0;
    if (exponent == 0 && !zero) { /* denormal: shift the leading one out of the fraction */
        exponent = 1;
        while ((fraction >> fraction_bits) == 0) {
            fraction <<= 1;
            exponent--;
        }
        fraction &= (UINT64_C(1) << fraction_bits) - 1;
    }
    mlia_buffer_format(out->text, "%s0x%c", bits >> (exponent_bits + fraction_bits) & 1 ? "-" : "",
                       zero ? '0' : '1');
    unsigned digits = (fraction_bits + 3) / 4;
    fraction <<= digits * 4 - fraction_bits;
    while (digits > 0 && (fraction & 15) == 0) {
        fraction >>= 4;
        digits--;
    }
    if (digits > 0)
        mlia_buffer_format(out->text, ".%0*llx", (int)digits, (unsigned long long)fraction);
    mlia_buffer_format(out->text, "p%+d", zero ? 0 : exponent - bias);
}

static void print_float(listing *out, uint64_t bits, uint32_t width, uint32_t encoding, bool encoded)
{
    if (width == 32) {
        uint32_t word = (uint32_t)bits;
        float number;
        memcpy(&number, &word, sizeof number);
        if (isnormal(number) || number == 0)
            mlia_buffer_format(out->text, "%.9g", (double)number);
        else
            print_hex_float(out, bits, 8, 23);
    } else if (width == 64) {
        double number;
        memcpy(&number, &bits, sizeof number);
        if (isnormal(number) || number == 0)
            mlia_buffer_format(out->text, "%.17g", number);
        else
            print_hex_float(out, bits, 11, 52);
    } else if (width == 16) {
        bool bfloat = encoded && encoding == MLIA_SPIRV_BFLOAT16;
        print_hex_float(out, bits, bfloat ? 8 : 5, bfloat ? 7 : 10);
    } else {
        bool e4m3 = encoding == MLIA_SPIRV_FLOAT8E4M3;
        print_hex_float(out, bits, e4m3 ? 4 : 5, e4m3 ? 3 : 2);
    }
}

/* The literal of OpConstant at `word`, in its type; words when the type is not known. */
static void print_number(listing *out, uint32_t type, uint32_t word, uint32_t count)
{
    const spirv_module *module = out->module;
    uint64_t bits =
        spirv_word(module, word) | (count == 2 ? (uint64_t)spirv_word(module, word + 1) << 32 : 0);
    spirv_instruction at = {0};
    bool known = type != 0 && count <= 2;
    if (known) {
        mlia_status *status = spirv_next(module, type, &at);
        mlia_status_free(status);
        known = status == NULL && at.count >= 3;
    }
    if (!known || (at.opcode != MLIA_SPIRV_OpTypeInt && at.opcode != MLIA_SPIRV_OpTypeFloat)) {
        for (uint32_t i = 0; i < count; i++)
            mlia_buffer_format(out->text, i == 0 ? "%u" : " %u", spirv_word(module, word + i));
        return;
    }
    uint32_t width = spirv_operand(module, &at, 1);
    if (at.opcode == MLIA_SPIRV_OpTypeFloat) {
        bool encoded = at.count > 3;
        print_float(out, bits, width, encoded ? spirv_operand(module, &at, 2) : 0, encoded);
    } else if (at.count > 3 && spirv_operand(module, &at, 2) != 0) {
        unsigned unused = width > 0 && width < 64 ? 64 - width : 0;
        mlia_buffer_format(out->text, "%lld", (long long)((int64_t)(bits << unused) >> unused));
    } else {
        mlia_buffer_format(out->text, "%llu", (unsigned long long)bits);
    }
}

static mlia_status *print_text(listing *out, const spirv_instruction *at, uint32_t word, uint32_t left,
                               uint32_t *used)
{
    mlia_str text = MLIA_STR_NONE;
    MLIA_TRY(spirv_text(out->module, at, word, left, &text, used));
    mlia_buffer_add_byte(out->text, '"');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"' || text.data[i] == '\\')
            mlia_buffer_add_byte(out->text, '\\');
        mlia_buffer_add_byte(out->text, (uint8_t)text.data[i]);
    }
    mlia_buffer_add_byte(out->text, '"');
    return NULL;
}

/* Operand at `word`, by its letter of core.def. `first` is where the instruction's operands begin. */
static mlia_status *print_operand(listing *out, const spirv_instruction *at, char letter, uint32_t word,
                                  uint32_t *used)
{
    const spirv_module *module = out->module;
    uint32_t end = at->word + at->count;
    uint32_t value = spirv_word(module, word);
    const char *name = NULL;
    *used = 1;
    switch (letter) {
    case 'T':
    case 'i':
    case 'f':
        mlia_buffer_format(out->text, "%%%u", value);
        return NULL;
    case 's':
        return print_text(out, at, word, end - word, used);
    case 'v':
        *used = end - word;
        print_number(out, defined_at(out, at->word + 1), word, *used);
        return NULL;
    case 'w':
        if (out->literal)
            mlia_buffer_format(out->text, "%d", (int32_t)value);
        else
            mlia_buffer_format(out->text, "%%%u", value); /* extended instructions: ids */
        out->literal = false;
        return NULL;
    case 'x': {
        uint32_t import = defined_at(out, word - 1);
        mlia_str set = MLIA_STR_NONE;
        spirv_instruction imported;
        uint32_t length;
        if (import != 0) {
            MLIA_TRY(spirv_next(module, import, &imported));
            MLIA_TRY(spirv_text(module, &imported, import + 2, imported.count - 2, &set, &length));
        }
        name = mlia_spirv_set_instruction(mlia_spirv_set_by_name(set), value);
        out->literal = mlia_spirv_set_by_name(set) == MLIA_SPIRV_SET_ML_OPERATIONS;
        break;
    }
    default:
        name = mlia_spirv_enumerant(letter, value);
        break;
    }
    if (name != NULL)
        mlia_buffer_format(out->text, "%s", name);
    else
        mlia_buffer_format(out->text, "%u", value);
    return NULL;
}

/* All words as numbers: an instruction that the table does not know. */
static void print_raw(listing *out, const spirv_instruction *at)
{
    mlia_buffer_format(out->text, "%15s Op%u", "", at->opcode);
    for (uint32_t i = 0; i + 1 < at->count; i++)
        mlia_buffer_format(out->text, " %u", spirv_operand(out->module, at, i));
    mlia_buffer_add_byte(out->text, '\n');
}

static mlia_status *print_instruction(listing *out, const spirv_instruction *at)
{
    const char *letters = at->info->operands;
    uint32_t result = letters[0] == 'R' ? 1 : letters[0] == 'T' ? 2 : 0;
    if (result >= at->count) {
        print_raw(out, at);
        return NULL;
    }
    char id[16] = "";
    if (result != 0)
        snprintf(id, sizeof id, "%%%u", spirv_word(out->module, at->word + result));
    mlia_buffer_format(out->text, result != 0 ? "%11s = %s" : "%11s   %s", id, at->info->name);
    uint32_t word = at->word + 1;
    uint32_t end = at->word + at->count;
    for (const char *letter = letters; *letter != 0 && word < end; letter++) {
        bool many = letter[1] == '*';
        while (word < end) {
            uint32_t used = 1;
            if (*letter != 'R') {
                mlia_buffer_add_byte(out->text, ' ');
                MLIA_TRY(print_operand(out, at, *letter, word, &used));
            }
            word += used;
            if (!many)
                break;
        }
        if (letter[1] == '*' || letter[1] == '?')
            letter++;
    }
    for (; word < end; word++)
        mlia_buffer_format(out->text, " %u", spirv_word(out->module, word));
    mlia_buffer_add_byte(out->text, '\n');
    return NULL;
}

/* Numbers are printed by their type, extended instructions by their set: their definitions come first. */
static mlia_status *collect(listing *out, const spirv_instruction *at)
{
    if (at->count < 2 || (at->opcode != MLIA_SPIRV_OpTypeInt && at->opcode != MLIA_SPIRV_OpTypeFloat &&
                          at->opcode != MLIA_SPIRV_OpExtInstImport))
        return NULL;
    mlia_str key = {(const char *)out->module->bytes.data + ((size_t)at->word + 1) * 4, 4};
    MLIA_TRY_ALLOC(mlia_map_insert(&out->numbers, key, at->word, NULL));
    return NULL;
}

static mlia_status *list(listing *out)
{
    spirv_instruction at;
    for (uint32_t word = MLIA_SPIRV_HEADER_WORDS; word < out->module->word_count; word += at.count) {
        MLIA_TRY(spirv_next(out->module, word, &at));
        MLIA_TRY(collect(out, &at));
        if (at.info == NULL)
            print_raw(out, &at);
        else
            MLIA_TRY(print_instruction(out, &at));
    }
    return mlia_buffer_status(out->text);
}

mlia_status *mlia_spirv_disassemble(mlia_bytes bytes, mlia_buffer *text)
{
    mlia_spirv_options options = {0};
    spirv_module module = {.bytes = bytes, .options = &options};
    MLIA_TRY(spirv_open(&module));
    mlia_arena *arena = mlia_arena_new(0);
    MLIA_TRY_ALLOC(arena);
    listing out = {.module = &module, .numbers = mlia_map_in(arena), .text = text};
    mlia_status *status = list(&out);
    mlia_arena_free(arena);
    return status;
}
