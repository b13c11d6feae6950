#include "math/random/random_streams.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "math/random/sobol.hpp"

namespace bankwise::math {

namespace {

constexpr std::size_t xorwow_sequences = 4096, mrg_sequences = 81920, legacy_mrg_sequences = 4096,
                      philox_sequences = 65536;
// distance between the seeds of consecutive sequences, if each sequence has its own seed
constexpr std::uint64_t seed_step = 0x2fd111;
// 2^67 and 2^76 are the distances between consecutive sequences, in numbers.
constexpr unsigned xorwow_jump = 67, mrg_jump = 76;

// --- linear maps that jump ahead in a sequence

using bits_160 = std::array<std::uint32_t, 5>;
using bit_matrix = std::vector<bits_160>;  // for each input bit: the output bits to which it maps

bits_160 image_of(const bit_matrix& m, const bits_160& v) {
  bits_160 sum{};
  for (std::size_t i = 0; i < 160; ++i)
    if ((v[i / 32] >> (i % 32) & 1) != 0)
      for (std::size_t k = 0; k < 5; ++k) sum[k] ^= m[i][k];
  return sum;
}
bit_matrix square(const bit_matrix& m) {
  bit_matrix s(160);
  for (std::size_t i = 0; i < 160; ++i) s[i] = image_of(m, m[i]);
  return s;
}
bits_160 xorwow_step(const bits_160& v) {
  const std::uint32_t t = v[0] ^ v[0] >> 2;
  return {v[1], v[2], v[3], v[4], v[4] ^ v[4] << 4 ^ t ^ t << 1};
}
bit_matrix xorwow_map() {
  bit_matrix m(160);
  for (std::size_t i = 0; i < 160; ++i) {
    bits_160 one{};
    one[i / 32] = 1u << (i % 32);
    m[i] = xorwow_step(one);
  }
  return m;
}

template <class State>
State begin_xorwow(std::uint64_t seed) {
  const std::uint32_t t0 = 1099087573u * (static_cast<std::uint32_t>(seed) ^ 0xaad26b49),
                      t1 = 2591861531u * (static_cast<std::uint32_t>(seed >> 32) ^ 0xf7dcefdd);
  return {{123456789 + t0, 362436069 ^ t0, 521288629 + t1, 88675123 ^ t1, 5783321 + t0}, 6615241 + t1 + t0};
}

constexpr std::uint64_t m1 = 4294967087, m2 = 4294944443;
using matrix_3 = std::array<std::array<std::uint64_t, 3>, 3>;
using vector_3 = std::array<std::uint64_t, 3>;
constexpr matrix_3 mrg_a = {{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}},
                   mrg_b = {{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}};

vector_3 image_of(const matrix_3& a, const vector_3& v, std::uint64_t m) {
  vector_3 r{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) r[i] = (r[i] + a[i][k] * v[k] % m) % m;
  return r;
}
matrix_3 multiply(const matrix_3& a, const matrix_3& b, std::uint64_t m) {
  matrix_3 r{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) r[i][j] = (r[i][j] + a[i][k] * b[k][j] % m) % m;
  return r;
}
matrix_3 power_of_2(matrix_3 a, unsigned exponent, std::uint64_t m) {
  for (unsigned i = 0; i < exponent; ++i) a = multiply(a, a, m);
  return a;
}

constexpr double mrg_to_word = 1.000000048662, mrg_to_unit = 2.3283065498378288e-10;
constexpr float word_to_unit = 2.3283064e-10f;
constexpr double bits_53_to_unit = 1.1102230246251565e-16;

double double_of(std::uint32_t low, std::uint32_t high) {
  return static_cast<double>(low ^ std::uint64_t{high} << 21) * bits_53_to_unit + bits_53_to_unit / 2;
}
float float_of(std::uint32_t x) { return static_cast<float>(x) * word_to_unit + word_to_unit / 2; }

template <class T>
struct pair_of {
  T x, y;
};
pair_of<float> normal_pair(std::uint32_t a, std::uint32_t b) {
  constexpr float to_circle = word_to_unit * 6.2831855f;
  const float u = float_of(a), v = static_cast<float>(b) * to_circle + to_circle / 2;
  const float s = std::sqrt(-2.0f * std::log(u));
  return {std::sin(v) * s, std::cos(v) * s};
}
pair_of<double> normal_pair(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  const double u = double_of(a, b),
               v = static_cast<double>(c ^ std::uint64_t{d} << 21) * (bits_53_to_unit * 2) + bits_53_to_unit;
  const double s = std::sqrt(-2.0 * std::log(u));
  return {std::sin(v * 3.1415926535897932) * s, std::cos(v * 3.1415926535897932) * s};
}

template <class T>
T placed(T x, T mean, T deviation, bool logarithmic) {
  const T value = x * deviation + mean;
  return logarithmic ? std::exp(value) : value;
}

}  // namespace

std::uint32_t random_stream::xorwow_state::next() {
  v = xorwow_step(v);
  d += 362437;
  return v[4] + d;
}

double random_stream::mrg_state::next() {
  a = image_of(mrg_a, a, m1);
  b = image_of(mrg_b, b, m2);
  return static_cast<double>(a[2] > b[2] ? a[2] - b[2] : a[2] + m1 - b[2]);
}

std::optional<random_stream> random_stream::make(int type, int order, std::uint64_t seed, std::uint64_t offset,
                                                 unsigned dimensions) {
  random_stream made;
  made.type_ = type;
  made.dimensions_ = dimensions;
  made.seed_ = seed;
  const bool usual = order == best_order || order == default_order || order == legacy_order;
  if (type == xorwow && (usual || order == seeded_order)) {
    std::uint64_t steps = offset / xorwow_sequences;
    const auto weyl = 362437 * static_cast<std::uint32_t>(steps);
    bit_matrix power = xorwow_map(), skip(160);
    for (std::size_t i = 0; i < 160; ++i) skip[i][i / 32] = 1u << (i % 32);
    for (unsigned e = 0; e < xorwow_jump; ++e, steps >>= 1) {
      if ((steps & 1) != 0)
        for (bits_160& row : skip) row = image_of(power, row);
      power = square(power);
    }
    xorwow_state s = begin_xorwow<xorwow_state>(seed);
    for (std::size_t i = 0; i < xorwow_sequences; ++i) {
      if (order == seeded_order) s = begin_xorwow<xorwow_state>(seed + i * seed_step);
      made.xorwows_.push_back({image_of(skip, s.v), s.d + weyl});
      if (order != seeded_order) s.v = image_of(power, s.v);
    }
    made.next_ = offset % xorwow_sequences;
    for (std::size_t i = 0; i < made.next_; ++i) made.xorwows_[i].next();
    return made;
  }
  if (type == mrg32k3a && usual) {
    const std::size_t sequences = order == legacy_order ? legacy_mrg_sequences : mrg_sequences;
    mrg_state s{{12345, 12345, 12345}, {12345, 12345, 12345}};
    if (seed != 0) {
      const std::uint64_t x1 = static_cast<std::uint32_t>(seed) ^ 0x55555555u,
                          x2 = static_cast<std::uint32_t>(seed >> 32) ^ 0xaaaaaaaau;
      s.a = {x1 * 12345 % m1, x2 * 12345 % m1, x1 * 12345 % m1};
      s.b = {x2 * 12345 % m2, x1 * 12345 % m2, x2 * 12345 % m2};
    }
    std::uint64_t steps = offset / sequences;
    matrix_3 a = mrg_a, b = mrg_b;
    for (; steps != 0; steps >>= 1) {
      if ((steps & 1) != 0) {
        s.a = image_of(a, s.a, m1);
        s.b = image_of(b, s.b, m2);
      }
      a = multiply(a, a, m1);
      b = multiply(b, b, m2);
    }
    a = power_of_2(mrg_a, mrg_jump, m1);
    b = power_of_2(mrg_b, mrg_jump, m2);
    for (std::size_t i = 0; i < sequences; ++i) {
      made.mrgs_.push_back(s);
      s = {image_of(a, s.a, m1), image_of(b, s.b, m2)};
    }
    made.next_ = offset % sequences;
    for (std::size_t i = 0; i < made.next_; ++i) made.mrgs_[i].next();
    return made;
  }
  if (type == philox && usual) {
    made.at_ = offset % 4;
    made.next_ = offset / 4 % philox_sequences;
    made.blocks_.assign(philox_sequences, offset / 4 / philox_sequences);
    for (std::size_t i = 0; i < made.next_; ++i) ++made.blocks_[i];
    return made;
  }
  made.at_ = offset;
  if ((type == sobol32 || type == sobol64) && order == quasi_order) return made;
  return std::nullopt;
}

std::array<std::uint32_t, 4> random_stream::block(std::uint64_t sequence, std::uint64_t number) const {
  std::array<std::uint32_t, 4> c = {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32),
                                    static_cast<std::uint32_t>(sequence), static_cast<std::uint32_t>(sequence >> 32)};
  auto k0 = static_cast<std::uint32_t>(seed_), k1 = static_cast<std::uint32_t>(seed_ >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xd2511f53} * c[0], q = std::uint64_t{0xcd9e8d57} * c[2];
    c = {static_cast<std::uint32_t>(q >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(q),
         static_cast<std::uint32_t>(p >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p)};
    k0 += 0x9e3779b9;
    k1 += 0xbb67ae85;
  }
  return c;
}

template <class Use>
void random_stream::for_blocks(std::size_t count, unsigned each, Use use) {
  for (std::size_t i = 0; i < count;) {
    std::array<std::uint32_t, 8> words{};
    for (unsigned b = 0; b < each; ++b) {
      const auto four = block(next_, blocks_[next_] + b);
      std::copy(four.begin(), four.end(), words.begin() + b * 4);
    }
    for (; at_ < 4 && i < count; ++i, ++at_) use(i, static_cast<unsigned>(at_), words);
    if (at_ < 4) return;
    at_ = 0;
    blocks_[next_] += each;
    next_ = (next_ + 1) % philox_sequences;
  }
}

std::size_t random_stream::take_sequence() {
  const std::size_t taken = next_;
  next_ = (next_ + 1) % (type_ == xorwow ? xorwows_.size() : mrgs_.size());
  return taken;
}

template <class Put>
void random_stream::take_quasi(std::size_t count, unsigned bits, Put put) {
  const std::size_t each = count / dimensions_;
  for (unsigned d = 0; d < dimensions_; ++d) {
    const auto directions = sobol_directions(d, bits);
    for (std::size_t i = 0; i < each; ++i) {
      const std::uint64_t n = at_ + i;
      std::uint64_t word = 0;
      for (std::uint64_t gray = n ^ n >> 1; gray != 0; gray &= gray - 1) word ^= directions[std::countr_zero(gray)];
      put(d * each + i, word);
    }
  }
  at_ += each;
}

void random_stream::words(std::uint32_t* to, std::size_t count) {
  switch (type_) {
    case xorwow:
      for (std::size_t i = 0; i < count; ++i) to[i] = xorwows_[take_sequence()].next();
      return;
    case mrg32k3a:
      for (std::size_t i = 0; i < count; ++i)
        to[i] = static_cast<std::uint32_t>(mrgs_[take_sequence()].next() * mrg_to_word);
      return;
    case philox: return for_blocks(count, 1, [&](std::size_t i, unsigned k, const auto& w) { to[i] = w[k]; });
    default:
      return take_quasi(count, 32, [&](std::size_t i, std::uint64_t w) { to[i] = static_cast<std::uint32_t>(w); });
  }
}

void random_stream::long_words(std::uint64_t* to, std::size_t count) {
  take_quasi(count, 64, [&](std::size_t i, std::uint64_t w) { to[i] = w; });
}

void random_stream::uniform(float* to, std::size_t count) {
  if (type_ == sobol32 || type_ == sobol64) {
    const unsigned bits = type_ == sobol64 ? 64 : 32;
    return take_quasi(count, bits, [&](std::size_t i, std::uint64_t w) {
      to[i] = float_of(static_cast<std::uint32_t>(w >> (bits - 32)));
    });
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t word = 0;
    if (type_ == mrg32k3a) {
      to[i] = static_cast<float>(mrgs_[take_sequence()].next() * mrg_to_unit);
      continue;
    }
    words(&word, 1);
    to[i] = float_of(word);
  }
}

void random_stream::uniform(double* to, std::size_t count) {
  switch (type_) {
    case xorwow:
      for (std::size_t i = 0; i < count; ++i) {
        xorwow_state& s = xorwows_[take_sequence()];
        const std::uint32_t low = s.next();
        to[i] = double_of(low, s.next());
      }
      return;
    case mrg32k3a:
      for (std::size_t i = 0; i < count; ++i) to[i] = mrgs_[take_sequence()].next() * mrg_to_unit;
      return;
    case philox:
      return for_blocks(count, 2,
                        [&](std::size_t i, unsigned k, const auto& w) { to[i] = double_of(w[2 * k], w[2 * k + 1]); });
    case sobol32:
      return take_quasi(count, 32, [&](std::size_t i, std::uint64_t w) {
        constexpr double unit = 2.3283064365386963e-10;
        to[i] = static_cast<double>(w) * unit + unit;
      });
    default:
      return take_quasi(count, 64, [&](std::size_t i, std::uint64_t w) {
        to[i] = static_cast<double>(w >> 11) * bits_53_to_unit + bits_53_to_unit / 2;
      });
  }
}

void random_stream::normal(float* to, std::size_t count, float mean, float deviation, bool logarithmic) {
  const auto put = [&](std::size_t i, pair_of<float> p) {
    to[i] = placed(p.x, mean, deviation, logarithmic);
    to[i + 1] = placed(p.y, mean, deviation, logarithmic);
  };
  if (type_ == philox)
    return for_blocks(count, 1, [&](std::size_t i, unsigned k, const auto& w) {
      const pair_of<float> p = normal_pair(w[k & 2], w[(k & 2) + 1]);
      to[i] = placed(k % 2 == 0 ? p.x : p.y, mean, deviation, logarithmic);
    });
  for (std::size_t i = 0; i < count; i += 2) {
    if (type_ == xorwow) {
      xorwow_state& s = xorwows_[take_sequence()];
      const std::uint32_t first = s.next();
      put(i, normal_pair(first, s.next()));
      continue;
    }
    mrg_state& s = mrgs_[take_sequence()];
    const auto u = static_cast<float>(s.next() * mrg_to_unit),
               v = static_cast<float>(s.next() * mrg_to_unit) * 6.2831855f;
    const float r = std::sqrt(-2.0f * std::log(u));
    put(i, {std::sin(v) * r, std::cos(v) * r});
  }
}

void random_stream::normal(double* to, std::size_t count, double mean, double deviation, bool logarithmic) {
  const auto put = [&](std::size_t i, pair_of<double> p) {
    to[i] = placed(p.x, mean, deviation, logarithmic);
    to[i + 1] = placed(p.y, mean, deviation, logarithmic);
  };
  if (type_ == philox)
    return for_blocks(count, 2, [&](std::size_t i, unsigned k, const auto& w) {
      const unsigned b = k < 2 ? 0 : 4;
      const pair_of<double> p = normal_pair(w[b], w[b + 1], w[b + 2], w[b + 3]);
      to[i] = placed(k % 2 == 0 ? p.x : p.y, mean, deviation, logarithmic);
    });
  for (std::size_t i = 0; i < count; i += 2) {
    if (type_ == xorwow) {
      xorwow_state& s = xorwows_[take_sequence()];
      const std::uint32_t a = s.next(), b = s.next(), c = s.next();
      put(i, normal_pair(a, b, c, s.next()));
      continue;
    }
    mrg_state& s = mrgs_[take_sequence()];
    const double u = s.next() * mrg_to_unit, v = s.next() * mrg_to_unit * 6.2831853071795860;
    const double r = std::sqrt(-2.0 * std::log(u));
    put(i, {std::sin(v) * r, std::cos(v) * r});
  }
}

}  // namespace bankwise::math
