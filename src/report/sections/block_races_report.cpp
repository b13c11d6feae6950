#include "report/sections/block_races_report.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

std::size_t race_warnings_in(const launch_report& l) {
  return static_cast<std::size_t>(
      std::count_if(l.block_races.begin(), l.block_races.end(), [](const block_race& r) { return r.is_warning(); }));
}

std::string races_in_words(std::size_t races, std::size_t warnings) {
  if (warnings == 0) return count_of(races, "race");
  return races == 0 ? count_of(warnings, "warning about races", "warnings about races")
                    : formatted("{} and {}", count_of(races, "race"), count_of(warnings, "warning"));
}

launch_note block_races_note(const launch_report& l) {
  launch_note n;
  if (l.block_races.empty()) return n;
  const bool is_checked = l.block_races.front().is_checked;
  const std::size_t mild = race_warnings_in(l);
  n.title = is_checked ? formatted("{} of blocks on global memory", races_in_words(l.block_races.size() - mild, mild))
                       : "blocks race on global memory";
  if (!is_checked)
    n.says =
        "the counts of this launch depend on the order of the blocks, so on a GPU the counts can differ from run to "
        "run. bankwise interleaves resident blocks, so each block loads before the first block stores";
  for (const block_race& r : l.block_races) {
    const hazard_words& w = words_of(r.kind);
    launch_note::item& one = n.items.emplace_back();
    one.what = formatted("{}{}", r.is_warning() ? "warning: " : "", title_of(r));
    one.where = r.is_checked ? formatted("{}. The first is at byte {}{}", count_of(r.count, "word"), grouped(r.offset),
                                         r.memory.empty() ? "" : formatted(" of {}", r.memory))
                             : count_of(r.count, "time");
    one.places = {{w.first, r.first, r.is_checked ? block_and_thread(r.first_block, r.first_thread) : ""},
                  {w.second, r.second, r.is_checked ? block_and_thread(r.second_block, r.second_thread) : ""}};
    if (r.is_checked) one.hint = hint_of(r);
  }
  return n;
}

std::string block_races_text(const launch_report& l, const style& s,
                             const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line,
                             std::size_t& left) {
  const launch_note n = block_races_note(l);
  if (n.items.empty()) return {};
  const std::string text =
      n.says.empty() ? formatted("{}\n", s.strong(n.title)) : formatted("{}: {}\n", s.strong(n.title), n.says);
  return text + items_text(n, s, source_line, left);
}

}  // namespace bankwise
