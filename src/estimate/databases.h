/* The side files of an estimate: what public tools for this accelerator read. docs/estimator.md, "Side
 * files".
 *
 * A database is XML with one <table name="…"> for each table and a CDATA body: a line of quoted column names,
 * then comma-separated rows; the items of a list cell each end in ';'. */
#ifndef MLIA_ESTIMATE_DATABASES_H
#define MLIA_ESTIMATE_DATABASES_H

#include "base/bytes.h"
#include "estimate/estimate.h"

/* Appends NAME_performance_database.dat, NAME_debug_database.dat, NAME_timing_database.dat of one segment. */
void mlia_performance_database_write(const mlia_estimate_segment *segment, mlia_buffer *buffer);
void mlia_debug_database_write(const mlia_estimate_segment *segment, mlia_buffer *buffer);
void mlia_timing_database_write(const mlia_estimate_segment *segment, mlia_buffer *buffer);

/* A database file that was read from somewhere. */
typedef struct mlia_database_file {
    mlia_str name; /* for messages */
    mlia_str text;
} mlia_database_file;

/* Builds the chains, cascades and stripes of `segment` from a performance and a debug database. Operators of
 * the databases are found in segment->graph by the SPIR-V id of their label ("TOSACONV2D_spirv_id_52"), else
 * by a label that exactly one operator has; those that cannot be found are left out of the chains.
 * segment->index, name and graph must be set; figures no section or memory of ours has are left out with a
 * warning. Errors, each naming file, table and row: E_ESTIMATOR_PROGRAM for a missing table or column, an
 * unknown stripe, chain, cascade or operator, a stripe without figures or with two rows, a text that is no
 * number, a negative number. */
mlia_status *mlia_databases_read(const mlia_database_file *performance, const mlia_database_file *debug,
                                 mlia_arena *arena, mlia_diagnostics *diagnostics,
                                 mlia_estimate_segment *segment);

#endif
