// What a worker remembers of an instruction that accesses shared memory: its last accesses. Most accesses repeat one of
// them shifted by whole rows of banks: their addresses need no checks, nor does anybody who counts need to hear of
// each.
#pragma once

#include <array>
#include <cstdint>

#include "bankwise/access.hpp"
#include "emulate/block/warp.hpp"
#include "emulate/listener.hpp"

namespace bankwise::emulate {

// How compiled code loads what such an access reads. Words are picked from windows of 32 of them, one or two for half a
// warp.
enum class load_plan : std::uint8_t { none, one_place, side_by_side, one_window, two_windows };
inline constexpr std::uint32_t window_words = 32;

struct alignas(64) access_memo {
  row address = {};              // of 32 active lanes, all of which may be accessed
  row word = {};                 // which of its window's the lane reads first
  std::uint32_t window[2] = {};  // where each half's begin, from `lowest` on
  std::uint32_t lowest = 0;      // of the addresses
  std::uint32_t highest = 0;     // that `lowest` may become: the others are still in bounds
  std::uint64_t times = 0;       // it occurred again, and no listener has received it yet
  std::uint64_t pc = 0;
  operation op{};
  bool valid = false;
  bool listed = false;  // in worker::memos_in_use
  row_shape shape = row_shape::other;
  load_plan plan = load_plan::none;
};

// For one instruction, by the first lane's address: each warp has its own.
inline constexpr unsigned memo_ways = 8;
using access_memos = std::array<access_memo, memo_ways>;
constexpr unsigned memo_way(std::uint32_t address) { return (address >> 2 ^ address >> 5) % memo_ways; }

}  // namespace bankwise::emulate
