// tcgen05.ld and tcgen05.st (LDTM, STTM), which copy between registers and tensor memory.
//
// Warp w of a warp group accesses lanes 32 w to 32 w + 31. Register k of thread t corresponds to this cell:
//
//     .32x32b          lane t                         column k
//     .16x64b          lane t / 4 + 8 (t % 2)         column 2 k + t / 2 % 2
//     .16x128b         lane t / 4 + 8 (k % 2)         column 4 (k / 2) + t % 4
//     .16x256b         lane t / 4 + 8 (k % 4 / 2)     column 8 (k / 4) + 2 (t % 4) + k % 2
//     .16x32bx2        lane t % 16                    column k, of one of two instructions for 16 threads each
//
// The source is CUTLASS's copy traits. With .pack::16b and .unpack::16b, column c of the table means columns 2 c and 2
// c + 1, which have 16 bits each. Lane 0 in an address is the first lane of the warp, because programs rely on this.
#include <algorithm>
#include <cmath>

#include "base/float_bits.hpp"
#include "emulate/execute/tensor_memory/cells.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

using sass::tensor_layout;

struct tensor_cell {
  unsigned lane, column;
};
tensor_cell cell_of(tensor_layout l, unsigned k, unsigned t) {
  switch (l) {
    case tensor_layout::lanes16_bits256: return {t / 4 + 8 * (k % 4 / 2), 8 * (k / 4) + 2 * (t % 4) + k % 2};
    case tensor_layout::lanes16_bits128: return {t / 4 + 8 * (k % 2), 4 * (k / 2) + t % 4};
    case tensor_layout::lanes16_bits64: return {t / 4 + 8 * (t % 2), 2 * k + t / 2 % 2};
    case tensor_layout::lanes32_bits32: return {t, k};
    default: return {t % 16, k};
  }
}
unsigned columns_of_move(const sass::tensor_move& f) {
  static constexpr unsigned words[] = {4, 8, 1, 2, 1, 1};
  return f.repeats * words[static_cast<unsigned>(f.layout)] * (f.packs ? 2 : 1);
}
u32 threads_of(tensor_layout l) {
  return l == tensor_layout::first_threads ? 0xffffu : l == tensor_layout::last_threads ? 0xffff0000u : all_lanes;
}

// Finds the first cell that the warp accesses, and checks that all columns are allocated. Returns false after a fault.
bool find_cells(worker& m, const sass::tensor_move& f, const char* what, tensor_address& at) {
  at = tensor_address_of(m, f.at);
  const u32 own = m.w->id % 4, step = f.layout == tensor_layout::lanes32_bits32 ? 32 : 16;
  if (at.lane % step != 0 || (at.lane / 32 != own && at.lane / 32 != 0)) {
    m.fail(
        fault_kind::illegal_address,
        formatted("{} lane {} of tensor memory, but warp {} can access only lanes {} to {}. The first lane must also "
                  "be a multiple of {}",
                  what, at.lane, m.w->id, own * 32, own * 32 + 31, step),
        -1, "warp w of a block can access the lanes 32 * (w % 4) to 32 * (w % 4) + 31");
    return false;
  }
  at.lane = own * 32 + at.lane % 32;
  return has_columns(m, *m.block, at.column, columns_of_move(f), what);
}

// Used for tcgen05.ld.red. Returns the lesser or the greater value. The result is NaN if both values are NaN. With
// .NaN, the result is NaN if any value is NaN.
u32 extreme_of(const sass::tensor_move& f, u32 a, u32 b) {
  using type = sass::tensor_move::extreme_type;
  if (f.extreme == type::u32) return f.minimum ? std::min(a, b) : std::max(a, b);
  if (f.extreme == type::s32)
    return static_cast<u32>(f.minimum ? std::min(static_cast<i32>(a), static_cast<i32>(b))
                                      : std::max(static_cast<i32>(a), static_cast<i32>(b)));
  const float x = float_of_bits(a), y = float_of_bits(b);
  constexpr u32 nan = 0x7fffffff;
  if (std::isnan(x) || std::isnan(y))
    return f.keeps_nan || (std::isnan(x) && std::isnan(y)) ? nan : std::isnan(x) ? b : a;
  const bool first = x == y ? std::signbit(x) : x < y;  // -0 counts as less than +0
  return first == f.minimum ? a : b;
}

step ldtm(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<sass::tensor_move>();
  tensor_address at;
  if (!find_cells(m, f, "tcgen05.ld reads", at)) return step::fault;
  const unsigned registers = f.repeats * sass::registers_of(f.layout);
  mask &= threads_of(f.layout);
  for (unsigned k = 0; k < registers; ++k) {
    u32* const to = m.w->reg(written_row(f.data, k));
    each_lane(mask, [&](int t) {
      const tensor_cell c = cell_of(f.layout, k, static_cast<unsigned>(t));
      const u32* const row = m.block->tensors.lane(at.lane + c.lane) + at.column;
      to[t] = f.packs ? (row[2 * c.column] & 0xffff) | row[2 * c.column + 1] << 16 : row[c.column];
    });
  }
  if (f.extreme == sass::tensor_move::extreme_type::none) return step::next;
  u32* const result = m.w->reg(written_row(f.result));
  each_lane(mask, [&](int t) {
    u32 found = 0;
    for (unsigned k = 0; k < registers; ++k) {
      const u32 word = m.w->reg(written_row(f.data, k))[t];
      const u32 value = f.of_magnitudes ? word & 0x7fffffff : word;
      found = k == 0 ? value : extreme_of(f, found, value);
    }
    result[t] = found;
  });
  return step::next;
}

step sttm(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0 || m.s->leaves_tensors) return step::next;
  const auto& f = u.as<sass::tensor_move>();
  tensor_address at;
  if (!find_cells(m, f, "tcgen05.st writes", at)) return step::fault;
  const unsigned registers = f.repeats * sass::registers_of(f.layout);
  mask &= threads_of(f.layout);
  for (unsigned k = 0; k < registers; ++k) {
    const u32* const from = m.w->reg(register_source(f.data, k).index);
    each_lane(mask, [&](int t) {
      const tensor_cell c = cell_of(f.layout, k, static_cast<unsigned>(t));
      u32* const row = m.block->tensors.lane(at.lane + c.lane) + at.column;
      if (f.packs) {
        row[2 * c.column] = from[t] & 0xffff;
        row[2 * c.column + 1] = from[t] >> 16;
      } else {
        row[c.column] = from[t];
      }
    });
  }
  return step::next;
}

}  // namespace

void add_tensor_moves(handler_table& t) {
  t[static_cast<std::size_t>(sass::opcode::LDTM)] = ldtm;
  t[static_cast<std::size_t>(sass::opcode::STTM)] = sttm;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
