// How long warps wait at an instruction or a line, by Nsight Compute's stall reasons. The model of src/timing predicts
// these times in cycles, as sums over all warps of a launch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bankwise {

struct stall_cycles {
  // cycles for each reason, in descending order; reasons without cycles are omitted
  std::vector<std::pair<std::string, std::uint64_t>> by_reason;

  std::uint64_t sum() const;
  stall_cycles& operator+=(const stall_cycles& more);
  friend bool operator==(const stall_cycles&, const stall_cycles&) = default;
};
void scale(stall_cycles& s, std::uint64_t times, std::uint64_t by);
void sort_reasons(stall_cycles& s);

// A line of the source, with the reasons why warps wait there.
struct waiting_line {
  std::string file;
  std::uint32_t line = 0;
  stall_cycles waits;

  friend bool operator==(const waiting_line&, const waiting_line&) = default;
};

// A barrier of the blocks of a launch: how long an average warp waits there each time, and for which warp.
struct barrier_wait {
  std::string file;
  std::uint32_t line = 0;
  std::uint64_t times = 0;      // how often blocks met at the barrier in the replay
  std::uint64_t waited = 0;     // mean cycles from a warp's arrival to the last arrival
  std::uint64_t longest = 0;    // mean cycles from the first arrival to the last
  std::uint32_t last_warp = 0;  // the warp of the block that arrives last most often
  unsigned last_percent = 0;    // how often

  friend bool operator==(const barrier_wait&, const barrier_wait&) = default;
};

// Sorts by the time that warps wait, and keeps only the first ones.
void sort_barriers(std::vector<barrier_wait>& list);

// Returns plain words for a stall reason, such as "global memory" for "long_scoreboard".
std::string words_of_stall(std::string_view reason);

}  // namespace bankwise
