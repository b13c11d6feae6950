#include "advise/instruction_family.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace bankwise::advise {

void in_order(std::vector<recorded_access>& accesses) {
  std::sort(accesses.begin(), accesses.end(), [](const recorded_access& x, const recorded_access& y) {
    if (x.what.mask != y.what.mask) return x.what.mask < y.what.mask;
    return std::lexicographical_compare(std::begin(x.what.address), std::end(x.what.address),
                                        std::begin(y.what.address), std::end(y.what.address));
  });
}

std::optional<std::int64_t> distance(const access& a, const access& b) {
  if (a.mask != b.mask || a.mask == 0) return std::nullopt;
  const auto first = static_cast<u32>(std::countr_zero(a.mask));
  const std::int64_t d = std::int64_t{b.address[first]} - a.address[first];
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if ((a.mask >> lane & 1) != 0 && std::int64_t{b.address[lane]} - a.address[lane] != d) return std::nullopt;
  return d;
}

std::optional<std::int64_t> distance(const patterned_instruction& a, const patterned_instruction& b) {
  if (a.accesses.size() != b.accesses.size() || a.executed != b.executed) return std::nullopt;
  std::optional<std::int64_t> all;
  for (std::size_t i = 0; i < a.accesses.size(); ++i) {
    const auto d = distance(a.accesses[i].what, b.accesses[i].what);
    if (!d || a.accesses[i].count != b.accesses[i].count || (all && *all != *d)) return std::nullopt;
    all = d;
  }
  return all;
}

std::vector<instruction_family> families_of(const std::vector<patterned_instruction>& all) {
  std::vector<instruction_family> found;
  for (const patterned_instruction& i : all) {
    const bool joins = std::any_of(found.begin(), found.end(), [&](instruction_family& f) {
      const auto d = distance(*f.at(0), i);
      return d && f.try_emplace(*d, &i).second;
    });
    if (!joins) found.push_back({{0, &i}});
  }
  return found;
}

std::vector<const patterned_instruction*> in_a_row(const instruction_family& f, std::int64_t first, std::int64_t step,
                                                   std::uint32_t count) {
  std::vector<const patterned_instruction*> found;
  for (std::uint32_t k = 0; k < count; ++k) {
    const auto next = f.find(first + k * step);
    if (next == f.end()) return {};
    found.push_back(next->second);
  }
  return found;
}

}  // namespace bankwise::advise
