// tcgen05.cp (UTCCP) copies from shared memory to tensor memory. tcgen05.shift (UTCSHIFT) moves rows within tensor
// memory.
//
//     .128x256b              row r to lane r, 8 columns
//     .128x128b              4 columns
//     .4x256b                row r to lane 32 r
//     .64x128b.warpx2::02_13 row r to lanes r and r + 64
//     .64x128b.warpx2::01_23 row r to lane r % 32 + r / 32 * 64, and 32 lanes further
//     .32x128b.warpx4        row r to lanes r, r + 32, r + 64 and r + 96
//
// With .cta_group::2, each block of the pair copies from its own shared memory. Numbers of 4 and 6 bits become bytes.
// In shared memory, 16 numbers are packed at the beginning of 16 bytes. A 6-bit number is in the low bits of its byte.
// A 4-bit number is in bits 2 to 5 (assumed, because CUTLASS does this for mma.sync).
#include "emulate/execute/past_the_end.hpp"
#include "emulate/execute/tensor_memory/cells.hpp"
#include "emulate/execute/tensor_memory/shared_matrix.hpp"
#include "emulate/execute/tensor_memory/tensor_numbers.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

using copy_form = sass::tensor_copy_form;

struct copied_rows {
  unsigned rows, pieces, copies;
};
copied_rows rows_of_copy(copy_form f) {
  switch (f) {
    case copy_form::m128x256: return {128, 2, 1};
    case copy_form::m128x128: return {128, 1, 1};
    case copy_form::m4x256: return {4, 2, 1};
    case copy_form::m32_all: return {32, 1, 4};
    default: return {64, 1, 2};
  }
}
unsigned lane_of_copy(copy_form f, unsigned row, unsigned copy) {
  switch (f) {
    case copy_form::m4x256: return 32 * row;
    case copy_form::m64_01_23: return row % 32 + row / 32 * 64 + 32 * copy;
    case copy_form::m64_02_13: return row + 64 * copy;
    default: return row + 32 * copy;
  }
}

void make_bytes(const unsigned char* from, unsigned bits, unsigned char* to) {
  if (bits == 8) {
    std::memcpy(to, from, tensor_piece);
    return;
  }
  for (unsigned i = 0; i < tensor_piece; ++i) {
    const unsigned x = packed_number(from, bits, i);
    to[i] = static_cast<unsigned char>(bits == 4 ? x << 2 : x);
  }
}

// Copies rows from shared memory to the lanes of the block's tensor memory. Returns false after a fault.
bool fill_lanes(worker& m, const sass::tensor_fill& f, block_state& block, tensor_address to,
                async_event::range& extent) {
  const copied_rows c = rows_of_copy(f.form);
  if (!has_columns(m, block, to.column, c.pieces * 4, "tcgen05.cp writes")) return false;
  const shared_matrix from(join(uniform_word(m, f.descriptor), uniform_word(m, f.descriptor, 1)), &block);
  if (!from.is_known()) {
    m.fail(formatted("the matrix descriptor of tcgen05.cp has the layout type {} (bits 61-63), which does not exist",
                     from.layout),
           -1, layout_type_hint);
    return false;
  }
  if (from.absolute) {
    m.fail("the matrix descriptor of tcgen05.cp has an absolute leading address (bit 52), which tcgen05.cp cannot use",
           -1,
           "clear bit 52 of the matrix descriptor. Only tcgen05.mma with K = 96 can use an absolute leading address");
    return false;
  }
  for (unsigned row = 0; row < c.rows; ++row)
    for (unsigned part = 0; part < c.pieces; ++part) {
      const u32 address = from.row(row, part) & 0x3ffff;
      const unsigned char* const bytes = shared_piece(m, from, address, "tcgen05.cp reads");
      if (bytes == nullptr) return false;
      extent = {std::min(extent.begin, address), std::max(extent.end, address + tensor_piece)};
      if (m.s->leaves_tensors) continue;
      unsigned char made[tensor_piece];
      make_bytes(bytes, f.element_bits, made);
      for (unsigned copy = 0; copy < c.copies; ++copy) {
        const unsigned lane = to.lane + lane_of_copy(f.form, row, copy);
        if (lane >= tensor_memory::lanes) {
          m.fail(fault_kind::illegal_address, formatted("tcgen05.cp writes lane {} of tensor memory", lane), -1,
                 "tensor memory has only lanes 0 to 127");
          return false;
        }
        std::memcpy(block.tensors.lane(lane) + to.column + 4 * part, made, tensor_piece);
      }
    }
  return true;
}

step utccp(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::tensor_fill>();
  const copied_rows c = rows_of_copy(f.form);
  const u64 bytes = u64{c.rows} * c.pieces * tensor_piece * (f.pair ? 2 : 1);
  async_event::range extent{~0u, 0};
  if (mask != 0) {
    block_state* const peer = f.pair ? peer_of(m, "tcgen05.cp") : nullptr;
    if (f.pair && peer == nullptr) return step::fault;
    const tensor_address to = tensor_address_of(m, f.to);
    if (!fill_lanes(m, f, *m.block, to, extent)) return step::fault;
    async_event::range other{~0u, 0};
    if (peer != nullptr && !fill_lanes(m, f, *peer, to, other)) return step::fault;
  }
  m.tell(u, mask, tensor_fill(mask != 0 ? bytes : 0), mask != 0 ? extent : async_event::range{});
  return step::next;
}

// Moves 32 bytes of each row by one lane, in both blocks of a pair.
step utcshift(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0 || m.s->leaves_tensors) return step::next;
  const auto& f = u.as<sass::tensor_shift>();
  block_state* const peer = f.pair ? peer_of(m, "tcgen05.shift") : nullptr;
  if (f.pair && peer == nullptr) return step::fault;
  const tensor_address at = tensor_address_of(m, f.at);
  constexpr u32 columns = 8;
  if (at.lane % 32 != 0 || at.lane >= tensor_memory::lanes)
    return m.fail(fault_kind::illegal_address, formatted("tcgen05.shift begins at lane {}", at.lane), -1,
                  "the first lane must be 0, 32, 64 or 96");
  for (block_state* const b : {m.block, peer}) {
    if (b == nullptr) continue;
    if (!has_columns(m, *b, at.column, columns, "tcgen05.shift moves")) return step::fault;
    shift_rows(b->tensors, at.lane, at.column, columns);
  }
  return step::next;
}

}  // namespace

void add_tensor_fills(handler_table& t) {
  t[static_cast<std::size_t>(sass::opcode::UTCCP)] = noting_ends<utccp>;
  t[static_cast<std::size_t>(sass::opcode::UTCSHIFT)] = utcshift;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
