# cmake -P refuses.cmake -- COMMAND... tests that the compiler refuses conflict.cpp. The error must show how many
# wavefronts the access takes, and how many are allowed.
set(command)
set(mine TRUE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(NOT mine)
    list(APPEND command ${CMAKE_ARGV${i}})
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(mine FALSE)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(status EQUAL 0)
  message(FATAL_ERROR "conflict.cpp compiled, but the compiler must refuse it")
endif()
# g++ and clang print the first form of the message. nvcc and NVRTC print the second form.
foreach(expected "bank_conflict<32, 1>|wavefronts_needed=32U, wavefronts_allowed=1U"
                 "bankwise: this access takes more wavefronts than allowed")
  if(NOT said MATCHES "${expected}")
    message(FATAL_ERROR "the error does not show \"${expected}\":\n${said}")
  endif()
endforeach()
