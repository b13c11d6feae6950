// How launches are executed: what the flags of `run` say of one launch, and of all launches of a program.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "emulate/launch.hpp"
#include "profile/profile.hpp"

namespace bankwise::cli {

struct run_settings {
  checks wanted;                  // --check
  bool strict_bounds = false;     // --faults
  bool looks_for_faults = false;  // --faults, whatever it says
  bool counts_only = false;       // --counts
  bool keeps_accesses = false;
  bool looks = false;  // keeps some, for a quick search for layouts
  std::uint64_t seed = 0;
  std::uint64_t budget = 0;          // of a launch; 0: none
  std::uint64_t total_budget = 0;    // of all launches together; 0: none
  std::uint64_t ctas = 0;            // blocks of a launch that run; 0: all
  std::chrono::milliseconds time{};  // --time, of all launches; 0: as much as they need
  unsigned threads = 0;              // 0: one for each core
  bool interprets = false;           // --interpret
  std::string device_name;           // empty: the stand-in's own
};
result<run_settings> read_run_settings(const arguments& args);

void apply(const run_settings& s, emulate::launch& l);
// For the library that stands in for the driver in a program (runtime/state.cpp reads them).
std::vector<std::pair<std::string, std::string>> environment_of(const run_settings& s);

}  // namespace bankwise::cli
