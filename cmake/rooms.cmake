# A room is one folder of src/ and one static library. A room sees the headers of the rooms it depends on and of no other:
# its include path holds one link per room it may use, so a forbidden #include does not compile.
#
#   mlia_room(formats/tosa DEPENDS graph formats/flatbuf LIBRARIES PkgConfig::JANSSON)
#
# makes target mlia_formats_tosa from src/formats/tosa/*.c; others include its headers as "formats/tosa/NAME.h".
# EMBED profiles/*.toml compiles these files of the room into the array mlia_embedded_ROOM (base/embedded.h).
function(mlia_room path)
    cmake_parse_arguments(room "" "" "DEPENDS;LIBRARIES;EMBED" ${ARGN})
    string(REPLACE "/" "_" name ${path})
    set(target mlia_${name})
    set(source ${PROJECT_SOURCE_DIR}/src/${path})
    set(include ${PROJECT_BINARY_DIR}/rooms/${name})
    get_filename_component(parent ${include}/${path} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    if(NOT EXISTS ${include}/${path})
        file(CREATE_LINK ${source} ${include}/${path} SYMBOLIC)
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${source}/*.c)
    if(room_EMBED)
        mlia_embed(${name} ${source} ${room_EMBED})
        list(APPEND sources ${PROJECT_BINARY_DIR}/embedded/${name}.c)
    endif()
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC ${include})
    foreach(dependency ${room_DEPENDS})
        string(REPLACE "/" "_" dependency ${dependency})
        target_link_libraries(${target} PUBLIC mlia_${dependency})
    endforeach()
    target_link_libraries(${target} PRIVATE ${room_LIBRARIES})
    set_property(GLOBAL APPEND PROPERTY MLIA_ROOMS ${target})
endfunction()

# Writes embedded/NAME.c: the files of `source` that match the patterns, sorted by name, as bytes.
function(mlia_embed name source)
    list(TRANSFORM ARGN PREPEND ${source}/)
    file(GLOB files CONFIGURE_DEPENDS ${ARGN})
    set(arrays "")
    set(entries "")
    set(index 0)
    foreach(file ${files})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        get_filename_component(base ${file} NAME)
        file(READ ${file} bytes HEX)
        string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
        string(APPEND arrays "static const unsigned char file_${index}[] = {${bytes}0};\n")
        string(APPEND entries "    {\"${base}\", {(const char *)file_${index}, sizeof file_${index} - 1}},\n")
        math(EXPR index "${index} + 1")
    endforeach()
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/embedded/${name}.c CONTENT
        "/* Made by cmake/rooms.cmake. */\n#include \"base/embedded.h\"\n\n${arrays}
extern const mlia_embedded mlia_embedded_${name}[];
const mlia_embedded mlia_embedded_${name}[] = {\n${entries}    {NULL, {NULL, 0}},\n};\n" @ONLY)
endfunction()
