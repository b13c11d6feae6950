#include "report/sectors/sector_report.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "report/sectors/sector_picture.hpp"

namespace bankwise {

namespace {

bool loses(const sector_report& r) { return r.why.total.sectors > r.why.total.sectors_ideal; }

u64 bytes_moved(const sector_report& r) { return u64{r.why.sectors} * sector_bytes; }

// Returns a percentage. The computation uses integers. Code for floating-point numbers would be the largest part of the
// page's code.
std::string share_of(u64 part, u64 whole) {
  const u64 tenths = (part * 1000 + whole / 2) / whole;
  return formatted("{}.{}%", tenths / 10, tenths % 10);
}

// Returns a text such as "12 in warps 0 and 2, 8 in warps 1 and 3".
std::string warps_of_block(const sector_report& r) {
  u64 sum = 0;
  std::map<u32, u32, std::greater<>> by_cost;
  for (const warp_sectors& w : r.warps) {
    sum += w.cost.sectors;
    by_cost[w.cost.sectors] |= 1u << w.warp;
  }
  std::string text = formatted("{} in total for all {} warps: ", count_of(sum, "sector"), r.warps.size());
  if (by_cost.size() == 1) return formatted("{}{} in each", text, by_cost.begin()->first);
  std::string parts;
  for (const auto& [cost, warps] : by_cost)
    parts += (parts.empty() ? "" : ", ") + std::to_string(cost) +
             (count_lanes(warps) == 1 ? " in warp " : " in warps ") + lane_list(warps);
  return text + parts;
}

std::string pieces_of_element(const sector_report& r) {
  global_cost all;
  for (const global_cost& c : r.pieces)
    all.sectors += c.sectors, all.tag_requests += c.tag_requests, all.bytes += c.bytes;
  return formatted(
      "each element takes {} accesses of {}: {} and {} in total for {}. The text below describes the first access",
      r.pieces.size(), count_of(r.what.width_bytes, "byte"), count_of(all.sectors, "sector"),
      count_of(all.tag_requests, "line"), count_of(all.bytes, "byte"));
}

std::string unit_of_question(const sector_report& r) {
  return formatted("EXPR is in {}{}", r.unit,
                   r.unit == "bytes" ? formatted(". With {}, EXPR is in floats", worded(setting::type, "float")) : "");
}

std::string base_text(const sector_report& r) {
  const std::string promise = formatted("a multiple of {} bytes, as with cudaMalloc", allocation_bytes);
  if (r.base == 0) return promise;
  return formatted("{} after {}", count_of(r.base, "byte"), promise);
}

// Lists at most `most_lines` sectors with unused bytes.
std::string partial_sectors(const sector_report& r, const style& s, std::size_t most_lines) {
  std::string text;
  std::size_t lines = 0;
  for (u32 i = 0; i < r.why.sectors; ++i) {
    const wanted_sector& w = r.why.sector_at[i];
    if (w.bytes == full_mask) continue;
    if (lines++ >= most_lines) continue;
    const u64 first = w.sector * sector_bytes;
    text += formatted("  bytes {} {} of 32 are requested by {}\n",
                      pad_right(formatted("{}-{}", first, first + sector_bytes - 1), 14),
                      pad_left(std::to_string(count_lanes(w.bytes)), 2), lane_words(w.lanes));
  }
  if (lines > most_lines)
    text += formatted("{}\n", s.dim(formatted("  ... and {} ({} lists everything)",
                                              count_of(lines - most_lines, "more sector"), worded(setting::all))));
  return text.empty() ? text : formatted("{}\n{}", s.strong("sectors that are used in part"), text);
}

std::string change_of(u64 before, u64 after) { return formatted("{} -> {}", before, after); }

std::string remedies_text(const sector_report& r, const style& s) {
  if (r.remedies.empty()) return {};
  std::string text = formatted("{}\n{}\n", s.strong("what helps"), s.dim("  sectors      requests  lines"));
  for (const advise::global_remedy& m : r.remedies) {
    text += formatted("  {} {} {} {}\n", pad_right(change_of(m.before.sectors, m.after.sectors), 12),
                      pad_right(change_of(m.before.requests, m.after.requests), 9),
                      pad_right(change_of(m.before.tag_requests, m.after.tag_requests), 10), m.text);
    if (!m.command.empty()) text += formatted("{}\n", s.dim(std::string(36, ' ') + m.command));
  }
  return text;
}

}  // namespace

sector_report report_sectors(const flag_values& flags, const std::string& text, const std::string& list_name,
                             named_global_access q) {
  sector_report r{std::move(q), {}, {}};
  r.why = explain(r.what);
  r.remedies = advise::remedies_of(flags, text, list_name, r);
  return r;
}

const char* evidence_of(const sector_report& r) { return r.arch == "sm_90" ? "measured" : "assumed"; }
const char* evidence_source_of(const sector_report& r) {
  return r.arch == "sm_90" ? "H100, data/sm_90/global_patterns.csv.zst"
                           : "like sm_90: sectors of 32 bytes, and lines of 128 bytes";
}

std::string verdict(const sector_report& r) {
  const global_explanation& e = r.why;
  if (e.sectors == 0) return "no lane is active, so no bytes are moved";
  std::string s = formatted("{}: ", count_of(e.sectors, "sector"));
  if (e.used_in_part == 0) return formatted("{}every moved byte is requested", s);
  s += formatted("{} of the {} moved bytes are requested", e.distinct_bytes, bytes_moved(r));
  return s + (loses(r) ? formatted(". {} would be enough", count_of(e.total.sectors_ideal, "sector")) : "");
}

std::vector<std::string> reasons_of(const sector_report& r) {
  std::vector<std::string> texts;
  const global_explanation& e = r.why;
  if (e.sectors == 0) return texts;
  if (!loses(r)) {
    texts.push_back(e.used_in_part == 0 ? "The lanes request whole sectors."
                                        : "The requested bytes need all of these sectors. No sector is wasted.");
    return texts;
  }
  u32 twice = 0, ends = 0;
  for (u32 i = 0; i < e.sectors; ++i) {
    twice += i != 0 && e.sector_at[i].sector == e.sector_at[i - 1].sector;
    // Whether the used bytes are contiguous and touch an end of the sector.
    const u32 b = e.sector_at[i].bytes, low = b & (~b + 1);
    ends += b != full_mask && (b & (b + low)) == 0;
  }
  if (twice != 0)
    texts.push_back(
        formatted("{} moved twice. cp.async.cg moves both halves of a sector at once only if the halves are also "
                  "neighbours in shared memory.",
                  count_of(twice, "sector is", "sectors are")));
  const u32 holes = e.used_in_part - std::min(e.used_in_part, ends);
  if (holes != 0)
    texts.push_back(formatted("In {}, there are unused bytes between the bytes that the lanes request.",
                              count_of(holes, "sector")));
  if (ends != 0 && e.used_in_part != 0) {
    const u64 first = e.sector_at[0].sector * sector_bytes + [&] {
      u32 bit = 0;
      while (!has_lane(e.sector_at[0].bytes, bit)) ++bit;
      return bit;
    }();
    texts.push_back(
        ends <= 2 && first % sector_bytes != 0
            ? formatted("The access begins {} bytes after the beginning of a sector, so the GPU also moves unused "
                        "parts of sectors at the ends of the access.",
                        first % sector_bytes)
            : formatted("In {}, the lanes request only a part of the bytes. The GPU moves whole sectors.",
                        count_of(ends, "sector")));
  }
  return texts;
}

std::string to_text(const sector_report& r, const style& s, bool all) {
  const global_explanation& e = r.why;
  const u32 lanes = count_lanes(r.what.mask);
  std::string text = formatted("{}\n\n", loses(r) ? s.bad(verdict(r)) : s.good(verdict(r)));
  if (!r.warps.empty())
    text += formatted("  block       {}. The text below describes warp {} ({} N selects another warp)\n",
                      warps_of_block(r), r.warp, worded(setting::warp));
  text += formatted("  access      {}\n", r.title);
  if (r.is_array_assumed)
    text += formatted("  array       {} is assumed to be an array of {}. {} or {} sets a different type\n",
                      r.array->name, r.array->type, worded(setting::type), worded(setting::array));
  if (!r.unit.empty()) text += formatted("  unit        {}\n", unit_of_question(r));
  text += formatted("  operation   {}, {}{}\n", r.op.spelling, count_of(lanes, "active lane"),
                    lanes == 32 || lanes == 0 ? "" : formatted(": {}", lane_list(r.what.mask)));
  text += formatted("  base        {}\n", base_text(r));
  text += formatted("  machine     {} ({}): sectors of 32 bytes, lines of 128\n", r.arch, r.family);
  text += formatted("  rule        {}: {}\n", evidence_of(r), evidence_source_of(r));
  if (!r.pieces.empty()) text += formatted("  element     {}\n", pieces_of_element(r));
  text += formatted("  requests    {}\n", lanes != 0 ? 1 : 0);
  text += formatted("  sectors     {}   ideal {}, excess {}; used in part {}\n", e.sectors, e.total.sectors_ideal,
                    e.sectors - e.total.sectors_ideal, e.used_in_part);
  text += formatted("  lines       {}   L1 tag requests\n", e.lines);
  text += formatted("  bytes       {} requested, {} moved{}\n", e.total.bytes, bytes_moved(r),
                    e.sectors == 0 ? ""
                                   : formatted(", and {} of the moved bytes are "
                                               "requested",
                                               share_of(e.distinct_bytes, bytes_moved(r))));
  if (loses(r))
    for (const std::string& reason : reasons_of(r)) text += formatted("  reason      {}\n", reason);
  for (const other_access& o : r.others)
    text += formatted("  also        {} of {}: {}, ideal {}\n", o.operation, o.text, count_of(o.cost.sectors, "sector"),
                      o.cost.sectors_ideal);
  if (e.sectors == 0) return text;
  text += formatted("\n{}", to_text(draw_sectors(r), s, all ? 1000 : 8));
  for (const std::string& part :
       {loses(r) ? partial_sectors(r, s, all ? 1000 : 8) : std::string(), remedies_text(r, s)})
    if (!part.empty()) text += formatted("\n{}", part);
  return text;
}

}  // namespace bankwise
