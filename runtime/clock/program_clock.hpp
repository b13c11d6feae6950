// The timeline of a program, and the same timeline if the program launched graphs. Its clocks get the same operations. On
// the second clock, launches between two waits of the host are nodes of one graph:
//
//     as it is     launch launch launch wait      [kernel]  [kernel]  [kernel]
//     as graphs    launch wait                    [kernel][kernel][kernel]
//
// The difference is the time that a graph saves, without the time to make the graph once. On a third clock, the host
// does not wait between launches, but only before it does something else. The other clocks only run if the program gets
// a report, because nothing else asks for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/time/small_launches.hpp"
#include "runtime/clock/device_clock.hpp"

namespace bankwise::cuda {

// A time on all clocks, in nanoseconds.
struct moment {
  instant as_is, as_graphs, one_wait;
  friend moment operator-(const moment& a, double b) {
    const auto before = [b](const instant& i) { return instant{i.at - b, i.after}; };
    return {before(a.as_is), before(a.as_graphs), before(a.one_wait)};
  }
};
inline moment later(const moment& a, const moment& b) {
  return {std::max(a.as_is, b.as_is), std::max(a.as_graphs, b.as_graphs), std::max(a.one_wait, b.one_wait)};
}

class program_clock {
 public:
  moment host() const { return {as_is_.host(), as_graphs_.host(), one_wait_.host()}; }
  moment end() const { return {as_is_.end(), as_graphs_.end(), one_wait_.end()}; }
  // The host spends time in a call.
  void call(double nanoseconds, const char* name, timeline_kind kind = timeline_kind::call);
  // The host launches a kernel.
  void call_launch(const char* name, double host_nanoseconds);

  // The operations of device_clock, on all clocks.
  void enter(unsigned long long stream, stream_kind kind, const moment& issued) {
    enter(stream, kind, issued, {.shown = stream});
  }
  void enter(unsigned long long stream, stream_kind kind, const moment& issued, const stream_facts& facts);
  void run(const timed_work& w);
  moment record(bool has_time = true);
  double begin_of_next() const { return as_is_.begin_of_next(); }
  void wait(const moment& until);
  moment begin_graph();
  void begin_node(const moment& at);
  bool is_in_graph() const { return as_is_.is_in_graph(); }
  moment end_of_node() const { return {as_is_.end_of_node(), as_graphs_.end_of_node(), one_wait_.end_of_node()}; }
  void end_graph(const moment& at);
  struct place {
    device_clock::place as_is, as_graphs, one_wait;
  };
  place here() const { return {as_is_.here(), as_graphs_.here(), one_wait_.here()}; }
  void resume(const place& p);
  void forget(unsigned long long stream);
  moment end_of(unsigned long long stream) const {
    return {as_is_.end_of(stream), as_graphs_.end_of(stream), one_wait_.end_of(stream)};
  }
  void await(const moment& time);
  std::uint64_t waits() const { return waits_; }  // number of waits of the host

  // Adds a kernel, which takes the time of `w` under Nsight Compute. `is_predicted`: whether the time is a prediction
  // and not only a lower bound.
  void run_kernel(const timed_work& w, bool is_predicted);

  // Returns what graphs would save, or fewer waits. Returns nothing if the program has few small launches.
  std::optional<small_launches> what_graphs_save() const;
  // Lets the other clocks run. Call this before the first operation.
  void compare() { compares_ = true; }

  void keep_log() { as_is_.keep_log(); }
  // Returns the timeline so far, with at most about `most` operations. It is empty without keep_log().
  program_timeline timeline(std::size_t most);

 private:
  void note_host();
  void wait_for_pending();
  void add_own_work();

  device_clock as_is_, as_graphs_, one_wait_;
  bool compares_ = false;
  double own_work_ = 0;  // nanoseconds of the program's own work until its last call
  std::uint64_t waits_ = 0;
  std::uint64_t since_wait_ = 0;  // launches since the last wait of the host
  // The wait that is only necessary if the host does something else than a further launch, and the number of the others.
  instant pending_;
  bool has_other_work_ = false;  // whether there was a copy since the last wait
  std::uint64_t needless_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> small_;  // number of small launches of each kernel
};

}  // namespace bankwise::cuda
