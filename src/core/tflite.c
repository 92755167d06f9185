/* Reading TensorFlow Lite models by the choices of the command line. */
#include "core/tflite.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool mlia_tflite_is_chosen(const mlia_tflite_choices *choices)
{
    return choices != NULL &&
           choices->rounding.size + choices->state.size + choices->signature.size + choices->subgraph.size >
               0;
}

/* ---- files beside the model ---- */

typedef struct folder {
    const char *model_path;
    mlia_arena *arena;
} folder;

static mlia_status *refuse(mlia_str name, const char *why)
{
    return mlia_error(MLIA_E_TFLITE_BUFFER_RANGE, "external buffers in '%.*s': %s", MLIA_STR_ARG(name), why);
}

/* Descriptor of the folder that the model is in; -1 with errno. */
static int open_folder(const folder *at)
{
    const char *slash = strrchr(at->model_path, '/');
    if (slash == NULL)
        return open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    size_t size = slash == at->model_path ? 1 : (size_t)(slash - at->model_path);
    mlia_str path = mlia_arena_str(at->arena, (mlia_str){at->model_path, size});
    errno = ENOMEM;
    return path.data == NULL ? -1 : open(path.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Opens `name` below `base` part by part, so that no link on the way is followed. -1 with errno. */
static int open_below(const folder *at, int base, mlia_str name)
{
    int fd = base;
    while (fd >= 0) {
        size_t slash = mlia_str_find(name, '/');
        mlia_str part = mlia_arena_str(at->arena, mlia_str_slice(name, 0, slash));
        int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (slash == SIZE_MAX ? 0 : O_DIRECTORY);
        int next = part.data == NULL ? -1 : openat(fd, part.data, flags);
        int reason = errno;
        if (fd != base)
            close(fd);
        errno = reason;
        fd = next;
        if (slash == SIZE_MAX)
            break;
        name = mlia_str_slice(name, slash + 1, SIZE_MAX);
    }
    return fd;
}

static bool is_plain(mlia_str name)
{
    if (name.size == 0 || name.data[0] == '/' || memchr(name.data, '\0', name.size) != NULL)
        return false;
    for (bool more = true; more;) {
        size_t slash = mlia_str_find(name, '/');
        mlia_str part = mlia_str_slice(name, 0, slash);
        if (part.size == 0 || mlia_str_equal_c(part, ".") || mlia_str_equal_c(part, ".."))
            return false;
        more = slash != SIZE_MAX;
        name = more ? mlia_str_slice(name, slash + 1, SIZE_MAX) : name;
    }
    return true;
}

static mlia_status *read_all(const folder *at, int fd, mlia_str name, mlia_bytes *bytes)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return refuse(name, "no regular file");
    size_t size = (size_t)info.st_size;
    uint8_t *data = MLIA_NEW_ARRAY(at->arena, uint8_t, size);
    MLIA_TRY_ALLOC(data);
    size_t done = 0;
    while (done < size) {
        ssize_t part = read(fd, data + done, size - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return refuse(name, "it cannot be read to its end");
        done += (size_t)part;
    }
    *bytes = (mlia_bytes){data, size};
    return NULL;
}

static mlia_status *open_external(void *context, mlia_str name, mlia_bytes *bytes)
{
    const folder *at = context;
    if (!is_plain(name))
        return refuse(name, "the name must be relative, without '.' and '..'");
    int base = open_folder(at);
    int fd = base < 0 ? -1 : open_below(at, base, name);
    mlia_status *status = fd < 0 ? refuse(name, errno == ELOOP ? "links are not followed" : strerror(errno))
                                 : read_all(at, fd, name, bytes);
    if (fd >= 0)
        close(fd);
    if (base >= 0)
        close(base);
    return status;
}

mlia_status *mlia_tflite_load(mlia_bytes file, const char *path, mlia_arena *arena,
                              mlia_diagnostics *diagnostics, mlia_tflite **model)
{
    folder at = {path, arena};
    bool has_folder = path != NULL && strcmp(path, "-") != 0;
    return mlia_tflite_read(file, has_folder ? open_external : NULL, &at, arena, diagnostics, model);
}

/* ---- choices ---- */

/* Position of `text` among `words`, which are the values of an enumeration in order. */
static mlia_status *choose(mlia_str text, const char *option, const char *const *words, size_t count,
                           unsigned *value)
{
    for (size_t i = 0; i < count && text.size > 0; i++)
        if (mlia_str_equal_c(text, words[i])) {
            *value = (unsigned)i;
            return NULL;
        }
    return text.size == 0
               ? NULL
               : mlia_error(MLIA_E_OPTION_VALUE, "'--%s' has no value '%.*s'", option, MLIA_STR_ARG(text));
}

static mlia_status *choose_signature(const mlia_tflite *model, mlia_str key, uint32_t *subgraph)
{
    for (uint32_t i = 0; i < model->signature_count; i++)
        if (mlia_str_equal(model->signatures[i].key, key)) {
            *subgraph = model->signatures[i].subgraph;
            return NULL;
        }
    mlia_buffer list = {0};
    for (uint32_t i = 0; i < model->signature_count; i++)
        mlia_buffer_format(&list, "%s%.*s", i > 0 ? ", " : "", MLIA_STR_ARG(model->signatures[i].key));
    mlia_status *status = mlia_error(
        MLIA_E_OPTION_VALUE, "the model has no signature '%.*s'; there are: %.*s", MLIA_STR_ARG(key),
        list.size > 0 ? (int)list.size : 4, list.size > 0 ? (const char *)list.data : "none");
    mlia_buffer_free(&list);
    return status;
}

static mlia_status *choose_subgraph(const mlia_tflite *model, mlia_str text, uint32_t *subgraph)
{
    int64_t number;
    for (uint32_t i = 0; i < model->subgraph_count; i++)
        if (model->subgraphs[i].name.size > 0 && mlia_str_equal(model->subgraphs[i].name, text)) {
            *subgraph = i;
            return NULL;
        }
    if (!mlia_str_to_i64(text, &number) || number < 0 || number >= (int64_t)model->subgraph_count)
        return mlia_error(MLIA_E_OPTION_VALUE, "the model has no subgraph '%.*s'; it has %u",
                          MLIA_STR_ARG(text), model->subgraph_count);
    *subgraph = (uint32_t)number;
    return NULL;
}

static mlia_status *choose_options(const mlia_tflite *model, const mlia_tflite_choices *choices,
                                   mlia_tflite_to_tosa_options *options)
{
    static const char *const roundings[] = {"reference", "single", "official"};
    static const char *const states[] = {"variable", "io", "zero"};
    unsigned rounding = options->rounding;
    unsigned state = options->state;
    MLIA_TRY(choose(choices->rounding, "tflite-rounding", roundings, 3, &rounding));
    MLIA_TRY(choose(choices->state, "tflite-state", states, 3, &state));
    options->rounding = (mlia_tflite_rounding)rounding;
    options->state = (mlia_tflite_state)state;
    if (choices->signature.size > 0 && choices->subgraph.size > 0)
        return mlia_error(MLIA_E_OPTION_CONFLICT, "'--signature' and '--subgraph' exclude each other");
    if (choices->signature.size > 0)
        return choose_signature(model, choices->signature, &options->subgraph);
    if (choices->subgraph.size > 0)
        return choose_subgraph(model, choices->subgraph, &options->subgraph);
    return NULL;
}

mlia_status *mlia_tflite_graph(mlia_bytes file, const char *path, mlia_str name,
                               const mlia_tflite_choices *choices, bool to_tosa,
                               const mlia_input_shape *shapes, size_t shape_count, mlia_arena *arena,
                               mlia_diagnostics *diagnostics, mlia_graph **graph)
{
    mlia_tflite *model;
    mlia_tflite_to_tosa_options options = {
        .state = to_tosa ? MLIA_TFLITE_STATE_VARIABLE : MLIA_TFLITE_STATE_IO,
        .keep_control_flow = to_tosa,
        .input_shapes = shapes,
        .input_shape_count = shape_count,
    };
    MLIA_TRY(mlia_tflite_load(file, path, arena, diagnostics, &model));
    if (choices != NULL)
        MLIA_TRY(choose_options(model, choices, &options));
    return mlia_tflite_to_tosa(model, name, &options, arena, diagnostics, graph);
}
