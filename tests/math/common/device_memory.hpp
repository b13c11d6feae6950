// Helpers of the tests of math libraries: vectors on the device, and small integers. All sums of these integers are
// exact in every type, so that results can be compared for equality.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <random>
#include <vector>

#include "math/common/elements.hpp"
#include "runtime/cudart/entries.hpp"

namespace bankwise::test {

template <class T>
class on_device {
 public:
  explicit on_device(const std::vector<T>& values) : count_(values.size()) {
    EXPECT_EQ(cuda::cudaMalloc(&at_, bytes()), cuda::cudaSuccess);
    EXPECT_EQ(cuda::cudaMemcpy(at_, values.data(), bytes(), cuda::host_to_device), cuda::cudaSuccess);
  }
  ~on_device() { cuda::cudaFree(at_); }
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;
  operator T*() const { return static_cast<T*>(at_); }
  T* get() const { return static_cast<T*>(at_); }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    EXPECT_EQ(cuda::cudaMemcpy(values.data(), at_, bytes(), cuda::device_to_host), cuda::cudaSuccess);
    return values;
  }

 private:
  std::size_t bytes() const { return std::max<std::size_t>(count_ * sizeof(T), 1); }
  void* at_ = nullptr;
  std::size_t count_;
};

inline int small_number() {
  static std::mt19937 random(1);
  return static_cast<int>(random() % 7) - 3;
}
inline void set_small(float& x) { x = static_cast<float>(small_number()); }
inline void set_small(double& x) { x = small_number(); }
template <class T>
void set_small(std::complex<T>& x) {
  x = std::complex<T>(static_cast<T>(small_number()), static_cast<T>(small_number()));
}
template <class T>
std::vector<T> small_numbers(std::size_t count) {
  std::vector<T> all(count);
  for (T& x : all) set_small(x);
  return all;
}
// Converts the numbers to bytes of the given element type.
inline std::vector<std::byte> bytes_of_numbers(const std::vector<double>& values, int type) {
  std::vector<std::byte> bytes(values.size() * static_cast<std::size_t>(math::bytes_of(type)));
  for (std::size_t i = 0; i < values.size(); ++i)
    math::put_number<double>(&bytes[i * static_cast<std::size_t>(math::bytes_of(type))], type, values[i]);
  return bytes;
}
inline std::vector<double> numbers_of_bytes(const std::vector<std::byte>& bytes, int type) {
  const auto size = static_cast<std::size_t>(math::bytes_of(type));
  std::vector<double> values(bytes.size() / size);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = math::number_of<double>(&bytes[i * size], type);
  return values;
}

}  // namespace bankwise::test
