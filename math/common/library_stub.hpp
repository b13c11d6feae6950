// The body of every entry point of a library for mathematics that is not there yet: it names itself, once.
#pragma once

#include "runtime/library_call.hpp"

// BANKWISE_NOT_SUPPORTED is the library's number for that, BANKWISE_LIBRARY what it is called.
#define STUB(name)                                                                                      \
  CUDA_API __attribute__((weak)) int name() {                                                           \
    static std::atomic<bool> is_reported = false;                                                       \
    return bankwise::cuda::missing_entry(is_reported, #name, BANKWISE_LIBRARY, BANKWISE_NOT_SUPPORTED); \
  }
