// ldmatrix and stmatrix: matrices of 8 x 8 halves between shared memory and the registers of a warp.
#include "emulate/execute/places.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

// Row r of matrix k starts where lane 8k + r points; those of lanes that take part are there.
u32 rows_of(const sass::matrix_access& f, u32 mask) {
  return mask & (f.matrices == 4 ? all_lanes : (1u << 8 * f.matrices) - 1);
}
// Lane t has elements 2(t % 4) and the next of row t / 4, transposed those of column t / 4. Calls move(matrix, lane, half, the
// lane that points to its row, its column) for each in `rows`.
template <class F>
void each_half(const sass::matrix_access& f, u32 rows, F move) {
  for (unsigned k = 0; k < f.matrices; ++k)
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned h = 0; h < 2; ++h) {
        const unsigned row = f.transposed ? 2 * (t % 4) + h : t / 4, column = f.transposed ? t / 4 : 2 * (t % 4) + h;
        if ((rows >> (8 * k + row) & 1) != 0) move(k, t, h, static_cast<int>(8 * k + row), column);
      }
}

step ldsm(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::matrix_access>();
  const u32* address = shared_addresses(m, u, f.address);
  make_event(m, u, ldmatrix(f.matrices), mask, m.p->mask);
  const u32 rows = rows_of(f, mask);
  shared_places at;
  if (find_shared(m, "reads", address, 16, rows, at) != step::next) return step::fault;
  if (m.s->leaves_shared) return step::next;
  u32 r[4][32] = {};
  each_half(f, rows, [&](unsigned k, unsigned t, unsigned h, int from, unsigned column) {
    r[k][t] |= static_cast<u32>(read<std::uint16_t>(at[from] + 2 * column)) << (16 * h);
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
  if (find_shared(m, "writes", address, 16, rows, at) != step::next) return step::fault;
  if (m.s->leaves_shared) return step::next;
  const u32* data[4];
  for (unsigned k = 0; k < 4; ++k) data[k] = data_row(m, f.data, k);
  each_half(f, rows, [&](unsigned k, unsigned t, unsigned h, int to, unsigned column) {
    write(at[to] + 2 * column, static_cast<std::uint16_t>(data[k][t] >> (16 * h)));
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
