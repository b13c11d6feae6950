#include "runtime/clock/program_clock.hpp"

#include <utility>

#include "runtime/clock/host_time.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::uint64_t few = 32;          // fewer small launches than this are not worth a graph
constexpr std::uint64_t most_nodes = 100;  // of a graph
constexpr double least_saving = 0.05;      // of the program's time, as for delays of a launch

}  // namespace

void program_clock::call(double nanoseconds, const char* name) {
  as_is_.call(nanoseconds, name);
  as_graphs_.call(nanoseconds, name);
  one_wait_.call(nanoseconds, name);
  the_host_time.calls = static_cast<long long>(as_is_.host());
}

void program_clock::call_launch(const char* name) {
  as_is_.call(costs.call_launch, name);
  if (std::exchange(pending_, 0) != 0) ++needless_;
  one_wait_.call(costs.call_launch, name);
  // The first launch after a wait costs what it costs now. So a launch without others between two waits saves nothing.
  // A program makes graphs of a round of its loop, not of all that it launches.
  if (since_wait_++ % most_nodes == 0) as_graphs_.call(costs.call_launch, name);
  the_host_time.calls = static_cast<long long>(as_is_.host());
}

void program_clock::enter(unsigned long long stream, stream_kind kind, const moment& issued) {
  as_is_.enter(stream, kind, issued.as_is);
  as_graphs_.enter(stream, kind, issued.as_graphs);
  one_wait_.enter(stream, kind, issued.one_wait);
}

void program_clock::run(const timed_work& w) {
  as_is_.run(w);
  as_graphs_.run(w);
  wait_for_pending();
  has_other_work_ = true;
  one_wait_.run(w);
}

void program_clock::wait_for_pending() {
  if (const double until = std::exchange(pending_, 0); until != 0) one_wait_.await(until);
}

void program_clock::run_kernel(double nanoseconds, const std::string& name, double use, bool is_predicted) {
  const bool is_in_graph = as_is_.is_in_graph();
  const auto time_with = [&](double overlap) { return std::max(costs.least_kernel, nanoseconds - overlap); };
  const double time = time_with(is_in_graph ? costs.node_overlap : costs.kernel_overlap);
  const bool is_small = is_predicted && !is_in_graph && time < costs.call_launch;
  as_is_.run({device_part::multiprocessors, time, name, use});
  one_wait_.run({device_part::multiprocessors, time, name, use});
  as_graphs_.run(
      {device_part::multiprocessors, is_small && since_wait_ > 1 ? time_with(costs.node_overlap) : time, name, use});
  if (is_small) ++small_[name];
}

void program_clock::wait(const moment& until) {
  as_is_.wait(until.as_is);
  as_graphs_.wait(until.as_graphs);
  one_wait_.wait(until.one_wait);
}

void program_clock::begin_node(const moment& at) {
  as_is_.begin_node(at.as_is);
  as_graphs_.begin_node(at.as_graphs);
  one_wait_.begin_node(at.one_wait);
}

void program_clock::end_graph(const moment& at) {
  as_is_.end_graph(at.as_is);
  as_graphs_.end_graph(at.as_graphs);
  one_wait_.end_graph(at.one_wait);
}

void program_clock::resume(const place& p) {
  as_is_.resume(p.as_is);
  as_graphs_.resume(p.as_graphs);
  one_wait_.resume(p.one_wait);
}

void program_clock::forget(unsigned long long stream) {
  as_is_.forget(stream);
  as_graphs_.forget(stream);
  one_wait_.forget(stream);
}

void program_clock::await(const moment& time) {
  as_is_.await(time.as_is);
  as_graphs_.await(time.as_graphs);
  if (has_other_work_ || since_wait_ == 0)
    one_wait_.await(time.one_wait);
  else
    pending_ = time.one_wait;
  has_other_work_ = false;
  the_host_time.calls = static_cast<long long>(as_is_.host());
  since_wait_ = 0;
}

std::optional<small_launches> program_clock::what_graphs_save() const {
  small_launches found;
  for (const auto& [kernel, launches] : small_) {
    found.launches += launches;
    found.kernels.push_back(kernel);
  }
  if (found.launches < few) return std::nullopt;
  std::stable_sort(found.kernels.begin(), found.kernels.end(),
                   [this](const auto& a, const auto& b) { return small_.at(a) > small_.at(b); });
  if (found.kernels.size() > small_launches::most_kernels) found.kernels.resize(small_launches::most_kernels);
  const auto end_of = [](const device_clock& c) { return std::max(c.host(), c.end()); };
  const double as_is = end_of(as_is_), as_graphs = end_of(as_graphs_);
  const double one_wait = std::max(end_of(one_wait_), pending_);
  const bool has_waits = needless_ >= few && as_is - one_wait >= least_saving * as_is;
  if (as_is - as_graphs < least_saving * as_is && !has_waits) return std::nullopt;
  found.nanoseconds = static_cast<std::uint64_t>(as_is);
  found.as_graphs = static_cast<std::uint64_t>(as_graphs);
  if (!has_waits) return found;
  found.waits = needless_;
  found.with_one_wait = static_cast<std::uint64_t>(one_wait);
  return found;
}

}  // namespace bankwise::cuda
