#include "advise/search/relayout.hpp"

#include <algorithm>
#include <bit>

namespace bankwise::advise {

namespace {

u32 apply(const std::vector<xor_term>& terms, u32 offset) {
  u32 to = 0;
  for (const xor_term& t : terms) to ^= (t.shift >= 0 ? offset >> t.shift : offset << -t.shift) & t.mask;
  return to;
}

}  // namespace

u32 relayout::operator()(u32 offset) const {
  if (panel_bytes != 0) {
    const u32 row = offset / pitch_bytes, column = offset % pitch_bytes;
    offset = (column / panel_bytes * rows + row) * panel_bytes + column % panel_bytes;
  }
  if (every != 0) offset += offset / every * gap;
  return terms.empty() ? offset : apply(terms, offset);
}

std::vector<xor_term> terms_of(swizzle s) {
  return {{0, 0xffffffffu}, {static_cast<int>(s.shift), ((1u << s.bits) - 1u) << s.base}};
}

bit_matrix bit_matrix::identity(u32 bits) {
  bit_matrix m;
  for (u32 j = 0; j < bits; ++j) m.image.push_back(1u << j);
  return m;
}

u32 bit_matrix::operator()(u32 offset) const {
  u32 to = 0;
  for (u32 j = 0; j < image.size(); ++j)
    if ((offset >> j & 1) != 0) to ^= image[j];
  return to;
}

std::vector<xor_term> terms_of(const bit_matrix& m) {
  const int n = static_cast<int>(m.image.size());
  std::vector<xor_term> terms;
  // The terms have this order: the diagonal, terms that shift down, terms that shift up. Bits above the matrix do not
  // change.
  const auto diagonal = [&](int shift) {
    u32 mask = shift == 0 && n < 32 ? ~0u << n : 0;
    for (int j = 0; j < n; ++j)
      if (j - shift >= 0 && j - shift < n) mask |= m.image[static_cast<std::size_t>(j)] & 1u << (j - shift);
    if (mask != 0) terms.push_back({shift, mask});
  };
  diagonal(0);
  for (int shift = 1; shift < n; ++shift) diagonal(shift);
  for (int shift = -1; shift > -n; --shift) diagonal(shift);
  return terms;
}

bool is_invertible(const bit_matrix& m) {
  std::vector<u32> rows = m.image;
  for (u32 bit = 0; bit < rows.size(); ++bit) {
    u32 pivot = bit;
    while (pivot < rows.size() && (rows[pivot] >> bit & 1) == 0) ++pivot;
    if (pivot == rows.size()) return false;
    std::swap(rows[bit], rows[pivot]);
    for (u32 other = 0; other < rows.size(); ++other)
      if (other != bit && (rows[other] >> bit & 1) != 0) rows[other] ^= rows[bit];
  }
  return true;
}

bit_matrix inverse(const bit_matrix& m) {
  const u32 n = static_cast<u32>(m.image.size());
  std::vector<u32> left = m.image;
  bit_matrix right = bit_matrix::identity(n);
  for (u32 bit = 0; bit < n; ++bit) {
    u32 pivot = bit;
    while (pivot < n && (left[pivot] >> bit & 1) == 0) ++pivot;
    if (pivot == n) return right;
    std::swap(left[bit], left[pivot]);
    std::swap(right.image[bit], right.image[pivot]);
    for (u32 other = 0; other < n; ++other) {
      if (other == bit || (left[other] >> bit & 1) == 0) continue;
      left[other] ^= left[bit];
      right.image[other] ^= right.image[bit];
    }
  }
  return right;
}

bit_matrix matrix_of(const std::vector<xor_term>& terms, u32 bits) {
  bit_matrix m;
  for (u32 j = 0; j < bits; ++j) m.image.push_back(terms.empty() ? 1u << j : apply(terms, 1u << j));
  return m;
}

std::uint64_t bytes_after(const relayout& layout, std::uint64_t bytes) {
  if (bytes == 0) return 0;
  std::uint64_t to = bytes;
  // As in a declaration, padding also follows the last row.
  if (layout.every != 0) to += (bytes + layout.every - 1) / layout.every * layout.gap;
  // An xor permutes the bytes of aligned blocks. The size of a block follows from the highest bit that the xor changes
  // or moves to a lower position.
  u32 block = 1;
  const bit_matrix m = matrix_of(layout.terms, most_offset_bits);
  for (u32 j = 0; j < most_offset_bits; ++j) {
    const u32 others = m.image[j] & ~(1u << j);
    if (others != 0) block = std::max(block, std::bit_floor(others) * 2);
    if ((m.image[j] >> j & 1) == 0) block = std::max(block, 2u << j);
  }
  return (to + block - 1) / block * block;
}

}  // namespace bankwise::advise
