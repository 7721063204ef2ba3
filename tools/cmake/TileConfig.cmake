# find_package(Tile): the compiler Tile::tilec, the runtime Tile::tilert and
# tile_add_kernels (TileKernels.cmake).
cmake_path(SET _tile_prefix NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../..)

if(NOT TARGET Tile::tilert)
  add_library(Tile::tilert SHARED IMPORTED)
  set_target_properties(Tile::tilert PROPERTIES
    IMPORTED_LOCATION ${_tile_prefix}/lib/libtilert.so
    INTERFACE_INCLUDE_DIRECTORIES ${_tile_prefix}/include)
  add_executable(Tile::tilec IMPORTED)
  set_target_properties(Tile::tilec PROPERTIES
    IMPORTED_LOCATION ${_tile_prefix}/bin/tilec)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/TileKernels.cmake)
