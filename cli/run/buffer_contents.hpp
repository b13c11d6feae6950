// The contents of a buffer of --arg before the launch: iota, random numbers, or one number. It is compiled for speed,
// because a buffer may have a billion elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cli/run/kernel_arguments.hpp"

namespace bankwise {

// The bits of one element: of `real` if the type is a floating-point type, otherwise of `whole`.
std::uint64_t element_bits(const argument_type& type, double real, std::uint64_t whole);

// Writes the elements of the buffer `a` to `to`. Does nothing for zeros, which the memory already contains, and for
// files.
void fill_buffer(const kernel_argument& a, std::byte* to);

}  // namespace bankwise
