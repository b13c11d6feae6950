#include "report/json/reading/read_report.hpp"

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "report/json/reading/json_syntax.hpp"
#include "report/json/report_fields.hpp"
#include "report/json/report_parts.hpp"

namespace bankwise {

result<report> read_report(std::string_view text, const std::string& name) {
  if (text.size() > most_text_bytes)
    return diagnostic{formatted("the report has {} bytes, which is more than the limit of {} bytes",
                                grouped(text.size()), grouped(most_text_bytes)),
                      {.file = name}};
  if (has_too_many_values(text))
    return json_document(text).is_valid()
               ? diagnostic{formatted("the file has more values than a report of {} bytes can have",
                                      grouped(text.size())),
                            {.file = name}}
               : syntax_error(text, name);
  const report_parts parts = parts_of(text);
  if (parts.twice) return diagnostic{"the key \"launches\" occurs twice in the report", {.file = name}};
  const json_document document(parts.rest);
  if (!document.is_valid()) return syntax_error(text, name);
  const node root{&document.root()};
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
