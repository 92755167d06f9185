/* A graph as a JSON value: what a listing of a model file shows. */
#ifndef MLIA_GRAPH_DUMP_H
#define MLIA_GRAPH_DUMP_H

#include "base/value.h"
#include "graph/graph.h"

/* Object with `name`, `version`, `regions` (each with `name`, `inputs`, `outputs` and `operators` in order of
 * execution) and `tensors`. Operators have `index`, `type`, `inputs`, `outputs`, `attributes`, `label`, `id`
 * of their source and, if known, `file`, `line`, `column`. Tensors have `index`, `name`, `type`, `shape`
 * (null: without rank; null dimensions: not known), and constants their size in `bytes`; shape values have
 * `type` SHAPE and `values`. Inputs and outputs are indexes of tensors. Members whose value is empty are left
 * out. */
mlia_status *mlia_graph_dump(const mlia_graph *graph, mlia_arena *arena, mlia_value **value);

#endif
