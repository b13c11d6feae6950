// Edits bankwise.toml, and keeps its comments, order and formatting. Lines are counted from 1. As in `config`, the line
// of its header identifies a table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/budget_kernels.hpp"
#include "check/config.hpp"

namespace bankwise::check {

// Returns a text in quotes, as TOML writes it.
std::string in_toml(std::string_view text);

// Sets a key of a table. Only the value is replaced. A missing key is added after the existing keys.
void set_value(std::string& text, std::uint32_t table_line, std::string_view key, const std::string& value);

// New limits for an instance of a kernel, in the order of limit_rows. A new table has the limits that `bankwise init`
// writes. The others are for tables that limit the same measure in another unit.
struct new_budget {
  kernel_names kernel;
  std::vector<limit> limits;
};

// Sets the command and the budgets of a run. Sets the budget of each instance in `budgets`, and adds missing budgets. A
// budget for the name of several instances keeps the highest of their limits, and each instance gets its own budget.
// Removes the budgets of all other kernels. Budgets for lines do not change. `known` was read from `text`.
std::string with_run(std::string text, const config& known, const run_entry& run,
                     const std::vector<new_budget>& budgets);

}  // namespace bankwise::check
