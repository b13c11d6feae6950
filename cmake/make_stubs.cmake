# cmake -D names=exports_cudart_13.txt -D header=stub.hpp -D stubs=stubs.cpp -D aliases=aliases.txt -P make_stubs.cmake
#   A weak definition of every name that the real library exports, which says that it is not there; what is written by
#   hand takes its place. The per-thread forms of a function (_ptsz, _ptds) are that function: streams are in order anyway.
cmake_minimum_required(VERSION 3.22)
file(STRINGS ${names} list)
set(text "// Made from the list of names by cmake/make_stubs.cmake.\n#include \"${header}\"\n\n")
set(options "")
foreach(name IN LISTS list)
  string(REGEX REPLACE "_pt(sz|ds)$" "" plain ${name})
  if(NOT plain STREQUAL name AND plain IN_LIST list)
    string(APPEND options "-Wl,--defsym=${name}=${plain}\n")
  else()
    string(APPEND text "STUB(${name})\n")
  endif()
endforeach()
file(WRITE ${stubs} "${text}")
file(WRITE ${aliases} "${options}")
