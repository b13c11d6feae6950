#include "model/time/timeline.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.hpp"

namespace bankwise {

namespace {

// Which neighbours may become one operation.
enum class joining : std::uint8_t {
  of_kind,    // operations of a row and kind
  of_row,     // all operations of a row, such as launches and waits that alternate
  of_device,  // all operations of the host, and all of the device
};

auto timeline_row(const timeline_operation& o, joining how) {
  const bool is_one_row = how == joining::of_device;
  return std::tuple(is_on_host(o.what.kind), is_one_row ? 0 : o.stream, is_one_row ? 0 : o.branch);
}

// Adds an operation that follows `to`. The longer one gives the name.
void join_operation(timeline_operation& to, const timeline_operation& o, std::uint64_t& longest) {
  if (o.nanoseconds > longest) {
    longest = o.nanoseconds;
    to.what = o.what;
  }
  to.nanoseconds = std::max(to.end(), o.end()) - to.begin;
  to.count += o.count;
  to.is_critical |= o.is_critical;
  to.call.reset();
  to.after.clear();
}

// Joins the operations of a row that follow each other within `gap`, and together take at most `gap`.
std::vector<timeline_operation> joined_operations(const std::vector<timeline_operation>& operations, std::uint64_t gap,
                                                  joining how) {
  struct last {
    std::size_t at;
    std::uint64_t longest;
  };
  std::vector<timeline_operation> list;
  std::vector<std::size_t> place(operations.size());
  std::map<std::tuple<bool, std::uint64_t, std::uint64_t>, last> rows;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const timeline_operation& o = operations[i];
    const auto [it, is_new] = rows.try_emplace(timeline_row(o, how));
    last& l = it->second;
    const bool may_join = how != joining::of_kind || (!is_new && list[l.at].what.kind == o.what.kind);
    if (!is_new && may_join && o.end() <= list[l.at].begin + gap) {
      join_operation(list[l.at], o, l.longest);
    } else {
      l = {list.size(), o.nanoseconds};
      list.push_back(o);
    }
    place[i] = l.at;
  }
  for (timeline_operation& o : list) {
    if (o.call) o.call = place[*o.call];
    for (std::uint64_t& one : o.after) one = place[one];
    std::sort(o.after.begin(), o.after.end());
    o.after.erase(std::unique(o.after.begin(), o.after.end()), o.after.end());
  }
  return list;
}

}  // namespace

std::string words_of(const timeline_label& l) {
  const std::string_view one = row_of(l.kind).one;
  switch (l.kind) {
    case timeline_kind::launch:
    case timeline_kind::call: return l.name;
    default: break;
  }
  if (l.name.empty()) return std::string(one);
  return l.kind == timeline_kind::kernel || l.kind == timeline_kind::library ? formatted("{} {}", one, l.name)
                                                                             : formatted("{} of {}", one, l.name);
}

std::optional<timeline_kind> find_timeline_kind(std::string_view one) {
  for (std::size_t i = 0; i < std::size(timeline_kinds); ++i)
    if (timeline_kinds[i].one == one) return static_cast<timeline_kind>(i);
  return std::nullopt;
}

void shorten(std::vector<timeline_operation>& operations, std::size_t most) {
  if (operations.size() <= most || most == 0) return;
  std::uint64_t end = 0;
  for (const timeline_operation& o : operations) end = std::max(end, o.end());
  // With the last gap, all neighbours are joined that may be. In the end, one operation of the host and one of the device
  // would remain.
  std::vector<timeline_operation> list;
  for (const joining how : {joining::of_kind, joining::of_row, joining::of_device})
    for (std::uint64_t gap = std::max<std::uint64_t>(1, end / most);; gap *= 2) {
      list = joined_operations(operations, gap, how);
      if (list.size() <= most) {
        operations = std::move(list);
        return;
      }
      if (gap > end) break;
    }
  operations = std::move(list);
}

}  // namespace bankwise
