// The contents of a buffer of --arg before the launch: a sequence, random numbers, or one number. This file is compiled
// with optimization, because a buffer may have a billion elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cli/run/kernel_arguments.hpp"

namespace bankwise {

// Returns the bits of an element. The bits of a floating-point type are made from `real`, and the bits of other types
// from `whole`.
std::uint64_t element_bits(const argument_type& type, double real, std::uint64_t whole);

// Writes the elements of the buffer `a` to `to`. Does nothing if the buffer consists of zeros, because the memory is
// already zero, or if its contents come from a file.
void fill_buffer(const kernel_argument& a, std::byte* to);

}  // namespace bankwise
