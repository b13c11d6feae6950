// The JSON fields of a site and its parts.
#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "report/json/access_json.hpp"
#include "report/json/instruction_place_form.hpp"
#include "report/json/report_fields.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* addresses_type = R"({"$ref": "#/definitions/addresses"})";
constexpr const char* mask_type = R"({"$ref": "#/definitions/mask"})";

bool moves_bytes(const site& s) {
  return s.async.kind == async_kind::bulk_copy || s.async.kind == async_kind::tensor_copy;
}
bool is_lane_copy(const site& s) { return is_copy(s.op.op.kind); }

// Reads an operation and finds the rule for it. The operation is an access by lanes, or another operation on shared
// memory.
void read_op(report_reader& r, const node& n, site& s) {
  const auto kind = parse_async(r.text(n, "op"));
  if (!kind) {
    s.op = read_operation(r, n, r.on);
    if (!r.wrong()) s.rule = r.on.rules->by_group[static_cast<u32>(group_of(s.op.op))];
    return;
  }
  s.async = async_of(*kind);
  s.op.spelling = spell(*kind);
  s.rule = r.on.async_rules->by_group[static_cast<u32>(group_of(*kind))];
  if (s.rule.level == evidence::none)
    r.fail(r.value_at(n, "op"), formatted("there is no rule for {} on {}: {}", s.op.spelling, r.on.name, s.rule.source),
           formatted("bankwise arch {} lists the known rules", r.on.name));
}

void read_worst(report_reader& r, const node& n, site& s) {
  const node worst = r.value_at(n, "worst");
  s.worst_cost.wavefronts = s.worst_cost.reachable = r.number_32(worst, "wavefronts");
  if (!is_access(s)) return;
  s.worst = read_access(r, worst, s.op.op);
  if (r.wrong()) return;
  const u32 wavefronts = s.worst_cost.wavefronts;
  s.worst_cost = analyze(s.worst, r.on.model);
  if (is_lane_copy(s)) s.worst_from = read_source(r, worst, s.worst);
  s.worst_cost.wavefronts = wavefronts;
  s.worst_cost.reachable = r.has(worst, "reachable") ? r.number_32(worst, "reachable") : wavefronts;
  if (s.worst_cost.reachable > wavefronts) r.fail(worst, "\"reachable\" is larger than \"wavefronts\"");
  if (s.worst.mask == 0 && s.wavefronts != 0) r.fail(worst, "no lane is active, but \"wavefronts\" is not 0");
}

void read_accesses(report_reader& r, const node& n, site& s) {
  if (!is_access(s)) return;
  const node accesses = r.list(n, "accesses", most_text_bytes);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < r.size(accesses); ++i) {
    const node one = r.item(accesses, i);
    s.accesses.push_back({read_access(r, one, s.op.op), r.number(one, "count", most_counted, 1)});
    sum += s.accesses.back().count;
    if (s.accesses.back().what.mask == 0) r.fail(one, "the mask contains no lane");
    if (sum > s.executed) r.fail(one, "the sum of the counts of all accesses is larger than the number of executions");
  }
}

void read_retries(report_reader& r, const node& parent, site& s) {
  const node n = r.value_at(parent, "retries");
  read_fields(retries_fields(), r, n, s.again);
  std::uint64_t sum = 0;
  for (const retry_row& row : retry_rows)
    if (row.scales == retry_scales::scaled) sum += s.again.*row.member;
  if (sum != s.again.rounds)
    r.fail(r.value_at(n, "rounds"), "expected the sum of \"entries\", \"queued\", \"conflicting\" and \"contended\"");
}

template <auto M>
field<sass::dependence> inputs_of(const char* key, const char* meaning) {
  using dependence = sass::dependence;
  return derived<dependence>(key, R"({"type": "array", "items": {"enum": ["data", "blockIdx", "arguments", "time"]}})",
                             meaning,
                             [](const dependence& d) {
                               json list = json::array();
                               for (const sass::input_name& n : sass::input_names)
                                 if ((d.*M).has(n.what)) list.push_back(n.name);
                               return list;
                             })
      .read([](const field<dependence>& row, report_reader& r, const node& n, dependence& d) {
        const node list = r.list(n, row.key, std::size(sass::input_names));
        for (std::size_t i = 0; i < r.size(list); ++i) {
          const node one = r.item(list, i);
          sass::input what{};
          if (!one.value->is_string() || !sass::parse_input(one.value->text(), what))
            return r.refuse(one, "expected \"data\", \"blockIdx\", \"arguments\" or \"time\"");
          d.*M = d.*M | sass::inputs{static_cast<std::uint8_t>(what)};
        }
      });
}

// Returns the name of a count, for the error that another count is larger than this count.
const char* name_of(std::uint64_t counts::*member) {
  for (const count_row& other : count_rows)
    if (other.member == member) return other.name;
  return "";
}

const count_row& row_of(const field<site>& f) { return *static_cast<const count_row*>(f.of); }

void read_count(const field<site>& f, report_reader& r, const node& n, site& s) {
  const count_row& c = row_of(f);
  const std::uint64_t value = s.*c.member = r.number(n, c.name, most_counted);
  if (c.at_most != nullptr && value > s.*c.at_most)
    r.fail(r.value_at(n, c.name), formatted("the value {} is larger than the value of \"{}\", which is {}",
                                            grouped(value), name_of(c.at_most), grouped(s.*c.at_most)));
}

field<site> field_of(const count_row& c) {
  field<site> f =
      derived<site>(c.name, count_type, c.meaning,
                    [](const field<site>& row, const site& s, const beside&) { return row_of(row).value(s); });
  f.of = &c;
  if (c.member == nullptr) return std::move(f).since();
  f.set = [](const field<site>& row, report_reader& r, const node& n, site& s) { read_count(row, r, n, s); };
  if (c.otherwise != nullptr)
    f.missing = [](const field<site>& row, site& s) {
      const count_row& one = row_of(row);
      s.*one.member = one.at_most == nullptr ? s.*one.otherwise : std::min(s.*one.otherwise, s.*one.at_most);
    };
  switch (c.when) {
    case count_when::always: return f;
    case count_when::added_later: return std::move(f).since();
    case count_when::of_generic:
      f.when_in_words = ". The key exists only for generic accesses";
      return std::move(f).exactly([](const site& s) { return s.generic; });
    case count_when::of_asynchronous:
      f.when_in_words = ". The key exists only for asynchronous operations";
      return std::move(f).exactly([](const site& s) { return !is_access(s); });
    case count_when::where_different:
      f.when_in_words = ". The key is missing if its value equals the value of the key ";
      f.when_in_words_of = name_of(c.otherwise);
      return std::move(f).given([](const field<site>& row, const site& s, const beside&) {
        return s.*row_of(row).member != s.*row_of(row).otherwise;
      });
    case count_when::where_any:
      f.when_in_words = ". The key is missing if its value is 0";
      return std::move(f).given(
          [](const field<site>& row, const site& s, const beside&) { return s.*row_of(row).member != 0; });
  }
  return f;
}

std::uint64_t retries::*member_of(const field<retries>& f) { return static_cast<const retry_row*>(f.of)->member; }

field<retries> field_of(const retry_row& one) {
  const bool is_first = one.member == &retries::entries;
  field<retries> f =
      derived<retries>(one.name, is_first ? positive_type : count_type, one.meaning,
                       [](const field<retries>& row, const retries& r, const beside&) { return r.*member_of(row); });
  f.of = &one;
  f.least = is_first ? 1 : 0;
  f.set = [](const field<retries>& row, report_reader& r, const node& n, retries& to) {
    to.*member_of(row) = r.number(n, row.key, most_counted, row.least);
  };
  return one.scales == retry_scales::beside ? std::move(f).since() : f;
}

// --- keys of site.def that are not plain members

namespace site_form {

field<site> pc() {
  return form<site>(pc_type, [](const site& s) { return s.pc; }).read([](report_reader& r, const node& n, site& s) {
    s.pc = r.pc(n);
  });
}

field<site> op() {
  return form<site>(text_type, [](const site& s) { return op_of(s); })
      .read([](report_reader& r, const node& n, site& s) { read_op(r, n, s); });
}

field<site> width_bytes() {
  return form<site>(R"({"enum": [1, 2, 4, 8, 16]})", [](const site& s) { return width_of(s); });
}

field<site> to_shared() {
  return form<site>(flag_type, [](const site& s) { return s.async.to_shared; })
      .read([](report_reader& r, const node& n, site& s) {
        if (!is_access(s)) s.async.to_shared = r.flag(n, "to_shared");
      })
      .given([](const site& s) { return moves_bytes(s); });
}

field<site> depends_on() {
  return form<site>(object_type("depends_on"),
                    [](const site& s, const beside& b) { return write_fields(dependence_fields(), s.depends, b); })
      .read([](report_reader& r, const node& n, site& s) {
        read_fields(dependence_fields(), r, r.value_at(n, "depends_on"), s.depends);
        s.depends.known = true;
      })
      .given([](const site& s) { return s.depends.known; });
}

INSTRUCTION_PLACE_FORMS(site)

field<site> worst() {
  return form<site>(object_type("worst"),
                    [](const site& s, const beside& b) { return write_fields(worst_fields(), s, b); })
      .appended([](const site& s, const beside& b, std::size_t indent, std::string& out) {
        append_fields(worst_fields(), s, b, indent, out);
      })
      .read([](report_reader& r, const node& n, site& s) { read_worst(r, n, s); });
}

field<site> retries() {
  return form<site>(object_type("retries"),
                    [](const site& s, const beside& b) { return write_fields(retries_fields(), s.again, b); })
      .read([](report_reader& r, const node& n, site& s) { read_retries(r, n, s); })
      .given([](const site& s) { return goes_round(s); });
}

field<site> warp_span_bytes() {
  return plain<site, &site::warp_span_bytes>("", "").given(
      [](const site& s) { return s.warp_span_bytes != 0 && !s.accesses.empty(); });
}

field<site> remedies() {
  return form<site>(
             list_of_type("remedy"),
             [](const site& s, const beside& b) { return write_all(remedy_fields(), remedies_of(*b.launch, s), b); })
      .given([](const site& s, const beside& b) { return b.launch != nullptr && !remedies_of(*b.launch, s).empty(); });
}

template <auto M>
field<site> passed() {
  return form<site>(count_type, [](const site& s) { return s.passed.*M; })
      .read([](const field<site>& row, report_reader& r, const node& n, site& s) {
        s.passed.*M = r.number(n, row.key, most_counted);
      })
      .given([](const site& s) { return s.passed.*M != 0; });
}
field<site> passed_words() { return passed<&passed_values::words>(); }
field<site> passed_on_words() { return passed<&passed_values::to_other_warps>(); }
field<site> shuffles() { return passed<&passed_values::shuffles>(); }

field<site> interval() { return object<site, &site::within, intervals_fields>("", "intervals", ""); }

field<site> evidence() {
  return form<site>(R"({"enum": ["measured", "published", "documented", "assumed", "none", "open"]})",
                    [](const site& s) { return s.open_accesses != 0 ? "open" : name_of(s.rule.level); })
      .read([](report_reader& r, const node& n, site& s) {
        if (r.text(n, "evidence") == "open" && !r.has(n, "open_accesses")) s.open_accesses = s.executed;
      });
}
field<site> evidence_source() {
  return form<site>(text_type, [](const site& s) {
    return std::string(s.rule.source) +
           (s.rule.level == evidence::published ? "; the rule agrees with numbers that others published" : "");
  });
}

field<site> accesses() {
  return form<site>(list_of_type("access"),
                    [](const site& s, const beside& b) { return write_all(access_fields(), s.accesses, b); })
      .appended([](const site& s, const beside& b, std::size_t indent, std::string& out) {
        append_all(access_fields(), s.accesses, b, indent, out);
      })
      .read([](report_reader& r, const node& n, site& s) { read_accesses(r, n, s); });
}

}  // namespace site_form

}  // namespace

const fields<site>& site_fields() {
  static const fields<site> all = [] {
    fields<site> a;
#define FACT(type, name, initial, when, tells, adds, meaning) \
  a.push_back(fact<site, &site::name, fact_when::when>(#name, meaning));
#define KEYED(type, name, initial, key, when, tells, adds, meaning) \
  a.push_back(where<fact_when::when, &site::name>(site_form::key().named(#key, meaning)));
#define DERIVED(key, when, meaning) a.push_back(where<fact_when::when>(site_form::key().named(#key, meaning)));
#define COUNTS(part_)                   \
  for (const count_row& c : count_rows) \
    if (c.part == count_part::part_) a.push_back(field_of(c));
#include "model/site.def"
    return a;
  }();
  return all;
}

const fields<site>& worst_fields() {
  static const fields<site> all = {
      derived<site>("mask", mask_type, "active lanes", [](const site& s) { return hex(s.worst.mask, 8); }),
      derived<site>("addresses", addresses_type, "addresses of the lanes, in bytes",
                    [](const site& s) { return addresses_json(s.worst.mask, s.worst.address); })
          .appended([](const site& s, const beside&, std::size_t, std::string& out) {
            append_lanes(s.worst.mask, s.worst.address, out);
          }),
      derived<site>("wavefronts", count_type, "wavefronts, as the hardware counts them",
                    [](const site& s) { return s.worst_cost.wavefronts; }),
      derived<site>("reachable", count_type, "the fewest wavefronts that these words need with any layout",
                    [](const site& s) { return s.worst_cost.reachable; })
          .since(),
      derived<site>(
          "sources", addresses_type,
          "for cp.async: the address that each lane reads, in bytes from the beginning of the first line that is "
          "read; null for lanes that do not read",
          [](const site& s) { return addresses_json(s.worst_from.reads, s.worst_from.address); })
          .given([](const site& s) { return is_lane_copy(s); }),
      derived<site>("may_fill", flag_type,
                    "for cp.async.cg: whether the instruction can write zeros for some lanes (LDGSTS.ZFILL)",
                    [](const site&) { return true; })
          .given([](const site& s) { return is_lane_copy(s) && s.worst_from.may_fill; })};
  return all;
}

const fields<recorded_access>& access_fields() {
  static const fields<recorded_access> all = {
      derived<recorded_access>("count", positive_type, "number of times that the access was executed",
                               [](const recorded_access& a) { return a.count; }),
      derived<recorded_access>("mask", mask_type, "active lanes",
                               [](const recorded_access& a) { return hex(a.what.mask, 8); }),
      derived<recorded_access>("addresses", addresses_type, "addresses of the lanes, in bytes",
                               [](const recorded_access& a) { return addresses_json(a.what.mask, a.what.address); })
          .appended([](const recorded_access& a, const beside&, std::size_t, std::string& out) {
            append_lanes(a.what.mask, a.what.address, out);
          })};
  return all;
}

const fields<sass::dependence>& dependence_fields() {
  static const fields<sass::dependence> all = {
      inputs_of<&sass::dependence::address>("address", "what the addresses of the lanes depend on"),
      inputs_of<&sass::dependence::execution>("execution",
                                              "what decides whether, how often and by which lanes the instruction is "
                                              "executed")};
  return all;
}

const fields<remedy>& remedy_fields() {
  static const fields<remedy> all = {
      derived<remedy>(
          "remedy", R"({"enum": ["combine", "copy_a_warp", "combine_and_copy_a_warp", "copy_a_lane"]})",
          "the remedy. combine: before the access, combine the values of lanes that update the same word. copy_a_warp: "
          "keep a copy of the words for each warp. combine_and_copy_a_warp: do both. copy_a_lane: keep a copy for each "
          "lane, at word * 32 + lane",
          [](const remedy& one) { return name_of(one.what); }),
      derived<remedy>("of", R"({"enum": ["rounds", "wavefronts"]})", "the unit of least and most",
                      [](const remedy& one) { return unit_of(one); }),
      derived<remedy>("least", count_type, "the smallest possible number for the whole launch",
                      [](const remedy& one) { return one.least; }),
      derived<remedy>(
          "most", count_type,
          "the largest possible number for the whole launch. This number equals least if nothing depends on the order "
          "of warps. The key is missing if other warps wait for a lock",
          [](const remedy& one) { return one.most; })
          .given([](const remedy& one) { return one.bounded; }),
      derived<remedy>("further_bytes", count_type, "bytes of a block's shared memory that the copies take",
                      [](const remedy& one) { return one.further_bytes; })};
  return all;
}

const fields<retries>& retries_fields() {
  static const fields<retries> all = [] {
    fields<retries> a;
    for (const retry_row& row : retry_rows) a.push_back(field_of(row));
    field<retries> loop = derived<retries>(
        "loop",
        R"({"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer", "minimum": 0, "multipleOf": 16}})",
        "pcs of the first and the last instruction of the loop. The key is missing if these pcs are not known",
        [](const retries& r) {
          return json{r.loop_begin, r.loop_end};
        });
    loop.set = [](report_reader& r, const node& n, retries& to) {
      const node pcs = r.list(n, "loop", 2);
      if (r.size(pcs) != 2) return r.refuse(pcs, "expected two numbers");
      to.loop_begin = r.number(r.item(pcs, 0), most_u32);
      to.loop_end = r.number(r.item(pcs, 1), most_u32);
    };
    a.push_back(std::move(loop).given([](const retries& r) { return r.loop_end != 0; }));
    a.push_back(plain<retries, &retries::locks>(
                    "locks",
                    "whether the loop also contains other stores. If it does, the loop takes a lock, and other lanes "
                    "repeat the loop while the lock is held")
                    .given([](const retries& r) { return r.locks; }));
    return a;
  }();
  return all;
}

}  // namespace bankwise
