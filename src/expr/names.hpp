// The words of the command line and of tables for operations, types and machines.
//
//     ld.b128   st.b8   ldmatrix.x4.trans   stmatrix.x2   atom.add.b32   red.max.b32   atom.cas.b64
//     popc.inc.b32   cp.async.ca.16   cp.async.cg.16
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankwise/arch.hpp"
#include "base/result.hpp"

namespace bankwise {

// Bytes of a CUDA type by name, at most 16: "float4" -> 16.
std::optional<std::uint32_t> type_bytes(std::string_view name);
std::vector<std::string> type_names();

// An operation by its PTX-like name; ".shared" and ".aligned" and the like may stand in it. A width in the name wins
// over `width_bytes`. The name that comes back, `spelling`, is the one used in tables and reports.
struct named_operation {
  operation op{};
  std::string spelling;
  bool width_given = false;
};
result<named_operation> parse_operation(std::string_view name, std::uint32_t width_bytes = 4);
std::string spell(operation op);
// What is no access of lanes: "wgmma", "cp.async.bulk", "mbarrier.init". Not of async_kind::none.
std::string spell(async_kind kind);
std::optional<async_kind> parse_async(std::string_view name);
// What parse_operation understands, without widths: "ld", "ldmatrix.x4", "atom.add".
std::vector<std::string> operation_names();

// A machine: a row of the table, or "NxM" for N banks of M bytes.
struct machine {
  std::string name;
  std::string family;
  bank_model model{};
  const rulebook* rules = nullptr;
  const async_rulebook* async_rules = &no_async_rules;
};
result<machine> parse_machine(std::string_view name);

// Why this machine has no rule for this operation; nothing if it has one.
std::optional<diagnostic> unsupported(const machine& m, operation op);

}  // namespace bankwise
