# What `cmake --install` puts where: the libraries, the headers under include/daedalus, the program, and the
# package files for find_package(daedalus).
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY DAEDALUS_MODULES)
install(TARGETS ${modules} daedalus_daedalus EXPORT daedalusTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET daedalus_cli)
  install(TARGETS daedalus_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS daedalus_fmi LIBRARY DESTINATION lib/daedalus)
endif()

# The public headers: what programs include. What these include is installed beside them, and is not for programs; all
# other headers stay here, and none of those that are installed names another library's (tests/project/install_test.py).
set(DAEDALUS_PUBLIC_HEADERS
    daedalus.hpp            # all that most programs need
    simulate/engine.hpp     # a model compiled once, run often or stepped
    integrate/rows.hpp)     # the table of methods, and how to put one's own into it
set(names ${modules})
list(TRANSFORM names REPLACE "^daedalus_" "")
list(JOIN names "|" names)
install(CODE "
  set(source \"${PROJECT_SOURCE_DIR}/src\")
  set(include \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/daedalus\")
  set(headers \"${DAEDALUS_PUBLIC_HEADERS}\")
  set(folders \"${names}\")
  include(\"${CMAKE_CURRENT_LIST_DIR}/InstallHeaders.cmake\")")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/daedalus)
install(EXPORT daedalusTargets NAMESPACE daedalus:: DESTINATION ${package_dir})
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/daedalusConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/daedalusConfig.cmake" INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/daedalusConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/daedalusConfig.cmake" "${PROJECT_BINARY_DIR}/daedalusConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindSuiteSparse.cmake" DESTINATION ${package_dir})
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/CITATION.cff" DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/daedalus)
include(DaedalusLicences)
daedalus_install_licences(${CMAKE_INSTALL_DATADIR}/doc/daedalus/licences)

# What shells and man read is what the program writes of itself.
if(TARGET daedalus_cli)
  set(written)
  foreach(row "bash;daedalus.bash;bash-completion/completions;daedalus" "zsh;_daedalus;zsh/site-functions;_daedalus"
              "fish;daedalus.fish;fish/vendor_completions.d;daedalus.fish" "man;daedalus.1;man/man1;daedalus.1")
    list(GET row 0 kind)
    list(GET row 1 name)
    list(GET row 2 folder)
    list(GET row 3 installed)
    set(file "${PROJECT_BINARY_DIR}/shell/${name}")
    add_custom_command(OUTPUT "${file}" COMMAND daedalus_cli completion ${kind} > "${file}" DEPENDS daedalus_cli VERBATIM)
    list(APPEND written "${file}")
    install(FILES "${file}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}" RENAME "${installed}")
  endforeach()
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/shell")
  add_custom_target(daedalus_shell ALL DEPENDS ${written})
endif()

# `make deb`: a package of Debian with the program, the library and its headers.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME daedalus-dae)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "The Daedalus authors <daedalus@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, libeigen3-dev, libsuitesparse-dev, libsundials-dev, libfmt-dev, nlohmann-json3-dev, libasmjit-dev")
include(CPack)
