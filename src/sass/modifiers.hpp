// The meanings of modifiers. There is an enum for each table of words.hpp that the emulator interprets.
//
//     SHFL.DOWN      shuffle_mode::down      entry 2 of the table `shfl` in words.hpp
//
// The value of an enumerator is the number in machine code. modifiers_test compares the enums with the tables.
#pragma once

#include <cstdint>

namespace bankwise::sass {

enum class logic : std::uint8_t { conjunction, disjunction, exclusive };  // .AND .OR .XOR

// --- integers
enum class permute_mode : std::uint8_t {
  by_selector,
  forward,   // .F4E: four bytes in ascending order, starting with the selected byte
  backward,  // .B4E: four bytes in descending order, starting with the selected byte
  replicate_byte,
  // .ECL: four bytes in ascending order; the selected byte replaces all bytes below it
  clamp_left,
  clamp_right,
  replicate_half,
};
enum class integer_relation : std::uint8_t {
  never,
  less,
  equal,
  less_equal,
  greater,
  not_equal,
  greater_equal,
  always,
};
enum class shift_type : std::uint8_t { s64, u64, s32, u32 };
enum class dot_parts : std::uint8_t { bytes, halves_by_lower_bytes, halves_by_upper_bytes };
enum class sum_type : std::uint8_t { u32, u16x2, s32, u8x4 = 4 };
enum class extreme_type : std::uint8_t { u32, s32, u16x2, s16x2, u8x4 };
enum class narrow_integer : std::uint8_t { u8, s8, u16, s16, u2, s2, u4, s4 };

inline constexpr unsigned bits_of(narrow_integer n) {
  constexpr unsigned bits[] = {8, 8, 16, 16, 2, 2, 4, 4};
  return bits[static_cast<unsigned>(n) & 7];
}
inline constexpr bool is_signed(narrow_integer n) { return (static_cast<unsigned>(n) & 1) != 0; }

// --- floats
enum class product_scale : std::uint8_t { eighth = 1, quarter, half, one, twice, four_times, eight_times };
// A relation has one bit for each of four outcomes: less, equal, greater, unordered.
enum class float_relation : std::uint8_t {
  never,
  less,
  equal,
  less_equal,
  greater,
  not_equal,
  greater_equal,
  ordered,
  unordered,
  unordered_or_less,
  unordered_or_equal,
  unordered_or_less_equal,
  unordered_or_greater,
  unordered_or_not_equal,
  unordered_or_greater_equal,
  always,
};
// The two values with which DSETP computes a minimum or a maximum. Its predicate tells the next instructions which
// operand to select.
inline constexpr float_relation double_minimum = float_relation::never, double_maximum = float_relation::always;

// Whether the relation is true for any outcome in this set.
inline constexpr bool holds_for(float_relation r, float_relation outcomes) {
  return (static_cast<unsigned>(r) & static_cast<unsigned>(outcomes)) != 0;
}

enum class math_function : std::uint8_t {
  cosine,
  sine,
  power_of_2,
  logarithm,
  reciprocal,
  reciprocal_root,
  reciprocal_high,  // the upper word of the reciprocal of a double; only the double's upper word is used
  // the upper word of the reciprocal square root of a double; only the double's upper word is used
  reciprocal_root_high,
  root,
  hyperbolic_tangent,
};
enum class math_format : std::uint8_t { f32, f16, bf16 };
enum class float_format : std::uint8_t { f16 = 1, f32, f64, bf16 };
// Which half of a register an operand provides for each half of the result.
enum class half_choice : std::uint8_t {
  both,
  one_float,  // .F32: the register contains one float
  low_twice,
  high_twice,
  exchanged,  // .H0_NH1: the halves are exchanged, then the low half is negated
};
enum class pack_source : std::uint8_t { f32, f16, e5m2, e4m3, e2m1 = 5, e2m3, e3m2, bf16 = 9, ue8m0 = 11 };
enum class pack_target : std::uint8_t { f16, bf16, tf32 = 3, e5m2, e4m3, ue8m0, e2m1 = 9, e2m3, e3m2 };

// --- lanes
enum class vote_kind : std::uint8_t { all, any, all_equal };
enum class shuffle_mode : std::uint8_t { by_index, up, down, butterfly };
enum class lane_sum : std::uint8_t { conjunction, disjunction, exclusive, sum, minimum, maximum };

// --- memory
enum class atomic_op : std::uint8_t {
  add,
  minimum,
  maximum,
  increment,  // adds one; if the sum exceeds the operand, the word becomes zero
  decrement,
  conjunction,
  disjunction,
  exclusive,
  exchange,
  safe_add,  // adds, but limits the sum to the largest number
};
enum class swap_result : std::uint8_t {
  old_value,              // .CAS
  is_stored,              // .CAST
  is_stored_or_spin = 3,  // .CAST.SPIN: only one lane of each bank may store
};
enum class atomic_float : std::uint8_t {
  f16x2,
  f16x4,
  f16x8,
  bf16x2,
  bf16x4,
  bf16x8,
  f32_ftz = 9,
  f32x2_ftz,
  f32x4_ftz,
  f32,
  f32x2,
  f32x4,
  f64,
};
enum class queried_space : std::uint8_t { global, local, shared, shared_of_cluster };
// `ignored`: outside the surface, stores have no effect and loads return zero
enum class beyond_surface : std::uint8_t { ignored, nearest, trap };

// --- barriers
enum class barrier_kind : std::uint8_t { sync, arrive, reduce, scan };
enum class barrier_reduction : std::uint8_t { count, all, any };
enum class barrier_report : std::uint8_t { state, reduction, warp };
enum class group_step : std::uint8_t { arrive, wait, wait_for_products };
// What an arrival at an mbarrier counts: arrivals, transactions, or both.
enum class arrival : std::uint8_t {
  one_with_transactions,  // the operand contains the number of transactions
  one,                    // .A1T0
  transaction,            // .A0T1
  transactions,           // .A0TR: no arrival; the operand contains the number of transactions
  fewer_transactions,     // .A0TX: no arrival; the operand is subtracted from the transactions
  many,                   // .ART0: no transactions; the operand contains the number of arrivals
};
enum class copies_count : std::uint8_t { arrival = 1, transaction };  // .ARVCNT .TRANSCNT
enum class bulk_number : std::uint8_t { u32, s32, u64, s64, f16, f32, f64 = 7, bf16 };

// --- tensor cores
enum class product_number : std::uint8_t { f16, bf16, tf32 };
// The types that QMMA multiplies from sm_120 on. The types have 8, 6 or 4 bits. Each number takes a byte.
enum class small_float : std::uint8_t { e4m3, e5m2, e3m2 = 3, e2m3, e2m1 };
// The number of scales of OMMA.SF along k: four or two.
enum class block_scales : std::uint8_t { four_ue8m0, four_ue4m3, two_ue8m0, two_ue4m3 };
enum class bit_product : std::uint8_t { exclusive, conjunction = 2 };

}  // namespace bankwise::sass
