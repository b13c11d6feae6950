// A tensor map describes a tensor from which TMA copies boxes, or columns of pixels. cuTensorMapEncodeTiled,
// cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide make tensor maps. Kernels may change them
// (tensormap.replace).
//
// A tensor map has 128 bytes, in the form that the driver writes (measured: data/sm_90/tma.bin.zst,
// tensor_modes.bin.zst). The table shows the field in each 32-bit word, or in bits of a word:
//
//     0-1      address                                     13    bits 0-14   element strides - 1, 3 bits each
//     2        bit 0       columns of pixels                     bits 24-31  box - 1 of dimension 0
//              bits 4-6    dimensions - 1                  14    box - 1 of dimensions 1 to 4, a byte each; for pixels
//              bits 7-10   type of the elements                  the corners: lower in the low half, upper in the high
//              bits 11-12  interleaving                    15    pixels of a column - 1
//                                                          16    bytes of the box
//              bits 13-14  swizzle                         18    8 times the bytes of the swizzle; 16 without a swizzle
//              bit 15      NaN outside the tensor
//              bit 16      floats become TF32
//              bits 17-18  L2 promotion
//              bit 1       along W (.im2col::w): chosen by bankwise, because no such map was measured
//              bits 19-21  size of swizzled pieces, as tensormap.replace writes it: 0 for 16 bytes
//     3-6      strides / 16 of dimensions 1 to 4, the low words
//     7        bits 0-15   upper 4 bits of the strides / 16
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

// The values of CUtensorMapDataType and of the enums for swizzle, interleaving and so on. Elements of 4 and 6 bits are
// in groups of 16. A group is packed or padded. A padded group takes 16 bytes of shared memory, and does not use the
// last 8 or 4 bytes.
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
  bytes_128_by_32,          // swizzles pieces of 32 bytes
  bytes_128_by_32_flipped,  // swizzles pieces of 32 bytes, and exchanges the two halves of a piece in every second row
};
inline constexpr unsigned tensor_swizzles = 6;

struct tensor_map {
  std::uint64_t address = 0;
  unsigned dimensions = 1;
  tensor_type type = tensor_type::u8;
  std::uint8_t interleave = 0;
  tensor_swizzle swizzle = tensor_swizzle::none;
  std::uint8_t l2_promotion = 0;
  // whether elements outside the tensor become NaN instead of zeros
  bool fills_with_nan = false;
  std::array<std::uint64_t, most_tensor_dimensions> size{};  // number of elements in each dimension
  // distances in dimensions 1 and higher, in bytes
  std::array<std::uint64_t, most_tensor_dimensions> stride{};
  std::array<std::uint32_t, most_tensor_dimensions> box{}, element_stride{};
  // For columns of pixels: the corners, in all dimensions except the first and the last. box[0] elements of the first
  // dimension are copied.
  std::uint32_t pixels = 0;  // number of pixels of a column; 0 for boxes
  // whether the columns of pixels are along W (.im2col::w); if so, lower[0] and upper[0] are the corners along W
  bool along_w = false;
  std::array<int, most_tensor_dimensions - 2> lower{}, upper{};
};
inline bool is_im2col(const tensor_map& t) { return t.pixels != 0; }
// The number of bits for a corner or an offset in one dimension. All dimensions share 16 bits.
inline unsigned corner_bits(unsigned dimensions) { return dimensions == 3 ? 16 : dimensions == 4 ? 8 : 5; }
// The number of coordinates of each corner. If the columns are along W, there is one coordinate. Otherwise, there is a
// coordinate for each dimension except the first and the last.
inline unsigned corners_of(const tensor_map& t) { return t.along_w ? 1 : t.dimensions - 2; }
inline unsigned corner_bits(const tensor_map& t) { return t.along_w ? 16 : corner_bits(t.dimensions); }
// For an interleaved tensor: the size of the pieces that dimension 0 counts. 0 if the tensor is not interleaved.
inline unsigned slice_bytes(const tensor_map& t) { return 16u * t.interleave; }
// The first dimension that counts rows (or pieces).
inline unsigned first_outer(const tensor_map& t) { return t.interleave != 0 ? 0 : 1; }
// For an interleaved tensor, such as NC/8HWC8: the dimension that counts slices of channels (C/8). Only dimension N
// follows it. A copy is within one slice.
inline unsigned slice_dimension(const tensor_map& t) { return t.dimensions - 2; }

// The number of bits of an element in global memory.
unsigned bits_of(tensor_type t);
// The size of `elements` elements in bytes. For packed elements, `elements` must be a multiple of 2 or 16.
inline std::uint64_t bytes_of(tensor_type t, std::uint64_t elements) { return elements * bits_of(t) / 8; }
inline bool is_packed(tensor_type t) { return t >= tensor_type::u4; }
inline bool is_padded(tensor_type t) { return t == tensor_type::u4_padded || t == tensor_type::u6_padded; }
// The number of elements that take 16 bytes in shared memory. A copy begins and ends at a multiple of this number.
inline unsigned elements_of_piece(tensor_type t) { return is_padded(t) ? 16 : 128 / bits_of(t); }
bool is_floating(tensor_type t);
inline bool is_tf32(tensor_type t) { return t == tensor_type::tf32 || t == tensor_type::tf32_ftz; }
// The swizzle moves pieces of 16 bytes within this number of bytes. 16 if there is no swizzle.
inline unsigned span_of(tensor_swizzle s) {
  return s > tensor_swizzle::bytes_128 ? 128 : 16u << static_cast<unsigned>(s);
}

// The reason why cuTensorMapEncodeTiled refuses a map as invalid. Nothing if the map is valid.
std::optional<std::string> problem_of(const tensor_map& t);

using tensor_map_words = std::array<std::uint32_t, tensor_map_bytes / 4>;
tensor_map_words encode(const tensor_map& t);
// The tensor map that these words contain. Nothing if the words are not a tensor map.
std::optional<tensor_map> decode_tensor_map(const tensor_map_words& words);

}  // namespace bankwise::emulate
