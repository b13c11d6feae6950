// Defines the exported functions from the rows of a table of entry points (entries.def).
#pragma once

#include "runtime/cudart/runtime_abi.hpp"
#include "runtime/cudart/runtime_call.hpp"

#define ENTRY(name, parameters, ...)                                                        \
  CUDA_API error name parameters {                                                          \
    return guarded(#name, [&]([[maybe_unused]] state& s) -> error { return __VA_ARGS__; }); \
  }
#define ANSWER(name, parameters, ...)                                     \
  CUDA_API error name parameters {                                        \
    return guarded_answer(#name, [&]() -> error { return __VA_ARGS__; }); \
  }
#define FORWARD(name, driver, parameters, arguments)                                     \
  extern "C" driver_status driver parameters;                                            \
  CUDA_API error name parameters {                                                       \
    return guarded(#name, [&](state&) { return static_cast<error>(driver arguments); }); \
  }
#define PLAIN(type, name, parameters, ...) \
  CUDA_API type name parameters { return __VA_ARGS__; }
