// Remembers the last accesses of a shared-memory instruction. Most accesses repeat an earlier access, shifted by whole
// rows of banks. The addresses of a repeated access need no check. Listeners get the number of repetitions instead of
// each access.
#pragma once

#include <array>
#include <cstdint>

#include "bankwise/access.hpp"
#include "emulate/block/warp.hpp"
#include "emulate/listener.hpp"

namespace bankwise::emulate {

// How compiled code loads the words of a remembered access. With `one_window`, each half of the warp has its own window
// of 32 words. With `two_windows`, each half has two adjacent windows.
enum class load_plan : std::uint8_t { none, one_place, side_by_side, one_window, two_windows };
inline constexpr std::uint32_t window_words = 32;

struct alignas(64) access_memo {
  row address = {};              // addresses of the 32 lanes; all lanes are active and all addresses are valid
  row word = {};                 // for each lane: first word that the lane reads; 0 is the first word of `window`
  std::uint32_t window[2] = {};  // for each half of the warp: start of its windows, relative to `lowest`
  std::uint32_t lowest = 0;
  std::uint32_t highest = 0;  // the access is in bounds if `lowest` is at most this value
  std::uint64_t times = 0;    // repetitions that listeners have not received yet
  std::uint64_t pc = 0;
  operation op{};
  bool valid = false;
  bool listed = false;  // whether the entry is an element of worker::memos_in_use
  row_shape shape = row_shape::other;
  load_plan plan = load_plan::none;
};

// Makes the next access an access that listeners hear. Compiled code compares only addresses, so no access may match them.
inline void forget(access_memo& a) {
  if (a.valid) a.address[0] = ~a.address[0];
  a.valid = false;
}

// A set of entries for one instruction. The first lane's address selects the entry, so different warps usually use
// different entries.
inline constexpr unsigned memo_ways = 8;
using access_memos = std::array<access_memo, memo_ways>;
constexpr unsigned memo_way(std::uint32_t address) { return (address >> 2 ^ address >> 5) % memo_ways; }

}  // namespace bankwise::emulate
