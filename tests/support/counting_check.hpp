// Executes a launch completely, and again with counts only (emulate/counting/counting.hpp), with and without counts of
// global memory. The counts must be identical.
#pragma once

#include <functional>
#include <string>

#include "emulate/launch/launch.hpp"
#include "emulate/memory/memory.hpp"

namespace bankwise::test {

struct counting_outcome {
  std::string difference;  // the first line in which the reports differ; empty if they are equal
  bool was_possible = false;
  std::uint64_t blocks = 0, blocks_executed = 0;
  std::uint64_t blocks_for_global = 0;  // executed again if accesses to global memory are counted
};

// `prepare` calls its parameter with a launch, and with the initial memory each time.
using launch_use = std::function<void(const emulate::launch&, emulate::device_memory&)>;
counting_outcome count_without_results(const std::function<void(const launch_use&)>& prepare);

// Whether tests run this check for each of their kernels: BANKWISE_CHECK_COUNTING is set.
bool checks_counting();

}  // namespace bankwise::test
