// The message that explains why a check of an access failed. testing.hpp passes the message to GoogleTest, and the
// Python package passes it to pytest.
//
//     takes 32 wavefronts, 1 expected
//     ld.b32 of 32 lanes, 32 banks of 4 bytes: 1 is reachable, a layout can save up to 31
//     phase 0, lanes 0-31: bank 0 must serve 32 words
//       word 0      bytes 0-3          lane 0
//       ...
#pragma once

#include <string>

#include "bankwise/wavefronts.hpp"

namespace bankwise {
namespace detail {

inline std::string lanes_text(u32 mask) {
  std::string s;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if ((mask >> lane & 1u) == 0) continue;
    u32 last = lane;
    while (last + 1 < lanes_per_warp && (mask >> (last + 1) & 1u) != 0) ++last;
    // Writes lanes 0 and 1 as "0, 1", and lanes 0 to 2 as "0-2".
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

// Returns the words that the busiest bank of the slowest phase serves, and the lanes that want each of these words.
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
    // Lanes that cannot share a word have separate wants.
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
                  std::to_string(bank) + " must serve " + count_text(words, "word") + "\n" + lines;
  if (e.phases > 1) {
    s += "  wavefronts by phase:";
    for (u32 p = 0; p < e.phases; ++p) s += (p == 0 ? " " : ", ") + std::to_string(e.phase_at[p].wavefronts);
    s += "\n";
  }
  if (a.op.kind == op_kind::compare_and_swap) s += "  a compare-and-swap accesses each bank twice\n";
  return s;
}

inline std::string cost_text(const access& a, const bank_model& m, const explanation& e) {
  const cost& c = e.total;
  std::string s = "  " + operation_text(a.op) + " of " + count_text(count_lanes(a.mask), "lane") + ", " +
                  count_text(m.banks, "bank") + " of " + count_text(m.bank_bytes, "byte") + ": " +
                  std::to_string(c.reachable) + (c.reachable == 1 ? " is" : " are") + " reachable";
  if (c.wavefronts > e.layout_floor) s += ", a layout can save up to " + std::to_string(c.wavefronts - e.layout_floor);
  if (e.layout_floor > c.reachable)
    s += "; fewer than " + std::to_string(e.layout_floor) +
         " wavefronts are possible only if fewer lanes want the same word";
  return s + "\n" + collision_text(a, m, e);
}

// Returns why the access has no cost. Returns an empty text if it has a cost.
inline std::string refusal_text(const access& a) {
  if (!valid(a.op)) return "  unknown operation: " + operation_text(a.op) + "\n";
  const u32 lane = first_misaligned_lane(a);
  if (lane == lanes_per_warp) return "";
  return "  lane " + std::to_string(lane) + ": byte offset " + std::to_string(a.address[lane]) +
         " is not a multiple of " + std::to_string(a.op.width_bytes) + ", the width of " + operation_text(a.op) +
         ", so the hardware faults\n";
}

}  // namespace detail

// Returns the message of a check for a number of wavefronts. Returns an empty text if the access takes the expected
// number of wavefronts.
inline std::string wavefronts_failure(const access& a, u32 expected, const bank_model& m = maxwell_model()) {
  if (std::string refused = detail::refusal_text(a); !refused.empty()) return refused;
  const explanation e = explain(a, m);
  if (e.total.wavefronts == expected) return "";
  return "  takes " + detail::count_text(e.total.wavefronts, "wavefront") + ", " + std::to_string(expected) +
         " expected\n" + detail::cost_text(a, m, e);
}

// Returns the message of a check for conflicts. Returns an empty text if no other placement of the same words takes
// fewer wavefronts.
inline std::string conflict_failure(const access& a, const bank_model& m = maxwell_model()) {
  if (std::string refused = detail::refusal_text(a); !refused.empty()) return refused;
  const explanation e = explain(a, m);
  if (e.total.wavefronts == e.total.reachable) return "";
  return "  takes " + detail::count_text(e.total.wavefronts, "wavefront") + "\n" + detail::cost_text(a, m, e);
}

}  // namespace bankwise
