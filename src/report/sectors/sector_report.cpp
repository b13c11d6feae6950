#include "report/sectors/sector_report.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "base/setting.hpp"
#include "base/text.hpp"
#include "report/sectors/sector_picture.hpp"

namespace bankwise {

namespace {

bool loses(const sector_report& r) { return r.why.total.sectors > r.why.total.sectors_ideal; }

u64 bytes_moved(const sector_report& r) { return u64{r.why.sectors} * sector_bytes; }

// A percentage. The function uses only integers, because code that prints floating-point numbers would be the largest
// part of the page's code.
std::string share_of(u64 part, u64 whole) {
  const u64 tenths = (part * 1000 + whole / 2) / whole;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
}

// Example: "12 in warps 0 and 2, 8 in warps 1 and 3"
std::string warps_of_block(const sector_report& r) {
  u64 sum = 0;
  std::map<u32, u32, std::greater<>> by_cost;
  for (const warp_sectors& w : r.warps) {
    sum += w.cost.sectors;
    by_cost[w.cost.sectors] |= 1u << w.warp;
  }
  std::string text = count_of(sum, "sector") + " in all " + std::to_string(r.warps.size()) + " warps: ";
  if (by_cost.size() == 1) return text + std::to_string(by_cost.begin()->first) + " in each";
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
  return "an element takes " + std::to_string(r.pieces.size()) + " accesses of " +
         count_of(r.what.width_bytes, "byte") + ": " + count_of(all.sectors, "sector") + " and " +
         count_of(all.tag_requests, "line") + " together for " + count_of(all.bytes, "byte") +
         "; the rest is about the first";
}

std::string unit_of_question(const sector_report& r) {
  return "the expression counts " + r.unit +
         (r.unit == "bytes" ? "; with " + worded(setting::type, "float") + " it counts floats" : "");
}

std::string base_text(const sector_report& r) {
  const std::string promise = "a multiple of " + std::to_string(allocation_bytes) + " bytes, as cudaMalloc gives it";
  if (r.base == 0) return promise;
  return count_of(r.base, "byte") + " after " + promise;
}

// Lists the sectors with unused bytes, at most `most_lines`.
std::string partial_sectors(const sector_report& r, const style& s, std::size_t most_lines) {
  std::string text;
  std::size_t lines = 0;
  for (u32 i = 0; i < r.why.sectors; ++i) {
    const wanted_sector& w = r.why.sector_at[i];
    if (w.bytes == full_mask) continue;
    if (lines++ >= most_lines) continue;
    const u64 first = w.sector * sector_bytes;
    text += "  bytes " + pad_right(std::to_string(first) + "-" + std::to_string(first + sector_bytes - 1), 14) + " " +
            pad_left(std::to_string(count_lanes(w.bytes)), 2) + " of 32 are asked for, by " + lane_words(w.lanes) +
            "\n";
  }
  if (lines > most_lines)
    text += s.dim("  ... and " + count_of(lines - most_lines, "more sector") + " (" + worded(setting::all) +
                  " lists everything)") +
            "\n";
  return text.empty() ? text : s.strong("sectors that are used in part") + "\n" + text;
}

std::string change_of(u64 before, u64 after) { return std::to_string(before) + " -> " + std::to_string(after); }

std::string remedies_text(const sector_report& r, const style& s) {
  if (r.remedies.empty()) return {};
  std::string text = s.strong("what helps") + "\n" + s.dim("  sectors      requests  lines") + "\n";
  for (const advise::global_remedy& m : r.remedies) {
    text += "  " + pad_right(change_of(m.before.sectors, m.after.sectors), 12) + " " +
            pad_right(change_of(m.before.requests, m.after.requests), 9) + " " +
            pad_right(change_of(m.before.tag_requests, m.after.tag_requests), 10) + " " + m.text + "\n";
    if (!m.command.empty()) text += s.dim(std::string(36, ' ') + m.command) + "\n";
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
  return r.arch == "sm_90" ? "H100, data/sm_90/global_patterns.csv.zst" : "as sm_90: sectors of 32 bytes, lines of 128";
}

std::string verdict(const sector_report& r) {
  const global_explanation& e = r.why;
  if (e.sectors == 0) return "no active lane: nothing is moved";
  std::string s = count_of(e.sectors, "sector") + ": ";
  if (e.used_in_part == 0) return s + "every byte that is moved is asked for";
  s += std::to_string(e.distinct_bytes) + " of the " + std::to_string(bytes_moved(r)) +
       " bytes that are moved are asked for";
  return s + (loses(r) ? "; " + std::to_string(e.total.sectors_ideal) + " would do" : "");
}

std::vector<std::string> reasons_of(const sector_report& r) {
  std::vector<std::string> texts;
  const global_explanation& e = r.why;
  if (e.sectors == 0) return texts;
  if (!loses(r)) {
    texts.push_back(e.used_in_part == 0
                        ? "The lanes ask for whole sectors."
                        : "The bytes that the lanes ask for do not fill more sectors: nothing is lost.");
    return texts;
  }
  u32 twice = 0, ends = 0;
  for (u32 i = 0; i < e.sectors; ++i) {
    twice += i != 0 && e.sector_at[i].sector == e.sector_at[i - 1].sector;
    // Whether the used bytes are contiguous, and begin or end at a border of the sector.
    const u32 b = e.sector_at[i].bytes, low = b & (~b + 1);
    ends += b != full_mask && (b & (b + low)) == 0;
  }
  if (twice != 0)
    texts.push_back(count_of(twice, "sector is", "sectors are") +
                    " moved twice: cp.async.cg moves both halves of a sector at once only if they stay neighbours in "
                    "shared memory.");
  const u32 holes = e.used_in_part - std::min(e.used_in_part, ends);
  if (holes != 0)
    texts.push_back("In " + count_of(holes, "sector") + " the lanes leave bytes out between those that they ask for.");
  if (ends != 0 && e.used_in_part != 0) {
    const u64 first = e.sector_at[0].sector * sector_bytes + [&] {
      u32 bit = 0;
      while (!has_lane(e.sector_at[0].bytes, bit)) ++bit;
      return bit;
    }();
    texts.push_back(
        ends <= 2 && first % sector_bytes != 0
            ? "The access begins " + std::to_string(first % sector_bytes) +
                  " bytes after the beginning of a sector: at its ends, parts of sectors are moved for nothing."
            : "In " + count_of(ends, "sector") + " the lanes ask for one piece only. The rest is moved for nothing.");
  }
  return texts;
}

std::string to_text(const sector_report& r, const style& s, bool all) {
  const global_explanation& e = r.why;
  const u32 lanes = count_lanes(r.what.mask);
  std::string text = (loses(r) ? s.bad(verdict(r)) : s.good(verdict(r))) + "\n\n";
  if (!r.warps.empty())
    text += "  block       " + warps_of_block(r) + "; the rest is about warp " + std::to_string(r.warp) + " (" +
            worded(setting::warp) + " N)\n";
  text += "  access      " + r.title + "\n";
  if (r.is_array_assumed)
    text += "  array       " + r.array->name + " is taken for an array of " + r.array->type + ": " +
            worded(setting::type) + " or " + worded(setting::array) + " says another type\n";
  if (!r.unit.empty()) text += "  unit        " + unit_of_question(r) + "\n";
  text += "  operation   " + r.op.spelling + ", " + count_of(lanes, "active lane") +
          (lanes == 32 || lanes == 0 ? "" : ": " + lane_list(r.what.mask)) + "\n";
  text += "  base        " + base_text(r) + "\n";
  text += "  machine     " + r.arch + " (" + r.family + "): sectors of 32 bytes, lines of 128\n";
  text += std::string("  rule        ") + evidence_of(r) + ": " + evidence_source_of(r) + "\n";
  if (!r.pieces.empty()) text += "  element     " + pieces_of_element(r) + "\n";
  text += "  requests    " + std::to_string(lanes != 0) + "\n";
  text += "  sectors     " + std::to_string(e.sectors) + "   ideal " + std::to_string(e.total.sectors_ideal) +
          ", excess " + std::to_string(e.sectors - e.total.sectors_ideal) + "; used in part " +
          std::to_string(e.used_in_part) + "\n";
  text += "  lines       " + std::to_string(e.lines) + "   L1 tag requests\n";
  text += "  bytes       " + std::to_string(e.total.bytes) + " asked for, " + std::to_string(bytes_moved(r)) +
          " moved" +
          (e.sectors == 0 ? "" : ", of which " + share_of(e.distinct_bytes, bytes_moved(r)) + " are asked for") + "\n";
  if (loses(r))
    for (const std::string& reason : reasons_of(r)) text += "  reason      " + reason + "\n";
  for (const other_access& o : r.others)
    text += "  also        " + o.operation + " of " + o.text + ": " + count_of(o.cost.sectors, "sector") + ", ideal " +
            std::to_string(o.cost.sectors_ideal) + "\n";
  if (e.sectors == 0) return text;
  text += "\n" + to_text(draw_sectors(r), s, all ? 1000 : 8);
  for (const std::string& part :
       {loses(r) ? partial_sectors(r, s, all ? 1000 : 8) : std::string(), remedies_text(r, s)})
    if (!part.empty()) text += "\n" + part;
  return text;
}

}  // namespace bankwise
