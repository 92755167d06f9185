/* Any bytes as one of the four JSON documents of a capture that is otherwise in order. The first byte chooses
 * the document. What is accepted must hold together. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/capture/capture.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DEVICE                                                                                               \
    "{\"id\":0,\"name\":\"Mali-G1\",\"vendor_id\":5045,\"device_id\":1,\"driver_version\":1,\"api_"          \
    "version\":1}"

static const struct {
    const char *path;
    const char *text;
} documents[] = {
    {"capture.json",
     "{\"schema_version\":2,\"status\":\"complete\",\"error\":null,\"capture\":{\"layer_name\":\"l\",\"layer_"
     "version\":"
     "\"1\",\"commit_identity\":\"\",\"layer_implementation_version\":1,\"statistics_mode\":0,\"dispatch_"
     "filter\":\"\"},"
     "\"devices\":[" DEVICE
     "],\"warnings\":[],\"pipelines\":[{\"id\":0,\"path\":\"pipeline_000000/pipeline.json\"}]}"},
    {"pipeline_000000/pipeline.json",
     "{\"schema_version\":2,\"id\":0,\"device_id\":0,\"friendly_name\":\"\",\"diagnostic_handle\":null,"
     "\"pipeline_layout_handle\":18446744073709551615,\"flags\":0,\"vendor_options\":null,\"identifier_"
     "only\":false,"
     "\"foreign_processing_engine\":false,\"statistics_enabled\":true,\"resource_bindings\":[],\"shader\":{"
     "\"module_id\":1,"
     "\"spirv_available\":true,\"friendly_name\":\"\",\"entry_point\":\"\",\"specialization_data_size\":0,"
     "\"specialization_entries\":[]},\"artifacts\":[{\"path\":\"pipeline_000000/"
     "debug_database.bin\",\"type\":\"debug_database\","
     "\"size\":4},{\"path\":\"pipeline_000000/"
     "neural_statistics_info.bin\",\"type\":\"statistics_info\",\"size\":4},"
     "{\"path\":\"pipeline_000000/"
     "shader_module_1.spv\",\"type\":\"shader_module\",\"size\":4}],\"sessions\":[{\"id\":0,"
     "\"path\":\"pipeline_000000/session_000000/session.json\"}]}"},
    {"pipeline_000000/session_000000/session.json",
     "{\"schema_version\":2,\"id\":0,\"pipeline_id\":0,\"device_id\":0,\"friendly_name\":\"\",\"diagnostic_"
     "handle\":null,\"flags\":0,"
     "\"dispatches\":[{\"id\":0,\"path\":\"pipeline_000000/session_000000/dispatch_000000/"
     "dispatch.json\"}]}"},
    {"pipeline_000000/session_000000/dispatch_000000/dispatch.json",
     "{\"schema_version\":2,\"id\":0,\"session_id\":0,\"executed_index\":0,\"diagnostic_command_buffer_"
     "handle\":null,\"artifacts\":[{"
     "\"path\":\"pipeline_000000/session_000000/dispatch_000000/"
     "statistics_mode0.bin\",\"type\":\"dispatch_statistics\",\"size\":4}]}"},
    {"pipeline_000000/debug_database.bin", "text"},
    {"pipeline_000000/neural_statistics_info.bin", "text"},
    {"pipeline_000000/shader_module_1.spv", "text"},
    {"pipeline_000000/session_000000/dispatch_000000/statistics_mode0.bin", "text"},
};
enum { DOCUMENT_COUNT = 4, FILE_COUNT = sizeof documents / sizeof documents[0] };

static char root[] = "/tmp/mlia_capture_fuzz_XXXXXX";

static void write_file(size_t index, const void *data, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, documents[index].path);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static mlia_status *open_capture(mlia_capture **capture)
{
    mlia_capture_location location = {mlia_str_from_c(root), MLIA_STR("capture"), MLIA_STR_NONE};
    return mlia_capture_open(&location, capture);
}

static void remove_root(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    if (system(command) != 0)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    char path[256];
    if (mkdtemp(root) == NULL)
        abort();
    atexit(remove_root);
    for (size_t i = 0; i < 3; i++) {
        static const char *const folders[] = {"pipeline_000000", "pipeline_000000/session_000000",
                                              "pipeline_000000/session_000000/dispatch_000000"};
        snprintf(path, sizeof path, "%s/%s", root, folders[i]);
        if (mkdir(path, 0700) != 0)
            abort();
    }
    for (size_t i = 0; i < FILE_COUNT; i++)
        write_file(i, documents[i].text, strlen(documents[i].text));
    mlia_capture *capture;
    if (open_capture(&capture) != NULL)
        abort();
    mlia_capture_free(capture);
    return 0;
}

static void check(const mlia_capture *capture)
{
    for (uint32_t i = 0; i < capture->dispatch_count; i++) {
        const mlia_capture_dispatch *dispatch = &capture->dispatches[i];
        const mlia_capture_session *session = &capture->sessions[dispatch->session];
        if (session->pipeline != dispatch->pipeline || i < session->first_dispatch ||
            i >= session->first_dispatch + session->dispatch_count ||
            capture->pipelines[dispatch->pipeline].device >= capture->device_count ||
            mlia_capture_find_dispatch(capture, dispatch->folder) != dispatch)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return -1;
    size_t chosen = data[0] % DOCUMENT_COUNT;
    write_file(chosen, data + 1, size - 1);
    mlia_capture *capture;
    mlia_status *status = open_capture(&capture);
    if (status == NULL) {
        check(capture);
        mlia_capture_free(capture);
    } else if (mlia_status_message(status).size == 0 || mlia_status_path_text(status).size == 0) {
        abort();
    }
    mlia_status_free(status);
    write_file(chosen, documents[chosen].text, strlen(documents[chosen].text));
    return 0;
}
