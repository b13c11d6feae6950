// Encodes and decodes tensor maps, the 128 bytes of a CUtensorMap.
#include "emulate/memory/tensor_map.hpp"

#include "base/format.hpp"

namespace bankwise::emulate {

namespace {

// For each type, in the order of the API's numbers: the number of bits, whether the type is a float, and its number in
// a tensor map. For packed elements, the number in the map is the number that ptxas writes for tensormap.replace.
struct type_row {
  unsigned bits;
  bool floating;
  std::uint8_t code;
};
constexpr type_row type_rows[tensor_types] = {{8, false, 0},  {16, false, 1}, {32, false, 2}, {32, false, 3},
                                              {64, false, 4}, {64, false, 5}, {16, true, 6},  {32, true, 7},
                                              {64, true, 9},  {16, true, 10}, {32, true, 8},  {32, true, 7},
                                              {32, true, 8},  {4, false, 11}, {4, false, 12}, {6, false, 13}};

constexpr unsigned address_word = 0, kind_word = 2, stride_word = 3, high_stride_word = 7, size_word = 8,
                   element_stride_word = 13, corner_word = 14, pixel_word = 15, bytes_word = 16, span_word = 18;
constexpr unsigned box_byte = 4 * element_stride_word + 3;

constexpr std::uint64_t most_stride = std::uint64_t{1} << 40, most_size = std::uint64_t{1} << 32;
constexpr std::uint32_t most_box = 256, most_pixels = 1024, most_element_stride = 8, most_box_bytes = 1u << 18;

std::uint32_t field(std::uint32_t word, unsigned first, unsigned bits) { return word >> first & ((1u << bits) - 1); }

// Checks the corners of a map for columns of pixels. The corners must be valid, and the space between them must not be
// empty.
std::optional<std::string> corner_problem(const tensor_map& t) {
  if (t.dimensions < 3) return "an im2col map must have 3 to 5 dimensions";
  if (t.pixels > most_pixels) return "pixelsPerColumn must be 1 to 1024";
  const int most = 1 << (corner_bits(t) - 1);
  for (unsigned i = 0; i < corners_of(t); ++i) {
    const unsigned n = i + 1;
    const auto is_corner = [&](int c) { return c >= -most && c < most; };
    if (!is_corner(t.lower[i]) || !is_corner(t.upper[i]))
      return formatted("the corners of dimension {} must be {} to {}", n, -most, most - 1);
    const std::uint64_t size = t.size[i + first_outer(t)];
    if (t.lower[i] > static_cast<std::int64_t>(size) - 1 + t.upper[i])
      return formatted("the space between the corners of dimension {} is empty", n);
  }
  return {};
}

// Checks the rules of the driver's manual for columns along W.
std::optional<std::string> line_problem(const tensor_map& t) {
  if (!is_im2col(t)) return "only im2col maps can have the im2col::w mode";
  if (t.interleave != 0) return "im2col::w maps cannot be interleaved";
  const bool is_swizzle = t.swizzle == tensor_swizzle::bytes_64 || t.swizzle == tensor_swizzle::bytes_128 ||
                          t.swizzle == tensor_swizzle::bytes_128_by_32;
  if (!is_swizzle) return "im2col::w maps need a swizzle of 64 or 128 bytes";
  return {};
}

// Checks the rules of the driver's manual for elements of 4 and 6 bits.
std::optional<std::string> packed_problem(const tensor_map& t) {
  if (is_im2col(t)) return "bankwise does not support im2col maps with elements of 4 or 6 bits";
  if (!is_padded(t.type))
    return t.size[0] % 2 != 0 ? std::optional("the size of dimension 0 must be even") : std::nullopt;
  if (t.size[0] % 128 != 0) return "the size of dimension 0 must be a multiple of 128";
  if (t.box[0] != 128) return "the box size of dimension 0 must be 128";
  if (t.interleave != 0) return "padded elements cannot be interleaved";
  const bool is_swizzle = t.swizzle == tensor_swizzle::none || t.swizzle == tensor_swizzle::bytes_128 ||
                          t.swizzle == tensor_swizzle::bytes_128_by_32;
  if (!is_swizzle) return "padded elements cannot have this swizzle";
  return {};
}

// The values of two fields of a tensor map: the span of the swizzle, and the size of the pieces that the swizzle moves.
constexpr unsigned span_code(tensor_swizzle s) { return std::min(static_cast<unsigned>(s), 3u); }
constexpr unsigned piece_code(tensor_swizzle s) { return static_cast<unsigned>(s) - span_code(s); }

}  // namespace

unsigned bits_of(tensor_type t) { return type_rows[static_cast<unsigned>(t)].bits; }
bool is_floating(tensor_type t) { return type_rows[static_cast<unsigned>(t)].floating; }

std::optional<std::string> problem_of(const tensor_map& t) {
  if (static_cast<unsigned>(t.type) >= tensor_types) return "the elements of the map are of an unknown type";
  if (t.dimensions == 0 || t.dimensions > most_tensor_dimensions) return "the map must have 1 to 5 dimensions";
  if (t.interleave > 2 || static_cast<unsigned>(t.swizzle) >= tensor_swizzles || t.l2_promotion > 3)
    return "the interleaving, swizzle or L2 promotion of the map is unknown";
  if (t.interleave != 0 && t.dimensions < 3) return "an interleaved map must have at least 3 dimensions";
  const unsigned alignment = t.interleave == 2 || is_padded(t.type) ? 32 : 16;
  if (t.address % alignment != 0) return formatted("the address of the tensor must be a multiple of {}", alignment);
  if (t.fills_with_nan && !is_floating(t.type)) return "only floats can be filled with NaN";
  for (unsigned i = 0; i < t.dimensions; ++i) {
    if (t.size[i] == 0 || t.size[i] > most_size) return formatted("the size of dimension {} must be 1 to 2^32", i);
    if ((i == 0 || !is_im2col(t)) && (t.box[i] == 0 || t.box[i] > most_box))
      return formatted("the box size of dimension {} must be 1 to 256", i);
    if (t.element_stride[i] == 0 || t.element_stride[i] > most_element_stride)
      return formatted("the element stride of dimension {} must be 1 to 8", i);
    if (i != 0 && (t.stride[i] % alignment != 0 || t.stride[i] >= most_stride))
      return formatted("the stride of dimension {} must be a multiple of {} and less than 2^40", i, alignment);
  }
  if (is_im2col(t))
    if (auto problem = corner_problem(t)) return problem;
  if (t.along_w)
    if (auto problem = line_problem(t)) return problem;
  if (is_packed(t.type))
    if (auto problem = packed_problem(t)) return problem;
  if (t.box[0] % elements_of_piece(t.type) != 0)
    // this rule also applies if dimension 0 counts pieces
    return "the box size of dimension 0 must be a multiple of 16 bytes";
  const unsigned inner = t.box[0] / elements_of_piece(t.type) * 16;
  std::uint64_t bytes = inner;
  for (unsigned i = 1; i < t.dimensions; ++i) bytes *= is_im2col(t) ? 1 : t.box[i];
  if (bytes >= most_box_bytes) return "a box must be smaller than 256 KiB";
  const unsigned span = span_of(t.swizzle);
  if (t.interleave == 0 && t.swizzle != tensor_swizzle::none && inner > span)
    return formatted("the box size of dimension 0 must be at most the {} bytes of the swizzle", span);
  return {};
}

tensor_map_words encode(const tensor_map& t) {
  tensor_map_words w{};
  w[address_word] = static_cast<std::uint32_t>(t.address);
  w[address_word + 1] = static_cast<std::uint32_t>(t.address >> 32);
  w[kind_word] = (t.dimensions - 1) << 4 | std::uint32_t{type_rows[static_cast<unsigned>(t.type)].code} << 7 |
                 static_cast<std::uint32_t>(t.interleave) << 11 | span_code(t.swizzle) << 13 |
                 piece_code(t.swizzle) << 19 | static_cast<std::uint32_t>(t.fills_with_nan) << 15 |
                 static_cast<std::uint32_t>(is_tf32(t.type)) << 16 | static_cast<std::uint32_t>(t.l2_promotion) << 17;
  w[bytes_word] = is_padded(t.type) ? 8 : bits_of(t.type);
  w[span_word] = t.swizzle == tensor_swizzle::none ? 16 : 8 * span_of(t.swizzle);
  for (unsigned i = 0; i < t.dimensions; ++i) {
    w[size_word + i] = static_cast<std::uint32_t>(t.size[i] - 1);
    w[element_stride_word] |= (t.element_stride[i] - 1) << 3 * i;
    if (i == 0 || !is_im2col(t)) w[(box_byte + i) / 4] |= (t.box[i] - 1) << (box_byte + i) % 4 * 8;
    w[bytes_word] *= !is_im2col(t) ? t.box[i] / t.element_stride[i] : i == 0 ? t.box[0] * t.pixels : 1;
    if (i == 0) w[bytes_word] /= 8;
    if (i == 0) continue;
    w[stride_word + i - 1] = static_cast<std::uint32_t>(t.stride[i] >> 4);
    w[high_stride_word] |= static_cast<std::uint32_t>(t.stride[i] >> 36) << 4 * (i - 1);
  }
  if (!is_im2col(t)) return w;
  w[kind_word] |= t.along_w ? 3 : 1;
  w[pixel_word] = t.pixels - 1;
  const unsigned bits = corner_bits(t);
  const std::uint32_t mask = (1u << bits) - 1;
  for (unsigned i = 0; i < corners_of(t); ++i)
    w[corner_word] |= (static_cast<std::uint32_t>(t.lower[i]) & mask) << bits * i |
                      (static_cast<std::uint32_t>(t.upper[i]) & mask) << (16 + bits * i);
  return w;
}

std::optional<tensor_map> decode_tensor_map(const tensor_map_words& w) {
  tensor_map t;
  t.address = std::uint64_t{w[address_word + 1]} << 32 | w[address_word];
  t.dimensions = field(w[kind_word], 4, 3) + 1;
  const std::uint32_t code = field(w[kind_word], 7, 4);
  const bool tf32 = field(w[kind_word], 16, 1) != 0;
  unsigned type = 0;
  while (type < tensor_types && (type_rows[type].code != code || is_tf32(static_cast<tensor_type>(type)) != tf32))
    ++type;
  t.type = static_cast<tensor_type>(type);
  t.interleave = static_cast<std::uint8_t>(field(w[kind_word], 11, 2));
  const std::uint32_t span = field(w[kind_word], 13, 2), moved = field(w[kind_word], 19, 3);
  if (moved != 0 && span != 3) return {};
  t.swizzle = static_cast<tensor_swizzle>(span + moved);
  t.fills_with_nan = field(w[kind_word], 15, 1) != 0;
  t.l2_promotion = static_cast<std::uint8_t>(field(w[kind_word], 17, 2));
  // A tensor map made by the driver contains the span of its swizzle twice. Other data usually do not.
  if (t.dimensions > most_tensor_dimensions || type == tensor_types || w[span_word] == 0) return {};
  const bool pixels = (w[kind_word] & 1) != 0;
  if (pixels) {
    if (t.dimensions < 3) return {};
    t.along_w = (w[kind_word] & 2) != 0;
    t.pixels = field(w[pixel_word], 0, 10) + 1;
    const unsigned bits = corner_bits(t);
    const auto corner = [&](unsigned first) {
      const auto n = static_cast<int>(field(w[corner_word], first, bits));
      return n >= 1 << (bits - 1) ? n - (1 << bits) : n;
    };
    for (unsigned i = 0; i < corners_of(t); ++i) {
      t.lower[i] = corner(bits * i);
      t.upper[i] = corner(16 + bits * i);
    }
  }
  for (unsigned i = 0; i < t.dimensions; ++i) {
    t.size[i] = std::uint64_t{w[size_word + i]} + 1;
    t.element_stride[i] = field(w[element_stride_word], 3 * i, 3) + 1;
    t.box[i] = pixels && i != 0 ? 1 : field(w[(box_byte + i) / 4], (box_byte + i) % 4 * 8, 8) + 1;
    if (i != 0)
      t.stride[i] = (std::uint64_t{field(w[high_stride_word], 4 * (i - 1), 4)} << 32 | w[stride_word + i - 1]) << 4;
  }
  if (problem_of(t)) return {};
  return t;
}

}  // namespace bankwise::emulate
