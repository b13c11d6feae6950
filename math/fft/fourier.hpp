// Discrete Fourier transforms of any length, computed as doubles. The length is divided into factors of 4, 2, 3, 5 and
// larger primes. If the length has a large prime factor, the transform is computed as a convolution (Bluestein).
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace bankwise::math {

class fourier {
 public:
  explicit fourier(std::size_t length);
  // Transforms x in place. Element j becomes the sum of x[k] * exp(sign * 2 pi i j k / length), which is not divided by
  // the length.
  void transform(std::complex<double>* x, int sign) const;
  std::size_t length() const { return length_; }

 private:
  using number = std::complex<double>;
  void split(const number* from, std::size_t step, number* to, std::size_t length, std::size_t factor) const;

  std::size_t length_;
  std::vector<std::size_t> factors_;   // empty if the transform is a convolution
  std::vector<number> roots_;          // exp(-2 pi i k / length); for a convolution, exp(-pi i k^2 / length)
  std::unique_ptr<fourier> convolve_;  // a transform whose length is a power of 2
  std::vector<number> kernel_;         // the transform of the convolution's kernel
};

}  // namespace bankwise::math
