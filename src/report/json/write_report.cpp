#include "report/json/write_report.hpp"

#include "report/json/report_fields.hpp"
#include "report/json/syntax/json_text.hpp"

namespace bankwise {

namespace {

using json = nlohmann::ordered_json;

beside beside_launch(const report& r, std::size_t i, const launch_fixes& fixes) {
  return {&r, &r.launches[i], i < fixes.size() ? &fixes[i] : nullptr};
}

}  // namespace

json head_value(const report& r) { return write_fields(report_fields(), r, {&r, nullptr, nullptr}); }

json launch_value(const report& r, std::size_t i, const launch_fixes& fixes) {
  return write_fields(launch_fields(), r.launches[i], beside_launch(r, i, fixes));
}

// Writes the text of json_text(json_value(...)), but one instruction at a time. A large report in one JSON value would
// need several times the memory of its text, and more time. The launches come first, because a cut changes the head.
std::string to_json(const report& r, const launch_fixes& fixes, const writing_watch& watch) {
  std::string out;
  std::size_t n = 0;
  early_end cut;
  for (; n < r.launches.size(); ++n) {
    if (watch) cut = watch(n, r.launches.size());
    if (cut) break;
    out += n == 0 ? "[\n    " : ",\n    ";
    append_fields(launch_fields(), r.launches[n], beside_launch(r, n, fixes), 4, out);
  }
  out += n == 0 ? "[]" : "\n  ]";
  const json all = cut ? head_value(first_launches(r, n, cut)) : head_value(r);
  std::string before;
  bool is_before = true;
  for (auto it = all.begin(); it != all.end(); ++it) {
    std::string& to = is_before ? before : out;
    to += it == all.begin() ? "{\n  " : ",\n  ";
    append_json(it.key(), 2, to);
    to += ": ";
    if (it.key() == "launches")
      is_before = false;
    else
      append_json(*it, 2, to);
  }
  out.insert(0, before);
  out += "\n}\n";
  return out;
}

json json_value(const report& r, const launch_fixes& fixes) {
  json all = head_value(r);
  json& launches = all["launches"];
  for (std::size_t i = 0; i < r.launches.size(); ++i) launches.push_back(launch_value(r, i, fixes));
  return all;
}

}  // namespace bankwise
