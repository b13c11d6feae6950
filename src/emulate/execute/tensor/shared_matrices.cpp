// ldmatrix and stmatrix, which copy matrices with rows of 16 bytes between shared memory and the registers of a warp.
#include "emulate/execute/places.hpp"
#include "emulate/execute/repeats.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

using sass::matrix_shape;

// The mask of copied rows: row n is copied if lane n is active.
u32 rows_of(const sass::matrix_access& f, u32 mask) {
  return mask & (f.matrices == 4 ? all_lanes : (1u << 8 * f.matrices) - 1);
}

struct element {
  unsigned row, column;
};
// The row and column of element i in register k of lane t. A register holds two halves or four bytes. The positions of
// transposed bytes are from CUTLASS's SM100_U8x16_LDSM_T, and were not measured.
element element_at(const sass::matrix_access& f, unsigned k, unsigned t, unsigned i) {
  const unsigned group = t / 4, member = t % 4;
  switch (f.shape) {
    case matrix_shape::m8n8: return {8 * k + group, 2 * member + i};
    case matrix_shape::m8n8_trans: return {8 * k + 2 * member + i, group};
    case matrix_shape::m16n16_trans: return {16 * (k / 2) + 4 * member + i, group + 8 * (k % 2)};
    case matrix_shape::m16n8_trans: return {8 * k + 2 * member + i % 2, group + 8 * (i / 2)};
    case matrix_shape::m8n16: return {8 * k + group, 4 * member + i};
  }
  return {};
}
// Calls move(register, lane, shift, row, column) for each element in `rows`. `shift`: position of the element's lowest
// bit in the register.
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
// In memory, elements of 4 and 6 bits are packed from the beginning of a row. In a register, each element is in the low
// bits of a byte.
u32 narrow_element(const std::byte* row, unsigned bits, unsigned column) {
  const unsigned at = bits * column;
  return read<std::uint16_t>(row + at / 8) >> at % 8 & ((1u << bits) - 1);
}

// Whether all elements are halves or bytes, and all rows are copied.
bool is_whole(const sass::matrix_access& f, u32 rows) {
  return rows == rows_of(f, all_lanes) && (f.element_bits == 16 || f.element_bits == 8);
}
// For each byte of the registers: its position in consecutive rows.
struct byte_table {
  std::uint16_t at[512] = {};
};
const byte_table& table_of(const sass::matrix_access& f) {
  static constexpr auto make = [](matrix_shape shape, unsigned bytes) {
    const sass::matrix_access a{.shape = shape};
    byte_table table;
    for (unsigned k = 0; k < 4; ++k)
      for (unsigned t = 0; t < 32; ++t)
        for (unsigned i = 0; i < 4; ++i) {
          const element e = element_at(a, k, t, i / bytes);
          table.at[128 * k + 4 * t + i] = static_cast<std::uint16_t>(16 * e.row % 512 + bytes * e.column + i % bytes);
        }
    return table;
  };
  static const byte_table tables[] = {make(matrix_shape::m8n8, 2), make(matrix_shape::m8n8_trans, 2),
                                      make(matrix_shape::m16n16_trans, 1), make(matrix_shape::m16n8_trans, 1),
                                      make(matrix_shape::m8n16, 1)};
  switch (f.shape) {
    case matrix_shape::m8n8: return tables[0];
    case matrix_shape::m8n8_trans: return tables[1];
    case matrix_shape::m16n16_trans: return tables[2];
    case matrix_shape::m16n8_trans: return tables[3];
    default: return tables[4];
  }
}

#if defined(__SSE2__)
// Transposes 8 x 8 halves.
void transpose(const __m128i* from, __m128i* to) {
  __m128i pairs[8], fours[8];
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i upper = from[i], lower = from[i + 4];
    pairs[2 * i] = _mm_unpacklo_epi16(upper, lower);
    pairs[2 * i + 1] = _mm_unpackhi_epi16(upper, lower);
  }
  for (unsigned i = 0; i < 4; ++i) {
    fours[2 * i] = _mm_unpacklo_epi16(pairs[i], pairs[i + 4]);
    fours[2 * i + 1] = _mm_unpackhi_epi16(pairs[i], pairs[i + 4]);
  }
  for (unsigned i = 0; i < 4; ++i) {
    to[2 * i] = _mm_unpacklo_epi16(fours[i], fours[i + 4]);
    to[2 * i + 1] = _mm_unpackhi_epi16(fours[i], fours[i + 4]);
  }
}
#endif

// registers_of converts consecutive rows to registers. rows_from converts registers to rows.
void registers_of(const sass::matrix_access& f, const std::byte* rows, u32 (*r)[32]) {
  if (f.shape == matrix_shape::m8n8) {
    std::memcpy(r, rows, 128 * f.matrices);
    return;
  }
#if defined(__SSE2__)
  if (f.shape == matrix_shape::m8n8_trans) {
    for (unsigned k = 0; k < f.matrices; ++k) {
      __m128i from[8], to[8];
      std::memcpy(from, rows + 128 * k, sizeof from);
      transpose(from, to);
      std::memcpy(r[k], to, sizeof to);
    }
    return;
  }
#endif
  const byte_table& table = table_of(f);
  auto* to = reinterpret_cast<std::byte*>(r);
  for (unsigned i = 0; i < 128u * f.matrices; ++i) to[i] = rows[table.at[i]];
}
void rows_from(const sass::matrix_access& f, const u32 (*r)[32], std::byte* rows) {
  // the conversions of these shapes are their own inverse
  if (f.shape == matrix_shape::m8n8 || f.shape == matrix_shape::m8n8_trans) {
    registers_of(f, reinterpret_cast<const std::byte*>(r), reinterpret_cast<u32(*)[32]>(rows));
    return;
  }
  const byte_table& table = table_of(f);
  const auto* from = reinterpret_cast<const std::byte*>(r);
  for (unsigned i = 0; i < 128u * f.matrices; ++i) rows[table.at[i]] = from[i];
}

// Finds the rows in memory. Reports the access, unless it repeats a remembered access.
step find_rows(worker& m, const micro_op& u, access_direction does, operation op, u32 mask, shared_places& at,
               u32& rows) {
  const auto& f = u.as<sass::matrix_access>();
  const u32* address = shared_addresses(m, u, f.address);
  access_memo* const last = memo_of(m, u, address, mask);
  rows = rows_of(f, mask);
  at = {m.block->shared.data(), address};
  if (is_repeated(m, last, address)) {
    ++last->times;
    return step::next;
  }
  make_event(m, u, op, mask, m.p->mask);
  if (find_shared(m, u, does, address, 16, rows, at, m.s->shared_bytes) != step::next) return step::fault;
  // not zero if an address is misaligned or out of bounds; this includes lanes that point to no row
  u32 beyond = 0;
  for (int i = 0; i < 32; ++i)
    beyond |= static_cast<u32>((address[i] & 15) != 0) | static_cast<u32>(address[i] > m.s->shared_bytes - 16);
  if (beyond == 0) remember(m, u, last, op, address, m.s->shared_bytes, row_shape::other);
  return step::next;
}

step ldsm(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::matrix_access>();
  shared_places at;
  u32 rows = 0;
  if (find_rows(m, u, access_direction::read, ldmatrix(f.matrices), mask, at, rows) != step::next) return step::fault;
  if (m.s->leaves_shared) return step::next;
  alignas(64) u32 r[4][32];
  if (is_whole(f, rows)) {
    alignas(64) std::byte whole[512];
    for (unsigned i = 0; i < 8u * f.matrices; ++i) std::memcpy(whole + 16 * i, at[static_cast<int>(i)], 16);
    registers_of(f, whole, r);
  } else {
    std::memset(r, 0, sizeof r);
    each_element(f, rows, [&](unsigned k, unsigned t, unsigned shift, int from, unsigned column) {
      const u32 value = f.element_bits == 16  ? read<std::uint16_t>(at[from] + 2 * column)
                        : f.element_bits == 8 ? read<std::uint8_t>(at[from] + column)
                                              : narrow_element(at[from], f.element_bits, column);
      r[k][t] |= value << shift;
    });
  }
  for (unsigned k = 0; k < f.matrices; ++k) store(m.w->reg(written_row(f.data, k)), r[k], mask);
  return step::next;
}
step stsm(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::matrix_access>();
  shared_places at;
  u32 rows = 0;
  if (find_rows(m, u, access_direction::write, stmatrix(f.matrices), mask, at, rows) != step::next) return step::fault;
  if (m.s->leaves_shared) return step::next;
  alignas(64) u32 data[4][32];
  for (unsigned k = 0; k < f.matrices; ++k) std::memcpy(data[k], data_row(m, f.data, k), sizeof(row));
  if (is_whole(f, rows)) {
    alignas(64) std::byte whole[512];
    rows_from(f, data, whole);
    for (unsigned i = 0; i < 8u * f.matrices; ++i) std::memcpy(at[static_cast<int>(i)], whole + 16 * i, 16);
    return step::next;
  }
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
