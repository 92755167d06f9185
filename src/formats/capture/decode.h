/* Decoders of the binary files of a capture (docs/formats/capture.md). They work on memory, so that other
 * containers of the same three files can use them. All integers are little-endian. */
#ifndef MLIA_FORMATS_CAPTURE_DECODE_H
#define MLIA_FORMATS_CAPTURE_DECODE_H

#include "base/bytes.h"
#include "base/map.h"

/* Takes the optional frame (magic, version, size) off a file and gives the payload. `is_text` tells a debug
 * database from a statistics info. Errors: E_FRAME_TRUNCATED, _VERSION, _SIZE, _MAGIC. */
mlia_status *mlia_capture_unframe(mlia_bytes file, bool is_text, mlia_bytes *payload);

/* The stripe indexes of a statistics info, in file order, without repetition. */
typedef struct mlia_stripe_list {
    const uint32_t *indexes;
    size_t count;
    const uint64_t *sorted; /* index << 32 | position in `indexes`, ascending */
} mlia_stripe_list;

/* Decodes a statistics info: 32-bit words, framed or not, or text. The list is in `arena`. Errors: E_FRAME_*,
 * E_INFO_ALIGN, _TEXT, _RANGE, _EMPTY, _DUPLICATE. */
mlia_status *mlia_stripe_list_decode(mlia_bytes file, bool is_text, mlia_arena *arena,
                                     mlia_stripe_list *list);

/* Generations of the hardware by the name of the device; 0 when the name is of none. */
typedef enum mlia_generation { MLIA_GENERATION_NONE, MLIA_GENERATION_G1, MLIA_GENERATION_G2 } mlia_generation;

#define MLIA_VENDOR_ARM 0x13B5u
mlia_generation mlia_generation_of_device(mlia_str name);
/* "Mali-G1". */
mlia_str mlia_generation_name(mlia_generation generation);

/* Words per task and counters per stripe at most. */
enum { MLIA_TASK_WORDS_MAX = 64, MLIA_COUNTERS_MAX = 33 };

/* How a statistics file is laid out for one mode and generation. */
typedef struct mlia_statistics_layout {
    uint32_t mode;
    uint32_t task_words;   /* 32-bit words per task */
    uint32_t block_tasks;  /* tasks per block; block b belongs to stripe b */
    uint32_t word_count;   /* words that may have a name */
    const mlia_str *names; /* per word; empty: the word has no name */
} mlia_statistics_layout;

const mlia_statistics_layout *mlia_statistics_layout_of(uint32_t mode, mlia_generation generation);
uint64_t mlia_statistics_block_bytes(const mlia_statistics_layout *layout);

/* Sums of one stripe over its block. */
typedef struct mlia_stripe_sums {
    uint64_t words[MLIA_COUNTERS_MAX]; /* by word of the task; only named words */
    uint64_t op_cycles;
    uint64_t total_cycles;
    bool counted;        /* a word of the block is not zero: the stripe has counters */
    bool has_unlabelled; /* mode 1: a word without a name is not zero */
} mlia_stripe_sums;

/* A statistics file that arrives block by block. */
typedef struct mlia_statistics_decoder {
    const mlia_statistics_layout *layout;
    const mlia_stripe_list *list;
    mlia_stripe_sums *sums; /* one for each item of the list, in its order */
    uint64_t block_count;
    uint64_t next_block;
    size_t next_listed; /* position in list->sorted */
} mlia_statistics_decoder;

/* Prepares for a file of `size` bytes; the sums are in `arena`. Error: E_STATS_ALIGN. */
mlia_status *mlia_statistics_begin(mlia_statistics_decoder *decoder, const mlia_statistics_layout *layout,
                                   uint64_t size, const mlia_stripe_list *list, mlia_arena *arena);
/* The next block, whole but for the last one. Error: E_INFO_UNLISTED. */
mlia_status *mlia_statistics_block(mlia_statistics_decoder *decoder, mlia_bytes block);
/* After the last block: every listed stripe must have been in the file. Error: E_INFO_OUT_OF_RANGE. */
mlia_status *mlia_statistics_end(const mlia_statistics_decoder *decoder);

/* Sections of a debug database, in file order. Names are not in the file. */
typedef enum mlia_debug_section {
    MLIA_DEBUG_TOSA_OPS,
    MLIA_DEBUG_API_LABELS,
    MLIA_DEBUG_FUSED_OPS,
    MLIA_DEBUG_CHAINS, /* called cascade_ops by its makers */
    MLIA_DEBUG_CASCADE_GROUPS,
    MLIA_DEBUG_STRIPE_OPS,
    MLIA_DEBUG_STRIPE_INDEXES,
    MLIA_DEBUG_SECTION_COUNT,
} mlia_debug_section;

/* "tosa_ops", … */
mlia_str mlia_debug_section_name(mlia_debug_section section);

/* The cells of a row by what they mean. Cells of a column that the file does not have are empty. */
enum {
    MLIA_DEBUG_ID = 0,
    MLIA_DEBUG_TYPE = 1,              /* tosa_ops: type names */
    MLIA_DEBUG_LABELS = 2,            /* tosa_ops: source labels */
    MLIA_DEBUG_MEMBERS = 1,           /* fused_ops: TOSA operations; chains: fused operations */
    MLIA_DEBUG_CHAIN = 1,             /* stripe_ops */
    MLIA_DEBUG_CASCADE = 2,           /* stripe_ops */
    MLIA_DEBUG_STRIPE_OP = 1,         /* stripe_indexes: the stripe operation of this index */
    MLIA_DEBUG_STRIPE_INDEXES_OF = 2, /* stripe_indexes: indexes that are their own stripe operation */
    MLIA_DEBUG_CELL_COUNT = 3,
};

typedef struct mlia_debug_row {
    mlia_str cells[MLIA_DEBUG_CELL_COUNT];
} mlia_debug_row;

typedef struct mlia_debug_table {
    mlia_debug_row *rows; /* file order; none for api_labels and cascade_groups */
    size_t count;
    size_t capacity;
    mlia_map by_id; /* position in `rows` */
} mlia_debug_table;

typedef struct mlia_debug_database {
    mlia_debug_table tables[MLIA_DEBUG_SECTION_COUNT];
} mlia_debug_database;

/* Decodes a debug database; the cells are views into `file`. Errors: E_FRAME_*, E_DEBUG_TEXT, _SECTIONS,
 * _COLUMNS, _ROW, _DUPLICATE. */
mlia_status *mlia_debug_database_decode(mlia_bytes file, mlia_arena *arena, mlia_debug_database *database);
/* Row of an id, or NULL. */
const mlia_debug_row *mlia_debug_find(const mlia_debug_database *database, mlia_debug_section section,
                                      mlia_str id);

/* Takes the next item off a cell that lists ids with ';' between them; blanks around ids and empty items are
 * skipped. False at the end. */
bool mlia_debug_next_id(mlia_str *cell, mlia_str *id);

#endif
