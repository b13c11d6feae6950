#include "report/page/page.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "report/page/launch_view.hpp"
#include "report/page/packed_text.hpp"
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

// Returns the page with data. Packed texts are after the data, so that a browser can show the page before it has read
// these texts.
std::string page_with(const json& data, const std::vector<std::string>& ptx = {}) {
  const std::string_view page = page_template(), end = "null</script>\n";
  const std::size_t at = page.find(data_element) + data_element.size();
  std::string out(page.substr(0, at));
  // "<" is escaped, because a text with "</script>" or "<!--" would end or change the element. In JSON, "<" only occurs
  // in strings.
  for (const char c : data.dump(-1, ' ', false, json::error_handler_t::replace))
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
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

// Converts rows of objects to columns, and texts to indices into a list. For a missing key, the column contains null.
// This halves the size of a page with thousands of instructions. A browser must read the whole page before it can show
// anything.
json packed(const json& rows) {
  json all = json::object();
  std::vector<std::string> keys;
  for (const json& row : rows)
    for (const auto& [key, value] : row.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  for (const std::string& key : keys) {
    json column = json::array(), words = json::array(), at = json::array();
    std::map<std::string, std::size_t> known;
    bool texts = true, objects = true;
    for (const json& row : rows) {
      const auto found = row.find(key);
      column.push_back(found == row.end() ? json(nullptr) : *found);
      texts &= column.back().is_string() || column.back().is_null();
      objects &= column.back().is_object();
    }
    if (texts) {
      for (const json& text : column) {
        if (text.is_null()) {
          at.push_back(nullptr);
          continue;
        }
        const auto [place, is_new] = known.try_emplace(text.get<std::string>(), words.size());
        if (is_new) words.push_back(text);
        at.push_back(place->second);
      }
      column = {{"words", std::move(words)}, {"at", std::move(at)}};
    } else if (objects) {
      column = packed(column);
    }
    all[key] = std::move(column);
  }
  return {{"rows", rows.size()}, {"columns", std::move(all)}};
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

}  // namespace

std::string to_html(const report& r, const launch_fixes& fixes) {
  json code = json::array();
  std::vector<std::string> ptx;
  for (const kernel_code& c : r.code) {
    ptx.push_back(joined(c.ptx));
    json functions = json::array();
    for (const function_code& f : c.functions)
      functions.push_back({{"name", f.name}, {"instructions", instructions(f.instructions)}});
    code.push_back({{"mangled", c.mangled},
                    {"files", c.files},
                    {"instructions", instructions(c.instructions)},
                    {"functions", std::move(functions)}});
  }
  json sources = json::object();
  for (const auto& [file, text] : r.sources) sources[file] = without_mark(text);
  json views = json::array();
  for (const launch_report& l : r.launches) {
    views.push_back(write_fields(launch_view_fields(), view_of(r, l), {&r, &l, nullptr}));
    views.back()["sites"] = packed(views.back()["sites"]);
  }
  json whole = json_value(r, fixes);
  for (std::size_t i = 0; i < r.launches.size(); ++i) {
    json& l = whole["launches"][i];
    l["sites"] = packed(l["sites"]);
    add_moves(r.launches[i], l);
  }
  json data = {{"view", "report"},          {"report", std::move(whole)},    {"verdict", program_sentence(r)},
               {"views", std::move(views)}, {"sources", std::move(sources)}, {"code", std::move(code)}};
  make_printable(data);
  return page_with(data, ptx);
}

std::string to_html(const check::report_diff& d, const std::string& name_a, const std::string& name_b) {
  json data = {{"view", "diff"}, {"verdict", verdict_of(d)}, {"diff", json_value(d, name_a, name_b)}};
  make_printable(data);
  return page_with(data);
}

std::string explorer_page(const std::vector<std::pair<std::string, std::string>>& question) {
  if (question.empty()) return page_with(nullptr);
  json pairs = json::array();
  for (const auto& [key, value] : question) pairs.push_back(json::array({key, value}));
  return page_with({{"view", "explain"}, {"question", std::move(pairs)}});
}

}  // namespace bankwise
