#include "report/sections/launch_table.hpp"

#include <algorithm>
#include <numeric>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "model/instances.hpp"
#include "report/sections/time_report.hpp"
#include "report/table/cost_table.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

constexpr std::size_t rows_of_table = 12;  // without --all
constexpr std::size_t widest_name = 40;

std::uint64_t time_of_added(const added_launches& a) { return a.all.time.nanoseconds * a.times(); }

}  // namespace

std::vector<std::size_t> sorted_launches(const std::vector<added_launches>& launches, launch_order by) {
  std::vector<std::size_t> order(launches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (by == launch_order::launched) return order;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (by == launch_order::name) return shown_name(launches[a].all) < shown_name(launches[b].all);
    return time_of_added(launches[a]) > time_of_added(launches[b]);
  });
  return order;
}

std::string waves_text(const launch_report& l) {
  const double waves = waves_of(l.time, blocks_of(l.grid));
  return waves == 0 ? "" : fixed(waves, waves < 9.995 ? 2 : 1);
}

std::string occupancy_text(const launch_report& l) {
  const predicted_time& t = l.time;
  if (t.occupancy == 0) return {};
  const bool is_full = t.occupancy >= 100 || t.limited_by == "threads";
  return formatted("{}%{}", t.occupancy, is_full ? "" : formatted(" ({})", t.limited_by));
}

std::string launch_table(const std::vector<added_launches>& launches, const std::vector<std::size_t>& order,
                         const style& s, const run_text_options& options) {
  std::uint64_t all = 0;
  for (const added_launches& a : launches) all += time_of_added(a);
  if (all == 0) return {};
  text_table t;
  t.left_first = 1;
  t.rows.push_back({"kernel", "launches", "time", "share", "waves", "registers", "occupancy", "bound by"});
  t.left_last = 2;
  const std::size_t shown = options.all ? order.size() : std::min(order.size(), rows_of_table);
  for (std::size_t i = 0; i < shown; ++i) {
    const launch_report& l = launches[order[i]].all;
    const std::uint64_t time = time_of_added(launches[order[i]]);
    t.rows.push_back({cut_in_the_middle(shown_name(l), widest_name), grouped(l.count),
                      l.time ? duration_text(time) : "", l.time ? percent_text(time, all) : "", waves_text(l),
                      l.registers == 0 ? "" : grouped(l.registers), occupancy_text(l),
                      l.time ? words_of_bound(l.time) : ""});
  }
  if (s.fits) t.fit(s.width, {"registers", "waves", "occupancy"});
  std::string text = formatted("{}\n{}", s.strong("launches"), t.text(s));
  if (shown < order.size())
    text +=
        formatted("{}\n", s.dim(formatted("  ... and {} ({})", grouped(order.size() - shown), worded(setting::all))));
  return text;
}

std::string together_text(const findings::best_changes& best) {
  if (!best || best.nanoseconds_after >= best.nanoseconds) return {};
  return formatted("the first {} changes save {}% of the time: about {} instead of {}", best.list.size(),
                   fixed(100 * static_cast<double>(best.nanoseconds - best.nanoseconds_after) /
                             static_cast<double>(best.nanoseconds),
                         0),
                   duration_text(best.nanoseconds_after), duration_text(best.nanoseconds));
}

}  // namespace bankwise
