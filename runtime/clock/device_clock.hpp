// The time that the program sees on the emulated device: when each operation of its streams would begin and end on the
// GPU. Events get their times from it. The order in which the emulator executes operations does not depend on it.
//
//     host      launch launch copy record  wait ..............
//     stream a         [kernel 1][kernel 2]     event at the end of kernel 2
//     stream b                     [copy to the device   ]
//
// An operation begins when its call has been made, when the operations before it in its stream have ended, and when its
// part of the device is free. There are one engine for copies in each direction, and the multiprocessors, where kernels
// of several streams run at the same time as long as together they do not use more than the device has. The host's time
// is the sum of the costs of its calls (clock_costs.def), without the program's own computations, so that equal runs
// have equal times.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/clock/timeline_file.hpp"

namespace bankwise::cuda {

// The parts of the device for which operations wait.
enum class device_part : std::uint8_t { none, multiprocessors, copies_to_device, copies_to_host };

// How the operations of a stream are ordered with the operations of other streams.
enum class stream_kind : std::uint8_t { legacy_default, blocking, non_blocking };

struct clock_costs {
#define COST(name, value, meaning, source) double name = value;
#include "runtime/clock/clock_costs.def"
};
inline constexpr clock_costs costs;

// The time that an operation takes on a part of the device.
struct timed_work {
  device_part on = device_part::none;
  double nanoseconds = 0;
  std::string name = {};  // what the timeline shows
  double use = 1;         // the part of the multiprocessors' busiest resource that a kernel uses
};

class device_clock {
 public:
  double host() const { return host_; }
  double end() const { return end_; }  // of all operations so far
  // The host spends time in a call.
  void call(double nanoseconds, const char* name);

  // Chooses the stream of the operations that follow. `issued`: the host's time at their call.
  void enter(unsigned long long stream, stream_kind kind, double issued);
  // Adds work after the operations of the stream so far.
  void run(const timed_work& w);
  // Returns the time of an event that the stream records now.
  double record();
  // The stream waits until this time.
  void wait(double until);

  // Nodes of a graph, which belong to the stream that was entered last. A node begins when the graph and the nodes
  // before it permit it.
  double begin_graph();
  void begin_node(double at);
  double end_of_node() const { return here_->end; }
  void end_graph(double at);
  bool is_in_graph() const { return here_ == &node_; }

  // Where the next operation is added. An operation that lets others run meanwhile keeps its place and resumes it.
  struct place;
  place here() const;
  void resume(const place& p);
  void forget(unsigned long long stream) { streams_.erase(stream); }

  // Returns when the operations of a stream, and those for which it waits, have ended.
  double end_of(unsigned long long stream) const;
  // The host waits until the device has reached the time.
  void await(double time);
  // Keeps what is added from now on, for a file.
  void keep_timeline() { kept_.emplace(); }
  const std::optional<timeline_file>& timeline() const { return kept_; }

 private:
  struct lane {
    unsigned long long stream = 0;
    double end = 0;
    stream_kind kind = stream_kind::blocking;
  };
  struct busy {
    double begin, end, use;
  };
  double start_of_kernel(double ready, const timed_work& w);

  double host_ = 0, issued_ = 0;
  std::map<unsigned long long, lane> streams_;
  lane node_, *here_ = &node_, *stream_ = &node_;
  double blocking_end_ = 0, default_end_ = 0, end_ = 0;
  double copies_to_device_free_ = 0, copies_to_host_free_ = 0;
  std::optional<timeline_file> kept_;
  std::vector<busy> kernels_;  // kernels that may still run, by the order of their calls
  double kernels_end_ = 0;     // the end of the last of all kernels
};

struct device_clock::place {
  lane *here, *stream;
  double issued;
};

}  // namespace bankwise::cuda
