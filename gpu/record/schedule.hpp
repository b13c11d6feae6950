// Chooses which launches of a program are recorded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bankwise::record {

struct schedule_options {
  std::string kernel;             // name of the kernel, or regex:EXPRESSION; empty means all kernels
  std::uint64_t skip = 0;         // number of matching launches that are skipped first
  std::uint64_t count = 0;        // number of later launches that are recorded; 0 means all
  std::uint64_t each = 1;         // number of recorded launches for each kernel, grid and block together; 0 means all
  std::uint64_t shapes = 8;       // number of different grids and blocks that are recorded for each kernel; 0 means all
  std::uint32_t skip_blocks = 0;  // blocks whose number has one of these bits are not recorded (launch_table.hpp)
  std::string nvtx;               // NVTX range of recorded launches; empty means all launches

  friend bool operator==(const schedule_options&, const schedule_options&) = default;
};

// Returns the options as one line for an environment variable. parse_schedule() reads it.
std::string to_line(const schedule_options& o);
result<schedule_options> parse_schedule(std::string_view line);

// Matches kernels by their bare, full or mangled names. A POSIX extended regular expression selects a kernel if it
// matches a part of one of these names.
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
  not_this_kernel,  // the filter excludes the kernel, or the kernel may wait for other devices
  not_this_launch,  // --launch-skip, --launch-count or --nvtx-include excludes the launch
  seen_enough,      // enough launches were recorded of this kernel, or with this grid and block
};

class schedule {
 public:
  explicit schedule(const schedule_options& o) : options_(o) {}

  // Decides whether to record the next launch. `matches` is set if the kernel matches. `recorded` is the number of
  // chosen launches of this kernel with this grid and block. `shape` is the number of this grid and block among the
  // grids and blocks of the kernel.
  choice next(bool matches, bool in_range, std::uint64_t recorded, std::uint64_t shape);
  // Whether the schedule may choose a later launch of the kernel with this grid and block.
  bool may_want(bool matches, std::uint64_t recorded, std::uint64_t shape) const;

 private:
  schedule_options options_;
  std::uint64_t matched_ = 0;
};

// Whether a kernel waits for other devices, as kernels of NCCL and NVSHMEM do. Kernels on other devices also wait for
// this kernel, so recording it could block all of these kernels.
bool waits_for_others(std::string_view bare_name);

}  // namespace bankwise::record
