#include "report/sections/out_of_bounds_report.hpp"

#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

launch_note out_of_bounds_note(const launch_report& l) {
  launch_note n;
  if (l.out_of_bounds.empty()) return n;
  n.title = count_of(l.out_of_bounds.size(), "instruction") + " out of bounds of global memory";
  n.says = std::string("a GPU lets ") + (l.out_of_bounds.size() == 1 ? "it" : "them") +
           " pass, and the launch went on as there";
  for (const out_of_bounds_access& a : l.out_of_bounds)
    n.items.push_back({std::string(name_of(a.direction)) + "s " + count_of(a.bytes, "byte") + " " + a.nearest,
                       count_of(a.lanes, "lane") + " of " + count_of(a.count, "execution") + "; first at address 0x" +
                           hex(a.address) + " in block (" + triple(a.block) + "), warp " + std::to_string(a.warp) +
                           ", lane " + std::to_string(a.lane) + ", thread (" + triple(a.thread) + ")",
                       {{"", a.place, ""}},
                       a.trail,
                       ""});
  n.hint = "check the sizes of the buffers against what the kernel indexes; " + worded(setting::faults, "stop") +
           " ends the launch here";
  return n;
}

std::string out_of_bounds_text(
    const launch_report& l, const style& s,
    const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line) {
  const launch_note n = out_of_bounds_note(l);
  if (n.items.empty()) return {};
  std::string text = s.strong(n.title) + ": " + n.says + "\n";
  for (std::size_t i = 0; i < n.items.size(); ++i) {
    const launch_note::item& one = n.items[i];
    const code_place& p = one.places.front().place;
    text += "\n" + s.strong(std::to_string(i + 1) + ".") + " " + s.bad(one.what) + "\n   " + one.where + "\n   " +
            place_text(p) + "\n";
    if (const std::string line = source_line && p.line != 0 ? source_line(p.file, p.line) : ""; !line.empty())
      text += "          " + s.dim(std::string(trim(line))) + "\n";
    for (const std::string& step : one.trail) text += "   " + step + "\n";
  }
  return text + "   " + n.hint + "\n";
}

}  // namespace bankwise
