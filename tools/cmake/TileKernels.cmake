# tile_add_kernels(TARGET file.tile... [ARCH sm_90a] [DEFINES NAME=VALUE...]
#                  [FIT NAME=VALUE[,VALUE...]...])
#   Compiles kernels into a target: for each gemm.tile the target can include
#   "gemm.hpp", which holds the cubin and a typed function for each kernel.
#   ARCH is tilec's --target, by default that of the machine; DEFINES are its -D;
#   FIT gives the sizes for which it chooses constants (--fit --size).
function(tile_add_kernels target)
  cmake_parse_arguments(ARG "" "ARCH" "DEFINES;FIT" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels)
  file(MAKE_DIRECTORY ${folder})
  set(options "")
  if(ARG_ARCH)
    list(APPEND options --target=${ARG_ARCH})
  endif()
  foreach(define IN LISTS ARG_DEFINES)
    list(APPEND options -D ${define})
  endforeach()
  if(ARG_FIT)
    list(APPEND options --fit)
  endif()
  foreach(size IN LISTS ARG_FIT)
    list(APPEND options --size ${size})
  endforeach()

  foreach(source IN LISTS ARG_UNPARSED_ARGUMENTS)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source STEM stem)
    set(header ${folder}/${stem}.hpp)
    # What tilec tune found, if it was used.
    cmake_path(REPLACE_EXTENSION source LAST_ONLY tune.json OUTPUT_VARIABLE tuned)
    if(NOT EXISTS ${tuned})
      set(tuned "")
    endif()
    add_custom_command(OUTPUT ${header}
      COMMAND Tile::tilec ${source} ${options} --emit=cpp-header -o ${header}
      DEPENDS ${source} ${tuned} Tile::tilec
      COMMENT "Compiling the kernels of ${stem}.tile"
      VERBATIM)
    target_sources(${target} PRIVATE ${header})
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_link_libraries(${target} PRIVATE Tile::tilert)
endfunction()
