#include "report/text/diff_report.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
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
using check::amounts;
using check::diff_row;
using check::kernel_diff;

// Whether a part of a diff contains a measure. `least` is where the part shows measures.
bool shows(const measure_row& m, measure_record record, measure_diff least, const amounts& a, const amounts& b) {
  if (m.record != record) return false;
  return m.diff == measure_diff::where_any ? a[m.is].is != 0 || b[m.is].is != 0 : m.diff >= least;
}

// Calls a function for each measure in a part of a diff.
void each_measure(measure_record record, measure_diff least, const amounts& a, const amounts& b, auto use) {
  for (const measure_row& m : measure_rows)
    if (shows(m, record, least, a, b)) use(m);
}

// The measure with the cost of a kind of memory: the one that has a waste.
const measure_row& cost_of(measure_record record) {
  return *std::find_if(std::begin(measure_rows), std::end(measure_rows),
                       [&](const measure_row& m) { return m.record == record && m.waste != measure::none; });
}

std::string signed_text(std::uint64_t a, std::uint64_t b) {
  return a == b ? "-" : b > a ? formatted("+{}", grouped(b - a)) : formatted("-{}", grouped(a - b));
}

// Returns a text such as "+448 wavefronts", or "as many wavefronts" if the number has not changed.
std::string change_of(std::uint64_t a, std::uint64_t b, std::string_view what) {
  return a == b ? formatted("as many {}", what) : formatted("{} {}", signed_text(a, b), what);
}

std::string state_of(bool in_a, bool in_b) { return !in_a ? "only in B" : !in_b ? "only in A" : ""; }

json side_json(measure_record record, const amounts& s) {
  json j;
  each_measure(record, measure_diff::side, s, s, [&](const measure_row& m) { j[m.count] = s[m.is].is; });
  return j;
}
json change_json(measure_record record, const amounts& a, const amounts& b) {
  json j;
  each_measure(record, measure_diff::change, a, b,
               [&](const measure_row& m) { j[m.count] = check::minus(b[m.is].is, a[m.is].is); });
  return j;
}
// Returns a total as JSON, with the possible error of an estimate.
json whole_json(const amounts& s) {
  json j = side_json(measure_record::shared, s);
  for (const measure_row& m : measure_rows)
    if (m.diff == measure_diff::estimated && s[m.is].apart != 0) j[formatted("{}_apart", m.count)] = s[m.is].apart;
  return j;
}
// Returns both sides and the change of a kernel, or of the whole reports.
json both_json(measure_record record, const amounts& a, const amounts& b, bool in_a = true, bool in_b = true) {
  return {{"a", in_a ? side_json(record, a) : json(nullptr)},
          {"b", in_b ? side_json(record, b) : json(nullptr)},
          {"change", change_json(record, a, b)}};
}

// Returns the lines of one kind of memory as JSON, with their costs in both reports.
json lines_json(const std::vector<diff_row>& rows, measure_record record) {
  json lines = json::array();
  for (const diff_row& r : rows) {
    json one = {{"file", r.file}, {"text", r.text}, {"operation", r.operation}};
    one["a"] = r.in_a ? side_json(record, r.a) : json(nullptr);
    if (r.in_a) one["a"]["line"] = r.line_a;
    one["b"] = r.in_b ? side_json(record, r.b) : json(nullptr);
    if (r.in_b) one["b"]["line"] = r.line_b;
    one["change"] = change_json(record, r.a, r.b);
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
  measure_record record;
  std::size_t same = 0;  // number of rows with equal costs, which are not listed

  std::string text(const style& s, bool all) {
    text_table t;
    t.left_last = 3;
    std::vector<std::string> head = {"line", "A", "B"};
    const measure_row& cost = cost_of(record);
    each_measure(record, measure_diff::column, k.a, k.b, [&](const measure_row& m) { head.emplace_back(m.head); });
    head.insert(head.end(), {"access", "", "source"});
    t.rows.push_back(std::move(head));
    std::vector<std::size_t> strong;
    const bool several =
        std::any_of(rows.begin(), rows.end(), [&](const diff_row& r) { return r.file != rows.front().file; });
    const auto add = [&](const std::string& line, const amounts& a, const amounts& b, const std::string& access,
                         const std::string& where, const std::string& source) {
      std::vector<std::string> row = {line, grouped(a[cost.is].is), grouped(b[cost.is].is)};
      each_measure(record, measure_diff::column, k.a, k.b,
                   [&](const measure_row& m) { row.push_back(signed_text(a[m.is].is, b[m.is].is)); });
      row.insert(row.end(), {access, where, source});
      t.rows.push_back(std::move(row));
    };
    for (const diff_row& r : rows) {
      if (!all && !has_changed(r)) {
        ++same;
        continue;
      }
      if (r.b[cost.waste].is > r.a[cost.waste].is) strong.push_back(t.rows.size());
      add(line_numbers_of(r, several), r.a, r.b, r.operation, k.in_a && k.in_b ? state_of(r.in_a, r.in_b) : "",
          shortened(r.text, s.width > 130 ? s.width - 90 : 40));
    }
    add("total", k.a, k.b, "", "", "");
    return t.text(s, strong);
  }
};

std::string same_note(std::size_t same, const style& s) {
  if (same == 0) return {};
  return formatted("{}\n", s.dim(formatted("  {}{} the same in both reports ({} lists these lines)", grouped(same),
                                           same == 1 ? " line costs" : " lines cost", worded(setting::all))));
}

// Returns the sectors of a kernel's lines, or one line of text if no line changed.
std::string global_lines_text(const kernel_diff& k, const style& s, bool all) {
  if (!k.counts_global || k.global_rows.empty()) return {};
  if (!all && std::none_of(k.global_rows.begin(), k.global_rows.end(), has_changed))
    return formatted("  global memory: {}, as before\n", count_of(k.b[measure::sectors].is, "sector"));
  line_table t{k, k.global_rows, measure_record::global};
  const std::string text = t.text(s, all);
  return formatted("global memory, sectors of 32 bytes\n{}{}", text, same_note(t.same, s));
}

// Compares the waste of two reports: 1 if B wastes more, -1 if it wastes less. Shared memory decides first.
int compared_waste(const check::report_diff& d) {
  for (const measure_row& m : measure_rows)
    if (m.waste != measure::none && d.a[m.waste].is != d.b[m.waste].is)
      return d.b[m.waste].is > d.a[m.waste].is ? 1 : -1;
  return 0;
}

// Returns a text such as "-448 sectors of global memory, and -448 excess sectors", or an empty string if neither number
// has changed.
std::string verdict_about(measure_record record, const std::string& where, const check::report_diff& d) {
  const measure_row &cost = cost_of(record), &waste = row_of(cost.waste);
  const auto change = [&](const measure_row& m, const std::string& what) {
    return change_of(d.a[m.is].is, d.b[m.is].is, what);
  };
  if (d.a[cost.is].is == d.b[cost.is].is && d.a[waste.is].is == d.b[waste.is].is) return {};
  return formatted("{}, and {}", change(cost, cost.many + where), change(waste, waste.many));
}
std::string whole_verdict(const check::report_diff& d) {
  std::string text = verdict_about(measure_record::shared, "", d);
  if (text.empty()) text = "as many wavefronts as before";
  const std::string sectors =
      counts_global(d) ? verdict_about(measure_record::global, " of global memory", d) : std::string();
  if (!sectors.empty()) text += formatted("; {}", sectors);
  for (const measure_row& m : measure_rows)
    if ((m.diff == measure_diff::verdict || m.diff == measure_diff::where_any) && d.a[m.is].is != d.b[m.is].is)
      text += formatted("; {}", change_of(d.a[m.is].is, d.b[m.is].is, m.many));
  return text;
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

// Whether each program ran to its end.
bool is_whole(const check::report_diff& d) {
  return d.failure_a.empty() && d.failure_b.empty() && !d.partial_a && !d.partial_b;
}

// Returns a text such as "hgemm<64>: 3 of 10 launches in B".
std::string unfinished_text(const check::unfinished_kernel& u) {
  const auto side = [](std::uint64_t launches, bool stopped, const char* name) {
    return formatted("{} in {}{}", launches == 0 ? "no launch" : count_of(launches, "launch", "launches"), name,
                     stopped ? formatted(", {} stopped", launches == 1 ? "which was" : "of which one was") : "");
  };
  return formatted("{}: {}; {}", u.instance, side(u.launches_a, u.stopped_a, "A"),
                   side(u.launches_b, u.stopped_b, "B"));
}

}  // namespace

std::vector<std::string> failures_of(const check::report_diff& d) {
  std::vector<std::string> list;
  for (const auto& [name, failure] : {std::pair{"A", d.failure_a}, std::pair{"B", d.failure_b}})
    if (!failure.empty()) list.push_back(formatted("{} failed: {}", name, failure));
  return list;
}
std::vector<std::string> unfinished_of(const check::report_diff& d) {
  std::vector<std::string> list;
  for (const check::unfinished_kernel& u : d.unfinished) list.push_back(unfinished_text(u));
  return list;
}

std::string time_verdict_of(const predicted_time& a, const predicted_time& b) { return time_text(a, b); }

std::string line_numbers_of(const diff_row& r, bool with_file) {
  const auto number = [](std::uint32_t n) { return n == 0 ? std::string("?") : std::to_string(n); };
  return (with_file ? formatted("{}:", r.file) : "") + (r.in_a && r.in_b && r.line_a != r.line_b
                                                            ? formatted("{} > {}", number(r.line_a), number(r.line_b))
                                                            : number(r.in_b ? r.line_b : r.line_a));
}

std::string verdict_of(const check::report_diff& d) {
  if (!is_whole(d)) {
    const bool failed_a = !d.failure_a.empty(), failed_b = !d.failure_b.empty();
    const bool not_whole_a = failed_a || d.partial_a, not_whole_b = failed_b || d.partial_b;
    const std::string which = not_whole_a && not_whole_b ? "A and B" : not_whole_a ? "A" : "B";
    return formatted("{} {}, so {}", which,
                     failed_a || failed_b ? "failed"
                     : which.size() == 1  ? "is partial"
                                          : "are partial",
                     d.kernels.empty() ? "nothing is compared"
                                       : "only the kernels above are compared, whose launches all ran to their end");
  }
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
  return whole_verdict(d);
}

std::string to_text(const check::report_diff& d, const style& s, bool all) {
  std::string text;
  for (const std::string& failure : failures_of(d)) text += formatted("{}\n", s.bad(failure));
  for (const auto& [name, partial, failure] :
       {std::tuple{"A", d.partial_a, d.failure_a}, std::tuple{"B", d.partial_b, d.failure_b}})
    if (partial && failure.empty()) text += formatted("note: {} is partial ({})\n", name, words_of(partial));
  if (!d.unfinished.empty())
    text += "not compared, because a program ended before all launches of these kernels had run:\n";
  for (const std::string& kernel : unfinished_of(d)) text += formatted("  {}\n", kernel);
  const auto apart = [&](measure m) { return check::plus(d.a[m].apart, d.b[m].apart); };
  const std::uint64_t sectors_apart = apart(measure::excess_sectors);
  if (d.estimated_a || d.estimated_b)
    text += formatted(
        "note: {} estimated. A difference of up to {}, or {} removable wavefronts{}, may be an error of the estimate\n",
        d.estimated_a && d.estimated_b ? "A and B are"
        : d.estimated_a                ? "A is"
                                       : "B is",
        count_of(apart(measure::wavefronts), "wavefront"), grouped(apart(measure::removable)),
        sectors_apart == 0 ? "" : formatted(", or {}", count_of(sectors_apart, "excess sector")));
  for (const std::string& kernel : d.uncounted)
    text += formatted(
        "note: only one report has sectors of global memory for the kernel {}, so the sectors of this kernel are not "
        "compared\n",
        kernel);
  if (!text.empty()) text += "\n";
  for (const kernel_diff& k : d.kernels) {
    const std::string state = state_of(k.in_a, k.in_b);
    text += formatted("{}{}\n", s.strong(k.instance),
                      !state.empty()                                   ? formatted("  ({})", state)
                      : k.in_a && k.in_b && k.instance_a != k.instance ? formatted("  (in A: {})", k.instance_a)
                                                                       : "");
    line_table t{k, k.rows, measure_record::shared};
    if (!k.rows.empty() || k.global_rows.empty()) text += t.text(s, all) + same_note(t.same, s);
    text += global_lines_text(k, s, all);
    if (const std::string time = time_text(k.time_a, k.time_b); !time.empty()) text += formatted("  time: {}\n", time);
    text += "\n";
  }
  const std::string time = d.kernels.size() == 1 ? std::string() : time_text(d.time_a, d.time_b);
  const std::string verdict =
      verdict_of(d) + (time.empty() ? "" : (time.starts_with("not ") ? "; time " : "; ") + time);
  const int waste = d.failure_a.empty() && d.failure_b.empty() ? compared_waste(d) : 1;
  return formatted("{}{}\n", text, waste > 0 ? s.bad(verdict) : waste < 0 ? s.good(verdict) : verdict);
}

nlohmann::ordered_json json_value(const check::report_diff& d, const std::string& name_a, const std::string& name_b) {
  json kernels = json::array();
  for (const kernel_diff& k : d.kernels) {
    json one = {{"kernel", k.kernel}, {"name", k.name}, {"instance", k.instance}};
    if (k.in_a && k.in_b && k.instance_a != k.instance) one["instance_a"] = k.instance_a;
    one.update(both_json(measure_record::shared, k.a, k.b, k.in_a, k.in_b));
    one["lines"] = lines_json(k.rows, measure_record::shared);
    if (k.counts_global) {
      one["global"] = both_json(measure_record::global, k.a, k.b, k.in_a, k.in_b);
      one["global_lines"] = lines_json(k.global_rows, measure_record::global);
    }
    add_time(one, k.time_a, k.time_b);
    kernels.push_back(std::move(one));
  }
  json totals = {
      {"a", whole_json(d.a)}, {"b", whole_json(d.b)}, {"change", change_json(measure_record::shared, d.a, d.b)}};
  add_time(totals, d.time_a, d.time_b);
  json whole = {{"schema", "bankwise.diff/1"},
                {"tool", {{"name", "bankwise"}, {"version", BANKWISE_VERSION}}},
                {"a", name_a},
                {"b", name_b},
                {"partial", {{"a", static_cast<bool>(d.partial_a)}, {"b", static_cast<bool>(d.partial_b)}}},
                {"kernels", std::move(kernels)},
                {"estimated", {{"a", d.estimated_a}, {"b", d.estimated_b}}},
                {"totals", std::move(totals)}};
  if (counts_global(d)) whole["global_totals"] = both_json(measure_record::global, d.a, d.b);
  if (!d.uncounted.empty()) whole["uncounted"] = d.uncounted;
  if (!failures_of(d).empty()) {
    const auto text_or_null = [](const std::string& text) { return text.empty() ? json(nullptr) : json(text); };
    whole["failed"] = {{"a", text_or_null(d.failure_a)}, {"b", text_or_null(d.failure_b)}};
  }
  for (const check::unfinished_kernel& u : d.unfinished)
    whole["not_compared"].push_back(
        {{"instance", u.instance}, {"launches_a", u.launches_a}, {"launches_b", u.launches_b}});
  return whole;
}

std::string to_json(const check::report_diff& d, const std::string& name_a, const std::string& name_b) {
  return json_text(json_value(d, name_a, name_b));
}

std::string to_csv(const check::report_diff& d) {
  // The cost in A, the cost in B, and the changes, of both kinds of memory.
  const auto cells = [&](measure_record record, auto cell) {
    std::string text;
    const measure_row& cost = cost_of(record);
    for (const char* side : {"_a", "_b"}) text += formatted(",{}", cell(cost, side));
    each_measure(record, measure_diff::change, d.a, d.b,
                 [&](const measure_row& m) { text += formatted(",{}", cell(m, "")); });
    return text;
  };
  const auto name = [](const measure_row& m, const char* side) { return formatted("{}{}", m.count, side); };
  std::string text = formatted("kernel,file,line_a,line_b,operation{},source,space{}\n",
                               cells(measure_record::shared, name), cells(measure_record::global, name));
  const auto add = [&](const kernel_diff& k, const diff_row& r, bool global) {
    const auto line = [](bool is_there, std::uint32_t n) { return is_there ? std::to_string(n) : ""; };
    const auto number = [&](const measure_row& m, std::string_view side) {
      if (global != m.is_of_sectors()) return std::string();
      const std::uint64_t a = r.a[m.is].is, b = r.b[m.is].is;
      return side.empty() ? std::to_string(check::minus(b, a)) : std::to_string(side == "_a" ? a : b);
    };
    text += formatted("{},{},{},{},{}{},{},{}{}\n", csv_text(k.kernel), csv_text(r.file), line(r.in_a, r.line_a),
                      line(r.in_b, r.line_b), r.operation, cells(measure_record::shared, number), csv_text(r.text),
                      !global           ? "shared"
                      : is_local_row(r) ? "local"
                                        : "global",
                      cells(measure_record::global, number));
  };
  for (const kernel_diff& k : d.kernels) {
    for (const diff_row& r : k.rows) add(k, r, false);
    for (const diff_row& r : k.global_rows) add(k, r, true);
  }
  return text;
}

}  // namespace bankwise
