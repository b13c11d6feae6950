#include "report/json/meaning_fields.hpp"

#include "base/format.hpp"

namespace bankwise {

namespace {

constexpr std::size_t most_unmeasured = 1024;
constexpr std::uint64_t most_code_instructions = std::uint64_t{1} << 28;

}  // namespace

nlohmann::ordered_json meaning_json(const code_meaning& m) {
  using json = nlohmann::ordered_json;
  json others = json::array();
  for (const unmeasured_instruction& one : m.unmeasured)
    others.push_back({{"instruction", one.name},
                      {"evidence", sass::name_of(one.level)},
                      {"places", one.places},
                      {"counts_depend", one.counted_on}});
  return {{"instructions", m.instructions}, {"measured", measured_of(m)}, {"unmeasured", std::move(others)}};
}

code_meaning read_meaning(report_reader& r, const node& parent) {
  const node n = r.value_at(parent, "meaning");
  code_meaning m;
  m.instructions = static_cast<std::uint32_t>(r.number(n, "instructions", most_code_instructions, 1));
  const node others = r.list(n, "unmeasured", most_unmeasured);
  std::uint64_t places = 0;
  for (std::size_t i = 0; i < r.size(others) && !r.wrong(); ++i) {
    const node one = r.item(others, i);
    unmeasured_instruction& u = m.unmeasured.emplace_back();
    u.name = r.text(one, "instruction");
    const std::string level = r.text(one, "evidence");
    if (level != "documented" && level != "assumed")
      r.refuse(r.value_at(one, "evidence"), "expected \"documented\" or \"assumed\"");
    u.level = level == "assumed" ? sass::meaning::assumed : sass::meaning::documented;
    u.places = static_cast<std::uint32_t>(r.number(one, "places", m.instructions, 1));
    u.counted_on = r.flag(one, "counts_depend");
    places += u.places;
  }
  if (r.wrong()) return m;
  if (places > m.instructions) {
    r.fail(others, "the sum of the places is larger than the number of instructions in the code");
  } else if (r.number(n, "measured", most_code_instructions) != measured_of(m)) {
    r.refuse(
        r.value_at(n, "measured"),
        formatted("expected {} (the number of instructions that are not in the list \"unmeasured\")", measured_of(m)));
  }
  return m;
}

}  // namespace bankwise
