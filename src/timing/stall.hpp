// The number of clocks that warps spend at an instruction, for each reason. The reasons are the rows of
// stall_reasons.def.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace bankwise::timing {

enum class stall_reason : std::uint8_t {
#define REASON(name, meaning) name,
#include "timing/stall_reasons.def"
  count,
};
inline constexpr auto stall_reasons = static_cast<std::size_t>(stall_reason::count);

constexpr std::string_view name_of(stall_reason r) {
  constexpr std::string_view names[] = {
#define REASON(name, meaning) #name,
#include "timing/stall_reasons.def"
  };
  return names[static_cast<std::size_t>(r)];
}

struct stall_clocks {
  std::array<double, stall_reasons> by_reason{};

  void add(stall_reason r, double clocks) {
    if (clocks > 0) by_reason[static_cast<std::size_t>(r)] += clocks;
  }
};

}  // namespace bankwise::timing
