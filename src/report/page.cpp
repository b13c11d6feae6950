#include "report/page.hpp"

#include <nlohmann/json.hpp>

#include "report/launch_view.hpp"

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
  json views = json::array();
  for (const launch_report& l : r.launches)
    views.push_back(write_fields(launch_view_fields(), view_of(r, l), {&r, &l, nullptr}));
  return page_with({{"view", "report"},
                    {"report", json_value(r, fixes)},
                    {"views", std::move(views)},
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
