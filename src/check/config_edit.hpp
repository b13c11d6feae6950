// Edits of bankwise.toml that keep its comments, its order and its form. Lines count from 1; tables are named by the
// line of their header, as config has it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/config.hpp"

namespace bankwise::check {

// A text in quotes, as TOML has it.
std::string in_toml(std::string_view text);

// Sets a key of a table: only the value is replaced. A missing key is added after the others.
void set_value(std::string& text, std::uint32_t table_line, std::string_view key, const std::string& value);

// What a kernel may cost from now on.
struct new_budget {
  std::string kernel;
  std::uint64_t wavefronts = 0, removable = 0;
  std::optional<std::uint64_t> sectors;  // nothing: they were not counted
};

// The command of a run, and its budgets: those of whole kernels get these numbers, those whose kernels are not among
// them go, and kernels without one get one. `text` is that which `known` was read from.
std::string with_run(std::string text, const config& known, const run_entry& run,
                     const std::vector<new_budget>& budgets);

}  // namespace bankwise::check
