// The kinds of warp instructions on memory other than shared memory.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace bankwise {

enum class global_kind : std::uint8_t {
  load,
  store,
  atomic,      // returns the old value
  reduction,   // does not
  copy,        // cp.async
  local_load,  // on the threads' own stacks: a spilled register, or an array
  local_store,
};
constexpr bool is_local(global_kind k) { return k == global_kind::local_load || k == global_kind::local_store; }

// Their names in a report, in the order of the values.
inline constexpr std::string_view global_kind_names[] = {"ld", "st", "atom", "red", "cp.async", "ld.local", "st.local"};
constexpr std::string_view name_of(global_kind k) { return global_kind_names[static_cast<std::size_t>(k)]; }
constexpr bool parse_global_kind(std::string_view name, global_kind& k) {
  for (std::size_t i = 0; i < std::size(global_kind_names); ++i)
    if (name == global_kind_names[i]) return k = static_cast<global_kind>(i), true;
  return false;
}

}  // namespace bankwise
