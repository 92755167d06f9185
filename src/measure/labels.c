/* Labels may hold ';' themselves: converters join the names of fused operators with it. */
#include "measure/labels.h"

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static mlia_str trimmed(mlia_str text)
{
    while (text.size && is_blank(text.data[0]))
        text = mlia_str_slice(text, 1, SIZE_MAX);
    while (text.size && is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

/* Size of the longest debug name that `rest` starts with and that ends at ';' or the end; 0 when none. `ends`
 * holds the positions of every ';' from the start of `rest` on. */
static mlia_status *known_name(mlia_str rest, const size_t *ends, size_t end_count, size_t origin,
                               const mlia_measured_module *module, uint64_t *budget, size_t *size)
{
    *size = 0;
    for (size_t i = 0; i < module->separator_count; i++) {
        size_t inside = module->name_separators[i];
        if (inside > end_count)
            continue;
        size_t candidate = inside < end_count ? ends[inside] - origin : rest.size;
        if (candidate > *budget)
            return mlia_error(MLIA_E_LIMIT, "the labels cannot be told apart with reasonable work");
        *budget -= candidate;
        if (mlia_map_find(&module->by_name, mlia_str_slice(rest, 0, candidate)) != NULL) {
            *size = candidate;
            return NULL;
        }
    }
    return NULL;
}

/* Size of the part up to the next ';' outside quotes and brackets. */
static size_t plain_size(mlia_str rest)
{
    size_t depth = 0;
    bool quoted = false;
    size_t i = 0;
    for (; i < rest.size; i++) {
        char c = rest.data[i];
        if (c == ';' && !quoted && depth == 0)
            break;
        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{'))
            depth++;
        else if (!quoted && (c == ']' || c == '}'))
            depth -= depth > 0;
    }
    return i < rest.size ? i : rest.size;
}

static size_t find_separators(mlia_str cell, size_t *ends)
{
    size_t count = 0;
    for (size_t i = 0; i < cell.size; i++) {
        if (cell.data[i] != ';')
            continue;
        if (ends != NULL)
            ends[count] = i;
        count++;
    }
    return count;
}

mlia_status *mlia_labels_split(mlia_str cell, const mlia_measured_module *module, uint64_t *budget,
                               mlia_arena *arena, const mlia_str **labels, size_t *count)
{
    size_t end_count = find_separators(cell, NULL);
    size_t *ends = MLIA_NEW_ARRAY(arena, size_t, end_count);
    mlia_str *items = MLIA_NEW_ARRAY(arena, mlia_str, end_count + 1);
    MLIA_TRY_ALLOC(ends);
    MLIA_TRY_ALLOC(items);
    find_separators(cell, ends);
    *labels = items;
    *count = 0;
    size_t next_end = 0;
    for (size_t at = 0; at < cell.size;) {
        if (cell.data[at] == ';') {
            at++;
            continue;
        }
        while (next_end < end_count && ends[next_end] < at)
            next_end++;
        mlia_str rest = mlia_str_slice(cell, at, SIZE_MAX);
        size_t size;
        MLIA_TRY(known_name(rest, ends + next_end, end_count - next_end, at, module, budget, &size));
        mlia_str label = mlia_str_slice(rest, 0, size);
        if (size == 0) {
            size = plain_size(rest);
            label = trimmed(mlia_str_slice(rest, 0, size));
        }
        if (label.size)
            items[(*count)++] = label;
        at += size;
    }
    return NULL;
}

/* The digits behind "_spirv_id_" at the end of a label; empty when it does not end so. */
static mlia_str id_digits(mlia_str label)
{
    static const mlia_str mark = MLIA_STR_INIT("_spirv_id_");
    size_t start = label.size;
    while (start > 0 && label.data[start - 1] >= '0' && label.data[start - 1] <= '9')
        start--;
    if (start == label.size || !mlia_str_ends_with(mlia_str_slice(label, 0, start), mark))
        return MLIA_STR_NONE;
    return mlia_str_slice(label, start, SIZE_MAX);
}

mlia_label_outcome mlia_label_resolve(mlia_str label, const mlia_measured_module *module, uint32_t *id)
{
    mlia_str digits = id_digits(label);
    if (digits.size) {
        int64_t value;
        uint32_t position;
        bool canonical = digits.size == 1 || digits.data[0] != '0';
        if (!canonical || !mlia_str_to_i64(digits, &value) || value > UINT32_MAX ||
            !mlia_measured_module_find(module, (uint32_t)value, &position))
            return MLIA_LABEL_UNRESOLVED;
        *id = (uint32_t)value;
        return MLIA_LABEL_FOUND;
    }
    const uint32_t *first = mlia_map_find(&module->by_name, label);
    if (first == NULL)
        return module->by_name.count ? MLIA_LABEL_UNMATCHED : MLIA_LABEL_NONE;
    if (module->shared[*first])
        return MLIA_LABEL_AMBIGUOUS;
    *id = module->ids[*first];
    return MLIA_LABEL_FOUND;
}
