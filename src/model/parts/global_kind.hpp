// The kinds of warp instructions on memory, except shared memory.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace bankwise {

enum class global_kind : std::uint8_t {
  load,
  store,
  atomic,      // an atomic that returns the old value
  reduction,   // an atomic that returns no value
  copy,        // cp.async
  local_load,  // a load from the thread's own stack: a spilled register, or an array
  local_store,
  texture_read,
  surface_load,
  surface_store,
  surface_reduction,
};

// The memory that an instruction accesses, in CUDA's terms. Textures and surfaces have separate hardware counters.
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

// The names of the kinds in a report, in the order of global_kind.
inline constexpr std::string_view global_kind_names[] = {"ld",       "st",  "atom", "red",  "cp.async", "ld.local",
                                                         "st.local", "tex", "suld", "sust", "sured"};
constexpr std::string_view name_of(global_kind k) { return global_kind_names[static_cast<std::size_t>(k)]; }
constexpr bool parse_global_kind(std::string_view name, global_kind& k) {
  for (std::size_t i = 0; i < std::size(global_kind_names); ++i)
    if (name == global_kind_names[i]) return k = static_cast<global_kind>(i), true;
  return false;
}

}  // namespace bankwise
