// Edits bankwise.toml so that its comments, order and formatting stay. Lines are counted from 1. As in config, a table
// is identified by the line of its header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "check/config.hpp"

namespace bankwise::check {

// A text in quotes, as TOML writes it.
std::string in_toml(std::string_view text);

// Sets a key of a table. Only the value is replaced. A missing key is added after the other keys.
void set_value(std::string& text, std::uint32_t table_line, std::string_view key, const std::string& value);

// New limits for a kernel.
struct new_budget {
  std::string kernel;
  std::uint64_t wavefronts = 0, removable = 0;
  std::optional<std::uint64_t> sectors;  // empty if sectors were not counted
};

// Sets the command and the budgets of a run. The numbers of `budgets` replace those of existing budgets for whole
// kernels. Existing budgets of other kernels are removed. For a kernel without a budget, a budget is added. `text` is
// the text from which `known` was read.
std::string with_run(std::string text, const config& known, const run_entry& run,
                     const std::vector<new_budget>& budgets);

}  // namespace bankwise::check
