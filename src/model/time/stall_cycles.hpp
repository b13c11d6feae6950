// How long warps wait at an instruction or a line, by Nsight Compute's stall reasons: in cycles of all warps of a
// launch, predicted by the model of src/timing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bankwise {

struct stall_cycles {
  std::vector<std::pair<std::string, std::uint64_t>> by_reason;  // in descending order; none is 0

  std::uint64_t sum() const;
  stall_cycles& operator+=(const stall_cycles& more);
  friend bool operator==(const stall_cycles&, const stall_cycles&) = default;
};
void scale(stall_cycles& s, std::uint64_t times, std::uint64_t by);
// Sorts the reasons, the one with most cycles first.
void sort_reasons(stall_cycles& s);

// The reasons why warps wait at a line of the source.
struct waiting_line {
  std::string file;
  std::uint32_t line = 0;
  stall_cycles waits;

  friend bool operator==(const waiting_line&, const waiting_line&) = default;
};

// "long_scoreboard" in plain words: "global memory".
std::string words_of_stall(std::string_view reason);

}  // namespace bankwise
