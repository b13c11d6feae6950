# Sets the language level and warnings of our own targets, but not of projects that use bankwise. -Wno-restrict,
# -Wno-maybe-uninitialized: g++ 12 warns about correct code with std::string and std::optional (GCC bugs 105651 and
# 105562). clang still warns about errors in these lines. -Wno-dangling-reference: g++ 13 warns about references to
# objects that outlive the call (GCC bug 107532). Warnings are only errors with compilers that the project is tested
# with, because other compilers may have more warnings.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  set(bankwise_knows_compiler ON)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 17)
  set(bankwise_knows_compiler ON)
endif()
if(BANKWISE_WERROR AND bankwise_knows_compiler)
  set(bankwise_werror -Werror)
endif()
function(bankwise_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                         -Wno-missing-field-initializers
                                         $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-maybe-uninitialized>
                                         $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference>
                                         ${bankwise_werror})
endfunction()

# bankwise_cold(name [ALONE]): optimises a target less, because its speed does not matter. The target then compiles in
# half the time. A Release build uses -O1, or -O0 with BANKWISE_QUICK. With -O0, the target's copies of common templates
# would be slow, and the linker might choose these copies for the whole program. So with -O0, the target does not
# compile these templates, and uses the library's copies. ALONE means that the target does not link the library.
function(bankwise_cold name)
  if(NOT BANKWISE_QUICK)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    return()
  endif()
  # Without optimisation, std::move and std::forward would be functions too, thousands of them.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,12>>:-ffold-simple-inlines>)
  if(NOT "ALONE" IN_LIST ARGN)
    target_compile_options(${name} PRIVATE
                           "SHELL:$<$<CONFIG:Release>:-include ${PROJECT_SOURCE_DIR}/src/base/common_templates.hpp>")
  endif()
endfunction()

# bankwise_hot(name level quick_level): sets the optimisation level of a target in which runs spend most of their time.
# `quick_level` is the level with BANKWISE_QUICK.
function(bankwise_hot name level quick_level)
  if(BANKWISE_QUICK)
    set(level ${quick_level})
  endif()
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:${level}>)
endfunction()

# bankwise_shareable(name): the target's code is also a part of the shared libraries of runtime/. So it is position
# independent, and its symbols are hidden.
function(bankwise_shareable name)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                           VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# bankwise_injected(name exports [MATH]): a shared library that other programs load. It contains the C++ library, and
# only depends on glibc. It only exports the names in the version script `exports`. MATH means that the library calls
# functions of libm.
function(bankwise_injected name exports)
  bankwise_target(${name})
  bankwise_shareable(${name})
  target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL -Wl,-Bsymbolic
                                      -Wl,--version-script=${exports})
  if(NOT BANKWISE_FUZZ)  # with BANKWISE_FUZZ, clang's sanitizers are only in the program
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${exports})
  bankwise_old_glibc(${name} ${ARGN})
endfunction()

# bankwise_sources(variable [folders...]): finds the sources of the given folders, or of this folder with its
# subfolders. A new file need not be listed.
function(bankwise_sources variable)
  set(patterns *.cpp)
  if(ARGN)
    list(TRANSFORM ARGN APPEND "/*.cpp" OUTPUT_VARIABLE patterns)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${patterns})
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# bankwise_by_folder(name [ONE_ROOM]): with BANKWISE_UNITY, the sources in each top folder of a target are compiled as
# one file. This saves time, because a compiler spends most of its time on headers, and then reads each header only once
# for a folder. ONE_ROOM means that the top folders are compiled together. In both cases, the sources in all folders
# with the name jit are compiled as a separate file. The same is true for execute, entries, graph and numerics.
function(bankwise_by_folder name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ONE_ROOM" "" "")
  if(NOT BANKWISE_UNITY)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  foreach(source ${sources})
    if(source MATCHES "^[a-z][a-z_/0-9]*\\.cpp$")
      set(folder "")
      if(source MATCHES "/(jit|execute|entries|graph|numerics)/")
        set(folder ${CMAKE_MATCH_1})
      elseif(NOT arg_ONE_ROOM AND source MATCHES "^([a-z]+)/")
        set(folder ${CMAKE_MATCH_1})
      endif()
      string(MAKE_C_IDENTIFIER "${name}_${folder}" group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ treats an included file as a header.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
