// ldmatrix and stmatrix: matrices of rows of 16 bytes between shared memory and the registers of a warp.
#include "emulate/execute/places.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

using sass::matrix_shape;

// The row that lane n points to is row n; those of lanes that take part are there.
u32 rows_of(const sass::matrix_access& f, u32 mask) {
  return mask & (f.matrices == 4 ? all_lanes : (1u << 8 * f.matrices) - 1);
}

struct element {
  unsigned row, column;
};
// Which element is in part i of register k of lane t. Registers hold two halves or four bytes. Of bytes that are transposed,
// CUTLASS's traits of SM100_U8x16_LDSM_T and its like say where they are; no GPU that has them was asked.
element element_at(const sass::matrix_access& f, unsigned k, unsigned t, unsigned i) {
  const unsigned group = t / 4, member = t % 4;
  switch (f.shape) {
    case matrix_shape::m8n8: return {8 * k + group, 2 * member + i};
    case matrix_shape::m8n8_trans: return {8 * k + 2 * member + i, group};
    case matrix_shape::m16n16_trans: return {16 * (k / 2) + 4 * member + 2 * (k % 2) + i % 2, group + 8 * (i / 2)};
    case matrix_shape::m16n8_trans: return {8 * k + 2 * member + i % 2, group + 8 * (i / 2)};
    case matrix_shape::m8n16: return {8 * k + group, 4 * member + i};
  }
  return {};
}
// Calls move(register, lane, shift of the part in it, row, column) for each element in `rows`.
template <class F>
void each_element(const sass::matrix_access& f, u32 rows, F move) {
  const unsigned bits = f.element_bits == 16 ? 16 : 8;
  for (unsigned k = 0; k < f.matrices; ++k)
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned i = 0; i < 32 / bits; ++i) {
        const element e = element_at(f, k, t, i);
        if ((rows >> e.row & 1) != 0) move(k, t, i * bits, static_cast<int>(e.row), e.column);
      }
}
// Elements of 4 and 6 bits stand side by side from the row's beginning; in a register they are the low bits of a byte.
u32 narrow_element(const std::byte* row, unsigned bits, unsigned column) {
  const unsigned at = bits * column;
  return read<std::uint16_t>(row + at / 8) >> at % 8 & ((1u << bits) - 1);
}

step ldsm(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::matrix_access>();
  const u32* address = shared_addresses(m, u, f.address);
  make_event(m, u, ldmatrix(f.matrices), mask, m.p->mask);
  const u32 rows = rows_of(f, mask);
  shared_places at;
  if (find_shared(m, access_direction::read, address, 16, rows, at, m.s->shared_bytes) != step::next)
    return step::fault;
  if (m.s->leaves_shared) return step::next;
  u32 r[4][32] = {};
  each_element(f, rows, [&](unsigned k, unsigned t, unsigned shift, int from, unsigned column) {
    const u32 value = f.element_bits == 16  ? read<std::uint16_t>(at[from] + 2 * column)
                      : f.element_bits == 8 ? read<std::uint8_t>(at[from] + column)
                                            : narrow_element(at[from], f.element_bits, column);
    r[k][t] |= value << shift;
  });
  for (unsigned k = 0; k < f.matrices; ++k) store(m.w->reg(written_row(f.data, k)), r[k], mask);
  return step::next;
}
step stsm(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::matrix_access>();
  const u32* address = shared_addresses(m, u, f.address);
  make_event(m, u, stmatrix(f.matrices), mask, m.p->mask);
  const u32 rows = rows_of(f, mask);
  shared_places at;
  if (find_shared(m, access_direction::write, address, 16, rows, at, m.s->shared_bytes) != step::next)
    return step::fault;
  if (m.s->leaves_shared) return step::next;
  const u32* data[4];
  for (unsigned k = 0; k < 4; ++k) data[k] = data_row(m, f.data, k);
  each_element(f, rows, [&](unsigned k, unsigned t, unsigned shift, int to, unsigned column) {
    const u32 value = data[k][t] >> shift;
    if (f.element_bits == 16)
      write(at[to] + 2 * column, static_cast<std::uint16_t>(value));
    else
      write(at[to] + column, static_cast<std::uint8_t>(value));
  });
  return step::next;
}

}  // namespace

void add_shared_matrices(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::LDSM, ldsm);
  set(op::STSM, stsm);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
