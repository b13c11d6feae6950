// The alignment of an array that keeps wide accesses wide when its rows become longer:
//
//     __shared__ float a[32][32 + 4];     16 bytes at once     __shared__ __align__(16) float a[32][32 + 4];
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/text_change.hpp"
#include "source/reader.hpp"

namespace bankwise::edit {

struct alignment_change {
  text_change change;
  std::string words;  // text such as ", aligned to 16 bytes"; empty if the array already had this alignment
};

// Returns nothing if the compiler already knows that accesses of this width are aligned. Also returns nothing if no
// alignment can guarantee this.
std::optional<alignment_change> keep_alignment(const source::reader& r, const source::declaration& d,
                                               std::uint64_t widest, std::uint64_t element_bytes);

}  // namespace bankwise::edit
