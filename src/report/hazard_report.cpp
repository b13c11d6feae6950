#include "report/hazard_report.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

struct hazard_words {
  hazard_kind kind;
  const char* name;
  const char* title;
  const char *first, *second;  // what the accesses do
  const char* hint;
};
constexpr hazard_words words_table[] = {
    {hazard_kind::uninitialised, "uninitialised", "reads shared memory that was never written", "", "read",
     "on a GPU it has old contents; here it is zero"},
    {hazard_kind::read_after_write, "read_after_write", "a read may come before the write", "write", "read",
     "nothing orders them: __syncthreads() between the two, or __syncwarp() within a warp"},
    {hazard_kind::write_after_read, "write_after_read", "a write may come before the read", "read", "write",
     "nothing orders them: __syncthreads() between the two, or __syncwarp() within a warp"},
    {hazard_kind::write_after_write, "write_after_write", "two writes may come in either order", "write", "write",
     "nothing orders them: __syncthreads() between the two, or __syncwarp() within a warp"},
};

const hazard_words& words_of(hazard_kind k) {
  for (const hazard_words& w : words_table)
    if (w.kind == k) return w;
  return words_table[0];
}

json place_json(const code_place& p, const std::array<std::uint32_t, 3>& thread) {
  json j = {{"pc", p.pc}};
  if (!p.function.empty()) j["function"] = p.function;
  j["sass"] = p.sass;
  j["file"] = base_name(p.file);
  j["path"] = p.file;
  j["line"] = p.line;
  j["thread"] = thread;
  return j;
}

}  // namespace

std::string_view name_of(hazard_kind k) { return words_of(k).name; }

bool parse_hazard_kind(std::string_view name, hazard_kind& k) {
  for (const hazard_words& w : words_table)
    if (name == w.name) {
      k = w.kind;
      return true;
    }
  return false;
}

std::string hazards_text(const launch_report& l, const style& s,
                         const std::function<std::string(const std::string& file, std::uint32_t line)>& source_line) {
  if (!l.checked.any()) return {};
  const char* const none = l.checked.uninitialised && l.checked.races ? "neither races nor uninitialised reads"
                           : l.checked.races                          ? "no races"
                                                                      : "no uninitialised reads";
  if (l.hazards.empty()) return s.good(std::string(none) + " of shared memory in this launch") + "\n";
  std::string text =
      s.strong(grouped(l.hazards.size()) + (l.hazards.size() == 1 ? " hazard" : " hazards") + " of shared memory") +
      "\n";
  const auto add = [&](const char* what, const code_place& p, const std::array<std::uint32_t, 3>& thread) {
    text += "   " + pad_right(what, 5) + "  " +
            (p.file.empty() ? std::string("?") : base_name(p.file) + ":" + std::to_string(p.line)) + "  pc 0x" +
            hex(p.pc) + "  " + p.sass + (p.function.empty() ? "" : "  in " + p.function) + "  thread (" +
            triple(thread) + ")\n";
    if (const std::string line = source_line && p.line != 0 ? source_line(p.file, p.line) : ""; !line.empty())
      text += "          " + s.dim(std::string(trim(line))) + "\n";
  };
  for (std::size_t i = 0; i < l.hazards.size(); ++i) {
    const hazard& h = l.hazards[i];
    const hazard_words& w = words_of(h.kind);
    text += "\n" + s.strong(std::to_string(i + 1) + ".") + " " + s.bad(w.title) + ", " + grouped(h.count) +
            (h.count == 1 ? " time" : " times") + "; first in block (" + triple(h.block) + ") at byte " +
            grouped(h.offset) + " of shared memory" + (h.array.empty() ? "" : ", in " + h.array) + "\n";
    if (*w.first != '\0') add(w.first, h.first, h.first_thread);
    add(w.second, h.second, h.second_thread);
    text += "   " + std::string(w.hint) + "\n";
  }
  return text;
}

json checks_json(const checks& c) {
  json list = json::array();
  if (c.uninitialised) list.push_back("uninit");
  if (c.races) list.push_back("race");
  return list;
}

json hazards_json(const launch_report& l) {
  json list = json::array();
  for (const hazard& h : l.hazards) {
    json one = {{"kind", name_of(h.kind)}, {"count", h.count}, {"block", h.block}, {"offset", h.offset}};
    one["array"] = h.array;
    one["first"] = place_json(h.first, h.first_thread);
    one["second"] = place_json(h.second, h.second_thread);
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace bankwise
