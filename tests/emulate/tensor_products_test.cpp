// Compares the vectorised products of tensor cores (AVX2 and AVX-512) bit for bit with products that are computed
// number by number. Operands are random, of every kind and shape. emulate_probe_test compares with a GPU.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "emulate/block/block_state.hpp"
#include "emulate/block/worker.hpp"
#include "emulate/code/handler_table.hpp"

namespace bankwise::emulate {
namespace {

using sass::opcode;
using u32 = std::uint32_t;
using random_numbers = std::mt19937_64;

// The storage format of a small float: the number of bits of the exponent and of the fraction. The sign is above these
// bits.
struct format {
  unsigned exponent_bits, fraction_bits;
  unsigned bits() const { return 1 + exponent_bits + fraction_bits; }
};
constexpr format half{5, 10}, bfloat16{8, 7}, single{8, 23}, real{11, 52}, e4m3{4, 3}, e5m2{5, 2};

bool is_e5m2(const format& f) { return f.exponent_bits == e5m2.exponent_bits && f.fraction_bits == e5m2.fraction_bits; }

// Determines how the operands of a product are chosen.
enum class mood : std::uint8_t { any, near, apart, whole, small, full, special, cancel };
constexpr unsigned moods = 8;

std::uint64_t number(const format& f, mood is, random_numbers& next) {
  const std::uint64_t most = (std::uint64_t{1} << f.exponent_bits) - 1, bias = most / 2;
  const std::uint64_t sign = next() % 2 << (f.bits() - 1);
  std::uint64_t fraction = next() & ((std::uint64_t{1} << f.fraction_bits) - 1), exponent = bias;
  if (f.exponent_bits == 0) return next() >> (64 - f.bits());
  switch (is) {
    case mood::any: return next() >> (64 - f.bits());
    case mood::near:
    case mood::cancel: exponent = bias - 2 + next() % 5; break;
    case mood::apart: exponent = next() % most; break;
    case mood::whole:  // numbers with few bits, sometimes zero
      if (next() % 4 == 0) return sign;
      fraction &= std::uint64_t{3} << (f.fraction_bits - 2);
      exponent = bias + next() % 2;
      break;
    case mood::small: exponent = next() % 8 == 0 ? 1 : 0; break;
    case mood::full:  // the largest fraction, with the same exponent and sign
      return bias << f.fraction_bits | ((std::uint64_t{1} << f.fraction_bits) - 1);
    case mood::special: {
      const std::uint64_t chosen = next() % 16;
      if (chosen == 0) return sign | most << f.fraction_bits;
      if (chosen == 1) return sign | most << f.fraction_bits | fraction;
      if (chosen == 2) return sign | ((most << f.fraction_bits) - 1);
      if (chosen == 3) return sign;
      exponent = chosen == 4 ? 0 : bias - 1 + next() % 3;
      break;
    }
  }
  return sign | exponent << f.fraction_bits | fraction;
}

// Fills the lanes of a register with numbers in one format. A few numbers are special values.
void fill(u32 (&lanes)[32], const format& f, mood is, random_numbers& next) {
  for (u32& lane : lanes) {
    lane = 0;
    for (unsigned at = 0; at < 32; at += f.bits()) lane |= static_cast<u32>(number(f, is, next) << at);
  }
}

constexpr unsigned a_at = 0, b_at = 8, c_at = 16, d_at = 24, metadata_at = 40;

constexpr auto f16 = sass::product_number::f16, bf16 = sass::product_number::bf16, tf32 = sass::product_number::tf32;

struct product_case {
  const char* name;
  opcode op;
  sass::tensor_shape shape;
  format a, b, c;
  sass::product_number numbers = f16;
  bool short_sums = false;
};
constexpr format integers{0, 31};  // any bits
const product_case products[] = {
    {"f16, f32", opcode::HMMA, {16, 16, 16, 32}, half, half, single},
    {"f16, f16", opcode::HMMA, {16, 16, 16, 16}, half, half, half},
    {"f16, f32, k 8", opcode::HMMA, {16, 8, 16, 32}, half, half, single},
    {"f16, f16, k 8", opcode::HMMA, {16, 8, 16, 16}, half, half, half},
    {"bf16", opcode::HMMA, {16, 16, 16, 32}, bfloat16, bfloat16, single, bf16},
    {"bf16, k 8", opcode::HMMA, {16, 8, 16, 32}, bfloat16, bfloat16, single, bf16},
    {"tf32", opcode::HMMA, {16, 8, 32, 32}, single, single, single, tf32},
    {"tf32, k 4", opcode::HMMA, {16, 4, 32, 32}, single, single, single, tf32},
    {"sparse f16, f32", opcode::HMMA, {16, 32, 16, 32, true}, half, half, single},
    {"sparse f16, f16", opcode::HMMA, {16, 32, 16, 16, true}, half, half, half},
    {"sparse f16, k 16", opcode::HMMA, {16, 16, 16, 32, true}, half, half, single},
    {"sparse bf16", opcode::HMMA, {16, 32, 16, 32, true}, bfloat16, bfloat16, single, bf16},
    {"sparse tf32", opcode::HMMA, {16, 16, 32, 32, true}, single, single, single, tf32},
    {"sparse tf32, k 8", opcode::HMMA, {16, 8, 32, 32, true}, single, single, single, tf32},
    {"e4m3, f32", opcode::QMMA, {16, 32, 8, 32}, e4m3, e4m3, single},
    {"e5m2 e4m3, f32", opcode::QMMA, {16, 32, 8, 32}, e5m2, e4m3, single},
    {"e4m3 e5m2, f16", opcode::QMMA, {16, 32, 8, 16}, e4m3, e5m2, half},
    {"e5m2, f16, k 16", opcode::QMMA, {16, 16, 8, 16}, e5m2, e5m2, half},
    {"e4m3, short f32", opcode::QMMA, {16, 32, 8, 32}, e4m3, e4m3, single, f16, true},
    {"e5m2, short f16", opcode::QMMA, {16, 32, 8, 16}, e5m2, e5m2, half, f16, true},
    {"e4m3, short f32, k 16", opcode::QMMA, {16, 16, 8, 32}, e4m3, e4m3, single, f16, true},
    {"sparse e4m3, f32", opcode::QMMA, {16, 64, 8, 32, true}, e4m3, e4m3, single},
    {"sparse e5m2, short f16", opcode::QMMA, {16, 64, 8, 16, true}, e5m2, e5m2, half, f16, true},
    {"bytes", opcode::IMMA, {16, 32, 8, 32}, integers, integers, integers},
    {"bytes, k 16", opcode::IMMA, {16, 16, 8, 32}, integers, integers, integers},
    {"bytes, 8 rows", opcode::IMMA, {8, 16, 8, 32}, integers, integers, integers},
    {"sparse bytes", opcode::IMMA, {16, 64, 8, 32, true}, integers, integers, integers},
    {"sparse bytes, k 32", opcode::IMMA, {16, 32, 8, 32, true}, integers, integers, integers},
    {"nibbles", opcode::IMMA, {16, 64, 4, 32}, integers, integers, integers},
    {"nibbles, 8 rows", opcode::IMMA, {8, 32, 4, 32}, integers, integers, integers},
    {"sparse nibbles", opcode::IMMA, {16, 128, 4, 32, true}, integers, integers, integers},
    {"bits", opcode::BMMA, {16, 256, 1, 32}, integers, integers, integers},
    {"bits, k 128", opcode::BMMA, {16, 128, 1, 32}, integers, integers, integers},
    {"bits, 8 rows", opcode::BMMA, {8, 128, 1, 32}, integers, integers, integers},
    {"doubles", opcode::DMMA, {16, 8, 64, 64}, real, real, real},
    {"doubles, k 16", opcode::DMMA, {16, 16, 64, 64}, real, real, real},
    {"doubles, k 4", opcode::DMMA, {16, 4, 64, 64}, real, real, real},
    {"doubles, 8 rows", opcode::DMMA, {8, 4, 64, 64}, real, real, real},
};

// Returns the first register of an operand. A double takes two registers, so operands of doubles are further apart.
constexpr unsigned first_of_b(const product_case& p) { return p.shape.element_bits == 64 ? 16 : b_at; }
constexpr unsigned first_of_c(const product_case& p) { return p.shape.element_bits == 64 ? 24 : c_at; }
constexpr unsigned first_of_d(const product_case& p) { return p.shape.element_bits == 64 ? 32 : d_at; }

void fill_all(warp& w, unsigned first, unsigned count, const format& f, mood is, random_numbers& next) {
  for (unsigned r = first; r < first + count; ++r) {
    if (f.bits() < 64) {
      fill(w.registers[r].at, f, is, next);
      continue;
    }
    for (unsigned t = 0; t < 32; ++t) {
      const std::uint64_t n = number(f, is, next);
      w.registers[r].at[t] = static_cast<u32>(n);
      w.registers[r + 1].at[t] = static_cast<u32>(n >> 32);
    }
    ++r;
  }
}

// Makes products that cancel each other: the second half of the registers is a copy of the first half, with the sign of
// A inverted.
void cancel(warp& w, unsigned first, unsigned count, const format& f, bool turns) {
  for (unsigned r = 0; r < count / 2; ++r)
    for (unsigned t = 0; t < 32; ++t) {
      u32 signs = 0;
      for (unsigned at = 0; at < 32 && f.bits() <= 32; at += f.bits()) signs |= 1u << (at + f.bits() - 1);
      w.registers[first + count / 2 + r].at[t] = w.registers[first + r].at[t] ^ (turns ? signs : 0);
    }
}

warp random_operands(const product_case& p, mood is, random_numbers& next) {
  warp w;
  w.registers.resize(register_rows);
  const auto other = [&] { return next() % 4 == 0 ? static_cast<mood>(next() % moods) : is; };
  fill_all(w, a_at, p.shape.a_registers(), p.a, is, next);
  fill_all(w, first_of_b(p), p.shape.b_registers(), p.b, other(), next);
  fill_all(w, first_of_c(p), p.shape.c_registers(), p.c, other(), next);
  fill_all(w, first_of_d(p), p.shape.c_registers(), p.c, mood::any, next);
  if (is == mood::small && next() % 2 == 0)  // C becomes 0, so that the sum has only the products
    for (unsigned r = 0; r < p.shape.c_registers(); ++r) w.registers[first_of_c(p) + r] = {};
  if (is == mood::cancel) {
    cancel(w, a_at, p.shape.a_registers(), p.a, true);
    cancel(w, first_of_b(p), p.shape.b_registers(), p.b, false);
    if (next() % 2 == 0)
      for (unsigned r = 0; r < p.shape.c_registers(); ++r) w.registers[first_of_c(p) + r] = {};
  }
  for (u32& lane : w.registers[metadata_at].at) lane = static_cast<u32>(next());
  return w;
}

// Returns whether this machine has a vectorised handler for the instruction.
bool has_vectors(instruction_use use, opcode op) {
  return handlers(use)[static_cast<std::size_t>(op)] != handlers(instruction_use::plain)[static_cast<std::size_t>(op)];
}

void run(instruction_use use, const micro_op& u, warp& w, u32 mask, block_state* block = nullptr,
         const launch_state* launch = nullptr) {
  path at{0, ~0u};
  worker m;
  m.s = launch;
  m.block = block;
  m.w = &w;
  m.p = &at;
  ASSERT_EQ(handlers(use)[static_cast<std::size_t>(u.op)](m, u, mask), step::next) << m.fault;
}

void expect_same(const warp& expected, const warp& found, const std::string& what) {
  for (unsigned r = 0; r < register_rows; ++r)
    for (unsigned t = 0; t < 32; ++t)
      ASSERT_EQ(expected.registers[r].at[t], found.registers[r].at[t])
          << what << ": R" << r << " of lane " << t << std::hex << ", 0x" << expected.registers[r].at[t] << " and 0x"
          << found.registers[r].at[t];
}

class TensorProducts : public testing::TestWithParam<instruction_use> {};

TEST_P(TensorProducts, OfWarpsAreThoseOfAnyCpu) {
  if (!has_vectors(GetParam(), opcode::HMMA)) GTEST_SKIP() << "this CPU has no AVX2";
  random_numbers next(20261126);
  for (const product_case& p : products)
    for (unsigned round = 0; round < 100 * moods; ++round) {
      const auto is = static_cast<mood>(round % moods);
      warp plain = random_operands(p, is, next), vectors = plain;
      sass::matrix_product f;
      f.shape = p.shape;
      f.a = a_at;
      f.b = static_cast<std::uint8_t>(first_of_b(p));
      f.c = static_cast<std::uint8_t>(next() % 16 == 0 ? 255 : first_of_c(p));
      f.result = static_cast<std::uint8_t>(next() % 2 == 0 ? first_of_c(p) : first_of_d(p));
      f.metadata = metadata_at;
      const unsigned lanes = p.shape.sparse ? p.shape.metadata_lanes() : 0;
      f.selector = static_cast<std::uint8_t>(lanes == 0 ? 0 : next() % (4 / lanes));
      if (p.op == opcode::HMMA) f.numbers = p.numbers;
      if (p.op == opcode::BMMA)
        f.bits = next() % 2 == 0 ? sass::bit_product::exclusive : sass::bit_product::conjunction;
      f.a_e5m2 = is_e5m2(p.a), f.b_e5m2 = is_e5m2(p.b);
      f.a_signed = next() % 2 == 0;
      f.b_signed = next() % 2 == 0;
      f.a_nibbles = f.b_nibbles = p.shape.element_bits == 4;
      f.saturates = next() % 2 == 0;
      f.negates_a = p.a.exponent_bits != 0 && next() % 8 == 0;
      f.negates_b = p.a.exponent_bits != 0 && next() % 8 == 0;
      f.negates_c = p.op == opcode::DMMA && next() % 8 == 0;
      f.short_sums = p.short_sums;
      micro_op u;
      u.op = p.op;
      u.fields = f;
      const u32 mask = next() % 8 == 0 ? static_cast<u32>(next()) | 1 : ~0u;
      run(instruction_use::plain, u, plain, mask);
      run(GetParam(), u, vectors, mask);
      expect_same(plain, vectors, std::string(p.name) + ", round " + std::to_string(round));
      if (HasFatalFailure()) return;
    }
}

struct group_case {
  const char* name;
  opcode op;
  format numbers;
  bool to_f32, sparse;
  sass::product_number floats = f16;
  bool a = false, b = false;  // for floats: whether A and B are E5M2; for integers: whether A and B are signed
};
const group_case groups[] = {
    {"f16, f32", opcode::HGMMA, half, true, false},
    {"f16, f16", opcode::HGMMA, half, false, false},
    {"bf16", opcode::HGMMA, bfloat16, true, false, bf16},
    {"tf32", opcode::HGMMA, single, true, false, tf32},
    {"sparse f16, f32", opcode::HGMMA, half, true, true},
    {"sparse f16, f16", opcode::HGMMA, half, false, true},
    {"sparse bf16", opcode::HGMMA, bfloat16, true, true, bf16},
    {"sparse tf32", opcode::HGMMA, single, true, true, tf32},
    {"e4m3, f32", opcode::QGMMA, e4m3, true, false},
    {"e5m2 e4m3, f16", opcode::QGMMA, e4m3, false, false, f16, true, false},
    {"e4m3 e5m2, f32", opcode::QGMMA, e5m2, true, false, f16, false, true},
    {"e5m2, f16", opcode::QGMMA, e5m2, false, false, f16, true, true},
    {"sparse e4m3", opcode::QGMMA, e4m3, true, true},
    {"sparse e5m2", opcode::QGMMA, e5m2, false, true, f16, true, true},
    {"signed bytes", opcode::IGMMA, integers, true, false, f16, true, true},
    {"bytes", opcode::IGMMA, integers, true, false},
    {"sparse bytes", opcode::IGMMA, integers, true, true, f16, true, false},
    {"bits", opcode::BGMMA, integers, true, false},
};

// Shared memory of 16 KiB contains everything that descriptors with these strides can reach.
constexpr unsigned shared_bytes = 16384;
std::uint64_t random_descriptor(random_numbers& next) {
  const std::uint64_t start = next() % 64 * 16, leading = next() % 8 * 16, stride = next() % 8 * 64;
  return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | next() % 4 << 62;
}

TEST_P(TensorProducts, OfWarpGroupsAreThoseOfAnyCpu) {
  if (!has_vectors(GetParam(), opcode::HGMMA)) GTEST_SKIP() << "this CPU has no AVX2";
  random_numbers next(20261127);
  launch_state launch;
  launch.shared_bytes = launch.shared_end = shared_bytes;
  block_state block;
  block.shared.resize(shared_bytes);
  for (const group_case& g : groups)
    for (unsigned round = 0; round < 40 * moods; ++round) {
      const auto is = static_cast<mood>(round % moods);
      for (std::size_t at = 0; at < shared_bytes; at += 128) {
        u32 lanes[32];
        fill(lanes, g.numbers, is, next);
        std::memcpy(block.shared.data() + at, lanes, sizeof lanes);
      }
      sass::group_product f;
      f.columns = static_cast<std::uint16_t>(8 * (1 + next() % 8));
      f.a = 0;
      f.c = f.result = 32;
      f.metadata = metadata_at;
      f.descriptors = 4;
      f.numbers = g.floats;
      if (g.op == opcode::QGMMA) f.a_e5m2 = g.a, f.b_e5m2 = g.b;
      if (g.op == opcode::IGMMA) f.a_signed = g.a, f.b_signed = g.b;
      f.a_in_shared = next() % 2 == 0;
      f.a_transposed = g.numbers.bits() == 16 && next() % 4 == 0;
      f.b_transposed = g.numbers.bits() == 16 && next() % 4 == 0;
      f.negates_a = next() % 4 == 0;
      f.negates_b = next() % 4 == 0;
      f.to_f32 = g.to_f32;
      f.saturates = next() % 2 == 0;
      f.sparse = g.sparse;
      const unsigned bits = g.numbers.exponent_bits == 0 ? 8 : g.numbers.bits();
      const sass::tensor_shape shape{16, 512 / bits, bits, 32, true};
      f.selector = static_cast<std::uint8_t>(g.sparse ? next() % (4 / shape.metadata_lanes()) : 0);
      f.predicate = 1;
      warp plain;
      plain.registers.resize(register_rows);
      fill_all(plain, 0, 4, g.numbers, is, next);
      fill_all(plain, 32, 32, g.to_f32 ? single : half, next() % 2 == 0 ? is : mood::near, next);
      if (is == mood::small && next() % 2 == 0)
        for (unsigned r = 32; r < 64; ++r) plain.registers[r] = {};
      if (g.numbers.exponent_bits == 0) fill_all(plain, 32, 32, integers, mood::any, next);
      for (u32& lane : plain.registers[metadata_at].at) lane = static_cast<u32>(next());
      plain.id = static_cast<u32>(next() % 4);
      plain.uniform_predicates = 0x80 | static_cast<u32>(next() % 4);
      for (unsigned k = 0; k < 4; k += 2) {
        const std::uint64_t d = random_descriptor(next);
        plain.uniform[4 + k] = static_cast<u32>(d);
        plain.uniform[5 + k] = static_cast<u32>(d >> 32);
      }
      warp vectors = plain;
      micro_op u;
      u.op = g.op;
      u.fields = f;
      run(instruction_use::plain, u, plain, ~0u, &block, &launch);
      run(GetParam(), u, vectors, ~0u, &block, &launch);
      expect_same(plain, vectors, std::string(g.name) + ", round " + std::to_string(round));
      if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Cpus, TensorProducts, testing::Values(instruction_use::best, instruction_use::avx2),
                         [](const auto& use) { return use.param == instruction_use::best ? "Best" : "Avx2"; });

}  // namespace
}  // namespace bankwise::emulate
