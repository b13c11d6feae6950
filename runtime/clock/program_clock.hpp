// The timeline of a program, and the same timeline if the program launched graphs. Its clocks get the same operations. On
// the second clock, launches between two waits of the host are nodes of one graph:
//
//     as it is     launch launch launch wait      [kernel]  [kernel]  [kernel]
//     as graphs    launch wait                    [kernel][kernel][kernel]
//
// The difference is the time that a graph saves, without the time to make the graph once. On a third clock, the host
// does not wait between launches, but only before it does something else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "model/time/small_launches.hpp"
#include "runtime/clock/device_clock.hpp"

namespace bankwise::cuda {

// A time on both clocks, in nanoseconds.
struct moment {
  double as_is = 0, as_graphs = 0, one_wait = 0;
  friend moment operator-(const moment& a, double b) { return {a.as_is - b, a.as_graphs - b, a.one_wait - b}; }
};
inline moment later(const moment& a, const moment& b) {
  return {std::max(a.as_is, b.as_is), std::max(a.as_graphs, b.as_graphs), std::max(a.one_wait, b.one_wait)};
}

class program_clock {
 public:
  moment host() const { return {as_is_.host(), as_graphs_.host(), one_wait_.host()}; }
  moment end() const { return {as_is_.end(), as_graphs_.end(), one_wait_.end()}; }
  // The host spends time in a call.
  void call(double nanoseconds, const char* name);
  // The host launches a kernel.
  void call_launch(const char* name);

  // The operations of device_clock, on both clocks.
  void enter(unsigned long long stream, stream_kind kind, const moment& issued);
  void run(const timed_work& w);
  moment record() { return {as_is_.record(), as_graphs_.record(), one_wait_.record()}; }
  void wait(const moment& until);
  moment begin_graph() { return {as_is_.begin_graph(), as_graphs_.begin_graph(), one_wait_.begin_graph()}; }
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

  // Adds a kernel, which takes this time under Nsight Compute. `is_predicted`: whether the time is a prediction and not
  // only a lower bound.
  void run_kernel(double nanoseconds, const std::string& name, double use, bool is_predicted);

  // Returns what graphs would save, or fewer waits. Returns nothing if the program has few small launches.
  std::optional<small_launches> what_graphs_save() const;

  void keep_timeline() { as_is_.keep_timeline(); }
  const std::optional<timeline_file>& timeline() const { return as_is_.timeline(); }

 private:
  void wait_for_pending();

  device_clock as_is_, as_graphs_, one_wait_;
  std::uint64_t since_wait_ = 0;  // launches since the last wait of the host
  // The wait that is only necessary if the host does something else than a further launch, and the number of the others.
  double pending_ = 0;
  bool has_other_work_ = false;  // whether there was a copy since the last wait
  std::uint64_t needless_ = 0;
  std::map<std::string, std::uint64_t> small_;  // number of small launches of each kernel
};

}  // namespace bankwise::cuda
