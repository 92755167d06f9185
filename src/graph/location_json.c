/* The JSON form of locations: {"event_id", "aten_info": {"node_name", "operator_name"}, "torch_info":
 * {"nn_module_stack", "stack_trace", …}} as ExecuTorch writes it, {"node_name": …}, or {"tflite": …, "mlia":
 * …} as this program writes it. Members that are missing or of another shape are passed over: a location
 * never makes a file unreadable. */
#include "graph/location_json.h"

#include <jansson.h>

#include "graph/location.h"

/* Copy of a JSON string in the arena; empty for anything else. False when out of memory. */
static bool copy_string(mlia_arena *arena, const json_t *json, mlia_str *text)
{
    *text = MLIA_STR_NONE;
    if (!json_is_string(json) || json_string_length(json) == 0)
        return true;
    *text = mlia_arena_str(arena, (mlia_str){json_string_value(json), json_string_length(json)});
    return text->data != NULL;
}

/* First of the members `names` (ended by NULL) that is a non-empty string. */
static const json_t *first_string(const json_t *object, const char *const *names)
{
    for (; *names != NULL; names++) {
        const json_t *member = json_object_get(object, *names);
        if (json_string_length(member) > 0)
            return member;
    }
    return NULL;
}

static bool decode_label(mlia_arena *arena, const json_t *root, mlia_str *label)
{
    const json_t *name = json_object_get(root, "node_name");
    if (json_string_length(name) == 0)
        name = json_object_get(json_object_get(root, "aten_info"), "node_name");
    const json_t *event = json_object_get(root, "event_id");
    if (json_string_length(name) == 0)
        name = event;
    if (json_is_integer(name)) {
        *label = mlia_arena_format(arena, "%lld", (long long)json_integer_value(name));
        return label->data != NULL;
    }
    return copy_string(arena, name, label);
}

/* --- module stack --- */

/* Name and type of a module are recorded as an object, as [NAME, TYPE] (from `first` on), or as a text. */
static bool decode_module(mlia_arena *arena, const json_t *json, size_t first, mlia_module_step *step)
{
    static const char *const name_members[] = {"qualified_name", "name", "module_name", NULL};
    static const char *const type_members[] = {"module_type", "type", "class_name", NULL};
    const json_t *name = json;
    const json_t *type = NULL;
    if (json_is_object(json)) {
        name = first_string(json, name_members);
        type = first_string(json, type_members);
    } else if (json_is_array(json)) {
        name = json_array_get(json, first);
        type = json_array_get(json, first + 1);
    }
    if (!copy_string(arena, name, &step->name) || !copy_string(arena, type, &step->type))
        return false;
    if (step->name.size == 0)
        step->name = step->key;
    return true;
}

/* Key of a module in a list: in the object or first in the array, else its position. */
static bool decode_key(mlia_arena *arena, const json_t *json, size_t position, mlia_str *key)
{
    static const char *const key_members[] = {"tracer_key", "key", NULL};
    const json_t *text = json_is_array(json) ? json_array_get(json, 0) : first_string(json, key_members);
    if (!copy_string(arena, text, key))
        return false;
    if (key->size == 0)
        *key = mlia_arena_format(arena, "%zu", position);
    return key->data != NULL;
}

static bool decode_module_object(mlia_arena *arena, json_t *stack, mlia_module_step *steps)
{
    void *iterator = json_object_iter(stack);
    for (; iterator != NULL; iterator = json_object_iter_next(stack, iterator), steps++) {
        steps->key = mlia_arena_str(arena, mlia_str_from_c(json_object_iter_key(iterator)));
        if (steps->key.data == NULL || !decode_module(arena, json_object_iter_value(iterator), 0, steps))
            return false;
    }
    return true;
}

static bool decode_module_list(mlia_arena *arena, const json_t *stack, mlia_module_step *steps)
{
    for (size_t i = 0; i < json_array_size(stack); i++) {
        const json_t *item = json_array_get(stack, i);
        if (!decode_key(arena, item, i, &steps[i].key) || !decode_module(arena, item, 1, &steps[i]))
            return false;
    }
    return true;
}

static bool decode_modules(mlia_arena *arena, json_t *stack, mlia_source *source)
{
    size_t count = json_is_object(stack) ? json_object_size(stack) : json_array_size(stack);
    if (count == 0 || count >= UINT32_MAX || source->module_count > 0)
        return true;
    mlia_module_step *steps = MLIA_NEW_ARRAY(arena, mlia_module_step, count + 1);
    if (steps == NULL)
        return false;
    bool copied = json_is_object(stack) ? decode_module_object(arena, stack, steps + 1)
                                        : decode_module_list(arena, stack, steps + 1);
    if (!copied)
        return false;
    bool has_root = mlia_str_equal(steps[1].key, MLIA_STR("<root>"));
    steps[0] = (mlia_module_step){MLIA_STR("<root>"), MLIA_STR("<root>"), MLIA_STR_NONE};
    source->modules = has_root ? steps + 1 : steps;
    source->module_count = (uint32_t)count + (has_root ? 0 : 1);
    return true;
}

/* --- code frames --- */

static mlia_str trim(mlia_str text)
{
    while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '\t'))
        text = mlia_str_slice(text, 1, text.size);
    while (text.size > 0 && strchr(" \t\r", text.data[text.size - 1]) != NULL)
        text.size--;
    return text;
}

/* Reads 'File "F", line N' with an optional ', in FUNCTION'; views into `line`. */
static bool parse_frame(mlia_str line, mlia_code_frame *frame)
{
    static const char start[] = "File \"";
    static const char middle[] = "\", line ";
    line = trim(line);
    if (!mlia_str_starts_with(line, MLIA_STR(start)))
        return false;
    line = mlia_str_slice(line, sizeof start - 1, line.size);
    size_t end = mlia_str_find(line, '"');
    if (end == SIZE_MAX || !mlia_str_starts_with(mlia_str_slice(line, end, line.size), MLIA_STR(middle)))
        return false;
    frame->file = mlia_str_slice(line, 0, end);
    line = mlia_str_slice(line, end + sizeof middle - 1, line.size);
    size_t digits = 0;
    while (digits < line.size && line.data[digits] >= '0' && line.data[digits] <= '9')
        digits++;
    int64_t number;
    if (!mlia_str_to_i64(mlia_str_slice(line, 0, digits), &number) || number < 1 || number > UINT32_MAX)
        return false;
    frame->line = (uint32_t)number;
    line = mlia_str_slice(line, digits, line.size);
    frame->function = MLIA_STR_NONE;
    if (mlia_str_starts_with(line, MLIA_STR(", in ")))
        frame->function = trim(mlia_str_slice(line, 5, line.size));
    else if (line.size > 0)
        return false;
    return frame->file.size > 0;
}

mlia_status *mlia_code_frames_decode(mlia_arena *arena, mlia_str text, mlia_frame_list *list)
{
    while (text.size > 0) {
        size_t end = mlia_str_find(text, '\n');
        mlia_str line = mlia_str_slice(text, 0, end);
        text = mlia_str_slice(text, end == SIZE_MAX ? text.size : end + 1, text.size);
        mlia_code_frame frame;
        if (!parse_frame(line, &frame))
            continue;
        frame.file = mlia_arena_str(arena, frame.file);
        MLIA_TRY_ALLOC(frame.file.data);
        if (frame.function.size > 0) {
            frame.function = mlia_arena_str(arena, frame.function);
            MLIA_TRY_ALLOC(frame.function.data);
        }
        if (!MLIA_RESERVE(arena, list->items, list->count, list->capacity))
            return mlia_error_memory();
        list->items[list->count++] = frame;
    }
    return NULL;
}

static mlia_str string_view(const json_t *json)
{
    return (mlia_str){json_string_value(json), json_string_length(json)};
}

/* A stack trace is one text or a list of texts, outermost frame first. */
static mlia_status *decode_frames(mlia_arena *arena, const json_t *trace, mlia_source *source)
{
    mlia_frame_list list = {0};
    if (source->frame_count > 0)
        return NULL;
    if (json_is_string(trace))
        MLIA_TRY(mlia_code_frames_decode(arena, string_view(trace), &list));
    for (size_t i = 0; i < json_array_size(trace); i++)
        if (json_is_string(json_array_get(trace, i)))
            MLIA_TRY(mlia_code_frames_decode(arena, string_view(json_array_get(trace, i)), &list));
    source->frames = list.items;
    source->frame_count = (uint32_t)list.count;
    return NULL;
}

/* The operators of a list behind the first: those whose work it does too. */
static bool decode_absorbed(mlia_arena *arena, const json_t *operators, mlia_source *source)
{
    size_t count = json_array_size(operators);
    if (count <= 1 || count > UINT32_MAX || source->absorbed_count > 0)
        return true;
    mlia_str *absorbed = MLIA_NEW_ARRAY(arena, mlia_str, count - 1);
    if (absorbed == NULL)
        return false;
    source->absorbed = absorbed;
    for (size_t i = 1; i < count; i++) {
        if (!copy_string(arena, json_array_get(operators, i), absorbed))
            return false;
        if (absorbed->size > 0) {
            absorbed++;
            source->absorbed_count++;
        }
    }
    return true;
}

/* What the conversion of TensorFlow Lite models writes: {"tflite": {"subgraph", "operator", "name",
 * "tensor"}, "mlia": {"operators": […], "refusal": {"code", "detail"}}}. The first of the operators is the
 * main one; without a list it is the one of "tflite". */
static bool decode_tflite(mlia_arena *arena, const json_t *root, mlia_source *source, mlia_str *label)
{
    const json_t *tflite = json_object_get(root, "tflite");
    const json_t *own = json_object_get(root, "mlia");
    const json_t *operators = json_object_get(own, "operators");
    const json_t *refusal = json_object_get(own, "refusal");
    const json_t *number = json_object_get(tflite, "operator");
    long long subgraph = json_integer_value(json_object_get(tflite, "subgraph"));
    if (!json_is_object(tflite))
        return true;
    if (label->size == 0 && !copy_string(arena, json_object_get(tflite, "tensor"), label))
        return false;
    if (source->operator_name.size == 0 &&
        !copy_string(arena, json_object_get(tflite, "name"), &source->operator_name))
        return false;
    if (source->origin.size > 0)
        return true;
    if (!copy_string(arena, json_object_get(refusal, "code"), &source->refusal_code) ||
        !copy_string(arena, json_object_get(refusal, "detail"), &source->refusal) ||
        !decode_absorbed(arena, operators, source) ||
        !copy_string(arena, json_array_get(operators, 0), &source->origin))
        return false;
    if (source->origin.size > 0 || !json_is_integer(number))
        return true;
    source->origin = subgraph == 0
                         ? mlia_arena_format(arena, "operator/%lld", (long long)json_integer_value(number))
                         : mlia_arena_format(arena, "subgraph/%lld/operator/%lld", subgraph,
                                             (long long)json_integer_value(number));
    return source->origin.data != NULL;
}

static mlia_status *decode_object(mlia_arena *arena, const json_t *root, mlia_source *source, mlia_str *label)
{
    const json_t *torch = json_object_get(root, "torch_info");
    if (!decode_label(arena, root, label) || !decode_tflite(arena, root, source, label))
        return mlia_error_memory();
    if (source->operator_name.size == 0 &&
        !copy_string(arena, json_object_get(json_object_get(root, "aten_info"), "operator_name"),
                     &source->operator_name))
        return mlia_error_memory();
    if (!decode_modules(arena, json_object_get(torch, "nn_module_stack"), source))
        return mlia_error_memory();
    return decode_frames(arena, json_object_get(torch, "stack_trace"), source);
}

mlia_status *mlia_location_decode_json(mlia_arena *arena, mlia_str text, mlia_source *source, mlia_str *label,
                                       bool *is_json)
{
    *is_json = false;
    if (!mlia_str_starts_with(trim(text), MLIA_STR("{")))
        return NULL;
    json_t *root = json_loadb(text.data, text.size, JSON_ALLOW_NUL, NULL);
    if (!json_is_object(root)) {
        json_decref(root);
        return NULL;
    }
    *is_json = true;
    mlia_status *status = decode_object(arena, root, source, label);
    json_decref(root);
    return status;
}
