// Reads and writes NumPy's .npy files. A file is a header with type and shape, followed by the numbers. The reader
// supports versions 1 to 3, little endian and C order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace bankwise {

struct npy_array {
  std::string type;  // kind of number and bytes of an element, such as "f4" or "i8"
  std::vector<std::uint64_t> shape;
  byte_span data;  // the numbers, as a part of the input bytes
};

bool is_npy(byte_span bytes);
// Errors contain `name`. Fails if the bytes are not a NumPy file, the type is not a plain number, the array is in
// Fortran order, or data are missing.
result<npy_array> read_npy(byte_span bytes, const std::string& name);
// Returns the header of a one-dimensional array with `count` elements of `type`. The caller appends the elements.
std::string npy_header(std::string_view type, std::uint64_t count);

}  // namespace bankwise
