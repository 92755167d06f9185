# The rooms from the ground up: a room may use the ones it names (and what those use), never one below it in this list.
# docs/architecture.md has the picture.
mlia_room(base LIBRARIES PkgConfig::NETTLE)
mlia_room(graph DEPENDS base)
