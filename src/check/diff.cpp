#include "check/diff.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/text.hpp"
#include "check/findings.hpp"

namespace bankwise::check {

namespace {

// The sites of one report that are on the same line and have the same operation.
struct entry {
  std::string file, text, operation;
  std::uint32_t line = 0;
  std::uint64_t pc = 0;  // pc of the sites if they have no line
  amounts of;
  bool matched = false;
};

struct kernel_entries {
  std::string kernel, name;
  std::vector<entry> entries, global_entries;
  amounts of;
  bool counts_global = true;  // whether all launches of the kernel counted accesses to global memory
  bool matched = false;
};

// The index of each entry. The key consists of file, line, operation, and pc if there is no line.
using entry_places = std::map<std::tuple<std::string, std::uint32_t, std::uint64_t, std::string>, std::size_t>;

// Returns the entry for a site's line. Adds a missing entry.
entry& entry_at(std::vector<entry>& entries, entry_places& places, const auto& s, const std::string& operation) {
  const std::string file = base_name(s.file);
  const std::uint64_t pc = s.line == 0 ? s.pc : 0;
  const auto [place, is_first] = places.try_emplace({file, s.line, pc, operation}, entries.size());
  if (is_first) entries.push_back({file, code_of(s.text), operation, s.line, pc, {}});
  return entries[place->second];
}

std::vector<kernel_entries> entries_of(const report& r) {
  std::vector<kernel_entries> list;
  std::map<std::string, std::size_t> kernels;
  // for each report: entries of shared memory, entries of global memory
  std::vector<std::pair<entry_places, entry_places>> places;
  for (const launch_report& l : r.launches) {
    const auto [it, is_new] = kernels.try_emplace(l.kernel, list.size());
    if (is_new) {
      list.push_back({l.kernel, l.name, {}, {}, {}});
      places.emplace_back();
    }
    kernel_entries& k = list[it->second];
    for (const site& s : l.sites) {
      entry_at(k.entries, places[it->second].first, s, s.op.spelling).of.add(l, s, l.count);
      k.of.add(l, s, l.count);
    }
    k.counts_global &= l.global_counted;
    for (const global_site& s : l.global_sites) {
      // The lines of all kinds of memory have the measures of global memory.
      entry_at(k.global_entries, places[it->second].second, s, spelling_of(s))
          .of.add(l, s, measure_record::global, l.count);
      k.of.add(l, s, l.count);
    }
  }
  return list;
}

predicted_time time_in(const report& r, const std::string& kernel) {
  return time_of_launches(r, [&](const launch_report& l) { return l.kernel == kernel; });
}

diff_row row_of(const entry* a, const entry* b) {
  const entry& named = b != nullptr ? *b : *a;
  diff_row r;
  r.file = named.file;
  r.text = named.text;
  r.operation = named.operation;
  r.in_a = a != nullptr;
  r.in_b = b != nullptr;
  if (r.in_a) {
    r.line_a = a->line;
    r.a = a->of;
  }
  if (r.in_b) {
    r.line_b = b->line;
    r.b = b->of;
  }
  return r;
}

std::uint64_t change(const amounts& a, const amounts& b) {
  std::uint64_t most = 0;
  for (const measure_row& m : measure_rows)
    if (m.diff == measure_diff::where_any || m.diff >= measure_diff::ranked)
      most = std::max(most, std::max(a[m.is].is, b[m.is].is) - std::min(a[m.is].is, b[m.is].is));
  return most;
}

// Returns a key that is the same for a line in both reports. Returns nothing if the line has no such key.
using entry_key = std::optional<std::string> (*)(const entry&);
constexpr entry_key line_keys[] = {
    [](const entry& e) {
      return e.text.empty() ? std::nullopt : std::optional(e.file + '\0' + e.text + '\0' + e.operation);
    },
    // Compares only the text, because the file may have been renamed. The comparison of findings also does this.
    [](const entry& e) { return e.text.empty() ? std::nullopt : std::optional(e.text + '\0' + e.operation); },
    [](const entry& e) {
      return std::optional(e.file + '\0' + std::to_string(e.line) + '\0' + std::to_string(e.pc) + '\0' + e.operation);
    },
    [](const entry& e) { return e.text.empty() ? std::nullopt : std::optional(e.file + '\0' + e.text); },
    [](const entry& e) { return e.text.empty() ? std::nullopt : std::optional(e.text); },
};

// Matches the entries of both reports. If several entries have the same key, the first entry of A matches the first
// entry of B.
std::vector<diff_row> match(std::vector<entry>& a, std::vector<entry>& b) {
  std::vector<diff_row> rows;
  for (const entry_key key : line_keys) {
    std::map<std::string, std::vector<entry*>> open;
    for (entry& e : a)
      if (const auto k = e.matched ? std::nullopt : key(e)) open[*k].push_back(&e);
    for (auto& [k, list] : open) std::reverse(list.begin(), list.end());
    for (entry& e : b) {
      const auto k = e.matched ? std::nullopt : key(e);
      const auto other = k ? open.find(*k) : open.end();
      if (other == open.end() || other->second.empty()) continue;
      entry* same = other->second.back();
      other->second.pop_back();
      same->matched = e.matched = true;
      rows.push_back(row_of(same, &e));
    }
  }
  for (const entry& e : b)
    if (!e.matched) rows.push_back(row_of(nullptr, &e));
  for (const entry& e : a)
    if (!e.matched) rows.push_back(row_of(&e, nullptr));
  std::stable_sort(rows.begin(), rows.end(), [](const diff_row& x, const diff_row& y) {
    const auto line = [](const diff_row& r) { return r.in_b ? r.line_b : r.line_a; };
    const std::uint64_t cx = change(x.a, x.b), cy = change(y.a, y.b);
    return std::tie(cy, x.file) < std::tie(cx, y.file) || (cx == cy && x.file == y.file && line(x) < line(y));
  });
  return rows;
}

// Removes the counts of global memory if the other report lacks them. Otherwise, the difference would look like a
// change.
void forget_global(kernel_entries& k) {
  k.global_entries.clear();
  k.of.clear(measure_record::global);
  k.of.clear(measure_record::local);
  k.counts_global = false;
}

}  // namespace

report_diff diff_of(const report& a, const report& b) {
  std::vector<kernel_entries> as = entries_of(a), bs = entries_of(b);
  report_diff d;
  d.partial_a = early_end_of(a);
  d.partial_b = early_end_of(b);
  const auto is_estimated = [](const report& r) {
    return std::any_of(r.launches.begin(), r.launches.end(), [](const launch_report& l) { return l.scaled; });
  };
  d.estimated_a = is_estimated(a);
  d.estimated_b = is_estimated(b);
  const auto only = [](std::vector<kernel_entries>& list, const std::string& name) -> kernel_entries* {
    kernel_entries* one = nullptr;
    for (kernel_entries& k : list) {
      if (k.name != name || k.matched) continue;
      if (one != nullptr) return nullptr;
      one = &k;
    }
    return one;
  };
  std::vector<kernel_entries*> partner(bs.size(), nullptr);
  const auto pair = [&](std::size_t i, kernel_entries* other) {
    if (other == nullptr || bs[i].matched) return;
    partner[i] = other;
    other->matched = bs[i].matched = true;
  };
  std::map<std::string, kernel_entries*> whole;
  for (kernel_entries& k : as) whole[k.kernel] = &k;
  for (std::size_t i = 0; i < bs.size(); ++i)
    if (const auto same = whole.find(bs[i].kernel); same != whole.end()) pair(i, same->second);
  for (std::size_t i = 0; i < bs.size(); ++i)
    if (!bs[i].matched && only(bs, bs[i].name) != nullptr) pair(i, only(as, bs[i].name));

  kernel_entries none;
  for (std::size_t i = 0; i < bs.size(); ++i) {
    if (partner[i] != nullptr && partner[i]->counts_global != bs[i].counts_global) {
      d.uncounted.push_back(bs[i].kernel);
      forget_global(*partner[i]);
      forget_global(bs[i]);
    }
    kernel_entries& other = partner[i] != nullptr ? *partner[i] : none;
    d.kernels.push_back({bs[i].kernel, bs[i].name, partner[i] != nullptr, true, other.of, bs[i].of,
                         match(other.entries, bs[i].entries), match(other.global_entries, bs[i].global_entries),
                         bs[i].counts_global});
    d.kernels.back().time_b = time_in(b, bs[i].kernel);
    if (partner[i] != nullptr) d.kernels.back().time_a = time_in(a, partner[i]->kernel);
  }
  for (kernel_entries& k : as)
    if (!k.matched) {
      d.kernels.push_back({k.kernel,
                           k.name,
                           true,
                           false,
                           k.of,
                           {},
                           match(k.entries, none.entries),
                           match(k.global_entries, none.global_entries),
                           k.counts_global});
      d.kernels.back().time_a = time_in(a, k.kernel);
    }
  d.time_a = time_of_launches(a);
  d.time_b = time_of_launches(b);
  for (const kernel_entries& k : as) d.a += k.of;
  for (const kernel_entries& k : bs) d.b += k.of;
  return d;
}

}  // namespace bankwise::check
