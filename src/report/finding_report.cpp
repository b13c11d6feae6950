#include "report/finding_report.hpp"

#include "base/text.hpp"
#include "profile/clocks.hpp"
#include "profile/remedies.hpp"
#include "report/cost_table.hpp"
#include "report/dependence_report.hpp"
#include "report/text_table.hpp"

namespace bankwise {

namespace {

std::string line_or_pc(const site& s) {
  return s.file.empty() ? "pc 0x" + hex(s.pc) : base_name(s.file) + ":" + std::to_string(s.line);
}

std::string how_much(const report& r, const launch_report& l, const costly_line& found, const style& s) {
  const std::uint64_t lost = found.removable != 0 ? found.removable : found.queued;
  return s.bad(found.removable != 0 ? count_of(lost, "removable wavefront")
                                    : count_of(lost, "wavefront") + " of lanes that queue for one word") +
         ", " + percent_text(clocks_of(lost, r.on.model), l.sum.cycles) + " of the shared pipe";
}

// Of lanes that queue for one word.
std::string instead_of(const launch_report& l, const site& s) {
  const std::string found = remedies_sentence(l, s);
  return found.empty() ? "combine them before the access" : found;
}

// "32 wavefronts: a 32-way bank conflict on bank 0; 1 is reachable": what it is of this.
std::string why_of(const std::string& verdict) {
  const std::size_t begin = verdict.find(": "), end = verdict.find(';');
  return begin == std::string::npos ? verdict
                                    : verdict.substr(begin + 2, end == std::string::npos ? end : end - begin - 2);
}

// The layout that was found for the array that the instruction touches; or that no layout is the answer.
std::string fix_of(const launch_report& l, const site& f) {
  const bool by_data = depends_on_data(f);
  for (const known_fix& fix : l.fixes)
    for (const auto& [function, pc] : fix.sites) {
      if (function != f.function || pc != f.pc) continue;
      if (by_data) return "; the data cause it, what helps is below";
      if (!fix.code.empty()) return "; the fix is below, of " + fix.array;
    }
  return by_data ? "; the data cause it" : "";
}

}  // namespace

access_report explained(const site& s, const machine& on) {
  return report_access({s.sass, s.op, on, s.worst, is_copy(s.op.op.kind), s.worst_from, {}});
}

std::string finding_line(const report& r, const launch_report& l, std::size_t number, const costly_line& found,
                         const style& s) {
  const site& f = l.sites[found.sites.front()];
  return "  " + s.strong(std::to_string(number) + ". " + line_or_pc(f)) + "  " + how_much(r, l, found, s) + ": " +
         (found.removable != 0 ? why_of(verdict(explained(f, r.on))) : instead_of(l, f)) + fix_of(l, f) + "\n";
}

std::string finding_text(const report& r, const launch_report& l, std::size_t number, const costly_line& found,
                         const style& s, const run_text_options& options) {
  const site& f = l.sites[found.sites.front()];
  std::string text = s.strong(std::to_string(number) + ". " + line_or_pc(f)) + "  " + how_much(r, l, found, s) + "\n";
  if (options.source_line && f.line != 0)
    if (const std::string source(trim(options.source_line(f.file, f.line))); !source.empty())
      text += "   " + shortened(source, s.width > 20 ? s.width - 3 : 77) + "\n";
  if (f.outer_line != 0 && (f.outer_line != f.line || f.outer_file != f.file))
    text += "   inlined at " + base_name(f.outer_file) + ":" + std::to_string(f.outer_line) + "\n";
  text += "   pc 0x" + hex(f.pc) + "  " + f.sass + (f.function.empty() ? "" : "  in " + f.function);
  if (found.sites.size() > 1)
    text += s.dim("  and " + count_of(found.sites.size() - 1, "more instruction") + " of this line");
  if (found.removable != 0 && found.queued != 0)
    text +=
        "\n   and " + count_of(found.queued, "wavefront") + " of lanes that queue for one word: " + instead_of(l, f);
  else if (found.removable == 0)
    text += "\n   instead: " + instead_of(l, f);
  if (const std::string depends = dependences_text(f); !depends.empty()) text += "\n   depends on: " + depends;
  text += "\n   this instruction: executed " + count_of(f.executed, "time") + ", " +
          count_of(f.wavefronts, "wavefront") + "; the worst access:\n";
  const access_report worst = explained(f, r.on);
  text += "   " + paint_by_cost(worst, s, verdict(worst)) + "\n\n";
  return text + collision_text(worst, s, options.all ? 64 : 5);
}

}  // namespace bankwise
