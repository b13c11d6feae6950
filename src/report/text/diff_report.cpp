#include "report/text/diff_report.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/csv.hpp"
#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "check/saturate.hpp"
#include "report/json/syntax/json_text.hpp"
#include "report/sections/time_report.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;
using check::diff_row;
using check::kernel_diff;
using check::sum;

struct column {
  const char* name;
  std::uint64_t (*of)(const sum&);
};
constexpr column columns[] = {{"wavefronts", [](const sum& s) { return s.wavefronts; }},
                              {"excess", [](const sum& s) { return s.excess(); }},
                              {"removable", [](const sum& s) { return s.removable; }},
                              {"cycles", [](const sum& s) { return s.cycles; }}};
// A count of global memory: its name in JSON and CSV, and its header in the table. If the table does not show the
// count, the header is null.
struct global_column {
  const char* name;
  const char* head;
  std::uint64_t (*of)(const sum&);
};
constexpr global_column global_columns[] = {
    {"requests", "requests", [](const sum& s) { return s.global.requests; }},
    {"sectors", "sectors", [](const sum& s) { return s.global.sectors; }},
    {"sectors_ideal", nullptr, [](const sum& s) { return s.global.sectors_ideal; }},
    {"excess_sectors", "excess", [](const sum& s) { return excess_sectors(s.global); }},
    {"tag_requests", "lines", [](const sum& s) { return s.global.tag_requests; }},
    {"bytes", nullptr, [](const sum& s) { return s.global.bytes; }}};

std::string signed_text(std::uint64_t a, std::uint64_t b) {
  return a == b ? "-" : b > a ? formatted("+{}", grouped(b - a)) : formatted("-{}", grouped(a - b));
}

// Returns a text such as "+448 wavefronts", or "as many wavefronts" if the number has not changed.
std::string change_of(std::uint64_t a, std::uint64_t b, std::string_view what) {
  return a == b ? formatted("as many {}", what) : formatted("{} {}", signed_text(a, b), what);
}

std::string state_of(bool in_a, bool in_b) { return !in_a ? "only in B" : !in_b ? "only in A" : ""; }

json sum_json(const sum& s) {
  return {{"executed", s.executed}, {"wavefronts", s.wavefronts}, {"ideal", s.ideal},   {"reachable", s.reachable},
          {"excess", s.excess()},   {"removable", s.removable},   {"queued", s.queued}, {"cycles", s.cycles}};
}
// Returns a total as JSON, with the possible error of an estimate.
json whole_json(const sum& s) {
  json j = sum_json(s);
  if (s.wavefronts_apart != 0) j["wavefronts_apart"] = s.wavefronts_apart;
  if (s.removable_apart != 0) j["removable_apart"] = s.removable_apart;
  if (s.excess_sectors_apart != 0) j["excess_sectors_apart"] = s.excess_sectors_apart;
  return j;
}
json change_json(const sum& a, const sum& b) {
  json j;
  for (const column& c : columns) j[c.name] = check::minus(c.of(b), c.of(a));
  return j;
}
json global_json(const sum& s) {
  json j = {{"executed", s.global.executed}};
  for (const global_column& c : global_columns) j[c.name] = c.of(s);
  return j;
}
json global_change_json(const sum& a, const sum& b) {
  json j;
  for (const global_column& c : global_columns) j[c.name] = check::minus(c.of(b), c.of(a));
  return j;
}

// Returns the lines of one kind of memory as JSON, with their costs in both reports.
json lines_json(const std::vector<diff_row>& rows, json (*side)(const sum&), json (*change)(const sum&, const sum&)) {
  json lines = json::array();
  for (const diff_row& r : rows) {
    json one = {{"file", r.file}, {"text", r.text}, {"operation", r.operation}};
    one["a"] = r.in_a ? side(r.a) : json(nullptr);
    if (r.in_a) one["a"]["line"] = r.line_a;
    one["b"] = r.in_b ? side(r.b) : json(nullptr);
    if (r.in_b) one["b"]["line"] = r.line_b;
    one["change"] = change(r.a, r.b);
    lines.push_back(std::move(one));
  }
  return lines;
}

bool counts_global(const check::report_diff& d) {
  return std::any_of(d.kernels.begin(), d.kernels.end(), [](const kernel_diff& k) { return k.counts_global; });
}
bool is_local_row(const diff_row& r) { return r.operation.find(".local.") != std::string::npos; }
bool has_changed(const diff_row& r) { return !r.in_a || !r.in_b || r.a != r.b; }

// A table of the lines whose costs changed.
struct line_table {
  const kernel_diff& k;
  const std::vector<diff_row>& rows;
  std::vector<std::string> heads;                               // column headers; the columns of A and B come first
  std::vector<std::string> (*numbers)(const sum&, const sum&);  // returns the texts below the headers
  bool (*is_worse)(const diff_row& r);
  std::size_t same = 0;  // number of rows with equal costs, which are not listed

  std::string text(const style& s, bool all) {
    text_table t;
    t.left_last = 3;
    std::vector<std::string> head = {"line"};
    head.insert(head.end(), heads.begin(), heads.end());
    head.insert(head.end(), {"access", "", "source"});
    t.rows.push_back(std::move(head));
    std::vector<std::size_t> strong;
    const bool several =
        std::any_of(rows.begin(), rows.end(), [&](const diff_row& r) { return r.file != rows.front().file; });
    const auto add = [&](const std::string& line, const sum& a, const sum& b, const std::string& access,
                         const std::string& where, const std::string& source) {
      std::vector<std::string> row = {line};
      for (std::string& n : numbers(a, b)) row.push_back(std::move(n));
      row.insert(row.end(), {access, where, source});
      t.rows.push_back(std::move(row));
    };
    for (const diff_row& r : rows) {
      if (!all && !has_changed(r)) {
        ++same;
        continue;
      }
      if (is_worse(r)) strong.push_back(t.rows.size());
      add(line_numbers_of(r, several), r.a, r.b, r.operation, k.in_a && k.in_b ? state_of(r.in_a, r.in_b) : "",
          shortened(r.text, s.width > 130 ? s.width - 90 : 40));
    }
    add("total", k.a, k.b, "", "", "");
    return t.text(s, strong);
  }
};

std::vector<std::string> shared_numbers(const sum& a, const sum& b) {
  std::vector<std::string> row = {grouped(a.wavefronts), grouped(b.wavefronts)};
  for (const column& c : columns) row.push_back(signed_text(c.of(a), c.of(b)));
  return row;
}
std::vector<std::string> global_numbers(const sum& a, const sum& b) {
  std::vector<std::string> row = {grouped(a.global.sectors), grouped(b.global.sectors)};
  for (const global_column& c : global_columns)
    if (c.head != nullptr) row.push_back(signed_text(c.of(a), c.of(b)));
  return row;
}
bool has_more_removable(const diff_row& r) { return r.b.removable > r.a.removable; }
bool has_more_excess_sectors(const diff_row& r) { return excess_sectors(r.b.global) > excess_sectors(r.a.global); }

std::string same_note(std::size_t same, const style& s) {
  if (same == 0) return {};
  return formatted("{}\n", s.dim(formatted("  {}{} the same in both reports ({} lists these lines)", grouped(same),
                                           same == 1 ? " line costs" : " lines cost", worded(setting::all))));
}

// Returns the sectors of a kernel's lines, or one line of text if no line changed.
std::string global_lines_text(const kernel_diff& k, const style& s, bool all) {
  if (!k.counts_global || k.global_rows.empty()) return {};
  if (!all && std::none_of(k.global_rows.begin(), k.global_rows.end(), has_changed))
    return formatted("  global memory: {}, as before\n", count_of(k.b.global.sectors, "sector"));
  line_table t{k, k.global_rows, {"A", "B"}, global_numbers, has_more_excess_sectors};
  for (const global_column& c : global_columns)
    if (c.head != nullptr) t.heads.emplace_back(c.head);
  const std::string text = t.text(s, all);
  return formatted("global memory, sectors of 32 bytes\n{}{}", text, same_note(t.same, s));
}

// Whether B is worse than A. More removable wavefronts are worse. If both reports have the same number of them, more
// excess sectors are worse.
bool is_worse(const check::report_diff& d) {
  return d.b.removable > d.a.removable ||
         (d.b.removable == d.a.removable && excess_sectors(d.b.global) > excess_sectors(d.a.global));
}
bool is_better(const check::report_diff& d) {
  return d.b.removable < d.a.removable ||
         (d.b.removable == d.a.removable && excess_sectors(d.b.global) < excess_sectors(d.a.global));
}

// Returns a text such as "-448 sectors of global memory, and -448 excess sectors", or an empty string if neither number
// has changed.
std::string sectors_verdict(const check::report_diff& d) {
  if (!counts_global(d)) return {};
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (d.a.global.sectors != d.b.global.sectors || excess_sectors(d.a.global) != excess_sectors(d.b.global))
    add(formatted("{}, and {}", change_of(d.a.global.sectors, d.b.global.sectors, "sectors of global memory"),
                  change_of(excess_sectors(d.a.global), excess_sectors(d.b.global), "excess sectors")));
  if (d.a.local_sectors != d.b.local_sectors)
    add(formatted("{} sectors of local memory", signed_text(d.a.local_sectors, d.b.local_sectors)));
  return text;
}
std::string shared_verdict(const check::report_diff& d) {
  if (d.a.removable == d.b.removable && d.a.wavefronts == d.b.wavefronts) return "as many wavefronts as before";
  return formatted("{}, and {}", change_of(d.a.wavefronts, d.b.wavefronts, "wavefronts"),
                   change_of(d.a.removable, d.b.removable, "removable wavefronts"));
}

// Returns the times of a kernel or of all kernels, or the reason why they cannot be compared. Returns an empty string
// if they are not predicted.
std::string time_text(const predicted_time& a, const predicted_time& b) {
  const std::string change = change_text(a, b);
  if (!change.empty() || !a || !b) return change;
  const auto of = [](const predicted_time& t) { return formatted("{} with {} caches", with_article(t.gpu), t.caches); };
  return formatted("not compared, because A is for {} and B is for {}", of(a), of(b));
}

json summed_time_json(const predicted_time& t) {
  if (!t) return nullptr;
  return {{"gpu", t.gpu},
          {"cycles", t.cycles},
          {"cycles_low", t.cycles_low},
          {"cycles_high", t.cycles_high},
          {"microseconds", static_cast<double>(t.nanoseconds) / 1000}};
}
// Adds the times in the reports. If they can be compared, also adds the factor.
void add_time(json& to, const predicted_time& a, const predicted_time& b) {
  if (!a && !b) return;
  to["time"] = {{"a", summed_time_json(a)}, {"b", summed_time_json(b)}};
  if (are_comparable(a, b))
    to["time"]["factor"] = std::round(static_cast<double>(a.cycles) / static_cast<double>(b.cycles) * 1000) / 1000;
}

}  // namespace

std::string time_verdict_of(const predicted_time& a, const predicted_time& b) { return time_text(a, b); }

std::string line_numbers_of(const diff_row& r, bool with_file) {
  const auto number = [](std::uint32_t n) { return n == 0 ? std::string("?") : std::to_string(n); };
  return (with_file ? formatted("{}:", r.file) : "") + (r.in_a && r.in_b && r.line_a != r.line_b
                                                            ? formatted("{} > {}", number(r.line_a), number(r.line_b))
                                                            : number(r.in_b ? r.line_b : r.line_a));
}

std::string verdict_of(const check::report_diff& d) {
  std::size_t added = 0, gone = 0, changed = 0;
  for (const check::kernel_diff& k : d.kernels)
    for (const auto* rows : {&k.rows, &k.global_rows})
      for (const check::diff_row& r : *rows) {
        added += !r.in_a;
        gone += !r.in_b;
        changed += r.in_a && r.in_b && r.a != r.b;
      }
  if (d.a == d.b) {
    if (added + gone + changed == 0) return "nothing changed";
    std::string text = "the totals are the same";
    const char* between = "; ";
    const auto add = [&](std::size_t n, const std::string& one, const std::string& many) {
      if (n != 0) text += std::exchange(between, ", ") + count_of(n, one, many);
    };
    add(changed, "line changed", "lines changed");
    add(added, "line is new", "lines are new");
    add(gone, "line is gone", "lines are gone");
    return text;
  }
  const std::string sectors = sectors_verdict(d);
  return shared_verdict(d) + (sectors.empty() ? "" : formatted("; {}", sectors));
}

std::string to_text(const check::report_diff& d, const style& s, bool all) {
  std::string text;
  for (const auto& [name, partial] : {std::pair{"A", d.partial_a}, std::pair{"B", d.partial_b}})
    if (partial) text += formatted("note: {} is partial ({})\n", name, words_of(partial));
  const std::uint64_t sectors_apart = check::plus(d.a.excess_sectors_apart, d.b.excess_sectors_apart);
  if (d.estimated_a || d.estimated_b)
    text += formatted(
        "note: {} estimated. A difference of up to {}, or {} removable wavefronts{}, may be an error of the estimate\n",
        d.estimated_a && d.estimated_b ? "A and B are"
        : d.estimated_a                ? "A is"
                                       : "B is",
        count_of(check::plus(d.a.wavefronts_apart, d.b.wavefronts_apart), "wavefront"),
        grouped(check::plus(d.a.removable_apart, d.b.removable_apart)),
        sectors_apart == 0 ? "" : formatted(", or {}", count_of(sectors_apart, "excess sector")));
  for (const std::string& kernel : d.uncounted)
    text += formatted(
        "note: only one report has sectors of global memory for the kernel {}, so the sectors of this kernel are not "
        "compared\n",
        kernel);
  if (!text.empty()) text += "\n";
  for (const kernel_diff& k : d.kernels) {
    const std::string state = state_of(k.in_a, k.in_b);
    text += formatted("{}{}\n", s.strong(k.kernel), state.empty() ? "" : formatted("  ({})", state));
    line_table t{k, k.rows, {"A", "B"}, shared_numbers, has_more_removable};
    for (const column& c : columns) t.heads.emplace_back(c.name);
    if (!k.rows.empty() || k.global_rows.empty()) text += t.text(s, all) + same_note(t.same, s);
    text += global_lines_text(k, s, all);
    if (const std::string time = time_text(k.time_a, k.time_b); !time.empty()) text += formatted("  time: {}\n", time);
    text += "\n";
  }
  const std::string time = d.kernels.size() == 1 ? std::string() : time_text(d.time_a, d.time_b);
  const std::string verdict =
      verdict_of(d) + (time.empty() ? "" : (time.starts_with("not ") ? "; time " : "; ") + time);
  return formatted("{}{}\n", text, is_worse(d) ? s.bad(verdict) : is_better(d) ? s.good(verdict) : verdict);
}

nlohmann::ordered_json json_value(const check::report_diff& d, const std::string& name_a, const std::string& name_b) {
  json kernels = json::array();
  for (const kernel_diff& k : d.kernels) {
    json one = {{"kernel", k.kernel},
                {"name", k.name},
                {"a", k.in_a ? sum_json(k.a) : json(nullptr)},
                {"b", k.in_b ? sum_json(k.b) : json(nullptr)},
                {"change", change_json(k.a, k.b)},
                {"lines", lines_json(k.rows, sum_json, change_json)}};
    if (k.counts_global) {
      one["global"] = {{"a", k.in_a ? global_json(k.a) : json(nullptr)},
                       {"b", k.in_b ? global_json(k.b) : json(nullptr)},
                       {"change", global_change_json(k.a, k.b)}};
      one["global_lines"] = lines_json(k.global_rows, global_json, global_change_json);
    }
    add_time(one, k.time_a, k.time_b);
    kernels.push_back(std::move(one));
  }
  json totals = {{"a", whole_json(d.a)}, {"b", whole_json(d.b)}, {"change", change_json(d.a, d.b)}};
  add_time(totals, d.time_a, d.time_b);
  json whole = {{"schema", "bankwise.diff/1"},
                {"tool", {{"name", "bankwise"}, {"version", BANKWISE_VERSION}}},
                {"a", name_a},
                {"b", name_b},
                {"partial", {{"a", static_cast<bool>(d.partial_a)}, {"b", static_cast<bool>(d.partial_b)}}},
                {"kernels", std::move(kernels)},
                {"estimated", {{"a", d.estimated_a}, {"b", d.estimated_b}}},
                {"totals", std::move(totals)}};
  if (counts_global(d))
    whole["global_totals"] = {
        {"a", global_json(d.a)}, {"b", global_json(d.b)}, {"change", global_change_json(d.a, d.b)}};
  if (!d.uncounted.empty()) whole["uncounted"] = d.uncounted;
  return whole;
}

std::string to_json(const check::report_diff& d, const std::string& name_a, const std::string& name_b) {
  return json_text(json_value(d, name_a, name_b));
}

std::string to_csv(const check::report_diff& d) {
  std::string text = "kernel,file,line_a,line_b,operation,wavefronts_a,wavefronts_b";
  for (const column& c : columns) text += formatted(",{}", c.name);
  text += ",source,space,sectors_a,sectors_b";
  for (const global_column& c : global_columns) text += formatted(",{}", c.name);
  text += "\n";
  const auto add = [&](const kernel_diff& k, const diff_row& r, bool global) {
    const auto line = [](bool is_there, std::uint32_t n) { return is_there ? std::to_string(n) : ""; };
    text += formatted("{},{},{},{},{}", csv_text(k.kernel), csv_text(r.file), line(r.in_a, r.line_a),
                      line(r.in_b, r.line_b), r.operation);
    const auto cell = [&](bool applies, auto n) {
      text += formatted(",{}", applies ? std::to_string(n) : std::string());
    };
    cell(!global, r.a.wavefronts);
    cell(!global, r.b.wavefronts);
    for (const column& c : columns) cell(!global, check::minus(c.of(r.b), c.of(r.a)));
    text += formatted(",{}{}", csv_text(r.text), !global ? ",shared" : is_local_row(r) ? ",local" : ",global");
    cell(global, r.a.global.sectors);
    cell(global, r.b.global.sectors);
    for (const global_column& c : global_columns) cell(global, check::minus(c.of(r.b), c.of(r.a)));
    text += "\n";
  };
  for (const kernel_diff& k : d.kernels) {
    for (const diff_row& r : k.rows) add(k, r, false);
    for (const diff_row& r : k.global_rows) add(k, r, true);
  }
  return text;
}

}  // namespace bankwise
