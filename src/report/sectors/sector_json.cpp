// Writes the answer about an access to global memory as JSON and as C++.
#include "bankwise/config.hpp"
#include "base/text.hpp"
#include "report/json/syntax/json_text.hpp"
#include "report/sectors/sector_report.hpp"

namespace bankwise {

namespace {

using sector_json = nlohmann::ordered_json;

sector_json sum_json(const advise::sector_sum& s) {
  return {{"requests", s.requests}, {"sectors", s.sectors}, {"tag_requests", s.tag_requests}};
}

sector_json cost_json(const global_cost& c) {
  return {
      {"sectors", c.sectors}, {"sectors_ideal", c.sectors_ideal}, {"tag_requests", c.tag_requests}, {"bytes", c.bytes}};
}

sector_json lines_json(const global_explanation& e) {
  sector_json lines = sector_json::array();
  for (u32 i = 0; i < e.lines; ++i) {
    const wanted_line& l = e.line_at[i];
    sector_json sectors = sector_json::array();
    for (u32 k = l.first_sector; k < l.first_sector + l.sectors; ++k) {
      const wanted_sector& w = e.sector_at[k];
      sectors.push_back({{"byte", w.sector * sector_bytes},
                         {"lanes", hex(w.lanes, 8)},
                         {"used", hex(w.bytes, 8)},
                         {"bytes_used", count_lanes(w.bytes)}});
    }
    lines.push_back({{"byte", l.line * line_bytes}, {"lanes", hex(l.lanes, 8)}, {"sectors", sectors}});
  }
  return lines;
}

}  // namespace

std::string to_json(const sector_report& r) {
  const global_explanation& e = r.why;
  sector_json addresses = sector_json::array(), remedies = sector_json::array();
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    addresses.push_back(has_lane(r.what.mask, lane) ? sector_json(r.what.addresses[lane]) : sector_json(nullptr));
  for (const advise::global_remedy& m : r.remedies) {
    sector_json one = {{"id", m.id}, {"text", m.text}, {"before", sum_json(m.before)}, {"after", sum_json(m.after)}};
    if (!m.command.empty()) one["command"] = m.command;
    remedies.push_back(std::move(one));
  }
  sector_json j = {
      {"schema", "bankwise.explain-global/1"},
      {"tool", {{"name", "bankwise"}, {"version", BANKWISE_VERSION}}},
      {"space", "global"},
      {"arch", r.arch},
      {"access", r.title},
      {"op", r.op.spelling},
      {"width_bytes", r.what.width_bytes},
      {"mask", hex(r.what.mask, 8)},
      {"base", r.base},
      {"addresses", addresses},
      {"verdict", verdict(r)},
      {"requests", r.what.mask != 0},
      {"sectors", e.sectors},
      {"sectors_ideal", e.total.sectors_ideal},
      {"excess", e.sectors - e.total.sectors_ideal},
      {"tag_requests", e.total.tag_requests},
      {"bytes", e.total.bytes},
      {"bytes_moved", e.sectors * sector_bytes},
      {"distinct_bytes", e.distinct_bytes},
      {"used_in_part", e.used_in_part},
      {"evidence", evidence_of(r)},
      {"evidence_source", evidence_source_of(r)},
      {"notes", r.notes},
      {"reasons", reasons_of(r)},
      {"lines", lines_json(e)},
      {"remedies", remedies},
  };
  j["requests"] = r.what.mask != 0 ? 1 : 0;
  if (!r.unit.empty()) j["unit"] = r.unit;
  if (!r.warps.empty()) {
    sector_json by_warp = sector_json::array();
    u64 sum = 0;
    for (const warp_sectors& w : r.warps) by_warp.push_back(w.cost.sectors), sum += w.cost.sectors;
    j["block"] = {{"warp", r.warp}, {"sectors", sum}, {"by_warp", by_warp}};
  }
  if (!r.pieces.empty()) {
    sector_json pieces = sector_json::array();
    for (const global_cost& c : r.pieces) pieces.push_back(cost_json(c));
    j["pieces"] = pieces;
  }
  if (!r.others.empty()) {
    sector_json others = sector_json::array();
    for (const other_access& o : r.others) {
      sector_json one = {{"op", o.operation}, {"access", o.text}};
      one.update(cost_json(o.cost));
      others.push_back(std::move(one));
    }
    j["others"] = others;
  }
  return json_text(j);
}

std::string to_cpp(const sector_report& r) {
  // The comment must be one line. A backslash at the end would continue the comment on the next line.
  std::string title;
  for (const char c : r.title) title += c == '\n' || c == '\r' || c == '\\' ? ' ' : c;
  std::string s = "#include <bankwise/bankwise.hpp>\n\n// " + title + " on " + r.arch + ": " + verdict(r) + "\n";
  s += "constexpr bankwise::u64 byte_address[32] = {\n";
  for (u32 lane = 0; lane < lanes_per_warp; lane += 8) {
    s += "   ";
    for (u32 i = lane; i < lane + 8; ++i)
      s += " " + std::to_string(has_lane(r.what.mask, i) ? r.what.addresses[i] : 0) + ",";
    s += "\n";
  }
  s += "};\nconstexpr auto global = bankwise::make_global_access(\n    " + std::to_string(r.what.width_bytes) +
       ", [](bankwise::u32 lane) { return byte_address[lane]; }" +
       (r.what.mask == full_mask ? "" : ", 0x" + hex(r.what.mask, 8) + "u") + ");\n";
  return s + "BANKWISE_ASSERT_SECTORS(global, " +
         std::to_string(r.what.past_l1 ? cost_of(r.what).sectors : r.why.sectors) + ");\n";
}

}  // namespace bankwise
