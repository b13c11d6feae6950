#include "report/out_of_bounds_report.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

}  // namespace

std::string out_of_bounds_text(
    const launch_report& l, const style& s,
    const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line) {
  if (l.out_of_bounds.empty()) return {};
  std::string text = s.strong(count_of(l.out_of_bounds.size(), "instruction") + " out of bounds of global memory") +
                     ": a GPU lets " + (l.out_of_bounds.size() == 1 ? "it" : "them") +
                     " pass, and the launch went on as there\n";
  for (std::size_t i = 0; i < l.out_of_bounds.size(); ++i) {
    const out_of_bounds_access& a = l.out_of_bounds[i];
    const code_place& p = a.place;
    text += "\n" + s.strong(std::to_string(i + 1) + ".") + " " +
            s.bad(std::string(name_of(a.direction)) + "s " + count_of(a.bytes, "byte") + " " + a.nearest) + "\n   " +
            count_of(a.lanes, "lane") + " of " + count_of(a.count, "execution") + "; first at address 0x" +
            hex(a.address) + " in block (" + triple(a.block) + "), warp " + std::to_string(a.warp) + ", lane " +
            std::to_string(a.lane) + ", thread (" + triple(a.thread) + ")\n   " +
            (p.file.empty() ? std::string("?") : base_name(p.file) + ":" + std::to_string(p.line)) + "  pc 0x" +
            hex(p.pc) + "  " + p.sass + (p.function.empty() ? "" : "  in " + p.function) + "\n";
    if (const std::string line = source_line && p.line != 0 ? source_line(p.file, p.line) : ""; !line.empty())
      text += "          " + s.dim(std::string(trim(line))) + "\n";
    for (const std::string& step : a.trail) text += "   " + step + "\n";
  }
  return text +
         "   check the sizes of the buffers against what the kernel indexes; --faults stop ends the launch here\n";
}

json out_of_bounds_json(const launch_report& l) {
  json list = json::array();
  for (const out_of_bounds_access& a : l.out_of_bounds) {
    json one = {{"access", name_of(a.direction)},
                {"bytes", a.bytes},
                {"count", a.count},
                {"lanes", a.lanes},
                {"pc", a.place.pc}};
    if (!a.place.function.empty()) one["function"] = a.place.function;
    one["sass"] = a.place.sass;
    one["file"] = base_name(a.place.file);
    one["path"] = a.place.file;
    one["line"] = a.place.line;
    if (!a.place.text.empty()) one["text"] = a.place.text;
    one["block"] = a.block;
    one["thread"] = a.thread;
    one["warp"] = a.warp;
    one["lane"] = a.lane;
    one["address"] = a.address;
    one["nearest"] = a.nearest;
    one["trail"] = a.trail;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace bankwise
