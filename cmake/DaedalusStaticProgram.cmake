# daedalus_static_program(target): the program carries its libraries, apart from those of C. To find, map and relocate
# eight of them took 2.4 of the 18 million instructions of a whole run of the pendulum. Only where each of them is there
# as an archive, in release, and without sanitizers, which bring libraries of their own; else nothing changes.
function(daedalus_static_program target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR APPLE OR WIN32
     OR "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_RELEASE}" MATCHES "-fsanitize")
    return()
  endif()
  # Debian has no archive of {fmt}; its headers make one.
  set(source "${PROJECT_SOURCE_DIR}/cmake/fmt_static.cpp")
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  try_compile(DAEDALUS_STATIC_FMT "${PROJECT_BINARY_DIR}/fmt_static" "${source}" CXX_STANDARD 20)
  if(NOT DAEDALUS_STATIC_FMT)
    message(STATUS "{fmt} could not be linked statically: the program loads its libraries")
    return()
  endif()
  # Not ours: no warnings of it.
  add_library(daedalus_fmt OBJECT "${source}")
  target_compile_features(daedalus_fmt PRIVATE cxx_std_20)
  target_compile_options(daedalus_fmt PRIVATE -w)
  set_target_properties(daedalus_fmt PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:daedalus_fmt>)
  # What the program has already is not looked for in the libraries that follow, and who has nothing to give is left out.
  set(archives)
  foreach(name klu btf amd colamd suitesparseconfig sundials_ida)
    find_library(DAEDALUS_ARCHIVE_${name} NAMES lib${name}.a)
    mark_as_advanced(DAEDALUS_ARCHIVE_${name})
    if(DAEDALUS_ARCHIVE_${name})
      list(APPEND archives "${DAEDALUS_ARCHIVE_${name}}")
    endif()
  endforeach()
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--whole-archive ${archives}
                      -Wl,--no-whole-archive -Wl,--as-needed -Wl,--gc-sections)
endfunction()
