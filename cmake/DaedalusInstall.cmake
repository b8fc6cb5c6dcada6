# What `cmake --install` puts where: the libraries, the headers under include/daedalus, the program, and the
# package files for find_package(daedalus).
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY DAEDALUS_MODULES)
install(TARGETS ${modules} daedalus_daedalus EXPORT daedalusTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET daedalus_cli)
  install(TARGETS daedalus_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS daedalus_fmi LIBRARY DESTINATION lib/daedalus)
endif()

# In the source tree a header says "core/index.hpp"; installed it says "daedalus/core/index.hpp", so that a
# folder core/ or model/ of the user's own can never be taken for ours. The inner headers of the page name a library
# that users need not have.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/daedalus
        FILES_MATCHING PATTERN "*.hpp" PATTERN "page_*.hpp" EXCLUDE)
set(names ${modules})
list(TRANSFORM names REPLACE "^daedalus_" "")
list(JOIN names "|" names)
install(CODE "
  set(include \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/daedalus\")
  file(GLOB_RECURSE headers \"\${include}/*.hpp\")
  foreach(header IN LISTS headers)
    file(READ \"\${header}\" text)
    string(REGEX REPLACE \"#include \\\"(${names})/\" \"#include \\\"daedalus/\\\\1/\" text \"\${text}\")
    file(WRITE \"\${header}\" \"\${text}\")
  endforeach()")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/daedalus)
install(EXPORT daedalusTargets NAMESPACE daedalus:: DESTINATION ${package_dir})
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/daedalusConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/daedalusConfig.cmake" INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/daedalusConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/daedalusConfig.cmake" "${PROJECT_BINARY_DIR}/daedalusConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindSuiteSparse.cmake" DESTINATION ${package_dir})
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/daedalus)
