/* SHA-256 through nettle; UUID version 7 with getrandom. */
#include "base/hash.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <sys/random.h>

static void to_hex(const uint8_t *bytes, size_t size, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * size] = '\0';
}

void mlia_sha256_hex(mlia_bytes bytes, char hex[MLIA_SHA256_HEX_SIZE + 1])
{
    struct sha256_ctx context;
    uint8_t digest[MLIA_SHA256_SIZE];
    sha256_init(&context);
    if (bytes.size > 0)
        sha256_update(&context, bytes.size, bytes.data);
    sha256_digest(&context, sizeof digest, digest);
    to_hex(digest, sizeof digest, hex);
}

mlia_status *mlia_uuid_v7(uint64_t unix_milliseconds, char text[MLIA_UUID_SIZE + 1])
{
    uint8_t bytes[16];
    ssize_t got;
    do
        got = getrandom(bytes, sizeof bytes, 0);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof bytes)
        return mlia_error(MLIA_E_INTERNAL, "the system gave no random bytes: %s", strerror(errno));
    for (unsigned i = 0; i < 6; i++)
        bytes[i] = (uint8_t)(unix_milliseconds >> (40 - 8 * i));
    bytes[6] = (uint8_t)((bytes[6] & 0x0F) | 0x70);
    bytes[8] = (uint8_t)((bytes[8] & 0x3F) | 0x80);
    char hex[33];
    to_hex(bytes, sizeof bytes, hex);
    static const uint8_t group_sizes[] = {8, 4, 4, 4, 12};
    const char *from = hex;
    char *to = text;
    for (size_t group = 0; group < sizeof group_sizes; group++) {
        if (group > 0)
            *to++ = '-';
        memcpy(to, from, group_sizes[group]);
        to += group_sizes[group];
        from += group_sizes[group];
    }
    *to = '\0';
    return NULL;
}

bool mlia_uuid_valid(mlia_str text)
{
    if (text.size != MLIA_UUID_SIZE)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? c != '-' : !hex)
            return false;
    }
    return true;
}
