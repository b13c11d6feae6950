#include "report/sections/other_results_report.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

launch_note::item item_of(const other_result& o) {
  launch_note::item one;
  one.what = title_of(o);
  one.where = order_of(o);
  if (!o.failure.empty()) return one;
  one.hint = o.only_rounding
                 ? "the order of additions changes their rounding. This does not change the exit status"
                 : formatted(
                       "{} looks for a missing barrier or fence. If the order of the values has no meaning, such as "
                       "in a list to which threads append, this is not an error",
                       worded(setting::check, "race"));
  return one;
}

}  // namespace

bool depends_on_order(const launch_report& l) {
  return std::any_of(l.other_results.begin(), l.other_results.end(),
                     [](const other_result& o) { return !o.only_rounding; });
}

launch_note other_results_note(const launch_report& l) {
  launch_note n;
  if (l.other_results.empty()) return n;
  n.title =
      formatted("another order of blocks and warps changes the results ({} tried)", count_of(l.orders_tried, "order"));
  for (const other_result& o : l.other_results) n.items.push_back(item_of(o));
  return n;
}

std::string other_results_text(const launch_report& l, const style& s, std::size_t& left) {
  if (l.orders_tried == 0) return {};
  if (l.other_results.empty())
    return formatted("{}\n", s.good(formatted("the same results in {}", count_of(l.orders_tried, "other order"))));
  const launch_note n = other_results_note(l);
  std::string text = formatted("{}\n", s.strong(n.title));
  for (std::size_t i = 0; i < n.items.size(); ++i) {
    if (const std::string cut = cut_text(n, i, left); !cut.empty()) return text + cut;
    const launch_note::item& one = n.items[i];
    text += formatted("\n{} {}\n   {}\n", s.strong(formatted("{}.", i + 1)), s.bad(one.what), one.where);
    if (!one.hint.empty()) text += formatted("   {}\n", one.hint);
  }
  return text;
}

}  // namespace bankwise
