#include "report/read_report.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "report/report_fields.hpp"

namespace bankwise {

namespace {

// A list takes some hundred bytes however short it is written: without a bound [[],[], ... is forty times its size.
bool has_too_many_lists(std::string_view text) {
  constexpr std::size_t some = 4096, bytes_of_one = 8;
  const auto opens = std::count_if(text.begin(), text.end(), [](char c) { return c == '[' || c == '{'; });
  return static_cast<std::size_t>(opens) > some + text.size() / bytes_of_one;
}

}  // namespace

result<report> read_report(std::string_view text, const std::string& name) {
  if (text.size() > most_text_bytes)
    return diagnostic{
        "a report of " + grouped(text.size()) + " bytes; at most " + grouped(most_text_bytes) + " are read",
        {.file = name}};
  if (has_too_many_lists(text) && !parsed_json::accept(text.begin(), text.end())) return syntax_error(text, name);
  if (has_too_many_lists(text))
    return diagnostic{"this holds more lists and objects than a report of " + grouped(text.size()) + " bytes",
                      {.file = name}};
  const parsed_json document = parsed_json::parse(text.begin(), text.end(), nullptr, false);
  if (document.is_discarded()) return syntax_error(text, name);
  const node root{&document};
  report_reader r(name);
  if (const std::string schema = r.text(root, "schema"); !r.wrong() && schema != schema_name)
    return diagnostic{
        "the schema is '" + schema.substr(0, 40) + "', and this version reads " + std::string(schema_name),
        {.file = name},
        "make the report again with bankwise run --format json"};
  report read;
  read_fields(report_fields(), r, root, read);
  if (r.wrong()) return *r.wrong();
  return read;
}

}  // namespace bankwise
