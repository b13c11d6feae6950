// The timeline of a program: when its operations would begin and end on the host and on the GPU, and its critical path.
// An operation of the critical path begins when the one before it has ended, and the last one ends the program. So the
// program only gets faster if an operation of this path does.
//
//     host      *launch**launch* copy  wait ........................*
//     stream 1                  [*kernel 1*][*kernel 2*************]
//     stream 2                        [copy to the device]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise {

enum class timeline_kind : std::uint8_t {
#define KIND(name, one, many) name,
#include "model/time/timeline_kinds.def"
};
struct timeline_kind_row {
  std::string_view one, many;
};
inline constexpr timeline_kind_row timeline_kinds[] = {
#define KIND(name, one, many) {one, many},
#include "model/time/timeline_kinds.def"
};
inline const timeline_kind_row& row_of(timeline_kind k) { return timeline_kinds[static_cast<std::size_t>(k)]; }
constexpr bool is_on_host(timeline_kind k) { return k >= timeline_kind::launch; }

// What an operation is. Launches of a kernel with the same grid and block are one operation.
struct timeline_label {
  timeline_kind kind = timeline_kind::kernel;
  std::string name;                              // name of the kernel or call, or bytes of a copy
  std::array<std::uint32_t, 3> grid{}, block{};  // of a kernel
  std::string bound = {};                        // what bounds a kernel; empty if its time is not predicted
  friend auto operator<=>(const timeline_label&, const timeline_label&) = default;
};

struct timeline_operation {
  timeline_label what;
  // The stream of an operation on the device. Operations of a stream that run at the same time, such as branches of a
  // graph, have different branches.
  std::uint64_t stream = 0, branch = 0;
  std::uint64_t begin = 0, nanoseconds = 0;
  std::uint64_t count = 1;  // number of operations that follow each other and are one row because the list is long
  bool is_critical = false;
  std::optional<std::uint64_t> call;  // index of the call of the host that began the operation
  std::vector<std::uint64_t> after;   // indices of the operations for which it waited at an event or an edge of a graph
  std::uint64_t end() const { return begin + nanoseconds; }
  friend bool operator==(const timeline_operation&, const timeline_operation&) = default;
};

// Operations of the critical path that are equal, and their time on the path.
struct timeline_part {
  timeline_label what;
  std::uint64_t count = 0, nanoseconds = 0;
  friend bool operator==(const timeline_part&, const timeline_part&) = default;
};

struct program_timeline {
  static constexpr std::size_t most_parts = 10;          // of the critical path in a report
  static constexpr std::size_t most_listed = 100;        // parts that a reader accepts
  static constexpr std::size_t usual_operations = 2000;  // in a report
  static constexpr std::size_t most_operations = 50'000;

  std::string gpu;                      // title of the GPU
  std::uint64_t nanoseconds = 0;        // from the first call until the host and the device have ended
  std::uint64_t busy = 0, kernels = 0;  // time in which the device does something, and in which kernels run
  std::uint64_t without_time = 0;       // launches whose time is a lower bound, because it is not predicted
  std::vector<timeline_part> waits;     // the critical path by kind; the longest part is first. Only the kind is set
  std::vector<timeline_part> critical;  // the longest parts of the critical path
  std::vector<timeline_operation> operations;  // in the order of their beginnings
  std::uint64_t left_out = 0;                  // operations at the end of a very long program that are in no list

  explicit operator bool() const { return nanoseconds != 0; }
  friend bool operator==(const program_timeline&, const program_timeline&) = default;
};

// Whether an operation is a copy that one of the two copy engines of the device makes.
constexpr bool uses_copy_engine(timeline_kind k) {
  return k == timeline_kind::to_device || k == timeline_kind::to_host;
}
// Returns "kernel add", "copy to the device of 4,096 bytes" or "launch".
std::string words_of(const timeline_label& l);
std::optional<timeline_kind> find_timeline_kind(std::string_view one);
// Makes the list of operations shorter: operations of a row and kind that follow each other become one.
void shorten(std::vector<timeline_operation>& operations, std::size_t most);

}  // namespace bankwise
