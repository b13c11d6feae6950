#include "runtime/clock/operation_log.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::size_t most_logged = std::size_t{1} << 20;

std::uint64_t whole(double nanoseconds) { return static_cast<std::uint64_t>(std::llround(std::max(0.0, nanoseconds))); }

void sort_by_time(std::vector<timeline_part>& parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const timeline_part& a, const timeline_part& b) { return a.nanoseconds > b.nanoseconds; });
}

// Returns the time that the intervals of some operations cover together.
template <class Wanted>
std::uint64_t covered_time(const std::vector<timeline_operation>& in_order, Wanted wanted) {
  std::uint64_t sum = 0, end = 0;
  for (const timeline_operation& o : in_order) {
    if (!wanted(o)) continue;
    sum += o.end() - std::min(o.end(), std::max(end, o.begin));
    end = std::max(end, o.end());
  }
  return sum;
}

// Gives operations of a stream that run at the same time different branches.
void divide_into_branches(std::vector<timeline_operation>& in_order) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> ends;  // of the branches of a stream
  for (timeline_operation& o : in_order) {
    if (is_on_host(o.what.kind)) continue;
    std::vector<std::uint64_t>& branches = ends[o.stream];
    const auto free = std::find_if(branches.begin(), branches.end(), [&](std::uint64_t end) { return end <= o.begin; });
    o.branch = static_cast<std::uint64_t>(free - branches.begin());
    if (free == branches.end())
      branches.push_back(o.end());
    else
      *free = o.end();
  }
}

}  // namespace

bool operation_log::is(std::uint32_t number, const operation_name& what) const {
  if (number >= labels_.size()) return false;
  const timeline_label& l = labels_[number];
  return l.kind == what.kind && bytes_[number] == what.bytes && (what.bytes != 0 || l.name == what.name) &&
         l.grid == what.grid && l.block == what.block && l.bound == what.bound;
}

std::uint32_t operation_log::number_of(const operation_name& what) {
  for (const std::uint32_t number : recent_)
    if (is(number, what)) return number;
  timeline_label l{what.kind, what.bytes != 0 ? count_of(what.bytes, "byte") : std::string(what.name), what.grid,
                   what.block, std::string(what.bound)};
  const auto [it, is_new] = numbers_.try_emplace(std::move(l), static_cast<std::uint32_t>(labels_.size()));
  if (is_new) {
    labels_.push_back(it->first);
    bytes_.push_back(what.bytes);
  }
  recent_[next_recent_++ % recent_.size()] = it->second;
  return it->second;
}

int operation_log::add(const operation_name& what, const entry& e) {
  if (operations_.size() >= most_logged) {
    ++left_out_;
    return -1;
  }
  operations_.push_back({e, number_of(what)});
  return static_cast<int>(operations_.size() - 1);
}

void operation_log::add_edge(int from, int to) {
  if (from < 0 || to < 0) return;
  if (is_on_host(labels_[operations_[static_cast<std::size_t>(from)].label].kind)) return;
  edges_.emplace_back(from, to);
}

// Goes back from the end. Between the end of an operation and the beginning of the next one, the device fetches it, which
// is a part of the cost of a launch.
std::vector<bool> operation_log::add_critical_path(const instant& end, program_timeline& t) const {
  std::vector<bool> is_critical(operations_.size());
  std::map<std::uint32_t, timeline_part> by_label;
  std::map<timeline_kind, timeline_part> by_kind;
  const auto add = [&](timeline_part& to, const timeline_label& what, double time) {
    to.what = what;
    ++to.count;
    to.nanoseconds += whole(time);
  };
  for (int at = end.after; at >= 0;) {
    const operation& o = operations_[static_cast<std::size_t>(at)];
    const timeline_label& what = labels_[o.label];
    is_critical[static_cast<std::size_t>(at)] = true;
    // A copy from pageable memory ends together with the wait for it.
    const double before = o.after.after >= 0 ? operations_[static_cast<std::size_t>(o.after.after)].end : o.after.at;
    const double begin = std::max(o.begin, before);
    add(by_label[o.label], what, o.end - begin);
    add(by_kind[what.kind], {.kind = what.kind, .name = {}}, o.end - begin);
    if (begin > before) by_kind[timeline_kind::launch].nanoseconds += whole(begin - before);
    at = o.after.after < at ? o.after.after : -1;
  }
  for (auto& [label, part] : by_label) t.critical.push_back(std::move(part));
  for (auto& [kind, part] : by_kind) {
    part.what.kind = kind;
    t.waits.push_back(std::move(part));
  }
  sort_by_time(t.critical);
  sort_by_time(t.waits);
  if (t.critical.size() > program_timeline::most_parts) t.critical.resize(program_timeline::most_parts);
  return is_critical;
}

std::vector<timeline_operation> operation_log::list(const std::vector<bool>& is_critical) const {
  const std::size_t size = operations_.size();
  std::vector<std::size_t> order(size), place(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return operations_[a].begin < operations_[b].begin; });
  for (std::size_t i = 0; i < size; ++i) place[order[i]] = i;
  std::vector<timeline_operation> in_order(size);
  for (std::size_t i = 0; i < size; ++i) {
    const operation& from = operations_[order[i]];
    timeline_operation& o = in_order[i];
    o.what = labels_[from.label];
    o.begin = whole(from.begin);
    o.nanoseconds = whole(from.end) - o.begin;
    o.stream = from.stream;
    o.is_critical = is_critical[order[i]];
    if (from.call >= 0) o.call = place[static_cast<std::size_t>(from.call)];
  }
  for (const auto& [from, to] : edges_)
    in_order[place[static_cast<std::size_t>(to)]].after.push_back(place[static_cast<std::size_t>(from)]);
  divide_into_branches(in_order);
  return in_order;
}

program_timeline operation_log::timeline(const instant& end, std::size_t most) const {
  program_timeline t;
  t.nanoseconds = whole(end);
  t.without_time = without_time_;
  t.left_out = left_out_;
  const std::vector<bool> is_critical = add_critical_path(end, t);
  std::vector<timeline_operation> all = list(is_critical);
  t.busy = covered_time(all, [](const timeline_operation& o) {
    return !is_on_host(o.what.kind) && o.what.kind != timeline_kind::host_function;
  });
  t.kernels = covered_time(all, [](const timeline_operation& o) {
    return o.what.kind == timeline_kind::kernel || o.what.kind == timeline_kind::library;
  });
  shorten(all, most);
  t.operations = std::move(all);
  return t;
}

}  // namespace bankwise::cuda
