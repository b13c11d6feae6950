// Edits bankwise.toml, and keeps its comments, order and formatting. Lines are counted from 1. As in `config`, the line
// of its header identifies a table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/config.hpp"

namespace bankwise::check {

// Returns a text in quotes, as TOML writes it.
std::string in_toml(std::string_view text);

// Sets a key of a table. Only the value is replaced. A missing key is added after the existing keys.
void set_value(std::string& text, std::uint32_t table_line, std::string_view key, const std::string& value);

// New limits for a kernel. They are limits that `bankwise init` writes, in the order of limit_rows.
struct new_budget {
  std::string kernel;
  std::vector<limit> limits;
};

// Sets the command and the budgets of a run. Sets the budget of each kernel in `budgets`, and adds missing budgets.
// Removes the budgets of all other kernels. Budgets for lines do not change. `known` was read from `text`.
std::string with_run(std::string text, const config& known, const run_entry& run,
                     const std::vector<new_budget>& budgets);

}  // namespace bankwise::check
