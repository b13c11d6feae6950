// NumPy's .npy files: a header with type and shape, then the numbers. Versions 1 to 3, little endian, C order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace bankwise {

struct npy_array {
  std::string type;  // "f4", "i8": kind and bytes of an element
  std::vector<std::uint64_t> shape;
  byte_span data;  // points into the input
};

bool is_npy(byte_span bytes);
// `name` is for errors: not a NumPy file, a type that is not a plain number, Fortran order, too little data.
result<npy_array> read_npy(byte_span bytes, const std::string& name);
// The header of a one-dimensional array of `count` elements of `type`. The elements must follow it.
std::string npy_header(std::string_view type, std::uint64_t count);

}  // namespace bankwise
