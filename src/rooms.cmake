# The rooms from the ground up: a room may use the ones it names (and what those use), never one below it in this list.
# docs/architecture.md has the picture.
mlia_room(base LIBRARIES PkgConfig::NETTLE)
mlia_room(graph DEPENDS base LIBRARIES PkgConfig::JANSSON m)
mlia_room(result DEPENDS base LIBRARIES PkgConfig::JANSSON m)
mlia_room(formats/detect DEPENDS base)
mlia_room(formats/toml DEPENDS base)
mlia_room(formats/flatbuf DEPENDS base)
mlia_room(estimate DEPENDS graph LIBRARIES PkgConfig::INIH m EMBED configurations/*.ini)
mlia_room(formats/tflite DEPENDS formats/flatbuf LIBRARIES m)
mlia_room(targets DEPENDS graph result formats/toml EMBED profiles/*.toml)
mlia_room(backends DEPENDS graph formats/detect result targets estimate)
mlia_room(core DEPENDS backends targets result formats/detect formats/toml graph)
mlia_room(cli DEPENDS core LIBRARIES PkgConfig::JANSSON PkgConfig::NETTLE)
