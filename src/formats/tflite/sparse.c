/* Sparse constants: block-CSR storage unfolded to the dense tensor.
 *
 * traversal_order lists the original dimensions, then the block dimensions; each has a level that is dense (a
 * size) or CSR (segments and indices). The walk goes level by level over the levels' positions, so that
 * neither depth nor work exceeds what the stored values justify.
 */
#include "base/checked.h"
#include "formats/tflite/read.h"

enum { MAX_LEVELS = 16, FORMAT_DENSE = 0, FORMAT_CSR = 1 };

typedef struct level {
    bool is_csr;
    int64_t size;                 /* extent of a dense level */
    mlia_flatbuf_vector segments; /* CSR */
    mlia_flatbuf_vector indices;
    int64_t stride; /* what one step of this level adds to the position in the dense tensor */
    int64_t extent; /* bound of the level's indices */
} level;

/* A place of the walk: running position in the level, and the offset in the dense tensor so far. */
typedef struct place {
    int64_t position;
    int64_t offset;
} place;

static mlia_status *sparsity_error(const mlia_tflite_tensor *tensor, const char *what)
{
    return mlia_error(MLIA_E_TFLITE_SPARSITY, "sparse tensor '%.*s': %s", MLIA_STR_ARG(tensor->name), what);
}

static mlia_status *spend(mlia_tflite_reader *reader, const mlia_tflite_tensor *tensor, uint64_t cost)
{
    if (cost > reader->unfold_budget)
        return mlia_error(MLIA_E_TFLITE_LIMIT,
                          "sparse tensor '%.*s' unfolds to more than the file's size justifies",
                          MLIA_STR_ARG(tensor->name));
    reader->unfold_budget -= cost;
    return NULL;
}

/* The index vector behind a union field; empty when it is absent or of an unknown kind. */
static mlia_flatbuf_vector index_vector(mlia_flatbuf_table dimension, uint32_t field)
{
    mlia_flatbuf_table table = mlia_flatbuf_child(dimension, field);
    return mlia_flatbuf_exists(table) ? mlia_flatbuf_list(table, 0) : (mlia_flatbuf_vector){0};
}

static mlia_status *read_level(mlia_tflite_reader *reader, const mlia_tflite_tensor *tensor,
                               mlia_flatbuf_table dimension, level *result)
{
    int64_t format = mlia_flatbuf_integer(dimension, DIMENSION_FORMAT);
    *result =
        (level){.is_csr = format == FORMAT_CSR, .size = mlia_flatbuf_i32(dimension, DIMENSION_DENSE_SIZE)};
    if (format == FORMAT_DENSE)
        return result->size > 0 ? NULL : sparsity_error(tensor, "a dense dimension without size");
    if (format != FORMAT_CSR)
        return sparsity_error(tensor, "a dimension that is neither dense nor CSR");
    result->segments = index_vector(dimension, DIMENSION_SEGMENTS);
    result->indices = index_vector(dimension, DIMENSION_INDICES);
    MLIA_TRY(spend(reader, tensor, result->segments.count));
    if (result->segments.count == 0 || mlia_flatbuf_integer_at(result->segments, 0) != 0)
        return sparsity_error(tensor, "segments do not start at 0");
    for (size_t i = 1; i < result->segments.count; i++)
        if (mlia_flatbuf_integer_at(result->segments, i) < mlia_flatbuf_integer_at(result->segments, i - 1))
            return sparsity_error(tensor, "segments decrease");
    if ((uint64_t)mlia_flatbuf_integer_at(result->segments, result->segments.count - 1) >
        result->indices.count)
        return sparsity_error(tensor, "segments lead beyond the indices");
    return NULL;
}

/* Reads all levels and finds each one's extent and stride. */
static mlia_status *read_levels(mlia_tflite_reader *reader, mlia_flatbuf_table sparsity,
                                const mlia_tflite_tensor *tensor, level *levels, uint32_t *count)
{
    mlia_flatbuf_vector order = mlia_flatbuf_list(sparsity, SPARSITY_ORDER);
    mlia_flatbuf_vector blocks = mlia_flatbuf_list(sparsity, SPARSITY_BLOCK_MAP);
    mlia_flatbuf_vector dimensions = mlia_flatbuf_list(sparsity, SPARSITY_DIMENSIONS);
    uint32_t rank = tensor->rank;
    if (order.count > MAX_LEVELS || order.count != rank + blocks.count || dimensions.count != order.count)
        return sparsity_error(tensor, "traversal order, block map and dimensions do not fit the rank");
    uint32_t seen = 0;
    int64_t block_size[MAX_LEVELS];
    int64_t stride[MAX_LEVELS];
    for (uint32_t i = 0; i < rank; i++)
        block_size[i] = 1;
    for (size_t i = 0; i < order.count; i++) {
        int64_t dimension = mlia_flatbuf_integer_at(order, i);
        bool is_block = i >= rank;
        if (dimension < (is_block ? (int64_t)rank : 0) ||
            dimension >= (is_block ? (int64_t)order.count : (int64_t)rank) || (seen & 1u << dimension) != 0)
            return sparsity_error(tensor, "the traversal order is no permutation");
        seen |= 1u << dimension;
        MLIA_TRY(read_level(reader, tensor, mlia_flatbuf_table_at(dimensions, i), &levels[i]));
        if (!is_block)
            continue;
        int64_t original = mlia_flatbuf_integer_at(blocks, (size_t)dimension - rank);
        if (original < 0 || original >= rank || levels[i].is_csr || block_size[original] != 1)
            return sparsity_error(tensor, "the block map is broken");
        block_size[original] = levels[i].size;
    }
    int64_t below = 1;
    for (uint32_t i = rank; i > 0; i--) {
        stride[i - 1] = below;
        below *= tensor->shape[i - 1]; /* the product was checked: it is the element count */
    }
    for (size_t i = 0; i < order.count; i++) {
        int64_t dimension = mlia_flatbuf_integer_at(order, i);
        if (i < rank) {
            levels[i].stride = stride[dimension] * block_size[dimension];
            if (tensor->shape[dimension] % block_size[dimension] != 0)
                return sparsity_error(tensor, "a dimension is no multiple of its block");
            levels[i].extent = tensor->shape[dimension] / block_size[dimension];
        } else {
            int64_t original = mlia_flatbuf_integer_at(blocks, (size_t)dimension - rank);
            levels[i].stride = stride[original];
            levels[i].extent = block_size[original];
        }
        if (!levels[i].is_csr && levels[i].size != levels[i].extent)
            return sparsity_error(tensor, "the size of a dense dimension differs from the shape");
    }
    *count = (uint32_t)order.count;
    return NULL;
}

/* Takes the places of one level to those of the next. At most `limit` places can come out: as many as there
 * are values behind the last level, as many as there are elements before it, where rows may be empty. */
static mlia_status *expand(mlia_arena *arena, const mlia_tflite_tensor *tensor, const level *from,
                           size_t limit, place **places, size_t *count)
{
    size_t total = 0;
    for (size_t i = 0; i < *count; i++) {
        int64_t position = (*places)[i].position;
        int64_t items = from->size;
        if (from->is_csr) {
            if ((uint64_t)position + 1 >= from->segments.count)
                return sparsity_error(tensor, "too few segments");
            items = mlia_flatbuf_integer_at(from->segments, (size_t)position + 1) -
                    mlia_flatbuf_integer_at(from->segments, (size_t)position);
        }
        if (!mlia_add_size(total, (size_t)items, &total) || total > limit)
            return sparsity_error(tensor, "more places than stored values or elements");
    }
    place *next = MLIA_NEW_ARRAY(arena, place, total);
    MLIA_TRY_ALLOC(next);
    size_t used = 0;
    for (size_t i = 0; i < *count; i++) {
        place at = (*places)[i];
        int64_t first = from->is_csr ? mlia_flatbuf_integer_at(from->segments, (size_t)at.position) : 0;
        int64_t last =
            from->is_csr ? mlia_flatbuf_integer_at(from->segments, (size_t)at.position + 1) : from->size;
        for (int64_t j = first; j < last; j++) {
            int64_t index = from->is_csr ? mlia_flatbuf_integer_at(from->indices, (size_t)j) : j;
            if (index < 0 || index >= from->extent)
                return sparsity_error(tensor, "an index outside of its dimension");
            next[used++] =
                (place){from->is_csr ? j : at.position * from->size + j, at.offset + index * from->stride};
        }
    }
    *places = next;
    *count = total;
    return NULL;
}

mlia_status *mlia_tflite_unfold_sparse(mlia_tflite_reader *reader, mlia_flatbuf_table sparsity,
                                       const mlia_tflite_tensor *tensor, mlia_bytes stored,
                                       size_t element_size, mlia_bytes *dense)
{
    level levels[MAX_LEVELS];
    uint32_t level_count = 0;
    MLIA_TRY(read_levels(reader, sparsity, tensor, levels, &level_count));
    uint64_t elements;
    size_t size;
    if (!mlia_tflite_elements(tensor, &elements) || !mlia_mul_size((size_t)elements, element_size, &size))
        size = SIZE_MAX;
    MLIA_TRY(spend(reader, tensor, size));
    size_t values = stored.size / element_size;
    mlia_arena *scratch = mlia_arena_new(0);
    MLIA_TRY_ALLOC(scratch);
    place origin = {0, 0};
    place *places = &origin;
    size_t count = 1;
    mlia_status *status = NULL;
    for (uint32_t i = 0; i < level_count && status == NULL; i++)
        status = expand(scratch, tensor, &levels[i], i + 1 == level_count ? values : (size_t)elements,
                        &places, &count);
    if (status == NULL && count != values)
        status = sparsity_error(tensor, "the number of stored values differs from the places for them");
    uint8_t *data = status == NULL ? MLIA_NEW_ARRAY(reader->arena, uint8_t, size) : NULL;
    if (data != NULL) {
        if (tensor->quantization.scale_count > 0 && element_size == 1)
            memset(data, (int)(tensor->quantization.zero_points[0] & 0xFF), size);
        for (size_t i = 0; i < count; i++)
            memcpy(data + (size_t)places[i].offset * element_size, stored.data + i * element_size,
                   element_size);
        *dense = (mlia_bytes){data, size};
    }
    mlia_arena_free(scratch);
    if (status == NULL && data == NULL)
        return mlia_error_memory();
    return status;
}
