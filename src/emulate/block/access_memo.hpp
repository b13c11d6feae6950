// The last accesses of a shared-memory instruction, which a worker remembers. Most accesses repeat one of them, shifted
// by whole rows of banks. The addresses of such an access need no check, and listeners get the number of repetitions
// instead of each access.
#pragma once

#include <array>
#include <cstdint>

#include "bankwise/access.hpp"
#include "emulate/block/warp.hpp"
#include "emulate/listener.hpp"

namespace bankwise::emulate {

// How compiled code loads the words of such an access: it selects them from one window of 32 words, or from two
// windows, one for each half of the warp.
enum class load_plan : std::uint8_t { none, one_place, side_by_side, one_window, two_windows };
inline constexpr std::uint32_t window_words = 32;

struct alignas(64) access_memo {
  row address = {};              // for 32 active lanes, all at valid addresses
  row word = {};                 // which word of its window the lane reads first
  std::uint32_t window[2] = {};  // where the window of each half begins, relative to `lowest`
  std::uint32_t lowest = 0;      // of the addresses
  std::uint32_t highest = 0;     // the largest `lowest` with which all other addresses are still in bounds
  std::uint64_t times = 0;       // repetitions that no listener has received yet
  std::uint64_t pc = 0;
  operation op{};
  bool valid = false;
  bool listed = false;  // in worker::memos_in_use
  row_shape shape = row_shape::other;
  load_plan plan = load_plan::none;
};

// Entries for one instruction, by the first lane's address: each warp has its own.
inline constexpr unsigned memo_ways = 8;
using access_memos = std::array<access_memo, memo_ways>;
constexpr unsigned memo_way(std::uint32_t address) { return (address >> 2 ^ address >> 5) % memo_ways; }

}  // namespace bankwise::emulate
