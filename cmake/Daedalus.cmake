# Functions shared by the folders' CMakeLists.

# Flags for everything that is ours. Warnings are errors in development, which the presets are for: another compiler has
# other warnings, and they are no reason not to install. Members left
# out of a designated initialiser take their defaults, on purpose; g++ 12 would warn of each.
option(DAEDALUS_WERROR "Warnings are errors" OFF)
option(DAEDALUS_PORTABLE "Neither machine code by asmjit nor code for AVX2 and AVX-512" OFF)
add_library(daedalus_flags INTERFACE)
target_compile_features(daedalus_flags INTERFACE cxx_std_23)
target_compile_options(daedalus_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
  -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${DAEDALUS_WERROR}>:-Werror>)

# daedalus_module(name SOURCES a.cpp … DEPENDS other modules … PUBLIC/PRIVATE libraries …)
# One folder of the pipeline: a static library daedalus_<name> with alias daedalus::<name>.
function(daedalus_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PUBLIC;PRIVATE" ${ARGN})
  add_library(daedalus_${name} STATIC ${ARG_SOURCES})
  add_library(daedalus::${name} ALIAS daedalus_${name})
  set_target_properties(daedalus_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(daedalus_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(daedalus_${name} PUBLIC cxx_std_23)
  list(TRANSFORM ARG_DEPENDS PREPEND daedalus_)
  target_link_libraries(daedalus_${name} PUBLIC ${ARG_DEPENDS} ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE}
                        $<BUILD_INTERFACE:daedalus_flags>)
  set_property(GLOBAL APPEND PROPERTY DAEDALUS_MODULES daedalus_${name})
endfunction()

# daedalus_test(name SOURCES a.cpp … DEPENDS modules …): one GoogleTest executable, one ctest entry a test. Those of a
# slice (tests/CMakeLists.txt) carry its name as their label.
function(daedalus_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPENDS PREPEND daedalus_)
  target_link_libraries(test_${name} PRIVATE ${ARG_DEPENDS} ${ARG_LIBRARIES} daedalus_flags GTest::gtest GTest::gtest_main)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE
    DAEDALUS_SOURCE_DIR="${PROJECT_SOURCE_DIR}" DAEDALUS_BINARY_DIR="${PROJECT_BINARY_DIR}")
  set(label)
  foreach(slice IN LISTS DAEDALUS_SLICES)
    if(name IN_LIST DAEDALUS_SLICE_${slice})
      set(label LABELS ${slice})
    endif()
  endforeach()
  gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 ${label})
endfunction()

# daedalus_embed_text(OUTPUT HEADER FUNCTION name files … FUNCTION name files …): a source with a function for each
# name, declared in HEADER, that gives the text of the files one after the other.
function(daedalus_embed_text output header)
  set(functions "")
  set(expects_name FALSE)
  foreach(word IN LISTS ARGN)
    if(word STREQUAL "FUNCTION")
      set(expects_name TRUE)
    elseif(expects_name)
      if(functions)
        string(APPEND functions ";\n  return text;\n}\n\n")
      endif()
      string(APPEND functions "std::string_view ${word}() {\n  static const std::string text = std::string()")
      set(expects_name FALSE)
    else()
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${word}")
      file(READ "${word}" text)
      string(APPEND functions " +\n    R\"text(${text})text\"")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"// Generated from files; see daedalus_embed_text in cmake/Daedalus.cmake.
#include \"@header@\"

#include <string>

namespace daedalus {

@functions@;
  return text;
}

}  // namespace daedalus
")
endfunction()
