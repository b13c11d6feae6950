#include "report/table/cost_table.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "model/source_lines.hpp"
#include "report/table/estimate_report.hpp"
#include "report/table/source_excerpt.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_source_width = 48;
constexpr std::size_t none = ~std::size_t{0};
constexpr std::size_t most_instructions = 4;  // limit of instructions below a line without --all

bool only_waits(const launch_report& l, const source_line& line) {
  return std::all_of(line.sites.begin(), line.sites.end(), [&](std::size_t i) { return is_mbarrier(l.sites[i]); });
}

}  // namespace

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : formatted("{}%", fixed(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1));
}

std::string mean_lanes_text(std::uint64_t lanes, std::uint64_t executed) {
  return executed == 0 ? "-" : fixed(static_cast<double>(lanes) / static_cast<double>(executed), 1);
}

std::string cost_table(const launch_report& l, const style& s, const run_text_options& options) {
  text_table t;
  t.left_last = 2;
  const bool queues = l.sum.queued != 0;
  t.rows.push_back({"line", "executed"});
  if (options.all) t.rows[0].push_back("lanes");
  t.rows[0].push_back("wavefronts");
  const bool estimated = !l.within.empty();
  if (estimated) t.rows[0].push_back("within");
  for (const char* name : {"ideal", "excess", "removable"}) t.rows[0].push_back(name);
  if (queues) t.rows[0].push_back("queued");
  for (const char* name : {"cycles", "pipe", "issue", "access", "source"}) t.rows[0].push_back(name);
  std::vector<std::size_t> strong;
  // For each row of the table: the site that determines the excerpt of the source line.
  std::vector<std::size_t> site_of_row(1);
  const auto lanes_of = [&](const std::vector<std::size_t>& sites) {
    std::uint64_t lanes = 0, executed = 0;
    for (const std::size_t i : sites) lanes += l.sites[i].lanes, executed += l.sites[i].executed;
    return mean_lanes_text(lanes, executed);
  };
  const auto add = [&](const std::string& name, const totals& sum, const std::vector<std::size_t>& sites, bool at_least,
                       const std::string& access, const std::string& source, std::size_t of_site = none) {
    site_of_row.resize(t.rows.size() + 1, none);
    site_of_row.back() = of_site;
    if (sum.removable + sum.queued != 0 && name != "total") strong.push_back(t.rows.size());
    const auto or_none = [](std::uint64_t n) { return n == 0 ? std::string("-") : grouped(n); };
    std::vector<std::string>& row = t.rows.emplace_back();
    row = {name, grouped(sum.executed) + (at_least ? "+" : "")};
    if (options.all) row.push_back(lanes_of(sites));
    row.push_back(grouped(sum.wavefronts));
    if (estimated) row.push_back(name == "total" ? spread_text(l) : spread_text(l, sites));
    for (const std::string& cell : {grouped(sum.ideal), grouped(sum.wavefronts - sum.ideal), or_none(sum.removable)})
      row.push_back(cell);
    if (queues) row.push_back(or_none(sum.queued));
    for (const std::string& cell : {grouped(sum.cycles), percent_text(sum.cycles, l.sum.cycles),
                                    percent_text(sum.executed, l.sum.warp_instructions), access, source})
      row.push_back(cell);
  };
  const auto at_least = [&](std::size_t i) { return l.sites[i].executed_at_least; };
  // The excerpt shows the access of the instruction with the most wavefronts above the reachable number.
  const auto cut_around = [&](const source_line& line) {
    return *std::max_element(line.sites.begin(), line.sites.end(), [&](std::size_t a, std::size_t b) {
      return removable(l.sites[a]) + queued(l.sites[a]) < removable(l.sites[b]) + queued(l.sites[b]);
    });
  };
  const std::vector<source_line> lines = by_line(l);
  const bool several = std::any_of(lines.begin(), lines.end(), [&](const source_line& line) {
    return line.line != 0 && line.file != lines.front().file;
  });
  for (const source_line& line : lines) {
    if (!options.all && only_waits(l, line)) continue;
    const std::string source = options.source_line && line.line != 0 ? options.source_line(line.file, line.line) : "";
    std::vector<std::string> kinds;
    // The compiler may insert loads without active lanes before an asynchronous copy. Such loads are not accesses of
    // the line.
    for (const std::size_t i : line.sites)
      if ((l.sites[i].wavefronts != 0 || line.sum.wavefronts == 0) &&
          std::find(kinds.begin(), kinds.end(), l.sites[i].op.spelling) == kinds.end())
        kinds.push_back(l.sites[i].op.spelling);
    std::string access;
    for (const std::string& k : kinds) access += (access.empty() ? "" : ", ") + k;
    add(line.line == 0 ? "?" : (several ? formatted("{}:", base_name(line.file)) : "") + std::to_string(line.line),
        line.sum, line.sites, std::any_of(line.sites.begin(), line.sites.end(), at_least), access,
        std::string(trim(source)), cut_around(line));
    // If the line has several instructions, those with a finding are listed below the line. With --all, every
    // instruction of the line is listed.
    std::size_t listed = 0, left_out = 0;
    for (const std::size_t i : line.sites) {
      const site& one = l.sites[i];
      if (!options.all && (removable(one) + queued(one) == 0 || line.sites.size() == 1)) continue;
      if (!options.all && listed == most_instructions) {
        ++left_out;
        continue;
      }
      ++listed;
      totals sum;
      sum += one;
      add(formatted("0x{}", hex(one.pc)), sum, {i}, one.executed_at_least, one.op.spelling,
          formatted("  {}", one.sass));
    }
    if (left_out != 0) {
      t.rows.emplace_back(t.rows[0].size()).front() = "...";
      t.rows.back().back() = formatted("  and {} ({})", count_of(left_out, "more instruction"), worded(setting::all));
    }
  }
  std::vector<std::size_t> all(l.sites.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  add("total", l.sum, all, is_lower_bound(l), "", "");
  // If the output is not a terminal, the table has the width of a wide terminal.
  const auto excerpt = [&](std::size_t row, std::size_t width) {
    const std::size_t of = row < site_of_row.size() ? site_of_row[row] : none;
    return of == none ? shortened(t.rows[row].back(), width)
                      : source_excerpt(t.rows[row].back(), l.sites[of], array_of(l, l.sites[of]), width);
  };
  if (!s.fits)
    for (std::size_t row = 1; row < t.rows.size(); ++row)
      if (row < site_of_row.size() && site_of_row[row] != none) t.rows[row].back() = excerpt(row, most_source_width);
  if (s.fits)
    t.fit(s.width, {"lanes", "issue", "ideal", "excess", "access", "cycles", "executed", "within", "pipe"}, excerpt);
  return t.text(s, strong);
}

}  // namespace bankwise
