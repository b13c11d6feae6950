#include "report/sections/out_of_bounds_report.hpp"

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

launch_note out_of_bounds_note(const launch_report& l) {
  launch_note n;
  if (l.out_of_bounds.empty()) return n;
  n.title = formatted("{} accessed global memory out of bounds", count_of(l.out_of_bounds.size(), "instruction"));
  n.says = formatted("a GPU does not report a fault for {}, so bankwise continued the launch",
                     l.out_of_bounds.size() == 1 ? "this access" : "these accesses");
  for (const out_of_bounds_access& a : l.out_of_bounds)
    n.items.push_back(
        {formatted("{}s {} {}", name_of(a.direction), count_of(a.bytes, "byte"), a.nearest),
         formatted(
             "{} in {} {} out of bounds. The first was at address 0x{} in block ({}), warp {}, lane {}, thread ({})",
             count_of(a.lanes, "lane access", "lane accesses"), count_of(a.count, "execution"),
             a.lanes == 1 ? "was" : "were", hex(a.address), triple(a.block), a.warp, a.lane, triple(a.thread)),
         {{"", a.place, ""}},
         a.trail,
         ""});
  n.hint = formatted(
      "check the sizes of the buffers against the indices of the kernel. {} ends the launch at the first access "
      "outside an allocation",
      worded(setting::faults, "stop"));
  return n;
}

std::string out_of_bounds_text(
    const launch_report& l, const style& s,
    const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line) {
  const launch_note n = out_of_bounds_note(l);
  if (n.items.empty()) return {};
  std::string text = formatted("{}: {}\n", s.strong(n.title), n.says);
  for (std::size_t i = 0; i < n.items.size(); ++i) {
    const launch_note::item& one = n.items[i];
    const code_place& p = one.places.front().place;
    text += formatted("\n{} {}\n   {}\n   {}\n", s.strong(formatted("{}.", i + 1)), s.bad(one.what), one.where,
                      place_text(p));
    if (const std::string line = source_line && p.line != 0 ? source_line(p.file, p.line) : ""; !line.empty())
      text += formatted("          {}\n", s.dim(std::string(trim(line))));
    for (const std::string& step : one.trail) text += formatted("   {}\n", step);
  }
  return formatted("{}   {}\n", text, n.hint);
}

}  // namespace bankwise
