#include "report/json/reading/read_report.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "report/json/report_fields.hpp"
#include "report/json/report_parts.hpp"

namespace bankwise {

namespace {

// Limits for the number of values. In memory, a value needs a few hundred bytes, even if its text is short. A text such
// as [[],[], ... would therefore need forty times its own size. The characters `of` begin or separate values. For each
// of these characters, a valid report has at least `bytes_of_one` bytes.
struct crowd {
  std::string_view of;
  std::size_t bytes_of_one;
};
constexpr crowd crowds[] = {{"[{", 8}, {",", 3}, {"\"", 4}};

bool has_too_many_values(std::string_view text) {
  constexpr std::size_t some = 4096;
  std::array<std::size_t, 256> seen{};
  for (const char c : text) ++seen[static_cast<unsigned char>(c)];
  return std::any_of(std::begin(crowds), std::end(crowds), [&](const crowd& m) {
    std::size_t n = 0;
    for (const char c : m.of) n += seen[static_cast<unsigned char>(c)];
    return n > some + text.size() / m.bytes_of_one;
  });
}

}  // namespace

result<report> read_report(std::string_view text, const std::string& name) {
  if (text.size() > most_text_bytes)
    return diagnostic{formatted("the report has {} bytes, which is more than the limit of {} bytes",
                                grouped(text.size()), grouped(most_text_bytes)),
                      {.file = name}};
  if (has_too_many_values(text))
    return parsed_json::accept(text.begin(), text.end())
               ? diagnostic{formatted("the file has more values than a report of {} bytes can have",
                                      grouped(text.size())),
                            {.file = name}}
               : syntax_error(text, name);
  const report_parts parts = parts_of(text);
  if (parts.twice) return diagnostic{"the key \"launches\" occurs twice in the report", {.file = name}};
  const parsed_json document = parsed_json::parse(parts.rest.begin(), parts.rest.end(), nullptr, false);
  if (document.is_discarded()) return syntax_error(text, name);
  const node root{&document};
  report_reader r(name);
  r.launches = &parts.launches;
  if (const std::string schema = r.text(root, "schema"); !r.wrong() && schema != schema_name)
    return diagnostic{formatted("the schema of the report is '{}', but this version of bankwise reads {}",
                                schema.substr(0, 40), schema_name),
                      {.file = name},
                      formatted("make the report again with bankwise run {}", worded(setting::format, "json"))};
  report read;
  read_fields(report_fields(), r, root, read);
  if (r.broken) return syntax_error(text, name);
  if (r.wrong()) return *r.wrong();
  return read;
}

}  // namespace bankwise
