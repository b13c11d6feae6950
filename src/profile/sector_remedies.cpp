#include "profile/sector_remedies.hpp"

#include <algorithm>

namespace bankwise {

namespace {

sector_remedy remedy_of(const launch_report& r, const global_site& s) {
  const sector_reason why = reason_of(r, s);
  if (why.is_of_data) return {};
  sector_remedy m{.fewer = s.sectors - std::min(s.sectors, why.leaves)};
  if (why.is == sector_problem::misaligned) m.form = timing::sector_form::aligned;
  if (why.exchanges) m.form = timing::sector_form::staged;
  return m;
}

}  // namespace

std::vector<sector_remedy> sector_remedies_of(const launch_report& r, const std::vector<costly_sectors>& lines) {
  std::vector<sector_remedy> remedies(r.global_sites.size());
  for (const costly_sectors& line : lines)
    for (const std::size_t i : line.sites) remedies[i] = remedy_of(r, r.global_sites[i]);
  // If lanes both load and store rows of their own, each lane can handle other elements, and exchanges nothing.
  const auto have_rows = [&](bool stores) {
    for (std::size_t i = 0; i < remedies.size(); ++i)
      if (remedies[i].fewer != 0 && remedies[i].form != timing::sector_form::aligned &&
          (r.global_sites[i].kind == global_kind::store) == stores)
        return true;
    return false;
  };
  if (have_rows(true) && have_rows(false))
    for (sector_remedy& m : remedies)
      if (m.form == timing::sector_form::staged) m.form = timing::sector_form::packed;
  return remedies;
}

std::vector<timing::changed_instruction> sector_changes_of(const launch_report& r,
                                                           const std::vector<std::size_t>& sites,
                                                           const timing::launch_trace& t,
                                                           const std::vector<sector_remedy>& remedies) {
  constexpr std::uint8_t exchanging = 12;  // integer instructions that take as long as a pass through shared memory
  std::vector<timing::changed_instruction> list;
  for (const std::size_t i : sites) {
    const global_site& s = r.global_sites[i];
    const sector_remedy& m = remedies[i];
    const auto code = t.code_at(s.function, s.pc);
    if (m.fewer == 0 || !code) continue;
    const float part = 1 - static_cast<float>(m.fewer) / static_cast<float>(s.sectors);
    list.push_back({*code, {}, {part, m.form}});
    if (m.form == timing::sector_form::staged) list.back().change.added = exchanging;
  }
  return list;
}

}  // namespace bankwise
