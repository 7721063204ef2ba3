# Options and flags common to every target.
option(TILE_STATIC_LLVM "Link LLVM and MLIR statically (for a shipped tilec)" OFF)
option(TILE_BUILD_TESTS "Build unit tests and register the test suites" ON)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Werror
                    -fvisibility-inlines-hidden)
add_link_options(--ld-path=/usr/lib/llvm-22/bin/ld.lld -Wl,--gc-sections)
add_compile_options(-ffunction-sections -fdata-sections)

# ccache makes a second build of the same sources take seconds.  The sloppiness
# and the flag below are what it needs to work with precompiled headers.
find_program(TILE_CCACHE ccache)
if(TILE_CCACHE)
  set(_tile_launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_MAXSIZE=8G ${TILE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${_tile_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_tile_launcher})
endif()
