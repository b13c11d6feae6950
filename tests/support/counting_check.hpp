// Executes a launch completely, and again in counting mode (emulate/counting/counting.hpp), with and without counts of
// global memory. The counts must be identical.
#pragma once

#include <functional>
#include <string>

#include "emulate/launch/launch.hpp"
#include "emulate/memory/memory.hpp"

namespace bankwise::test {

struct counting_outcome {
  std::string difference;  // first line in which the reports differ, or empty if they are equal
  bool was_possible = false;
  std::uint64_t blocks = 0, blocks_executed = 0;
  std::uint64_t blocks_for_global = 0;  // number of blocks that are executed to count accesses to global memory
};

// A function that calls its parameter with a launch and with the initial memory, as often as needed.
using launch_use = std::function<void(const emulate::launch&, emulate::device_memory&)>;
counting_outcome count_without_results(const std::function<void(const launch_use&)>& prepare);

// Returns whether BANKWISE_CHECK_COUNTING is set. If it is set, tests run this check for each of their kernels.
bool checks_counting();

}  // namespace bankwise::test
