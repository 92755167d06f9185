/* Recognising any bytes: never reads outside them. */
#include "formats/detect/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_format_detect((mlia_bytes){data, size});
    mlia_format_by_suffix((mlia_str){(const char *)data, size}, NULL);
    return 0;
}
