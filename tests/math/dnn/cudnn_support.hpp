// Helpers of the tests of cuDNN: its entry points, tensors on the device with any type and strides, and gradients by
// finite differences.
#pragma once

#include <cmath>
#include <functional>
#include <numeric>

#include "math/common/device_memory.hpp"
#include "math/dnn/dnn_descriptors.hpp"
#include "math/dnn/graph/graph_descriptor.hpp"

struct dnn_recurrent;
struct dnn_sequences;
namespace bankwise::dnn {
extern "C" {
#define ENTRY(name, parameters) int name parameters;
#include "math/dnn/cudnn_entries.def"
#undef ENTRY
}
}  // namespace bankwise::dnn

namespace bankwise::test {

using namespace dnn;

inline tensor strided(int type, std::initializer_list<index_t> dims, tensor_format format = nchw) {
  tensor t = packed(type, dims);
  set_packed_strides(t, format);
  return t;
}
// Returns the tensor with a gap after each element.
inline tensor with_gaps(tensor t) {
  for (int d = 0; d < t.rank; ++d) t.strides[d] *= 2;
  return t;
}

inline std::vector<double> small_doubles(index_t count) {
  return small_numbers<double>(static_cast<std::size_t>(count));
}
// Returns different numbers between -1 and 1.
inline std::vector<double> fractions(index_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<double> all(static_cast<std::size_t>(count));
  for (double& x : all) x = static_cast<double>(random()) / 2147483648.0 - 1;
  return all;
}

// A tensor on the device in its own layout. Tests read and write the elements in the order of the dimensions.
class device_tensor {
 public:
  device_tensor(const tensor& t, const std::vector<double>& values) : shape_(t), bytes_(laid_out(t, values)) {}
  explicit device_tensor(const tensor& t)
      : device_tensor(t, std::vector<double>(static_cast<std::size_t>(count_of(t)), 0)) {}
  const tensor* shape() const { return &shape_; }
  void* at() const { return bytes_.get(); }
  std::vector<double> read() const { return numbers<double>(shape_, bytes_.read().data()); }

 private:
  static std::vector<std::byte> laid_out(const tensor& t, const std::vector<double>& values) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(bytes_of(t)));
    blend(t, bytes.data(), values.data());
    return bytes;
  }
  tensor shape_;
  on_device<std::byte> bytes_;
};

// A scaling factor in the type that the call expects: a double for tensors of doubles, otherwise a float.
class factor_of {
 public:
  factor_of(int type, double value) : is_double_(type == f64), wide_(value), narrow_(static_cast<float>(value)) {}
  operator const void*() const { return is_double_ ? static_cast<const void*>(&wide_) : &narrow_; }

 private:
  bool is_double_;
  double wide_;
  float narrow_;
};

inline double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
// Returns the gradient of f at x, computed by finite differences.
inline std::vector<double> differences(std::vector<double> x,
                                       const std::function<double(const std::vector<double>&)>& f) {
  constexpr double step = 1e-5;
  std::vector<double> slopes;
  for (double& one : x) {
    const double here = one;
    one = here + step;
    const double above = f(x);
    one = here - step;
    slopes.push_back((above - f(x)) / (2 * step));
    one = here;
  }
  return slopes;
}
inline void expect_near(const std::vector<double>& a, const std::vector<double>& b, double most,
                        const char* what = "") {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], most * (1 + std::fabs(b[i]))) << what << " " << i;
}

class with_cudnn : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cudnnCreate(&h), success); }
  void TearDown() override { EXPECT_EQ(cudnnDestroy(h), success); }
  math::handle* h = nullptr;
};

}  // namespace bankwise::test
