# What `cmake --install` puts into a prefix: tilec, the runtime and its headers,
# and the CMake package Tile.
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TileConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)

install(PROGRAMS $<TARGET_FILE:tilec> DESTINATION bin)
install(TARGETS tilert LIBRARY DESTINATION lib)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/runtime/include/tilert DESTINATION include)
install(FILES
  ${CMAKE_SOURCE_DIR}/tools/cmake/TileConfig.cmake
  ${CMAKE_SOURCE_DIR}/tools/cmake/TileKernels.cmake
  ${CMAKE_BINARY_DIR}/TileConfigVersion.cmake
  DESTINATION lib/cmake/Tile)
