# daedalus::daedalus, the one target that users link, and <daedalus/…> as the one way to include: in the build
# tree build/include/daedalus is a link to src/; when installed, include/daedalus holds the headers.
add_library(daedalus_daedalus INTERFACE)
add_library(daedalus::daedalus ALIAS daedalus_daedalus)
set_target_properties(daedalus_daedalus PROPERTIES EXPORT_NAME daedalus)
get_property(modules GLOBAL PROPERTY DAEDALUS_MODULES)
target_link_libraries(daedalus_daedalus INTERFACE ${modules})

file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/include/daedalus" SYMBOLIC)
target_include_directories(daedalus_daedalus INTERFACE
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
