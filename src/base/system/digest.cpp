#include "base/system/digest.hpp"

#include <sys/auxv.h>

#include <array>
#include <cstring>

#include "base/random_numbers.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace bankwise {

namespace {

constexpr std::size_t stripe_words = 8, stripe_bytes = stripe_words * sizeof(std::uint64_t);
constexpr std::size_t stripes_in_round = 16;
constexpr std::uint64_t spread = 0x9e3779b1;  // prime number

using stripe = std::array<std::uint64_t, stripe_words>;

// Random numbers, different for each stripe of a round, and for both ends of the computation.
struct secrets {
  std::array<stripe, stripes_in_round> of_stripe;
  stripe of_round, low, high;
};

secrets make_secrets() {
  // The kernel gives 16 random bytes to each process.
  std::array<std::uint64_t, 2> seed{};
  if (const auto* const given = reinterpret_cast<const void*>(::getauxval(AT_RANDOM)); given != nullptr)
    std::memcpy(seed.data(), given, sizeof seed);
  random_numbers one(seed[0]), other(seed[1]);
  secrets s{};
  const auto fill = [&](stripe& to) {
    for (std::uint64_t& n : to) n = one.next() ^ other.next() << 1;
  };
  for (stripe& to : s.of_stripe) fill(to);
  for (stripe* const to : {&s.of_round, &s.low, &s.high}) fill(*to);
  return s;
}

#ifdef __SSE2__
void add(stripe& sum, const std::byte* at, const stripe& secret) {
  for (std::size_t i = 0; i < stripe_words; i += 2) {
    auto* const to = reinterpret_cast<__m128i*>(sum.data() + i);
    const __m128i data = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + i * sizeof(std::uint64_t)));
    const __m128i mixed = _mm_xor_si128(data, _mm_loadu_si128(reinterpret_cast<const __m128i*>(secret.data() + i)));
    const __m128i product = _mm_mul_epu32(mixed, _mm_srli_epi64(mixed, 32));
    const __m128i swapped = _mm_shuffle_epi32(data, _MM_SHUFFLE(1, 0, 3, 2));
    _mm_storeu_si128(to, _mm_add_epi64(_mm_add_epi64(_mm_loadu_si128(to), swapped), product));
  }
}
#else
void add(stripe& sum, const std::byte* at, const stripe& secret) {
  stripe data;
  std::memcpy(data.data(), at, sizeof data);
  for (std::size_t i = 0; i < stripe_words; ++i) {
    const std::uint64_t mixed = data[i] ^ secret[i];
    sum[i ^ 1] += data[i];
    sum[i] += (mixed & 0xffffffff) * (mixed >> 32);
  }
}
#endif

void end_round(stripe& sum, const stripe& secret) {
  for (std::size_t i = 0; i < stripe_words; ++i) sum[i] = (sum[i] ^ sum[i] >> 47 ^ secret[i]) * spread;
}

std::uint64_t folded(const stripe& sum, const stripe& secret, std::uint64_t bytes) {
  __extension__ using wide = unsigned __int128;
  std::uint64_t all = bytes * random_step;
  for (std::size_t i = 0; i < stripe_words; i += 2) {
    const wide product = wide{sum[i] ^ secret[i]} * (sum[i + 1] ^ secret[i + 1]);
    all += static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  return mixed_bits(all);
}

}  // namespace

digest digest_of(std::span<const std::byte> bytes) {
  static const secrets secret = make_secrets();
  stripe sum = secret.of_round;
  const std::size_t whole = bytes.size() / stripe_bytes;
  for (std::size_t n = 0; n < whole; ++n) {
    add(sum, bytes.data() + n * stripe_bytes, secret.of_stripe[n % stripes_in_round]);
    if (n % stripes_in_round == stripes_in_round - 1) end_round(sum, secret.of_round);
  }
  if (const std::size_t rest = bytes.size() % stripe_bytes; rest != 0) {
    std::array<std::byte, stripe_bytes> last{};
    std::memcpy(last.data(), bytes.data() + whole * stripe_bytes, rest);
    add(sum, last.data(), secret.of_stripe[whole % stripes_in_round]);
  }
  end_round(sum, secret.of_round);
  return {folded(sum, secret.low, bytes.size()), folded(sum, secret.high, ~bytes.size())};
}

}  // namespace bankwise
