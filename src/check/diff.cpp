#include "check/diff.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/text.hpp"
#include "check/findings.hpp"
#include "cubin/instance_names.hpp"
#include "cubin/names/name_parts.hpp"

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
  std::string kernel, name, instance;
  std::string without_parameters;  // the name with template arguments
  std::vector<entry> entries, global_entries;
  amounts of;
  std::uint64_t launches = 0;
  bool stopped = false;       // whether a launch of the kernel was stopped
  bool counts_global = true;  // whether all launches of the kernel counted accesses to global memory
  bool matched = false, left_out = false;
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

// Returns the name with template arguments, without parameters. A change of the parameters does not make it another
// instance.
std::string without_parameters(const std::string& kernel) {
  const auto parts = cubin::names::parts_of_name(kernel);
  if (!parts) return kernel;
  using enum cubin::names::name_detail;
  return text_of(parts->scope, every_word) + parts->bare +
         (parts->arguments ? text_of(*parts->arguments, every_word) : std::string());
}

std::vector<kernel_entries> entries_of(const report& r) {
  std::vector<kernel_entries> list;
  std::map<std::string, std::size_t> kernels;
  // for each report: entries of shared memory, entries of global memory
  std::vector<std::pair<entry_places, entry_places>> places;
  for (const launch_report& l : r.launches) {
    const auto [it, is_new] = kernels.try_emplace(l.kernel, list.size());
    if (is_new) {
      list.push_back({l.kernel, l.name, {}, without_parameters(l.kernel), {}, {}, {}});
      places.emplace_back();
    }
    kernel_entries& k = list[it->second];
    k.launches += l.count;
    k.stopped |= l.partial || l.kernel == r.failed_kernel;
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

// Gives a kernel the same short name in both reports.
void name_kernels(std::vector<kernel_entries>& a, std::vector<kernel_entries>& b) {
  std::vector<cubin::kernel_identity> kernels;
  for (const auto* list : {&a, &b})
    for (const kernel_entries& k : *list) kernels.push_back({k.kernel, {}});
  const std::vector<std::string> names = cubin::instance_names(kernels);
  for (std::size_t i = 0; i < names.size(); ++i) (i < a.size() ? a[i] : b[i - a.size()]).instance = names[i];
}

// Removes the kernels that cannot be compared, because a report ended before all of their launches had run. Without
// this, a program that crashed early would look fast.
void remove_unfinished(std::vector<kernel_entries>& as, std::vector<kernel_entries>& bs,
                       std::vector<kernel_entries*>& partner, report_diff& d) {
  const bool ended_a = d.partial_a || !d.failure_a.empty(), ended_b = d.partial_b || !d.failure_b.empty();
  if (!ended_a && !ended_b) return;
  std::vector<kernel_entries> kept_b;
  std::vector<kernel_entries*> kept_partner;
  for (std::size_t i = 0; i < bs.size(); ++i) {
    kernel_entries* const a = partner[i];
    if (a != nullptr && a->launches == bs[i].launches && !a->stopped && !bs[i].stopped) {
      kept_b.push_back(std::move(bs[i]));
      kept_partner.push_back(a);
      continue;
    }
    d.unfinished.push_back(
        {bs[i].instance, a == nullptr ? 0 : a->launches, bs[i].launches, a != nullptr && a->stopped, bs[i].stopped});
    if (a != nullptr) a->left_out = true;
  }
  for (kernel_entries& k : as)
    if (!k.matched) {
      d.unfinished.push_back({k.instance, k.launches, 0, k.stopped, false});
      k.left_out = true;
    }
  bs = std::move(kept_b);
  partner = std::move(kept_partner);
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
  d.failure_a = failure_of(a);
  d.failure_b = failure_of(b);
  name_kernels(as, bs);
  const auto is_estimated = [](const report& r) {
    return std::any_of(r.launches.begin(), r.launches.end(), [](const launch_report& l) { return l.scaled; });
  };
  d.estimated_a = is_estimated(a);
  d.estimated_b = is_estimated(b);
  // Returns the only kernel whose key is the same, or null. Matched kernels also count, because the other instances of
  // a matched kernel are different kernels.
  const auto only = [](std::vector<kernel_entries>& list, std::string kernel_entries::*key,
                       const std::string& wanted) -> kernel_entries* {
    kernel_entries* one = nullptr;
    for (kernel_entries& k : list) {
      if (k.*key != wanted) continue;
      if (one != nullptr) return nullptr;
      one = &k;
    }
    return one;
  };
  std::vector<kernel_entries*> partner(bs.size(), nullptr);
  const auto pair = [&](std::size_t i, kernel_entries* other) {
    if (other == nullptr || other->matched || bs[i].matched) return;
    partner[i] = other;
    other->matched = bs[i].matched = true;
  };
  std::map<std::string, kernel_entries*> whole;
  for (kernel_entries& k : as) whole[k.kernel] = &k;
  for (std::size_t i = 0; i < bs.size(); ++i)
    if (const auto same = whole.find(bs[i].kernel); same != whole.end()) pair(i, same->second);
  for (const auto key : {&kernel_entries::without_parameters, &kernel_entries::name})
    for (std::size_t i = 0; i < bs.size(); ++i)
      if (!bs[i].matched && only(bs, key, bs[i].*key) != nullptr) pair(i, only(as, key, bs[i].*key));
  remove_unfinished(as, bs, partner, d);

  kernel_entries none;
  for (std::size_t i = 0; i < bs.size(); ++i) {
    if (partner[i] != nullptr && partner[i]->counts_global != bs[i].counts_global) {
      d.uncounted.push_back(bs[i].instance);
      forget_global(*partner[i]);
      forget_global(bs[i]);
    }
    kernel_entries& other = partner[i] != nullptr ? *partner[i] : none;
    d.kernels.push_back({bs[i].kernel, bs[i].name, bs[i].instance, other.instance, partner[i] != nullptr, true,
                         other.of, bs[i].of, match(other.entries, bs[i].entries),
                         match(other.global_entries, bs[i].global_entries), bs[i].counts_global});
    d.kernels.back().time_b = time_in(b, bs[i].kernel);
    if (partner[i] != nullptr) d.kernels.back().time_a = time_in(a, partner[i]->kernel);
  }
  for (kernel_entries& k : as)
    if (!k.matched && !k.left_out) {
      d.kernels.push_back({k.kernel,
                           k.name,
                           k.instance,
                           k.instance,
                           true,
                           false,
                           k.of,
                           {},
                           match(k.entries, none.entries),
                           match(k.global_entries, none.global_entries),
                           k.counts_global});
      d.kernels.back().time_a = time_in(a, k.kernel);
    }
  // The times of programs that did not run to their end cannot be compared.
  if (!d.partial_a && !d.partial_b && d.failure_a.empty() && d.failure_b.empty()) {
    d.time_a = time_of_launches(a);
    d.time_b = time_of_launches(b);
  }
  for (const kernel_entries& k : as)
    if (!k.left_out) d.a += k.of;
  for (const kernel_entries& k : bs) d.b += k.of;
  return d;
}

}  // namespace bankwise::check
