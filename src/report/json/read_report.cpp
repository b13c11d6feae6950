#include "report/json/read_report.hpp"

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "model/instances.hpp"
#include "report/json/report_fields.hpp"
#include "report/json/syntax/json_syntax.hpp"

namespace bankwise {

namespace {

constexpr const char* launches_key = "launches";

void read_schema(report_reader& r, const node& root) {
  if (const std::string schema = r.text(root, "schema"); !r.wrong() && schema != schema_name)
    r.refuse_file(formatted("the schema of the report is '{}', but this version of bankwise reads {}",
                            schema.substr(0, 40), schema_name),
                  formatted("make the report again with bankwise run {}", worded(setting::format, "json")));
}

}  // namespace

result<report> read_report(std::string_view text, const std::string& name, const std::function<bool()>& goes_on) {
  if (text.size() > most_text_bytes)
    return diagnostic{formatted("the report has {} bytes, which is more than the limit of {} bytes",
                                grouped(text.size()), grouped(most_text_bytes)),
                      {.file = name}};
  report_reader r(name);
  report read;
  const node root{&r.header}, launches{nullptr, &root, launches_key};
  const auto reads_header = [&](const parsed_json& before) {
    r.header = before;
    if (!r.has(root, "schema") || !r.has(root, "arch")) return false;
    read_schema(r, root);
    read_machine(r, root, read);
    return true;
  };
  const auto reads_launch = [&](const parsed_json& one) {
    read_launch(r, launches, one, read);
    return !r.wrong() && (!goes_on || goes_on());
  };
  const json_document document(text, {launches_key, reads_header, reads_launch});
  if (r.wrong()) return *r.wrong();
  using state = json_document::state;
  if (document.is() != state::valid && document.is() != state::stopped) return error_of(document, text, name);
  r.header = document.root();
  read_schema(r, root);
  read_fields(report_fields(), r, root, read);
  if (r.wrong()) return *r.wrong();
  name_instances(read);
  return read;
}

}  // namespace bankwise
