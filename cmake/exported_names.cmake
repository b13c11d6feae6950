# bankwise_exported_names(variable file version): reads the names that a version of a library exports. A line of the
# file is a name, or a name and the only version that exports it.
function(bankwise_exported_names variable file version)
  file(STRINGS ${file} lines)
  set(names "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^([^ ]+)( ${version})?$")
      list(APPEND names ${CMAKE_MATCH_1})
    endif()
  endforeach()
  set(${variable} ${names} PARENT_SCOPE)
endfunction()
