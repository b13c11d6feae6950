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
//     [[ignore]]                               # a finding that is accepted (ignore_list.hpp)
//     finding = "race"
//     reason = "the flag is polled"
//
//     [[run]]                                  # check makes the report of this run again if an input has changed
//     name = "transpose"
//     command = "transpose.cu -k transpose_padded --grid 8,8 --block 32,8 --arg 'out:f32[64K]'"
//     [[run.budget]]                           # a budget for this run only
//     removable = 0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/measures.hpp"

namespace bankwise::check {

enum class fail_on { fresh, any, budget, never };
// Returns the value for a word: "new", "any", "budget" or "never".
std::optional<fail_on> parse_fail_on(std::string_view word);

// A limit for a measure: a key of a budget.
struct limit {
  const limit_row* row = nullptr;
  std::uint64_t most = 0;  // the largest number that is allowed
  double ratio = 1;        // the same for the form `ratio`

  const measure_row& of() const { return row_of(row->of); }
  // Returns the limit as bankwise.toml has it: a time in the unit of its key, rounded up to three digits.
  std::string text() const;
};

// The limits for the launches of a kernel, or for a line of the kernel.
struct budget {
  std::string kernel;  // a name or a pattern (budget_kernels.hpp)
  std::string file;    // end of the path of the file that contains `line`; empty for a budget of the whole kernel
  std::uint32_t line = 0;
  std::vector<limit> limits;  // in the order of limit_rows
  // name of the run to which the budget applies; empty for all runs
  std::string run;
  std::uint32_t config_line = 0;

  // Returns the limit with this key, or null.
  const limit* find(std::string_view key) const;
  // Whether a limit is for one of these records.
  bool has(std::initializer_list<measure_record> records) const;
};

// A launch or a program that `check` executes to make a report.
struct run_entry {
  std::string name;                 // name of the report's file; can contain letters, digits, - _ and .
  std::string command;              // the arguments of `bankwise run`, quoted as for a shell
  std::vector<std::string> inputs;  // input files that the command does not name; can contain * and ?
  std::uint32_t config_line = 0;
};

// Findings that are accepted (ignore_list.hpp).
struct ignore_entry {
  std::vector<std::string> findings;  // numbers of kinds, such as "BW403"
  std::vector<std::string> checks;    // words of --check: also all calls of the program that these checks report
  std::string kernel;                 // a name or a pattern; empty for all kernels and for calls of the program
  std::string file;                   // end of the path of the file that contains `line`; empty for all lines
  std::uint32_t line = 0;
  std::string reason;
  std::uint32_t config_line = 0;
};

struct config {
  std::string name;                  // name of the file
  std::vector<std::string> reports;  // paths of reports; relative to the folder of this file, as is `baseline`
  std::string baseline;
  std::optional<fail_on> fails;
  std::vector<budget> budgets;
  std::vector<run_entry> runs;
  std::vector<ignore_entry> ignores;
  std::string cache = ".bankwise";  // folder for the reports of runs, relative to the folder of this file
};

result<config> read_config(std::string_view text, const std::string& name);

}  // namespace bankwise::check
