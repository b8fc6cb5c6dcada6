# Puts `headers` of the folder `source`, and all that they include of it, into the folder `include`.
#
# In the source tree a header says "core/index.hpp"; installed it says "daedalus/core/index.hpp", so that a folder core/ or
# model/ of the user's own can never be taken for ours.
cmake_policy(VERSION 3.25)
file(GLOB_RECURSE old "${include}/*.hpp")  # of an installation before this one
if(old)
  file(REMOVE ${old})
endif()
set(waiting ${headers})
set(known ${headers})
while(waiting)
  list(POP_FRONT waiting header)
  file(READ "${source}/${header}" text)
  string(REGEX MATCHALL "#include \"[^\"]*\"" lines "${text}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "#include \"(.*)\"" "\\1" inner "${line}")
    if(NOT inner IN_LIST known)
      list(APPEND known "${inner}")
      list(APPEND waiting "${inner}")
    endif()
  endforeach()
  string(REGEX REPLACE "#include \"(${folders})/" "#include \"daedalus/\\1/" text "${text}")
  file(WRITE "${include}/${header}" "${text}")
endwhile()
list(LENGTH known count)
message(STATUS "Installed ${count} headers: ${include}")
