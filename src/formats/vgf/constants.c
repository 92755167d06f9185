/* The constant section: the raw layout (0.4.0 on), told by its tag, or a FlatBuffers table (0.3.0). Data is
 * never looked at, only its place checked. */
#include "formats/vgf/read.h"

static mlia_status *fault(const vgf_reading *file, uint64_t offset, mlia_status *status)
{
    return mlia_status_in(
        mlia_status_at(status, (uint64_t)(file->sections[VGF_CONSTANTS].data - file->bytes.data) + offset),
        "constants");
}

static mlia_status *read_raw(vgf_reading *file)
{
    mlia_bytes section = file->sections[VGF_CONSTANTS];
    uint64_t count = mlia_load_u64(section.data + 8);
    if (count > (section.size - VGF_CONSTANTS_HEADER) / VGF_CONSTANTS_ENTRY || count > UINT32_MAX)
        return fault(file, 8,
                     mlia_error(MLIA_E_VGF_CONSTANTS, "%llu constants cannot stand in %zu bytes",
                                (unsigned long long)count, section.size));
    size_t payload_offset = VGF_CONSTANTS_HEADER + (size_t)count * VGF_CONSTANTS_ENTRY;
    mlia_bytes payload = mlia_bytes_slice(section, payload_offset, section.size - payload_offset);
    file->vgf->constants = MLIA_NEW_ARRAY(file->arena, mlia_vgf_constant, (size_t)count);
    MLIA_TRY_ALLOC(file->vgf->constants);
    file->vgf->constant_count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        size_t place = VGF_CONSTANTS_HEADER + (size_t)i * VGF_CONSTANTS_ENTRY;
        const uint8_t *entry = section.data + place;
        uint64_t size = mlia_load_u64(entry + 8);
        uint64_t offset = mlia_load_u64(entry + 16);
        if (!mlia_bytes_has(payload, offset, size))
            return fault(file, place + 8,
                         mlia_error(MLIA_E_VGF_CONSTANTS, "constant %u: %llu bytes at byte %llu of %zu", i,
                                    (unsigned long long)size, (unsigned long long)offset, payload.size));
        file->vgf->constants[i] =
            (mlia_vgf_constant){mlia_load_u32(entry), (int32_t)mlia_load_u32(entry + 4),
                                mlia_bytes_slice(payload, (size_t)offset, (size_t)size)};
        if (file->vgf->constants[i].sparsity_dimension < -1)
            return fault(file, place + 4,
                         mlia_error(MLIA_E_VGF_CONSTANTS, "constant %u: sparsity dimension %d", i,
                                    file->vgf->constants[i].sparsity_dimension));
    }
    return NULL;
}

static const mlia_flatbuf_rules old_rules = {
    .flags = MLIA_FLATBUF_ALIGNED,
    .table_limit = 1000000,
    .short_kind = MLIA_E_VGF_CONSTANTS,
    .identifier_kind = MLIA_E_VGF_CONSTANTS,
    .offset_kind = MLIA_E_VGF_CONSTANTS,
    .missing_kind = MLIA_E_VGF_CONSTANTS,
    .text_kind = MLIA_E_VGF_CONSTANTS,
    .limit_kind = MLIA_E_VGF_CONSTANTS,
    .warning_kind = MLIA_E_VGF_CONSTANTS,
};

static mlia_status *read_old(vgf_reading *file)
{
    mlia_flatbuf buffer;
    MLIA_TRY(vgf_open_table(file, VGF_CONSTANTS, &old_rules, &mlia_vgf_old_constants_table, &buffer));
    mlia_flatbuf_vector list =
        mlia_flatbuf_list(mlia_flatbuf_root(&buffer, &mlia_vgf_old_constants_table), OLD_CONSTANTS_DATA);
    file->vgf->constants = MLIA_NEW_ARRAY(file->arena, mlia_vgf_constant, list.count);
    MLIA_TRY_ALLOC(file->vgf->constants);
    file->vgf->constant_count = (uint32_t)list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        mlia_flatbuf_table table = mlia_flatbuf_table_at(list, i);
        int64_t sparsity = mlia_flatbuf_integer(table, OLD_CONSTANT_SPARSITY);
        if (sparsity < -1 || sparsity > INT32_MAX)
            return fault(file, mlia_flatbuf_offset(table, OLD_CONSTANT_SPARSITY),
                         mlia_error(MLIA_E_VGF_CONSTANTS, "constant %u: sparsity dimension %lld", i,
                                    (long long)sparsity));
        file->vgf->constants[i] =
            (mlia_vgf_constant){mlia_flatbuf_u32(table, OLD_CONSTANT_RESOURCE), (int32_t)sparsity,
                                mlia_flatbuf_bytes(table, OLD_CONSTANT_RAW)};
    }
    return NULL;
}

mlia_status *vgf_read_constants(vgf_reading *file)
{
    mlia_bytes section = file->sections[VGF_CONSTANTS];
    bool raw = section.size >= sizeof VGF_CONSTANTS_TAG &&
               memcmp(section.data, VGF_CONSTANTS_TAG, sizeof VGF_CONSTANTS_TAG) == 0;
    if (section.size == 0 || (raw && section.size < VGF_CONSTANTS_HEADER))
        return fault(file, 0,
                     mlia_error(MLIA_E_VGF_CONSTANTS, "the section has %zu bytes, the least is %d",
                                section.size, VGF_CONSTANTS_HEADER));
    MLIA_TRY(raw ? read_raw(file) : read_old(file));
    for (uint32_t i = 0; i < file->vgf->constant_count; i++)
        if (file->vgf->constants[i].resource == MLIA_VGF_UNSET || file->vgf->constants[i].data.size == 0)
            return fault(file, 0,
                         mlia_error(MLIA_E_VGF_CONSTANTS, "constant %u has no %s", i,
                                    file->vgf->constants[i].data.size == 0 ? "data" : "resource"));
    return NULL;
}
