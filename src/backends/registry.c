/* The built-in backends and their options by name. */
#include <ctype.h>

#include "backends/backend.h"

/* Sorted by id. */
enum { BACKEND_COUNT = 4 };
static const mlia_backend *const backends[BACKEND_COUNT] = {
    &mlia_backend_ml_sdk_model_converter,
    &mlia_backend_neural_technology_profiling_data,
    &mlia_backend_nx_performance_estimator,
    &mlia_backend_tosa_flatbuffers,
};

size_t mlia_backend_count(void)
{
    return BACKEND_COUNT;
}

const mlia_backend *mlia_backend_at(size_t index)
{
    return backends[index];
}

/* Equal but for letter case and '-' ('_' counts as '-'). */
static bool same_backend_name(mlia_str a, mlia_str b)
{
    size_t i = 0;
    size_t j = 0;
    for (;;) {
        while (i < a.size && (a.data[i] == '-' || a.data[i] == '_'))
            i++;
        while (j < b.size && (b.data[j] == '-' || b.data[j] == '_'))
            j++;
        if (i == a.size || j == b.size)
            return i == a.size && j == b.size;
        if (tolower((unsigned char)a.data[i++]) != tolower((unsigned char)b.data[j++]))
            return false;
    }
}

const mlia_backend *mlia_backend_find(mlia_str name)
{
    for (size_t i = 0; i < mlia_backend_count(); i++)
        if (same_backend_name(mlia_str_from_c(backends[i]->id), name))
            return backends[i];
    return NULL;
}

size_t mlia_backend_option_count(const mlia_backend *backend)
{
    size_t count = 0;
    while (backend->options != NULL && backend->options[count].key != NULL)
        count++;
    return count;
}

size_t mlia_backend_option_find(const mlia_backend *backend, mlia_str key)
{
    for (size_t i = 0; i < mlia_backend_option_count(backend); i++)
        if (mlia_str_equal_c(key, backend->options[i].key))
            return i;
    return SIZE_MAX;
}
