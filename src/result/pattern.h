/* Forms of texts that the document demands, each a function instead of a regular expression. */
#ifndef MLIA_RESULT_PATTERN_H
#define MLIA_RESULT_PATTERN_H

#include "base/text.h"

bool mlia_pattern_not_blank(mlia_str text);
bool mlia_pattern_sha256(mlia_str text);           /* 64 hexadecimal digits of either case */
bool mlia_pattern_sha256_lower(mlia_str text);     /* of lower case */
bool mlia_pattern_uuid(mlia_str text);             /* 8-4-4-4-12 hexadecimal digits of either case */
bool mlia_pattern_uuid_strict(mlia_str text);      /* lower case, version 1 to 8, RFC 9562 variant */
bool mlia_pattern_timestamp(mlia_str text);        /* YYYY-MM-DDTHH:MM:SS[.F…][±HH:MM|Z] */
bool mlia_pattern_timestamp_strict(mlia_str text); /* YYYY-MM-DDTHH:MM:SS.mmmZ */
bool mlia_pattern_schema_version(mlia_str text);   /* 1.MINOR.PATCH */
bool mlia_pattern_tool_version(mlia_str text);     /* N.N.N and whatever follows */
bool mlia_pattern_backend_id(mlia_str text);       /* [a-z0-9][a-z0-9-]* */
bool mlia_pattern_advice_id(mlia_str text);        /* [a-z0-9]+([.-][a-z0-9]+)*(#[0-9]+)? */
bool mlia_pattern_qualifier(mlia_str text);        /* [A-Za-z_][A-Za-z0-9_-]* */
bool mlia_pattern_delegate_id(mlia_str text);      /* pte/[^/]+/chain/N/instruction/N */
bool mlia_pattern_diagnostic_code(mlia_str text);  /* [EWN]_[A-Z][A-Z0-9_]* */

/* Minor number of a schema version that mlia_pattern_schema_version accepts; UINT32_MAX when it is huge. */
uint32_t mlia_schema_minor(mlia_str version);

#endif
