# tile_add_unit_test(NAME sources... LINK libs...)
#   A GoogleTest program that may use LLVM and MLIR; ctest runs each case.
# tile_add_plain_unit_test(NAME sources... LINK libs...)
#   The same for code without LLVM: the layouts' users, the runtime.
find_package(GTest REQUIRED)
include(GoogleTest)

# Programs are put beside the tools, so that what they look up relative to
# their own path is found.  TileUnitTests builds all of them.
add_custom_target(TileUnitTests)

function(_tile_register_unit_test name)
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  add_dependencies(TileUnitTests ${name})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()

function(tile_add_unit_test name)
  tile_add_executable(${name} ${ARGN})
  _tile_register_unit_test(${name})
endfunction()

function(tile_add_plain_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  _tile_register_unit_test(${name})
endfunction()
