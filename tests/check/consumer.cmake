# cmake -D tool=... -D source=... -D binary=... -D nvcc=... -P consumer.cmake: builds a project that uses
# BankwiseCheck.cmake, and checks which of its tests pass and fail.
file(REMOVE_RECURSE ${binary})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${source}/tests/check/consumer -B ${binary}
                        -D BANKWISE_MODULE=${source}/cmake/BankwiseCheck.cmake -D BANKWISE_EXECUTABLE=${tool}
                        -D KERNELS=${source}/examples -D NVCC=${nvcc} -D HOST_PROGRAM=${program}
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)

function(expect test status output)
  execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --output-on-failure -R "^${test}$" WORKING_DIRECTORY ${binary}
                  RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if((code EQUAL 0 AND status STREQUAL "fails") OR (NOT code EQUAL 0 AND status STREQUAL "passes"))
    message(FATAL_ERROR "${test}: the status must not be ${status}:\n${text}")
  endif()
  if(NOT text MATCHES "${output}")
    message(FATAL_ERROR "${test}: expected ${output} in\n${text}")
  endif()
endfunction()

expect(padded passes "100% tests passed")
expect(plain fails "BW201: transpose_plain: 63,488 removable wavefronts, 100 allowed")
expect(plain_known passes "100% tests passed")
expect(plain_new fails "BW101")
if(program)
  expect(whole fails "BW201: transpose_plain: 4,224 wavefronts, 4,096 allowed")
endif()
if(nvcc)
  expect(compiled passes "100% tests passed")
endif()
