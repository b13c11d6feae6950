// The body of every entry point of a library for mathematics that is not there yet: it names itself, once.
#pragma once

#include <atomic>
#include <string>

#include "state.hpp"

namespace bankwise::math {

// BANKWISE_NOT_SUPPORTED is the library's number for that, BANKWISE_LIBRARY what it is called.
inline int stub_called(std::atomic<bool>& said, const char* name) {
  if (!said.exchange(true))
    cuda::say(std::string(name) + " is not in bankwise's " BANKWISE_LIBRARY " yet: it returns " +
              std::to_string(BANKWISE_NOT_SUPPORTED) + ", not supported");
  return BANKWISE_NOT_SUPPORTED;
}

}  // namespace bankwise::math

#define STUB(name)                                   \
  CUDA_API __attribute__((weak)) int name() {        \
    static std::atomic<bool> said = false;           \
    return bankwise::math::stub_called(said, #name); \
  }
