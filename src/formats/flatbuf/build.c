/* The builder: bytes are laid down from the end of the buffer to its front, so that every reference is a
 * forward distance. Positions are counted from the end (mlia_flatbuf_ref); a field sits at table - field.
 *
 * Refuses: buffers above 2 GiB (offsets are signed 32-bit for vtables). */
#include <assert.h>
#include <stdlib.h>

#include "formats/flatbuf/flatbuf.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements and scalars are copied as they are");

enum {
    SIZE_LIMIT = INT32_MAX,
    VTABLE_LIMIT = 4 + 2 * MLIA_FLATBUF_FIELD_LIMIT,
    FIRST_CAPACITY = 4096,
    FIRST_SLOTS = 64,
};

/* Scalar or reference that waits for mlia_flatbuf_end. */
typedef struct waiting_field {
    uint64_t value;
    uint8_t size; /* 0 = not set */
    bool is_ref;
} waiting_field;

struct mlia_flatbuf_builder {
    uint8_t *data;
    size_t capacity;
    size_t size;      /* bytes in use, at the end of `data` */
    size_t alignment; /* largest asked for */
    bool out_of_memory;
    bool too_large;
    const mlia_flatbuf_schema *open;
    waiting_field waiting[MLIA_FLATBUF_FIELD_LIMIT];
    mlia_flatbuf_ref *vtables; /* open-addressing set of the vtables laid down, 0 = free slot */
    size_t vtable_capacity;    /* power of two or 0 */
    size_t vtable_count;
};

mlia_flatbuf_builder *mlia_flatbuf_builder_new(void)
{
    mlia_flatbuf_builder *builder = calloc(1, sizeof *builder);
    if (builder != NULL)
        builder->alignment = 4;
    return builder;
}

void mlia_flatbuf_builder_free(mlia_flatbuf_builder *builder)
{
    if (builder == NULL)
        return;
    free(builder->data);
    free(builder->vtables);
    free(builder);
}

static bool failed(const mlia_flatbuf_builder *builder)
{
    return builder->out_of_memory || builder->too_large;
}

/* Makes room for `size` more bytes in front. */
static bool reserve(mlia_flatbuf_builder *builder, size_t size)
{
    if (failed(builder))
        return false;
    if (size > SIZE_LIMIT - builder->size) {
        builder->too_large = true;
        return false;
    }
    size_t needed = builder->size + size;
    if (needed <= builder->capacity)
        return true;
    size_t capacity = builder->capacity ? builder->capacity * 2 : FIRST_CAPACITY;
    while (capacity < needed)
        capacity *= 2;
    uint8_t *data = malloc(capacity);
    if (data == NULL) {
        builder->out_of_memory = true;
        return false;
    }
    if (builder->size > 0)
        memcpy(data + capacity - builder->size, builder->data + builder->capacity - builder->size,
               builder->size);
    free(builder->data);
    builder->data = data;
    builder->capacity = capacity;
    return true;
}

static uint8_t *at(const mlia_flatbuf_builder *builder, size_t position)
{
    return builder->data + builder->capacity - position;
}

/* Lays `size` bytes in front; NULL `bytes` = zeros. */
static void push(mlia_flatbuf_builder *builder, const void *bytes, size_t size)
{
    if (size == 0 || !reserve(builder, size))
        return;
    builder->size += size;
    if (bytes != NULL)
        memcpy(at(builder, builder->size), bytes, size);
    else
        memset(at(builder, builder->size), 0, size);
}

/* Pads with zeros so that the front is aligned after `size` more bytes. */
static void align(mlia_flatbuf_builder *builder, size_t size, size_t alignment)
{
    if (alignment > builder->alignment)
        builder->alignment = alignment;
    push(builder, NULL, (alignment - (builder->size + size) % alignment) % alignment);
}

/* The front as a reference; meaningless after a failure, but never 0. */
static mlia_flatbuf_ref front(const mlia_flatbuf_builder *builder)
{
    return failed(builder) ? 1 : (mlia_flatbuf_ref)builder->size;
}

static void push_u32(mlia_flatbuf_builder *builder, uint32_t value)
{
    push(builder, &value, sizeof value);
}

mlia_flatbuf_ref mlia_flatbuf_add_string(mlia_flatbuf_builder *builder, mlia_str text)
{
    assert(builder->open == NULL);
    if (text.size >= SIZE_LIMIT) {
        builder->too_large = true;
        return front(builder);
    }
    align(builder, text.size + 1, 4);
    push(builder, NULL, 1);
    push(builder, text.data, text.size);
    push_u32(builder, (uint32_t)text.size);
    return front(builder);
}

mlia_flatbuf_ref mlia_flatbuf_add_vector(mlia_flatbuf_builder *builder, const void *elements, size_t count,
                                         size_t element_size, size_t alignment)
{
    assert(builder->open == NULL);
    if (alignment < element_size)
        alignment = element_size;
    if (alignment < 4)
        alignment = 4;
    if (count > SIZE_LIMIT / element_size) {
        builder->too_large = true;
        return front(builder);
    }
    align(builder, count * element_size, alignment);
    push(builder, elements, count * element_size);
    push_u32(builder, (uint32_t)count);
    return front(builder);
}

mlia_flatbuf_ref mlia_flatbuf_add_refs(mlia_flatbuf_builder *builder, const mlia_flatbuf_ref *refs,
                                       size_t count)
{
    assert(builder->open == NULL);
    align(builder, 0, 4);
    for (size_t i = count; i-- > 0;)
        push_u32(builder, (uint32_t)builder->size + 4 - refs[i]);
    push_u32(builder, (uint32_t)count);
    return front(builder);
}

void mlia_flatbuf_begin(mlia_flatbuf_builder *builder, const mlia_flatbuf_schema *schema)
{
    assert(builder->open == NULL && schema->field_count <= MLIA_FLATBUF_FIELD_LIMIT);
    builder->open = schema;
    memset(builder->waiting, 0, sizeof builder->waiting);
}

static const mlia_flatbuf_field *open_field(const mlia_flatbuf_builder *builder, uint32_t field)
{
    assert(builder->open != NULL && field < builder->open->field_count);
    return &builder->open->fields[field];
}

void mlia_flatbuf_force_integer(mlia_flatbuf_builder *builder, uint32_t field, int64_t value)
{
    const mlia_flatbuf_field *info = open_field(builder, field);
    assert(!info->is_vector && info->type >= MLIA_FLATBUF_BOOL && info->type <= MLIA_FLATBUF_U64);
    builder->waiting[field] = (waiting_field){(uint64_t)value, mlia_flatbuf_type_size(info->type), false};
}

void mlia_flatbuf_set_integer(mlia_flatbuf_builder *builder, uint32_t field, int64_t value)
{
    if (value != open_field(builder, field)->initial)
        mlia_flatbuf_force_integer(builder, field, value);
}

void mlia_flatbuf_set_real(mlia_flatbuf_builder *builder, uint32_t field, double value)
{
    const mlia_flatbuf_field *info = open_field(builder, field);
    assert(!info->is_vector && (info->type == MLIA_FLATBUF_F32 || info->type == MLIA_FLATBUF_F64));
    waiting_field *waiting = &builder->waiting[field];
    *waiting = (waiting_field){0, mlia_flatbuf_type_size(info->type), false};
    float single = (float)value;
    if (info->type == MLIA_FLATBUF_F32)
        memcpy(&waiting->value, &single, sizeof single);
    else
        memcpy(&waiting->value, &value, sizeof value);
    if (waiting->value == 0) /* the default; -0.0 has a sign bit and stays */
        waiting->size = 0;
}

void mlia_flatbuf_set_ref(mlia_flatbuf_builder *builder, uint32_t field, mlia_flatbuf_ref ref)
{
    assert(open_field(builder, field)->is_vector || open_field(builder, field)->type >= MLIA_FLATBUF_STRING);
    if (ref != 0)
        builder->waiting[field] = (waiting_field){ref, sizeof ref, true};
}

/* Lays the fields down, the largest first (no padding between them), and notes their positions in `slots`.
 * Returns where they end: behind any padding, so that equal tables have equal vtables wherever they lie. */
static size_t push_fields(mlia_flatbuf_builder *builder, size_t slots[MLIA_FLATBUF_FIELD_LIMIT])
{
    align(builder, 0, 4);
    size_t end = builder->size;
    for (size_t size = 8; size > 0; size /= 2) {
        for (uint32_t i = 0; i < builder->open->field_count; i++) {
            const waiting_field *field = &builder->waiting[i];
            if (field->size != size)
                continue;
            if (builder->size == end) {
                align(builder, size, size);
                end = builder->size;
            }
            uint64_t value = field->value;
            if (field->is_ref)
                value = builder->size + size - value;
            push(builder, &value, size);
            slots[i] = builder->size;
        }
    }
    return end;
}

/* Slot of the set for a vtable: that of an equal one, or a free one. */
static mlia_flatbuf_ref *vtable_slot(const mlia_flatbuf_builder *builder, const uint8_t *vtable, size_t size)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ vtable[i]) * 1099511628211u;
    for (size_t i = (size_t)hash;; i++) {
        mlia_flatbuf_ref *slot = &builder->vtables[i & (builder->vtable_capacity - 1)];
        if (*slot == 0)
            return slot;
        const uint8_t *known = at(builder, *slot);
        if (mlia_load_u16(known) == size && memcmp(known, vtable, size) == 0)
            return slot;
    }
}

/* Keeps the set at most half full. */
static bool grow_vtables(mlia_flatbuf_builder *builder)
{
    if (builder->vtable_count * 2 < builder->vtable_capacity)
        return true;
    mlia_flatbuf_ref *old = builder->vtables;
    size_t old_capacity = builder->vtable_capacity;
    size_t capacity = old_capacity ? old_capacity * 2 : FIRST_SLOTS;
    mlia_flatbuf_ref *fresh = calloc(capacity, sizeof *fresh);
    if (fresh == NULL) {
        builder->out_of_memory = true;
        return false;
    }
    builder->vtables = fresh;
    builder->vtable_capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i] != 0)
            *vtable_slot(builder, at(builder, old[i]), mlia_load_u16(at(builder, old[i]))) = old[i];
    free(old);
    return true;
}

/* Position of a vtable with these bytes: an old one, or a new one in front. 0 after a failure. */
static size_t share_vtable(mlia_flatbuf_builder *builder, const uint8_t *vtable, size_t size)
{
    if (failed(builder) || !grow_vtables(builder))
        return 0;
    mlia_flatbuf_ref *slot = vtable_slot(builder, vtable, size);
    if (*slot == 0) {
        push(builder, vtable, size);
        if (failed(builder))
            return 0;
        *slot = (mlia_flatbuf_ref)builder->size;
        builder->vtable_count++;
    }
    return *slot;
}

static void store_u16(uint8_t *target, size_t value)
{
    target[0] = (uint8_t)value;
    target[1] = (uint8_t)(value >> 8);
}

mlia_flatbuf_ref mlia_flatbuf_end(mlia_flatbuf_builder *builder)
{
    assert(builder->open != NULL);
    size_t slots[MLIA_FLATBUF_FIELD_LIMIT] = {0};
    size_t end = push_fields(builder, slots);
    align(builder, 4, 4);
    push_u32(builder, 0); /* distance to the vtable, below */
    size_t table = builder->size;

    uint8_t vtable[VTABLE_LIMIT];
    size_t size = 4;
    for (uint32_t i = 0; i < builder->open->field_count; i++) {
        store_u16(vtable + 4 + 2 * (size_t)i, slots[i] ? table - slots[i] : 0);
        if (slots[i] != 0)
            size = 6 + 2 * (size_t)i;
    }
    store_u16(vtable, size);
    store_u16(vtable + 2, table - end);
    builder->open = NULL;

    size_t shared = share_vtable(builder, vtable, size);
    if (shared != 0) {
        int32_t distance = (int32_t)((int64_t)shared - (int64_t)table);
        memcpy(at(builder, table), &distance, sizeof distance);
    }
    return failed(builder) ? 1 : (mlia_flatbuf_ref)table;
}

/* Lays the reference to the root in front of everything. */
static mlia_status *finish(mlia_flatbuf_builder *builder, mlia_flatbuf_ref root, const char *identifier)
{
    assert(builder->open == NULL);
    align(builder, identifier ? 8 : 4, builder->alignment);
    if (identifier != NULL)
        push(builder, identifier, 4);
    push_u32(builder, (uint32_t)builder->size + 4 - root);
    if (builder->too_large)
        return mlia_error(MLIA_E_LIMIT, "a FlatBuffer can hold at most 2 GiB");
    return builder->out_of_memory ? mlia_error_memory() : NULL;
}

mlia_status *mlia_flatbuf_finish(mlia_flatbuf_builder *builder, mlia_flatbuf_ref root, const char *identifier,
                                 mlia_buffer *out)
{
    assert(out->size % 16 == 0);
    MLIA_TRY(finish(builder, root, identifier));
    mlia_buffer_add(out, at(builder, builder->size), builder->size);
    return mlia_buffer_status(out);
}

mlia_status *mlia_flatbuf_take(mlia_flatbuf_builder *builder, mlia_flatbuf_ref root, const char *identifier,
                               mlia_arena *arena, mlia_bytes *bytes)
{
    MLIA_TRY(finish(builder, root, identifier));
    if (!mlia_arena_adopt(arena, builder->data))
        return mlia_error_memory();
    *bytes = (mlia_bytes){at(builder, builder->size), builder->size};
    builder->data = NULL;
    return NULL;
}
