#include "report/write_report.hpp"

#include "report/json_text.hpp"
#include "report/report_fields.hpp"

namespace bankwise {

std::string to_json(const report& r, const launch_fixes& fixes) { return json_text(json_value(r, fixes)); }

nlohmann::ordered_json json_value(const report& r, const launch_fixes& fixes) {
  nlohmann::ordered_json all = write_fields(report_fields(), r, {&r, nullptr, nullptr});
  nlohmann::ordered_json& launches = all["launches"];
  for (std::size_t i = 0; i < r.launches.size(); ++i)
    launches.push_back(
        write_fields(launch_fields(), r.launches[i], {&r, &r.launches[i], i < fixes.size() ? &fixes[i] : nullptr}));
  return all;
}

}  // namespace bankwise
