// A change of addresses by a padding and a swizzle (flags --pad and --swizzle):
//
//     --pad 128:4         4 free bytes after every 128:  address + address / 128 * 4          128 -> 132
//     --swizzle 3,4,3     CuTe's Swizzle<3,4,3>, after the padding                           128 -> 144
//
// A swizzle permutes the elements of a declared array if EXPR names the array, and otherwise bytes. --swizzle
// 3,4,3:bytes always permutes bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankwise/access.hpp"
#include "bankwise/swizzle.hpp"
#include "base/flag_values.hpp"
#include "base/result.hpp"
#include "expr/names/operation_names.hpp"
#include "expr/parse/scope.hpp"

namespace bankwise {

// An array whose elements a swizzle permutes.
struct swizzled_array {
  std::uint64_t begin = 0;
  std::uint32_t element_bytes = 1;
};

struct layout_change {
  std::uint64_t every = 0, free_bytes = 0;  // bytes of a row (0 if there is no padding), and free bytes after each row
  std::optional<swizzle> permute;
  std::vector<swizzled_array> arrays = {};  // in the order of their addresses. Empty if the swizzle permutes bytes

  // Returns the padded address, or nothing if it does not fit into 32 bits.
  std::optional<u32> padded(u32 address) const {
    if (every == 0) return address;
    const std::uint64_t to = address + address / every * free_bytes;
    return to > 0xffffffffu ? std::nullopt : std::optional(static_cast<u32>(to));
  }

  // Returns the swizzled address. `plain` is the address before the padding, which decides the array.
  u32 swizzled(u64 plain, u32 padded) const;
};

// The values of --pad and --swizzle for a change. If the change has no padding or no swizzle, the value is empty.
struct layout_words {
  std::string pad, swizzle;
};
layout_words words_of(const layout_change& change);

// Returns the flags without --pad and --swizzle.
flag_values without_change(flag_values flags);

// Reads the flags of a question about `text`, and appends their description to `title`.
result<layout_change> read_layout(const flag_values& flags, const expr::scope& names, std::string_view text,
                                  std::string& title);

// Changes every address: first by the padding, and then by the swizzle.
result<done> move_addresses(const layout_change& change, const named_operation& op, access& what);

}  // namespace bankwise
