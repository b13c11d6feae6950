// Operations by name, as on the command line, in tables and in reports.
//
//     ld.b128   st.b8   ldmatrix.x4.trans   ldmatrix.m16n16.x2   stmatrix.x2   atom.add.b32   red.max.b32   atom.cas.b64
//     popc.inc.b32   cp.async.ca.16   cp.async.cg.16
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankwise/access.hpp"
#include "bankwise/asynchronous.hpp"
#include "base/result.hpp"

namespace bankwise {

// An operation by its PTX-like name, or by another usual one (operation_synonyms.hpp); it may contain ".shared",
// ".aligned" and similar parts. A width in the name overrides `width_bytes`. The returned name, `spelling`, is the one
// used in tables and reports.
struct named_operation {
  operation op{};
  std::string spelling;
  bool width_given = false;
  bool is_float = false;   // the name contained ".f32"
  bool is_number = false;  // the name contained the type of the numbers, ".u32" or ".f32"
  bool of_bytes = false;   // a matrix of 8-bit elements, which few machines support: ability::byte_matrix
};
result<named_operation> parse_operation(std::string_view name, std::uint32_t width_bytes = 4);
std::string spell(operation op);
// The name of an operation without lanes: "wgmma", "cp.async.bulk", "mbarrier.init". Not for async_kind::none.
std::string spell(async_kind kind);
std::optional<async_kind> parse_async(std::string_view name);
// The names that parse_operation accepts, without widths: "ld", "ldmatrix.x4", "atom.add".
std::vector<std::string> operation_names();

}  // namespace bankwise
