// All accesses to global memory by one machine instruction in one launch, added up. The members are the rows of
// global_site.def.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/counts.hpp"
#include "model/fact.hpp"
#include "model/parts/global_kind.hpp"
#include "model/parts/global_sample.hpp"
#include "model/parts/instruction_place.hpp"
#include "model/time/stall_cycles.hpp"

namespace bankwise {

// Numbers of warp instructions, lanes, sectors, lines and bytes for a whole launch.
struct global_counts {
#define COUNT(name, at_most, column, meaning) std::uint64_t name = 0;
#include "model/global_site.def"

  global_counts& operator+=(const global_counts& other);
  global_counts& operator*=(std::uint64_t times);
  friend bool operator==(const global_counts&, const global_counts&) = default;
};
inline std::uint64_t excess_sectors(const global_counts& c) {
  return c.sectors - (c.sectors < c.sectors_ideal ? c.sectors : c.sectors_ideal);
}
void scale(global_counts& c, std::uint64_t whole, std::uint64_t part);

struct global_site : global_counts, instruction_place {
#define OWN_MEMBERS
#define MEMBER(type, name, initial, tells, adds) type name{initial};
#include "model/global_site.def"
};

// Returns the operation, for example "ld.global.b32", "ld.local.b32", "cp.async.b128".
std::string spelling_of(const global_site& s);

// These functions do the same as the functions for a site (site.hpp).
bool same(const global_site& a, const global_site& b, tells least);
void add_site(global_site& to, const global_site& more);
void multiply(global_site& s, std::uint64_t launches);

// Returns the sums over the sites that access this kind of memory.
global_counts sum_of(const std::vector<global_site>& sites, memory_kind of = memory_kind::global);

// --- the counts, for loops over them

struct global_count_row {
  const char* name;
  std::uint64_t (*value)(const global_counts&);
  std::uint64_t global_counts::*member;   // member of the counts; null for a derived value
  std::uint64_t global_counts::*at_most;  // the count that limits this count; null if there is none
  unsigned column;
  const char* meaning;
};

namespace global_count_member {
inline constexpr std::uint64_t global_counts::*none = nullptr;
#define COUNT(name, at_most, column, meaning) \
  inline constexpr std::uint64_t global_counts::*name = &global_counts::name;
#include "model/global_site.def"
}  // namespace global_count_member

inline constexpr global_count_row global_count_rows[] = {
#define COUNT(name, at_most, column, meaning)                                                          \
  {#name,  [](const global_counts& c) { return c.name; }, &global_counts::name, global_count_member::at_most, column, \
   meaning},
#define EXCESS(name, column, meaning) \
  {#name, [](const global_counts& c) { return bankwise::name(c); }, nullptr, nullptr, column, meaning},
#include "model/global_site.def"
};

constexpr const global_count_row& global_count_row_of(std::string_view name) {
  for (const global_count_row& r : global_count_rows)
    if (name == r.name) return r;
  return global_count_rows[0];
}

}  // namespace bankwise
