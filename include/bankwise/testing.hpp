// Macros for GoogleTest that check the cost of a shared-memory access. The message of a failed check explains the cost.
//
//     EXPECT_WAVEFRONTS(access, 1);                   exactly 1, so that the test also notices a better layout
//     EXPECT_WAVEFRONTS(layout, access, 1);           with the addresses that the layout computes
//     EXPECT_CONFLICT_FREE(access);                   no other placement of the same words takes fewer wavefronts
//     EXPECT_CONFLICT_FREE(layout, access);           the same macros with ASSERT_ end the test if they fail
//
//     const auto column = bankwise::by_lane(bankwise::ld(4), [](unsigned t) { return bankwise::element{t, 0}; });
//     EXPECT_WAVEFRONTS(bankwise::tile_layout{4, 128}, column, 1);
//
//     EXPECT_WAVEFRONTS(bankwise::tile_layout{4, 128}, column, 1)
//       takes 32 wavefronts, 1 expected
//       ld.b32 of 32 lanes, 32 banks of 4 bytes: 1 is reachable, a layout can save up to 31
//       phase 0, lanes 0-31: bank 0 must serve 32 words
//         word 0      bytes 0-3          lane 0
//         word 32     bytes 128-131      lane 1
//         ...
//
// An access is a bankwise::access, or the result of by_lane(operation, function). The function takes a lane, and
// returns a byte offset or an element{row, column}. A layout is a function that takes a byte offset, or a row and a
// column, and returns a byte offset. For example, a layout is a tile_layout, a swizzle, or a lambda. If you pass a
// bank_model as the last argument, the check uses the rule of this machine. The check always fails if the operation
// does not exist, or if an address is not a multiple of the width.
//
// This header and testing_text.hpp use the standard library, and need C++17. This header also needs GoogleTest.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>

#include "bankwise/testing_text.hpp"
#include "bankwise/wavefronts.hpp"

namespace bankwise {

// An element of a tile: its row and its column. A layout computes the address of the element.
struct element {
  u32 row, column;
};

// An access whose addresses a layout can compute later. `place(lane)` returns a byte offset or an element. The checks
// call `place` only for active lanes.
template <class Place>
struct lane_access {
  operation op;
  Place place;
  u32 mask = full_mask;
};
template <class Place>
constexpr lane_access<Place> by_lane(operation op, Place place, u32 mask = full_mask) {
  return {op, place, mask};
}

namespace detail {

struct unchanged {
  constexpr u32 operator()(u32 byte) const { return byte; }
};

template <class Layout>
access placed(const Layout& layout, const access& a) {
  return make_access(
      a.op, [&](u32 lane) { return (a.mask >> lane & 1u) != 0 ? layout(a.address[lane]) : 0; }, a.mask);
}
// If a layout computes with int, gcc warns about the conversion. The conversion is safe, because lanes are below 32.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
template <class Layout, class Place>
access placed(const Layout& layout, const lane_access<Place>& a) {
  return make_access(
      a.op,
      [&](u32 lane) -> u32 {
        if ((a.mask >> lane & 1u) == 0) return 0;  // the function may return nothing useful for an inactive lane
        if constexpr (std::is_same_v<std::decay_t<decltype(a.place(lane))>, element>) {
          const element at = a.place(lane);
          return static_cast<u32>(layout(at.row, at.column));
        } else {
          return static_cast<u32>(layout(static_cast<u32>(a.place(lane))));
        }
      },
      a.mask);
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

}  // namespace detail

// The functions that the macros call. If you want to add your own message, call these functions:
// EXPECT_TRUE(takes_wavefronts(...)) << "message".
inline ::testing::AssertionResult takes_wavefronts(const access& a, u32 expected,
                                                   const bank_model& m = maxwell_model()) {
  const std::string failure = wavefronts_failure(a, expected, m);
  return failure.empty() ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << failure;
}
inline ::testing::AssertionResult is_conflict_free(const access& a, const bank_model& m = maxwell_model()) {
  const std::string failure = conflict_failure(a, m);
  return failure.empty() ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << failure;
}
template <class Place>
::testing::AssertionResult takes_wavefronts(const lane_access<Place>& a, u32 expected,
                                            const bank_model& m = maxwell_model()) {
  return takes_wavefronts(detail::placed(detail::unchanged{}, a), expected, m);
}
template <class Place>
::testing::AssertionResult is_conflict_free(const lane_access<Place>& a, const bank_model& m = maxwell_model()) {
  return is_conflict_free(detail::placed(detail::unchanged{}, a), m);
}
template <class Layout, class Access>
::testing::AssertionResult takes_wavefronts(const Layout& layout, const Access& a, u32 expected,
                                            const bank_model& m = maxwell_model()) {
  return takes_wavefronts(detail::placed(layout, a), expected, m);
}
template <class Layout, class Access, class = decltype(detail::placed(std::declval<Layout>(), std::declval<Access>()))>
::testing::AssertionResult is_conflict_free(const Layout& layout, const Access& a,
                                            const bank_model& m = maxwell_model()) {
  return is_conflict_free(detail::placed(layout, a), m);
}

namespace detail {

// Returns the result of an expectation. The message begins with the source text of the expectation. Without this
// function, GoogleTest would print "Value of: ... Actual: false".
inline ::testing::AssertionResult with_words(const char*, const char*, const char* words,
                                             const ::testing::AssertionResult& r) {
  if (r) return r;
  return ::testing::AssertionFailure() << words << "\n" << r.message();
}

}  // namespace detail
}  // namespace bankwise

// The macros are variadic, because an argument can contain braces with commas.
#define EXPECT_WAVEFRONTS(...)                                                               \
  EXPECT_PRED_FORMAT2(::bankwise::detail::with_words, "EXPECT_WAVEFRONTS(" #__VA_ARGS__ ")", \
                      ::bankwise::takes_wavefronts(__VA_ARGS__))
#define ASSERT_WAVEFRONTS(...)                                                               \
  ASSERT_PRED_FORMAT2(::bankwise::detail::with_words, "ASSERT_WAVEFRONTS(" #__VA_ARGS__ ")", \
                      ::bankwise::takes_wavefronts(__VA_ARGS__))
#define EXPECT_CONFLICT_FREE(...)                                                               \
  EXPECT_PRED_FORMAT2(::bankwise::detail::with_words, "EXPECT_CONFLICT_FREE(" #__VA_ARGS__ ")", \
                      ::bankwise::is_conflict_free(__VA_ARGS__))
#define ASSERT_CONFLICT_FREE(...)                                                               \
  ASSERT_PRED_FORMAT2(::bankwise::detail::with_words, "ASSERT_CONFLICT_FREE(" #__VA_ARGS__ ")", \
                      ::bankwise::is_conflict_free(__VA_ARGS__))
