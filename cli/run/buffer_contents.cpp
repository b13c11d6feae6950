#include "cli/run/buffer_contents.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "base/float_bits.hpp"
#include "base/random_numbers.hpp"

namespace bankwise {

namespace {

// Returns a random number that depends only on the seed and the index, so that elements can be computed in any order.
std::uint64_t random_at(std::uint64_t seed, std::uint64_t index) {
  return mixed_bits(seed * 0x2545f4914f6cdd1d + (index + 1) * random_step);
}

// Sets each element of the buffer to bits_of(index).
template <class Element, class Bits>
void fill_each(std::uint64_t count, std::byte* to, Bits bits_of) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto one = static_cast<Element>(bits_of(i));
    std::memcpy(to + i * sizeof one, &one, sizeof one);
  }
}
template <class Bits>
void fill_each(const kernel_argument& a, std::byte* to, Bits bits_of) {
  switch (a.type.bytes) {
    case 1: return fill_each<std::uint8_t>(a.count, to, bits_of);
    case 2: return fill_each<std::uint16_t>(a.count, to, bits_of);
    case 4: return fill_each<std::uint32_t>(a.count, to, bits_of);
    default: return fill_each<std::uint64_t>(a.count, to, bits_of);
  }
}

// Fills a buffer with random numbers. All bits of an integer are random. A real number is at least 0 and less than 1,
// and the type represents it exactly. For example, a number of type half has 11 significant bits.
void fill_randomly(const kernel_argument& a, std::byte* to) {
  const bool is_bfloat = a.type.kind == number_kind::bfloat;
  const unsigned digits = a.type.bytes == 8 ? 53 : a.type.bytes == 4 ? 24 : is_bfloat ? 8 : 11;
  const double unit = std::ldexp(1.0, -static_cast<int>(digits));
  const auto number = [seed = a.seed, shift = 64 - digits](std::uint64_t i) {
    return static_cast<std::int64_t>(random_at(seed, i) >> shift);
  };
  const auto real = [number, unit](std::uint64_t i) { return static_cast<double>(number(i)) * unit; };
  if (!is_bfloat && a.type.kind != number_kind::floating)
    return fill_each(a, to, [seed = a.seed](std::uint64_t i) { return random_at(seed, i); });
  if (a.type.bytes == 8)
    return fill_each<std::uint64_t>(a.count, to, [real](std::uint64_t i) { return bits_of_double(real(i)); });
  if (a.type.bytes == 4)
    return fill_each<std::uint32_t>(a.count, to,
                                    [real](std::uint64_t i) { return bits_of_float(static_cast<float>(real(i))); });
  // The type represents only a few different numbers. So each of these numbers is converted once.
  std::vector<std::uint16_t> all(std::size_t{1} << digits);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto value = static_cast<float>(static_cast<double>(n) * unit);
    all[n] = is_bfloat ? bfloat16_of_float(value) : half_of_float(value);
  }
  fill_each<std::uint16_t>(a.count, to, [number, table = all.data()](std::uint64_t i) { return table[number(i)]; });
}

}  // namespace

std::uint64_t element_bits(const argument_type& type, double real, std::uint64_t whole) {
  switch (type.kind) {
    case number_kind::floating:
      return type.bytes == 8   ? bits_of_double(real)
             : type.bytes == 4 ? bits_of_float(static_cast<float>(real))
                               : half_of_double(real);
    case number_kind::bfloat: return bfloat16_of_double(real);
    default: return whole;
  }
}

void fill_buffer(const kernel_argument& a, std::byte* to) {
  switch (a.fill) {
    case kernel_argument::fill_kind::iota:
      return fill_each(a, to,
                       [type = a.type](std::uint64_t i) { return element_bits(type, static_cast<double>(i), i); });
    case kernel_argument::fill_kind::same:
      return fill_each(a, to, [bits = element_bits(a.type, a.real, a.integer)](std::uint64_t) { return bits; });
    case kernel_argument::fill_kind::random: return fill_randomly(a, to);
    default: return;
  }
}

}  // namespace bankwise
