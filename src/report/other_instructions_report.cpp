#include "report/other_instructions_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/text_table.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_lines = 3;

std::string verdict(const advise::other_instructions& o) {
  const std::uint64_t less = o.executed_before - o.executed_after;
  return std::to_string(o.instructions_after) + " " + o.after.spelling + " in place of " +
         std::to_string(o.instructions_before) + " " + o.before.spelling + ": " +
         (o.wavefronts_after == o.wavefronts_before
              ? "as many wavefronts, "
              : grouped(o.wavefronts_after) + " wavefronts instead of " + grouped(o.wavefronts_before) + ", ") +
         count_of(less, "warp instruction") + " less";
}

// What must hold for it.
std::string needs(const advise::other_instructions& o) {
  if (is_matrix(o.after.op.kind))
    return std::string("lane l gives the address of a row of 16 bytes; it ") +
           (o.after.op.kind == op_kind::ldmatrix ? "gets the fragment that mma wants, as these loads do"
                                                 : "has the fragment that mma leaves, as these stores do");
  const u32 bytes = o.after.op.width_bytes;
  return "addresses that are multiples of " + std::to_string(bytes) +
         ", as all of this launch are, also where the array begins: __align__(" + std::to_string(bytes) +
         "); nothing between them that " + (o.before.op.kind == op_kind::load ? "stores there" : "reads there");
}

}  // namespace

std::string to_text(const std::vector<advise::other_instructions>& found, const style& s, bool all) {
  std::string text;
  std::size_t said = 0;
  for (const advise::other_instructions& o : found) {
    if (said == most_lines && !all) break;
    ++said;
    text += "  " + (o.kernel.empty() ? "" : o.kernel + "  ") +
            s.strong(base_name(o.file) + ":" + std::to_string(o.line)) + "  " + s.good(verdict(o)) + "\n";
    if (!o.text.empty()) text += "     " + shortened(o.text, s.width > 20 ? s.width - 5 : 75) + "\n";
    text += s.dim("     needs " + needs(o)) + "\n";
  }
  if (said != found.size()) text += s.dim("  --all: " + count_of(found.size() - said, "more line")) + "\n";
  return text.empty() ? text : "other instructions, where the layout may stay as it is:\n" + text;
}

nlohmann::ordered_json json_value(const advise::other_instructions& o) {
  using json = nlohmann::ordered_json;
  json sites = json::array();
  for (const advise::code_place& s : o.sites)
    sites.push_back(s.function.empty() ? json(s.pc) : json{{"function", s.function}, {"pc", s.pc}});
  return {{"kernel", o.kernel},
          {"file", base_name(o.file)},
          {"line", o.line},
          {"verdict", verdict(o)},
          {"op", o.before.spelling},
          {"instead", o.after.spelling},
          {"instructions", o.instructions_before},
          {"instructions_instead", o.instructions_after},
          {"executed", o.executed_before},
          {"executed_instead", o.executed_after},
          {"wavefronts", o.wavefronts_before},
          {"wavefronts_instead", o.wavefronts_after},
          {"needs", needs(o)},
          {"sites", std::move(sites)}};
}

}  // namespace bankwise
