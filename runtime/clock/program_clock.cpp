#include "runtime/clock/program_clock.hpp"

#include <utility>

#include "runtime/clock/host_time.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::uint64_t few = 32;          // fewer small launches than this are not worth a graph
constexpr std::uint64_t most_nodes = 100;  // of a graph
constexpr double least_saving = 0.05;      // of the program's time, as for delays of a launch

}  // namespace

void program_clock::call(double nanoseconds, const char* name, timeline_kind kind) {
  add_own_work();
  const operation_name what{.kind = kind, .name = name};
  as_is_.call(nanoseconds, what);
  if (compares_) {
    as_graphs_.call(nanoseconds, what);
    one_wait_.call(nanoseconds, what);
  }
  note_host();
}

// With --virtual-time, the program's own work since its last call passes on the timeline.
void program_clock::add_own_work() {
  const double work = static_cast<double>(the_host_time.own_work()) - own_work_;
  if (work <= 0) return;
  own_work_ += work;
  as_is_.work(work);
  if (!compares_) return;
  as_graphs_.work(work);
  one_wait_.work(work);
}

// Tells the program's clocks what the calls and waits so far took. The own work is in these clocks anyway.
void program_clock::note_host() { the_host_time.calls = static_cast<long long>(as_is_.host() - own_work_); }

void program_clock::call_launch(const char* name, double host_nanoseconds) {
  add_own_work();
  const operation_name what{.kind = timeline_kind::launch, .name = name};
  as_is_.call(host_nanoseconds, what);
  if (compares_) {
    if (std::exchange(pending_, {}) != 0) ++needless_;
    one_wait_.call(host_nanoseconds, what);
    // The first launch after a wait costs what it costs now. So a launch without others between two waits saves
    // nothing. A program makes graphs of a round of its loop, not of all that it launches.
    if (since_wait_++ % most_nodes == 0) as_graphs_.call(host_nanoseconds, what);
  }
  note_host();
}

void program_clock::enter(unsigned long long stream, stream_kind kind, const moment& issued,
                          const stream_facts& facts) {
  as_is_.enter(stream, kind, issued.as_is, facts);
  if (!compares_) return;
  as_graphs_.enter(stream, kind, issued.as_graphs, facts);
  one_wait_.enter(stream, kind, issued.one_wait, facts);
}

void program_clock::run(const timed_work& w) {
  as_is_.run(w);
  if (!compares_) return;
  as_graphs_.run(w);
  wait_for_pending();
  has_other_work_ = true;
  one_wait_.run(w);
}

moment program_clock::record(bool has_time) {
  if (!compares_) return {as_is_.record(has_time), {}, {}};
  return {as_is_.record(has_time), as_graphs_.record(has_time), one_wait_.record(has_time)};
}

moment program_clock::begin_graph() {
  if (!compares_) return {as_is_.begin_graph(), {}, {}};
  return {as_is_.begin_graph(), as_graphs_.begin_graph(), one_wait_.begin_graph()};
}

void program_clock::wait_for_pending() {
  if (const instant until = std::exchange(pending_, {}); until != 0) one_wait_.await(until);
}

void program_clock::run_kernel(const timed_work& w, bool is_predicted) {
  const bool is_in_graph = as_is_.is_in_graph();
  const auto with_overlap = [&](double overlap) {
    timed_work shorter = w;
    shorter.nanoseconds = std::max(costs.least_kernel, w.nanoseconds - overlap);
    return shorter;
  };
  const timed_work as_is = with_overlap(is_in_graph ? costs.node_overlap : costs.kernel_overlap);
  as_is_.run(as_is);
  if (!is_predicted && as_is_.log()) as_is_.log()->count_without_time();
  if (!compares_) return;
  const bool is_small = is_predicted && !is_in_graph && as_is.nanoseconds < costs.call_launch;
  one_wait_.run(as_is);
  as_graphs_.run(is_small && since_wait_ > 1 ? with_overlap(costs.node_overlap) : as_is);
  if (!is_small) return;
  const auto known = small_.find(w.what.name);
  if (known != small_.end())
    ++known->second;
  else
    small_.emplace(w.what.name, 1);
}

program_timeline program_clock::timeline(std::size_t most) {
  if (!as_is_.log()) return {};
  program_timeline t = as_is_.log()->timeline(std::max(as_is_.host(), as_is_.end()), most);
  return t.busy != 0 ? t : program_timeline();
}

void program_clock::wait(const moment& until) {
  as_is_.wait(until.as_is);
  if (!compares_) return;
  as_graphs_.wait(until.as_graphs);
  one_wait_.wait(until.one_wait);
}

void program_clock::begin_node(const moment& at) {
  as_is_.begin_node(at.as_is);
  if (!compares_) return;
  as_graphs_.begin_node(at.as_graphs);
  one_wait_.begin_node(at.one_wait);
}

void program_clock::end_graph(const moment& at) {
  as_is_.end_graph(at.as_is);
  if (!compares_) return;
  as_graphs_.end_graph(at.as_graphs);
  one_wait_.end_graph(at.one_wait);
}

void program_clock::resume(const place& p) {
  as_is_.resume(p.as_is);
  if (!compares_) return;
  as_graphs_.resume(p.as_graphs);
  one_wait_.resume(p.one_wait);
}

void program_clock::forget(unsigned long long stream) {
  as_is_.forget(stream);
  if (!compares_) return;
  as_graphs_.forget(stream);
  one_wait_.forget(stream);
}

void program_clock::await(const moment& time) {
  add_own_work();
  as_is_.await(time.as_is);
  ++waits_;
  note_host();
  if (!compares_) return;
  as_graphs_.await(time.as_graphs);
  if (has_other_work_ || since_wait_ == 0)
    one_wait_.await(time.one_wait);
  else
    pending_ = time.one_wait;
  has_other_work_ = false;
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
  // The last wait remains.
  const double one_wait = std::max<double>(end_of(one_wait_), pending_ != 0 ? pending_ + costs.wait_end : 0);
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
