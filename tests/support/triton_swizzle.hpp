// Triton's optimal swizzling, as a reference for layouts that bankwise finds. Given how a tensor is distributed over
// registers, lanes and warps before and after it goes through shared memory, returns the shared layout that Triton
// would choose.
//
//     transfer           f32[16][32]: lane t stores column t, then reads row t % 16 of the columns t / 16, t / 16 + 2, ...
//       store            registers 32 64 128 256   lanes 1 2 4 8 16          each number has the bits of an element's
//       load             registers 2 4 8 16        lanes 32 64 128 256 1     row-major index that a register or lane bit flips
//     shared_layout      offset bits 0..4 of the bank, then the segments: 2 ^ 32, 4 ^ 64, 8 ^ 128, 16 ^ 256
//     store, load        one wavefront for each access
//
// Sources: Zhou et al., "Linear Layouts", arXiv 2505.23819, and optimalSwizzlingLdSt of triton-lang/triton
// (lib/Tools/GenericSwizzling.cpp), in the version that fills the first word with register bits of one side that are
// warp bits of the other side. ldmatrix and stmatrix are not included. If register bits of both sides repeat parts of a
// tensor, Triton passes these parts through shared memory one by one. Here, the tensor is stored as a whole, so
// addresses are shifted by whole rows of banks, and the cost is the same.
#pragma once

#include <string>
#include <vector>

#include "bankwise/access.hpp"

namespace bankwise::test {

// Vectors over GF(2): the bits of an element's index, or of an offset. Addition is XOR.
using basis = std::vector<u32>;

// The distribution of a tensor's elements: a distributed layout as in the paper. A vector has one bit, or no bit if
// lanes or warps hold the same elements. All vectors together contain every bit once.
struct distributed_layout {
  basis registers, lanes, warps;
};

struct transfer {
  u32 row_bits = 0, column_bits = 0;  // the tensor has 2^row_bits rows and 2^column_bits columns
  u32 element_bytes = 0;              // 1, 2, 4 or 8
  distributed_layout store, load;
};

// A linear, bijective map from the index bits of an element to the bits of its offset.
struct shared_layout {
  u32 element_bytes = 0;
  basis vector, bank, segment;  // for each offset with one bit: the element at this offset, in the order of the bits
  basis offset_of_bit;          // the inverse map: the offset, in elements, for each index with one bit

  u32 byte_of(u32 element) const;
};

shared_layout triton_swizzle(const transfer& t);

// The accesses of one side to shared memory, for every register group of every warp.
struct traffic {
  u32 vector_bits = 0;  // each lane accesses 2^vector_bits elements, the largest contiguous number in this layout
  std::vector<access> accesses;
};

traffic store_traffic(const transfer& t, const shared_layout& s);
traffic load_traffic(const transfer& t, const shared_layout& s);

// Returns the wavefronts of one access. All accesses take the same number. Triton's formula counts the vectors that are
// both in the span of the phase's lanes and in the span of the segments. This number is the number of wavefronts of
// each phase. The formula does not merge phases of loads.
u32 predicted_store_wavefronts(const transfer& t, const shared_layout& s);
u32 predicted_load_wavefronts(const transfer& t, const shared_layout& s);
// Returns the wavefronts of one access for vectors that do not fill a word. Lanes in one bank may then access different
// bytes of the same word. These lanes share the word. In this case, Triton's formula is too low.
u32 counted_store_wavefronts(const transfer& t, const shared_layout& s);
u32 counted_load_wavefronts(const transfer& t, const shared_layout& s);

// The accesses of a transfer if the tensor is stored row by row without padding or swizzle. A search for a layout
// starts from these accesses. Their vectors are as wide as Triton's vectors. If the elements of a vector are not
// neighbours in the tensor, the bits of the elements' indices are permuted. In the permuted tensor, which is called
// the tile, the elements of each vector are neighbours.
struct element_view {
  bool permuted = false;
  basis index_bit;  // bit i of an index in the tile is this bit of the index in the tensor, written as a vector
  u32 row_bits = 0, column_bits = 0;
  u32 element_bytes = 0;
  std::vector<access> store, load;  // accesses in the order of store_traffic and load_traffic
};

element_view elements_of(const transfer& t, const shared_layout& s);

// Returns two layouts of a tensor of up to 4,096 elements. The same seed gives the same layouts on every machine. Rows
// and columns are distributed as compilers distribute them, or in any order.
transfer random_transfer(u32 seed);

std::string to_text(const transfer& t);

}  // namespace bankwise::test
