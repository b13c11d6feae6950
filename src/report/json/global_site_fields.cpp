// The fields of an instruction on global memory, and of the sums of a launch.
#include "report/json/global_site_fields.hpp"

#include <set>
#include <tuple>

#include "report/json/instruction_place_form.hpp"

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
      r.fail(r.value_at(n, one.name), "more than there can be: " + grouped(s.*one.at_most));
  };
  return f;
}

const global_count_row& total_of(const field<global_counts>& f) { return *static_cast<const global_count_row*>(f.of); }

// --- the forms of keys that are not plain members, by their names in global_site.def

namespace global_site_form {

field<global_site> pc() {
  return form<global_site>(pc_type, [](const global_site& s) { return s.pc; })
      .read([](report_reader& r, const node& n, global_site& s) { s.pc = r.pc(n); });
}

field<global_site> op() {
  return form<global_site>(R"({"enum": ["ld", "st", "atom", "red", "cp.async", "ld.local", "st.local"]})",
                           [](const global_site& s) { return std::string(name_of(s.kind)); })
      .read([](report_reader& r, const node& n, global_site& s) {
        if (!parse_global_kind(r.text(n, "op"), s.kind))
          r.refuse(r.value_at(n, "op"), "ld, st, atom, red, cp.async, ld.local or st.local");
      });
}

field<global_site> space() {
  return form<global_site>(R"({"enum": ["global", "local"]})",
                           [](const global_site& s) { return is_local(s.kind) ? "local" : "global"; });
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

void read_global_sites(report_reader& r, const node& n, launch_report& l) {
  const node sites = r.list(n, "global_sites");
  std::set<std::tuple<std::string, std::uint64_t, global_kind>> places;
  for (std::size_t i = 0; i < r.size(sites) && !r.wrong(); ++i) {
    const node one = r.item(sites, i);
    global_site& s = l.global_sites.emplace_back();
    read_fields(global_site_fields(), r, one, s);
    if (!places.emplace(s.function, s.pc, s.kind).second)
      r.fail(one, "a second site of this kind at pc 0x" + hex(s.pc));
  }
}

}  // namespace bankwise
