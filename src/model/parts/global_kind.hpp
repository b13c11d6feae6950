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
  texture_read,
  surface_load,
  surface_store,
  surface_reduction,
};

// The memory that an instruction accesses, as programs name it. Textures and surfaces have counters of their own.
enum class memory_kind : std::uint8_t { global, local, texture, surface };
constexpr memory_kind memory_of(global_kind k) {
  if (k < global_kind::local_load) return memory_kind::global;
  if (k < global_kind::texture_read) return memory_kind::local;
  return k == global_kind::texture_read ? memory_kind::texture : memory_kind::surface;
}
constexpr bool is_global(global_kind k) { return memory_of(k) == memory_kind::global; }
constexpr bool is_local(global_kind k) { return memory_of(k) == memory_kind::local; }

inline constexpr std::string_view memory_kind_names[] = {"global", "local", "texture", "surface"};
constexpr std::string_view name_of(memory_kind m) { return memory_kind_names[static_cast<std::size_t>(m)]; }

// Their names in a report, in the order of the values.
inline constexpr std::string_view global_kind_names[] = {"ld",       "st",  "atom", "red",  "cp.async", "ld.local",
                                                         "st.local", "tex", "suld", "sust", "sured"};
constexpr std::string_view name_of(global_kind k) { return global_kind_names[static_cast<std::size_t>(k)]; }
constexpr bool parse_global_kind(std::string_view name, global_kind& k) {
  for (std::size_t i = 0; i < std::size(global_kind_names); ++i)
    if (name == global_kind_names[i]) return k = static_cast<global_kind>(i), true;
  return false;
}

}  // namespace bankwise
