#include "math/fft/fourier.hpp"

#include <cmath>

namespace bankwise::math {

namespace {

constexpr std::size_t largest_factor = 31;
constexpr double pi = 3.14159265358979323846;

std::complex<double> root(std::size_t k, std::size_t length) {
  const double angle = -2 * pi * static_cast<double>(k) / static_cast<double>(length);
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace

fourier::fourier(std::size_t length) : length_(length) {
  std::size_t left = length;
  for (std::size_t f = 4; left > 1 && f <= largest_factor; f = f == 4 ? 2 : f == 2 ? 3 : f + 2)
    while (left % f == 0) {
      factors_.push_back(f);
      left /= f;
    }
  roots_.resize(length);
  if (left == 1) {
    for (std::size_t k = 0; k < length; ++k) roots_[k] = root(k, length);
    return;
  }
  factors_.clear();
  std::size_t padded = 1;
  while (padded < 2 * length - 1) padded *= 2;
  // Removes full turns from the square, so that the angle stays precise.
  for (std::size_t k = 0; k < length; ++k) roots_[k] = root(k * k % (2 * length), 2 * length);
  convolve_ = std::make_unique<fourier>(padded);
  kernel_.resize(padded);
  for (std::size_t k = 0; k < length; ++k) kernel_[k] = kernel_[(padded - k) % padded] = std::conj(roots_[k]);
  convolve_->transform(kernel_.data(), -1);
}

void fourier::split(const number* from, std::size_t step, number* to, std::size_t length, std::size_t factor) const {
  if (length == 1) {
    *to = *from;
    return;
  }
  const std::size_t p = factors_[factor], part = length / p;
  for (std::size_t q = 0; q < p; ++q) split(from + q * step, step * p, to + q * part, part, factor + 1);
  number parts[largest_factor + 1];
  for (std::size_t k = 0; k < part; ++k) {
    for (std::size_t q = 0; q < p; ++q) parts[q] = to[q * part + k] * roots_[q * k * step];
    if (p == 4) {
      const number a = parts[0] + parts[2], b = parts[0] - parts[2], c = parts[1] + parts[3], d = parts[1] - parts[3];
      const number turned(d.imag(), -d.real());
      to[k] = a + c;
      to[part + k] = b + turned;
      to[2 * part + k] = a - c;
      to[3 * part + k] = b - turned;
      continue;
    }
    for (std::size_t r = 0; r < p; ++r) {
      number sum = parts[0];
      for (std::size_t q = 1; q < p; ++q) sum += parts[q] * roots_[q * r % p * part * step];
      to[r * part + k] = sum;
    }
  }
}

void fourier::transform(number* x, int sign) const {
  // The backward transform is the forward transform, with a conjugation before and a conjugation after it.
  const auto conjugate_all = [&] {
    if (sign > 0)
      for (std::size_t k = 0; k < length_; ++k) x[k] = std::conj(x[k]);
  };
  conjugate_all();
  if (convolve_ == nullptr) {
    const std::vector<number> from(x, x + length_);
    split(from.data(), 1, x, length_, 0);
  } else {
    std::vector<number> work(convolve_->length());
    for (std::size_t k = 0; k < length_; ++k) work[k] = x[k] * roots_[k];
    convolve_->transform(work.data(), -1);
    for (std::size_t k = 0; k < work.size(); ++k) work[k] *= kernel_[k];
    convolve_->transform(work.data(), 1);
    for (std::size_t k = 0; k < length_; ++k) x[k] = work[k] * roots_[k] / static_cast<double>(work.size());
  }
  conjugate_all();
}

}  // namespace bankwise::math
