#include "report/text/diff_report.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <utility>

#include "base/csv.hpp"
#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "check/saturate.hpp"
#include "report/json/json_text.hpp"
#include "report/sections/finding_report.hpp"
#include "report/sections/time_report.hpp"
#include "report/text/text_table.hpp"

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

std::string signed_text(std::uint64_t a, std::uint64_t b) {
  return a == b ? "-" : b > a ? "+" + grouped(b - a) : "-" + grouped(a - b);
}

// "18", "18 > 21" if it moved.
std::string line_of(const diff_row& r, bool with_file) {
  const auto number = [](std::uint32_t n) { return n == 0 ? std::string("?") : std::to_string(n); };
  return (with_file ? r.file + ":" : "") + (r.in_a && r.in_b && r.line_a != r.line_b
                                                ? formatted("{} > {}", number(r.line_a), number(r.line_b))
                                                : number(r.in_b ? r.line_b : r.line_a));
}

std::string state_of(bool in_a, bool in_b) { return !in_a ? "only in B" : !in_b ? "only in A" : ""; }

json sum_json(const sum& s) {
  return {{"executed", s.executed}, {"wavefronts", s.wavefronts}, {"ideal", s.ideal},   {"reachable", s.reachable},
          {"excess", s.excess()},   {"removable", s.removable},   {"queued", s.queued}, {"cycles", s.cycles}};
}
// With the possible error of estimates.
json whole_json(const sum& s) {
  json j = sum_json(s);
  if (s.wavefronts_apart != 0) j["wavefronts_apart"] = s.wavefronts_apart;
  if (s.removable_apart != 0) j["removable_apart"] = s.removable_apart;
  return j;
}
json change_json(const sum& a, const sum& b) {
  json j;
  for (const column& c : columns) j[c.name] = check::minus(c.of(b), c.of(a));
  return j;
}

// "12.3 us before, 7.12 us after: 1.74 times as fast"; empty if one of them is not predicted.
std::string time_text(const check::summed_time& a, const check::summed_time& b) {
  if (!a.known || !b.known || a.gpu != b.gpu || a.cycles == 0 || b.cycles == 0) return {};
  const bool is_slower = b.cycles > a.cycles;
  const std::string ratio = is_slower ? fine_ratio_text(b.cycles, a.cycles) : fine_ratio_text(a.cycles, b.cycles);
  const std::string factor =
      ratio == "1.00" ? std::string("as fast") : ratio + (is_slower ? " times as slow" : " times as fast");
  return formatted("about {} instead of {} on {}, {}", duration_text(b.nanoseconds), duration_text(a.nanoseconds),
                   with_article(a.gpu), factor);
}

json time_json(const check::summed_time& t) {
  if (!t.known) return nullptr;
  return {{"gpu", t.gpu}, {"cycles", t.cycles}, {"microseconds", static_cast<double>(t.nanoseconds) / 1000}};
}
// Present if one side has it; the factor only if both have.
void add_time(json& to, const check::summed_time& a, const check::summed_time& b) {
  if (!a.known && !b.known) return;
  to["time"] = {{"a", time_json(a)}, {"b", time_json(b)}};
  if (a.known && b.known && a.gpu == b.gpu && b.cycles != 0)
    to["time"]["factor"] = std::round(static_cast<double>(a.cycles) / static_cast<double>(b.cycles) * 1000) / 1000;
}

}  // namespace

std::string verdict_of(const check::report_diff& d) {
  std::size_t added = 0, gone = 0, changed = 0;
  for (const check::kernel_diff& k : d.kernels)
    for (const check::diff_row& r : k.rows) {
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
  if (d.a.removable == d.b.removable && d.a.wavefronts == d.b.wavefronts) return "as many wavefronts as before";
  return formatted("{} wavefronts, {} of them removable", signed_text(d.a.wavefronts, d.b.wavefronts),
                   signed_text(d.a.removable, d.b.removable));
}

std::string to_text(const check::report_diff& d, const style& s, bool all) {
  std::string text;
  for (const auto& [name, partial] : {std::pair{"A", d.partial_a}, std::pair{"B", d.partial_b}})
    if (partial) text += formatted("note: {} is partial, {}\n", name, words_of(partial));
  if (d.estimated_a || d.estimated_b)
    text += formatted(
        "note: {} estimated: a difference of up to {}, or {} removable ones, may be an error of the estimate\n",
        d.estimated_a && d.estimated_b ? "A and B are"
        : d.estimated_a                ? "A is"
                                       : "B is",
        count_of(check::plus(d.a.wavefronts_apart, d.b.wavefronts_apart), "wavefront"),
        grouped(check::plus(d.a.removable_apart, d.b.removable_apart)));
  if (!text.empty()) text += "\n";
  for (const kernel_diff& k : d.kernels) {
    const std::string state = state_of(k.in_a, k.in_b);
    text += formatted("{}{}\n", s.strong(k.kernel), state.empty() ? "" : "  (" + state + ")");
    text_table t;
    t.left_last = 3;
    t.rows.push_back({"line", "A", "B", "wavefronts", "excess", "removable", "cycles", "access", "", "source"});
    std::vector<std::size_t> strong;
    const bool several =
        std::any_of(k.rows.begin(), k.rows.end(), [&](const diff_row& r) { return r.file != k.rows.front().file; });
    const auto add = [&](const std::string& line, const sum& a, const sum& b, const std::string& access,
                         const std::string& where, const std::string& source) {
      std::vector<std::string> row = {line, grouped(a.wavefronts), grouped(b.wavefronts)};
      for (const column& c : columns) row.push_back(signed_text(c.of(a), c.of(b)));
      row.insert(row.end(), {access, where, source});
      t.rows.push_back(std::move(row));
    };
    std::size_t same = 0;
    for (const diff_row& r : k.rows) {
      if (!all && r.in_a && r.in_b && r.a == r.b) {
        ++same;
        continue;
      }
      if (r.b.removable > r.a.removable) strong.push_back(t.rows.size());
      add(line_of(r, several), r.a, r.b, r.operation, k.in_a && k.in_b ? state_of(r.in_a, r.in_b) : "",
          shortened(r.text, s.width > 130 ? s.width - 90 : 40));
    }
    add("total", k.a, k.b, "", "", "");
    text += t.text(s, strong);
    if (const std::string time = time_text(k.time_a, k.time_b); !time.empty()) text += "  time: " + time + "\n";
    if (same != 0)
      text += s.dim(formatted("  {}{} the same ({} lists them)", grouped(same),
                              same == 1 ? " line costs" : " lines cost", worded(setting::all))) +
              "\n";
    text += "\n";
  }
  const std::string time = d.kernels.size() == 1 ? std::string() : time_text(d.time_a, d.time_b);
  const std::string verdict = verdict_of(d) + (time.empty() ? "" : "; " + time);
  return formatted("{}{}\n", text,
                   d.b.removable > d.a.removable   ? s.bad(verdict)
                   : d.b.removable < d.a.removable ? s.good(verdict)
                                                   : verdict);
}

nlohmann::ordered_json json_value(const check::report_diff& d, const std::string& name_a, const std::string& name_b) {
  json kernels = json::array();
  for (const kernel_diff& k : d.kernels) {
    json lines = json::array();
    for (const diff_row& r : k.rows) {
      json one = {{"file", r.file}, {"text", r.text}, {"operation", r.operation}};
      one["a"] = r.in_a ? sum_json(r.a) : json(nullptr);
      if (r.in_a) one["a"]["line"] = r.line_a;
      one["b"] = r.in_b ? sum_json(r.b) : json(nullptr);
      if (r.in_b) one["b"]["line"] = r.line_b;
      one["change"] = change_json(r.a, r.b);
      lines.push_back(std::move(one));
    }
    kernels.push_back({{"kernel", k.kernel},
                       {"name", k.name},
                       {"a", k.in_a ? sum_json(k.a) : json(nullptr)},
                       {"b", k.in_b ? sum_json(k.b) : json(nullptr)},
                       {"change", change_json(k.a, k.b)},
                       {"lines", std::move(lines)}});
    add_time(kernels.back(), k.time_a, k.time_b);
  }
  json totals = {{"a", whole_json(d.a)}, {"b", whole_json(d.b)}, {"change", change_json(d.a, d.b)}};
  add_time(totals, d.time_a, d.time_b);
  return {{"schema", "bankwise.diff/1"},
          {"tool", {{"name", "bankwise"}, {"version", BANKWISE_VERSION}}},
          {"a", name_a},
          {"b", name_b},
          {"partial", {{"a", static_cast<bool>(d.partial_a)}, {"b", static_cast<bool>(d.partial_b)}}},
          {"kernels", std::move(kernels)},
          {"estimated", {{"a", d.estimated_a}, {"b", d.estimated_b}}},
          {"totals", std::move(totals)}};
}

std::string to_json(const check::report_diff& d, const std::string& name_a, const std::string& name_b) {
  return json_text(json_value(d, name_a, name_b));
}

std::string to_csv(const check::report_diff& d) {
  std::string text = "kernel,file,line_a,line_b,operation,wavefronts_a,wavefronts_b";
  for (const column& c : columns) text += std::string(",") + c.name;
  text += ",source\n";
  for (const kernel_diff& k : d.kernels)
    for (const diff_row& r : k.rows) {
      const auto line = [](bool there, std::uint32_t n) { return there ? std::to_string(n) : ""; };
      text += formatted("{},{},{},{},{},{},{}", csv_text(k.kernel), csv_text(r.file), line(r.in_a, r.line_a),
                        line(r.in_b, r.line_b), r.operation, r.a.wavefronts, r.b.wavefronts);
      for (const column& c : columns) text += "," + std::to_string(check::minus(c.of(r.b), c.of(r.a)));
      text += "," + csv_text(r.text) + "\n";
    }
  return text;
}

namespace {

constexpr std::size_t most_rows = 30,
                      most_code = 100;  // of a comment: lines of the table, characters of one of the source

// Code in a cell of a table in GitHub's Markdown: nothing in it is markup, whatever it contains. A code span cannot
// contain every text: after a \, a | always ends the cell.
std::string code_span(const std::string& text) {
  if (trim(text).empty()) return "";
  const std::string code = shortened(std::string(trim(text)), most_code);
  std::string s;
  if (std::any_of(code.begin(), code.end(), [](char c) { return c == '\\' || static_cast<unsigned char>(c) < ' '; })) {
    for (const char c : code) {
      const auto byte = static_cast<unsigned char>(c);
      const bool is_word = byte >= 0x80 || std::isalnum(byte) != 0 || c == ' ';
      s += is_word ? std::string(1, c) : byte < ' ' ? " " : "&#" + std::to_string(byte) + ";";
    }
    return "<code>" + s + "</code>";
  }
  std::size_t run = 0, longest = 0;
  for (const char c : code) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    s += c == '|' ? "\\|" : std::string(1, c);
  }
  const std::string fence(longest + 1, '`');
  return longest == 0 ? fence + s + fence : fence + " " + s + " " + fence;
}

// If B has more removable wavefronts than A: the instruction that takes most, with a drawing of its access.
std::string worst_drawn(const check::report_diff& d, const report& b) {
  const kernel_diff* of = nullptr;
  const diff_row* worst = nullptr;
  std::uint64_t most = 0;
  for (const kernel_diff& k : d.kernels)
    for (const diff_row& r : k.rows)
      if (r.in_b && r.b.removable > r.a.removable && r.b.removable - r.a.removable > most) {
        most = r.b.removable - r.a.removable;
        of = &k;
        worst = &r;
      }
  const site* drawn = nullptr;
  for (const launch_report& l : b.launches)
    for (const site& s : l.sites)
      if (worst != nullptr && l.kernel == of->kernel && s.line == worst->line_b && base_name(s.file) == worst->file &&
          s.op.spelling == worst->operation && (drawn == nullptr || removable(s) > removable(*drawn)))
        drawn = &s;
  if (drawn == nullptr) return "";
  const access_report access = explained(*drawn, b.on);
  const std::string picture = formatted("{}\n\n{}", verdict(access), collision_text(access, {}, 5));
  std::string fence = "```";
  while (picture.find(fence) != std::string::npos) fence += '`';
  return formatted(
      "\n<details open><summary>The worst access of the line that became "
      "worst</summary>\n\n{}\n\n{}text\n{}{}\n\n</details>\n",
      code_span(formatted("{}:{}", worst->file, worst->line_b)), fence, picture, fence);
}

}  // namespace

std::string to_markdown(const check::report_diff& d, const report& b) {
  std::string text = "**bankwise: " + verdict_of(d) + "**\n";
  if (const std::string time = time_text(d.time_a, d.time_b); !time.empty())
    text += "\nPredicted time: " + time + ".\n";
  for (const auto& [name, partial] : {std::pair{"before", d.partial_a}, std::pair{"after", d.partial_b}})
    if (partial) text += formatted("\nThe report from {} is partial, {}.\n", name, words_of(partial));
  if (const std::uint64_t apart = check::plus(d.a.removable_apart, d.b.removable_apart); d.estimated_a || d.estimated_b)
    text += "\nCounts are estimated: a difference of up to " + grouped(apart) +
            " removable wavefronts may be an error of the estimate.\n";
  struct changed_line {
    const kernel_diff* of;
    const diff_row* row;
  };
  std::vector<changed_line> changed;
  std::size_t same = 0;
  for (const kernel_diff& k : d.kernels)
    for (const diff_row& r : k.rows)
      if (r.in_a && r.in_b && r.a == r.b)
        ++same;
      else
        changed.push_back({&k, &r});
  // Worse lines first, then better ones.
  const auto change = [](const changed_line& l) {
    const auto removable = check::minus(l.row->b.removable, l.row->a.removable);
    const auto all = check::minus(l.row->b.wavefronts, l.row->a.wavefronts);
    return std::pair{removable, all};
  };
  std::stable_sort(changed.begin(), changed.end(),
                   [&](const changed_line& x, const changed_line& y) { return change(x) > change(y); });
  if (!changed.empty())
    text +=
        "\n| | line | access | wavefronts before | after | removable before | after | kernel | source |\n"
        "|---|---|---|--:|--:|--:|--:|---|---|\n";
  for (std::size_t i = 0; i < std::min(changed.size(), most_rows); ++i) {
    const auto& [k, r] = changed[i];
    const auto [removable, all] = change(changed[i]);
    const bool worse = removable > 0 || (removable == 0 && all > 0), equal = removable == 0 && all == 0;
    const auto number = [](bool there, std::uint64_t n) { return there ? grouped(n) : std::string(); };
    for (const std::string& cell :
         {std::string(!r->in_a   ? "new"
                      : !r->in_b ? "gone"
                      : equal    ? ""
                      : worse    ? "worse"
                                 : "better"),
          code_span(line_of(*r, true)), code_span(r->operation), number(r->in_a, r->a.wavefronts),
          number(r->in_b, r->b.wavefronts), number(r->in_a, r->a.removable), number(r->in_b, r->b.removable),
          code_span(k->name), code_span(r->text)})
      text += formatted("| {}{}", cell, cell.empty() ? "" : " ");
    text += "|\n";
  }
  if (changed.size() > most_rows)
    text += "\n" + count_of(changed.size() - most_rows, "more line") + " changed: `bankwise diff` lists them.\n";
  if (same != 0) text += formatted("\n{}{} the same.\n", grouped(same), same == 1 ? " line costs" : " lines cost");
  return text + worst_drawn(d, b);
}

}  // namespace bankwise
