/* Recognising a file by its content. Refuses nothing: what is not recognised is MLIA_FORMAT_UNKNOWN. */
#include "formats/detect/format.h"

#include <strings.h>

#include "base/bytes.h"

static const mlia_format_info formats[MLIA_FORMAT_COUNT] = {
#define X(name, format_id, format_title, format_suffixes)                                                    \
    [MLIA_FORMAT_##name] = {.id = MLIA_STR_INIT(format_id),                                                  \
                            .title = MLIA_STR_INIT(format_title),                                            \
                            .suffixes = MLIA_STR_INIT(format_suffixes)},
#include "formats/detect/format.def"
#undef X
};

const mlia_format_info *mlia_format_describe(mlia_format format)
{
    return &formats[format];
}

mlia_format mlia_format_by_id(mlia_str id)
{
    for (size_t i = 0; i < MLIA_FORMAT_COUNT; i++)
        if (mlia_str_equal(formats[i].id, id))
            return (mlia_format)i;
    return MLIA_FORMAT_UNKNOWN;
}

static bool ends_with_ignoring_case(mlia_str text, mlia_str suffix)
{
    return suffix.size > 0 && text.size >= suffix.size &&
           strncasecmp(text.data + text.size - suffix.size, suffix.data, suffix.size) == 0;
}

mlia_format mlia_format_by_suffix(mlia_str path, size_t *suffix_size)
{
    for (size_t i = 0; i < MLIA_FORMAT_COUNT; i++) {
        mlia_str words = formats[i].suffixes;
        while (words.size > 0) {
            mlia_str suffix = mlia_str_take(&words, ' ');
            if (ends_with_ignoring_case(path, suffix)) {
                if (suffix_size != NULL)
                    *suffix_size = suffix.size;
                return (mlia_format)i;
            }
        }
    }
    if (suffix_size != NULL)
        *suffix_size = 0;
    return MLIA_FORMAT_UNKNOWN;
}

static bool has_text_at(mlia_bytes content, size_t offset, mlia_str text)
{
    return mlia_bytes_has(content, offset, text.size) &&
           memcmp(content.data + offset, text.data, text.size) == 0;
}

/* Bytes that say what the file is at a fixed place. */
static const struct {
    mlia_str text;
    uint8_t offset;
    uint8_t format;
} signatures[] = {
    {MLIA_STR_INIT("TFL3"), 4, MLIA_FORMAT_TFLITE},          {MLIA_STR_INIT("TOSA"), 4, MLIA_FORMAT_TOSA},
    {MLIA_STR_INIT("ML\xefR"), 0, MLIA_FORMAT_TOSAMLIR},     {MLIA_STR_INIT("VGF1"), 0, MLIA_FORMAT_VGF},
    {MLIA_STR_INIT("\xc3\xd2\xe1\xf0"), 0, MLIA_FORMAT_VGF}, /* deprecated magic */
    {MLIA_STR_INIT("\x03\x02\x23\x07"), 0, MLIA_FORMAT_SPV},
};

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_pte(mlia_bytes content)
{
    return has_text_at(content, 4, MLIA_STR("ET")) && mlia_bytes_has(content, 6, 2) &&
           is_digit(content.data[6]) && is_digit(content.data[7]);
}

static bool is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Text whose first token can begin an MLIR module. */
static bool is_mlir_text(mlia_bytes content)
{
    static const mlia_str starts[] = {
        MLIA_STR_INIT("module"),
        MLIA_STR_INIT("builtin.module"),
        MLIA_STR_INIT("func.func"),
        MLIA_STR_INIT("\"builtin.module\""),
        MLIA_STR_INIT("\"func.func\""),
        MLIA_STR_INIT("//"),
        MLIA_STR_INIT("#"),
        MLIA_STR_INIT("!"),
    };
    size_t position = 0;
    while (position < content.size && is_space(content.data[position]))
        position++;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (has_text_at(content, position, starts[i]))
            return true;
    return false;
}

/* Members that tell the two kinds of ZIP archive apart. A member of a PyTorch archive stands in a folder of
 * any name. */
static const struct {
    mlia_str ending;
    uint8_t format;
} zip_members[] = {
    {MLIA_STR_INIT("ETRECORD_V0"), MLIA_FORMAT_ETRECORD},
    {MLIA_STR_INIT("archive_format"), MLIA_FORMAT_PT2},
    {MLIA_STR_INIT("serialized_exported_program.json"), MLIA_FORMAT_PT2},
    {MLIA_STR_INIT("models/model.json"), MLIA_FORMAT_PT2},
};

static mlia_format format_of_member(mlia_str name)
{
    for (size_t i = 0; i < sizeof zip_members / sizeof *zip_members; i++)
        if (mlia_str_ends_with(name, zip_members[i].ending))
            return (mlia_format)zip_members[i].format;
    return MLIA_FORMAT_UNKNOWN;
}

/* Offset of the end-of-central-directory record, which is followed by at most 65535 bytes of comment. */
static bool find_zip_directory(mlia_bytes content, size_t *offset)
{
    enum { END_SIZE = 22, MAX_COMMENT = 65535 };
    if (content.size < END_SIZE)
        return false;
    size_t last = content.size - END_SIZE;
    size_t first = last > MAX_COMMENT ? last - MAX_COMMENT : 0;
    for (size_t position = last + 1; position-- > first;)
        if (memcmp(content.data + position, "PK\5\6", 4) == 0) {
            *offset = position;
            return true;
        }
    return false;
}

/* An archive that holds an ETRecord identifier is one, even if it also holds an exported program. */
static mlia_format detect_zip(mlia_bytes content)
{
    enum { ENTRY_SIZE = 46 };
    size_t end;
    if (!has_text_at(content, 0, MLIA_STR("PK\3\4")) || !find_zip_directory(content, &end))
        return MLIA_FORMAT_UNKNOWN;
    mlia_format found = MLIA_FORMAT_UNKNOWN;
    uint64_t position = mlia_load_u32(content.data + end + 16);
    while (mlia_bytes_has(content, position, ENTRY_SIZE)) {
        const uint8_t *entry = content.data + position;
        uint16_t name_size = mlia_load_u16(entry + 28);
        if (memcmp(entry, "PK\1\2", 4) != 0 || !mlia_bytes_has(content, position + ENTRY_SIZE, name_size))
            break;
        mlia_format format = format_of_member((mlia_str){(const char *)entry + ENTRY_SIZE, name_size});
        if (format == MLIA_FORMAT_ETRECORD)
            return format;
        if (format != MLIA_FORMAT_UNKNOWN)
            found = format;
        position += (uint64_t)ENTRY_SIZE + name_size + mlia_load_u16(entry + 30) + mlia_load_u16(entry + 32);
    }
    return found;
}

mlia_format mlia_format_detect(mlia_bytes content)
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (has_text_at(content, signatures[i].offset, signatures[i].text))
            return (mlia_format)signatures[i].format;
    if (is_pte(content))
        return MLIA_FORMAT_PTE;
    if (is_mlir_text(content))
        return MLIA_FORMAT_TOSAMLIR;
    return detect_zip(content);
}
