// Vectors of rows for the matrices of tensor cores. A row has 16 bytes. A vector has four rows with AVX-512, and two
// rows with AVX2. The names of the operations are the same for both. Without AVX2, BANKWISE_TENSOR_VECTORS is not
// defined, and other code computes products number by number.
#pragma once

#include "emulate/execute/lanes.hpp"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define BANKWISE_TENSOR_VECTORS 4
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define BANKWISE_TENSOR_VECTORS 2
#endif

#if defined(BANKWISE_TENSOR_VECTORS)
namespace bankwise::emulate::BANKWISE_ISA {

inline constexpr unsigned vector_rows = BANKWISE_TENSOR_VECTORS;
using i8 = std::int8_t;

#if BANKWISE_TENSOR_VECTORS == 4
using word_vector = __m512i;
using float_vector = __m512;
using lanes_where = __mmask16;

static inline word_vector load_words(const void* p) { return _mm512_loadu_si512(p); }
static inline float_vector load_floats(const float* p) { return _mm512_loadu_ps(p); }
static inline void save(void* p, word_vector x) { _mm512_storeu_si512(p, x); }
static inline void save(float* p, float_vector x) { _mm512_storeu_ps(p, x); }
static inline word_vector all_words(i32 x) { return _mm512_set1_epi32(x); }
static inline word_vector all_halves(short x) { return _mm512_set1_epi16(x); }
static inline word_vector all_bytes(char x) { return _mm512_set1_epi8(x); }
static inline word_vector words_of(float_vector x) { return _mm512_castps_si512(x); }
static inline float_vector floats_of(word_vector x) { return _mm512_castsi512_ps(x); }
// Copies one row, or half of a row, to all rows of a vector.
static inline word_vector spread_row(const void* p) {
  return _mm512_broadcast_i32x4(_mm_loadu_si128(static_cast<const __m128i*>(p)));
}
static inline word_vector spread_eight(const void* p) {
  return _mm512_broadcastq_epi64(_mm_loadl_epi64(static_cast<const __m128i*>(p)));
}
// Copies word n of each row to all four words of the row.
template <int n>
static inline word_vector word_of_row(word_vector x) {
  return _mm512_shuffle_epi32(x, static_cast<_MM_PERM_ENUM>(n * 0x55));
}
static inline word_vector shuffled(word_vector x, word_vector pattern) { return _mm512_shuffle_epi8(x, pattern); }
static inline word_vector both(word_vector x, word_vector y) { return _mm512_and_si512(x, y); }
static inline word_vector either(word_vector x, word_vector y) { return _mm512_or_si512(x, y); }
static inline word_vector differing(word_vector x, word_vector y) { return _mm512_xor_si512(x, y); }
template <int n>
static inline word_vector up(word_vector x) {
  return _mm512_slli_epi32(x, n);
}
template <int n>
static inline word_vector down(word_vector x) {
  return _mm512_srli_epi32(x, n);
}
template <int n>
static inline word_vector halves_down(word_vector x) {
  return _mm512_srai_epi16(x, n);
}
static inline word_vector sum(word_vector x, word_vector y) { return _mm512_add_epi32(x, y); }
static inline word_vector less(word_vector x, word_vector y) { return _mm512_sub_epi32(x, y); }
static inline word_vector larger(word_vector x, word_vector y) { return _mm512_max_epi32(x, y); }
static inline word_vector halves_less(word_vector x, word_vector y) { return _mm512_sub_epi16(x, y); }
static inline word_vector larger_halves(word_vector x, word_vector y) { return _mm512_max_epi16(x, y); }
static inline word_vector bytes_sum(word_vector x, word_vector y) { return _mm512_add_epi8(x, y); }
static inline word_vector bytes_less(word_vector x, word_vector y) { return _mm512_sub_epi8(x, y); }
static inline word_vector bounded_bytes_sum(word_vector x, word_vector y) { return _mm512_adds_epi8(x, y); }
static inline word_vector larger_bytes(word_vector x, word_vector y) { return _mm512_max_epi8(x, y); }
// Multiplies 16-bit numbers, and adds each pair of adjacent products.
static inline word_vector sums_of_pairs(word_vector x, word_vector y) { return _mm512_madd_epi16(x, y); }
static inline word_vector byte_sums_of_pairs(word_vector x) { return _mm512_maddubs_epi16(x, _mm512_set1_epi8(1)); }
static inline float_vector product(float_vector x, float_vector y) { return _mm512_mul_ps(x, y); }
static inline word_vector cut(float_vector x) { return _mm512_cvttps_epi32(x); }
static inline float_vector float_toward_zero(word_vector x) {
  return _mm512_cvt_roundepi32_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
// Interleaves the rows of two vectors.
static inline word_vector low_halves(word_vector x, word_vector y) { return _mm512_unpacklo_epi16(x, y); }
static inline word_vector high_halves(word_vector x, word_vector y) { return _mm512_unpackhi_epi16(x, y); }
static inline word_vector low_bytes(word_vector x, word_vector y) { return _mm512_unpacklo_epi8(x, y); }
static inline word_vector high_bytes(word_vector x, word_vector y) { return _mm512_unpackhi_epi8(x, y); }
static inline word_vector packed_words(word_vector x, word_vector y) { return _mm512_packs_epi32(x, y); }

static inline lanes_where equal(word_vector x, word_vector y) { return _mm512_cmpeq_epi32_mask(x, y); }
static inline lanes_where is_above(word_vector x, word_vector y) { return _mm512_cmpgt_epi32_mask(x, y); }
static inline lanes_where and_where(lanes_where x, lanes_where y) { return static_cast<lanes_where>(x & y); }
static inline lanes_where or_where(lanes_where x, lanes_where y) { return static_cast<lanes_where>(x | y); }
static inline lanes_where nowhere() { return 0; }
static inline bool is_anywhere(lanes_where x) { return x != 0; }
static inline word_vector choose(lanes_where where, word_vector yes, word_vector no) {
  return _mm512_mask_mov_epi32(no, where, yes);
}
static inline word_vector zero_halves_become(word_vector x, word_vector n, word_vector other) {
  return _mm512_mask_mov_epi16(other, _mm512_testn_epi16_mask(x, x), n);
}
// Whether any byte is greater than `above` and less than `below`.
static inline bool has_byte_between(word_vector x, word_vector above, word_vector below) {
  return (_mm512_cmpgt_epi8_mask(x, above) & _mm512_cmpgt_epi8_mask(below, x)) != 0;
}
static inline i32 largest_word(word_vector x) { return _mm512_reduce_max_epi32(x); }

// Converts rows of 8 halves to floats. `first` gets the first four numbers of each row, and `second` gets the last
// four.
static inline void floats_of_halves(word_vector x, float_vector& first, float_vector& second) {
  const word_vector y = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), x);
  first = _mm512_cvtph_ps(_mm512_castsi512_si256(y));
  second = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(y, 1));
}
static inline float_vector float_of_low_half(word_vector x) { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(x)); }
static inline word_vector half_of(float_vector x) {
  return _mm512_cvtepu16_epi32(_mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
// Converts rows of 8 halves in x and y to consecutive rows of 8 bytes.
static inline word_vector rows_of_bytes(word_vector x, word_vector y) {
  return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), _mm512_packs_epi16(x, y));
}
// Rearranges rows of 8 bytes. The four lower bytes of all rows come first, then the four upper bytes of all rows.
static inline word_vector fours_of_bytes(word_vector x) {
  return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15), x);
}
static inline void save_fours(i8* first, i8* second, word_vector x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(first), _mm512_castsi512_si256(x));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(second), _mm512_extracti64x4_epi64(x, 1));
}
// Converts the words of four vectors to bytes, and stores them one after another.
static inline void save_as_bytes(i8* to, word_vector x, word_vector y, word_vector z, word_vector w) {
  const word_vector packed = _mm512_packs_epi16(_mm512_packs_epi32(x, y), _mm512_packs_epi32(z, w));
  save(to, _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), packed));
}
static inline word_vector words_of_bytes(const i8* p) {
  return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

#else
using word_vector = __m256i;
using float_vector = __m256;
using lanes_where = __m256i;

static inline word_vector load_words(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
static inline float_vector load_floats(const float* p) { return _mm256_loadu_ps(p); }
static inline void save(void* p, word_vector x) { _mm256_storeu_si256(static_cast<__m256i*>(p), x); }
static inline void save(float* p, float_vector x) { _mm256_storeu_ps(p, x); }
static inline word_vector all_words(i32 x) { return _mm256_set1_epi32(x); }
static inline word_vector all_halves(short x) { return _mm256_set1_epi16(x); }
static inline word_vector all_bytes(char x) { return _mm256_set1_epi8(x); }
static inline word_vector words_of(float_vector x) { return _mm256_castps_si256(x); }
static inline float_vector floats_of(word_vector x) { return _mm256_castsi256_ps(x); }
static inline word_vector spread_row(const void* p) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(p)));
}
static inline word_vector spread_eight(const void* p) {
  return _mm256_broadcastq_epi64(_mm_loadl_epi64(static_cast<const __m128i*>(p)));
}
template <int n>
static inline word_vector word_of_row(word_vector x) {
  return _mm256_shuffle_epi32(x, n * 0x55);
}
static inline word_vector shuffled(word_vector x, word_vector pattern) { return _mm256_shuffle_epi8(x, pattern); }
static inline word_vector both(word_vector x, word_vector y) { return _mm256_and_si256(x, y); }
static inline word_vector either(word_vector x, word_vector y) { return _mm256_or_si256(x, y); }
static inline word_vector differing(word_vector x, word_vector y) { return _mm256_xor_si256(x, y); }
template <int n>
static inline word_vector up(word_vector x) {
  return _mm256_slli_epi32(x, n);
}
template <int n>
static inline word_vector down(word_vector x) {
  return _mm256_srli_epi32(x, n);
}
template <int n>
static inline word_vector halves_down(word_vector x) {
  return _mm256_srai_epi16(x, n);
}
static inline word_vector sum(word_vector x, word_vector y) { return _mm256_add_epi32(x, y); }
static inline word_vector less(word_vector x, word_vector y) { return _mm256_sub_epi32(x, y); }
static inline word_vector larger(word_vector x, word_vector y) { return _mm256_max_epi32(x, y); }
static inline word_vector halves_less(word_vector x, word_vector y) { return _mm256_sub_epi16(x, y); }
static inline word_vector larger_halves(word_vector x, word_vector y) { return _mm256_max_epi16(x, y); }
static inline word_vector bytes_sum(word_vector x, word_vector y) { return _mm256_add_epi8(x, y); }
static inline word_vector bytes_less(word_vector x, word_vector y) { return _mm256_sub_epi8(x, y); }
static inline word_vector bounded_bytes_sum(word_vector x, word_vector y) { return _mm256_adds_epi8(x, y); }
static inline word_vector larger_bytes(word_vector x, word_vector y) { return _mm256_max_epi8(x, y); }
static inline word_vector sums_of_pairs(word_vector x, word_vector y) { return _mm256_madd_epi16(x, y); }
static inline word_vector byte_sums_of_pairs(word_vector x) { return _mm256_maddubs_epi16(x, _mm256_set1_epi8(1)); }
static inline float_vector product(float_vector x, float_vector y) { return _mm256_mul_ps(x, y); }
static inline word_vector cut(float_vector x) { return _mm256_cvttps_epi32(x); }
// Converts integers to floats with rounding toward zero. If rounding to nearest has increased the magnitude, subtracts
// one from the float's bits.
static inline float_vector float_toward_zero(word_vector x) {
  const float_vector near = _mm256_cvtepi32_ps(x);
  const word_vector excess = _mm256_sub_epi32(_mm256_abs_epi32(_mm256_cvttps_epi32(near)), _mm256_abs_epi32(x));
  return floats_of(_mm256_add_epi32(words_of(near), _mm256_cmpgt_epi32(excess, _mm256_setzero_si256())));
}
static inline word_vector low_halves(word_vector x, word_vector y) { return _mm256_unpacklo_epi16(x, y); }
static inline word_vector high_halves(word_vector x, word_vector y) { return _mm256_unpackhi_epi16(x, y); }
static inline word_vector low_bytes(word_vector x, word_vector y) { return _mm256_unpacklo_epi8(x, y); }
static inline word_vector high_bytes(word_vector x, word_vector y) { return _mm256_unpackhi_epi8(x, y); }
static inline word_vector packed_words(word_vector x, word_vector y) { return _mm256_packs_epi32(x, y); }

static inline lanes_where equal(word_vector x, word_vector y) { return _mm256_cmpeq_epi32(x, y); }
static inline lanes_where is_above(word_vector x, word_vector y) { return _mm256_cmpgt_epi32(x, y); }
static inline lanes_where and_where(lanes_where x, lanes_where y) { return _mm256_and_si256(x, y); }
static inline lanes_where or_where(lanes_where x, lanes_where y) { return _mm256_or_si256(x, y); }
static inline lanes_where nowhere() { return _mm256_setzero_si256(); }
static inline bool is_anywhere(lanes_where x) { return _mm256_testz_si256(x, x) == 0; }
static inline word_vector choose(lanes_where where, word_vector yes, word_vector no) {
  return _mm256_blendv_epi8(no, yes, where);
}
static inline word_vector zero_halves_become(word_vector x, word_vector n, word_vector other) {
  return _mm256_blendv_epi8(other, n, _mm256_cmpeq_epi16(x, _mm256_setzero_si256()));
}
static inline bool has_byte_between(word_vector x, word_vector above, word_vector below) {
  return is_anywhere(_mm256_and_si256(_mm256_cmpgt_epi8(x, above), _mm256_cmpgt_epi8(below, x)));
}
static inline i32 largest_word(word_vector x) {
  __m128i four = _mm_max_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  return _mm_cvtsi128_si32(_mm_max_epi32(four, _mm_shuffle_epi32(four, 0xb1)));
}

static inline void floats_of_halves(word_vector x, float_vector& first, float_vector& second) {
  const word_vector y = _mm256_permute4x64_epi64(x, 0xd8);
  first = _mm256_cvtph_ps(_mm256_castsi256_si128(y));
  second = _mm256_cvtph_ps(_mm256_extracti128_si256(y, 1));
}
static inline float_vector float_of_low_half(word_vector x) {
  const word_vector low = _mm256_and_si256(x, _mm256_set1_epi32(0xffff));
  return _mm256_cvtph_ps(_mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_packus_epi32(low, low), 0x08)));
}
static inline word_vector half_of(float_vector x) {
  return _mm256_cvtepu16_epi32(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
static inline word_vector rows_of_bytes(word_vector x, word_vector y) {
  return _mm256_permute4x64_epi64(_mm256_packs_epi16(x, y), 0xd8);
}
static inline word_vector fours_of_bytes(word_vector x) {
  return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
}
static inline void save_fours(i8* first, i8* second, word_vector x) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(first), _mm256_castsi256_si128(x));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(second), _mm256_extracti128_si256(x, 1));
}
static inline void save_as_bytes(i8* to, word_vector x, word_vector y, word_vector z, word_vector w) {
  const word_vector packed = _mm256_packs_epi16(_mm256_packs_epi32(x, y), _mm256_packs_epi32(z, w));
  save(to, _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}
static inline word_vector words_of_bytes(const i8* p) {
  return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}
#endif

static inline word_vector none() { return all_words(0); }

// The input is eight columns of four numbers. For each of the four numbers, the output contains columns 0, 2, 4, 6, 1,
// 3, 5, 7.
static inline void turn_columns(const void* columns, void* to) {
  const auto* from = static_cast<const float*>(columns);
  const auto two = [&](unsigned n) { return _mm256_loadu_ps(from + 8 * n); };
  const __m256 a = two(0), b = two(1), c = two(2), d = two(3);
  const __m256d first = _mm256_castps_pd(_mm256_unpacklo_ps(a, b)), second = _mm256_castps_pd(_mm256_unpacklo_ps(c, d)),
                third = _mm256_castps_pd(_mm256_unpackhi_ps(a, b)), fourth = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
  auto* out = static_cast<double*>(to);
  _mm256_storeu_pd(out, _mm256_unpacklo_pd(first, second));
  _mm256_storeu_pd(out + 4, _mm256_unpackhi_pd(first, second));
  _mm256_storeu_pd(out + 8, _mm256_unpacklo_pd(third, fourth));
  _mm256_storeu_pd(out + 12, _mm256_unpackhi_pd(third, fourth));
}

}  // namespace bankwise::emulate::BANKWISE_ISA
#endif
