// The time that the program sees on the emulated device: when each operation of its streams would begin and end on the
// GPU. Events get their times from it. The order in which the emulator executes operations does not depend on it.
//
//     host      launch launch copy record  wait ..............
//     stream a         [kernel 1][kernel 2]     event at the end of kernel 2
//     stream b                     [copy to the device   ]
//
// An operation begins when its call has been made, when the operations before it in its stream have ended, and when its
// part of the device is free. There are one engine for copies in each direction, and the multiprocessors. A kernel begins
// when there is room for its blocks, and runs slower while the kernels before it use the resources that it needs. The
// host's time is the sum of the costs of its calls (clock_costs.def). The program's own work only counts with
// --virtual-time, so that otherwise equal runs have equal times.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "runtime/clock/clock_costs.hpp"
#include "runtime/clock/copy_engine.hpp"
#include "runtime/clock/operation_log.hpp"

namespace bankwise::cuda {

// The parts of the device for which operations wait.
enum class device_part : std::uint8_t { none, multiprocessors, copies_to_device, copies_to_host };

// How the operations of a stream are ordered with the operations of other streams.
enum class stream_kind : std::uint8_t { legacy_default, blocking, non_blocking };
// Whether operations in two streams of these kinds wait for each other.
constexpr bool are_in_order(stream_kind a, stream_kind b) {
  return (a == stream_kind::legacy_default && b == stream_kind::blocking) ||
         (a == stream_kind::blocking && b == stream_kind::legacy_default);
}

struct stream_facts {
  unsigned long long shown = 0;  // the stream in which the log shows the operations
  int priority = 0;              // blocks of kernels with a lower number run first
};

// The time that an operation takes on a part of the device.
struct timed_work {
  device_part on = device_part::none;
  double nanoseconds = 0;  // if nothing else runs
  operation_name what = {};
  double use = 1;    // the part of the multiprocessors' busiest resource that a kernel uses
  double waves = 1;  // how often the blocks of a kernel fill the multiprocessors
  // Whether the kernel may begin before the kernel before it in its stream has ended (programmatic dependent launch).
  bool begins_early = false;
  // The kernel's time from its trigger for that to its end, and from the begin of a block until it waits for the kernel
  // before. 0: it has none.
  double after_trigger = 0, until_wait = 0;
  // The part of the multiprocessors' places for blocks that the kernel takes.
  double room() const { return std::min(1.0, waves); }
  // The time of a block, which is the time until others can take its place.
  double time_of_block() const { return nanoseconds / std::max(1.0, std::ceil(waves)); }
};

class device_clock {
 public:
  instant host() const { return host_; }
  instant end() const { return end_; }  // of all operations so far
  // The host spends time in a call.
  void call(double nanoseconds, const operation_name& what);
  // The program works between its calls.
  void work(double nanoseconds);

  // Chooses the stream of the operations that follow. `issued`: the host's time at their call.
  void enter(unsigned long long stream, stream_kind kind, const instant& issued) {
    enter(stream, kind, issued, {.shown = stream});
  }
  void enter(unsigned long long stream, stream_kind kind, const instant& issued, const stream_facts& facts);
  // Adds work after the operations of the stream so far.
  void run(const timed_work& w);
  // Returns when an operation that is added now can begin, if its part of the device is free.
  instant begin_of_next() const { return begin_in(*here_); }
  // Returns the time of an event that the stream records now. `has_time`: whether the program can ask for its time.
  instant record(bool has_time = true);
  // The stream waits until this time.
  void wait(const instant& until);

  // Nodes of a graph, which belong to the stream that was entered last. A node begins when the graph and the nodes
  // before it permit it.
  instant begin_graph();
  void begin_node(const instant& at);
  instant end_of_node() const { return here_->end; }
  void end_graph(const instant& at);
  bool is_in_graph() const { return here_ == &node_; }

  // Where the next operation is added. An operation that lets others run meanwhile keeps its place and resumes it.
  struct place;
  place here() const;
  void resume(const place& p);
  void forget(unsigned long long stream) { streams_.erase(stream); }

  // Returns when the operations of a stream, and those for which it waits, have ended.
  instant end_of(unsigned long long stream) const;
  // The host waits until the device has reached the time.
  void await(const instant& time);
  // Keeps what is added from now on, for the report.
  void keep_log() { log_.emplace(); }
  std::optional<operation_log>& log() { return log_; }

 private:
  // The last operation of a stream, if it is one after which the next one begins earlier or later.
  struct last_operation {
    device_part on = device_part::none;
    bool has_event = false;  // whether an event with a time has followed it
    // of a kernel: when the next one can begin early, and the use and room that it takes
    double trigger = 0, use = 1, room = 1;

    bool is_kernel() const { return on == device_part::multiprocessors; }
    bool is_copy() const { return on == device_part::copies_to_device || on == device_part::copies_to_host; }
  };
  struct lane {
    stream_facts facts = {};
    instant end = {};
    stream_kind kind = stream_kind::blocking;
    double ready = 0;               // the next operation begins at this time at the earliest
    std::vector<int> awaited = {};  // operations of the log for which the next operation waits
    last_operation last = {};
  };
  struct busy {
    double begin;
    instant end;
    double use, room, block;  // of timed_work
    int priority;
  };
  instant begin_in(const lane& l) const {
    const instant begin = std::max(l.end, issued_);
    return {std::max<double>(begin, l.ready), begin.after};
  }
  double hidden_time(const timed_work& w) const;
  instant start_of_kernel(const instant& ready, const timed_work& w);
  double time_with_others(double begin, const timed_work& w) const;
  int note(const timed_work& w, const instant& begin, double end);

  instant host_, issued_;
  std::map<unsigned long long, lane> streams_;
  lane node_, *here_ = &node_, *stream_ = &node_;
  instant blocking_end_, default_end_, end_;
  copy_engine to_device_, to_host_;
  std::optional<operation_log> log_;
  std::deque<busy> kernels_;  // kernels that may still run, by the order of their calls
  double kernels_end_ = 0;    // the end of the last of all kernels
};

struct device_clock::place {
  lane *here, *stream;
  instant issued;
};

}  // namespace bankwise::cuda
