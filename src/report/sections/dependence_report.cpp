#include "report/sections/dependence_report.hpp"

#include <vector>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_mnemonics = 4;

std::string names_text(std::vector<std::string> names) {
  if (const std::size_t all = names.size(); all > most_mnemonics) {
    names.resize(most_mnemonics);
    names.push_back(formatted("{} more", all - most_mnemonics));
  }
  return enumerated(names);
}

std::string level_text(const code_meaning& m, sass::meaning level) {
  std::vector<std::string> names;
  for (const unmeasured_instruction& one : m.unmeasured)
    if (one.level == level) names.push_back(one.name);
  if (names.empty()) return "";
  return formatted(", {}{}", names_text(names), level == sass::meaning::documented ? " as documented" : " as assumed");
}

}  // namespace

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

std::string meaning_sentence(const code_meaning& m) {
  if (!m) return "";
  if (m.unmeasured.empty())
    return formatted("all {} behave as measured on a GPU", count_of(m.instructions, "instruction"));
  std::vector<std::string> needed;
  for (const unmeasured_instruction& one : m.unmeasured)
    if (one.counted_on) needed.push_back(one.name);
  const bool all = needed.size() == m.unmeasured.size();
  return formatted(
      "{} of {} behave as measured on a GPU{}{}; {}", grouped(measured_of(m)), count_of(m.instructions, "instruction"),
      level_text(m, sass::meaning::documented), level_text(m, sass::meaning::assumed),
      needed.empty()
          ? formatted("no count depends on {}",
                      m.unmeasured.size() == 1 ? "the unmeasured instruction" : "the unmeasured instructions")
          : formatted("counts may depend on {}",
                      all ? m.unmeasured.size() == 1 ? "the unmeasured instruction" : "the unmeasured instructions"
                          : names_text(needed)));
}

}  // namespace bankwise
