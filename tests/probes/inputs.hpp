// The input of every probe kernel: one buffer of operands, with a region for each type, and 64 bytes that are passed by
// value. measure.cpp (on a GPU) and emulate_probe_test share this file. probes.py reads the table of regions from this
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

namespace probes {

// A slot has 256 elements, one for each thread. A kernel with two operands of the same type uses two slots.
constexpr unsigned elements = 256;

struct region {
  const char* name;
  unsigned bytes;  // bytes of an element
  unsigned slots;
};
constexpr region regions[] = {
    {"i32", 4, 3},        // integers: extremes, powers of two and their neighbours, random numbers
    {"i64", 8, 3},        //
    {"shift", 4, 2},      // shift counts: 0 to 64, and much larger numbers
    {"f32", 4, 3},        // floats: zeros, subnormals, infinities, NaNs with payloads, extremes, random numbers
    {"f64", 8, 3},        //
    {"h2", 4, 3},         // pairs of f16 with the same kinds of values
    {"b2", 4, 3},         // in two bf16
    {"cf32", 4, 1},       // for conversions: numbers close to halves and to the limits of every narrower type
    {"cf64", 8, 1},       //
    {"ch2", 4, 1},        // 16-bit floats with every exponent
    {"real_f32", 4, 3},   // for matrices: numbers from 0.25 to 4
    {"wide_f32", 4, 3},   // for matrices: numbers with many exponents, zeros and subnormals
    {"weird_f32", 4, 3},  // for matrices: a few infinities and NaNs
    {"real_h2", 4, 3},   {"wide_h2", 4, 3},  {"weird_h2", 4, 3}, {"real_b2", 4, 3}, {"wide_b2", 4, 3},
    {"weird_b2", 4, 3},  {"real_f64", 8, 3}, {"wide_f64", 8, 3}, {"raw", 16, 1},  // random bytes
};

// Before a launch, the output buffer contains this word.
constexpr std::uint32_t untouched = 0xa5a5a5a5u;
constexpr unsigned output_words = 8192;

constexpr std::size_t input_bytes() {
  std::size_t sum = 0;
  for (const region& r : regions) sum += std::size_t{r.bytes} * r.slots * elements;
  return sum;
}

// The generator SplitMix64 by Steele, Lea and Flood.
class random_bits {
 public:
  explicit random_bits(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
  }
  unsigned below(unsigned n) { return static_cast<unsigned>((next() >> 32) % n); }

 private:
  std::uint64_t state_;
};

// A binary format of floats: bits of the sign, the exponent and the fraction.
struct format {
  unsigned exponent_bits, fraction_bits;
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint64_t make(std::uint64_t sign, int exponent, std::uint64_t fraction) const {
    const std::uint64_t biased = static_cast<std::uint64_t>(exponent + bias());
    return sign << (exponent_bits + fraction_bits) | biased << fraction_bits |
           (fraction & ((std::uint64_t{1} << fraction_bits) - 1));
  }
};
constexpr format f16{5, 10}, bf16{8, 7}, f32{8, 23}, f64{11, 52};

constexpr unsigned hard_count = 23;

inline std::uint64_t hard_integer(unsigned n, bool wide) {
  static constexpr std::uint32_t narrow[hard_count] = {
      0,    1,    ~0u,   2,      ~1u,    3,      7,       8,           31,          32,          33,         0x7f,
      0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffffu, 0x80000000u, 0x80000001u, 0x55555555u};
  static constexpr std::uint64_t all[hard_count] = {0,
                                                    1,
                                                    ~0ull,
                                                    2,
                                                    ~1ull,
                                                    3,
                                                    10,
                                                    31,
                                                    32,
                                                    63,
                                                    64,
                                                    0xff,
                                                    0x8000,
                                                    0x7fffffffull,
                                                    0x80000000ull,
                                                    0xffffffffull,
                                                    0x100000000ull,
                                                    0x7fffffffffffffffull,
                                                    0x8000000000000000ull,
                                                    0x8000000000000001ull,
                                                    0x123456789abcdef0ull,
                                                    0xffffffff00000000ull,
                                                    0x5555555555555555ull};
  return wide ? all[n] : narrow[n];
}

inline std::uint64_t hard_float(unsigned n, format f) {
  const int top = f.bias(), low = 1 - f.bias();  // exponents of the largest and of the smallest normal number
  const std::uint64_t ones = (std::uint64_t{1} << f.fraction_bits) - 1,
                      half = std::uint64_t{1} << (f.fraction_bits - 1);
  switch (n) {
    case 0: return f.make(0, -f.bias(), 0);
    case 1: return f.make(1, -f.bias(), 0);
    case 2: return f.make(0, 0, 0);
    case 3: return f.make(1, 0, 0);
    case 4: return f.make(0, top + 1, 0);  // infinite
    case 5: return f.make(1, top + 1, 0);
    case 6: return f.make(0, top + 1, half);      // NaN
    case 7: return f.make(0, top + 1, 5);         // signalling
    case 8: return f.make(1, top + 1, half | 3);  // with a payload
    case 9: return f.make(1, top + 1, ones);
    case 10: return f.make(0, -f.bias(), 1);  // subnormal
    case 11: return f.make(1, -f.bias(), ones);
    case 12: return f.make(0, -f.bias(), half | 1);
    case 13: return f.make(0, low, 0);
    case 14: return f.make(0, top, ones);
    case 15: return f.make(1, top, ones);
    case 16: return f.make(0, -1, 0);
    case 17: return f.make(0, 0, 1);
    case 18: return f.make(1, -1, ones);
    case 19: return f.make(0, 1, half);
    case 20: return f.make(0, static_cast<int>(f.fraction_bits) + 1, 0);
    case 21: return f.make(0, -4, ones / 5 * 3);
    default: return f.make(1, low + static_cast<int>(f.fraction_bits) / 2, ones / 3);
  }
}

// Returns the index of the difficult value for element i of operand `slot`. In the first elements, both operands have
// equal values. After them, all other pairs of values follow.
inline unsigned hard_index(unsigned i, unsigned slot) {
  const unsigned r = i % hard_count, q = i / hard_count;
  return (slot == 0 ? r : slot == 1 ? r + 5 * q : 3 * r + q) % hard_count;
}
constexpr unsigned hard_elements = 160;

inline std::uint64_t any_float(random_bits& random, format f) {
  const std::uint64_t bits = random.next();
  const int exponent = static_cast<int>(random.below(13)) - 6;
  if (random.below(4) == 0) return bits & (f.make(1, f.bias() + 1, ~0ull));
  return f.make(bits >> 63, exponent, bits);
}
inline std::uint64_t element_float(random_bits& random, format f, unsigned i, unsigned slot) {
  return i < hard_elements ? hard_float(hard_index(i, slot), f) : any_float(random, f);
}

// real: 0.25 to 4. wide: many exponents. weird: some elements are special values.
enum class matrix_values { real, wide, weird };
inline std::uint64_t matrix_float(random_bits& random, format f, matrix_values kind) {
  const std::uint64_t bits = random.next();
  const unsigned rare = random.below(64);
  const int half_range = f.exponent_bits == 5 ? 14 : f.exponent_bits == 8 ? 30 : 90;
  const int exponent = kind == matrix_values::wide
                           ? static_cast<int>(random.below(2u * static_cast<unsigned>(half_range))) - half_range
                           : static_cast<int>(random.below(4)) - 2;
  if (kind == matrix_values::wide && rare < 8) return f.make(bits >> 63, -f.bias(), rare < 4 ? 0 : bits);
  if (kind == matrix_values::weird && rare < 2) return hard_float(4 + random.below(12), f);
  return f.make(bits >> 63, exponent, bits);
}

inline double conversion_value(random_bits& random, unsigned i) {
  static constexpr double bases[] = {0.25,
                                     0.5,
                                     0.75,
                                     1,
                                     1.5,
                                     2.5,
                                     3.5,
                                     126.5,
                                     127,
                                     127.5,
                                     128,
                                     128.5,
                                     254.5,
                                     255,
                                     255.5,
                                     256,
                                     448,
                                     464,
                                     480,
                                     32766.5,
                                     32767,
                                     32767.5,
                                     32768,
                                     57344,
                                     61440,
                                     65504,
                                     65519,
                                     65520,
                                     65535,
                                     65535.5,
                                     65536,
                                     8388608.5,
                                     16777217,
                                     2147483520.,
                                     2147483647.,
                                     2147483648.,
                                     4294967040.,
                                     4294967295.,
                                     4294967296.,
                                     9007199254740993.,
                                     9.2233720e18,
                                     1.8446744e19,
                                     3.4028235677973366e38,
                                     1e300,
                                     0x1p-9,
                                     0x1.8p-10,
                                     0x1p-14,
                                     0x1p-16,
                                     0x1.8p-17,
                                     0x1p-24,
                                     0x1.8p-25,
                                     0x1p-25,
                                     0x1p-126,
                                     0x1p-133,
                                     0x1p-149,
                                     0x1.8p-150};
  constexpr unsigned count = static_cast<unsigned>(std::size(bases));
  if (i < 2 * count) return i < count ? bases[i] : -bases[i - count];
  const std::uint64_t bits = random.next();
  const int exponent = static_cast<int>(random.below(90)) - 22;
  const std::uint64_t made = f64.make(bits >> 63, exponent, bits);
  double d;
  std::memcpy(&d, &made, sizeof d);
  return d;
}

inline std::uint64_t make_element(random_bits& random, const region& r, unsigned slot, unsigned i) {
  const auto is = [&](const char* name) { return std::strcmp(r.name, name) == 0; };
  const auto pair = [&](auto make, unsigned offset) {
    const std::uint64_t low = make(i);
    return low | make((i + offset) % elements) << 16;
  };
  if (is("i32") || is("i64")) {
    const bool wide = is("i64");
    if (i < hard_elements) return hard_integer(hard_index(i, slot), wide);
    const std::uint64_t bits = random.next();
    return random.below(4) == 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits % 201) - 100) : bits;
  }
  if (is("shift")) {
    static constexpr std::uint32_t far[] = {63, 64, 65, 96, 127, 128, 255, 256, 0x1f00, 0x80000000u, ~0u, 0x20};
    if (i < 80) return slot == 0 ? i % 40 : i * 7 % 40;
    if (i < 104) return far[(i + 5 * slot) % std::size(far)];
    return random.below(slot == 0 ? 66 : 34);
  }
  if (is("f32")) return element_float(random, f32, i, slot);
  if (is("f64")) return element_float(random, f64, i, slot);
  if (is("h2")) return pair([&](unsigned n) { return element_float(random, f16, n, slot); }, 75 + slot);
  if (is("b2")) return pair([&](unsigned n) { return element_float(random, bf16, n, slot); }, 75 + slot);
  if (is("cf32") || is("cf64")) {
    const bool wide = is("cf64");
    if (i >= elements - hard_count) return hard_float(i - (elements - hard_count), wide ? f64 : f32);
    const double d = conversion_value(random, i % 192);
    std::uint64_t bits = 0;
    if (wide) {
      std::memcpy(&bits, &d, sizeof d);
    } else {
      const float f = static_cast<float>(d);
      std::memcpy(&bits, &f, sizeof f);
    }
    return i < 112 ? bits : i < 192 ? bits + (i % 2 != 0 ? 1 : 0) : bits - 1;
  }
  if (is("ch2")) return i << 8 | (random.next() & 0xffff00ff);
  if (is("raw")) return random.next();
  const matrix_values kind = r.name[0] == 'r'   ? matrix_values::real
                             : r.name[1] == 'i' ? matrix_values::wide
                                                : matrix_values::weird;
  const char* type = std::strchr(r.name, '_') + 1;
  if (std::strcmp(type, "f32") == 0) return matrix_float(random, f32, kind);
  if (std::strcmp(type, "f64") == 0) return matrix_float(random, f64, kind);
  const format f = std::strcmp(type, "h2") == 0 ? f16 : bf16;
  return pair([&](unsigned) { return matrix_float(random, f, kind); }, 0);
}

inline std::vector<unsigned char> make_inputs(std::uint64_t seed) {
  std::vector<unsigned char> bytes;
  bytes.reserve(input_bytes());
  random_bits random(seed);
  for (const region& r : regions)
    for (unsigned slot = 0; slot < r.slots; ++slot)
      for (unsigned i = 0; i < elements; ++i)
        for (unsigned done = 0; done < r.bytes; done += 8) {
          const std::uint64_t e = make_element(random, r, slot, i);
          const unsigned n = r.bytes - done < 8 ? r.bytes - done : 8;
          for (unsigned k = 0; k < n; ++k) bytes.push_back(static_cast<unsigned char>(e >> 8 * k));
        }
  return bytes;
}

// The tensor maps for kernels of probes.py --tma. The number at the end of a kernel's name selects the map. A row has
// the arguments of cuTensorMapEncodeTiled: type, dimensions, sizes, strides in bytes, box, element strides, swizzle and
// fill. The last number is the buffer: 0 for operands, 1 for results, 2 for results of reductions.
struct tensor_map {
  unsigned type, dimensions;
  std::uint64_t size[5], stride[4];
  std::uint32_t box[5], element_stride[5];
  unsigned swizzle, fill, out;
};
// clang-format off
constexpr tensor_map tensor_maps[] = {
    {0, 1, {1000}, {0}, {256}, {1}, 0, 0, 0},
    {7, 2, {37, 11}, {160}, {32, 2}, {1, 1}, 0, 0, 0},
    {7, 2, {37, 11}, {160}, {8, 16}, {1, 1}, 0, 1, 0},
    {6, 2, {70, 30}, {144}, {64, 16}, {1, 1}, 3, 0, 0},
    {6, 2, {70, 30}, {144}, {32, 16}, {1, 1}, 2, 1, 0},
    {6, 2, {70, 30}, {144}, {16, 16}, {1, 1}, 1, 0, 0},
    {9, 2, {70, 30}, {144}, {32, 16}, {1, 1}, 3, 1, 0},
    {9, 2, {70, 30}, {144}, {8, 16}, {1, 1}, 3, 0, 0},
    {1, 2, {70, 30}, {144}, {8, 16}, {1, 1}, 2, 0, 0},
    {1, 2, {70, 30}, {144}, {8, 16}, {1, 1}, 1, 0, 0},
    {2, 3, {20, 9, 7}, {80, 800}, {12, 4, 3}, {1, 1, 1}, 0, 0, 0},
    {3, 4, {9, 5, 4, 3}, {48, 240, 960}, {8, 3, 2, 2}, {1, 1, 1, 1}, 0, 0, 0},
    {6, 5, {17, 3, 3, 3, 3}, {48, 144, 432, 1296}, {16, 2, 2, 2, 2}, {1, 1, 1, 1, 1}, 1, 1, 0},
    {4, 2, {20, 10}, {160}, {6, 4}, {1, 1}, 0, 0, 0},
    {8, 2, {20, 10}, {160}, {6, 4}, {1, 1}, 0, 1, 0},
    {7, 2, {37, 21}, {160}, {8, 12}, {1, 2}, 0, 0, 0},
    {7, 2, {37, 21}, {160}, {16, 10}, {2, 3}, 0, 1, 0},
    {2, 3, {20, 19, 7}, {80, 1600}, {8, 8, 3}, {1, 3, 2}, 2, 0, 0},
    {10, 1, {768}, {0}, {256}, {1}, 0, 1, 0},
    {11, 1, {768}, {0}, {256}, {1}, 0, 1, 0},
    {12, 1, {768}, {0}, {256}, {1}, 0, 1, 0},
    {7, 1, {768}, {0}, {256}, {1}, 0, 1, 0},
    {7, 2, {37, 11}, {160}, {32, 4}, {1, 1}, 0, 0, 1},
    {6, 2, {70, 30}, {144}, {64, 16}, {1, 1}, 3, 0, 1},
    {6, 2, {70, 30}, {144}, {16, 16}, {1, 1}, 2, 0, 1},
    {0, 3, {40, 9, 7}, {48, 480}, {32, 4, 3}, {1, 1, 1}, 1, 0, 1},
    {2, 2, {37, 21}, {160}, {8, 12}, {1, 2}, 0, 0, 1},
    {5, 5, {5, 3, 3, 3, 3}, {48, 144, 432, 1296}, {4, 2, 2, 2, 2}, {1, 1, 1, 1, 1}, 0, 0, 1},
    {11, 1, {700}, {0}, {256}, {1}, 0, 0, 1},
    {10, 1, {700}, {0}, {256}, {1}, 0, 0, 1},
    {2, 2, {32, 8}, {128}, {32, 8}, {1, 1}, 0, 0, 2},
    {3, 2, {32, 8}, {128}, {32, 8}, {1, 1}, 3, 0, 2},
    {4, 2, {16, 8}, {128}, {16, 8}, {1, 1}, 0, 0, 2},
    {5, 2, {16, 8}, {128}, {16, 8}, {1, 1}, 0, 0, 2},
    {6, 2, {64, 8}, {128}, {64, 8}, {1, 1}, 0, 0, 2},
    {7, 2, {32, 8}, {128}, {32, 8}, {1, 1}, 0, 0, 2},
    {8, 2, {16, 8}, {128}, {16, 8}, {1, 1}, 0, 0, 2},
    {9, 2, {64, 8}, {128}, {64, 8}, {1, 1}, 0, 0, 2},
    {10, 2, {32, 8}, {128}, {32, 8}, {1, 1}, 0, 0, 2},
};
// clang-format on
constexpr unsigned tensor_map_count = static_cast<unsigned>(std::size(tensor_maps));

// Returns the number of a kernel's map, or -1 if it has no map.
inline int map_of(const char* kernel) {
  const char* at = nullptr;
  for (const char* next = std::strstr(kernel, "_map"); next != nullptr; next = std::strstr(next + 1, "_map")) at = next;
  return at == nullptr || at[4] < '0' || at[4] > '9' ? -1 : std::atoi(at + 4);
}

// A kernel's third parameter, which follows the two pointers.
struct by_value {
  std::uint32_t words[16];
};
inline by_value make_by_value() {
  return {{0x80000001u, 37, 0xdeadbeefu, 5, 0x3fc00000u /* 1.5f */, 0xbdcccccdu /* -0.1f */, 0, 0xc0040000u /* -2.5 */,
           0xc1003e00u /* f16: 1.5, -2.5 */, 0xc0203fc0u /* bf16: 1.5, -2.5 */, 31, 0x7fffffffu, 0x9abcdef0u,
           0x12345678u, 0xfffffff9u, 0xffffffffu}};
}

}  // namespace probes
