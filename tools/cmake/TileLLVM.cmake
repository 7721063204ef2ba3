# Finds the one LLVM/MLIR version that the project is written for and defines
# TileLLVM, the target that stands for "LLVM and MLIR" whichever way they are
# linked.
set(TILE_LLVM_VERSION 22.1)
find_package(MLIR ${TILE_LLVM_VERSION} REQUIRED CONFIG
             HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(TileLLVM INTERFACE)
target_include_directories(TileLLVM SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(_tile_llvm_defs NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(TileLLVM INTERFACE ${_tile_llvm_defs} -fno-exceptions
                       "SHELL:-Xclang -fno-pch-timestamp")

# TileLLVMLink is what an executable links, once, at the end.
add_library(TileLLVMLink INTERFACE)
if(NOT TILE_STATIC_LLVM)
  target_link_libraries(TileLLVMLink INTERFACE MLIR LLVM)
else()
  # The imported MLIR targets carry libLLVM.so in their interface, so the
  # archives are named directly.  --as-needed drops libxml2 and libz3.
  file(GLOB _tile_mlir_archives ${LLVM_LIBRARY_DIRS}/libMLIR*.a)
  list(FILTER _tile_mlir_archives EXCLUDE REGEX "CAPI|Test|Runner")
  execute_process(
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-config --link-static --libs
            nvptx passes irreader orcjit native
    OUTPUT_VARIABLE _tile_llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(_tile_llvm_archives)
  target_link_directories(TileLLVMLink INTERFACE ${LLVM_LIBRARY_DIRS})
  target_link_options(TileLLVMLink INTERFACE -Wl,--as-needed -static-libstdc++ -static-libgcc)
  target_link_libraries(TileLLVMLink INTERFACE
    -Wl,--start-group ${_tile_mlir_archives} ${_tile_llvm_archives} -Wl,--end-group
    z zstd xml2 z3 m pthread dl)
endif()
