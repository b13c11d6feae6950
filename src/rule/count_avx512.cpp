// Counts phases with AVX-512. The conflict detection of AVX-512 finds, for each of 16 lanes, the earlier lanes with the
// same value.
//
//     lane          0    1    2    3         addresses 0, 128, 4, 4 of ld.b32
//     unit          0   32    1    1         equal earlier lanes: none, none, none, lane 2 (shared)
//     column        0    0    1    -         earlier there: none, lane 0, none; maximum plus one: 2
#include "rule/count_phases.hpp"

#if defined(BANKWISE_RULE_VECTORS)
#include <immintrin.h>

namespace bankwise {

namespace {

#define BANKWISE_AVX512_TARGET \
  __attribute__((target("avx512f,avx512cd,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,popcnt,tune=haswell")))
#define BANKWISE_AVX512 BANKWISE_AVX512_TARGET __attribute__((always_inline)) static inline

BANKWISE_AVX512 __m512i each_word(u32 n) { return _mm512_set1_epi32(static_cast<int>(n)); }

// Values of lanes: 0 to 15, and 16 to 31.
struct lane_pair {
  __m512i low, high;
};

// For each lane, a mask of the earlier lanes with the same value. If `whole`, each lane is compared with all earlier
// lanes of the warp. Otherwise, the two halves of the warp are compared separately.
template <bool whole>
BANKWISE_AVX512 lane_pair equal_before(__m512i low, __m512i high) {
  lane_pair before{_mm512_conflict_epi32(low), _mm512_slli_epi32(_mm512_conflict_epi32(high), 16)};
  if constexpr (whole) {
    // Each vector has eight lower lanes followed by eight upper lanes. So in the result of an upper lane, the low byte
    // marks lower lanes.
    const __m512i a = _mm512_conflict_epi32(_mm512_shuffle_i64x2(low, high, 0x44)),
                  b = _mm512_conflict_epi32(_mm512_shuffle_i64x2(low, high, 0x4e)),
                  c = _mm512_conflict_epi32(_mm512_shuffle_i64x2(low, high, 0xe4)),
                  d = _mm512_conflict_epi32(_mm512_shuffle_i64x2(low, high, 0xee));
    const __m512i byte = each_word(0xff);
    const __m512i first = _mm512_and_si512(_mm512_shuffle_i64x2(a, c, 0xee), byte);
    const __m512i second = _mm512_slli_epi32(_mm512_and_si512(_mm512_shuffle_i64x2(b, d, 0xee), byte), 8);
    before.high = _mm512_or_si512(before.high, _mm512_or_si512(first, second));
  }
  return before;
}

BANKWISE_AVX512 u32 lanes_of(__mmask16 low, __mmask16 high) {
  return static_cast<u32>(low) | static_cast<u32>(high) << 16;
}

// The maximum of each group of eight lanes, copied to all lanes of the group.
BANKWISE_AVX512 __m512i most_of_eight(__m512i x) {
  x = _mm512_max_epu32(x, _mm512_shuffle_i64x2(x, x, 0xb1));
  x = _mm512_max_epu32(x, _mm512_shuffle_epi32(x, static_cast<_MM_PERM_ENUM>(0x4e)));
  return _mm512_max_epu32(x, _mm512_shuffle_epi32(x, static_cast<_MM_PERM_ENUM>(0xb1)));
}

// For each lane, a mask of the lanes in the same phase.
struct phase_masks {
  u32 at[lanes_per_warp];
};
constexpr phase_masks masks_of(u32 phase_lanes) {
  phase_masks m = {};
  for (u32 i = 0; i < lanes_per_warp; ++i) m.at[i] = lane_range(i / phase_lanes * phase_lanes, phase_lanes);
  return m;
}
alignas(64) constexpr phase_masks same_phase[] = {masks_of(8), masks_of(16), masks_of(32)};

BANKWISE_AVX512 u32 partners(u32 lanes, u32 apart, u32 upper) {
  return (lanes << apart & upper) | (lanes >> apart & ~upper);
}

// `whole`: whether a phase may consist of the whole warp, with or without a merge.
template <bool whole>
BANKWISE_AVX512 void count(__m512i low, __m512i high, const count_plan& p, bool shares, u32 used, cost& c) {
  u32 merged = 0;
  if (p.may_merge) {
    const auto differing = [&](__m512i a, __m512i b) BANKWISE_AVX512_TARGET {
      return lanes_of(_mm512_cmpneq_epi32_mask(low, a), _mm512_cmpneq_epi32_mask(high, b));
    };
    const auto one = static_cast<_MM_PERM_ENUM>(0xb1), two = static_cast<_MM_PERM_ENUM>(0x4e);
    const u32 differ_1 = differing(_mm512_shuffle_epi32(low, one), _mm512_shuffle_epi32(high, one)) & used &
                         partners(used, 1, 0xaaaaaaaau);
    const u32 differ_2 = differing(_mm512_shuffle_epi32(low, two), _mm512_shuffle_epi32(high, two)) & used &
                         partners(used, 2, 0xccccccccu);
    // A branch would be as hard to predict as the addresses, so this code has no branch.
    const u32 first = static_cast<u32>(differ_1 == 0), second = static_cast<u32>(differ_2 == 0) & ~first;
    c.merged = static_cast<merge>(first | second << 1);
    merged = first | second;
  }
  const u32 size = (p.phase_lanes >> 4) + merged;  // number of lanes in a phase: 8, 16 or 32
  const __m512i same_low = _mm512_load_si512(same_phase[size].at),
                same_high = _mm512_load_si512(same_phase[size].at + 16);
  const __m128i shift = _mm_cvtsi32_si128(p.unit_shift);
  const __m512i unit_low = _mm512_srl_epi32(low, shift), unit_high = _mm512_srl_epi32(high, shift);
  u32 counted = used;
  if (shares) {
    const lane_pair before = equal_before<whole>(unit_low, unit_high);
    const __m512i on = each_word(used);
    counted &= ~lanes_of(_mm512_test_epi32_mask(before.low, _mm512_and_si512(on, same_low)),
                         _mm512_test_epi32_mask(before.high, _mm512_and_si512(on, same_high)));
  }
  const __m512i last_column = each_word(p.columns - 1u), on = each_word(counted);
  const lane_pair before =
      equal_before<whole>(_mm512_and_si512(unit_low, last_column), _mm512_and_si512(unit_high, last_column));
  const auto crowd = [&](__m512i earlier, __m512i same, u32 lanes) BANKWISE_AVX512_TARGET {
    const __m512i others = _mm512_popcnt_epi32(_mm512_and_si512(_mm512_and_si512(earlier, on), same));
    return most_of_eight(_mm512_maskz_add_epi32(static_cast<__mmask16>(lanes), others, each_word(1)));
  };
  const __m512i of_low = crowd(before.low, same_low, counted & 0xffff),
                of_high = crowd(before.high, same_high, counted >> 16);
  const u64 lower = static_cast<u64>(_mm_cvtsi128_si64(_mm512_castsi512_si128(_mm512_unpacklo_epi32(of_low, of_high))));
  const u64 upper = static_cast<u64>(_mm_cvtsi128_si64(
      _mm512_castsi512_si128(_mm512_shuffle_i64x2(_mm512_unpacklo_epi32(of_low, of_high), of_low, 0x0e))));
  const u32 worst[4] = {static_cast<u32>(lower), static_cast<u32>(upper), static_cast<u32>(lower >> 32),
                        static_cast<u32>(upper >> 32)};
  const u32 first = detail::larger(worst[0], worst[1]), second = detail::larger(worst[2], worst[3]);
  const u32 wavefronts[3] = {worst[0] + worst[1] + worst[2] + worst[3], first + second, detail::larger(first, second)};
  const u32 phases[3] = {static_cast<u32>(worst[0] != 0) + static_cast<u32>(worst[1] != 0) +
                             static_cast<u32>(worst[2] != 0) + static_cast<u32>(worst[3] != 0),
                         static_cast<u32>(first != 0) + static_cast<u32>(second != 0), 1};
  c.wavefronts = wavefronts[size];
  c.reachable = phases[size];
}

}  // namespace

BANKWISE_AVX512_TARGET bool count_by_avx512(const access& a, const count_plan& p, u32 used, cost& c) {
  const __m512i low = _mm512_loadu_si512(a.address), high = _mm512_loadu_si512(a.address + 16);
  const __m512i offset = each_word(a.op.width_bytes - 1u);
  if ((lanes_of(_mm512_test_epi32_mask(low, offset), _mm512_test_epi32_mask(high, offset)) & used) != 0) return false;
  const bool shares = shares_words(a.op.kind);
  if (p.phase_lanes == 32 || (p.phase_lanes == 16 && p.may_merge))
    count<true>(low, high, p, shares, used, c);
  else
    count<false>(low, high, p, shares, used, c);
  return true;
}

}  // namespace bankwise
#endif
