// Which launches of a program are recorded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bankwise::record {

struct schedule_options {
  std::string kernel;             // a name, or regex:EXPR; empty: all
  std::uint64_t skip = 0;         // how many matching launches are skipped first
  std::uint64_t count = 0;        // how many of the following launches are recorded; 0 for all
  std::uint64_t each = 1;         // how many launches of every kernel with one grid and block are recorded; 0 for all
  std::uint64_t shapes = 8;       // how many grids and blocks of one kernel are recorded; 0 for all
  std::uint32_t skip_blocks = 0;  // launch_table.hpp
  std::string nvtx;               // only inside this range of the launching thread; empty: everywhere

  friend bool operator==(const schedule_options&, const schedule_options&) = default;
};

// Written as one line for the environment, and read back. Error: the line is not valid.
std::string to_line(const schedule_options& o);
result<schedule_options> parse_schedule(std::string_view line);

// Matches a kernel by its bare, full or mangled name, or by a POSIX extended regular expression that is found in one of
// them.
class kernel_filter {
 public:
  static result<kernel_filter> make(const std::string& pattern);
  bool matches(const std::string& mangled) const;

 private:
  std::string pattern_;
  bool is_expression_ = false;
};

enum class choice : std::uint8_t {
  record,
  not_this_kernel,  // excluded by the filter, or it waits for other devices
  not_this_launch,  // --launch-skip, --launch-count, --nvtx-include
  seen_enough,      // the requested number of launches was recorded for this kernel, or for this grid and block
};

class schedule {
 public:
  explicit schedule(const schedule_options& o) : options_(o) {}

  // `matches`: whether the kernel matches. `recorded`: how many launches of it with this grid and block were chosen
  // before. `shape`: the number of this grid and block among those of the kernel.
  choice next(bool matches, bool in_range, std::uint64_t recorded, std::uint64_t shape);
  // Whether a launch may still be chosen.
  bool may_want(bool matches, std::uint64_t recorded, std::uint64_t shape) const;

 private:
  schedule_options options_;
  std::uint64_t matched_ = 0;
};

// Whether a kernel waits for other devices: recording it, while another thread or process waits for it, could block
// both.
bool waits_for_others(std::string_view bare_name);

}  // namespace bankwise::record
