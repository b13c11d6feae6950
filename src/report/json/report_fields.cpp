// The JSON fields of a report, except the fields of its launches.
#include "report/json/report_fields.hpp"

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "report/json/finding_fields.hpp"

namespace bankwise {

std::string to_text(const json_type& t) {
  if (t.is == json_type::form::schema) return t.text;
  const std::string one = R"({"$ref": "#/definitions/)" + std::string(t.text) + "\"}";
  return t.is == json_type::form::defined ? one : R"({"type": "array", "items": )" + one + "}";
}

namespace {

using json = nlohmann::ordered_json;

bool was_recorded(const report& r) { return r.origin == "recorded"; }

void read_origin(report_reader& r, const node& n, report& to) {
  to.origin = r.text(n, "source");
  if (!r.wrong() && to.origin != "emulated" && to.origin != "recorded")
    r.fail(r.value_at(n, "source"), "expected \"emulated\" or \"recorded\"");
}

// The launches that were not read while the text was read, because the architecture follows them.
void read_launches(report_reader& r, const node& n, report& to) {
  const node launches = r.list(n, "launches", most_launches);
  for (std::size_t i = 0; i < r.size(launches); ++i) read_launch(r, launches, *r.item(launches, i).value, to);
}

}  // namespace

void read_machine(report_reader& r, const node& n, report& to) {
  to.arch = r.text(n, "arch");
  if (r.wrong()) return;
  auto on = parse_machine(to.arch);
  if (!on) return r.fail(r.value_at(n, "arch"), on.error().message, on.error().hint);
  to.on = std::move(*on);
  r.on = to.on;
}

void read_launch(report_reader& r, const node& launches, const parsed_json& value, report& to) {
  if (r.wrong()) return;
  if (to.launches.size() == most_launches)
    return r.fail(launches, formatted("the list has more than {} entries, which is the limit", grouped(most_launches)));
  const node one{&value, &launches, nullptr, to.launches.size()};
  launch_report& l = to.launches.emplace_back();
  l.has_accesses = r.has(one, "accesses_seen");
  r.launch = &l;
  read_fields(launch_fields(), r, one, l);
  r.launch = nullptr;
}

const fields<report>& report_fields() {
  static const fields<report> all = [] {
    fields<report> a;
    a.push_back(derived<report>("schema", R"({"const": "bankwise.report/1"})", "name and version of this format",
                                [](const report&) { return schema_name; }));
    a.push_back(derived<report>("tool", object_type("tool"), "the program that wrote the report", [](const report&) {
      return json{{"name", "bankwise"}, {"version", BANKWISE_VERSION}};
    }));
    field<report> arch = plain<report, &report::arch>("arch", "the architecture, for example sm_90");
    arch.set = [](report_reader& r, const node& n, report& to) { read_machine(r, n, to); };
    a.push_back(std::move(arch));
    field<report> source = plain<report, &report::origin>("source", "the origin of the accesses");
    source.type = R"({"enum": ["emulated", "recorded"]})";
    source.set = [](report_reader& r, const node& n, report& to) { read_origin(r, n, to); };
    a.push_back(std::move(source));
    const auto is_partial = [](const report& r) { return static_cast<bool>(r.partial); };
    a.push_back(partial_form<report>()
                    .named("partial",
                           "the run was stopped before its end, so the report contains only the launches before the "
                           "stop")
                    .given(is_partial));
    a.push_back(partial_reason_form<report>()
                    .named("partial_reason",
                           "the reason why the run was stopped: a signal, the limit on instructions, or a kernel that "
                           "failed")
                    .given(is_partial));
    a.push_back(signal_form<report>().named("signal", "the signal that interrupted the run, such as SIGTERM"));
    a.push_back(plain<report, &report::failure>(
                    "failure", "how and where the program failed. The key is missing if it did not fail")
                    .given([](const report& r) { return !r.failure.empty(); }));
    a.push_back(
        plain<report, &report::failed_kernel>(
            "failed_kernel",
            "demangled name of the kernel whose launch failed. Launches of this kernel may not have run to their end")
            .given([](const report& r) { return !r.failed_kernel.empty(); }));
    a.push_back(
        derived<report>("exactness", exactness_type,
                        "how reliable the least reliable launch is: exact, estimated or partial. The key is missing "
                        "in recordings",
                        [](const report& r) { return name_of(exactness_of(r)); })
            .given([](const report& r) { return !was_recorded(r); }));
    // This table does not write launches. They are written one at a time, each with its fixes.
    field<report> launches =
        derived<report>("launches", list_of_type("launch"),
                        "The launches, in the order of their first occurrence. Equal launches are one entry with a "
                        "count.",
                        [](const report&) { return json::array(); });
    launches.set = [](report_reader& r, const node& n, report& to) { read_launches(r, n, to); };
    a.push_back(std::move(launches));
    a.push_back(
        derived<report>("findings", list_of_type("finding"),
                        "The findings of all launches: notes last, then those that save the most time, then those with "
                        "the largest amounts",
                        [](const report& r) {
                          return write_all(finding_fields(), check::by_saving(check::joined(check::findings_of(r))),
                                           {&r, nullptr, nullptr});
                        })
            .since());
    a.push_back(
        list_of<report, &report::not_recorded, unrecorded_fields>(
            "not_recorded", "unrecorded",
            "For a recording: combinations of kernel, grid and block without a recorded launch. For a run: launches "
            "that were left out because the report was full",
            most_launches)
            .given([](const report& r) { return was_recorded(r) || !r.not_recorded.empty(); }));
    a.push_back(list_of<report, &report::failed, failed_fields>(
                    "failed", "failed",
                    "Launches that failed after a sampled launch, perhaps because of the sampling. The list launches "
                    "does not contain these launches",
                    most_launches)
                    .given([](const report& r) { return !r.failed.empty(); }));
    a.push_back(list_of<report, &report::refused, refused_fields>(
                    "refused_launches", "refused_launch",
                    "Launches that CUDA refused, so that their kernels did not run. The list launches does not contain "
                    "these launches",
                    most_launches)
                    .given([](const report& r) { return !r.refused.empty(); }));
    a.push_back(list_of<report, &report::ignored_errors, failed_call_fields>(
                    "ignored_errors", "failed_call",
                    "Other calls of CUDA that returned an error that the program did not look at", most_launches)
                    .given([](const report& r) { return !r.ignored_errors.empty(); }));
    a.push_back(list_of<report, &report::program_faults, program_fault_fields>(
                    "program_faults", "program_fault",
                    "With checks: memory that the program freed wrongly or did not free, copies to the host of bytes "
                    "that were never written, and operations on the same bytes that nothing orders",
                    most_launches)
                    .given([](const report& r) { return !r.program_faults.empty(); }));
    a.push_back(list_of<report, &report::library_calls, library_use_fields>(
                    "library_calls", "library_use",
                    "Functions of cuBLAS and similar libraries that the program called. The functions ran on the "
                    "host without NVIDIA's kernels, and are not counted.",
                    most_launches)
                    .given([](const report& r) { return !r.library_calls.empty(); }));
    a.push_back(object<report, &report::small, small_launches_fields>(
                    "small_launches", "small_launches",
                    "If CUDA graphs would save at least 5% of the program's time: the launches that end sooner than "
                    "the host makes the next one")
                    .given([](const report& r) { return static_cast<bool>(r.small); }));
    a.push_back(object<report, &report::timeline, timeline_fields>(
                    "timeline", "timeline",
                    "For a program: when its calls, launches and copies would begin and end on the GPU. If the program "
                    "has several processes, this is the process that takes longest")
                    .given([](const report& r) { return static_cast<bool>(r.timeline); }));
    return a;
  }();
  return all;
}

const fields<unrecorded_launches>& unrecorded_fields() {
  using rest = unrecorded_launches;
  static const fields<rest> all = {
      plain<rest, &rest::kernel>("kernel", "demangled name of the kernel, with its parameters"),
      plain<rest, &rest::grid>("grid", "blocks in x, y, z"), plain<rest, &rest::block>("block", "threads in x, y, z"),
      plain<rest, &rest::launches>("launches", "number of launches of this kernel with this grid and block", 1),
      plain<rest, &rest::without_accesses>("without_accesses",
                                           "true if the code of the kernel does not touch shared memory")};
  return all;
}

const fields<library_use>& library_use_fields() {
  using use = library_use;
  static const fields<use> all = {
      plain<use, &use::function>("function", "name of the function, such as cublasSgemm"),
      plain<use, &use::calls>("calls",
                              "number of calls of the function. If a graph contains the function, each launch of the "
                              "graph counts as one call",
                              1),
      plain<use, &use::computed_by>("computed_by", "the host library that computed the result, such as OpenBLAS")};
  return all;
}

// Reads a list of changes to a text. The changes must be sorted by position. The text itself is not available here.
layout_edit read_edit(json_reader& r, const node& n) {
  layout_edit e;
  e.file = r.text(n, "path");
  e.words = r.text(n, "words");
  e.wavefronts = r.number(n, "wavefronts", most_counted);
  const node changes = r.list(n, "changes", most_in_list);
  for (std::size_t i = 0; i < r.size(changes); ++i) {
    const node one = r.item(changes, i);
    text_change c{r.number(one, "begin", most_u32), r.number(one, "end", most_u32), r.code(one, "text")};
    const std::size_t least = e.changes.empty() ? 0 : e.changes.back().end;
    if (!r.wrong() && (c.begin < least || c.end < c.begin))
      r.fail(one, "the change overlaps the previous change, or its end is before its beginning");
    e.changes.push_back(std::move(c));
  }
  return e;
}

std::vector<std::pair<std::string, std::uint64_t>> read_places_of_code(json_reader& r, const node& n) {
  std::vector<std::pair<std::string, std::uint64_t>> found;
  const node sites = r.list(n, "sites", most_in_list);
  for (std::size_t i = 0; i < r.size(sites); ++i) {
    const node place = r.item(sites, i);
    if (place.value->is_object()) {
      std::string function = r.text(place, "function");
      found.emplace_back(std::move(function), r.number(place, "pc", most_u32));
    } else {
      found.emplace_back("", r.number(place, most_u32));
    }
  }
  return found;
}

// Reads the wavefronts of the remedy that the fix recommends.
void read_remedy(json_reader& r, const node& n, known_fix& f) {
  const node list = r.list(r.value_at(n, "by_data"), "remedies", most_in_list);
  for (std::size_t i = 0; i < r.size(list); ++i) {
    const node one = r.item(list, i);
    const node by_input = r.list(one, "wavefronts", most_in_list);
    if (r.size(by_input) == 0) return r.fail(by_input, "expected one number for each input");
    const std::uint64_t wavefronts = r.number(r.item(by_input, 0), most_counted);
    if (i == 0) f.wavefronts_before = wavefronts;
    if (r.text(one, "summary") == f.change) f.wavefronts_after = wavefronts;
  }
}

known_fix read_fix(json_reader& r, const node& n) {
  known_fix f;
  f.array = r.text(n, "array");
  f.verdict = r.text(n, "verdict");
  for (const char* key :
       {"bytes", "pitch_bytes", "wavefronts", "lower_bound", "kept_together_bytes", "lower_bound_kept_together"})
    r.number(n, key, most_counted);
  r.flag(n, "exhaustive");
  const node groups = r.list(n, "accesses", most_in_list);
  for (std::size_t i = 0; i < r.size(groups); ++i) {
    const node group = r.item(groups, i);
    for (const char* key : {"name", "op"}) r.text(group, key);
    for (const char* key : {"executed", "wavefronts", "lower_bound"}) r.number(group, key, most_counted);
    for (auto& place : read_places_of_code(r, group)) f.sites.push_back(std::move(place));
  }
  if (r.has(n, "cycles_before")) {
    f.cycles_before = r.number(n, "cycles_before", most_counted);
    f.cycles_after = r.number(n, "cycles_after", most_counted);
  }
  const node answers = r.list(n, "answers", most_in_list);
  for (std::size_t i = 0; i < r.size(answers); ++i) {
    const node one = r.item(answers, i);
    for (const char* key : {"family", "summary", "index"}) r.text(one, key);
    for (const char* key : {"wavefronts", "bytes", "extra_bytes"}) r.number(one, key, most_counted);
    r.flag(one, "reaches_lower_bound");
    const node by_access = r.list(one, "wavefronts_by_access", most_in_list);
    for (std::size_t k = 0; k < r.size(by_access); ++k) r.number(r.item(by_access, k), most_counted);
    if (!r.wrong() && r.size(by_access) != r.size(groups)) r.fail(by_access, "expected one number for each access");
    for (const char* key : {"cute", "triton", "hardware"})
      if (r.has(one, key)) r.code(one, key);
    const std::string cuda = r.code(one, "cuda");
    if (i != 0) continue;
    f.code = cuda;
    f.simple = !r.has(one, "plain") || r.flag(one, "plain");
    f.wavefronts_before = r.number(n, "wavefronts", most_counted);
    f.wavefronts_after = r.number(one, "wavefronts", most_counted);
    f.change = r.text(one, "summary");  // reports of older versions have no "change"
  }
  if (r.has(n, "change")) f.change = r.text(n, "change");
  if (r.size(answers) == 0 && !f.change.empty()) read_remedy(r, n, f);
  const node families = r.list(n, "looked_at", most_in_list);
  for (std::size_t i = 0; i < r.size(families); ++i) {
    const node one = r.item(families, i);
    for (const char* key : {"family", "scope"}) r.text(one, key);
    r.number(one, "tried", most_counted);
    r.flag(one, "exhaustive");
  }
  const node notes = r.list(n, "notes", most_in_list);
  for (std::size_t i = 0; i < r.size(notes); ++i) r.text(r.item(notes, i));
  if (r.has(n, "source_edit")) f.edit = read_edit(r, r.value_at(n, "source_edit"));
  if (!r.wrong()) f.json = text_of(*n.value);
  return f;
}

known_move read_move(json_reader& r, const node& n) {
  known_move m;
  m.kernel = r.text(n, "kernel");
  m.file = r.text(n, "file");
  m.line = static_cast<std::uint32_t>(r.number(n, "line", most_u32));
  m.verdict = r.text(n, "verdict");
  m.before = r.text(n, "op");
  m.after = r.text(n, "instead");
  m.needs = r.text(n, "needs");
  const std::uint64_t before = r.number(n, "instructions", most_u32),
                      after = r.number(n, "instructions_instead", most_u32);
  m.swaps = formatted("{} {} instead of {} {}", after, m.after, before, m.before);
  r.number(n, "executed_instead", r.number(n, "executed", most_counted));
  m.wavefronts_before = r.number(n, "wavefronts", most_counted);
  m.wavefronts_after = r.number(n, "wavefronts_instead", m.wavefronts_before);
  m.sites = read_places_of_code(r, n);
  if (!r.wrong()) m.json = text_of(*n.value);
  return m;
}

}  // namespace bankwise
