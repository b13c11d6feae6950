#include "report/sectors/sector_finding.hpp"

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/text/cost_table.hpp"
#include "report/text/text_table.hpp"

namespace bankwise {

namespace {

const global_site& first_of(const launch_report& l, const costly_sectors& found) {
  return l.global_sites[found.sites.front()];
}

std::string line_or_pc(const global_site& s) {
  return s.file.empty() ? formatted("pc 0x{}", hex(s.pc)) : formatted("{}:{}", base_name(s.file), s.line);
}

std::string touches(const launch_report& l, const costly_sectors& found) {
  const memory_kind of = memory_of(first_of(l, found).kind);  // kind of memory of the finding: global or local
  return formatted("touches {} of {} memory ({} of those in this launch)", count_of(found.sectors, "sector"),
                   name_of(of), percent_text(found.sectors, sum_of(l.global_sites, of).sectors));
}

}  // namespace

std::string sector_fix_sentence(const costly_sectors& found) {
  return formatted("{}: {} instead of {}", found.worst.remedy, count_of(found.left, "sector"), grouped(found.sectors));
}

std::string sector_finding_text(const launch_report& l, std::size_t number, const costly_sectors& found, const style& s,
                                const run_text_options& options) {
  const global_site& f = first_of(l, found);
  std::string text =
      formatted("  {}  {}\n", s.strong(formatted("{}. {}", number, line_or_pc(f))), s.bad(touches(l, found)));
  if (const std::string source(options.source_line && f.line != 0 ? trim(options.source_line(f.file, f.line)) : "");
      !source.empty())
    text += formatted("     {}\n", s.dim(shortened(source, s.fits && s.width > 45 ? s.width - 5 : 95)));
  return formatted("{}     {}\n     {}\n", text, found.worst.why,
                   s.good(formatted("fix: {}", sector_fix_sentence(found))));
}

std::string short_sector_finding(const launch_report& l, const costly_sectors& found, const style& s) {
  return formatted("  {}  {}: {}; {}\n", s.strong(line_or_pc(first_of(l, found))), l.name, touches(l, found),
                   s.good(formatted("fix: {}", sector_fix_sentence(found))));
}

std::string sector_finding_sentence(const launch_report& l, const costly_sectors& found) {
  return formatted("{}: {}: {}.", line_or_pc(first_of(l, found)), touches(l, found), found.worst.why);
}

}  // namespace bankwise
