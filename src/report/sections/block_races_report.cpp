#include "report/sections/block_races_report.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

struct race_words {
  hazard_kind kind;
  const char *what, *first, *second;
};
constexpr race_words race_table[] = {
    {hazard_kind::read_after_write, "a block reads what another block writes", "write", "read"},
    {hazard_kind::write_after_read, "a block writes what another block has read", "read", "write"},
    {hazard_kind::write_after_write, "two blocks write different values to one word", "write", "write"},
};

const race_words& words_of_race(hazard_kind k) {
  const auto* const found =
      std::find_if(std::begin(race_table), std::end(race_table) - 1, [&](const race_words& w) { return w.kind == k; });
  return *found;
}

}  // namespace

launch_note block_races_note(const launch_report& l) {
  launch_note n;
  if (l.block_races.empty()) return n;
  n.title = "blocks race on global memory";
  n.says =
      "the counts of this launch depend on the order of the blocks, so on a GPU the counts can differ from run to "
      "run. bankwise interleaves resident blocks, so each block loads before the first block stores";
  for (const block_race& r : l.block_races) {
    const race_words& w = words_of_race(r.kind);
    n.items.push_back({w.what, count_of(r.count, "time"), {{w.first, r.first, ""}, {w.second, r.second, ""}}, {}, ""});
  }
  return n;
}

std::string block_races_text(
    const launch_report& l, const style& s,
    const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line) {
  const launch_note n = block_races_note(l);
  if (n.items.empty()) return {};
  std::string text = formatted("{}: {}\n", s.strong(n.title), n.says);
  for (std::size_t i = 0; i < n.items.size(); ++i) {
    const launch_note::item& one = n.items[i];
    text += formatted("\n{} {}, {}\n", s.strong(formatted("{}.", i + 1)), s.bad(one.what), one.where);
    for (const launch_note::at& a : one.places) {
      text += formatted("   {}  {}\n", pad_right(a.does, 5), place_text(a.place));
      const code_place& p = a.place;
      if (const std::string line = source_line && p.line != 0 ? source_line(p.file, p.line) : ""; !line.empty())
        text += formatted("          {}\n", s.dim(std::string(trim(line))));
    }
  }
  return text;
}

}  // namespace bankwise
