// The operations of the timeline in the order of their calls, each with the operation after which it began. From it, the
// report gets its list of operations and the critical path.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "model/time/timeline.hpp"

namespace bankwise::cuda {

// A time in nanoseconds, and the number of the operation at whose end it is. The number is -1 if there is none.
struct instant {
  double at = 0;
  int after = -1;
  instant() = default;
  instant(double time, int operation = -1) : at(time), after(operation) {}
  operator double() const { return at; }
};

// What an operation is, as a timeline_label, but without copies of its texts: most operations are equal to an earlier one.
struct operation_name {
  timeline_kind kind = timeline_kind::kernel;
  std::string_view name = {};                    // of a kernel or call
  std::array<std::uint32_t, 3> grid{}, block{};  // of a kernel
  std::string_view bound = {};                   // what bounds a kernel
  std::uint64_t bytes = 0;                       // of a copy or memset, which have no other name
};

class operation_log {
 public:
  // The entry of an operation, whose times are in nanoseconds. `after`: when the one that it awaited last had ended.
  struct entry {
    double begin = 0, end = 0;
    instant after = {};
    int call = -1;  // of an operation on the device: the call of the host
    unsigned long long stream = 0;
  };
  // Adds an operation. Returns its number, or -1 if the log is full.
  int add(const operation_name& what, const entry& e);
  // Notes that an operation waited for another operation at an event or an edge of a graph.
  void add_edge(int from, int to);
  void count_without_time() { ++without_time_; }

  // Returns the timeline of a program that ended at `end`, with at most about `most` operations.
  program_timeline timeline(const instant& end, std::size_t most) const;

 private:
  struct operation : entry {
    std::uint32_t label = 0;
  };
  std::vector<bool> add_critical_path(const instant& end, program_timeline& t) const;
  std::vector<timeline_operation> list(const std::vector<bool>& is_critical) const;

  std::uint32_t number_of(const operation_name& what);
  bool is(std::uint32_t number, const operation_name& what) const;

  std::map<timeline_label, std::uint32_t> numbers_;
  std::vector<timeline_label> labels_;     // by number
  std::vector<std::uint64_t> bytes_;       // of the copies among them
  std::array<std::uint32_t, 4> recent_{};  // numbers of the labels that were added last
  std::size_t next_recent_ = 0;
  std::vector<operation> operations_;
  std::vector<std::pair<int, int>> edges_;
  std::uint64_t left_out_ = 0, without_time_ = 0;
};

}  // namespace bankwise::cuda
