// A tensor map describes a tensor from which TMA copies boxes, or columns of pixels. cuTensorMapEncodeTiled,
// cuTensorMapEncodeIm2col or cuTensorMapEncodeIm2colWide makes it, and kernels may change it (tensormap.replace).
//
// 128 bytes, as the driver writes them (measured: data/sm_90/tma.bin.zst, tensor_modes.bin.zst); fields by bit of
// the 32-bit word:
//
//     0-1      address                                     13    bits 0-14   element strides - 1, 3 bits each
//     2        bit 0       columns of pixels                     bits 24-31  box - 1 of dimension 0
//              bits 4-6    dimensions - 1                  14    box - 1 of dimensions 1 to 4, a byte each; of pixels the
//              bits 7-10   type of the elements                  corners: lower in the low half, upper in the high one
//              bits 11-12  interleaving                    15    pixels of a column - 1
//                                                          16    bytes of the box
//              bits 13-14  swizzle                         18    8 times the bytes of the swizzle; 16 without
//              bit 15      NaN where nothing is
//              bit 16      floats become TF32
//              bits 17-18  L2 promotion
//              bit 1       along W (.im2col::w): bankwise's own, because we saw no such map
//              bits 19-21  the pieces that the swizzle moves, as tensormap.replace writes it: 0 for 16 bytes
//     3-6      strides / 16 of dimensions 1 to 4, the low words
//     7        bits 0-15   their upper 4 bits
//     8-12     elements - 1 of each dimension
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace bankwise::emulate {

inline constexpr std::size_t tensor_map_bytes = 128, tensor_map_alignment = 64;
inline constexpr unsigned most_tensor_dimensions = 5;

// The numbers of CUtensorMapDataType and its companions.
// Elements of 4 and 6 bits come in groups of 16: packed, or in 16 bytes of shared memory each (padded), of which the
// last 8 or 4 are not used.
enum class tensor_type : std::uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz,
  u4,
  u4_padded,
  u6_padded
};
inline constexpr unsigned tensor_types = 16;
enum class tensor_swizzle : std::uint8_t {
  none,
  bytes_32,
  bytes_64,
  bytes_128,
  bytes_128_by_32,          // pieces of 32 bytes
  bytes_128_by_32_flipped,  // and the halves of 16 bytes in every second row
};
inline constexpr unsigned tensor_swizzles = 6;

struct tensor_map {
  std::uint64_t address = 0;
  unsigned dimensions = 1;
  tensor_type type = tensor_type::u8;
  std::uint8_t interleave = 0;
  tensor_swizzle swizzle = tensor_swizzle::none;
  std::uint8_t l2_promotion = 0;
  bool fills_with_nan = false;                               // otherwise with zeros
  std::array<std::uint64_t, most_tensor_dimensions> size{};  // elements
  // in bytes, from dimension 1 on
  std::array<std::uint64_t, most_tensor_dimensions> stride{};
  std::array<std::uint32_t, most_tensor_dimensions> box{}, element_stride{};
  // For columns of pixels: the corners in all dimensions except the first and the last. box[0] elements of the first
  // dimension are copied.
  std::uint32_t pixels = 0;  // 0: boxes
  bool along_w = false;      // the columns of .im2col::w: lower[0] and upper[0] are the corners
  std::array<int, most_tensor_dimensions - 2> lower{}, upper{};
};
inline bool is_im2col(const tensor_map& t) { return t.pixels != 0; }
// How many bits a corner or an offset of one dimension has: all dimensions share 16.
inline unsigned corner_bits(unsigned dimensions) { return dimensions == 3 ? 16 : dimensions == 4 ? 8 : 5; }
// How many of the corners count: of W, or of all dimensions but the first and the last.
inline unsigned corners_of(const tensor_map& t) { return t.along_w ? 1 : t.dimensions - 2; }
inline unsigned corner_bits(const tensor_map& t) { return t.along_w ? 16 : corner_bits(t.dimensions); }
// If it is interleaved, the size of the pieces that dimension 0 counts; otherwise 0.
inline unsigned slice_bytes(const tensor_map& t) { return 16u * t.interleave; }
// The first dimension that counts rows, or pieces.
inline unsigned first_outer(const tensor_map& t) { return t.interleave != 0 ? 0 : 1; }
// The position of the slices of C, before N: a copy is within one slice.
inline unsigned slice_dimension(const tensor_map& t) { return t.dimensions - 2; }

// The bits of an element in global memory.
unsigned bits_of(tensor_type t);
// The bytes of that many elements. Packed elements come in multiples of 2 or 16.
inline std::uint64_t bytes_of(tensor_type t, std::uint64_t elements) { return elements * bits_of(t) / 8; }
inline bool is_packed(tensor_type t) { return t >= tensor_type::u4; }
inline bool is_padded(tensor_type t) { return t == tensor_type::u4_padded || t == tensor_type::u6_padded; }
// Elements that have 16 bytes in shared memory: a copy begins and ends between two such pieces.
inline unsigned elements_of_piece(tensor_type t) { return is_padded(t) ? 16 : 128 / bits_of(t); }
bool is_floating(tensor_type t);
inline bool is_tf32(tensor_type t) { return t == tensor_type::tf32 || t == tensor_type::tf32_ftz; }
// The number of bytes within which a piece of 16 is moved; 16 if it is not moved.
inline unsigned span_of(tensor_swizzle s) {
  return s > tensor_swizzle::bytes_128 ? 128 : 16u << static_cast<unsigned>(s);
}

// Why such a map is invalid (cuTensorMapEncodeTiled refuses it), or nothing.
std::optional<std::string> problem_of(const tensor_map& t);

using tensor_map_words = std::array<std::uint32_t, tensor_map_bytes / 4>;
tensor_map_words encode(const tensor_map& t);
// Nothing if these bytes are not a tensor map of tiles.
std::optional<tensor_map> decode_tensor_map(const tensor_map_words& words);

}  // namespace bankwise::emulate
