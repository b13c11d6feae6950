#include "runtime/clock/device_clock.hpp"

#include <algorithm>

namespace bankwise::cuda {

namespace {

constexpr std::size_t most_kernels = 256;  // limit of the kernels that are compared with a new kernel

}  // namespace

void device_clock::enter(unsigned long long stream, stream_kind kind, double issued) {
  stream_ = here_ = &streams_[stream];
  here_->stream = stream;
  here_->kind = kind;
  issued_ = issued;
  // The default stream and blocking streams wait for each other.
  if (kind == stream_kind::legacy_default) here_->end = std::max(here_->end, blocking_end_);
  if (kind == stream_kind::blocking) here_->end = std::max(here_->end, default_end_);
}

// Returns the first time at which the kernel and the kernels that then run use at most the whole device.
double device_clock::start_of_kernel(double ready, const timed_work& w) {
  // No kernel runs when this one is ready. So the long list of a timeline on which the host is far ahead is not
  // searched.
  if (ready >= kernels_end_) return ready;
  std::erase_if(kernels_, [&](const busy& k) { return k.end <= issued_; });
  constexpr double all = 1.05;  // the uses are estimates
  std::vector<double> candidates{ready};
  for (const busy& k : kernels_)
    if (k.end > ready) candidates.push_back(k.end);
  std::sort(candidates.begin(), candidates.end());
  for (const double begin : candidates) {
    // The most is used when a kernel begins, or at the beginning of the new one.
    const auto use_at = [&](double at) {
      double sum = w.use;
      for (const busy& k : kernels_) sum += k.begin <= at && at < k.end ? k.use : 0;
      return sum;
    };
    double most = use_at(begin);
    for (const busy& k : kernels_)
      if (k.begin > begin && k.begin < begin + w.nanoseconds) most = std::max(most, use_at(k.begin));
    if (most <= std::max(all, w.use)) return begin;
  }
  return candidates.back();
}

void device_clock::run(const timed_work& w) {
  lane& l = *here_;
  double begin = std::max(l.end, issued_);
  if (w.on == device_part::multiprocessors) begin = start_of_kernel(begin, w);
  double* const engine = w.on == device_part::copies_to_device ? &copies_to_device_free_
                         : w.on == device_part::copies_to_host ? &copies_to_host_free_
                                                               : nullptr;
  if (engine != nullptr) begin = std::max(begin, *engine);
  l.end = begin + w.nanoseconds;
  if (kept_) kept_->add_work(l.stream, w.name, begin, l.end, issued_);
  if (engine != nullptr) *engine = l.end;
  if (w.on == device_part::multiprocessors) {
    if (kernels_.size() > most_kernels) kernels_.erase(kernels_.begin());
    kernels_.push_back({begin, l.end, w.use});
    kernels_end_ = std::max(kernels_end_, l.end);
  }
  if (l.kind == stream_kind::legacy_default) default_end_ = std::max(default_end_, l.end);
  if (l.kind == stream_kind::blocking) blocking_end_ = std::max(blocking_end_, l.end);
  end_ = std::max(end_, l.end);
}

double device_clock::record() {
  lane& l = *here_;
  const bool was_idle = issued_ > l.end;
  const double at = std::max(l.end, issued_);
  // The first operation of an idle stream begins at once. The device fetches the next ones a little later.
  l.end = was_idle ? at + costs.batch_gap : at;
  end_ = std::max(end_, l.end);
  return at;
}

void device_clock::wait(double until) { here_->end = std::max(here_->end, until); }

double device_clock::begin_graph() { return std::max(stream_->end, issued_); }

void device_clock::begin_node(double at) {
  node_ = {stream_->stream, at, stream_->kind};
  here_ = &node_;
}

void device_clock::end_graph(double at) {
  stream_->end = std::max(stream_->end, at);
  here_ = stream_;
}

device_clock::place device_clock::here() const { return {here_, stream_, issued_}; }

void device_clock::resume(const place& p) {
  here_ = p.here;
  stream_ = p.stream;
  issued_ = p.issued;
}

double device_clock::end_of(unsigned long long stream) const {
  const auto it = streams_.find(stream);
  if (it == streams_.end()) return 0;
  const lane& l = it->second;
  return l.kind == stream_kind::legacy_default ? std::max(l.end, blocking_end_) : l.end;
}

void device_clock::call(double nanoseconds, const char* name) {
  if (kept_) kept_->add_call(name, host_, host_ + nanoseconds);
  host_ += nanoseconds;
}

void device_clock::await(double time) {
  const double end = std::max(host_, time) + costs.wait_end;
  if (kept_) kept_->add_call("wait", host_, end);
  host_ = end;
}

}  // namespace bankwise::cuda
