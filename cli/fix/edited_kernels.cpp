#include "cli/fix/edited_kernels.hpp"

#include <algorithm>
#include <set>

#include "advise/warp_shapes.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "model/instances.hpp"
#include "model/time_bound.hpp"
#include "report/sections/time_report.hpp"
#include "report/table/text_table.hpp"

namespace bankwise::cli {

namespace {

// The clocks of a kernel, added up over its launches. `all` adds the clocks of each launch's slowest resource.
struct kernel_clocks {
  std::uint64_t all = 0, shared = 0, issue = 0, tensor = 0;
};
kernel_clocks clocks_of_kernel(const report& r, const std::string& mangled) {
  kernel_clocks sum;
  for (const launch_report& l : r.launches) {
    if (l.mangled != mangled) continue;
    const time_bound b = bound_of(l);
    sum.all += std::max({b.shared_cycles, b.issue_cycles, b.tensor_cycles}) * l.count;
    sum.shared += b.shared_cycles * l.count;
    sum.issue += b.issue_cycles * l.count;
    sum.tensor += b.tensor_cycles * l.count;
  }
  return sum;
}

predicted_time time_of_kernel(const report& r, const std::string& mangled) {
  return time_of_launches(r, [&](const launch_report& l) { return l.mangled == mangled; });
}

bool both_count_sectors(const edited_kernel& k) {
  return k.is_edited() && k.ran && k.before.counts_sectors && k.after.counts_sectors;
}

}  // namespace

std::vector<kernel_sum> sums_of(const report& r) {
  std::vector<kernel_sum> all;
  for (const launch_report& l : r.launches) {
    auto at = std::find_if(all.begin(), all.end(), [&](const kernel_sum& k) { return k.mangled == l.mangled; });
    if (at == all.end()) at = all.insert(all.end(), {l.mangled, shown_name(l)});
    at->wavefronts += l.sum.wavefronts * l.count;
    at->sectors += sum_of(l.global_sites).sectors * l.count;
    at->counts_sectors &= l.global_counted;
  }
  return all;
}

std::vector<edited_kernel> edited_kernels(const edit_plan& p, const std::vector<std::size_t>& edits,
                                          const report& before, const report& after) {
  const std::vector<kernel_sum> ran = sums_of(after);
  std::vector<edited_kernel> all;
  for (kernel_sum& was : sums_of(before)) {
    edited_kernel& k = all.emplace_back();
    const auto is = std::find_if(ran.begin(), ran.end(), [&](const kernel_sum& x) { return x.mangled == was.mangled; });
    k.ran = is != ran.end();
    if (k.ran) k.after = *is;
    k.before = std::move(was);
  }
  for (const std::size_t n : edits) {
    if (const planned_delay* const d = p.delay_of(n)) {
      for (edited_kernel& k : all) k.loses_delay |= d->has_kernel(k.before.mangled);
      continue;
    }
    const edit::planned_edit& e = p.edits[n];
    for (std::size_t i = 0; i < e.questions.size(); ++i) {
      const edit::array_question& q = p.questions[e.questions[i]];
      for (edited_kernel& k : all)
        if (k.before.mangled == p.launches[e.questions[i]]->mangled) {
          k.won += (q.found.before.wavefronts + q.found.before.of_data - e.after[i]) * q.count;
          k.again += e.again[i] * q.count;
        }
    }
  }
  return all;
}

std::string saves_nothing(const edit_plan& p, std::size_t edit, const report& before, const report& after) {
  std::set<std::string> its;
  for (const std::size_t i : p.edits[edit].questions) its.insert(p.launches[i]->mangled);
  const auto wavefronts = [&](const report& r) {
    std::uint64_t sum = 0;
    for (const kernel_sum& k : sums_of(r))
      if (its.contains(k.mangled)) sum += k.wavefronts;
    return sum;
  };
  const std::uint64_t was = wavefronts(before), is = wavefronts(after);
  const std::string what = its.size() == 1 ? formatted("{}: the kernel", p.launches[p.edits[edit].questions[0]]->name)
                                           : formatted("the {} kernels of the edit", its.size());
  if (is >= was)
    return formatted(
        "the edit does not save wavefronts. {} takes {} wavefronts with the edit, and {} wavefronts without", what,
        grouped(is), grouped(was));
  const auto time = [&](const report& r) {
    return time_of_launches(r, [&](const launch_report& l) { return its.contains(l.mangled); });
  };
  const predicted_time t = time(before), now = time(after);
  if (!is_clearly_slower(t, now)) return {};
  return formatted("the edit saves wavefronts but no time. {} is predicted to take {}", what, change_text(t, now));
}

std::string saves_no_time(const planned_delay& d, const report& before, const report& after) {
  const auto time = [&](const report& r) {
    return time_of_launches(r, [&](const launch_report& l) { return d.has_kernel(l.mangled); });
  };
  const predicted_time was = time(before), now = time(after);
  const std::string& kernel = d.launches.front()->name;
  if (!are_comparable(was, now))
    return formatted("the time of {} is not predicted in both runs, so nothing tells whether the edit saves time",
                     kernel);
  if (static_cast<double>(now.cycles) <= static_cast<double>(was.cycles) * (1 - least_change)) return {};
  return formatted("the edit does not save at least 1% of the kernel's time. {} is predicted to take {}", kernel,
                   change_text(was, now));
}

std::string broken_prediction(const std::vector<edited_kernel>& kernels) {
  for (const edited_kernel& k : kernels) {
    const std::uint64_t most = k.predicted() + k.again;
    if (k.is_edited() && k.ran && k.after.wavefronts > most + most / 100)
      return formatted(
          "after the edit, {} takes {} wavefronts. bankwise predicted {} wavefronts. Before the edit, the kernel took "
          "{} wavefronts",
          k.before.name, grouped(k.after.wavefronts), grouped(most), grouped(k.before.wavefronts));
  }
  return "";
}

std::string costs_more_sectors(const std::vector<edited_kernel>& kernels) {
  for (const edited_kernel& k : kernels) {
    if (!both_count_sectors(k)) continue;
    const std::uint64_t saved = k.before.wavefronts - std::min(k.before.wavefronts, k.after.wavefronts),
                        more = k.after.sectors - std::min(k.after.sectors, k.before.sectors);
    if (more / advise::sectors_a_clock > saved)
      return formatted("{}: the edit saves {}, but the kernel then touches {} of global memory instead of {}",
                       k.before.name, count_of(saved, "wavefront"), count_of(k.after.sectors, "sector"),
                       grouped(k.before.sectors));
  }
  return "";
}

std::string changed_sectors(const std::vector<edited_kernel>& kernels) {
  std::string text;
  for (const edited_kernel& k : kernels)
    if (both_count_sectors(k) && k.after.sectors != k.before.sectors)
      text += formatted("{} now touches {} of global memory instead of {}.\n", k.before.name,
                        count_of(k.after.sectors, "sector"), grouped(k.before.sectors));
  return text;
}

std::string table_of(const std::vector<edited_kernel>& kernels, const style& paint) {
  text_table t;
  t.rows.push_back({"kernel (all shared accesses)", "wavefronts before", "promised", "after"});
  t.left_first = 1;
  for (const edited_kernel& k : kernels) {
    if (!k.is_edited() && k.after.wavefronts == k.before.wavefronts) continue;
    const std::uint64_t predicted = k.predicted();
    t.rows.push_back({k.before.name, grouped(k.before.wavefronts),
                      grouped(predicted) + (k.again == 0 ? "" : formatted(" to {}", grouped(predicted + k.again))),
                      k.ran ? grouped(k.after.wavefronts) : "-"});
  }
  return t.rows.size() == 1 ? std::string() : t.text(paint);
}

std::string time_of_edits(const std::vector<edited_kernel>& kernels, const report& before, const report& after) {
  std::string text;
  for (const edited_kernel& k : kernels) {
    const std::string &mangled = k.before.mangled, &name = k.before.name;
    if (k.loses_delay && k.ran) {
      text += formatted("{}: predicted to take {}.\n", name,
                        change_text(time_of_kernel(before, mangled), time_of_kernel(after, mangled)));
      continue;
    }
    if (!k.is_edited() || !k.ran || k.after.wavefronts >= k.before.wavefronts) continue;
    if (const std::string saved = saving_of_edit(name, time_of_kernel(before, mangled), time_of_kernel(after, mangled));
        !saved.empty()) {
      text += saved;
      continue;
    }
    const kernel_clocks was = clocks_of_kernel(before, mangled), now = clocks_of_kernel(after, mangled);
    if (was.shared == 0 || now.all < was.all) continue;
    const kernel_clocks& c = was.shared < was.all ? was : now;
    text += formatted("{}: the edit saves wavefronts but no time, because {}.\n", name,
                      longer_part(c.shared, c.issue, c.tensor));
  }
  return text;
}

}  // namespace bankwise::cli
