#include "report/sections/dependence_report.hpp"

namespace bankwise {

std::string dependences_text(const site& s) {
  if (!s.depends.known) return "";
  std::string text;
  for (const sass::input_name& n : sass::input_names) {
    const bool where = s.depends.address.has(n.what), whether = s.depends.execution.has(n.what);
    if (!where && !whether) continue;
    text += (text.empty() ? "" : ", ") + std::string(n.name) +
            (where && whether ? ""
             : where          ? " (address)"
                              : " (execution)");
  }
  return text.empty() ? "only the shape of the launch" : text;
}

}  // namespace bankwise
