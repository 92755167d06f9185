# A room is one folder of src/ and one static library. A room sees the headers of the rooms it depends on and of no other:
# its include path holds one link per room it may use, so a forbidden #include does not compile.
#
#   mlia_room(formats/tosa DEPENDS graph formats/flatbuf LIBRARIES PkgConfig::JANSSON)
#
# makes target mlia_formats_tosa from src/formats/tosa/*.c; others include its headers as "formats/tosa/NAME.h".
function(mlia_room path)
    cmake_parse_arguments(room "" "" "DEPENDS;LIBRARIES" ${ARGN})
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
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC ${include})
    foreach(dependency ${room_DEPENDS})
        string(REPLACE "/" "_" dependency ${dependency})
        target_link_libraries(${target} PUBLIC mlia_${dependency})
    endforeach()
    target_link_libraries(${target} PRIVATE ${room_LIBRARIES})
    set_property(GLOBAL APPEND PROPERTY MLIA_ROOMS ${target})
endfunction()
