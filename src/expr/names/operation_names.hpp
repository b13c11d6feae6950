// Names of operations, as on the command line, in tables and in reports:
//
//     ld.b128   st.b8   ldmatrix.x4.trans   ldmatrix.m16n16.x2   stmatrix.x2   atom.add.b32   red.max.b32
//     atom.cas.b64   popc.inc.b32   cp.async.ca.16   cp.async.cg.16
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

// An operation with its name. parse_operation accepts PTX names and their synonyms (operation_synonyms.hpp). A name may
// contain ".shared", ".aligned" and similar parts. If the name contains a width, it overrides `width_bytes`. `spelling`
// is the name in tables and reports.
struct named_operation {
  operation op{};
  std::string spelling;
  bool width_given = false;
  bool is_float = false;   // whether the name contains ".f32"
  bool is_number = false;  // whether the name contains a type of numbers, such as ".u32" or ".f32"
  // whether the operation moves a matrix of 8-bit elements, which few machines support (ability::byte_matrix)
  bool of_bytes = false;
};
result<named_operation> parse_operation(std::string_view name, std::uint32_t width_bytes = 4);
std::string spell(operation op);
// Returns the name of an asynchronous operation, such as "wgmma", "cp.async.bulk" or "mbarrier.init". `kind` must not
// be async_kind::none.
std::string spell(async_kind kind);
std::optional<async_kind> parse_async(std::string_view name);
// Returns the names that parse_operation accepts, without widths: "ld", "ldmatrix.x4", "atom.add" and so on.
std::vector<std::string> operation_names();

}  // namespace bankwise
