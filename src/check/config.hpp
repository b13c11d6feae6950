// bankwise.toml: the limits that a project sets for its kernels.
//
//     reports = ["build/transpose.json"]
//     baseline = "bankwise.baseline.json"
//     fail-on = "new"
//
//     [[budget]]
//     kernel = "transpose*"
//     line = "transpose.cu:18"
//     wavefronts = 4096
//
//     [[run]]                                  # check makes the report of this run again if an input has changed
//     name = "transpose"
//     command = "transpose.cu -k transpose_padded --grid 8,8 --block 32,8 --arg 'out:f32[64K]'"
//     [[run.budget]]                           # a budget for this run only
//     removable = 0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bankwise::check {

enum class fail_on { fresh, any, budget, never };
// Returns the value for a word: "new", "any", "budget" or "never".
std::optional<fail_on> parse_fail_on(std::string_view word);

// The limits for the launches of a kernel, or for a line of the kernel.
struct budget {
  std::string kernel;  // a pattern with * and ?; it matches the name with or without parameters
  std::string file;    // end of the path of the file that contains `line`; empty for a budget of the whole kernel
  std::uint32_t line = 0;
  std::optional<std::uint64_t> wavefronts, excess, removable;
  std::optional<std::uint64_t> elapsed_cycles, nanoseconds;  // limits for the predicted time of a launch
  std::optional<double> ratio;                               // limit for wavefronts divided by ideal wavefronts
  std::optional<std::uint64_t> sectors, excess_sectors;      // limits for global memory
  std::optional<double> sector_ratio;                        // limit for sectors divided by ideal sectors
  std::optional<std::uint64_t> local_sectors;                // limit for sectors of the threads' stacks
  // name of the run to which the budget applies; empty for all runs
  std::string run;
  std::uint32_t config_line = 0;
};

// A launch or a program that `check` executes to make a report.
struct run_entry {
  std::string name;                 // name of the report's file; can contain letters, digits, - _ and .
  std::string command;              // the arguments of `bankwise run`, quoted as for a shell
  std::vector<std::string> inputs;  // input files that the command does not name; can contain * and ?
  std::uint32_t config_line = 0;
};

struct config {
  std::string name;                  // name of the file
  std::vector<std::string> reports;  // paths of reports; relative to the folder of this file, as is `baseline`
  std::string baseline;
  std::optional<fail_on> fails;
  std::vector<budget> budgets;
  std::vector<run_entry> runs;
  std::string cache = ".bankwise";  // folder for the reports of runs, relative to the folder of this file
};

// Whether a budget limits shared memory; whether it limits global or local memory.
inline bool limits_shared(const budget& b) { return b.wavefronts || b.excess || b.removable || b.ratio; }
inline bool limits_sectors(const budget& b) {
  return b.sectors || b.excess_sectors || b.sector_ratio || b.local_sectors;
}

// The key of a limit that is a whole number.
struct budget_key {
  const char* name;
  std::optional<std::uint64_t> budget::*limit;
};
inline constexpr budget_key budget_limits[] = {
    {"wavefronts", &budget::wavefronts},         {"excess", &budget::excess},
    {"removable", &budget::removable},           {"sectors", &budget::sectors},
    {"excess_sectors", &budget::excess_sectors}, {"local_sectors", &budget::local_sectors},
};

result<config> read_config(std::string_view text, const std::string& name);

// Whether a name such as "transpose_plain" matches a pattern such as "transpose*".
bool matches(std::string_view pattern, std::string_view name);

}  // namespace bankwise::check
