// Expectations for GoogleTest: what an access to shared memory costs, and in the failure why.
//
//     EXPECT_WAVEFRONTS(access, 1);                   exactly 1: a test should notice a better layout, too
//     EXPECT_WAVEFRONTS(layout, access, 1);           where the layout puts it
//     EXPECT_CONFLICT_FREE(access);                   no wavefront that another placement of the same words could save
//     EXPECT_CONFLICT_FREE(layout, access);           ASSERT_... of each ends the test
//
//     const auto column = bankwise::by_lane(bankwise::ld(4), [](unsigned t) { return bankwise::element{t, 0}; });
//     EXPECT_WAVEFRONTS(bankwise::tile_layout{4, 128}, column, 1);
//
//     EXPECT_WAVEFRONTS(bankwise::tile_layout{4, 128}, column, 1)
//       takes 32 wavefronts, 1 expected
//       ld.b32 of 32 lanes, 32 banks of 4 bytes: 1 is reachable, a layout can save up to 31
//       phase 0, lanes 0-31: bank 0 is asked for 32 words
//         word 0      bytes 0-3          lane 0
//         word 32     bytes 128-131      lane 1
//         ...
//
// An access is a bankwise::access, or by_lane(operation, function of the lane), whose function gives a byte offset or an
// element{row, column}. A layout is anything that can be called with what the access has, a byte offset or a row and a
// column, and gives bytes: tile_layout, swizzle, a lambda. One more argument, a bank_model, is the rule of another machine.
// An operation that does not exist and an address that is not a multiple of the width fail whatever is expected.
//
// The one header of bankwise that uses the standard library; C++17. GoogleTest is the user's.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>

#include "bankwise/wavefronts.hpp"

namespace bankwise {

// An element of a tile, before a layout has given it an address. Counted in rows and columns.
struct element {
  u32 row, column;
};

// An access whose addresses a layout may still have to give. `place(lane)`: a byte offset, or an element. It is called for
// active lanes only.
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

inline std::string lanes_text(u32 mask) {
  std::string s;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    u32 last = lane;
    while (last + 1 < lanes_per_warp && (mask >> (last + 1) & 1u) != 0) ++last;
    // "0, 1", but "0-2".
    if (!s.empty()) s += ", ";
    s += std::to_string(lane);
    if (last > lane + 1) {
      s += "-" + std::to_string(last);
      lane = last;
    }
  }
  return (count_lanes(mask) == 1 ? "lane " : "lanes ") + s;
}

inline std::string operation_text(operation o) {
  const std::string bits = ".b" + std::to_string(o.width_bytes * 8), matrices = ".x" + std::to_string(o.matrices);
  switch (o.kind) {
    case op_kind::load: return "ld" + bits;
    case op_kind::store: return "st" + bits;
    case op_kind::ldmatrix: return "ldmatrix" + matrices;
    case op_kind::stmatrix: return "stmatrix" + matrices;
    case op_kind::atomic: return (o.returns ? "atom" : "red") + bits;
    case op_kind::compare_and_swap: return "atom.cas" + bits;
    case op_kind::cas_spin: return "atom.cas.spin" + bits;
    case op_kind::increment: return "popc.inc";
    case op_kind::copy_async: return "cp.async" + bits;
    case op_kind::copy_async_cg: return "cp.async.cg" + bits;
  }
  return "operation " + std::to_string(static_cast<u32>(o.kind));
}

inline std::string count_text(u32 n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

inline std::string padded(std::string s, std::size_t width) {
  if (s.size() < width) s.append(width - s.size(), ' ');
  return s;
}

// The words that the fullest bank of the longest phase has to give, and who wants them.
inline std::string collision_text(const access& a, const bank_model& m, const explanation& e) {
  u32 worst = 0;
  for (u32 p = 1; p < e.phases; ++p)
    if (e.phase_at[p].wavefronts > e.phase_at[worst].wavefronts) worst = p;
  const phase& longest = e.phase_at[worst];
  if (e.phases == 0 || longest.wavefronts < 2) return "";
  const want* first = e.want_at + longest.first_want;
  u32 bank = 0, last_turn = 0;
  for (u32 i = 0; i < longest.wants; ++i) {
    if (i != 0 && first[i].turn <= last_turn) continue;
    bank = first[i].bank;
    last_turn = first[i].turn;
  }

  constexpr u32 most_lines = 8;
  std::string lines;
  u32 words = 0;
  for (u32 i = 0; i < longest.wants; ++i) {
    if (first[i].bank != bank) continue;
    // Lanes that cannot share a word each want it for themselves.
    bool seen = false;
    for (u32 j = 0; j < i; ++j) seen = seen || first[j].word == first[i].word;
    if (seen || ++words > most_lines) continue;
    u32 lanes = 0;
    for (u32 j = i; j < longest.wants; ++j)
      if (first[j].word == first[i].word) lanes |= first[j].lanes;
    const u64 byte = static_cast<u64>(first[i].word) * m.bank_bytes;
    lines += "    " + padded("word " + std::to_string(first[i].word), 12) +
             padded("bytes " + std::to_string(byte) + "-" + std::to_string(byte + m.bank_bytes - 1), 19) +
             lanes_text(lanes) + (!shares_words(a.op.kind) && count_lanes(lanes) > 1 ? ", one after another" : "") +
             "\n";
  }
  if (words > most_lines) lines += "    ... and " + count_text(words - most_lines, "word") + " more\n";

  std::string s = "  phase " + std::to_string(worst) + ", " + lanes_text(longest.lanes) + ": bank " +
                  std::to_string(bank) + " is asked for " + count_text(words, "word") + "\n" + lines;
  if (e.phases > 1) {
    s += "  wavefronts by phase:";
    for (u32 p = 0; p < e.phases; ++p) s += (p == 0 ? " " : ", ") + std::to_string(e.phase_at[p].wavefronts);
    s += "\n";
  }
  if (a.op.kind == op_kind::compare_and_swap) s += "  a compare-and-swap goes through the banks twice\n";
  return s;
}

inline std::string cost_text(const access& a, const bank_model& m, const explanation& e) {
  const cost& c = e.total;
  std::string s = "  " + operation_text(a.op) + " of " + count_text(count_lanes(a.mask), "lane") + ", " +
                  count_text(m.banks, "bank") + " of " + count_text(m.bank_bytes, "byte") + ": " +
                  std::to_string(c.reachable) + (c.reachable == 1 ? " is" : " are") + " reachable";
  if (c.wavefronts > e.layout_floor) s += ", a layout can save up to " + std::to_string(c.wavefronts - e.layout_floor);
  if (e.layout_floor > c.reachable)
    s += "; below " + std::to_string(e.layout_floor) + " only if fewer lanes want the same word";
  return s + "\n" + collision_text(a, m, e);
}

// Why the access has no cost; empty if it has one.
inline std::string refusal_text(const access& a) {
  if (!valid(a.op)) return "  there is no such operation: " + operation_text(a.op) + "\n";
  const u32 lane = first_misaligned_lane(a);
  if (lane == lanes_per_warp) return "";
  return "  lane " + std::to_string(lane) + ": byte offset " + std::to_string(a.address[lane]) +
         " is not a multiple of " + std::to_string(a.op.width_bytes) + ", the width of " + operation_text(a.op) +
         ": the hardware faults\n";
}

struct unchanged {
  constexpr u32 operator()(u32 byte) const { return byte; }
};

template <class Layout>
access placed(const Layout& layout, const access& a) {
  return make_access(
      a.op, [&](u32 lane) { return (a.mask >> lane & 1u) != 0 ? layout(a.address[lane]) : 0; }, a.mask);
}
// A layout may count in int, and whoever wrote it must not be warned of lanes below 32.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
template <class Layout, class Place>
access placed(const Layout& layout, const lane_access<Place>& a) {
  return make_access(
      a.op,
      [&](u32 lane) -> u32 {
        if ((a.mask >> lane & 1u) == 0) return 0;  // an inactive lane may well have no place
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

// What the macros use, to combine them: EXPECT_TRUE(takes_wavefronts(...)) with a message of your own.
inline ::testing::AssertionResult takes_wavefronts(const access& a, u32 expected,
                                                   const bank_model& m = maxwell_model()) {
  if (const std::string refused = detail::refusal_text(a); !refused.empty())
    return ::testing::AssertionFailure() << refused;
  const explanation e = explain(a, m);
  if (e.total.wavefronts == expected) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "  takes " << detail::count_text(e.total.wavefronts, "wavefront") << ", "
                                       << expected << " expected\n"
                                       << detail::cost_text(a, m, e);
}
inline ::testing::AssertionResult is_conflict_free(const access& a, const bank_model& m = maxwell_model()) {
  if (const std::string refused = detail::refusal_text(a); !refused.empty())
    return ::testing::AssertionFailure() << refused;
  const explanation e = explain(a, m);
  if (e.total.wavefronts == e.total.reachable) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "  takes " << detail::count_text(e.total.wavefronts, "wavefront") << "\n"
                                       << detail::cost_text(a, m, e);
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

// The source text stands before the answer. gtest's own "Value of: ... Actual: false" would say it twice.
inline ::testing::AssertionResult with_words(const char*, const char*, const char* words,
                                             const ::testing::AssertionResult& r) {
  if (r) return r;
  return ::testing::AssertionFailure() << words << "\n" << r.message();
}

}  // namespace detail
}  // namespace bankwise

// Variadic, so that braces with commas in an argument need no parentheses.
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
