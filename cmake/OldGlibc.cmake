# Builds programs that also run with glibc 2.28: Debian 11, Ubuntu 20.04, RHEL 8, images of nvidia/cuda.
#
# A linker selects the newest version of each function, and archives of the compiler (libstdc++.a, libgcc_eh.a) call
# functions that old versions of glibc do not have. --wrap sends every call, also those from archives, to a name of
# ours:
#   - packaging/glibc/symbols.csv names the old version of a function whose new version differs only in its number. A
#     jump leads to the old version. With `old_name`, the new function has a new name. For example, __isoc23_strtoul
#     replaces strtoul, and also reads 0b101 if the base is 0 or 2
#   - packaging/glibc/replacements.cpp has the functions that glibc 2.28 lacks
# The test `glibc_versions` fails if a distributed file needs more, and prints what to add.
file(STRINGS ${PROJECT_SOURCE_DIR}/packaging/glibc/symbols.csv bankwise_glibc_rows)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/packaging/glibc/symbols.csv)
# Names of functions in replacements.cpp. The second list is only for programs.
set(bankwise_glibc_replaced __libc_single_threaded _dl_find_object arc4random fstat fstat64 lstat lstat64 pthread_cond_clockwait
                            stat stat64)
set(bankwise_glibc_start __libc_start_main)

# Sanitizers replace the same functions, so they must not be wrapped.
include(CheckCXXSymbolExists)
check_cxx_symbol_exists(__GLIBC__ "cstdlib" BANKWISE_HAS_GLIBC)
if(BANKWISE_HAS_GLIBC AND NOT BANKWISE_FUZZ AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize" AND
   CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|aarch64)$")
  set(bankwise_uses_old_glibc ON)
endif()

# Makes a library of jumps to the functions of `from`, which is libc or libm.
function(bankwise_glibc_jumps target from)
  set(text "// Jumps to old versions of functions of ${from}: OldGlibc.cmake wrote this.\n")
  set(wrapped "")
  foreach(row ${bankwise_glibc_rows})
    if(NOT row MATCHES "^([a-z_0-9]+),([0-9.]+),${from},([a-z_0-9]*)$")
      continue()
    endif()
    set(name ${CMAKE_MATCH_1})
    set(version ${CMAKE_MATCH_2})
    set(old_name ${CMAKE_MATCH_3})
    if(NOT old_name)
      set(old_name ${name})
    endif()
    set(jump jmp)
    set(place "@PLT")
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
      set(version 2.17) # the first version of glibc that supports this CPU
      set(jump b)
      set(place "")
    endif()
    string(APPEND text "asm(\".text\\n.globl __wrap_${name}\\n.hidden __wrap_${name}\\n.type __wrap_${name}, %function\\n\"\n"
                       "    \"__wrap_${name}: .cfi_startproc\\n${jump} bankwise_old_${name}${place}\\n.cfi_endproc\\n\"\n"
                       "    \".size __wrap_${name}, . - __wrap_${name}\\n\"\n"
                       "    \".symver bankwise_old_${name}, ${old_name}@GLIBC_${version}\\n\");\n")
    list(APPEND wrapped ${name})
  endforeach()
  file(CONFIGURE OUTPUT ${target}.cpp CONTENT "${text}" @ONLY)
  add_library(${target} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  bankwise_shareable(${target})
  set(${target}_wrapped ${wrapped} CACHE INTERNAL "")
endfunction()

if(bankwise_uses_old_glibc)
  bankwise_glibc_jumps(bankwise_libc_jumps libc)
  bankwise_glibc_jumps(bankwise_libm_jumps libm)
  add_library(bankwise_glibc_replacements OBJECT ${PROJECT_SOURCE_DIR}/packaging/glibc/replacements.cpp)
  add_library(bankwise_glibc_start OBJECT ${PROJECT_SOURCE_DIR}/packaging/glibc/start.cpp)
  foreach(target bankwise_glibc_replacements bankwise_glibc_start)
    bankwise_target(${target})
    bankwise_shareable(${target})
  endforeach()
endif()

# bankwise_old_glibc(target [MATH]): makes a program or shared library run with glibc 2.28. MATH means that the target
# calls functions of libm.
function(bankwise_old_glibc target)
  if(NOT bankwise_uses_old_glibc)
    return()
  endif()
  set(parts bankwise_libc_jumps bankwise_glibc_replacements)
  set(wrapped ${bankwise_libc_jumps_wrapped} ${bankwise_glibc_replaced})
  if("MATH" IN_LIST ARGN)
    list(APPEND parts bankwise_libm_jumps)
    list(APPEND wrapped ${bankwise_libm_jumps_wrapped})
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    list(APPEND parts bankwise_glibc_start)
    list(APPEND wrapped ${bankwise_glibc_start})
  endif()
  foreach(part ${parts})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
  list(TRANSFORM wrapped PREPEND "-Wl,--wrap=")
  # Before glibc 2.34, threads and dlopen are in separate libraries. Later versions still have these libraries, but they
  # are empty.
  target_link_options(${target} PRIVATE ${wrapped} -Wl,--push-state,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--pop-state)
endfunction()
