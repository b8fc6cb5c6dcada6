# Installs Daedalus into a folder of its own and builds the consumer against it; then configures the consumer
# with Daedalus as a subdirectory and compiles its source.
#   cmake -DSOURCE=… -DBUILD=… -DWORK=… -P consumer_test.cmake
file(REMOVE_RECURSE "${WORK}")
set(consumer "${SOURCE}/tests/consumer")

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Installed.
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/prefix")
run(${CMAKE_COMMAND} -G Ninja -S "${consumer}" -B "${WORK}/installed" -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_FLAGS=${CXX_FLAGS})
run(${CMAKE_COMMAND} --build "${WORK}/installed")
run("${WORK}/installed/consumer")
if(NOT output MATCHES "ok: index 3, drift")
  message(FATAL_ERROR "the consumer printed:\n${output}")
endif()
run("${WORK}/installed/steps")
if(NOT output MATCHES "drift none, the copy agrees")
  message(FATAL_ERROR "steps printed:\n${output}")
endif()
run("${WORK}/prefix/bin/daedalus" --version)

# Moved: the package must not remember where it was installed.
file(RENAME "${WORK}/prefix" "${WORK}/moved")
run(${CMAKE_COMMAND} -G Ninja -S "${consumer}" -B "${WORK}/relocated" -DCMAKE_PREFIX_PATH=${WORK}/moved
    -DCMAKE_CXX_FLAGS=${CXX_FLAGS})
run(${CMAKE_COMMAND} --build "${WORK}/relocated")

# As a subdirectory. The library has been built once; here the consumer's own source is enough.
run(${CMAKE_COMMAND} -G Ninja -S "${consumer}" -B "${WORK}/subdirectory" -DDAEDALUS_FOLDER=${SOURCE}
    -DCMAKE_CXX_FLAGS=${CXX_FLAGS})
run(${CMAKE_COMMAND} --build "${WORK}/subdirectory" --target CMakeFiles/consumer.dir/main.cpp.o)
