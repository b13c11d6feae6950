# cmake -D names=exports_cudart.txt -D version=13 -D header=stub.hpp -D stubs=stubs.cpp -P make_stubs.cmake
#   Writes a weak definition of every name that the real library exports. The definition reports that the function is
#   missing. A function in our sources replaces it. The forms of a function for the default stream of each thread
#   (_ptsz, _ptds) set a flag and jump to the function.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/exported_names.cmake)
bankwise_exported_names(list ${names} ${version})
set(text "")
set(header_of_forms "")
foreach(name IN LISTS list)
  string(REGEX REPLACE "_pt(sz|ds)$" "" plain ${name})
  if(NOT plain STREQUAL name AND plain IN_LIST list)
    set(header_of_forms "#include \"runtime/device/thread_form.hpp\"\n")
    string(APPEND text "THREAD_FORM(${name}, ${plain})\n")
  else()
    string(APPEND text "STUB(${name})\n")
  endif()
endforeach()
file(WRITE ${stubs} "// Made from the list of names by cmake/make_stubs.cmake.\n#include \"${header}\"\n${header_of_forms}\n${text}")
