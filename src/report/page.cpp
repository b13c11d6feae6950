#include "report/page.hpp"

#include <nlohmann/json.hpp>

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

// The data stand in an element that no browser runs, in place of its `null`.
constexpr std::string_view data_element = R"(<script type="application/json" id="bankwise-data">)";

std::string page_with(const json& data) {
  const std::string_view page = page_template();
  const std::size_t at = page.find(data_element) + data_element.size();
  std::string out(page.substr(0, at));
  // A text may hold "</script>", or "<!--", which is as bad. In JSON "<" stands in strings only.
  for (const char c : data.dump(-1, ' ', false, json::error_handler_t::replace))
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  out += page.substr(at + std::string_view("null").size());
  return out;
}

json instructions(const std::vector<code_line>& list) {
  json rows = json::array();
  for (const code_line& l : list) rows.push_back({l.pc, l.sass, l.file, l.line, l.ptx_line});
  return rows;
}

// The sentences of the text report, so that the page has no words of its own for them.
json notes(const launch_report& l) {
  json list = json::array();
  for (const launch_note& n : notes_of(l)) {
    json items = json::array();
    for (const launch_note::item& i : n.items) {
      json places = json::array();
      for (const auto& [does, p, detail] : i.places)
        places.push_back({{"does", does},
                          {"function", p.function},
                          {"pc", p.pc},
                          {"sass", p.sass},
                          {"path", p.file},
                          {"line", p.line},
                          {"detail", detail}});
      items.push_back(
          {{"what", i.what}, {"where", i.where}, {"places", std::move(places)}, {"trail", i.trail}, {"hint", i.hint}});
    }
    list.push_back({{"title", n.title}, {"says", n.says}, {"items", std::move(items)}, {"hint", n.hint}});
  }
  return list;
}

}  // namespace

std::string to_html(const report& r, const launch_fixes& fixes) {
  json code = json::array();
  for (const kernel_code& c : r.code) {
    json functions = json::array();
    for (const function_code& f : c.functions)
      functions.push_back({{"name", f.name}, {"instructions", instructions(f.instructions)}});
    code.push_back({{"mangled", c.mangled},
                    {"files", c.files},
                    {"instructions", instructions(c.instructions)},
                    {"functions", std::move(functions)},
                    {"ptx", c.ptx}});
  }
  json notes_by_launch = json::array();
  for (const launch_report& l : r.launches) notes_by_launch.push_back(notes(l));
  return page_with({{"view", "report"},
                    {"report", json_value(r, fixes)},
                    {"notes", std::move(notes_by_launch)},
                    {"sources", json(r.sources)},
                    {"code", std::move(code)}});
}

std::string explorer_page(const std::vector<std::pair<std::string, std::string>>& question) {
  if (question.empty()) return page_with(nullptr);
  json pairs = json::array();
  for (const auto& [key, value] : question) pairs.push_back(json::array({key, value}));
  return page_with({{"view", "explain"}, {"question", std::move(pairs)}});
}

}  // namespace bankwise
