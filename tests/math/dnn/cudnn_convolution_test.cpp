// Compares cuDNN's convolutions with explicit sums: one to three dimensions, all types and layouts, strides, paddings,
// dilations, groups. The elements are small integers, so that every sum is exact.
#include "math/dnn/cudnn_support.hpp"

namespace bankwise::test {
extern "C" {
std::size_t cudnnGetVersion();
const char* cudnnGetErrorString(int);
void cudnnGetLastErrorString(char*, std::size_t);
int cudnnIm2Col();
}

namespace {

struct sizes {
  int rank;
  index_t images, in_channels, out_channels, groups;
  index_t in[3], window[3], before[3], stride[3], dilation[3];
  int mode = cross_correlation;

  index_t out(int a) const { return results_of(in[a], 2 * before[a], window[a], stride[a], dilation[a]); }
  tensor make(int type, tensor_format format, index_t first, index_t second,
              const std::function<index_t(int)>& size) const {
    tensor t;
    t.type = type;
    t.rank = rank + 2;
    t.dims[0] = first;
    t.dims[1] = second;
    for (int a = 0; a < rank; ++a) t.dims[a + 2] = size(a);
    set_packed_strides(t, format);
    return t;
  }
  tensor x(int type, tensor_format f) const {
    return make(type, f, images, in_channels, [this](int a) { return in[a]; });
  }
  tensor w(int type, tensor_format f) const {
    return make(type, f, out_channels, in_channels / groups, [this](int a) { return window[a]; });
  }
  tensor y(int type, tensor_format f) const {
    return make(type, f, images, out_channels, [this](int a) { return out(a); });
  }
};

// For every product, calls body(element of y, element of x, element of the filter).
template <class F>
void for_products(const sizes& s, F body) {
  const tensor w = s.w(f32, nchw), y = s.y(f32, nchw);
  const index_t pixels = count_of(y) / (y.dims[0] * y.dims[1]), taps = count_of(w) / (w.dims[0] * w.dims[1]);
  for (index_t n = 0; n < s.images; ++n)
    for (index_t k = 0; k < s.out_channels; ++k)
      for (index_t p = 0; p < pixels; ++p)
        for (index_t c = 0; c < w.dims[1]; ++c)
          for (index_t t = 0; t < taps; ++t) {
            index_t pixel = p, tap = s.mode == convolution_flipped ? taps - 1 - t : t, from = 0, step = 1;
            bool inside = true;
            for (int a = s.rank - 1; a >= 0; --a) {
              const index_t at = pixel % s.out(a) * s.stride[a] + tap % s.window[a] * s.dilation[a] - s.before[a];
              inside = inside && at >= 0 && at < s.in[a];
              from += at * step;
              step *= s.in[a];
              pixel /= s.out(a);
              tap /= s.window[a];
            }
            const index_t channel = k / (s.out_channels / s.groups) * w.dims[1] + c;
            if (inside)
              body((n * s.out_channels + k) * pixels + p, (n * s.in_channels + channel) * step + from,
                   (k * w.dims[1] + c) * taps + t);
          }
}

convolution describe(const sizes& s) {
  convolution* made = nullptr;
  EXPECT_EQ(cudnnCreateConvolutionDescriptor(&made), success);
  const auto ints = [&](const index_t* from) { return std::vector<int>(from, from + s.rank); };
  EXPECT_EQ(cudnnSetConvolutionNdDescriptor(made, s.rank, ints(s.before).data(), ints(s.stride).data(),
                                            ints(s.dilation).data(), s.mode, f32),
            success);
  EXPECT_EQ(cudnnSetConvolutionGroupCount(made, static_cast<int>(s.groups)), success);
  const convolution c = *made;
  EXPECT_EQ(cudnnDestroyConvolutionDescriptor(made), success);
  return c;
}

const sizes all_sizes[] = {
    {2, 2, 3, 4, 1, {9, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {2, 1, 4, 6, 2, {11, 7}, {5, 2}, {2, 0}, {2, 3}, {1, 2}},
    {2, 3, 4, 8, 4, {6, 6}, {3, 3}, {2, 1}, {1, 2}, {2, 1}, convolution_flipped},
    {2, 2, 5, 7, 1, {5, 4}, {1, 1}, {0, 0}, {1, 1}, {1, 1}},
    {2, 1, 2, 3, 1, {5, 5}, {1, 1}, {1, 0}, {2, 1}, {1, 1}},
    {1, 2, 3, 4, 1, {17}, {4}, {3}, {2}, {2}},
    {3, 2, 2, 3, 1, {5, 6, 4}, {2, 3, 2}, {1, 1, 0}, {2, 1, 1}, {1, 1, 2}},
    {2, 1, 2, 2, 1, {2, 3}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
};

using Convolution = with_cudnn;

TEST_F(Convolution, IsTheSumOfItsProducts) {
  for (const sizes& s : all_sizes)
    for (const int type : {f32, f64, f16, bf16})
      for (const tensor_format format : {nchw, nhwc}) {
        const convolution c = describe(s);
        const filter w_shape{s.w(type, format), format};
        const tensor x_shape = with_gaps(s.x(type, format)), y_shape = s.y(type, format);
        std::vector<double> x = small_doubles(count_of(x_shape)), w = small_doubles(count_of(w_shape.shape)),
                            y = small_doubles(count_of(y_shape));
        const device_tensor on_x(x_shape, x), on_w(w_shape.shape, w), on_y(y_shape, y);
        const factor_of two(type, 2), minus(type, -1);
        ASSERT_EQ(cudnnConvolutionForward(h, two, &x_shape, on_x.at(), &w_shape, on_w.at(), &c, 1, nullptr, 0, minus,
                                          &y_shape, on_y.at()),
                  success);
        for (double& one : y) one = -one;
        for_products(s, [&](index_t to, index_t from, index_t with) { y[to] += 2 * x[from] * w[with]; });
        // Halves represent integers up to 2048 exactly, bfloat16 numbers represent integers up to 256 exactly.
        expect_near(on_y.read(), y, type == bf16 ? 0.01 : 0);
      }
}

TEST_F(Convolution, HasTheGradientsOfItsSum) {
  for (const sizes& s : all_sizes)
    for (const int type : {f32, f64, f16})
      for (const tensor_format format : {nchw, nhwc}) {
        const convolution c = describe(s);
        const filter w_shape{s.w(type, format), format};
        const tensor x_shape = s.x(type, format), y_shape = s.y(type, format);
        const std::vector<double> x = small_doubles(count_of(x_shape)), w = small_doubles(count_of(w_shape.shape)),
                                  dy = small_doubles(count_of(y_shape));
        std::vector<double> dx(x.size()), dw = small_doubles(count_of(w_shape.shape));
        const device_tensor on_x(x_shape, x), on_w(w_shape.shape, w), on_dy(y_shape, dy), on_dx(x_shape),
            on_dw(w_shape.shape, dw);
        const factor_of one(type, 1), none(type, 0);
        ASSERT_EQ(cudnnConvolutionBackwardData(h, one, &w_shape, on_w.at(), &y_shape, on_dy.at(), &c, 1, nullptr, 0,
                                               none, &x_shape, on_dx.at()),
                  success);
        ASSERT_EQ(cudnnConvolutionBackwardFilter(h, one, &x_shape, on_x.at(), &y_shape, on_dy.at(), &c, 1, nullptr, 0,
                                                 one, &w_shape, on_dw.at()),
                  success);
        for_products(s, [&](index_t to, index_t from, index_t with) {
          dx[from] += dy[to] * w[with];
          dw[with] += dy[to] * x[from];
        });
        expect_near(on_dx.read(), dx, 0, "x");
        expect_near(on_dw.read(), dw, 0, "filter");
      }
}

TEST_F(Convolution, AddsBiasAndActivates) {
  const sizes& s = all_sizes[1];
  const convolution c = describe(s);
  const filter w_shape{s.w(f32, nchw), nchw};
  const tensor x_shape = s.x(f32, nchw), y_shape = s.y(f32, nchw), b_shape = packed(f32, {1, s.out_channels, 1, 1});
  const std::vector<double> x = small_doubles(count_of(x_shape)), w = small_doubles(count_of(w_shape.shape)),
                            z = small_doubles(count_of(y_shape)), b = small_doubles(s.out_channels);
  const device_tensor on_x(x_shape, x), on_w(w_shape.shape, w), on_z(y_shape, z), on_b(b_shape, b), on_y(y_shape),
      sums(b_shape);
  activation rectifier;
  rectifier.mode = relu;
  const factor_of one(f32, 1), half(f32, 0.5), none(f32, 0);
  ASSERT_EQ(
      cudnnConvolutionBiasActivationForward(h, one, &x_shape, on_x.at(), &w_shape, on_w.at(), &c, 1, nullptr, 0, half,
                                            &y_shape, on_z.at(), &b_shape, on_b.at(), &rectifier, &y_shape, on_y.at()),
      success);
  std::vector<double> y(z.size()), of_channel(b.size());
  for_products(s, [&](index_t to, index_t from, index_t with) { y[to] += x[from] * w[with]; });
  const auto pixels = y.size() / static_cast<std::size_t>(s.images * s.out_channels);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = std::max(0.0, y[i] + 0.5 * z[i] + b[i / pixels % b.size()]);
    of_channel[i / pixels % b.size()] += z[i];
  }
  EXPECT_EQ(on_y.read(), y);
  ASSERT_EQ(cudnnConvolutionBackwardBias(h, one, &y_shape, on_z.at(), none, &b_shape, sums.at()), success);
  EXPECT_EQ(sums.read(), of_channel);
}

TEST_F(Convolution, OneAlgorithmWithoutWorkspace) {
  const sizes& s = all_sizes[0];
  const convolution c = describe(s);
  const tensor x = s.x(f32, nchw), y = s.y(f32, nchw);
  const filter w{s.w(f32, nchw), nchw};
  int count = 0;
  algorithm_result results[4];
  ASSERT_EQ(cudnnGetConvolutionForwardAlgorithm_v7(h, &x, &w, &c, &y, 4, &count, results), success);
  ASSERT_EQ(count, 1);
  EXPECT_EQ(results[0].state, success);
  EXPECT_EQ(results[0].memory, 0u);
  EXPECT_EQ(results[0].determinism, 1);
  std::size_t bytes = 1;
  EXPECT_EQ(cudnnGetConvolutionForwardWorkspaceSize(h, &x, &w, &c, &y, results[0].algorithm, &bytes), success);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(cudnnFindConvolutionBackwardDataAlgorithm(h, &w, &y, &c, &x, 4, &count, results), success);
  EXPECT_EQ(cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(h, &count), success);
  int dims[4];
  EXPECT_EQ(cudnnGetConvolutionNdForwardOutputDim(&c, &x, &w, 4, dims), success);
  for (int d = 0; d < 4; ++d) EXPECT_EQ(dims[d], y.dims[d]);
}

// In a graph, each launch computes the convolution again with the present values.
TEST_F(Convolution, IsANodeOfACapturedGraph) {
  const sizes& s = all_sizes[0];
  const convolution c = describe(s);
  const filter w_shape{s.w(f32, nchw), nchw};
  const tensor x_shape = s.x(f32, nchw), y_shape = s.y(f32, nchw);
  const std::vector<double> x = small_doubles(count_of(x_shape)), w = small_doubles(count_of(w_shape.shape));
  std::vector<double> y(static_cast<std::size_t>(count_of(y_shape)));
  const device_tensor on_x(x_shape, x), on_w(w_shape.shape, w), on_y(y_shape);
  cuda::stream* on = nullptr;
  cuda::graph* captured = nullptr;
  cuda::graph_exec* made = nullptr;
  ASSERT_EQ(cuda::cudaStreamCreateWithFlags(&on, 1), cuda::cudaSuccess);
  ASSERT_EQ(cudnnSetStream(h, on), success);
  ASSERT_EQ(cuda::cudaStreamBeginCapture(on, 0), cuda::cudaSuccess);
  const factor_of one(f32, 1);
  ASSERT_EQ(cudnnConvolutionForward(h, one, &x_shape, on_x.at(), &w_shape, on_w.at(), &c, 1, nullptr, 0, one, &y_shape,
                                    on_y.at()),
            success);
  ASSERT_EQ(cuda::cudaStreamEndCapture(on, &captured), cuda::cudaSuccess);
  ASSERT_EQ(cuda::cudaGraphInstantiate(&made, captured, 0), cuda::cudaSuccess);
  EXPECT_EQ(on_y.read(), y);
  for (int launch = 0; launch < 3; ++launch) EXPECT_EQ(cuda::cudaGraphLaunch(made, on), cuda::cudaSuccess);
  EXPECT_EQ(cuda::cudaStreamSynchronize(on), cuda::cudaSuccess);
  for_products(s, [&](index_t to, index_t from, index_t with) { y[to] += 3 * x[from] * w[with]; });
  EXPECT_EQ(on_y.read(), y);
}

TEST_F(Convolution, RefusesTensorsThatNoMemoryHolds) {
  tensor t;
  const int large[] = {1 << 30, 1 << 30, 1 << 30, 1 << 30}, negative[] = {2, -3, 4, 5}, steps[] = {1, 1, 1, -1},
            fine[] = {2, 3, 4, 5};
  for (const int format : {nchw, nhwc}) EXPECT_EQ(cudnnSetTensorNdDescriptorEx(&t, format, f32, 4, large), bad_param);
  EXPECT_EQ(cudnnSetTensorNdDescriptorEx(&t, nchw, f32, 4, negative), bad_param);
  EXPECT_EQ(cudnnSetTensorNdDescriptor(&t, f32, 4, fine, steps), bad_param);
  EXPECT_EQ(cudnnSetTensorNdDescriptor(&t, f32, 9, fine, fine), bad_param);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudnnSetTensorNdDescriptorEx(&t, nchw, 77, 4, fine), not_supported);
  EXPECT_EQ(cudnnSetTensorNdDescriptorEx(&t, 2, f32, 4, fine), not_supported);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("cudnnDataType_t 77"), std::string::npos) << said;
  EXPECT_NE(said.find("CUDNN_TENSOR_NCHW_VECT_C"), std::string::npos) << said;
  ASSERT_EQ(cudnnSetTensorNdDescriptorEx(&t, nhwc, f32, 4, fine), success);
  const index_t expected[] = {60, 1, 15, 3};
  for (int d = 0; d < 4; ++d) EXPECT_EQ(t.strides[d], expected[d]);
}

TEST_F(Convolution, RefusesWhatDoesNotFit) {
  const sizes& s = all_sizes[0];
  const convolution c = describe(s);
  filter w{s.w(f32, nchw), nchw};
  tensor x = s.x(f32, nchw), y = s.y(f32, nchw);
  const device_tensor on_x(x), on_w(w.shape), on_y(y);
  const factor_of one(f32, 1);
  const auto forward = [&] {
    return cudnnConvolutionForward(h, one, &x, on_x.at(), &w, on_w.at(), &c, 1, nullptr, 0, one, &y, on_y.at());
  };
  EXPECT_EQ(forward(), success);
  testing::internal::CaptureStderr();
  y.dims[3] += 1;
  EXPECT_EQ(forward(), bad_param);
  y.dims[3] -= 1;
  w.shape.dims[1] = 2;
  EXPECT_EQ(forward(), bad_param);
  EXPECT_EQ(cudnnIm2Col(), not_supported);
  const std::string said = testing::internal::GetCapturedStderr();
  for (const char* what : {"the size of the result does not match the convolution",
                           "channels, filters and groups do not match", "cudnnIm2Col is not in bankwise's cuDNN yet"})
    EXPECT_NE(said.find(what), std::string::npos) << said;
  char text[200];
  cudnnGetLastErrorString(text, sizeof text);
  EXPECT_NE(std::string(text).find("channels, filters and groups do not match"), std::string::npos) << text;
  EXPECT_EQ(cudnnConvolutionForward(h, one, &x, on_x.at(), nullptr, on_w.at(), &c, 1, nullptr, 0, one, &y, on_y.at()),
            bad_param_null);
  EXPECT_STREQ(cudnnGetErrorString(bad_param), "CUDNN_STATUS_BAD_PARAM");
  EXPECT_EQ(cudnnGetVersion(), version);
}

}  // namespace
}  // namespace bankwise::test
