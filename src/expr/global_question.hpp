// A question about global memory, and the access that the question describes. The question consists of flags of
// `bankwise explain --space global`.
//
//     --type float 'x[t * 2]'      ld.global.b32, lane t at byte t * 8 of an array at a multiple of 256 bytes
//
// Each array is a separate allocation, as from cudaMalloc. Addresses are relative to the first byte of the array, and
// --base moves the array. If a name is indexed but not declared, it is an array of --type, or of floats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bankwise/global_explanation.hpp"
#include "base/flag_values.hpp"
#include "base/result.hpp"
#include "expr/names/global_operations.hpp"
#include "expr/parse/scope.hpp"

namespace bankwise {

// The cost of the same access in another warp of the block.
struct warp_sectors {
  u32 warp = 0;
  global_cost cost{};
};

struct other_access {
  std::string operation, text;  // for example "st.global.b32", "y[t]"
  global_cost cost{};
};

struct named_global_access {
  std::string title;  // title of the access: the expression, or "32 addresses of FILE", with padding and swizzle
  named_operation op;
  std::string arch, family;
  global_access what{};
  u64 base = 0;  // distance in bytes from a multiple of 256 to the beginning of the array
  std::vector<std::string> notes;
  std::string unit;  // unit of the expression; empty if the question is an element or a list of addresses
  u32 warp = 0;
  // costs of all warps in the block; empty if all costs are equal
  std::vector<warp_sectors> warps;
  std::vector<other_access> others;  // the other accesses of the line
  std::optional<expr::array_decl> array;
  bool is_array_assumed = false;  // whether the array was not declared
  // If an element needs several accesses, the cost of each access, in order. `what` is the first access. Empty if one
  // access is enough.
  std::vector<global_cost> pieces;
  bool can_move = true;  // whether a similar question can be asked; false for a list of addresses
};

inline constexpr u64 allocation_bytes = 256;

enum class asked_memory : std::uint8_t { shared, global };
// Returns which memory a question is about. The memory is global if --space or the operation (LDG, ld.global) says so.
// Fails if a flag is for the wrong memory.
result<asked_memory> read_memory(const flag_values& flags);

// Reads a question. `text` and `list_name` have the same meaning as in read_question.
result<named_global_access> read_global_question(const flag_values& flags, const std::string& text,
                                                 const std::string& list_name = {});

}  // namespace bankwise
