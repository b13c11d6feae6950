// Edits of bankwise.toml that keep its comments, its order and its formatting. Lines are counted from 1; tables are
// identified by the line of their header, as in config.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/config.hpp"

namespace bankwise::check {

// A text in quotes, as TOML writes it.
std::string in_toml(std::string_view text);

// Sets a key of a table. Only the value is replaced; a missing key is added after the others.
void set_value(std::string& text, std::uint32_t table_line, std::string_view key, const std::string& value);

// The new limits of a kernel.
struct new_budget {
  std::string kernel;
  std::uint64_t wavefronts = 0, removable = 0;
  std::optional<std::uint64_t> sectors;  // nothing if they were not counted
};

// Sets the command of a run, and its budgets. Budgets of whole kernels get these numbers, budgets of other kernels are
// removed, and kernels without a budget get one. `text` is the text from which `known` was read.
std::string with_run(std::string text, const config& known, const run_entry& run,
                     const std::vector<new_budget>& budgets);

}  // namespace bankwise::check
