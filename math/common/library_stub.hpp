// The body of every entry point of a math library that is not implemented. It prints the name of the entry point once.
#pragma once

#include "runtime/library_call.hpp"

// BANKWISE_NOT_SUPPORTED is the status that the entry point returns. BANKWISE_LIBRARY is the name of the library.
#define STUB(name)                                                                                      \
  CUDA_API __attribute__((weak)) int name() {                                                           \
    static std::atomic<bool> is_reported = false;                                                       \
    return bankwise::cuda::missing_entry(is_reported, #name, BANKWISE_LIBRARY, BANKWISE_NOT_SUPPORTED); \
  }
