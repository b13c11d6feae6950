// A case for the fuzzer of edits. It has two parts: a kernel whose result depends on the positions of an array's
// elements, and the layout that an edit must give to this array.
//
//  // array tile float 4 extents 32 32 free 0 block 32 8 1 padding 128 4 swizzle 0 0 0 words 0 5 numbers W=32 dynamic 0
//  __global__ void k(float* out, const float* in, int n) { ... }
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::fuzz {

struct edit_case {
  std::string text;  // text of the source, including the first line, which describes the array
  std::string array, type;
  std::uint32_t element = 4;
  std::vector<std::uint64_t> extents;  // extents of the array without free columns
  std::uint32_t free = 0;              // existing free columns of each row
  std::uint32_t row = 0;               // for an array without rows: number of elements after which a gap follows
  std::uint32_t block[3] = {32, 1, 1};
  std::uint32_t every = 0, gap = 0;             // bytes
  std::uint32_t bits = 0, base = 0, shift = 0;  // parameters of CuTe's Swizzle, over bytes
  std::vector<std::int64_t> words;              // value of the kernel's `n` in each run; the first run is measured
  std::map<std::string, std::int64_t> numbers;  // template arguments
  std::uint64_t dynamic_bytes = 0;
};

// Reads a case. Returns nothing if the first line does not describe an array.
std::optional<edit_case> read_edit_case(std::string_view text);

// Makes a case. The given bytes, which may have any values, determine the random choices. After the last byte, the
// choices come from numbers that are derived from all bytes.
edit_case make_edit_case(const std::uint8_t* data, std::size_t size);

}  // namespace bankwise::fuzz
