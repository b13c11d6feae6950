# Builds libraries that stand in for CUDA's libraries. All these libraries are in one folder, where programs and the
# libraries themselves find them.
include(${CMAKE_CURRENT_LIST_DIR}/exported_names.cmake)

set(bankwise_stand_in_folder ${PROJECT_BINARY_DIR}/runtime/lib)

# bankwise_stand_in(target name version stub_header [EXPORTS folder] [COMPONENT component] [MATH]) builds a shared
# library lib<name>.so.<version> with the exports of the real library. The names of the exports are in the folder that
# EXPORTS names: in exports_<target>.txt, which may also be in the build folder, or for all versions in
# exports_<name>.txt. In the latter file, a version follows each name that only this version exports. Functions that are not implemented get stubs. If there is no stub
# header, the library's table of entry points defines the stubs. The library is installed with the component (default:
# `program`). MATH means that the library calls functions of libm.
function(bankwise_stand_in target name version stub_header)
  cmake_parse_arguments(PARSE_ARGV 4 given MATH "EXPORTS;COMPONENT" "")
  set(component program)
  if(given_COMPONENT)
    set(component ${given_COMPONENT})
  endif()
  set(math "")
  if(given_MATH)
    set(math MATH)
  endif()
  set(stubs "")
  if(stub_header)
    set(exports ${CMAKE_CURRENT_SOURCE_DIR}/${given_EXPORTS}/exports_${target}.txt)
    foreach(other ${CMAKE_CURRENT_BINARY_DIR}/${given_EXPORTS}/exports_${target}.txt
                  ${CMAKE_CURRENT_SOURCE_DIR}/${given_EXPORTS}/exports_${name}.txt)
      if(NOT EXISTS ${exports})
        set(exports ${other})
      endif()
    endforeach()
    set(stubs ${CMAKE_CURRENT_BINARY_DIR}/stubs_${target}.cpp)
    set(script ${PROJECT_SOURCE_DIR}/cmake/make_stubs.cmake)
    add_custom_command(OUTPUT ${stubs}
                       COMMAND ${CMAKE_COMMAND} -D names=${exports} -D version=${version} -D header=${stub_header} -D stubs=${stubs} -P ${script}
                       DEPENDS ${exports} ${script} VERBATIM)
    list(APPEND stubs ${PROJECT_SOURCE_DIR}/runtime/formatted_by_driver.cpp)
  endif()
  add_library(${target} SHARED ${stubs})
  set(versions ${CMAKE_CURRENT_BINARY_DIR}/versions_${target}.map)
  bankwise_injected(${target} ${versions} ${math})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_options(${target} PRIVATE -Wl,-soname,lib${name}.so.${version})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SUFFIX .so.${version} NO_SONAME ON
                                             LIBRARY_OUTPUT_DIRECTORY ${bankwise_stand_in_folder} LINK_DEPENDS ${versions}
                                             BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${target} LIBRARY DESTINATION ${BANKWISE_INJECTED_LIBDIR} COMPONENT ${component})
  set_property(GLOBAL APPEND PROPERTY bankwise_stand_ins_${component} ${target}) # a list for the wheels and the tests
endfunction()
