#include "report/page/page.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "report/json/write_report.hpp"
#include "report/page/launch_view.hpp"
#include "report/page/packed_text.hpp"
#include "report/sections/hazard_report.hpp"
#include "report/sections/timeline_report.hpp"
#include "report/text/diff_report.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

// The element that contains the data. Browsers do not execute it. The data replace the `null` in the element.
constexpr std::string_view data_element = R"(<script type="application/json" id="bankwise-data">)";

// Escapes characters that hide or reorder other characters. Source lines and paths may contain such characters. The
// output for terminals is escaped in the same way.
void make_printable(json& value) {
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    if (!is_printable(text)) text = printable_text(text);
  } else if (value.is_array()) {
    for (json& one : value) make_printable(one);
  } else if (value.is_object()) {
    bool keys = true;
    for (auto& [key, one] : value.items()) {
      make_printable(one);
      keys &= is_printable(key);
    }
    if (keys) return;
    json renamed = json::object();
    for (auto& [key, one] : value.items()) renamed[printable_text(key)] = std::move(one);
    value = std::move(renamed);
  }
}

// Returns a value as text without blanks. "<" is escaped, because a text with "</script>" or "<!--" would end or change
// the element with the data. In JSON, "<" only occurs in strings.
std::string element_text(json value) {
  make_printable(value);
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string escaped;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find('<', from)) != text.npos; from = at + 1)
    escaped.append(text, from, at - from).append("\\u003c");
  return escaped.append(text, from);
}

// Adds a member to the text of an object that is still open.
void add_member_text(std::string& object, const std::string& key, std::string_view value) {
  object += formatted("{}{}:", object.empty() ? '{' : ',', element_text(key));
  object += value;
}

// Returns the page with data, which are the text of a JSON value. Packed texts are after the data, so that a browser can
// show the page before it has read these texts.
std::string page_with(const std::string& data, const std::vector<std::string>& ptx = {}) {
  const std::string_view page = page_template(), end = "null</script>\n";
  const std::size_t at = page.find(data_element) + data_element.size();
  std::string out(page.substr(0, at));
  out += data;
  out += end.substr(end.find('<'));
  for (std::size_t i = 0; i < ptx.size(); ++i) {
    const packed_text text = pack(ptx[i]);
    out += formatted(
        "<script type=\"text/plain\" id=\"bankwise-ptx-{}\" data-bytes=\"{}\" "
        "data-of=\"{}\">{}</script>\n",
        i, text.packed_bytes, text.bytes, text.characters);
  }
  out += page.substr(at + end.size());
  return out;
}

struct page_column {
  std::string key;
  json::array_t values;
};

// Returns the values of each key of the rows. For a missing key, the column contains null.
std::vector<page_column> page_columns_of(json& rows) {
  std::vector<page_column> columns;
  std::size_t n = 0;
  for (json& row : rows) {
    std::size_t at = 0;  // the keys of most rows have the same order
    for (auto& [key, value] : row.get_ref<json::object_t&>()) {
      if (at >= columns.size() || columns[at].key != key) {
        const auto found =
            std::find_if(columns.begin(), columns.end(), [&](const page_column& c) { return c.key == key; });
        at = static_cast<std::size_t>(found - columns.begin());
        if (found == columns.end()) columns.push_back({key, {}});
      }
      columns[at].values.resize(n);
      columns[at].values.push_back(std::move(value));
      ++at;
    }
    ++n;
  }
  for (page_column& c : columns) c.values.resize(n);
  return columns;
}

json numbered_words(const json::array_t& texts) {
  json words = json::array(), at = list_with_room(texts.size());
  std::map<std::string_view, std::size_t> known;
  for (const json& text : texts) {
    if (text.is_null()) {
      at.push_back(nullptr);
      continue;
    }
    const auto [place, is_new] = known.try_emplace(text.get_ref<const std::string&>(), words.size());
    if (is_new) words.push_back(text);
    at.push_back(place->second);
  }
  json words_at = object_with_room(2);
  add_member(words_at, "words", std::move(words));
  add_member(words_at, "at", std::move(at));
  return words_at;
}

// Converts rows of objects to columns, and texts to indices into a list. This halves the size of a page with thousands
// of instructions. A browser must read the whole page before it can show anything.
json packed(json rows) {
  std::vector<page_column> columns = page_columns_of(rows);
  json all = object_with_room(columns.size());
  for (auto& [key, values] : columns) {
    const auto are = [&](auto kind) { return std::all_of(values.begin(), values.end(), kind); };
    if (are([](const json& v) { return v.is_string() || v.is_null(); }))
      add_member(all, key.c_str(), numbered_words(values));
    else if (are([](const json& v) { return v.is_object(); }))
      add_member(all, key.c_str(), packed(std::move(values)));
    else
      add_member(all, key.c_str(), std::move(values));
  }
  json both = object_with_room(2);
  add_member(both, "rows", rows.size());
  add_member(both, "columns", std::move(all));
  return both;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += formatted("{}\n", line);
  return printable_text(text);
}

// Returns the instructions as one array for each column. A browser would need ten times as long to read one array for
// each row.
json instructions(const std::vector<code_line>& list) {
  json pc = json::array(), file = json::array(), line = json::array(), ptx_line = json::array();
  std::string sass;
  for (const code_line& l : list) {
    pc.push_back(l.pc);
    file.push_back(l.file);
    line.push_back(l.line);
    ptx_line.push_back(l.ptx_line);
    sass += formatted("{}\n", l.sass);
  }
  return {{"pc", pc}, {"sass", sass}, {"file", file}, {"line", line}, {"ptx_line", ptx_line}};
}

bool accesses(const json& fix, const known_move& m) {
  for (const json& group : fix.value("accesses", json::array()))
    for (const json& at : group.value("sites", json::array())) {
      const bool in_function = at.is_object();
      const std::pair<std::string, std::uint64_t> place = {
          in_function ? at.value("function", "") : "",
          in_function ? at.value("pc", std::uint64_t{0}) : at.get<std::uint64_t>()};
      if (std::find(m.sites.begin(), m.sites.end(), place) != m.sites.end()) return true;
    }
  return false;
}

// Adds the suggested instructions as notes to the fixes of arrays. Each note is added to the array that the
// instructions access.
void add_moves(const launch_report& l, json& launch) {
  if (!launch.contains("fixes")) return;
  for (const known_move& m : l.moves)
    for (json& fix : launch["fixes"])
      if (accesses(fix, m))
        fix["notes"].push_back(formatted("other instructions for {}:{}: {}. This change needs {}", base_name(m.file),
                                         m.line, m.verdict, m.needs));
}

// Returns the text of a launch or of its view. Their instructions are in columns.
std::string packed_launch(json launch, const launch_report& l) {
  json& sites = launch["sites"];
  sites = packed(std::move(sites));
  add_moves(l, launch);
  return element_text(std::move(launch));
}

json json_of_code(const kernel_code& c) {
  json functions = json::array();
  for (const function_code& f : c.functions)
    functions.push_back({{"name", f.name}, {"instructions", instructions(f.instructions)}});
  return {{"mangled", c.mangled},
          {"files", c.files},
          {"instructions", instructions(c.instructions)},
          {"functions", std::move(functions)}};
}

// Returns the sentence at the top of the page: what conflicts cost, and what the checks found.
std::string verdict_of_page(const report& r) {
  const std::string checked = checks_sentence(r);
  return checked.empty() ? program_sentence(r) : formatted("{} Checks: {}.", program_sentence(r), checked);
}

// Returns the page of a report, whose launches and views are already texts.
std::string page_of(const report& r, const std::string& launches, const std::string& views) {
  std::string head, data;
  const json values = head_value(r);
  for (const auto& [key, value] : values.items())
    add_member_text(head, key, key == "launches" ? launches : element_text(value));
  json code = json::array(), sources = json::object();
  std::vector<std::string> ptx;
  for (const kernel_code& c : r.code) {
    ptx.push_back(joined(c.ptx));
    code.push_back(json_of_code(c));
  }
  for (const auto& [file, text] : r.sources) sources[file] = without_mark(text);
  add_member_text(data, "view", element_text("report"));
  add_member_text(data, "report", head + "}");
  add_member_text(data, "verdict", element_text(verdict_of_page(r)));
  if (const std::string times = timeline_sentence(r); !times.empty())
    add_member_text(data, "timeline", element_text(times));
  add_member_text(data, "views", views);
  add_member_text(data, "sources", element_text(std::move(sources)));
  add_member_text(data, "code", element_text(std::move(code)));
  return page_with(data + "}", ptx);
}

}  // namespace

std::string to_html(const report& r, const launch_fixes& fixes, const writing_watch& watch) {
  std::string launches, views;
  std::size_t n = 0;
  early_end cut;
  for (; n < r.launches.size(); ++n) {
    if (watch) cut = watch(n, r.launches.size());
    if (cut) break;
    const launch_report& l = r.launches[n];
    const char* const mark = n == 0 ? "[" : ",";
    launches += mark + packed_launch(launch_value(r, n, fixes), l);
    views += mark + packed_launch(write_fields(launch_view_fields(), view_of(r, l), {&r, &l, nullptr}), l);
  }
  for (std::string* list : {&launches, &views}) *list += list->empty() ? "[]" : "]";
  if (!cut) return page_of(r, launches, views);
  return page_of(first_launches(r, n, cut), launches, views);
}

std::string to_html(const check::report_diff& d, const std::string& name_a, const std::string& name_b) {
  return page_with(
      element_text({{"view", "diff"}, {"verdict", verdict_of(d)}, {"diff", json_value(d, name_a, name_b)}}));
}

std::string explorer_page(const std::vector<std::pair<std::string, std::string>>& question) {
  if (question.empty()) return page_with("null");
  json pairs = json::array();
  for (const auto& [key, value] : question) pairs.push_back(json::array({key, value}));
  return page_with(element_text({{"view", "explain"}, {"question", std::move(pairs)}}));
}

}  // namespace bankwise
