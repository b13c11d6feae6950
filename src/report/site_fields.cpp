// The fields of a site, and of what is in one.
#include <algorithm>

#include "base/text.hpp"
#include "report/access_json.hpp"
#include "report/report_fields.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* addresses_type = R"({"$ref": "#/definitions/addresses"})";
constexpr const char* mask_type = R"({"$ref": "#/definitions/mask"})";

bool moves_bytes(const site& s) {
  return s.async.kind == async_kind::bulk_copy || s.async.kind == async_kind::tensor_copy;
}
bool is_inlined(const site& s) { return s.outer_line != s.line || s.outer_file != s.file; }
bool is_lane_copy(const site& s) { return is_copy(s.op.op.kind); }

// An access of lanes, or what else an instruction does with shared memory, and the rule for it.
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
    r.fail(r.at(n, "op"), "no rule for " + s.op.spelling + " on " + r.on.name + ": " + s.rule.source,
           "bankwise arch " + r.on.name + " lists what is known");
}

void read_file(report_reader& r, const node& n, site& s) {
  s.outer_file = s.file = r.text(n, r.has(n, "path") ? "path" : "file");
  s.outer_line = s.line = r.number_32(n, "line");
  if (s.file.empty() && s.line != 0) r.fail(r.at(n, "line"), "a line of no file");
}

void read_worst(report_reader& r, const node& n, site& s) {
  const node worst = r.at(n, "worst");
  s.worst_cost.wavefronts = s.worst_cost.reachable = r.number_32(worst, "wavefronts");
  if (!is_access(s)) return;
  s.worst = read_access(r, worst, s.op.op);
  if (r.wrong()) return;
  const u32 wavefronts = s.worst_cost.wavefronts;
  s.worst_cost = analyze(s.worst, r.on.model);
  if (is_lane_copy(s)) s.worst_from = read_source(r, worst, s.worst);
  s.worst_cost.wavefronts = wavefronts;
  s.worst_cost.reachable = r.has(worst, "reachable") ? r.number_32(worst, "reachable") : wavefronts;
  if (s.worst_cost.reachable > wavefronts) r.fail(worst, "more wavefronts are reachable than there are");
  if (s.worst.mask == 0 && s.wavefronts != 0) r.fail(worst, "no lane takes part, but there are wavefronts");
}

void read_accesses(report_reader& r, const node& n, site& s) {
  if (!is_access(s)) return;
  const node accesses = r.list(n, "accesses", most_text_bytes);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < r.size(accesses); ++i) {
    const node one = r.item(accesses, i);
    s.accesses.push_back({read_access(r, one, s.op.op), r.number(one, "count", most_counted, 1)});
    sum += s.accesses.back().count;
    if (s.accesses.back().what.mask == 0) r.fail(one, "no lane takes part");
    if (sum > s.executed) r.fail(one, "the accesses are more than were executed");
  }
}

void read_retries(report_reader& r, const node& parent, site& s) {
  const node n = r.at(parent, "retries");
  read_fields(retries_fields(), r, n, s.again);
  std::uint64_t sum = 0;
  for (const retry_row& row : retry_rows)
    if (row.scales == retry_scales::scaled) sum += s.again.*row.member;
  if (sum != s.again.rounds) r.fail(r.at(n, "rounds"), "expected the entries and the rounds of each reason, together");
}

field<sass::dependence> field_of(const char* key, sass::inputs sass::dependence::*m, std::string meaning) {
  std::string type;
  for (const sass::input_name& n : sass::input_names)
    type += (type.empty() ? "" : ", ") + ('"' + std::string(n.name) + '"');
  field<sass::dependence> f = derived<sass::dependence>(key, R"({"type": "array", "items": {"enum": [)" + type + "]}}",
                                                        std::move(meaning), [m](const sass::dependence& d) {
                                                          json list = json::array();
                                                          for (const sass::input_name& n : sass::input_names)
                                                            if ((d.*m).has(n.what)) list.push_back(n.name);
                                                          return list;
                                                        });
  f.set = [key, m](report_reader& r, const node& n, sass::dependence& d) {
    const node list = r.list(n, key, std::size(sass::input_names));
    for (std::size_t i = 0; i < r.size(list); ++i) {
      const node one = r.item(list, i);
      sass::input what{};
      if (!one.value->is_string() || !sass::parse_input(one.value->get_ref<const std::string&>(), what))
        return r.refuse(one, "data, blockIdx, arguments or time");
      d.*m = d.*m | sass::inputs{static_cast<std::uint8_t>(what)};
    }
  };
  return f;
}

// When it is there, in words.
std::string meaning_of(const count_row& c) {
  switch (c.when) {
    case count_when::always:
    case count_when::added_later: break;
    case count_when::of_generic: return std::string(c.meaning) + "; of generic accesses alone";
    case count_when::of_asynchronous: return std::string(c.meaning) + "; of asynchronous operations alone";
    case count_when::where_different:
      for (const count_row& other : count_rows)
        if (other.member == c.otherwise) return std::string(c.meaning) + "; left out where it is " + other.name;
      break;
    case count_when::where_any: return std::string(c.meaning) + "; left out where it is 0";
  }
  return c.meaning;
}

field<site> field_of(const count_row& c) {
  field<site> f = derived<site>(c.name, count_type, meaning_of(c), [c](const site& s) { return c.value(s); });
  if (c.member == nullptr) return std::move(f).since();
  f.set = [c](report_reader& r, const node& n, site& s) {
    const std::uint64_t value = s.*c.member = r.number(n, c.name, most_counted);
    if (c.at_most == nullptr || value <= s.*c.at_most) return;
    const char* of = "";
    for (const count_row& other : count_rows)
      if (other.member == c.at_most) of = other.name;
    r.fail(r.at(n, c.name), grouped(value) + " is more than " + of + ", " + grouped(s.*c.at_most));
  };
  if (c.otherwise != nullptr)
    f.missing = [c](site& s) {
      s.*c.member = c.at_most == nullptr ? s.*c.otherwise : std::min(s.*c.otherwise, s.*c.at_most);
    };
  switch (c.when) {
    case count_when::always: return f;
    case count_when::added_later: return std::move(f).since();
    case count_when::of_generic: return std::move(f).exactly([](const site& s) { return s.generic; });
    case count_when::of_asynchronous: return std::move(f).exactly([](const site& s) { return !is_access(s); });
    case count_when::where_different:
      return std::move(f).given([c](const site& s) { return s.*c.member != s.*c.otherwise; });
    case count_when::where_any: return std::move(f).given([c](const site& s) { return s.*c.member != 0; });
  }
  return f;
}

fields<site> counts_of(count_part part) {
  fields<site> all;
  for (const count_row& c : count_rows)
    if (c.part == part) all.push_back(field_of(c));
  return all;
}

}  // namespace

const fields<site>& site_fields() {
  static const fields<site>& all = kept([] {
    fields<site> a;
    field<site> pc = plain<site>("pc", &site::pc, "byte offset in the kernel, or in the function");
    pc.type = pc_type;
    pc.set = [](report_reader& r, const node& n, site& s) { s.pc = r.pc(n); };
    a.push_back(std::move(pc));
    a.push_back(plain<site>("sass", &site::sass, "in nvdisasm's spelling"));
    field<site> op = derived<site>(
        "op", text_type,
        "ld, st, ldmatrix.x4, stmatrix.x2.trans, atom.add, red.add, atom.cas, popc.inc, cp.async.ca, ...; or an "
        "asynchronous operation: wgmma, cp.async.bulk, cp.async.bulk.tensor, mbarrier.init, mbarrier, ld.cluster, "
        "st.cluster, st.async, atom.cluster, atom.cas.cluster",
        op_of);
    op.set = read_op;
    a.push_back(std::move(op));
    a.push_back(derived<site>("width_bytes", R"({"enum": [1, 2, 4, 8, 16]})",
                              "of a lane; of a row's piece for matrix accesses, wgmma and bulk copies; of an mbarrier",
                              width_of));
    field<site> to_shared =
        derived<site>("to_shared", flag_type, "of bulk copies and tensor copies: shared memory is written, not read",
                      [](const site& s) { return s.async.to_shared; });
    to_shared.set = [](report_reader& r, const node& n, site& s) {
      if (!is_access(s)) s.async.to_shared = r.flag(n, "to_shared");
    };
    a.push_back(std::move(to_shared).given(moves_bytes));
    field<site> depends = derived<site>(
        "depends_on", object_type("depends_on"),
        "what the counts may depend on; left out where that is not known: of functions, and of kernels that call some",
        [](const site& s, const beside& b) { return write_fields(dependence_fields(), s.depends, b); });
    depends.set = [](report_reader& r, const node& n, site& s) {
      read_fields(dependence_fields(), r, r.at(n, "depends_on"), s.depends);
      s.depends.known = true;
    };
    a.push_back(std::move(depends).given([](const site& s) { return s.depends.known; }));
    append(a, counts_of(count_part::size));
    a.push_back(plain<site>("function", &site::function,
                            "the device function that holds the instruction, where it is not the kernel")
                    .given([](const site& s) { return !s.function.empty(); }));
    field<site> file = derived<site>("file", text_type, "without its folder; empty where the cubin has no line table",
                                     [](const site& s) { return base_name(s.file); });
    file.set = read_file;
    a.push_back(std::move(file));
    a.push_back(derived<site>("path", text_type, "as it was compiled", [](const site& s) { return s.file; }).since());
    a.push_back(derived<site>("line", integer_type, "as Nsight Compute names it; 0 where there is none",
                              [](const site& s) { return s.line; }));
    a.push_back(plain<site>("text", &site::text,
                            "of that line when the report was made, without the blanks around it; left out where the "
                            "source was not found")
                    .given([](const site& s) { return !s.text.empty(); }));
    field<site> outer =
        derived<site>("outer_file", text_type, "of an inlined function: the file of the line that led there",
                      [](const site& s) { return base_name(s.outer_file); });
    outer.set = [](report_reader& r, const node& n, site& s) {
      s.outer_file = r.text(n, r.has(n, "outer_path") ? "outer_path" : "outer_file");
      s.outer_line = r.number_32(n, "outer_line");
    };
    a.push_back(std::move(outer).given(is_inlined));
    a.push_back(derived<site>("outer_path", text_type, "as it was compiled", [](const site& s) {
                  return s.outer_file;
                }).given(is_inlined));
    a.push_back(
        derived<site>("outer_line", integer_type, "of an inlined function: the line that led there", [](const site& s) {
          return s.outer_line;
        }).given(is_inlined));
    field<site> ptx_line =
        plain<site>("ptx_line", &site::ptx_line,
                    "in the PTX text of the cubin; where it holds several texts they count as one, in "
                    "the order of their sections; 0 where there is none");
    ptx_line.type = integer_type;
    a.push_back(std::move(ptx_line).since());
    append(a, counts_of(count_part::executions));
    a.push_back(
        plain<site>("executed_at_least", &site::executed_at_least,
                    "of a recording: executed and lanes may be more, as nothing tells how often the guard of the "
                    "instruction was false")
            .given([](const site& s) { return s.executed_at_least; }));
    append(a, counts_of(count_part::cost));
    field<site> worst = derived<site>(
        "worst", object_type("worst"),
        "The access that cost most; the first of equals. Addresses are bytes from the start of the block's shared memory, "
        "null for lanes that did not take part. Of an asynchronous operation: no lane, and what one execution costs, of a "
        "wgmma one by a warp group.",
        [](const site& s, const beside& b) { return write_fields(worst_fields(), s, b); });
    worst.set = read_worst;
    a.push_back(std::move(worst));
    field<site> again = derived<site>(
        "retries", object_type("retries"), "of a compare-and-swap that lanes came to again; the loop around it",
        [](const site& s, const beside& b) { return write_fields(retries_fields(), s.again, b); });
    again.set = read_retries;
    a.push_back(std::move(again).given(goes_round));
    a.push_back(plain<site>("span_bytes", &site::span_bytes,
                            "of an atomic: from the lowest byte that it touched to the highest, what a copy of its words takes")
                    .given([](const site& s) { return s.span_bytes != 0; }));
    a.push_back(plain<site>("warp_span_bytes", &site::warp_span_bytes,
                            "of an atomic whose accesses are there: from the lowest to the highest byte that one warp of a block touched, at most")
                    .given([](const site& s) { return s.warp_span_bytes != 0 && !s.accesses.empty(); }));
    a.push_back(derived<site>("remedies", list_type(object_type("remedy")),
                              "of lanes and warps that want one word: what makes it less, and what it comes to then",
                              [](const site& s, const beside& b) {
                                return write_all(remedy_fields(), remedies_of(*b.launch, s), b);
                              })
                    .given([](const site& s, const beside& b) {
                      return b.launch != nullptr && !remedies_of(*b.launch, s).empty();
                    }));
    const auto passed = [&](const char* key, std::uint64_t passed_values::*m, const char* meaning) {
      field<site> f = derived<site>(key, count_type, meaning, [m](const site& s) { return s.passed.*m; });
      f.set = [key, m](report_reader& r, const node& n, site& s) { s.passed.*m = r.number(n, key, most_counted); };
      a.push_back(std::move(f).given([m](const site& s) { return s.passed.*m != 0; }));
    };
    passed("passed_words", &passed_values::words,
           "values of 4 bytes that it stored and lanes loaded, each once; where the accesses are kept");
    passed("passed_on_words", &passed_values::to_other_warps,
           "of these, values that another warp than the one that stored them loaded");
    passed("shuffles", &passed_values::shuffles,
           "shuffles that bring what it loads from the lanes of its warp that stored it, where the accesses are kept; left out where other warps stored some of it");
    append(a, counts_of(count_part::doubt));
    a.push_back(object("interval", &site::within, intervals_fields, "intervals",
                       "of a site of an estimated launch: where its counts lie nine times of ten")
                    .given([](const site& s) { return !s.within.empty(); }));
    field<site> level =
        derived<site>("evidence", R"({"enum": ["measured", "documented", "assumed", "none", "open"]})",
                      "what the rule rests on; open: it is not known, and the number is that of the nearest known case",
                      [](const site& s) { return s.open_accesses != 0 ? "open" : name_of(s.rule.level); });
    level.set = [](report_reader& r, const node& n, site& s) {
      if (r.text(n, "evidence") == "open" && !r.has(n, "open_accesses")) s.open_accesses = s.executed;
    };
    a.push_back(std::move(level));
    a.push_back(derived<site>("evidence_source", text_type, "the data set, document or reasoning", [](const site& s) {
                  return s.rule.source;
                }).since());
    field<site> accesses =
        derived<site>("accesses", list_type(object_type("access")),
                      "With --accesses: the distinct accesses, the most frequent first, in the form of worst",
                      [](const site& s, const beside& b) { return write_all(access_fields(), s.accesses, b); });
    accesses.set = read_accesses;
    a.push_back(std::move(accesses).exactly(
        [](const site&, const beside& b) { return b.launch != nullptr && b.launch->has_accesses; }));
    return a;
  }());
  return all;
}

const fields<site>& worst_fields() {
  static const fields<site>& all = kept<site>(
      {derived<site>("mask", mask_type, "lanes that take part", [](const site& s) { return hex(s.worst.mask, 8); }),
       derived<site>("addresses", addresses_type, "of the lanes",
                     [](const site& s) { return addresses_json(s.worst.mask, s.worst.address); }),
       derived<site>("wavefronts", count_type, "as the hardware counts them",
                     [](const site& s) { return s.worst_cost.wavefronts; }),
       derived<site>("reachable", count_type, "the fewest for these words, wherever they lie",
                     [](const site& s) { return s.worst_cost.reachable; })
           .since(),
       derived<site>(
           "sources", addresses_type,
           "of cp.async: where each lane reads, in bytes from the beginning of the first line that is read; null "
           "for lanes that do not read",
           [](const site& s) { return addresses_json(s.worst_from.reads, s.worst_from.address); })
           .given(is_lane_copy),
       derived<site>("may_fill", flag_type, "of cp.async.cg: some lane may get zeros (LDGSTS.ZFILL)", [](const site&) {
         return true;
       }).given([](const site& s) { return is_lane_copy(s) && s.worst_from.may_fill; })});
  return all;
}

const fields<recorded_access>& access_fields() {
  static const fields<recorded_access>& all = kept<recorded_access>(
      {derived<recorded_access>("count", positive_type, "executed so often",
                                [](const recorded_access& a) { return a.count; }),
       derived<recorded_access>("mask", mask_type, "lanes that take part",
                                [](const recorded_access& a) { return hex(a.what.mask, 8); }),
       derived<recorded_access>("addresses", addresses_type, "of the lanes",
                                [](const recorded_access& a) { return addresses_json(a.what.mask, a.what.address); })});
  return all;
}

const fields<sass::dependence>& dependence_fields() {
  static const fields<sass::dependence>& all = kept<sass::dependence>(
      {field_of("address", &sass::dependence::address, "which bytes its lanes access"),
       field_of("execution", &sass::dependence::execution, "whether, how often and by which lanes it is executed")});
  return all;
}

const fields<remedy>& remedy_fields() {
  static const fields<remedy>& all = kept<remedy>(
      {derived<remedy>("remedy", R"({"enum": ["combine", "copy_a_warp", "combine_and_copy_a_warp", "copy_a_lane"]})",
                       "the lanes of a warp that want one word combined before the access, a copy of the words for each "
                       "warp, both, or a copy for each lane, at word * 32 + lane",
                       [](const remedy& one) { return name_of(one.what); }),
       derived<remedy>("of", R"({"enum": ["rounds", "wavefronts"]})", "what least and most are numbers of",
                       [](const remedy& one) { return unit_of(one); }),
       derived<remedy>("least", count_type, "of the launch", [](const remedy& one) { return one.least; }),
       derived<remedy>("most", count_type,
                       "the same where nothing depends on which warp goes when; missing: others wait for a lock, as long as it is held",
                       [](const remedy& one) { return one.most; })
           .given([](const remedy& one) { return one.bounded; }),
       derived<remedy>("further_bytes", count_type, "of a block's shared memory, that the copies take",
                       [](const remedy& one) { return one.further_bytes; })});
  return all;
}

const fields<retries>& retries_fields() {
  static const fields<retries>& all = kept([] {
    fields<retries> a;
    for (const retry_row& row : retry_rows)
    {
      field<retries> f = plain<retries>(row.name, row.member, row.meaning, row.member == &retries::entries ? 1 : 0);
      a.push_back(row.scales == retry_scales::beside ? std::move(f).since() : std::move(f));
    }
    field<retries> loop = derived<retries>(
        "loop",
        R"({"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer", "minimum": 0, "multipleOf": 16}})",
        "pcs of the first instruction of the loop and of its last; missing: not known", [](const retries& r) {
          return json{r.loop_begin, r.loop_end};
        });
    loop.set = [](report_reader& r, const node& n, retries& to) {
      const node pcs = r.list(n, "loop", 2);
      if (r.size(pcs) != 2) return r.refuse(pcs, "two numbers");
      to.loop_begin = r.number(r.item(pcs, 0), most_u32);
      to.loop_end = r.number(r.item(pcs, 1), most_u32);
    };
    a.push_back(std::move(loop).given([](const retries& r) { return r.loop_end != 0; }));
    a.push_back(plain<retries>("locks", &retries::locks,
                               "something else is stored within the loop: it takes a lock, and others go round while that is held")
                    .given([](const retries& r) { return r.locks; }));
    return a;
  }());
  return all;
}

}  // namespace bankwise
