// Counts phases with AVX2. All lanes are compared at the same time with the lanes before them. A first step compares 32
// values of 16 bits, to find the lanes that access the same unit as an earlier lane. A second step compares 32 values
// of 8 bits, which are columns of banks, to count the other lanes in each column.
//
//     lane          0    1    2    3         addresses 0, 128, 4, 4 of ld.b32
//     unit          0   32    1    1
//     repeated unit                yes
//     column        0    0    1    -
//     earlier lanes 0    1    0    -         in the column; their maximum plus one: 2 wavefronts
#include "rule/count_phases.hpp"

#if defined(BANKWISE_RULE_VECTORS)
#include <immintrin.h>

namespace bankwise {

namespace {

#define BANKWISE_AVX2_TARGET __attribute__((target("avx2,popcnt,tune=haswell")))
#define BANKWISE_AVX2 __attribute__((target("avx2,popcnt,tune=haswell"), always_inline)) static inline

// The lanes of an access: addresses, and masks that are all ones for active lanes.
struct lane_vectors {
  __m256i at[4], on[4];
};

BANKWISE_AVX2 __m256i each_u32(u32 n) { return _mm256_set1_epi32(static_cast<int>(n)); }

BANKWISE_AVX2 void load_lanes(const access& a, u32 used, lane_vectors& v) {
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128), all = each_u32(used);
  for (int n = 0; n < 4; ++n) {
    v.at[n] = _mm256_lddqu_si256(reinterpret_cast<const __m256i*>(a.address + 8 * n));
    const __m256i bit = _mm256_slli_epi32(bits, 8 * n);
    v.on[n] = _mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit);
  }
}

BANKWISE_AVX2 bool is_aligned(const lane_vectors& v, u32 width) {
  __m256i low = _mm256_and_si256(v.at[0], v.on[0]);
  for (int n = 1; n < 4; ++n) low = _mm256_or_si256(low, _mm256_and_si256(v.at[n], v.on[n]));
  return _mm256_testz_si256(low, each_u32(width - 1)) != 0;
}

// Whether every active lane has the same address as its partner lane. Inactive partners are ignored. `order` permutes
// the lanes, so that each lane gets the value of its partner.
template <int order>
BANKWISE_AVX2 bool partners_agree(const lane_vectors& v) {
  __m256i differ = _mm256_setzero_si256();
  for (int n = 0; n < 4; ++n) {
    const __m256i x = _mm256_xor_si256(v.at[n], _mm256_shuffle_epi32(v.at[n], order));
    const __m256i both = _mm256_and_si256(v.on[n], _mm256_shuffle_epi32(v.on[n], order));
    differ = _mm256_or_si256(differ, _mm256_and_si256(x, both));
  }
  return _mm256_testz_si256(differ, differ) != 0;
}

// Packs the low halves of the words of 16 lanes, or the low bytes of 32 lanes.
BANKWISE_AVX2 __m256i pack_16(__m256i first, __m256i second) {
  return _mm256_permute4x64_epi64(_mm256_packus_epi32(first, second), 0xd8);
}
BANKWISE_AVX2 __m256i pack_8(const __m256i (&x)[4]) {
  const __m256i bytes = _mm256_packus_epi16(_mm256_packus_epi32(x[0], x[1]), _mm256_packus_epi32(x[2], x[3]));
  return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

// Shifts rows of 32 lanes. Each lane gets the value of the lane that is `back` lanes before it in the same phase. If
// there is no such lane, the lane gets zero. The rows stay in registers, because loads would wait for earlier stores.
template <int phase_lanes, int back>
struct moved {
  // Shifts rows of 32 lanes with 8 bits each, within their phases.
  BANKWISE_AVX2 __m256i of(__m256i x) {
    if constexpr (phase_lanes == 8) {
      return _mm256_slli_epi64(x, 8 * back);
    } else if constexpr (phase_lanes == 16) {
      return _mm256_slli_si256(x, back);
    } else {
      return across<back>(x, _mm256_permute2x128_si256(x, x, 0x08));
    }
  }
  // Shifts all 32 bytes by `bytes` bytes. `up` must be x shifted by 16 bytes.
  template <int bytes>
  BANKWISE_AVX2 __m256i across(__m256i x, __m256i up) {
    if constexpr (bytes < 16)
      return _mm256_alignr_epi8(x, up, 16 - bytes);
    else
      return _mm256_slli_si256(up, bytes - 16);
  }
};

// Finds 16-bit values that are equal to the value of an earlier lane. `of_low` is for lanes 0 to 15, `of_high` for
// lanes 16 to 31.
template <int phase_lanes, int back = 1>
BANKWISE_AVX2 void find_repeated(__m256i low, __m256i high, __m256i& of_low, __m256i& of_high, __m256i& further) {
  if constexpr (back < phase_lanes && back < 16) {
    __m256i from_low, from_high;
    if constexpr (phase_lanes == 8) {
      from_low = _mm256_slli_si256(low, 2 * back);
      from_high = _mm256_slli_si256(high, 2 * back);
    } else {
      using move = moved<32, back>;
      from_low = move::template across<2 * back>(low, _mm256_permute2x128_si256(low, low, 0x08));
      if constexpr (phase_lanes == 16) {
        from_high = move::template across<2 * back>(high, _mm256_permute2x128_si256(high, high, 0x08));
      } else {
        const __m256i between = _mm256_permute2x128_si256(low, high, 0x21);
        if constexpr (back < 8)
          from_high = _mm256_alignr_epi8(high, between, 16 - 2 * back);
        else if constexpr (back == 8)
          from_high = between;
        else
          from_high = _mm256_alignr_epi8(between, low, 32 - 2 * back);
        // compares with the lane that is 16 lanes further back
        further = _mm256_or_si256(further, _mm256_cmpeq_epi16(high, from_low));
      }
    }
    of_low = _mm256_or_si256(of_low, _mm256_cmpeq_epi16(low, from_low));
    of_high = _mm256_or_si256(of_high, _mm256_cmpeq_epi16(high, from_high));
    find_repeated<phase_lanes, back + 1>(low, high, of_low, of_high, further);
  } else if constexpr (phase_lanes == 32) {
    of_high = _mm256_or_si256(of_high, _mm256_or_si256(further, _mm256_cmpeq_epi16(high, low)));
  }
}

// Sets all bits in the bytes of some lanes: the lanes whose key equals the key of an earlier lane in the same phase.
// Keys have 16 bits. Inactive lanes have key 0.
template <int phase_lanes>
BANKWISE_AVX2 __m256i repeated(const __m256i (&key)[4]) {
  const __m256i low = pack_16(key[0], key[1]), high = pack_16(key[2], key[3]);
  __m256i of_low = _mm256_setzero_si256(), of_high = of_low, further = of_low;
  find_repeated<phase_lanes>(low, high, of_low, of_high, further);
  return _mm256_permute4x64_epi64(_mm256_packs_epi16(of_low, of_high), 0xd8);
}

// For each lane, the number of earlier lanes in its phase with the same nonzero value.
template <int phase_lanes, int back = 1>
BANKWISE_AVX2 __m256i earlier_in_place(__m256i place, __m256i sum, __m256i other) {
  if constexpr (back < phase_lanes) {
    const __m256i same = _mm256_cmpeq_epi8(place, moved<phase_lanes, back>::of(place));
    return earlier_in_place<phase_lanes, back + 1>(place, other, _mm256_sub_epi8(sum, same));
  } else {
    return _mm256_add_epi8(sum, other);
  }
}

// Computes wavefronts and the number of phases with an active lane. Returns false if the addresses are too far apart
// for 16-bit keys.
template <int phase_lanes>
BANKWISE_AVX2 bool count_phases(const lane_vectors& v, u32 used, u32 first, bool shares, u32 unit_shift, u32 columns,
                                cost& c) {
  constexpr int phases = 32 / phase_lanes;
  constexpr u32 limit = 0xfffe, half = limit / 2;
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(unit_shift));
  const __m256i last_column = each_u32(columns - 1);
  __m256i unit[4], place[4];
  for (int n = 0; n < 4; ++n) {
    unit[n] = _mm256_srl_epi32(v.at[n], shift);
    place[n] = _mm256_and_si256(unit[n], last_column);
  }
  const __m256i bits = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
  const __m256i spread = _mm256_shuffle_epi8(
      each_u32(used),
      _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3));
  __m256i on = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bits), bits);
  if (shares) {
    const __m256i near = each_u32(half - (first >> unit_shift)), most = each_u32(limit);
    __m256i key[4], far = _mm256_setzero_si256();
    for (int n = 0; n < 4; ++n) {
      const __m256i from = _mm256_and_si256(_mm256_add_epi32(unit[n], near), v.on[n]);
      far = _mm256_or_si256(far, _mm256_xor_si256(_mm256_min_epu32(from, most), from));
      key[n] = _mm256_and_si256(_mm256_add_epi32(from, each_u32(1)), v.on[n]);
    }
    if (_mm256_testz_si256(far, far) == 0) return false;
    on = _mm256_andnot_si256(repeated<phase_lanes>(key), on);
  }
  const __m256i zero = _mm256_setzero_si256();
  const __m256i counted_from_1 = _mm256_and_si256(_mm256_add_epi8(pack_8(place), _mm256_set1_epi8(1)), on);
  const __m256i before = earlier_in_place<phase_lanes>(counted_from_1, zero, zero);
  __m256i crowd = _mm256_and_si256(_mm256_sub_epi8(before, _mm256_set1_epi8(-1)), on);
  crowd = _mm256_max_epu8(crowd, _mm256_srli_epi64(crowd, 32));
  crowd = _mm256_max_epu8(crowd, _mm256_srli_epi64(crowd, 16));
  crowd = _mm256_and_si256(_mm256_max_epu8(crowd, _mm256_srli_epi64(crowd, 8)), _mm256_set1_epi64x(255));
  if (phases < 4) crowd = _mm256_max_epu8(crowd, _mm256_shuffle_epi32(crowd, 0x4e));
  if (phases == 1) crowd = _mm256_max_epu8(crowd, _mm256_permute4x64_epi64(crowd, 0x4e));
  // `crowd` has one number of wavefronts for each quarter of the warp. For phases of half a warp, every second number
  // is used. For a phase of the whole warp, only one number is used.
  const __m256i counted = phases == 4   ? crowd
                          : phases == 2 ? _mm256_and_si256(crowd, _mm256_setr_epi64x(-1, 0, -1, 0))
                                        : _mm256_and_si256(crowd, _mm256_setr_epi64x(-1, 0, 0, 0));
  const __m256i there = _mm256_cmpgt_epi64(counted, zero);
  c.reachable = static_cast<u32>(__builtin_popcount(static_cast<u32>(_mm256_movemask_pd(_mm256_castsi256_pd(there)))));
  __m128i sum = _mm_add_epi64(_mm256_castsi256_si128(counted), _mm256_extracti128_si256(counted, 1));
  sum = _mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum));
  c.wavefronts = static_cast<u32>(_mm_cvtsi128_si32(sum));
  return true;
}

}  // namespace

BANKWISE_AVX2_TARGET bool count_by_avx2(const access& a, const count_plan& p, u32 used, cost& c) {
  lane_vectors v;
  load_lanes(a, used, v);
  if (!is_aligned(v, a.op.width_bytes)) return false;
  if (p.may_merge)
    c.merged = partners_agree<0xb1>(v) ? merge::partner_1 : partners_agree<0x4e>(v) ? merge::partner_2 : merge::none;
  const u32 lanes = c.merged == merge::none ? p.phase_lanes : 2u * p.phase_lanes;
  const u32 first = a.address[__builtin_ctz(used)];
  const bool shares = shares_words(a.op.kind);
  if (lanes == 32) return count_phases<32>(v, used, first, shares, p.unit_shift, p.columns, c);
  if (lanes == 16) return count_phases<16>(v, used, first, shares, p.unit_shift, p.columns, c);
  return count_phases<8>(v, used, first, shares, p.unit_shift, p.columns, c);
}

}  // namespace bankwise
#endif
