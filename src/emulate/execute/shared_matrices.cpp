// ldmatrix and stmatrix: matrices of 8 x 8 halves between shared memory and the registers of a warp.
#include "emulate/execute/places.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

// Row r of matrix k starts where lane 8k + r points. Lane t gets elements 2(t % 4) and the next of row t / 4;
// transposed, it gets column t / 4 of those rows.
step ldsm(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::matrix_access>();
  const u32* address = shared_addresses(m, u, f.address);
  const unsigned count = f.matrices;
  make_event(m, u, ldmatrix(count), mask, m.p->mask);
  const u32 rows = mask & (count == 4 ? all_lanes : (1u << 8 * count) - 1);
  shared_places at;
  if (find_shared(m, "reads", address, 16, rows, at) != step::next) return step::fault;
  u32 r[4][32] = {};
  for (unsigned k = 0; k < count; ++k)
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned h = 0; h < 2; ++h) {
        const unsigned row = f.transposed ? 2 * (t % 4) + h : t / 4, column = f.transposed ? t / 4 : 2 * (t % 4) + h;
        const unsigned from = 8 * k + row;
        if ((rows >> from & 1) != 0)
          r[k][t] |= static_cast<u32>(read<std::uint16_t>(at[from] + 2 * column)) << (16 * h);
      }
  for (unsigned k = 0; k < count; ++k) store(m.w->reg(written_row(f.data, k)), r[k], mask);
  return step::next;
}
step stsm(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::matrix_access>();
  const u32* address = shared_addresses(m, u, f.address);
  const unsigned count = f.matrices;
  make_event(m, u, stmatrix(count), mask, m.p->mask);
  const u32 rows = mask & (count == 4 ? all_lanes : (1u << 8 * count) - 1);
  shared_places at;
  if (find_shared(m, "writes", address, 16, rows, at) != step::next) return step::fault;
  for (unsigned k = 0; k < count; ++k) {
    const u32* data = data_row(m, f.data, k);
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned h = 0; h < 2; ++h) {
        const unsigned row = f.transposed ? 2 * (t % 4) + h : t / 4, column = f.transposed ? t / 4 : 2 * (t % 4) + h;
        const unsigned to = 8 * k + row;
        if ((rows >> to & 1) != 0) write(at[to] + 2 * column, static_cast<std::uint16_t>(data[t] >> (16 * h)));
      }
  }
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
