// The compiler checks the cost of a CuTe layout. bankwise does not need CuTe for this: make_access takes any function
// of the lane, and a CuTe layout is a function of coordinates.
//
//     nvcc -x cu -std=c++17 -I bankwise/include -I $CUTLASS_DIR/include cute_layout.cpp && ./a.out
//
//     rows of 64 halves          lane t reads the 16 bytes of row t % 8: one matrix of ldmatrix
//         row-major              8 wavefronts: all rows begin in bank 0
//         Swizzle<3,3,3>         1: what wgmma and TMA call the 128-byte swizzle
#include <bankwise/bankwise.hpp>
#include <cstdio>
#include <cute/layout.hpp>
#include <cute/swizzle.hpp>
#include <cute/swizzle_layout.hpp>

using namespace cute;

using rows = Layout<Shape<_64, _64>, Stride<_64, _1>>;
using swizzled = decltype(composition(Swizzle<3, 3, 3>{}, rows{}));

// CuTe counts elements, but bankwise counts bytes.
template <class TileLayout>
struct matrix_rows {
  constexpr bankwise::u32 operator()(bankwise::u32 lane) const {
    return static_cast<bankwise::u32>(TileLayout{}(static_cast<int>(lane), 0)) * 2;
  }
};

constexpr auto plain = bankwise::make_access(bankwise::ldmatrix(1), matrix_rows<rows>{});
constexpr auto free_of_conflicts = bankwise::make_access(bankwise::ldmatrix(1), matrix_rows<swizzled>{});
BANKWISE_ASSERT_CONFLICT_FREE(free_of_conflicts);
static_assert(bankwise::wavefronts(plain) == 8, "");

// Layouts that are only known at run time are checked in the same way.
template <class TileLayout>
bankwise::u32 column_wavefronts(const TileLayout& tile) {
  return bankwise::wavefronts(bankwise::make_access(bankwise::ld(4), [&](bankwise::u32 lane) {
    return static_cast<bankwise::u32>(tile(static_cast<int>(lane), 0)) * sizeof(float);
  }));
}

int main() {
  for (const int pitch : {32, 33, 36, 40})
    std::printf("a column of float tile[32][%d]: %u wavefronts\n", pitch,
                column_wavefronts(make_layout(make_shape(32, 32), make_stride(pitch, _1{}))));
}
