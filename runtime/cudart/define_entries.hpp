// Defines the exported functions of the runtime from the rows of a table of entry points (entries.def).
#pragma once

#include <bit>
#include <type_traits>

#include "runtime/cudart/runtime_abi.hpp"
#include "runtime/cudart/runtime_call.hpp"
#include "runtime/driver/entries/entries.hpp"

namespace bankwise::cuda {

// Converts a type of the runtime to the corresponding type of the driver, or back. Both types are numbers, or both
// types are pointers.
template <class To, class From>
To as_passed(From value) {
  if constexpr (std::is_convertible_v<From, To>)
    return value;
  else
    return std::bit_cast<To>(value);
}
// Calls the driver's function with arguments of the runtime's types.
template <class... Taken>
auto pass_to(driver_status (*function)(Taken...)) {
  return [function](auto... given) { return static_cast<error>(function(as_passed<Taken>(given)...)); };
}

}  // namespace bankwise::cuda

#define ENTRY(name, parameters, ...)                                                        \
  CUDA_API error name parameters {                                                          \
    return guarded(#name, [&]([[maybe_unused]] state& s) -> error { return __VA_ARGS__; }); \
  }
#define ANSWER(name, parameters, ...)                                     \
  CUDA_API error name parameters {                                        \
    return guarded_answer(#name, [&]() -> error { return __VA_ARGS__; }); \
  }
#define FORWARD(name, driver, parameters, arguments)                                                            \
  CUDA_API error name parameters {                                                                              \
    return guarded(#name, [&](state&) { return bankwise::cuda::pass_to(::bankwise::cuda::driver) arguments; }); \
  }
#define PLAIN(type, name, parameters, ...) \
  CUDA_API type name parameters { return __VA_ARGS__; }
