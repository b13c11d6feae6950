#include "report/sections/copies_report.hpp"

#include <set>

#include "base/format.hpp"
#include "base/text.hpp"
#include "model/source_lines.hpp"
#include "report/picture/access_report.hpp"
#include "report/sections/finding_words.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

constexpr u32 row_bytes = 128;  // largest number of bytes that one wavefront writes

bool is_above_ideal(const site& s) { return is_copy(s.op.op.kind) && s.wavefronts > s.ideal; }

std::string lines_of(const std::set<u32>& all, const std::string& what) { return count_of(all.size(), what); }

// Returns the reason for the cost of the worst access.
std::string why_of(const site& f, const access_report& worst) {
  if (f.op.op.kind != op_kind::copy_async_cg) return verdict(worst);
  const copy_source from = worst.has_source ? worst.from : contiguous_source();
  const cost& c = worst.why.total;
  std::set<u32> lines, rows;
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if ((f.worst.mask & from.reads) >> i & 1) lines.insert(from.address[i] / line_bytes);
    if (f.worst.mask >> i & 1) rows.insert(f.worst.address[i] / row_bytes);
  }
  std::string text = formatted(
      "{}, {} ideal: {} of global memory are copied to {} of {} bytes. Each wavefront moves pieces of only one line to "
      "only one row",
      count_of(c.wavefronts, "wavefront"), grouped(c.ideal), lines_of(lines, "line"), lines_of(rows, "row"), row_bytes);
  if (const u32 fewest = source_floor(f.worst, from, worst.on.model); fewest < c.wavefronts)
    text += formatted(". The copy would take {} if each piece kept its position in its line",
                      count_of(fewest, "wavefront"));
  if (fills(f.worst, from)) text += ". Lanes for which the copy writes zeros take additional wavefronts";
  return text;
}

}  // namespace

std::string copies_text(const report& r, const launch_report& l, const style& s, const run_text_options& options) {
  std::string text;
  for (const source_line& line : by_line(l)) {
    counts sum;
    const site* worst = nullptr;
    bool past_l1 = true;
    for (const std::size_t i : line.sites) {
      const site& one = l.sites[i];
      if (!is_above_ideal(one) || one.wavefronts != one.reachable) continue;
      sum += one;
      past_l1 = past_l1 && one.op.op.kind == op_kind::copy_async_cg;
      if (worst == nullptr || one.wavefronts - one.ideal > worst->wavefronts - worst->ideal) worst = &one;
    }
    if (worst == nullptr) continue;
    const access_report explained_worst = explained(*worst, r.on);
    text += formatted(
        "  {}  {} of {}{}\n    {}\n",
        line.line == 0 ? formatted("pc 0x{}", hex(worst->pc)) : formatted("{}:{}", base_name(line.file), line.line),
        count_of(sum.wavefronts - sum.ideal, "excess wavefront"), worst->op.spelling,
        past_l1 ? ", which does not use the shared pipe" : "", why_of(*worst, explained_worst));
    if (options.all)
      text += formatted("    pc 0x{}  {}\n\n{}", hex(worst->pc), worst->sass, collision_text(explained_worst, s, 64));
  }
  return text.empty()
             ? text
             : formatted("\n{}\n{}", s.strong("asynchronous copies that take more wavefronts than the ideal number"),
                         text);
}

}  // namespace bankwise
