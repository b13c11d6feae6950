# Adds tests of kernel costs to projects that use bankwise.
#
# bankwise_add_check(NAME KERNEL_FILE
#   [KERNEL name]                     as -k of bankwise run; by default, the only kernel of the file
#   LAUNCH "--grid 8,8 --block 32,8 --arg out:f32[64K] --arg f32[64K]=iota --arg i32=256"
#   [NVCC -O3 -I include ...]         flags for a .cu file
#   [BUDGET removable=0 ...]          limits the launch; "transpose.cu:18 wavefronts=2048" limits a line of the launch
#   [CONFIG bankwise.toml]            a configuration instead of BUDGET, or one that names a baseline
#   [BASELINE file.json]              known findings, which do not fail
#   [FAIL_ON new|any|budget|never])   by default new; budget if only BUDGET is given
# bankwise_add_check(NAME PROGRAM target|file [ARGUMENTS 64 --verbose ...] [LAUNCH "--time 30"] [BUDGET ...] ...)
#
# adds two tests: NAME.report executes the kernel or the program without a GPU, and NAME compares its report with the
# budgets. KERNEL_FILE is a .cubin, a .fatbin or a .cu file (which needs nvcc). If bankwise is not in PATH, set
# BANKWISE_EXECUTABLE.
#
#   find_package(bankwise REQUIRED)
#   enable_testing()
#   bankwise_add_check(transpose transpose.cu KERNEL transpose_padded BUDGET removable=0
#                      LAUNCH "--grid 8,8 --block 32,8 --arg out:f32[64K] --arg f32[64K]=iota --arg i32=256")
include_guard()

get_filename_component(_bankwise_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
find_program(BANKWISE_EXECUTABLE bankwise HINTS ${_bankwise_prefix}/bin)

# Writes one [[budget]] for "removable=0" or "a.cu:18 wavefronts=4096".
function(_bankwise_budget text output)
  if(NOT text MATCHES "^(([^\"\\]+:[0-9]+) +)?(wavefronts|excess|removable|ratio|sectors|excess_sectors|sector_ratio|local_sectors)=([0-9.]+)$")
    message(FATAL_ERROR "bankwise_add_check: BUDGET ${text} is not valid. Write removable=N, wavefronts=N, excess=N or ratio=X, each optionally after FILE:LINE")
  endif()
  set(place "${CMAKE_MATCH_2}")
  set(toml "\n[[budget]]\nkernel = \"*\"\n${CMAKE_MATCH_3} = ${CMAKE_MATCH_4}\n")
  if(place)
    string(APPEND toml "line = \"${place}\"\n")
  endif()
  set(${output} "${toml}" PARENT_SCOPE)
endfunction()

function(bankwise_add_check name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROGRAM;KERNEL;LAUNCH;CONFIG;BASELINE;FAIL_ON" "ARGUMENTS;BUDGET;NVCC")
  set(file ${arg_UNPARSED_ARGUMENTS})
  list(LENGTH file files)
  if((arg_PROGRAM AND files GREATER 0) OR files GREATER 1)
    message(FATAL_ERROR "bankwise_add_check: ${name} has unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_PROGRAM AND files EQUAL 0)
    message(FATAL_ERROR "bankwise_add_check: ${name} needs KERNEL, the file of a kernel, or PROGRAM")
  endif()
  if(arg_PROGRAM AND (arg_KERNEL OR arg_NVCC))
    message(FATAL_ERROR "bankwise_add_check: ${name} has PROGRAM, so remove KERNEL and NVCC, which are only for kernel files")
  endif()
  if(arg_ARGUMENTS AND NOT arg_PROGRAM)
    message(FATAL_ERROR "bankwise_add_check: ARGUMENTS of ${name} are only for a PROGRAM. Write the arguments of a kernel in LAUNCH")
  endif()
  if(arg_CONFIG AND arg_BUDGET)
    message(FATAL_ERROR "bankwise_add_check: the budgets of ${name} are in ${arg_CONFIG}, so BUDGET is not allowed")
  endif()
  if(NOT BANKWISE_EXECUTABLE)
    message(FATAL_ERROR "bankwise_add_check: bankwise is not on the PATH. Set BANKWISE_EXECUTABLE to its path")
  endif()
  set(report ${CMAKE_CURRENT_BINARY_DIR}/${name}.bankwise.json)
  separate_arguments(launch UNIX_COMMAND "${arg_LAUNCH}")
  set(run ${BANKWISE_EXECUTABLE} run --format json -o ${report})
  if(TARGET "${arg_PROGRAM}")
    list(APPEND run ${launch} -- $<TARGET_FILE:${arg_PROGRAM}> ${arg_ARGUMENTS})
  elseif(arg_PROGRAM)
    get_filename_component(source ${arg_PROGRAM} ABSOLUTE)
    list(APPEND run ${launch} -- ${source} ${arg_ARGUMENTS})
  else()
    get_filename_component(source ${file} ABSOLUTE)
    list(APPEND run ${source} ${launch})
  endif()
  if(arg_KERNEL)
    list(APPEND run -k ${arg_KERNEL})
  endif()
  if(arg_NVCC)
    list(APPEND run --nvcc ${arg_NVCC})
  endif()

  if(arg_CONFIG)
    get_filename_component(config ${arg_CONFIG} ABSOLUTE)
  else()
    set(config ${CMAKE_CURRENT_BINARY_DIR}/${name}.bankwise.toml)
    set(toml "# Made by bankwise_add_check.\n")
    foreach(one ${arg_BUDGET})
      _bankwise_budget("${one}" budget)
      string(APPEND toml "${budget}")
    endforeach()
    file(WRITE ${config} "${toml}")
  endif()
  set(check ${BANKWISE_EXECUTABLE} check ${report} --config ${config})
  if(arg_BASELINE)
    get_filename_component(baseline ${arg_BASELINE} ABSOLUTE)
    list(APPEND check --baseline ${baseline})
  endif()
  if(arg_FAIL_ON)
    list(APPEND check --fail-on ${arg_FAIL_ON})
  elseif(arg_BUDGET AND NOT arg_BASELINE)
    list(APPEND check --fail-on budget)
  endif()

  add_test(NAME ${name}.report COMMAND ${run} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  add_test(NAME ${name} COMMAND ${check} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name}.report PROPERTIES FIXTURES_SETUP ${name}.report)
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED ${name}.report)
endfunction()
