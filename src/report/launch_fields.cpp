// The fields of a launch, of its sums and of its arrays.
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "report/access_json.hpp"
#include "report/other_instructions_report.hpp"
#include "report/report_fields.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

bool is_recorded(const launch_report&, const beside& b) { return b.whole != nullptr && b.whole->origin == "recorded"; }
bool has_accesses(const launch_report& l) { return l.has_accesses; }
bool is_checked(const launch_report& l) { return l.checked.any(); }

using site_index = std::map<std::pair<std::string, std::uint64_t>, std::size_t>;

site_index index_of(const launch_report& l) {
  site_index by_pc;
  for (std::size_t i = 0; i < l.sites.size(); ++i) by_pc.try_emplace({l.sites[i].function, l.sites[i].pc}, i);
  return by_pc;
}

// What is no access of lanes: nothing collides, and no layout wins anything.
void check_asynchronous(report_reader& r, const node& n, site& s) {
  for (const char* key : {"ideal", "reachable"})
    if (!r.wrong() && r.number(n, key, most_counted) != s.wavefronts)
      r.fail(r.at(n, key),
             "expected the " + grouped(s.wavefronts) + " wavefronts: " + s.op.spelling + " has no conflicts");
  s.layout_floor = s.wavefronts;
  s.best_cycles = s.cycles;
}

// An estimate lies in its interval.
template <class T, class F>
void check_intervals(report_reader& r, const node& n, const T& of, std::size_t expected, F value_of) {
  if (of.within.empty() || r.wrong()) return;
  if (of.within.size() != expected) return r.fail(n, "intervals of other numbers than it has");
  for (std::size_t i = 0; i < std::size(total_rows); ++i)
    if (const std::uint64_t is = value_of(i); is < of.within[i].low || is > of.within[i].high)
      return r.fail(n, grouped(is) + " " + total_rows[i].name + " are outside of their interval");
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
    if (!by_pc.try_emplace({s.function, s.pc}, i).second) r.fail(one, "a second site at pc 0x" + hex(s.pc));
    l.sum += s;
  }
}

// They are the sums over the sites.
field<launch_report> field_of(const total_row& t) {
  field<launch_report> f =
      derived<launch_report>(t.name, count_type, t.meaning, [t](const launch_report& l) { return l.sum.*t.member; });
  if (t.when != count_when::always) return std::move(f).since();
  f.set = [t](report_reader& r, const node& n, launch_report& l) {
    const node one = r.at(n, t.name);
    if (r.number(one, ~std::uint64_t{0}) != l.sum.*t.member)
      r.refuse(one, grouped(l.sum.*t.member) + ", the sum over the sites");
  };
  return f;
}

json checks_json(const checks& c) {
  json list = json::array();
  if (c.uninitialised) list.push_back("uninit");
  if (c.races) list.push_back("race");
  return list;
}

void read_checks(report_reader& r, const node& n, launch_report& l) {
  const node wanted = r.list(n, "checks", 2);
  for (std::size_t i = 0; i < r.size(wanted); ++i) {
    const node one = r.item(wanted, i);
    const std::string name = one.value->is_string() ? one.value->get<std::string>() : "";
    if (name != "uninit" && name != "race") r.refuse(one, "uninit or race");
    (name == "race" ? l.checked.races : l.checked.uninitialised) = true;
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

// The pc, with the function where it is not the kernel.
json array_sites_json(const shared_array& a, const beside& b) {
  json list = json::array();
  for (const std::size_t i : a.sites) {
    const site& s = b.launch->sites[i];
    list.push_back(s.function.empty() ? json(s.pc) : json({{"function", s.function}, {"pc", s.pc}}));
  }
  return list;
}

// As numbers in the list of its sites.
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
        r.fail(phase, "the array has " + grouped(a.sites.size()) + " sites");
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
      r.refuse(r.at(array, "end"), "a whole number from " + grouped(a.begin) + " to " + grouped(shared_memory_limit));
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

}  // namespace

const fields<launch_report>& launch_fields() {
  static const fields<launch_report>& all = kept([] {
    using launch = launch_report;
    fields<launch> a;
    a.push_back(plain<launch>("kernel", &launch::kernel, "demangled, with its parameters"));
    a.push_back(plain<launch>("name", &launch::name, "without template arguments and parameters"));
    a.push_back(plain<launch>("mangled", &launch::mangled, "as the linker knows it"));
    a.push_back(plain<launch>("grid", &launch::grid, "blocks in x, y, z"));
    a.push_back(plain<launch>("block", &launch::block, "threads in x, y, z"));
    field<launch> shared =
        derived<launch>("shared_bytes", count_type, "of a block, static and dynamic",
                        [](const launch& l) { return l.static_shared_bytes + l.dynamic_shared_bytes; });
    shared.set = [](report_reader& r, const node& n, launch& l) {
      const auto both = r.number(n, "shared_bytes", shared_memory_limit);
      l.dynamic_shared_bytes =
          r.has(n, "dynamic_shared_bytes") ? static_cast<std::uint32_t>(r.number(n, "dynamic_shared_bytes", both)) : 0;
      l.static_shared_bytes = static_cast<std::uint32_t>(both) - l.dynamic_shared_bytes;
    };
    a.push_back(std::move(shared));
    a.push_back(
        derived<launch>("dynamic_shared_bytes", count_type, "of them, as the launch asked", [](const launch& l) {
          return l.dynamic_shared_bytes;
        }).since());
    a.push_back(plain<launch>("registers", &launch::registers, "of a thread").since());
    a.push_back(plain<launch>("count", &launch::count, "equal launches that this one stands for", 1));
    a.push_back(plain<launch>("ctas_executed", &launch::ctas_executed, "thread blocks that ran to their end"));
    field<launch> sites =
        derived<launch>("sites", list_type(object_type("site")), "By pc",
                        [](const launch& l, const beside& b) { return write_all(site_fields(), l.sites, b); });
    sites.set = read_sites;
    a.push_back(std::move(sites));
    field<launch> sums = derived<launch>(
        "totals", object_type("totals"),
        "Over the sites; warp_instructions over the whole launch, 0 in a recording, which has accesses alone.",
        [](const launch& l, const beside& b) { return write_fields(totals_fields(), l, b); });
    sums.set = [](report_reader& r, const node& n, launch& l) {
      read_fields(totals_fields(), r, r.at(n, "totals"), l);
    };
    a.push_back(std::move(sums));
    a.push_back(
        plain<launch>("scaled", &launch::scaled,
                      "with --ctas or --time, where fewer blocks ran than the grid has: all counts, warp_instructions "
                      "too, are estimated for all blocks of the grid")
            .given([](const launch& l) { return l.scaled; }));
    a.push_back(
        plain<launch>(
            "counted_alone", &launch::counted_alone,
            "only what accesses to shared memory depend on was executed: other accesses were not looked at, nor "
            "their faults")
            .given([](const launch& l) { return l.counted_alone; }));
    a.push_back(plain<launch>("after_sample", &launch::after_sample,
                              "what it read may be what a sample of another launch left: its counts are those of that")
                    .given([](const launch& l) { return l.after_sample; }));
    a.push_back(
        plain<launch>(
            "assumed", &launch::assumed,
            "of count: launches that were not executed, since the time of --time was over; they are taken for equal to "
            "this one, of the same kernel, grid and block")
            .given([](const launch& l) { return l.assumed != 0; }));
    a.push_back(derived<launch>(
                    "exactness", exactness_type,
                    "exact: every block was executed, or is proven to do the same as one that was; estimated: from a "
                    "sample of them, or behind one; partial: it was stopped. Missing in recordings",
                    [](const launch& l) { return name_of(exactness_of(l)); })
                    .given([](const launch& l, const beside& b) { return !is_recorded(l, b); }));
    field<launch> estimate =
        derived<launch>("estimate", object_type("estimate"), "of an estimated launch, how far it may be off",
                        [](const launch& l, const beside& b) { return write_fields(estimate_fields(), l, b); });
    estimate.set = [](report_reader& r, const node& n, launch& l) {
      if (!l.scaled) return r.refuse(r.at(n, "estimate"), "only where counts are scaled");
      read_fields(estimate_fields(), r, r.at(n, "estimate"), l);
      check_intervals(r, r.at(n, "estimate"), l, std::size(total_rows) + 1,
                      [&](std::size_t i) { return l.sum.*total_rows[i].member; });
    };
    a.push_back(std::move(estimate).given([](const launch& l) { return !l.within.empty(); }));
    append(a, early_end_fields<launch>("the launch was stopped before its end: counts are those of what was executed "
                                       "until then, and are not scaled",
                                       "why it was stopped"));
    field<launch> begun =
        plain<launch>("ctas_begun", &launch::ctas_begun,
                      "of a partial launch: thread blocks that began, those of ctas_executed and others "
                      "that count as far as they came");
    begun.set = [](report_reader& r, const node& n, launch& l) {
      l.ctas_begun = r.number(n, "ctas_begun", most_counted, l.ctas_executed);
    };
    a.push_back(std::move(begun).exactly([](const launch& l) { return l.partial; }));
    a.push_back(plain<launch>("launches_seen", &launch::launches_seen,
                              "of a recording: launches of this kernel with this grid and block, recorded or not")
                    .given(is_recorded));
    a.push_back(
        plain<launch>("block_period", &launch::block_period, "of a recording: one of so many blocks was recorded", 1)
            .given(is_recorded));
    a.push_back(
        plain<launch>("lost_accesses", &launch::lost_accesses, "of a recording: executed accesses that are in no site")
            .given(is_recorded));
    field<launch> looked =
        derived<launch>("checks", R"({"type": "array", "items": {"enum": ["uninit", "race"]}})",
                        "With --check: what was looked for", [](const launch& l) { return checks_json(l.checked); });
    looked.set = read_checks;
    a.push_back(std::move(looked).given(is_checked));
    a.push_back(
        list_of("hazards", &launch::hazards, hazard_fields, "hazard",
                "With --check: accesses to shared memory that nothing orders, and reads of what was not written")
            .exactly(is_checked));
    a.push_back(list_of("out_of_bounds", &launch::out_of_bounds, out_of_bounds_fields, "out_of_bounds",
                        "Instructions that accessed global memory beside an allocation, in a 2 MiB page with a part of "
                        "one, so that a GPU lets them pass; missing: there are none")
                    .given([](const launch& l) { return !l.out_of_bounds.empty(); }));
    a.push_back(
        list_of("block_races", &launch::block_races, block_race_fields, "block_race",
                "Instructions of blocks that are resident together, on the same words of global memory: counts depend "
                "on which block comes first; missing: there are none, or nobody looked")
            .given([](const launch& l) { return !l.block_races.empty(); }));
    field<launch> found = derived<launch>(
        "fixes",
        R"({"type": "array", "items": {"title": "Fix", "type": "object", "required": ["array", "verdict", "answers"]}})",
        "With --fix: the layouts for the arrays, what wins most first; each as one of the arrays of fix.schema.json",
        fixes_json);
    found.set = [](report_reader& r, const node& n, launch& l) {
      const node list = r.list(n, "fixes");
      for (std::size_t i = 0; i < r.size(list); ++i) l.fixes.push_back(read_fix(r, r.item(list, i)));
    };
    a.push_back(std::move(found).given(
        [](const launch& l, const beside& b) { return b.fixes != nullptr || !l.fixes.empty(); }));
    field<launch> moves = derived<launch>(
        "other_instructions",
        R"({"type": "array", "items": {"type": "object", "required": ["line", "verdict"], "properties": {"line": {"description": "of the source", "type": "integer", "minimum": 0}, "verdict": {"description": "a sentence", "type": "string"}}}})",
        "With --fix: other instructions for those of a line, where they save wavefronts or instructions; what saves most "
        "wavefronts first; each as one of the other_instructions of fix.schema.json",
        [](const launch& l) {
          json list = json::array();
          for (const known_move& m : l.moves) list.push_back(json::parse(m.json, nullptr, false));
          return list;
        });
    moves.set = [](report_reader& r, const node& n, launch& l) {
      const node list = r.list(n, "other_instructions");
      for (std::size_t i = 0; i < r.size(list); ++i) l.moves.push_back(read_move(r, r.item(list, i)));
    };
    a.push_back(std::move(moves).given([](const launch& l) { return !l.moves.empty(); }));
    field<launch> seen =
        plain<launch>("accesses_seen", &launch::accesses_seen,
                      "with --accesses, as all that follows: executed warp instructions with an active lane");
    seen.set = [](report_reader& r, const node& n, launch& l) {
      l.accesses_seen = r.number(n, "accesses_seen", l.sum.executed);
    };
    a.push_back(std::move(seen).exactly(has_accesses));
    field<launch> kept =
        plain<launch>("accesses_kept", &launch::accesses_kept,
                      "the sum of the counts of the sites' accesses; less than accesses_seen where there "
                      "were too many distinct ones, and a sample was kept");
    kept.set = [](report_reader& r, const node& n, launch& l) {
      l.accesses_kept = r.number(n, "accesses_kept", l.accesses_seen);
      std::uint64_t sum = 0;
      for (const site& s : l.sites)
        for (const recorded_access& one : s.accesses) sum += one.count;
      if (!r.wrong() && sum != l.accesses_kept)
        r.fail(r.at(n, "accesses_kept"), "expected " + grouped(sum) + ", the sum over the sites");
    };
    a.push_back(std::move(kept).exactly(has_accesses));
    field<launch> arrays = list_of("arrays", &launch::arrays, array_fields, "array",
                                   "What the shared memory consists of, as far as a site touches it, by address");
    arrays.set = read_arrays;
    a.push_back(std::move(arrays).exactly(has_accesses));
    a.push_back(
        list_of("not_executed", &launch::not_executed, code_place_fields, "code_place",
                "Instructions on shared memory in the kernel's own code that this launch did not execute; those "
                "with generic addresses are not known")
            .exactly(has_accesses));
    return a;
  }());
  return all;
}

const fields<launch_report>& totals_fields() {
  static const fields<launch_report>& all = kept([] {
    using launch = launch_report;
    fields<launch> a;
    for (const total_row& t : total_rows) a.push_back(field_of(t));
    field<launch> instructions =
        derived<launch>("warp_instructions", count_type, "of the whole launch, on shared memory or not",
                        [](const launch& l) { return l.sum.warp_instructions; });
    instructions.set = [](report_reader& r, const node& n, launch& l) {
      l.sum.warp_instructions = r.number(n, "warp_instructions", ~std::uint64_t{0} / 2);
    };
    a.push_back(std::move(instructions));
    const auto multiplies = [](const launch& l) { return bound_of(l).tensor_cycles != 0; };
    a.push_back(derived<launch>("issue_cycles", count_type,
                                "of one multiprocessor that issues four warp instructions a clock",
                                [](const launch& l) { return bound_of(l).issue_cycles; })
                    .since());
    a.push_back(derived<launch>("shared_cycles_reachable", count_type,
                                "of the shared pipe, with everything gone that a layout removes",
                                [](const launch& l) { return bound_of(l).shared_cycles_reachable; })
                    .since());
    a.push_back(
        derived<launch>("shared_cycles", count_type,
                        "with wgmma: clocks of the shared pipe, without those in which the tensor cores multiply "
                        "and read nothing",
                        [](const launch& l) { return bound_of(l).shared_cycles; })
            .given(multiplies));
    a.push_back(derived<launch>("tensor_cycles", count_type,
                                "with wgmma: clocks of the tensor cores of one multiprocessor, at their full rate",
                                [](const launch& l) { return bound_of(l).tensor_cycles; })
                    .given(multiplies));
    return a;
  }());
  return all;
}

const fields<shared_array>& array_fields() {
  static const fields<shared_array>& all = kept([] {
    using array = shared_array;
    fields<array> a;
    a.push_back(
        plain<array>("name", &array::name, "as declared; empty: not known, and the bytes are those that are touched"));
    a.push_back(plain<array>("begin", &array::begin, "bytes from the start of the block's shared memory", 0,
                             shared_memory_limit));
    a.push_back(plain<array>("end", &array::end, "the byte behind it", 0, shared_memory_limit));
    a.push_back(plain<array>("dynamic", &array::dynamic, "part of the dynamic shared memory"));
    a.push_back(plain<array>("declared_bytes", &array::declared_bytes, "0: not known", 0, shared_memory_limit));
    a.push_back(derived<array>(
        "sites",
        R"({"type": "array", "items": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "object", "required": ["function", "pc"], "properties": {"function": {"type": "string"}, "pc": {"description": "byte offset in the code", "type": "integer", "minimum": 0}}}]}})",
        "that touch it: the pc, with the function where it is not the kernel", array_sites_json));
    a.push_back(
        derived<array>("phases",
                       R"({"type": "array", "items": {"type": "array", "items": {"type": "integer", "minimum": 0}}})",
                       "sets of its sites, as numbers in that list, that use the same values, where there are several: "
                       "arrays may take turns in its memory",
                       array_phases_json)
            .given([](const array& one, const beside&) { return !one.phases.empty(); }));
    return a;
  }());
  return all;
}

}  // namespace bankwise
