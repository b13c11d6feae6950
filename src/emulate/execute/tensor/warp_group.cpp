// wgmma: D = A B + D for a warp group of four warps. A has 64 rows and K columns, B has K rows and N columns. Each warp
// computes 16 rows.
//
// A is in shared memory or in registers. B is in shared memory. A descriptor contains the position in shared memory:
//
//     63 62     51 49    45 ... 32      29 ... 16       13 ... 0
//     swizzle   base     stride / 16    leading / 16    start / 16
//     0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes
//
// A core matrix consists of 8 rows of 16 bytes. W is the number of bytes of the swizzle. Byte b (0-31) of row r of a
// K-major operand has this address before the swizzle:
//
//     none     start + r / 8 * stride + b / 16 * leading + r % 8 * 16 + b % 16
//     W        start + r / 8 * stride + r % 8 * W + b
//
// A row of a sparse A stores as many bytes as a row of a dense A. So a column of B has twice as many bytes: 64. The
// bytes that do not fit into W are at the distance `leading`. sparse_rows.hpp selects the element of B for each element
// of A. As for mma, a register contains the metadata of a warp's rows.
//
// Operands of 16-bit numbers can be transposed (.tnspA, .tnspB). For a transposed operand, k is the row of a core
// matrix, and r runs along the 16 bytes. The swizzle xors bits 4 to 6 of the address with bits 7 to 9 minus the base
// offset. If W is 64, the swizzle changes only bits 4 and 5. If W is 32, the swizzle changes only bit 4. Facts that are
// not in the PTX manual were measured: data/sm_90/wgmma.bin.zst.
#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>

#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/execute/past_the_end.hpp"
#include "emulate/execute/tensor/fragment_products.hpp"
#include "emulate/execute/tensor/sparse_rows.hpp"
#include "emulate/execute/tensor/tensor_core.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

constexpr unsigned row_bytes = 32, most_bytes = 64, warp_rows = 16, most_n = 256;
constexpr u32 address_mask = 0x3ffff;

struct descriptor {
  u32 start, leading, stride, base, swizzle;
  explicit descriptor(u64 d)
      : start(static_cast<u32>(d & 0x3fff) << 4),
        leading(static_cast<u32>(d >> 16 & 0x3fff) << 4),
        stride(static_cast<u32>(d >> 32 & 0x3fff) << 4),
        base(static_cast<u32>(d >> 49 & 7)),
        swizzle(static_cast<u32>(d >> 62)) {}

  u32 width() const { return swizzle == 0 ? 16 : 256u >> swizzle; }
  u32 swizzled(u32 address) const { return address ^ (((address >> 7) - base) & (width() / 16 - 1)) << 4; }
  // The address of the 16 bytes of row r that begin at byte 16 * part.
  u32 row(u32 r, u32 part) const {
    const u32 pieces = width() / 16, inside = part / pieces * leading + part % pieces * 16;
    return swizzled(start + r / 8 * stride + r % 8 * width() + inside);
  }
  // For a transposed operand: the address of the 16 bytes at k that contain the rows from r on. r must be a multiple of
  // 8.
  u32 column(u32 r, u32 k) const {
    const u32 pieces = width() / 16;  // number of adjacent pieces of 16 bytes in a row of the swizzle
    const u32 across = swizzle == 0 ? stride : leading, down = swizzle == 0 ? leading : stride;
    return swizzled(start + r / 8 % pieces * 16 + r / 8 / pieces * across + k % 8 * width() + k / 8 * down);
  }
};

step refuse_selector(worker& m) {
  return m.fail("executes wgmma with a sparsity selector that is not valid for the types of A and B", -1,
                "the PTX manual lists the selectors of each type in the section on wgmma.mma_async.sp");
}

// The bytes of an operand, row by row, in the order of k.
struct operand_bytes {
  unsigned char at[most_n][most_bytes];
};

const unsigned char* shared_16(worker& m, u32 address) {
  address &= address_mask;
  if (address > m.s->shared_end || m.s->shared_end - address < 16) {
    m.fail(fault_kind::illegal_address,
           formatted("wgmma reads a matrix at shared address 0x{}, but the block has {} bytes of shared memory",
                     hex(address), grouped(m.s->shared_bytes)),
           -1, "check the descriptor's start, leading and stride byte offsets");
    return nullptr;
  }
  if (m.s->shared_bytes < address + 16)
    m.past.add(std::countr_zero(m.p->mask), access_direction::read, address | m.block->rank << rank_shift, 16);
  return reinterpret_cast<const unsigned char*>(m.block->shared.data()) + address;
}

// The part of an operand in shared memory that a warp reads: `rows` rows of `bytes` bytes.
struct operand_part {
  descriptor at;
  bool transposed;
  unsigned first, rows, bytes;

  // Calls f(address, row, part) for each 16 bytes, or for a transposed operand f(address, row, k), until f returns false.
  template <class F>
  bool each_16(F f) const {
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned part = 0; part < bytes / 16 && !transposed; ++part)
        if (!f(at.row(first + r, part), r, part)) return false;
    for (unsigned k = 0; k < bytes / 2 && transposed; ++k)
      for (unsigned r = 0; r < rows; r += 8)
        if (!f(at.column(first + r, k), r, k)) return false;
    return true;
  }
};

// Loads an operand from shared memory. Sets `extent` to the range of the read bytes.
bool load(worker& m, const operand_part& p, operand_bytes& out, async_event::range& extent) {
  return p.each_16([&](u32 address, unsigned r, unsigned k) {
    const unsigned char* at = shared_16(m, address);
    if (at == nullptr) return false;
    address &= address_mask;
    extent.begin = std::min(extent.begin, address);
    extent.end = std::max(extent.end, address + 16);
    if (!p.transposed) std::memcpy(out.at[r] + 16 * k, at, 16);
    for (unsigned i = 0; i < 8 && p.transposed; ++i) std::memcpy(out.at[r + i] + 2 * k, at + 2 * i, 2);
    return true;
  });
}

bool tells_products(const worker& m) { return m.order != nullptr && m.s->l->tells_all_order; }

// Reports the bytes of an operand. Adjacent bytes are one event.
void tell_reads(worker& m, const micro_op& u, const operand_part& p) {
  std::array<u32, most_n * most_bytes / 16> all;
  std::size_t count = 0;
  p.each_16([&](u32 address, unsigned, unsigned) {
    all[count++] = address & address_mask;
    return true;
  });
  std::sort(all.begin(), all.begin() + count);
  for (std::size_t i = 0, next = 0; i < count; i = next) {
    u32 end = all[i] + 16;
    for (next = i + 1; next < count && all[next] <= end; ++next) end = all[next] + 16;
    m.order->on_order({order_kind::product_read, m.w->id, m.p->mask, all[i], end - all[i], m.pc_of(u)});
  }
}

// Register i of lane t contains 4 bytes of row t / 4 + 8 (i % 2), from byte 16 (i / 2) + 4 (t % 4) on.
void load_registers(worker& m, unsigned first, operand_bytes& out) {
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned t = 0; t < 32; ++t)
      std::memcpy(out.at[t / 4 + 8 * (i % 2)] + 16 * (i / 2) + 4 * (t % 4), operand_row(m, first, i) + t, 4);
}

u64 descriptor_at(worker& m, unsigned uniform) {
  const auto word = [&](unsigned k) { return m.w->uniform[std::min(uniform + k, sass::uniform_register_zero)]; };
  return join(word(0), word(1));
}

async_operation operation_of(const micro_op& u) {
  const auto& f = u.as<sass::group_product>();
  return wgmma(f.columns, f.a_in_shared, f.sparse);
}

// Loads A and B, and reports these accesses. Returns false after a fault.
bool load_operands(worker& m, const micro_op& u, u32 mask, unsigned n, operand_bytes& a, operand_bytes& b) {
  ++m.w->group_products;
  const async_operation op = operation_of(u);
  const auto& f = u.as<sass::group_product>();
  const unsigned desc = f.descriptors;
  const operand_part of_a{descriptor(descriptor_at(m, desc)), f.a_transposed, m.w->id % 4 * warp_rows, warp_rows,
                          row_bytes},
      of_b{descriptor(descriptor_at(m, desc + 2)), f.b_transposed, 0, n, op.k_bytes};
  async_event::range in_a{~0u, 0}, in_b{~0u, 0};
  if (!op.a_in_shared)
    load_registers(m, f.a, a);
  else if (!load(m, of_a, a, in_a))
    return false;
  if (!load(m, of_b, b, in_b)) return false;
  m.tell(u, mask, op, op.a_in_shared ? in_a : async_event::range{}, in_b);
  if (tells_products(m)) {
    if (op.a_in_shared) tell_reads(m, u, of_a);
    tell_reads(m, u, of_b);
    constexpr unsigned ends_no_group = 7;
    if (m.section->instruction_at(u.index).bits(84, 3) != ends_no_group) m.tell(order_kind::product_end, mask);
  }
  return true;
}

// Returns whether any lane takes part in the product. If not, reports an operation without effect.
bool takes_part(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) m.tell(u, mask, operation_of(u));
  return mask != 0;
}

// Whether the product is added to D. If not, the product replaces D.
bool adds_c(worker& m, const micro_op& u) {
  const auto& f = u.as<sass::group_product>();
  return m.uniform_predicate(f.predicate, f.predicate_negated ? ~0u : 0);
}

double decode(number kind, const unsigned char* row, unsigned i) {
  const auto half = static_cast<std::uint16_t>(row[2 * i % most_bytes] | row[(2 * i + 1) % most_bytes] << 8);
  switch (kind) {
    case number::f16: return float_of_half(half);
    case number::bf16: return float_of_bfloat16(half);
    case number::tf32: {
      u32 word = 0;
      std::memcpy(&word, row + 4 * i, 4);
      return float_of_bits(word & 0xffffe000u);
    }
    case number::e5m2: return float_of_e5m2(row[i % most_bytes]);
    case number::e4m3: return float_of_e4m3(row[i % most_bytes]);
  }
  return 0;
}

sass::tensor_shape shape_of(const sass::group_product& g, unsigned element_bits) {
  return {warp_rows, (g.sparse ? most_bytes : row_bytes) * 8 / element_bits, element_bits, 32, g.sparse};
}
// Whether the selector is valid. The selector chooses the lanes with the metadata of a row: one, two or all four of the
// row's lanes.
bool selects_lanes(const sass::group_product& g, const sass::tensor_shape& s) {
  return !g.sparse || (g.selector + 1) * s.metadata_lanes() <= 4;
}
rows_met rows_of(worker& m, const sass::group_product& g, const sass::tensor_shape& s) {
  return {s, g.sparse ? operand_row(m, g.metadata, 0) : nullptr, g.selector};
}

// The numbers of one column of B by which one row of a sparse A is multiplied.
struct met_column {
  double at[most_bytes];
  i32 exponent[most_bytes];
  bool finite = true;
  met_column(number kind, const unsigned char* column, const std::uint8_t* met, unsigned count, double sign) {
    u32 words[most_bytes / 4];
    std::memcpy(words, column, most_bytes);
    for (unsigned k = 0; k < count; ++k) {
      if (kind == number::tf32) {
        const u32 word = of_halves(words, met + 2 * k);
        at[k] = decode(kind, reinterpret_cast<const unsigned char*>(&word), 0) * sign;
      } else {
        at[k] = decode(kind, column, met[k]) * sign;
      }
    }
    finite = measure(at, exponent, count, -1022) < 1024;
  }
};

// The object is on the heap. A thread_local array would take space in every thread of a program that loads the library.
struct group_operands {
  operand_bytes a, b;
  float_fragments floats;
};
group_operands& operands_of_thread() {
  static thread_local std::unique_ptr<group_operands> kept;
  if (kept == nullptr) kept = std::make_unique<group_operands>();
  return *kept;
}

// The operands of a product, and how its terms are added.
struct group_floats {
  const sass::group_product& g;
  number a_kind, b_kind;
  bool to_f32, adds;
  unsigned k;  // number of products that are added at a time
  const rows_met& met;
  bool is_short() const { return k == row_bytes; }
};

// The number of registers that hold a tile's sums.
unsigned registers_of_tile(const group_floats& p) { return p.to_f32 ? 4 : 2; }

void read_a(const group_floats& p, const operand_bytes& a, float_fragments& f) {
  const double sign = p.g.negates_a ? -1 : 1;
  f.finite = true;
  for (unsigned r = 0; r < warp_rows; ++r)
    for (unsigned i = 0; i < p.k; ++i) f.a[r * most_k + i] = decode(p.a_kind, a.at[r], i) * sign;
  measure(f.a, f.a_exponent, warp_rows, p.k, f.finite);
}
// Computes columns 8 * tile to 8 * tile + 7 of D, number by number. `f` contains A.
void multiply_tile(worker& m, const group_floats& p, const operand_bytes& b, float_fragments& f, unsigned tile,
                   u32 mask) {
  const sass::group_product& g = p.g;
  const int kept = p.is_short() ? 13 : 25;
  const double sign = g.negates_b ? -1 : 1;
  const bool a_finite = f.finite;
  for (unsigned c = 0; c < 8 && !g.sparse; ++c)
    for (unsigned i = 0; i < p.k; ++i) f.b[c * most_k + i] = decode(p.b_kind, b.at[tile * 8 + c], i) * sign;
  if (!g.sparse) measure(f.b, f.b_exponent, 8, p.k, f.finite);
  const auto sum = [&](unsigned row, unsigned column, double c) {
    if (!g.sparse) return fused_sum(f, row, column, p.k, c, kept);
    const met_column y(p.b_kind, b.at[tile * 8 + column], p.met.at[row], p.k, sign);
    return fused_sum(f.a + row * most_k, f.a_exponent + row * most_k, y.at, y.exponent, p.k, f.finite && y.finite, c,
                     kept);
  };
  u32 r[4][32] = {};
  for (unsigned i = 0; i < 4; ++i) {
    const u32* c_row = operand_row(m, g.c, p.to_f32 ? tile * 4 + i : tile * 2 + i / 2);
    for (unsigned t = 0; t < 32; ++t) {
      const unsigned row = t / 4 + 8 * (i / 2), column = 2 * (t % 4) + i % 2;
      if (p.to_f32) {
        const double d = sum(row, column, p.adds ? float_of_bits(c_row[t]) : 0);
        r[i][t] = p.is_short() ? cut_to_short_float(d) : cut_to_float(d);
      } else {
        const float c = float_of_half(static_cast<std::uint16_t>(c_row[t] >> 16 * (i % 2)));
        r[i / 2][t] |= static_cast<u32>(half_of_double(sum(row, column, p.adds ? c : 0))) << 16 * (i % 2);
      }
    }
  }
  for (unsigned i = 0; i < registers_of_tile(p); ++i)
    store(m.w->reg(written_row(g.result, tile * registers_of_tile(p) + i)), r[i], mask);
  f.finite = a_finite;
}

#if defined(BANKWISE_TENSOR_VECTORS)
// Rows of core matrices. In each part of 16 bytes, the rows follow each other without gaps.
struct core_rows {
  alignas(64) unsigned char at[most_bytes / 16][warp_rows][16];
  core_rows(const operand_bytes& from, unsigned first, unsigned rows, unsigned bytes) {
    for (unsigned part = 0; part < bytes / 16; ++part)
      for (unsigned row = 0; row < rows; ++row) std::memcpy(at[part][row], from.at[first + row] + 16 * part, 16);
  }
  // These functions return the core matrices of A and of B.
  auto as_rows() const {
    return [this](unsigned half, unsigned part) -> const void* { return at[part][8 * half]; };
  }
  auto as_columns() const {
    return [this](unsigned part) -> const void* { return at[part]; };
  }
};

// Computes tiles of D with vector instructions. A tile has eight columns. Returns the number of the first tile that
// could not be computed.
template <number a_kind, number b_kind>
unsigned multiply_tiles(worker& m, const group_floats& p, const float_rows& a, const operand_bytes& b, unsigned tile,
                        u32 mask) {
  const sass::group_product& g = p.g;
  const unsigned bytes = g.sparse ? most_bytes : row_bytes, registers = registers_of_tile(p);
  const sum_rule rule = p.is_short() ? sum_rule{p.k, 13, true} : sum_rule{p.k};
  for (; tile < g.columns / 8u; ++tile) {
    const auto c = [&](unsigned i) { return operand_row(m, g.c, tile * registers + i); };
    float_sums s;
    if (!p.adds)
      std::memset(s.at, 0, sizeof s.at);
    else
      p.to_f32 ? load_float_sums(c, s) : load_half_sums(c, s);
    const core_rows columns(b, tile * 8, 8, bytes);
    if (!read_b_and_add<a_kind, b_kind, true>(a, columns.as_columns(), bytes / 16, p.k, g.sparse ? &p.met : nullptr,
                                              g.negates_b, rule, !p.to_f32, s))
      return tile;
    u32 r[4][32];
    p.to_f32 ? save_float_sums(s, r) : save_half_sums(s, r);
    for (unsigned i = 0; i < registers; ++i) store(m.w->reg(written_row(g.result, tile * registers + i)), r[i], mask);
  }
  return tile;
}
template <number a_kind, number b_kind>
void multiply_in_vectors(worker& m, const group_floats& p, const operand_bytes& a, const operand_bytes& b,
                         float_fragments& f, u32 mask) {
  float_rows rows;
  const core_rows cores(a, 0, warp_rows, row_bytes);
  const bool fits = read_rows<a_kind, true>(cores.as_rows(), row_bytes / 16, p.g.negates_a, rows);
  bool is_read = false;
  for (unsigned tile = 0; tile < p.g.columns / 8u; ++tile) {
    if (fits) tile = multiply_tiles<a_kind, b_kind>(m, p, rows, b, tile, mask);
    if (tile == p.g.columns / 8u) break;
    if (!is_read) read_a(p, a, f);
    is_read = true;
    multiply_tile(m, p, b, f, tile, mask);
  }
}
#endif

void multiply_all(worker& m, const group_floats& p, const operand_bytes& a, const operand_bytes& b, float_fragments& f,
                  u32 mask) {
#if defined(BANKWISE_TENSOR_VECTORS)
  constexpr number e4m3 = number::e4m3, e5m2 = number::e5m2;
  switch (p.a_kind) {
    case number::f16: return multiply_in_vectors<number::f16, number::f16>(m, p, a, b, f, mask);
    case number::bf16: return multiply_in_vectors<number::bf16, number::bf16>(m, p, a, b, f, mask);
    case number::tf32: return multiply_in_vectors<number::tf32, number::tf32>(m, p, a, b, f, mask);
    case number::e4m3:
      return p.b_kind == e4m3 ? multiply_in_vectors<e4m3, e4m3>(m, p, a, b, f, mask)
                              : multiply_in_vectors<e4m3, e5m2>(m, p, a, b, f, mask);
    case number::e5m2:
      return p.b_kind == e4m3 ? multiply_in_vectors<e5m2, e4m3>(m, p, a, b, f, mask)
                              : multiply_in_vectors<e5m2, e5m2>(m, p, a, b, f, mask);
  }
#else
  read_a(p, a, f);
  for (unsigned tile = 0; tile < p.g.columns / 8u; ++tile) multiply_tile(m, p, b, f, tile, mask);
#endif
}

// Computes D tile by tile. `to_f32`: whether C and D are floats instead of pairs of halves.
step multiply_floats(worker& m, const micro_op& u, u32 mask, number a_kind, number b_kind, bool to_f32) {
  group_operands& own = operands_of_thread();
  operand_bytes &a = own.a, &b = own.b;
  float_fragments& f = own.floats;
  const auto& g = u.as<sass::group_product>();
  if (!load_operands(m, u, mask, g.columns, a, b)) return step::fault;
  const unsigned k = a_kind == number::tf32 ? 8 : a_kind == number::e4m3 || a_kind == number::e5m2 ? 32 : 16;
  const sass::tensor_shape shape = shape_of(g, row_bytes * 8 / k);
  if (!selects_lanes(g, shape)) return refuse_selector(m);
  const rows_met met = rows_of(m, g, shape);
  multiply_all(m, {g, a_kind, b_kind, to_f32, adds_c(m, u), k, met}, a, b, f, mask);
  return step::next;
}

step hgmma(worker& m, const micro_op& u, u32 mask) {
  if (!takes_part(m, u, mask)) return step::next;
  const auto& g = u.as<sass::group_product>();
  const number kind = g.numbers == sass::product_number::f16    ? number::f16
                      : g.numbers == sass::product_number::bf16 ? number::bf16
                                                                : number::tf32;
  return multiply_floats(m, u, mask, kind, kind, g.to_f32);
}

step qgmma(worker& m, const micro_op& u, u32 mask) {
  if (!takes_part(m, u, mask)) return step::next;
  const auto& g = u.as<sass::group_product>();
  const auto kind = [](bool e5m2) { return e5m2 ? number::e5m2 : number::e4m3; };
  return multiply_floats(m, u, mask, kind(g.a_e5m2), kind(g.b_e5m2), g.to_f32);
}

// The operands of a product of integers (IGMMA) or of single bits (BGMMA).
struct group_integers {
  const sass::group_product& g;
  bool adds, a_signed, b_signed;
  const rows_met& met;
};
#if defined(BANKWISE_TENSOR_VECTORS)
template <integer_form form, class Product>
void multiply_in_vectors(worker& m, const group_integers& p, const operand_bytes& a, const operand_bytes& b, u32 mask) {
  constexpr unsigned words = row_bytes / 16 * 4 * fours_of(form);
  const sass::group_product& g = p.g;
  const unsigned bytes = g.sparse ? most_bytes : row_bytes;
  integer_rows rows;
  const core_rows cores(a, 0, warp_rows, row_bytes);
  read_integers<form>(cores.as_rows(), warp_rows, row_bytes / 16, p.a_signed, rows);
  for (unsigned tile = 0; tile < g.columns / 8u; ++tile) {
    integer_columns columns;
    integer_sums s;
    const core_rows of_b(b, 8 * tile, 8, bytes);
    read_integer_columns<form>(of_b.as_columns(), bytes / 16, p.b_signed, columns);
    if (p.adds)
      load_integer_sums([&](unsigned i) { return operand_row(m, g.c, 4 * tile + i); }, warp_rows, s);
    else
      std::memset(s.at, 0, sizeof s.at);
    if (g.sparse) {
      met_integers chosen;
      choose_integers(columns, p.met.at, 2 * words, chosen);
      add_integers<Product>(rows, chosen, warp_rows, words, g.saturates, s);
    } else {
      add_integers<Product>(rows, columns, warp_rows, words, g.saturates, s);
    }
    save_integer_sums(
        s, warp_rows, [&](unsigned i) { return m.w->reg(written_row(g.result, 4 * tile + i)); }, mask);
  }
}
#endif

template <integer_form form, class Product>
step multiply_integers(worker& m, const micro_op& u, u32 mask, bool a_signed, bool b_signed, Product product) {
  group_operands& own = operands_of_thread();
  operand_bytes &a = own.a, &b = own.b;
  const auto& g = u.as<sass::group_product>();
  const unsigned n = g.columns;
  if (!load_operands(m, u, mask, n, a, b)) return step::fault;
  const bool adds = adds_c(m, u);
  const sass::tensor_shape shape = shape_of(g, 8);
  if (!selects_lanes(g, shape)) return refuse_selector(m);
  const rows_met met = rows_of(m, g, shape);
#if defined(BANKWISE_TENSOR_VECTORS)
  using in_vectors = std::conditional_t<form == integer_form::bits, bits_in_common<false>, pairs_of_halves>;
  multiply_in_vectors<form, in_vectors>(m, {g, adds, a_signed, b_signed, met}, a, b, mask);
  (void)product;
#else
  (void)a_signed, (void)b_signed;
  for (unsigned i = 0; i < n / 2; ++i) {
    const u32* c_row = operand_row(m, g.c, i);
    u32 r[32];
    for (unsigned t = 0; t < 32; ++t) {
      const unsigned r_of_a = t / 4 + 8 * (i / 2 % 2);
      const unsigned char* row = a.at[r_of_a];
      const unsigned char* column = b.at[8 * (i / 4) + 2 * (t % 4) + i % 2];
      i64 sum = adds ? static_cast<i32>(c_row[t]) : 0;
      for (unsigned k = 0; k < row_bytes; ++k) sum += product(row[k], column[met.at[r_of_a][k]]);
      if (g.saturates) sum = std::clamp<i64>(sum, INT32_MIN, INT32_MAX);
      r[t] = static_cast<u32>(sum);
    }
    store(m.w->reg(written_row(g.result, i)), r, mask);
  }
#endif
  return step::next;
}

step igmma(worker& m, const micro_op& u, u32 mask) {
  if (!takes_part(m, u, mask)) return step::next;
  const auto value = [](unsigned char x, bool is_signed) { return is_signed ? static_cast<std::int8_t>(x) : i32{x}; };
  const auto& g = u.as<sass::group_product>();
  const bool a_signed = g.a_signed, b_signed = g.b_signed;
  return multiply_integers<integer_form::bytes>(m, u, mask, a_signed, b_signed, [=](unsigned char x, unsigned char y) {
    return value(x, a_signed) * value(y, b_signed);
  });
}

step bgmma(worker& m, const micro_op& u, u32 mask) {
  if (!takes_part(m, u, mask)) return step::next;
  return multiply_integers<integer_form::bits>(m, u, mask, false, false, [](unsigned char x, unsigned char y) {
    return std::popcount(static_cast<u32>(x & y));
  });
}

// On an H100, the first product starts after all four warps have arrived, so the product sees the stores of a late
// warp. No product ends before all warps have read their operands. In bankwise, a product is computed at once. So the
// four warps wait for each other before the first product, and again at the instruction that waits for the last
// product.
step begin_or_wait(worker& m, const micro_op& u, u32 mask) {
  const auto& [what, pending] = u.as<sass::group_meeting>();
  if (what == sass::group_step::wait_for_products && tells_products(m)) m.tell(order_kind::product_wait, mask, pending);
  if (what == sass::group_step::wait) return step::next;
  if (what == sass::group_step::arrive && mask == m.w->alive) ++m.w->group_arrivals;
  return meet_group(m, u, mask);
}

}  // namespace

void add_warp_group(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::HGMMA, noting_ends<hgmma>);
  set(op::QGMMA, noting_ends<qgmma>);
  set(op::IGMMA, noting_ends<igmma>);
  set(op::BGMMA, noting_ends<bgmma>);
  set(op::WARPGROUP, begin_or_wait);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
