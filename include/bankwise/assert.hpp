// Compile-time checks of costs. If a check fails, the compiler's error contains the numbers.
//
//     BANKWISE_ASSERT_WAVEFRONTS(bankwise::make_access(bankwise::ld(4), column{}), 1);
//
//     error: ... bank_conflict<32, 1> ...     "bankwise: this access takes more wavefronts than allowed"
//                               |   |
//              wavefronts_needed    wavefronts_allowed
//
// The access must be a constant expression. C++17 does not allow a lambda inside the macro, so name the access first:
//     constexpr auto a = bankwise::make_access(bankwise::ld(4), [](bankwise::u32 t) { return t * 132; });
#pragma once

#include "bankwise/wavefronts.hpp"

namespace bankwise {

// If a check fails, the compiler's error contains the name and the arguments of this template. g++ 12, clang and nvcc
// all print template arguments, but some of them do not print the two numbers that a static_assert compares.
template <u32 wavefronts_needed, u32 wavefronts_allowed>
struct bank_conflict {
  static_assert(wavefronts_needed <= wavefronts_allowed, "bankwise: this access takes more wavefronts than allowed");
  static constexpr bool checked = true;
};

}  // namespace bankwise

// Asserts that the access takes at most `allowed` wavefronts. An optional third argument is the bank_model of another
// machine.
#define BANKWISE_ASSERT_WAVEFRONTS(access_, ...) \
  static_assert(BANKWISE_DETAIL_CONFLICT(access_, __VA_ARGS__, ::bankwise::maxwell_model(), )::checked, "")
#define BANKWISE_DETAIL_CONFLICT(access_, allowed_, model_, ...) \
  ::bankwise::bank_conflict<::bankwise::wavefronts((access_), (model_)), (allowed_)>

// Asserts that the access takes the fewest wavefronts that any placement of its words can have.
#define BANKWISE_ASSERT_CONFLICT_FREE(access_) \
  BANKWISE_ASSERT_WAVEFRONTS(access_, ::bankwise::analyze(access_).reachable)
