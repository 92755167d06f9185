# One program per file: tests/unit/ROOM/NAME_test.c tests src/ROOM/NAME.c and links the room it stands in.
# MLIA_TEST_DATA is tests/data; MLIA_FIXTURES (environment, may be absent) holds larger inputs.
get_property(rooms GLOBAL PROPERTY MLIA_ROOMS)
file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/*_test.c)
foreach(source ${test_sources})
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR}/tests/unit ${source})
    get_filename_component(room ${relative} DIRECTORY)
    get_filename_component(name ${relative} NAME_WE)
    string(REPLACE "/" "_" room ${room})
    if(NOT TARGET mlia_${room})
        message(FATAL_ERROR "${relative}: there is no room mlia_${room}")
    endif()
    set(test unit_${room}_${name})
    add_executable(${test} ${source})
    target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/tests/unit)
    target_compile_definitions(${test} PRIVATE MLIA_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    target_link_libraries(${test} PRIVATE mlia_${room} PkgConfig::CMOCKA m)
    add_test(NAME ${test} COMMAND ${test})
endforeach()

# Drivers that official test suites run: tests/oracle finds them beside the program.
add_executable(toml-decoder ${PROJECT_SOURCE_DIR}/tests/tools/toml_decoder.c)
target_link_libraries(toml-decoder PRIVATE mlia_formats_toml)
add_executable(document-tool ${PROJECT_SOURCE_DIR}/tests/tools/document_tool.c)
target_link_libraries(document-tool PRIVATE mlia_render)
add_executable(vgf-show ${PROJECT_SOURCE_DIR}/tests/tools/vgf_show.c)
target_link_libraries(vgf-show PRIVATE mlia_formats_vgf)
add_executable(tosa-copy ${PROJECT_SOURCE_DIR}/tests/tools/tosa_copy.c)
target_link_libraries(tosa-copy PRIVATE mlia_formats_tosa)

# MLIR and FlatBuffers forms of one module are compared.
foreach(test files text write)
    target_link_libraries(unit_formats_mlir_${test}_test PRIVATE mlia_formats_tosa)
endforeach()
