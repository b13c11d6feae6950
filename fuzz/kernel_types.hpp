// Reads types in the declarations of a small kernel, and the values of array sizes.
#pragma once

#include <optional>

#include "kernel_reader.hpp"

namespace bankwise::fuzz {

// const __shared__ float
struct specifiers {
  const kernel_type* type = nullptr;
  bool is_shared = false, is_auto = false, is_const = false, is_kernel = false;
};
// (*p)[4]
struct declarator {
  std::string name;
  const kernel_type* type = nullptr;
  bool is_reference = false;
};

bool begins_type(const kernel_reader& r, std::size_t at);
specifiers read_specifiers(kernel_reader& r);
declarator read_declarator(kernel_reader& r, const kernel_type* base);
const kernel_type* read_type_name(kernel_reader& r);

// Returns the value of a constant expression.
std::optional<std::int64_t> constant_value(const kernel_reader& r, const node& n);

}  // namespace bankwise::fuzz
