/* SHA-256 (nettle) and UUID version 7. */
#ifndef MLIA_BASE_HASH_H
#define MLIA_BASE_HASH_H

#include "base/status.h"

enum { MLIA_SHA256_SIZE = 32, MLIA_SHA256_HEX_SIZE = 64, MLIA_UUID_SIZE = 36 };

/* 64 lower-case hexadecimal digits and NUL. */
void mlia_sha256_hex(mlia_bytes bytes, char hex[MLIA_SHA256_HEX_SIZE + 1]);

/* UUID version 7 (RFC 9562): 48-bit milliseconds since 1970, then 74 random bits. Lower case, with NUL. */
mlia_status *mlia_uuid_v7(uint64_t unix_milliseconds, char text[MLIA_UUID_SIZE + 1]);

/* True for 8-4-4-4-12 hexadecimal digits of either case. */
bool mlia_uuid_valid(mlia_str text);

#endif
