#include "report/read_report.hpp"

#include "base/text.hpp"
#include "report/report_fields.hpp"

namespace bankwise {

result<report> read_report(std::string_view text, const std::string& name) {
  if (text.size() > most_text_bytes)
    return diagnostic{
        "a report of " + grouped(text.size()) + " bytes; at most " + grouped(most_text_bytes) + " are read",
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
