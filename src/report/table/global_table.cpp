#include "report/table/global_table.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "report/table/cost_table.hpp"
#include "report/table/estimate_report.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_global_lines = 8;  // limit of listed lines without --all
constexpr std::size_t most_global_source = 48;

// The accesses of one kind on a source line.
struct global_line {
  std::string file, name;
  std::uint32_t line = 0;
  global_kind kind{};
  global_counts sum;
  std::vector<const global_site*> sites;
};

// Returns the lines in the order of excess sectors, highest first. An instruction without a source line has its own
// row.
std::vector<global_line> lines_of(const launch_report& l) {
  std::vector<global_line> lines;
  for (const global_site& s : l.global_sites) {
    if (!is_global(s.kind)) continue;
    const auto there = std::find_if(lines.begin(), lines.end(), [&](const global_line& o) {
      return s.line != 0 && o.line == s.line && o.file == s.file && o.kind == s.kind;
    });
    if (there != lines.end()) {
      there->sum += s;
      there->sites.push_back(&s);
      continue;
    }
    lines.push_back(
        {s.file, s.line == 0 ? formatted("0x{}", hex(s.pc)) : std::to_string(s.line), s.line, s.kind, s, {&s}});
  }
  std::stable_sort(lines.begin(), lines.end(), [](const global_line& a, const global_line& b) {
    return excess_sectors(a.sum) > excess_sectors(b.sum);
  });
  return lines;
}

std::string per_request(const global_counts& c) {
  return c.requests == 0 ? "-" : fixed(static_cast<double>(c.sectors) / static_cast<double>(c.requests), 1);
}

// Returns a text such as ", lines 12, 15".
std::string named_lines(const std::set<std::uint32_t>& lines) {
  std::string named;
  for (const std::uint32_t line : lines) {
    if (named.size() > 60) return formatted("{}, ...", named);
    named += (named.empty() ? (lines.size() == 1 ? ", line " : ", lines ") : ", ") + std::to_string(line);
  }
  return named;
}

// Returns the sums of a kind of memory other than global memory, as one line of text.
std::string sum_text(const launch_report& l, memory_kind of, const std::string& title, const char* what) {
  const global_counts sum = sum_of(l.global_sites, of);
  if (sum.requests == 0) return {};
  std::set<std::uint32_t> lines;
  for (const global_site& one : l.global_sites)
    if (memory_of(one.kind) == of && one.line != 0) lines.insert(one.line);
  return formatted("{}   {} in {}{}{}\n", title, count_of(sum.sectors, "sector"), count_of(sum.requests, "request"),
                   named_lines(lines), what);
}

// Returns a sentence about local memory, which contains the stacks of the threads. Registers are faster than local
// memory.
std::string local_text(const launch_report& l, const style& s) {
  return sum_text(l, memory_kind::local, s.strong("local memory"),
                  ": spilled registers, or arrays with computed indices");
}

std::string texture_text(const launch_report& l, const style& s) {
  return sum_text(l, memory_kind::texture, s.strong("textures"), "") +
         sum_text(l, memory_kind::surface, s.strong("surfaces"), "");
}

std::string by_line_text(const launch_report& l, const style& s, const run_text_options& options) {
  const std::vector<global_line> lines = lines_of(l);
  if (lines.empty()) return formatted("{}  no access\n", s.strong("global memory"));
  const global_counts all = sum_of(l.global_sites);
  if (excess_sectors(all) == 0 && !options.all)
    return formatted("{}  {} in {}, which is the minimum for the bytes\n", s.strong("global memory"),
                     count_of(all.sectors, "sector"), count_of(all.requests, "request"));
  const bool several = std::any_of(lines.begin(), lines.end(), [&](const global_line& line) {
    return line.line != 0 && line.file != lines.front().file;
  });
  text_table t;
  t.left_last = 2;
  t.rows.push_back(
      {"line", "requests", "sectors", "ideal", "excess", "sectors/request", "lines", "share", "access", "source"});
  // The column after the sectors is the possible error of an estimate.
  const bool estimated = !l.global_within.empty();
  if (estimated) t.rows[0].insert(t.rows[0].begin() + 3, "within");
  const auto add = [&](const std::string& name, const global_counts& c, const std::string& within,
                       const std::string& access, const std::string& source) {
    t.rows.push_back({name, grouped(c.requests), grouped(c.sectors), grouped(c.sectors_ideal),
                      excess_sectors(c) == 0 ? "-" : grouped(excess_sectors(c)), per_request(c),
                      grouped(c.tag_requests), percent_text(c.sectors, all.sectors), access, source});
    if (estimated) t.rows.back().insert(t.rows.back().begin() + 3, within);
  };
  std::vector<std::size_t> strong;
  std::size_t left_out = 0;
  for (const global_line& line : lines) {
    if (!options.all && (excess_sectors(line.sum) == 0 || t.rows.size() > most_global_lines)) {
      ++left_out;
      continue;
    }
    if (excess_sectors(line.sum) != 0) strong.push_back(t.rows.size());
    const std::string source = options.source_line && line.line != 0 ? options.source_line(line.file, line.line) : "";
    add((several && line.line != 0 ? formatted("{}:", base_name(line.file)) : "") + line.name, line.sum,
        sector_spread_text(line.sites), std::string(name_of(line.kind)), std::string(trim(source)));
  }
  if (left_out != 0) {
    t.rows.emplace_back(t.rows[0].size()).front() = "...";
    t.rows.back().back() = formatted("  and {} ({})", count_of(left_out, "more line"), worded(setting::all));
  }
  add("total", all, sector_spread_text(l), "", "");
  if (s.fits)
    t.fit(s.width, {"share", "lines", "requests", "within"});
  else
    for (std::vector<std::string>& row : t.rows) row.back() = shortened(row.back(), most_global_source);
  return formatted("{}  sectors of 32 bytes\n{}", s.strong("global memory by source line"), t.text(s, strong));
}

}  // namespace

std::string global_table(const launch_report& l, const style& s, const run_text_options& options) {
  return l.global_counted ? by_line_text(l, s, options) + local_text(l, s) + texture_text(l, s) : std::string();
}

}  // namespace bankwise
