// Reads and writes NumPy's .npy files: a header with type and shape, followed by the numbers. Versions 1 to 3, little
// endian, C order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace bankwise {

struct npy_array {
  std::string type;  // kind and bytes of an element, such as "f4" or "i8"
  std::vector<std::uint64_t> shape;
  byte_span data;  // points into the input
};

bool is_npy(byte_span bytes);
// `name` is used in errors. Fails if this is not a NumPy file, the type is not a plain number, the order is Fortran's,
// or data is missing.
result<npy_array> read_npy(byte_span bytes, const std::string& name);
// The header of a one-dimensional array of `count` elements of `type`. The elements must follow it.
std::string npy_header(std::string_view type, std::uint64_t count);

}  // namespace bankwise
