// The JSON fields of a launch, its sums and its arrays.
#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/text.hpp"
#include "model/instances.hpp"
#include "model/shared_traffic.hpp"
#include "model/time_bound.hpp"
#include "report/json/access_json.hpp"
#include "report/json/global_site_fields.hpp"
#include "report/json/meaning_fields.hpp"
#include "report/json/report_fields.hpp"
#include "report/json/time_fields.hpp"
#include "report/sections/other_instructions_report.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

using site_index = std::map<std::pair<std::string, std::uint64_t>, std::size_t>;

site_index index_of(const launch_report& l) {
  site_index by_pc;
  for (std::size_t i = 0; i < l.sites.size(); ++i) by_pc.try_emplace({l.sites[i].function, l.sites[i].pc}, i);
  return by_pc;
}

// Checks an operation without lanes. It must have no conflicts, and no layout may save wavefronts.
void check_asynchronous(report_reader& r, const node& n, site& s) {
  for (const char* key : {"ideal", "reachable"})
    if (!r.wrong() && r.number(n, key, most_counted) != s.wavefronts)
      r.fail(r.value_at(n, key), formatted("expected {} (the number of wavefronts), because {} has no conflicts",
                                           grouped(s.wavefronts), s.op.spelling));
  s.layout_floor = s.wavefronts;
  s.best_cycles = s.cycles;
}

template <class T, class F>
void check_intervals(report_reader& r, const node& n, const T& of, std::size_t expected, F value_of) {
  if (of.within.empty() || r.wrong()) return;
  if (of.within.size() != expected) return r.fail(n, "the number of intervals differs from the number of counts");
  for (std::size_t i = 0; i < std::size(total_rows); ++i)
    if (const std::uint64_t is = value_of(i); is < of.within[i].low || is > of.within[i].high)
      return r.fail(n, formatted("the interval of {} does not contain the count {}", total_rows[i].name, grouped(is)));
}

void read_sites(report_reader& r, const node& n, launch_report& l) {
  const node sites = r.list(n, "sites");
  site_index by_pc;
  for (std::size_t i = 0; i < r.size(sites); ++i) {
    const node one = r.item(sites, i);
    site& s = l.sites.emplace_back();
    s.generic = r.has(one, "shared_executed");
    read_fields(site_fields(), r, one, s);
    if (!is_access(s)) check_asynchronous(r, one, s);
    check_intervals(r, one, s, std::size(total_rows), [&](std::size_t n_th) { return total_rows[n_th].of(s); });
    if (!by_pc.try_emplace({s.function, s.pc}, i).second)
      r.fail(one, formatted("there is already a site at pc 0x{}", hex(s.pc)));
    l.sum += s;
  }
}

const total_row& total_of(const field<launch_report>& f) { return *static_cast<const total_row*>(f.of); }
const whole_row& whole_of(const field<launch_report>& f) { return *static_cast<const whole_row*>(f.of); }

field<launch_report> field_of(const total_row& t) {
  using launch = launch_report;
  field<launch> f = derived<launch>(
      t.name, count_type, t.meaning,
      [](const field<launch>& row, const launch& l, const beside&) { return l.sum.*total_of(row).member; });
  f.of = &t;
  if (t.when == count_when::where_any)
    return std::move(f).given(
        [](const field<launch>& row, const launch& l, const beside&) { return l.sum.*total_of(row).member != 0; });
  if (t.when != count_when::always) return std::move(f).since();
  return std::move(f).read([](const field<launch>& row, report_reader& r, const node& n, launch& l) {
    const node one = r.value_at(n, row.key);
    const std::uint64_t sum = l.sum.*total_of(row).member;
    if (r.number(one, ~std::uint64_t{0}) != sum)
      r.refuse(one, formatted("expected {} (the sum over the sites)", grouped(sum)));
  });
}

// Makes the field of a count for the whole launch. Without sites, the count is unknown.
field<launch_report> field_of(const whole_row& w) {
  using launch = launch_report;
  field<launch> f = derived<launch>(
      w.name, count_type, w.meaning,
      [](const field<launch>& row, const launch& l, const beside&) { return l.sum.*whole_of(row).member; });
  f.of = &w;
  f.set = [](const field<launch>& row, report_reader& r, const node& n, launch& l) {
    l.sum.*whole_of(row).member = r.number(n, row.key, ~std::uint64_t{0} / 2);
  };
  if (w.when == count_when::where_any)
    return std::move(f).given(
        [](const field<launch>& row, const launch& l, const beside&) { return l.sum.*whole_of(row).member != 0; });
  return f;
}

json checks_json(const checks& c) {
  json list = json::array();
  if (c.uninitialised) list.push_back("uninit");
  if (c.races) list.push_back("race");
  if (c.memory) list.push_back("memory");
  if (c.synchronisation) list.push_back("sync");
  return list;
}

void read_checks(report_reader& r, const node& n, launch_report& l) {
  const node wanted = r.list(n, "checks", 4);
  for (std::size_t i = 0; i < r.size(wanted); ++i) {
    const node one = r.item(wanted, i);
    const std::string name = one.value->is_string() ? std::string(one.value->text()) : "";
    if (name == "uninit")
      l.checked.uninitialised = true;
    else if (name == "race")
      l.checked.races = true;
    else if (name == "memory")
      l.checked.memory = true;
    else if (name == "sync")
      l.checked.synchronisation = true;
    else
      r.refuse(one, "expected \"uninit\", \"race\", \"memory\" or \"sync\"");
  }
}

json fixes_json(const launch_report& l, const beside& b) {
  json list = json::array();
  if (b.fixes != nullptr)
    for (const advice_report& f : *b.fixes) list.push_back(json_value(f));
  else
    for (const known_fix& f : l.fixes) list.push_back(json::parse(f.json, nullptr, false));
  return list;
}

// Writes the pc of each site. If the site is not in the kernel itself, also writes the function.
json array_sites_json(const shared_array& a, const beside& b) {
  json list = json::array();
  for (const std::size_t i : a.sites) {
    const site& s = b.launch->sites[i];
    list.push_back(s.function.empty() ? json(s.pc) : json({{"function", s.function}, {"pc", s.pc}}));
  }
  return list;
}

// Writes the sites of each phase, as indices into the sites of the array.
json array_phases_json(const shared_array& a, const beside&) {
  json list = json::array();
  for (const auto& phase : a.phases) {
    json numbers = json::array();
    for (const std::size_t i : phase)
      numbers.push_back(std::lower_bound(a.sites.begin(), a.sites.end(), i) - a.sites.begin());
    list.push_back(std::move(numbers));
  }
  return list;
}

void read_phases(report_reader& r, const node& array, shared_array& a) {
  if (!r.has(array, "phases")) return;
  const node phases = r.list(array, "phases");
  for (std::size_t k = 0; k < r.size(phases) && !r.wrong(); ++k) {
    const node phase = r.item(phases, k);
    std::vector<std::size_t>& some = a.phases.emplace_back();
    for (std::size_t m = 0; m < r.size(phase) && !r.wrong(); ++m) {
      const std::uint64_t number = r.number(r.item(phase, m), most_u32);
      if (number < a.sites.size())
        some.push_back(a.sites[number]);
      else
        r.fail(phase,
               formatted("the index is too large, because the array has only {} sites", grouped(a.sites.size())));
    }
  }
}

void read_arrays(report_reader& r, const node& n, launch_report& l) {
  const site_index by_pc = index_of(l);
  const node arrays = r.list(n, "arrays");
  for (std::size_t i = 0; i < r.size(arrays); ++i) {
    const node array = r.item(arrays, i);
    shared_array& a = l.arrays.emplace_back();
    read_fields(array_fields(), r, array, a);
    if (!r.wrong() && a.end < a.begin)
      r.refuse(r.value_at(array, "end"),
               formatted("expected a whole number from {} to {}", grouped(a.begin), grouped(shared_memory_limit)));
    const node sites = r.list(array, "sites");
    for (std::size_t k = 0; k < r.size(sites); ++k) {
      const node one = r.item(sites, k);
      const bool in_function = one.value->is_object();
      const auto it =
          by_pc.find({in_function ? r.text(one, "function") : "", in_function ? r.pc(one) : r.number(one, most_u32)});
      if (it == by_pc.end())
        r.fail(one, "no site has this pc");
      else
        a.sites.push_back(it->second);
    }
    read_phases(r, array, a);
    std::sort(a.sites.begin(), a.sites.end());
  }
}

// --- keys of launch.def that are not plain members: how they are read and written

namespace launch_form {

using launch = launch_report;

field<launch> instance() {
  return form<launch>(text_type, [](const launch& l) { return shown_name(l); });
}

field<launch> shared_bytes() {
  return form<launch>(count_type, [](const launch& l) { return l.static_shared_bytes + l.dynamic_shared_bytes; })
      .read([](report_reader& r, const node& n, launch& l) {
        const auto both = r.number(n, "shared_bytes", shared_memory_limit);
        l.dynamic_shared_bytes = r.has(n, "dynamic_shared_bytes")
                                     ? static_cast<std::uint32_t>(r.number(n, "dynamic_shared_bytes", both))
                                     : 0;
        l.static_shared_bytes = static_cast<std::uint32_t>(both) - l.dynamic_shared_bytes;
      });
}
field<launch> dynamic_shared_bytes() {
  return form<launch>(count_type, [](const launch& l) { return l.dynamic_shared_bytes; });
}

field<launch> sites() {
  return form<launch>(list_of_type("site"),
                      [](const launch& l, const beside& b) { return write_all(site_fields(), l.sites, b); })
      .appended([](const launch& l, const beside& b, std::size_t indent, std::string& out) {
        append_all(site_fields(), l.sites, b, indent, out);
      })
      .read([](report_reader& r, const node& n, launch& l) { read_sites(r, n, l); });
}

field<launch> totals() {
  return form<launch>(object_type("totals"),
                      [](const launch& l, const beside& b) { return write_fields(totals_fields(), l, b); })
      .read([](report_reader& r, const node& n, launch& l) {
        read_fields(totals_fields(), r, r.value_at(n, "totals"), l);
      });
}

field<launch> global_sites() {
  return form<launch>(
             list_of_type("global_site"),
             [](const launch& l, const beside& b) { return write_all(global_site_fields(), l.global_sites, b); })
      .appended([](const launch& l, const beside& b, std::size_t indent, std::string& out) {
        append_all(global_site_fields(), l.global_sites, b, indent, out);
      })
      .read([](report_reader& r, const node& n, launch& l) { read_global_sites(r, n, l); });
}
field<launch> global_totals() {
  return form<launch>(object_type("global_totals"),
                      [](const launch& l, const beside& b) {
                        return write_fields(global_totals_fields(), sum_of(l.global_sites), b);
                      })
      .given([](const launch& l) { return l.global_counted; });
}

field<launch> shared_traffic() {
  return form<launch>(
             list_of_type("shared_traffic"),
             [](const launch& l, const beside& b) { return write_all(shared_traffic_fields(), traffic_of(l), b); })
      .given([](const launch& l) { return !traffic_of(l).empty(); });
}

field<launch> exactness() {
  return form<launch>(exactness_type, [](const launch& l) { return name_of(exactness_of(l)); })
      .given([](const launch&, const beside& b) { return b.whole == nullptr || b.whole->origin != "recorded"; });
}

field<launch> meaning() {
  return form<launch>(meaning_type, [](const launch& l) { return meaning_json(l.meaning); })
      .read([](report_reader& r, const node& n, launch& l) { l.meaning = read_meaning(r, n); });
}

field<launch> estimate() {
  return form<launch>(object_type("estimate"),
                      [](const launch& l, const beside& b) { return write_fields(estimate_fields(), l, b); })
      .read([](report_reader& r, const node& n, launch& l) {
        if (!l.scaled) return r.refuse(r.value_at(n, "estimate"), "expected this key only if \"scaled\" is true");
        read_fields(estimate_fields(), r, r.value_at(n, "estimate"), l);
        check_intervals(r, r.value_at(n, "estimate"), l, std::size(total_rows) + 1,
                        [&](std::size_t i) { return l.sum.*total_rows[i].member; });
        check_global_intervals(r, r.value_at(n, "estimate"), l.global_within, sum_of(l.global_sites));
      });
}

field<launch> partial() { return partial_form<launch>(); }
field<launch> partial_reason() { return partial_reason_form<launch>(); }
field<launch> signal() { return signal_form<launch>(); }

field<launch> ctas_begun() {
  return form<launch>(count_type, [](const launch& l) { return l.ctas_begun; })
      .read([](report_reader& r, const node& n, launch& l) {
        l.ctas_begun = r.number(n, "ctas_begun", most_counted, l.ctas_executed);
      });
}

field<launch> time() {
  return form<launch>(time_type, [](const launch& l) { return time_json(l.time); })
      .read([](report_reader& r, const node& n, launch& l) { l.time = read_time(r, n); });
}
field<launch> time_missing() {
  return form<launch>(R"({"enum": ["total_limit", "not_traced", "not_executed", "other_work"]})",
                      [](const launch& l) { return std::string(name_of(l.time_missing)); })
      .read([](report_reader& r, const node& n, launch& l) {
        const std::string why = r.text(n, "time_missing");
        for (const unpredicted one :
             {unpredicted::total_limit, unpredicted::not_traced, unpredicted::not_executed, unpredicted::other_work})
          if (why == name_of(one)) l.time_missing = one;
        if (l.time_missing == unpredicted::none)
          r.refuse(r.value_at(n, "time_missing"),
                   "expected \"total_limit\", \"not_traced\", \"not_executed\" or \"other_work\"");
      });
}
field<launch> time_trace() {
  return form<launch>(text_type, [](const launch& l) { return l.time_trace; })
      .read([](report_reader& r, const node& n, launch& l) { l.time_trace = read_letters(r, n, "time_trace"); });
}

field<launch> checks() {
  return form<launch>(R"({"type": "array", "items": {"enum": ["uninit", "race", "memory", "sync"]}})",
                      [](const launch& l) { return checks_json(l.checked); })
      .read([](report_reader& r, const node& n, launch& l) { read_checks(r, n, l); });
}

field<launch> hazards() { return list_of<launch, &launch::hazards, hazard_fields>("hazards", "hazard", ""); }
field<launch> out_of_bounds() {
  return list_of<launch, &launch::out_of_bounds, out_of_bounds_fields>("out_of_bounds", "out_of_bounds", "");
}
field<launch> other_results() {
  return list_of<launch, &launch::other_results, other_result_fields>("other_results", "other_result", "");
}
field<launch> block_races() {
  return list_of<launch, &launch::block_races, block_race_fields>("block_races", "block_race", "");
}

field<launch> fixes() {
  return form<launch>(
             R"({"type": "array", "items": {"title": "Fix", "type": "object", "required": ["array", "verdict", "answers"]}})",
             [](const launch& l, const beside& b) { return fixes_json(l, b); })
      .read([](report_reader& r, const node& n, launch& l) {
        const node list = r.list(n, "fixes");
        for (std::size_t i = 0; i < r.size(list); ++i) l.fixes.push_back(read_fix(r, r.item(list, i)));
      })
      .given([](const launch& l, const beside& b) { return b.fixes != nullptr || !l.fixes.empty(); });
}

field<launch> other_instructions() {
  return form<launch>(
             R"({"type": "array", "items": {"type": "object", "required": ["line", "verdict"], "properties": {"line": {"description": "line of the source", "type": "integer", "minimum": 0}, "verdict": {"description": "a sentence", "type": "string"}}}})",
             [](const launch& l) {
               json list = json::array();
               for (const known_move& m : l.moves) list.push_back(json::parse(m.json, nullptr, false));
               return list;
             })
      .read([](report_reader& r, const node& n, launch& l) {
        const node list = r.list(n, "other_instructions");
        for (std::size_t i = 0; i < r.size(list); ++i) l.moves.push_back(read_move(r, r.item(list, i)));
      });
}

field<launch> accesses_seen() {
  return form<launch>(count_type, [](const launch& l) { return l.accesses_seen; })
      .read([](report_reader& r, const node& n, launch& l) {
        l.accesses_seen = r.number(n, "accesses_seen", l.sum.executed);
      });
}
field<launch> accesses_kept() {
  return form<launch>(count_type, [](const launch& l) { return l.accesses_kept; })
      .read([](report_reader& r, const node& n, launch& l) {
        l.accesses_kept = r.number(n, "accesses_kept", l.accesses_seen);
        std::uint64_t sum = 0;
        for (const site& s : l.sites)
          for (const recorded_access& one : s.accesses) sum += one.count;
        if (!r.wrong() && sum != l.accesses_kept)
          r.fail(r.value_at(n, "accesses_kept"), formatted("expected {} (the sum over the sites)", grouped(sum)));
      });
}

field<launch> arrays() {
  return list_of<launch, &launch::arrays, array_fields>("arrays", "array", "")
      .read([](report_reader& r, const node& n, launch& l) { read_arrays(r, n, l); });
}
field<launch> not_executed() {
  return list_of<launch, &launch::not_executed, code_place_fields>("not_executed", "code_place", "");
}

}  // namespace launch_form

}  // namespace

const fields<launch_report>& launch_fields() {
  using launch = launch_report;
  static const fields<launch> all = [] {
    fields<launch> a;
#define FACT(type, name, initial, when, tells, adds, meaning) \
  a.push_back(fact<launch, &launch::name, fact_when::when>(#name, meaning));
#define KEYED(type, name, initial, key, when, tells, adds, meaning) \
  a.push_back(where<fact_when::when, &launch::name>(launch_form::key().named(#key, meaning)));
#define DERIVED(key, when, meaning) a.push_back(where<fact_when::when>(launch_form::key().named(#key, meaning)));
#include "model/launch.def"
    return a;
  }();
  return all;
}

const fields<launch_report>& totals_fields() {
  using launch = launch_report;
  static const fields<launch> all = [] {
    fields<launch> a;
    for (const total_row& t : total_rows) a.push_back(field_of(t));
    for (const whole_row& w : whole_rows) a.push_back(field_of(w));
    const auto multiplies = [](const launch& l) { return bound_of(l).tensor_cycles != 0; };
    a.push_back(derived<launch>("issue_cycles", count_type,
                                "clocks that one multiprocessor needs to issue the warp instructions, with four "
                                "instructions in each clock",
                                [](const launch& l) { return bound_of(l).issue_cycles; })
                    .since());
    a.push_back(derived<launch>("shared_cycles_reachable", count_type,
                                "clocks in which the shared pipe would be busy without the wavefronts that a layout "
                                "can remove",
                                [](const launch& l) { return bound_of(l).shared_cycles_reachable; })
                    .since());
    a.push_back(
        derived<launch>("shared_cycles", count_type,
                        "for wgmma or tcgen05.mma: clocks in which the shared pipe is busy. Clocks in which the tensor "
                        "cores multiply but do not read are not included",
                        [](const launch& l) { return bound_of(l).shared_cycles; })
            .given(multiplies));
    a.push_back(derived<launch>(
                    "tensor_cycles", count_type,
                    "for wgmma or tcgen05.mma: clocks in which the tensor cores of one multiprocessor are busy if they "
                    "run at their full rate",
                    [](const launch& l) { return bound_of(l).tensor_cycles; })
                    .given(multiplies));
    return a;
  }();
  return all;
}

const fields<shared_traffic>& shared_traffic_fields() {
  using row = shared_traffic;
  static const fields<row> all = {
      derived<row>("operation", text_type, "name of the operation, as in the sites",
                   [](const row& t) { return t.operation; }),
      derived<row>("to_shared", flag_type,
                   "true if the operation writes shared memory, false if it reads shared memory",
                   [](const row& t) { return t.to_shared; }),
      derived<row>("executed", count_type, "warp instructions", [](const row& t) { return t.executed; }),
      derived<row>("bytes", count_type, "bytes of shared memory that the operation reads or writes",
                   [](const row& t) { return t.bytes; }),
      derived<row>("byte_passes", count_type, "number of 128-byte passes that move these bytes",
                   [](const row& t) { return t.byte_passes; }),
      derived<row>("tensor_cycles", count_type,
                   "clocks in which the tensor cores of one multiprocessor are busy if they run at their full rate",
                   [](const row& t) { return t.tensor_cycles; })};
  return all;
}

const fields<shared_array>& array_fields() {
  static const fields<shared_array> all = [] {
    using array = shared_array;
    fields<array> a;
    a.push_back(plain<array, &array::name>(
        "name",
        "declared name of the array, or empty if the name is not known. Without a name, begin and end enclose only the "
        "accessed bytes"));
    a.push_back(plain<array, &array::begin>(
        "begin", "the first byte of the array, from the start of the block's shared memory", 0, shared_memory_limit));
    a.push_back(plain<array, &array::end>("end", "the first byte after the array", 0, shared_memory_limit));
    a.push_back(plain<array, &array::dynamic>("dynamic", "whether the array is in dynamic shared memory"));
    a.push_back(plain<array, &array::declared_bytes>(
        "declared_bytes", "number of bytes in the declaration, or 0 if this number is not known", 0,
        shared_memory_limit));
    a.push_back(derived<array>(
        "sites",
        R"({"type": "array", "items": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "object", "required": ["function", "pc"], "properties": {"function": {"type": "string"}, "pc": {"description": "byte offset in the code", "type": "integer", "minimum": 0}}}]}})",
        "sites that access the array. Each entry is the pc of a site. If the site is in a device function, the entry "
        "also has the function",
        [](const array& one, const beside& b) { return array_sites_json(one, b); }));
    a.push_back(
        derived<array>("phases",
                       R"({"type": "array", "items": {"type": "array", "items": {"type": "integer", "minimum": 0}}})",
                       "one set of sites for each array, if several arrays use the same memory at different times. "
                       "Each site is an index into the list of sites. The sites of a set write and read the same "
                       "values. The key exists only if there are several sets",
                       [](const array& one, const beside& b) { return array_phases_json(one, b); })
            .given([](const array& one, const beside&) { return !one.phases.empty(); }));
    return a;
  }();
  return all;
}

}  // namespace bankwise
