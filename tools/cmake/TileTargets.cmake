# tile_add_library(NAME sources... [LINK libs...] [DEPENDS tablegen targets...])
#   A static library of the compiler or the dialects.  Uses the shared
#   precompiled header of the MLIR and LLVM headers everybody includes.
# tile_add_plain_library(NAME sources... [LINK libs...])
#   The same without MLIR and without the precompiled header.
# tile_add_executable(NAME sources... LINK libs...)
#   A tool that links LLVM and MLIR.

function(tile_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PUBLIC TileLLVM ${ARG_LINK})
  target_precompile_headers(${name} REUSE_FROM TilePch)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

function(tile_add_plain_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

function(tile_add_executable name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PRIVATE TileLLVM ${ARG_LINK} TileLLVMLink)
  # The precompiled header is built with -fPIC, and clang wants the same here
  # rather than the -fPIE that CMake gives executables.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM TilePch)
  if(TILE_STATIC_LLVM)
    add_custom_command(TARGET ${name} POST_BUILD COMMAND ${CMAKE_STRIP} $<TARGET_FILE:${name}>)
  endif()
endfunction()

# The one precompiled header, shared by every target that includes MLIR.
file(WRITE ${CMAKE_BINARY_DIR}/TilePch.cpp "// Carries the precompiled header.\n")
add_library(TilePch STATIC ${CMAKE_BINARY_DIR}/TilePch.cpp)
target_include_directories(TilePch PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
target_link_libraries(TilePch PUBLIC TileLLVM)
target_precompile_headers(TilePch PRIVATE ${CMAKE_SOURCE_DIR}/tools/cmake/TilePch.h)
