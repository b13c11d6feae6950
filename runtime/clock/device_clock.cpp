#include "runtime/clock/device_clock.hpp"

#include <algorithm>

namespace bankwise::cuda {

namespace {

constexpr std::size_t most_kernels = 256;  // limit of the kernels that are compared with a new kernel
constexpr double all_of_device = 1.05;     // uses and rooms are estimates
constexpr double little_use = 0.01;

}  // namespace

void device_clock::enter(unsigned long long stream, stream_kind kind, const instant& issued,
                         const stream_facts& facts) {
  stream_ = here_ = &streams_[stream];
  here_->facts = facts;
  here_->kind = kind;
  issued_ = issued;
  // The default stream and blocking streams wait for each other.
  if (kind == stream_kind::legacy_default) here_->end = std::max(here_->end, blocking_end_);
  if (kind == stream_kind::blocking) here_->end = std::max(here_->end, default_end_);
}

// Returns the first time at which there is room for the kernel's blocks next to the kernels that then run. Kernels of a
// lower priority give their places to it when their blocks end, which takes half of a block's time on average.
instant device_clock::start_of_kernel(const instant& ready, const timed_work& w) {
  // No kernel runs when this one is ready. So the long list of a timeline on which the host is far ahead is not
  // searched.
  if (ready >= kernels_end_) return ready;
  std::erase_if(kernels_, [&](const busy& k) { return k.end <= issued_; });
  const auto is_lower = [this](const busy& k) { return k.priority > here_->facts.priority; };
  std::vector<instant> candidates{ready};
  for (const busy& k : kernels_)
    if (k.end > ready) candidates.push_back(k.end);
  std::sort(candidates.begin(), candidates.end());
  const auto room_at = [&](double at, bool with_lower) {
    double sum = w.room();
    for (const busy& k : kernels_)
      if (k.begin <= at && at < k.end && (with_lower || !is_lower(k))) sum += k.room;
    return sum;
  };
  // The most room is taken when a kernel begins, or at the beginning of the new one.
  const auto has_room = [&](double begin) {
    const auto fits = [&](double at) { return room_at(at, false) <= all_of_device; };
    return fits(begin) && std::all_of(kernels_.begin(), kernels_.end(), [&](const busy& k) {
             return k.begin <= begin || k.begin >= begin + w.nanoseconds || fits(k.begin);
           });
  };
  const instant begin = *std::find_if(candidates.begin(), candidates.end() - 1, has_room);
  if (room_at(begin, true) <= all_of_device) return begin;
  instant end = begin;
  for (const busy& k : kernels_)
    if (is_lower(k) && k.begin <= begin && begin < k.end)
      end = std::max(end, instant(std::min<double>(k.end, begin + k.block / 2), begin.after));
  return end;
}

// Returns how long the kernel takes next to the kernels that were called before it. These keep their resources, unless
// their priority is lower, and it gets what they leave.
double device_clock::time_with_others(double begin, const timed_work& w) const {
  if (begin >= kernels_end_) return w.nanoseconds;
  std::vector<busy> others;
  std::vector<double> changes;
  for (const busy& k : kernels_) {
    if (k.end <= begin || k.priority > here_->facts.priority) continue;
    others.push_back(k);
    changes.push_back(std::max(begin, k.begin));
    changes.push_back(k.end);
  }
  std::sort(changes.begin(), changes.end());
  double at = begin, left = w.nanoseconds;
  for (const double next : changes) {
    double used = 0;
    for (const busy& k : others) used += k.begin <= at && at < k.end ? k.use : 0;
    const double rate = std::clamp((all_of_device - used) / std::max(w.use, little_use), 0.0, 1.0);
    if (rate > 0 && (next - at) * rate >= left) return at + left / rate - begin;
    left -= (next - at) * rate;
    at = next;
  }
  return at + left - begin;
}

// Returns how long before the end of the stream's last kernel a kernel begins that may begin early. Until then, it starts,
// for which it needs neither room nor resources. If the last kernel has permitted it before its end, the blocks also do
// what they do before they wait for that kernel, as far as there is room for them.
double device_clock::hidden_time(const timed_work& w) const {
  const last_operation& before = here_->last;
  const double start = std::min(is_in_graph() ? costs.early_node : costs.early_begin, w.nanoseconds);
  if (before.room + w.room() > all_of_device) return start;
  const double rate = std::clamp((all_of_device - before.use) / std::max(w.use, little_use), 0.0, 1.0);
  return start + rate * std::clamp(here_->end - before.trigger - costs.trigger_begin, 0.0, w.until_wait);
}

int device_clock::note(const timed_work& w, const instant& begin, double end) {
  if (!log_) return -1;
  const int number = log_->add(w.what, {begin, end, begin, issued_.after, here_->facts.shown});
  for (const int one : here_->awaited) log_->add_edge(one, number);
  here_->awaited.clear();
  return number;
}

void device_clock::run(const timed_work& w) {
  lane& l = *here_;
  instant begin = begin_of_next();
  const bool is_busy = l.end > issued_;
  last_operation now{.on = w.on, .use = w.use, .room = w.room()};
  if (is_busy && ((now.is_copy() && l.last.is_kernel()) || (now.is_kernel() && l.last.is_copy())))
    begin.at += costs.engine_change;
  double time = w.nanoseconds;
  const bool is_to_device = w.on == device_part::copies_to_device;
  copy_engine* const engine = is_to_device ? &to_device_ : w.on == device_part::copies_to_host ? &to_host_ : nullptr;
  copy_engine::interval* copy = nullptr;
  if (now.is_kernel()) {
    begin = start_of_kernel(begin, w);
    time = time_with_others(begin, w);
    if (w.begins_early && l.last.is_kernel() && is_busy) begin.at = std::max<double>(issued_, begin - hidden_time(w));
  } else if (engine != nullptr) {
    copy = &engine->add(begin, time, issued_, is_to_device ? to_host_ : to_device_);
    begin = copy->begin;
    time = copy->end - begin;
  }
  const double end = std::max<double>(l.end, begin + time);
  l.end = {end, note(w, begin, end)};
  if (copy != nullptr) copy->end.after = l.end.after;
  now.trigger = end - w.after_trigger;
  l.last = now;
  if (now.is_kernel()) {
    // Later calls begin later, so these kernels no longer matter.
    while (!kernels_.empty() && (kernels_.front().end <= issued_ || kernels_.size() > most_kernels))
      kernels_.pop_front();
    kernels_.push_back(
        {begin, l.end, w.use * w.nanoseconds / std::max(time, 1.0), w.room(), w.time_of_block(), l.facts.priority});
    kernels_end_ = std::max<double>(kernels_end_, l.end);
  }
  if (l.kind == stream_kind::legacy_default) default_end_ = std::max(default_end_, l.end);
  if (l.kind == stream_kind::blocking) blocking_end_ = std::max(blocking_end_, l.end);
  end_ = std::max(end_, l.end);
}

instant device_clock::record(bool has_time) {
  lane& l = *here_;
  const bool was_idle = issued_ > l.end;
  instant at = std::max(l.end, issued_);
  if (!was_idle && has_time && !is_in_graph()) {
    if (l.last.is_kernel() && !l.last.has_event) at.at += costs.event_after_kernel;
    l.ready = at + costs.after_event;
    l.last.has_event = true;
  }
  // The first operation of an idle stream begins at once. The device fetches the next ones a little later.
  l.end = was_idle ? instant(at + costs.batch_gap, at.after) : at;
  end_ = std::max(end_, l.end);
  return at;
}

void device_clock::wait(const instant& until) {
  if (log_ && until.after >= 0) here_->awaited.push_back(until.after);
  // What has ended already is not waited for.
  if (until > here_->end) here_->last = {};
  if (until > here_->end && until > issued_)
    here_->end = {until + costs.stream_wait, until.after};
  else
    here_->end = std::max(here_->end, until);
}

instant device_clock::begin_graph() {
  node_.last = {};
  return begin_in(*stream_);
}

void device_clock::begin_node(const instant& at) {
  // A node that only waits for the last one can begin early.
  const last_operation last = at.at == node_.end.at ? node_.last : last_operation();
  node_ = {.facts = stream_->facts, .end = at, .kind = stream_->kind, .last = last};
  here_ = &node_;
}

void device_clock::end_graph(const instant& at) {
  stream_->end = std::max(stream_->end, at);
  stream_->last = {};  // several branches may end
  here_ = stream_;
}

device_clock::place device_clock::here() const { return {here_, stream_, issued_}; }

void device_clock::resume(const place& p) {
  here_ = p.here;
  stream_ = p.stream;
  issued_ = p.issued;
}

instant device_clock::end_of(unsigned long long stream) const {
  const auto it = streams_.find(stream);
  if (it == streams_.end()) return {};
  const lane& l = it->second;
  return l.kind == stream_kind::legacy_default ? std::max(l.end, blocking_end_) : l.end;
}

void device_clock::call(double nanoseconds, const operation_name& what) {
  const double end = host_ + nanoseconds;
  host_ = {end, log_ ? log_->add(what, {host_, end, host_}) : -1};
}

void device_clock::work(double nanoseconds) {
  constexpr double least_logged = 1000;
  if (nanoseconds >= least_logged)
    return call(nanoseconds, {.kind = timeline_kind::call, .name = "work of the program"});
  host_.at += std::max(0.0, nanoseconds);
}

void device_clock::await(const instant& time) {
  const instant after = std::max(host_, time);
  const double end = after + costs.wait_end;
  host_ = {end, log_ ? log_->add({.kind = timeline_kind::wait, .name = {}}, {host_, end, after}) : -1};
}

}  // namespace bankwise::cuda
