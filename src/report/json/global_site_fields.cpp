// The JSON fields of instructions on global memory, and of the sums over them in a launch.
#include "report/json/global_site_fields.hpp"

#include <set>
#include <tuple>

#include "base/format.hpp"
#include "base/text.hpp"
#include "model/sectors/sector_reason.hpp"
#include "report/json/access_json.hpp"
#include "report/json/instruction_place_form.hpp"
#include "report/json/report_fields.hpp"

namespace bankwise {

namespace {

const global_count_row& row_of(const field<global_site>& f) { return *static_cast<const global_count_row*>(f.of); }

field<global_site> field_of(const global_count_row& c) {
  field<global_site> f = derived<global_site>(
      c.name, count_type, c.meaning,
      [](const field<global_site>& row, const global_site& s, const beside&) { return row_of(row).value(s); });
  f.of = &c;
  if (c.member == nullptr) return f;
  f.set = [](const field<global_site>& row, report_reader& r, const node& n, global_site& s) {
    const global_count_row& one = row_of(row);
    s.*one.member = r.number(n, one.name, most_counted);
    if (one.at_most != nullptr && s.*one.member > s.*one.at_most)
      r.fail(r.value_at(n, one.name),
             formatted("the number is larger than the maximum, which is {}", grouped(s.*one.at_most)));
  };
  return f;
}

nlohmann::ordered_json sample_addresses(const global_sample& s) {
  auto list = nlohmann::ordered_json::array();
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    list.push_back((s.mask >> lane & 1) != 0 ? nlohmann::ordered_json(s.address[lane])
                                             : nlohmann::ordered_json(nullptr));
  return list;
}

const global_count_row& total_of(const field<global_counts>& f) { return *static_cast<const global_count_row*>(f.of); }

void read_sample(report_reader& r, const node& n, global_sample& s) {
  s.mask = read_mask(r, n);
  s.sectors = r.number_32(n, "sectors");
  s.sectors_ideal = r.number_32(n, "sectors_ideal");
  s.tag_requests = r.number_32(n, "tag_requests");
  const node list = r.list(n, "addresses", lanes_per_warp);
  if (r.wrong()) return;
  if (s.mask == 0) return r.fail(n, "the mask contains no lane");
  if (r.size(list) != lanes_per_warp) return r.refuse(list, "expected 32 addresses");
  for (u32 lane = 0; lane < lanes_per_warp && !r.wrong(); ++lane) {
    const node one = r.item(list, lane);
    const bool is_active = (s.mask >> lane & 1) != 0;
    if (is_active == one.value->is_null())
      return r.refuse(
          one, is_active ? "expected an address for a lane in the mask" : "expected null for a lane outside the mask");
    if (is_active) s.address[lane] = r.number(one, most_counted);
  }
}

void read_group(report_reader& r, const node& n, sector_group& g) {
  const node list = r.list(n, "pcs");
  for (std::size_t i = 0; i < r.size(list) && !r.wrong(); ++i) g.pcs.push_back(r.number(r.item(list, i), most_counted));
  g.sectors = r.number_32(n, "sectors");
  g.distinct_sectors = r.number_32(n, "distinct_sectors");
  if (r.wrong()) return;
  if (g.pcs.empty()) r.refuse(list, "expected the pc of an instruction");
  if (g.distinct_sectors > g.sectors) r.fail(n, "\"distinct_sectors\" is larger than \"sectors\"");
}

// --- keys of global_site.def that are not plain members

namespace global_site_form {

field<global_site> pc() {
  return form<global_site>(pc_type, [](const global_site& s) { return s.pc; })
      .read([](report_reader& r, const node& n, global_site& s) { s.pc = r.pc(n); });
}

field<global_site> op() {
  return form<global_site>(R"({"enum": ["ld", "st", "atom", "red", "cp.async", "ld.local", "st.local", "tex", )"
                           R"("suld", "sust", "sured"]})",
                           [](const global_site& s) { return std::string(name_of(s.kind)); })
      .read([](report_reader& r, const node& n, global_site& s) {
        if (!parse_global_kind(r.text(n, "op"), s.kind))
          r.refuse(r.value_at(n, "op"),
                   "expected one of \"ld\", \"st\", \"atom\", \"red\", \"cp.async\", \"ld.local\", \"st.local\", "
                   "\"tex\", \"suld\", \"sust\", \"sured\"");
      });
}

field<global_site> space() {
  return form<global_site>(R"({"enum": ["global", "local", "texture", "surface"]})",
                           [](const global_site& s) { return std::string(name_of(memory_of(s.kind))); });
}

field<global_site> worst() {
  return form<global_site>(
             object_type("global_sample"),
             [](const global_site& s, const beside& b) { return write_fields(global_sample_fields(), s.worst, b); })
      .read([](report_reader& r, const node& n, global_site& s) { read_sample(r, r.value_at(n, "worst"), s.worst); });
}

field<global_site> sector_group() {
  return form<global_site>(
             object_type("sector_group"),
             [](const global_site& s, const beside& b) { return write_fields(sector_group_fields(), s.group, b); })
      .read([](report_reader& r, const node& n, global_site& s) {
        read_group(r, r.value_at(n, "sector_group"), s.group);
      });
}

field<global_site> reason() {
  return form<global_site>(R"({"type": "string"})",
                           [](const global_site& s, const beside& b) { return reason_of(*b.launch, s).why; })
      .given([](const global_site& s, const beside& b) { return b.launch != nullptr && has_reason(*b.launch, s); });
}

field<global_site> remedy() {
  return form<global_site>(R"({"type": "string"})",
                           [](const global_site& s, const beside& b) { return reason_of(*b.launch, s).remedy; })
      .given([](const global_site& s, const beside& b) { return b.launch != nullptr && has_reason(*b.launch, s); });
}

field<global_site> sectors_after() {
  return form<global_site>(count_type,
                           [](const global_site& s, const beside& b) { return reason_of(*b.launch, s).leaves; })
      .given([](const global_site& s, const beside& b) { return b.launch != nullptr && has_reason(*b.launch, s); });
}

field<global_site> interval() {
  return object<global_site, &global_site::within, global_intervals_fields>("", "global_intervals", "");
}

INSTRUCTION_PLACE_FORMS(global_site)

}  // namespace global_site_form

}  // namespace

const fields<global_site>& global_site_fields() {
  static const fields<global_site> all = [] {
    fields<global_site> a;
#define FACT(type, name, initial, when, tells, adds, meaning) \
  a.push_back(fact<global_site, &global_site::name, fact_when::when>(#name, meaning));
#define KEYED(type, name, initial, key, when, tells, adds, meaning) \
  a.push_back(where<fact_when::when, &global_site::name>(global_site_form::key().named(#key, meaning)));
#define DERIVED(key, when, meaning) a.push_back(where<fact_when::when>(global_site_form::key().named(#key, meaning)));
#define COUNT(name, at_most, column, meaning) a.push_back(field_of(global_count_row_of(#name)));
#define EXCESS(name, column, meaning) a.push_back(field_of(global_count_row_of(#name)));
#include "model/global_site.def"
    return a;
  }();
  return all;
}

const fields<global_sample>& global_sample_fields() {
  static const fields<global_sample> all = {
      derived<global_sample>("mask", R"({"$ref": "#/definitions/mask"})", "active lanes",
                             [](const global_sample& s) { return hex(s.mask, 8); }),
      derived<global_sample>("addresses", R"({"$ref": "#/definitions/addresses"})",
                             "addresses of the lanes, in bytes from the start of the first 128-byte line",
                             [](const global_sample& s) { return sample_addresses(s); })
          .appended([](const global_sample& s, const beside&, std::size_t, std::string& out) {
            append_lanes(s.mask, s.address, out);
          }),
      derived<global_sample>("sectors", count_type, "number of sectors that the access touches",
                             [](const global_sample& s) { return s.sectors; }),
      derived<global_sample>("sectors_ideal", count_type,
                             "number of sectors that the bytes of the access would fill without gaps",
                             [](const global_sample& s) { return s.sectors_ideal; }),
      derived<global_sample>("tag_requests", count_type, "number of 128-byte lines that L1 looks up",
                             [](const global_sample& s) { return s.tag_requests; })};
  return all;
}

const fields<sector_group>& sector_group_fields() {
  static const fields<sector_group> all = {
      derived<sector_group>("pcs", R"({"type": "array", "items": {"type": "integer", "minimum": 0}})",
                            "pcs of the instructions, including this instruction",
                            [](const sector_group& g) { return g.pcs; }),
      derived<sector_group>("sectors", count_type,
                            "sum of the sectors that these instructions touch, with one access of each instruction",
                            [](const sector_group& g) { return g.sectors; }),
      derived<sector_group>("distinct_sectors", count_type, "number of distinct sectors in this sum",
                            [](const sector_group& g) { return g.distinct_sectors; })};
  return all;
}

const fields<global_counts>& global_totals_fields() {
  static const fields<global_counts> all = [] {
    fields<global_counts> a;
    for (const global_count_row& c : global_count_rows) {
      field<global_counts> f = derived<global_counts>(
          c.name, count_type, c.meaning, [](const field<global_counts>& row, const global_counts& s, const beside&) {
            return total_of(row).value(s);
          });
      f.of = &c;
      a.push_back(f);
    }
    return a;
  }();
  return all;
}

void check_global_intervals(report_reader& r, const node& n, const std::vector<interval>& within,
                            const global_counts& of) {
  if (within.empty() || r.wrong()) return;
  if (within.size() != std::size(global_count_rows))
    return r.fail(n, "the number of intervals differs from the number of counts");
  for (std::size_t i = 0; i < within.size(); ++i)
    if (const std::uint64_t is = global_count_rows[i].value(of); is < within[i].low || is > within[i].high)
      return r.fail(
          n, formatted("the interval of {} does not contain the count {}", global_count_rows[i].name, grouped(is)));
}

void read_global_sites(report_reader& r, const node& n, launch_report& l) {
  const node sites = r.list(n, "global_sites");
  std::set<std::tuple<std::string, std::uint64_t, global_kind>> places;
  for (std::size_t i = 0; i < r.size(sites) && !r.wrong(); ++i) {
    const node one = r.item(sites, i);
    global_site& s = l.global_sites.emplace_back();
    read_fields(global_site_fields(), r, one, s);
    check_global_intervals(r, one, s.within, s);
    const bool has_one_request = is_global(s.kind) || is_local(s.kind);  // at most one request per execution
    if (!r.wrong() && has_one_request && s.requests > s.executed)
      r.fail(r.value_at(one, "requests"),
             formatted("the number is larger than the maximum, which is {}", grouped(s.executed)));
    if (!places.emplace(s.function, s.pc, s.kind).second)
      r.fail(one, formatted("there is already a site of this kind at pc 0x{}", hex(s.pc)));
  }
}

}  // namespace bankwise
