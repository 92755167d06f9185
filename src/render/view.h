/* A result as renderings want to look at it: entities with their children and figures. */
#ifndef MLIA_RENDER_VIEW_H
#define MLIA_RENDER_VIEW_H

#include "base/map.h"
#include "base/status.h"
#include "result/result.h"

typedef struct mlia_view_entity {
    const mlia_entity *entity;
    const mlia_breakdown
        *figures; /* the entity's first breakdown, authoritative before projected; NULL: none */
    uint32_t *children;
    uint32_t child_count;
    uint32_t *parents;
    uint32_t parent_count;
} mlia_view_entity;

typedef struct mlia_view {
    const mlia_result *result;
    mlia_view_entity *entities; /* in the document's order */
    uint32_t count;
    mlia_map ids;
    uint32_t *mark; /* scratch of walks: == stamp is visited */
    uint32_t stamp;
    uint64_t steps; /* of all walks so far */
} mlia_view;

mlia_status *mlia_view_make(mlia_arena *arena, const mlia_result *result, mlia_view *view);

/* Value of a figure of an entity; false when there is no such number. */
bool mlia_view_figure(const mlia_view *view, uint32_t entity, mlia_str name, double *value);
/* Value of a metric of the model; false when there is no such number. */
bool mlia_view_metric(const mlia_view *view, mlia_str name, double *value);
bool mlia_view_is_kind(const mlia_view *view, uint32_t entity, mlia_str kind);
/* String attribute of an entity, or an empty view. */
mlia_str mlia_view_attribute(const mlia_view *view, uint32_t entity, mlia_str name);

typedef MLIA_LIST(uint32_t) mlia_view_list;
/* Source operators below an entity (itself if it is one), ascending, each once. None when the entities of the
 * result overlap so much that walking through them all would take too long. */
mlia_status *mlia_view_operators(mlia_arena *arena, mlia_view *view, uint32_t entity,
                                 mlia_view_list *operators);

#endif
