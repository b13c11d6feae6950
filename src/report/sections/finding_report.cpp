#include "report/sections/finding_report.hpp"

#include "base/format.hpp"
#include "base/text.hpp"
#include "model/instances.hpp"
#include "report/sections/dependence_report.hpp"
#include "report/sections/finding_words.hpp"
#include "report/table/source_excerpt.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

// Returns the source around the access.
std::string excerpt_of(const launch_report& l, const findings::finding& f, const run_text_options& options,
                       std::size_t width) {
  const instruction_place& at = findings::place_of(l, f);
  if (!options.source_line || at.line == 0) return {};
  const std::string source(trim(options.source_line(at.file, at.line)));
  if (source.empty() || f.is_of_sectors() || f.is_delay()) return shortened(source, width);
  const site& s = l.sites[f.sites.front()];
  return source_excerpt(source, s, array_of(l, s), width);
}

// Whether the sentence about the whole launch already says what the finding saves.
bool is_all_of(const launch_report& l, const findings::finding& f) {
  return f.what == findings::problem::conflict && f.amount == l.sum.removable;
}

}  // namespace

std::string finding_line(const report& r, const launch_report& l, std::size_t number, const findings::finding& f,
                         const style& s, const run_text_options& options) {
  const std::string what = what_words(r, l, f), cost = cost_words(r, l, f);
  std::string text = formatted("  {}  ", s.strong(formatted("{}. {}", number, place_words(l, f))));
  const bool is_long = f.is_of_sectors();  // the reason gets its own line
  if (f.is_delay())                        // the line about the time has the cost
    text += s.bad(what);
  else if (is_long)
    text += s.bad(cost);
  else
    text += formatted("{}, {}", what, s.bad(cost));
  text += "\n";
  if (const std::string source = excerpt_of(l, f, options, s.fits && s.width > 45 ? s.width - 5 : 95); !source.empty())
    text += formatted("     {}\n", s.dim(source));
  if (is_long) text += formatted("     {}\n", what);
  for (const std::string& also : also_words(r, l, f)) text += formatted("     {}\n", also);
  if (const std::string time = time_words(l, f); !time.empty() && !is_all_of(l, f))
    text += formatted("     {}\n", time);
  if (const fix_words fix = fix_of(l, f); !fix.is_empty())
    text += formatted("     {}\n", fix.is_fix ? s.good(fix.line()) : fix.line());
  return text;
}

std::string short_finding_line(const report& r, const launch_report& l, const findings::finding& f, const style& s) {
  const bool is_long = f.is_of_sectors();
  std::string text = formatted("  {}  {}: {}; ", s.strong(place_words(l, f) + more_lines_words(l, f)), shown_name(l),
                               is_long ? cost_words(r, l, f) : what_words(r, l, f));
  if (const std::string time = time_words(l, f); !time.empty()) text += formatted("{}; ", time);
  const fix_words fix = fix_of(l, f);
  if (fix.is_empty()) return formatted("{}{}\n", text, s.bad(cost_words(r, l, f)));
  const std::string words = formatted("{}{}", fix.in_short(), fix.saving.empty() ? fix.hint : "");
  return formatted("{}{}\n", text, fix.is_fix ? s.good(words) : words);
}

std::string worst_access_text(const report& r, const launch_report& l, std::size_t number,
                              const findings::finding& found, const style& s, const run_text_options& options) {
  const site& f = l.sites[found.sites.front()];
  std::string text = formatted("{}  {}, {}\n", s.strong(formatted("{}. {}", number, place_words(l, found))),
                               what_words(r, l, found), s.bad(cost_words(r, l, found)));
  if (const std::string source = excerpt_of(l, found, options, s.width > 20 ? s.width - 3 : 77); !source.empty())
    text += formatted("   {}\n", source);
  if (f.outer_line != 0 && (f.outer_line != f.line || f.outer_file != f.file))
    text += formatted("   inlined at {}:{}\n", base_name(f.outer_file), f.outer_line);
  text += formatted("   pc 0x{}  {}{}", hex(f.pc), f.sass, f.function.empty() ? "" : formatted("  in {}", f.function));
  if (found.sites.size() > 1)
    text += s.dim(formatted("  and {} on this line", count_of(found.sites.size() - 1, "more instruction")));
  if (const std::string depends = dependences_text(f); !depends.empty())
    text += formatted("\n   depends on: {}", depends);
  text += formatted("\n   this instruction: executed {}, {}; the worst access:\n", count_of(f.executed, "time"),
                    count_of(f.wavefronts, "wavefront"));
  const access_report worst = explained(f, r.on);
  text += formatted("   {}\n\n", paint_by_cost(worst, s, verdict(worst)));
  return text + collision_text(worst, s, options.all ? 64 : 5);
}

}  // namespace bankwise
