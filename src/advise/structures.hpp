// The cost of an array of structs in two other forms: a struct of arrays, and an array of longer structs.
//
//     struct body { float x, y, z, m; };
//     __shared__ body b[64];                        sum += b[t].x    4 wavefronts: the lanes' x are 4 words apart
//     x[64], y[64], z[64], m[64]                    sum += x[t]      1 wavefront
//     bodies of 20 bytes, one word of padding       sum += b[t].x    1 wavefront
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/search/problem.hpp"

namespace bankwise::advise {

struct struct_member {
  std::string name;
  u32 at = 0, bytes = 0;  // `at` is the offset of the member in the struct, and `bytes` is its size.

  friend bool operator==(const struct_member&, const struct_member&) = default;
};

struct struct_type {
  std::string name;
  std::vector<struct_member> members;
  u32 bytes = 0, alignment = 1;
};

// Finds the definition of a struct in a source. The members must have CUDA's types, or be arrays of such types. Returns
// nothing if the struct contains anything else, such as a base, functions or bit fields. Also returns nothing if two
// structs have this name.
std::optional<struct_type> find_struct(std::string_view source, std::string_view name);

struct structure_costs {
  std::uint64_t before = 0;
  std::uint64_t apart = 0;   // wavefronts if each member is in a separate array
  u32 longer_by = 0;         // bytes of padding in each struct, for the best of the tried sizes
  std::uint64_t longer = 0;  // wavefronts with longer structs
};

// Counts wavefronts by the rule, for both layouts. Accesses whose addresses depend on data are included. Returns
// nothing if an access is not a load, store or atomic, or accesses only a part of a member. Also returns nothing if
// existing padding was removed. `joined`: whether the compiler joined accesses to several members. The compiler splits
// such accesses if they are not aligned.
std::optional<structure_costs> count_structures(const problem& p, const struct_type& s, bool joined);

// Returns a note such as "a struct of arrays, x[64], y[64], z[64] and m[64], takes 16 wavefronts instead of 64; ...".
// Returns an empty string if nothing is saved.
std::string structures_note(const structure_costs& c, const struct_type& s, std::uint64_t elements);

}  // namespace bankwise::advise
