#include "report/sections/out_of_bounds_report.hpp"

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

std::string place_of_first(const out_of_bounds_access& a) {
  return a.memory == bounded_memory::global ? formatted("address 0x{}", hex(a.address))
                                            : formatted("shared offset {}", grouped(a.offset));
}

}  // namespace

std::string memory_out_of_bounds(const std::vector<out_of_bounds_access>& all) {
  bool global = false, shared = false;
  for (const out_of_bounds_access& a : all) (a.memory == bounded_memory::global ? global : shared) = true;
  return formatted("{}{}{} memory", global ? "global" : "", global && shared ? " and " : "", shared ? "shared" : "");
}

launch_note out_of_bounds_note(const launch_report& l) {
  launch_note n;
  if (l.out_of_bounds.empty()) return n;
  n.title = formatted("{} accessed {} out of bounds", count_of(l.out_of_bounds.size(), "instruction"),
                      memory_out_of_bounds(l.out_of_bounds));
  n.says = formatted("a GPU does not report a fault for {}, so bankwise continued the launch",
                     l.out_of_bounds.size() == 1 ? "this access" : "these accesses");
  for (const out_of_bounds_access& a : l.out_of_bounds)
    n.items.push_back(
        {formatted("{}s {} {}", name_of(a.direction), count_of(a.bytes, "byte"), a.nearest),
         formatted("{} in {} {} out of bounds. The first was at {} in block ({}), warp {}, lane {}, thread ({})",
                   count_of(a.lanes, "lane access", "lane accesses"), count_of(a.count, "execution"),
                   a.lanes == 1 ? "was" : "were", place_of_first(a), triple(a.block), a.warp, a.lane, triple(a.thread)),
         {{"", a.place, ""}},
         a.trail,
         ""});
  const bool only_shared = memory_out_of_bounds(l.out_of_bounds) == "shared memory";
  n.hint = formatted(
      "check the sizes of the {} against the indices of the kernel. {} ends the launch at the first "
      "access outside an allocation{}",
      only_shared ? "arrays in shared memory" : "buffers", worded(setting::faults, "stop"),
      only_shared ? formatted(". A GPU checks the end of shared memory only in steps of {} bytes", shared_granule)
                  : "");
  return n;
}

std::string out_of_bounds_text(
    const launch_report& l, const style& s,
    const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line, std::size_t& left) {
  const launch_note n = out_of_bounds_note(l);
  if (n.items.empty()) return {};
  std::string text = formatted("{}: {}\n", s.strong(n.title), n.says);
  for (std::size_t i = 0; i < n.items.size(); ++i) {
    if (const std::string cut = cut_text(n, i, left); !cut.empty()) {
      text += cut;
      break;
    }
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
