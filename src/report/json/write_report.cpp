#include "report/json/write_report.hpp"

#include "report/json/json_text.hpp"
#include "report/json/report_fields.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

beside beside_launch(const report& r, std::size_t i, const launch_fixes& fixes) {
  return {&r, &r.launches[i], i < fixes.size() ? &fixes[i] : nullptr};
}
json value_without_launches(const report& r) { return write_fields(report_fields(), r, {&r, nullptr, nullptr}); }

}  // namespace

// Writes the text of json_text(json_value(...)), but one instruction at a time. A large report in one JSON value would
// need several times the memory of its text, and more time.
std::string to_json(const report& r, const launch_fixes& fixes) {
  const json all = value_without_launches(r);
  std::string out;
  for (auto it = all.begin(); it != all.end(); ++it) {
    out += out.empty() ? "{\n  " : ",\n  ";
    append_json(it.key(), 2, out);
    out += ": ";
    if (it.key() != "launches" || r.launches.empty()) {
      append_json(*it, 2, out);
      continue;
    }
    for (std::size_t i = 0; i < r.launches.size(); ++i) {
      out += i == 0 ? "[\n    " : ",\n    ";
      append_fields(launch_fields(), r.launches[i], beside_launch(r, i, fixes), 4, out);
    }
    out += "\n  ]";
  }
  out += "\n}\n";
  return out;
}

json json_value(const report& r, const launch_fixes& fixes) {
  json all = value_without_launches(r);
  json& launches = all["launches"];
  for (std::size_t i = 0; i < r.launches.size(); ++i)
    launches.push_back(write_fields(launch_fields(), r.launches[i], beside_launch(r, i, fixes)));
  return all;
}

}  // namespace bankwise
