#include "report/retries_report.hpp"

#include "base/text.hpp"
#include "report/text_table.hpp"

namespace bankwise {

launch_note retries_note(const launch_report& l) {
  launch_note n{"loops around a compare-and-swap", "", {}, ""};
  for (const site& one : l.sites) {
    if (!goes_round(one)) continue;
    const retries& r = one.again;
    n.items.push_back({retries_sentence(r),
                       "",
                       {{"",
                         {one.pc, one.function, one.sass, one.file, one.line, one.text},
                         r.loop_end != 0 ? "in the loop 0x" + hex(r.loop_begin) + " to 0x" + hex(r.loop_end) : ""}},
                       {},
                       ""});
  }
  return n;
}

std::string retries_text(const launch_report& l, const style& s,
                         const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line) {
  const launch_note n = retries_note(l);
  if (n.items.empty()) return {};
  std::string text = "\n" + s.strong(n.title) + "\n";
  for (const launch_note::item& one : n.items) {
    const auto& [does, p, detail] = one.places.front();
    text += "  " + place_text(p) + (detail.empty() ? "" : "  " + detail) + "\n";
    if (source_line && p.line != 0)
      if (const std::string source(trim(source_line(p.file, p.line))); !source.empty())
        text += "    " + s.dim(shortened(source, 77)) + "\n";
    text += "    " + s.bad(one.what) + "\n";
  }
  return text;
}

}  // namespace bankwise
