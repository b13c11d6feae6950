// Cases of tensor copies that are not plain boxes: columns of pixels (im2col), interleaved tensors, stores and
// reductions, and copies that the driver or the hardware refuses. A number determines a case. measure_tensors.cpp and
// tensor_modes_test share this file.
//
//     the buffer                       word n is n; the tensor begins at tensor_base
//     shared memory before a load      each word is 0xa5a5a5a5
//     shared memory before a store     word n is 0x40000000 + 257 n
#pragma once

#include <cstdint>

namespace probes {

enum tensor_kind : unsigned { load_tile, load_im2col, store_tile, store_im2col, add_tile, add_im2col, tensor_kinds };

struct tensor_case {
  unsigned kind, type, rank;
  std::uint64_t size[5], stride[4];
  std::uint32_t box[5], element_stride[5];
  int lower[3], upper[3];
  std::uint32_t channels, pixels;
  unsigned interleave, swizzle, fill;
  int at[5];
  unsigned offset[3];
};

// Parameters of a kernel in addition to its output and the tensor map.
struct tensor_places {
  int at[5];
  unsigned offset[3];
  unsigned bytes;  // number of bytes that the kernel's barrier expects
};
// The kernel's name for each kind of copy, without the number of dimensions at its end.
constexpr const char* tensor_kernels[tensor_kinds] = {"load_tile_",    "load_im2col_", "store_tile_",
                                                      "store_im2col_", "add_tile_",    "add_im2col_"};

// A record that measure_tensors.cpp writes for each case, little endian.
struct tensor_row {
  std::uint32_t group, number;
  std::int32_t encoded, launched;  // CUresult
  std::uint32_t done, unused;      // whether the barrier's phase was complete in time
  std::uint64_t hash;              // hash of shared memory after a load, or of the buffer after a store
  std::uint32_t map[32];           // the driver's encoding for address 0x100000
};
constexpr std::uint64_t tensor_map_address = 0x100000;

constexpr std::uint32_t tensor_buffer_bytes = 1u << 20, tensor_base = 1u << 18, tensor_shared_bytes = 16384;
// The number of cases in each group.
struct tensor_group {
  const char* name;
  unsigned count;
};
constexpr tensor_group tensor_groups[] = {{"im2col", 900},      {"im2col_strided", 500}, {"im2col_interleaved", 300},
                                          {"interleaved", 400}, {"stores", 300},         {"atoms", 60},
                                          {"packed", 60},       {"beyond", 60}};

class numbers {
 public:
  explicit numbers(std::uint64_t seed) : state_(seed) { state_ = next(); }
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  int in(int from, int to) { return from + static_cast<int>(next() % static_cast<std::uint64_t>(to - from + 1)); }

 private:
  std::uint64_t state_;
};

inline unsigned tensor_element_bytes(unsigned type) {
  constexpr unsigned bytes[16] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 1, 1, 1};
  return bytes[type];
}

// Returns the number of bytes that a copy moves according to the driver's manual. On a GPU, a copy of an interleaved
// tensor moves only one slice, so a wait for all bytes of the box may never end.
inline std::uint32_t box_bytes_of(const tensor_case& c) {
  const bool im2col = c.kind % 2 == 1;
  const unsigned element = tensor_element_bytes(c.type), slice = c.interleave * 16;
  const unsigned slices = slice == 0 ? 0 : (c.channels * element + slice - 1) / slice;
  if (im2col) return c.pixels * (slice == 0 ? element * c.channels : slice * slices);
  std::uint32_t bytes = slice == 0 ? element * c.box[0] : slice * slices;
  for (unsigned i = slice == 0 ? 1 : 0; i < c.rank; ++i)
    if (slice == 0 || i != c.rank - 2) bytes *= (c.box[i] + c.element_stride[i] - 1) / c.element_stride[i];
  return bytes;
}

inline bool is_im2col(const tensor_case& c) { return c.kind % 2 == 1; }
inline bool is_store(const tensor_case& c) { return c.kind >= store_tile; }

inline tensor_places places_of(const tensor_case& c) {
  tensor_places p{};
  for (unsigned i = 0; i < 5; ++i) p.at[i] = c.at[i];
  for (unsigned i = 0; i < 3; ++i) p.offset[i] = c.offset[i];
  p.bytes = box_bytes_of(c);
  return p;
}

inline tensor_case make_tensor_case(unsigned group, unsigned number) {
  numbers r(group * 100000u + number);
  tensor_case c{};
  constexpr unsigned types[] = {0, 1, 2, 6, 7, 9, 4, 6};
  const bool packed = group == 6, beyond = group == 7, atoms = group == 5, strided = group == 1;
  c.type = types[r.in(0, 7)];
  if (packed) c.type = 13 + static_cast<unsigned>(r.in(0, 2));
  const bool interleaved = group == 2 || group == 3 || (group == 4 && r.in(0, 3) == 0);
  bool im2col = group <= 2 || (group >= 4 && r.in(0, 1) == 0);
  c.kind = im2col ? load_im2col : load_tile;
  if (group == 4) {
    c.kind += 2 * static_cast<unsigned>(r.in(1, 2));
    constexpr unsigned adds[] = {2, 3, 4, 2};
    c.type = c.kind >= add_tile ? adds[r.in(0, 3)] : c.type;
  }
  c.rank = static_cast<unsigned>(r.in(3, 5));
  const unsigned bytes = tensor_element_bytes(c.type);
  c.interleave = interleaved ? static_cast<unsigned>(r.in(1, 2)) : 0;
  const unsigned slice = c.interleave == 0 ? 16 : c.interleave * 16;  // bytes
  c.swizzle = static_cast<unsigned>(c.interleave == 2 ? 1 : r.in(0, 3));
  if (atoms) c.swizzle = static_cast<unsigned>(r.in(4, 6));
  c.fill = (c.type >= 6 && c.type <= 12) ? static_cast<unsigned>(r.in(0, 1)) : 0;
  for (unsigned i = 0; i < 5; ++i) c.element_stride[i] = 1, c.box[i] = 1, c.size[i] = 1;
  // Dimension 0 is C.
  const unsigned span = c.swizzle == 0 || interleaved ? 64 : atoms ? 128 : 16u << c.swizzle;
  const unsigned inner = 16u * static_cast<unsigned>(r.in(1, static_cast<int>(span / 16)));
  c.channels = c.box[0] = packed ? 128 : inner / bytes;
  if (interleaved && r.in(0, 1) == 0) c.channels = c.box[0] = slice / bytes * static_cast<unsigned>(r.in(1, 3));
  c.size[0] =
      packed ? 256 : static_cast<std::uint64_t>(r.in(1, 12)) * (16 / bytes) + (r.in(0, 2) == 0 ? r.in(0, 5) : 0);
  c.at[0] = static_cast<int>(16 / bytes) * r.in(group == 4 ? 0 : -1, 3);
  if (packed) c.at[0] = 128 * r.in(0, 1);
  for (unsigned i = 1; i < c.rank; ++i) {
    const bool image = i + 1 < c.rank;
    c.size[i] = static_cast<std::uint64_t>(image ? r.in(2, 9) : r.in(1, 4));
    c.box[i] = static_cast<std::uint32_t>(r.in(1, 4));
    if (strided || r.in(0, 3) == 0) c.element_stride[i] = static_cast<std::uint32_t>(r.in(1, 3));
    c.at[i] = r.in(group == 4 ? 0 : -2, static_cast<int>(c.size[i]));
    if (!image) c.at[i] = r.in(0, static_cast<int>(c.size[i]) - 1);
  }
  // Some tensors have a gap after each row.
  if (interleaved) {
    // The dimensions are W, H and D in pieces of 16 or 32 bytes, then the slices of C, then N.
    for (unsigned i = 0; i + 2 < c.rank; ++i) {
      c.size[i] = c.size[i + 1];
      c.box[i] = c.box[i + 1];
      c.at[i] = c.at[i + 1];
      c.element_stride[i] = c.element_stride[i + 1];
    }
    const unsigned slices = c.rank - 2;
    c.size[slices] = static_cast<std::uint64_t>(r.in(1, 6));
    c.at[slices] = r.in(group == 4 ? 0 : -1, 5);
    c.element_stride[slices] = static_cast<std::uint32_t>(r.in(0, 5) == 0 ? 2 : 1);
    c.channels = static_cast<std::uint32_t>(r.in(1, 64));
    if (r.in(0, 2) != 0) c.channels = slice / bytes * static_cast<std::uint32_t>(r.in(1, 4));
    c.box[slices] = c.channels;
    std::uint64_t step = slice;
    for (unsigned i = 1; i < c.rank; ++i) {
      step = step * c.size[i - 1] + static_cast<std::uint64_t>(slice) * static_cast<unsigned>(r.in(0, 2));
      c.stride[i - 1] = step;
    }
  } else {
    std::uint64_t step = packed ? 256 : (c.size[0] * bytes + 15) / 16 * 16;
    for (unsigned i = 1; i < c.rank; ++i) {
      step += (packed ? 32u : 16u) * static_cast<unsigned>(r.in(0, 2));
      c.stride[i - 1] = step;
      step *= c.size[i];
    }
  }
  c.pixels = static_cast<std::uint32_t>(r.in(1, 60));
  if (im2col) {
    for (unsigned n = 0; n + 2 < c.rank; ++n) {
      const unsigned i = interleaved ? n : n + 1;
      const int size = static_cast<int>(c.size[i]);
      int& low = c.lower[n];
      int& high = c.upper[n];
      low = r.in(-3, 1);
      high = r.in(-3, 2);
      if (low > size - 1 + high) low = size - 1 + high - r.in(0, 1);
      c.at[i] = r.in(low, size - 1 + high);
      c.offset[n] = static_cast<unsigned>(r.in(0, 3));
      if (group == 4) {  // stores have no offsets
        c.offset[n] = 0;
        low = high = 0;
        c.at[i] = r.in(0, size - 1);
      }
      if (beyond) c.at[i] = r.in(low - 3, size + 2 + high);
    }
  } else if (beyond) {
    c.kind = load_im2col;
  }
  // Chooses a box that fits into shared memory.
  while (box_bytes_of(c) > tensor_shared_bytes / 2) {
    c.pixels = (c.pixels + 1) / 2;
    for (unsigned i = interleaved ? 0 : 1; i < c.rank; ++i)
      if (!interleaved || i != c.rank - 2) c.box[i] = (c.box[i] + 1) / 2;
    if (c.pixels == 1 && c.channels > 16) c.box[c.rank - 2] = c.channels = 16;
  }
  return c;
}

inline std::uint64_t tensor_hash(const void* data, std::uint64_t count, std::uint64_t h = 0xcbf29ce484222325u) {
  const auto* at = static_cast<const unsigned char*>(data);
  for (std::uint64_t i = 0; i < count; ++i) h = (h ^ at[i]) * 0x100000001b3u;
  return h;
}

}  // namespace probes
