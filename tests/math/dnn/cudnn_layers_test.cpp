// Tests cuDNN's layers without matrix products: normalisation, pooling, activations, softmax, local response, dropout,
// sampling, and operations on tensors. Compares results with formulas, and gradients with finite differences.
#include "math/dnn/cudnn_support.hpp"

namespace bankwise::test {
namespace {

using Layers = with_cudnn;

// Compares the gradients of a layer that has one input with differences of its results. forward(x) and back(x, y, dy)
// get tensors on the device.
template <class Forward, class Back>
void test_layer(const tensor& x_shape, const tensor& y_shape, const std::vector<double>& x, Forward forward,
                Back back) {
  const std::vector<double> dy = fractions(count_of(y_shape), 9);
  const auto run = [&](const std::vector<double>& values) {
    const device_tensor on_x(x_shape, values), on_y(y_shape);
    EXPECT_EQ(forward(on_x, on_y), success);
    return on_y.read();
  };
  const device_tensor on_x(x_shape, x), on_y(y_shape, run(x)), on_dy(y_shape, dy), on_dx(x_shape);
  ASSERT_EQ(back(on_x, on_y, on_dy, on_dx), success);
  expect_near(on_dx.read(), differences(x, [&](const auto& v) { return product(run(v), dy); }), 1e-6);
}

const factor_of one(f64, 1), none(f64, 0);

TEST_F(Layers, BatchNormHasTheMeanAndSpreadOfEachChannel) {
  for (const int mode : {spatial, spatial_persistent, per_activation})
    for (const tensor_format format : {nchw, nhwc}) {
      const tensor x_shape = strided(f64, {3, 4, 2, 5}, format);
      tensor s;
      ASSERT_EQ(cudnnDeriveBNTensorDescriptor(&s, &x_shape, mode), success);
      EXPECT_EQ(count_of(s), mode == per_activation ? 40 : 4);
      const auto x = fractions(count_of(x_shape)), scale = fractions(count_of(s), 2), bias = fractions(count_of(s), 3);
      const device_tensor on_x(x_shape, x), y(x_shape), on_scale(s, scale), on_bias(s, bias), mean(s), inverse(s),
          running(s, std::vector<double>(static_cast<std::size_t>(count_of(s)), 1)),
          spread(s, std::vector<double>(static_cast<std::size_t>(count_of(s)), 1));
      ASSERT_EQ(cudnnBatchNormalizationForwardTraining(h, mode, one, none, &x_shape, on_x.at(), &x_shape, y.at(), &s,
                                                       on_scale.at(), on_bias.at(), 0.25, running.at(), spread.at(),
                                                       0.01, mean.at(), inverse.at()),
                success);
      const index_t group = mode == per_activation ? 1 : 10, count = 3 * group;
      std::vector<double> expected = x, means, inverses, new_mean, new_spread;
      for (index_t c = 0; c < count_of(s); ++c) {
        std::vector<std::size_t> of;  // indices of the channel's elements
        for (index_t n = 0; n < 3; ++n)
          for (index_t i = 0; i < group; ++i) of.push_back(static_cast<std::size_t>(n * 40 + c * group + i));
        double sum = 0, square = 0;
        for (const auto i : of) sum += x[i] / static_cast<double>(count);
        for (const auto i : of) square += (x[i] - sum) * (x[i] - sum) / static_cast<double>(count);
        const double of_spread = 1 / std::sqrt(square + 0.01);
        for (const auto i : of)
          expected[i] =
              (x[i] - sum) * of_spread * scale[static_cast<std::size_t>(c)] + bias[static_cast<std::size_t>(c)];
        means.push_back(sum);
        inverses.push_back(of_spread);
        new_mean.push_back(0.75 + 0.25 * sum);
        new_spread.push_back(0.75 + 0.25 * square * static_cast<double>(count) / static_cast<double>(count - 1));
      }
      expect_near(y.read(), expected, 1e-12, "y");
      expect_near(mean.read(), means, 1e-12, "mean");
      expect_near(inverse.read(), inverses, 1e-12, "inverse");
      expect_near(running.read(), new_mean, 1e-12, "running mean");
      expect_near(spread.read(), new_spread, 1e-12, "running variance");
    }
}

TEST_F(Layers, BatchNormHasTheGradientsOfItsResults) {
  const tensor shape = strided(f64, {3, 2, 2, 3}, nhwc), s = packed(f64, {1, 2, 1, 1});
  const auto x = fractions(36), scale = fractions(2, 2), bias = fractions(2, 3), dy = fractions(36, 4),
             added = fractions(36, 5);
  activation rectifier;
  rectifier.mode = relu;
  for (const int ops : {norm_alone, norm_activation, norm_add_activation}) {
    const auto run = [&](const auto& x_, const auto& scale_, const auto& bias_, const auto& z_,
                         const device_tensor* mean, const device_tensor* inverse) {
      const device_tensor on_x(shape, x_), on_z(shape, z_), y(shape), on_scale(s, scale_), on_bias(s, bias_);
      EXPECT_EQ(cudnnBatchNormalizationForwardTrainingEx(
                    h, spatial, ops, one, none, &shape, on_x.at(), &shape, on_z.at(), &shape, y.at(), &s, on_scale.at(),
                    on_bias.at(), 1, nullptr, nullptr, 0.1, mean != nullptr ? mean->at() : nullptr,
                    inverse != nullptr ? inverse->at() : nullptr, &rectifier, nullptr, 0, nullptr, 0),
                success);
      return y.read();
    };
    const auto loss = [&](const auto& x_, const auto& scale_, const auto& bias_, const auto& z_) {
      return product(run(x_, scale_, bias_, z_, nullptr, nullptr), dy);
    };
    const device_tensor mean(s), inverse(s), on_x(shape, x), on_y(shape, run(x, scale, bias, added, &mean, &inverse)),
        on_dy(shape, dy), on_scale(s, scale), dx(shape), dz(shape), dscale(s), dbias(s);
    for (const bool saved : {true, false}) {
      ASSERT_EQ(cudnnBatchNormalizationBackwardEx(
                    h, spatial, ops, one, none, one, none, &shape, on_x.at(), &shape, on_y.at(), &shape, on_dy.at(),
                    &shape, dz.at(), &shape, dx.at(), &s, on_scale.at(), nullptr, dscale.at(), dbias.at(), 0.1,
                    saved ? mean.at() : nullptr, saved ? inverse.at() : nullptr, &rectifier, nullptr, 0, nullptr, 0),
                success);
      expect_near(dx.read(), differences(x, [&](const auto& v) { return loss(v, scale, bias, added); }), 1e-6, "x");
      expect_near(dscale.read(), differences(scale, [&](const auto& v) { return loss(x, v, bias, added); }), 1e-6,
                  "scale");
      expect_near(dbias.read(), differences(bias, [&](const auto& v) { return loss(x, scale, v, added); }), 1e-6,
                  "bias");
      if (ops == norm_add_activation)
        expect_near(dz.read(), differences(added, [&](const auto& v) { return loss(x, scale, bias, v); }), 1e-6, "z");
    }
  }
}

// Inference normalises with the mean and the variance that it is given.
TEST_F(Layers, BatchNormInfersWithWhatItIsGiven) {
  const tensor shape = packed(f32, {2, 3, 4, 4}), s = packed(f32, {1, 3, 1, 1});
  const auto x = small_doubles(96);
  const device_tensor on_x(shape, x), y(shape), scale(s, {1, 2, 3}), bias(s, {0, 1, 2}), mean(s, {1, 0, -1}),
      variance(s, {3, 0, 15});
  const factor_of once(f32, 1), nothing(f32, 0);
  ASSERT_EQ(cudnnBatchNormalizationForwardInference(h, spatial, once, nothing, &shape, on_x.at(), &shape, y.at(), &s,
                                                    scale.at(), bias.at(), mean.at(), variance.at(), 1),
            success);
  std::vector<double> expected = x;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t c = i / 16 % 3;
    expected[i] =
        (x[i] - std::vector<double>{1, 0, -1}[c]) / std::vector<double>{2, 1, 4}[c] * static_cast<double>(c + 1) +
        static_cast<double>(c);
  }
  EXPECT_EQ(y.read(), expected);
}

TEST_F(Layers, PoolingTakesTheLargestOrTheAverage) {
  for (const int mode : {pool_max, pool_average_with_padding, pool_average_without_padding}) {
    const int window[] = {3, 2}, padding[] = {1, 1}, stride[] = {2, 1};
    pooling* p = nullptr;
    ASSERT_EQ(cudnnCreatePoolingDescriptor(&p), success);
    ASSERT_EQ(cudnnSetPoolingNdDescriptor(p, mode, 0, 2, window, padding, stride), success);
    const tensor x = packed(f64, {2, 2, 5, 4});
    int dims[4];
    ASSERT_EQ(cudnnGetPoolingNdForwardOutputDim(p, &x, 4, dims), success);
    const tensor y = packed(f64, {dims[0], dims[1], dims[2], dims[3]});
    EXPECT_EQ(count_of(y), 2 * 2 * 3 * 5);
    const auto values = fractions(count_of(x));
    const device_tensor on_x(x, values), on_y(y);
    ASSERT_EQ(cudnnPoolingForward(h, p, one, &x, on_x.at(), none, &y, on_y.at()), success);
    std::vector<double> expected;
    for (index_t image = 0; image < 4; ++image)
      for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 5; ++j) {
          double most = -INFINITY, sum = 0, inside = 0;
          for (index_t a = 2 * i - 1; a < 2 * i + 2; ++a)
            for (index_t b = j - 1; b < j + 1; ++b)
              if (a >= 0 && a < 5 && b >= 0 && b < 4) {
                const double value = values[static_cast<std::size_t>((image * 5 + a) * 4 + b)];
                most = std::max(most, value);
                sum += value;
                ++inside;
              }
          expected.push_back(mode == pool_max ? most : sum / (mode == pool_average_with_padding ? 6 : inside));
        }
    expect_near(on_y.read(), expected, 1e-12);
    test_layer(
        x, y, values,
        [&](const auto& in, const auto& out) {
          return cudnnPoolingForward(h, p, one, &x, in.at(), none, &y, out.at());
        },
        [&](const auto& in, const auto& out, const auto& given, const auto& to) {
          return cudnnPoolingBackward(h, p, one, &y, out.at(), &y, given.at(), &x, in.at(), none, &x, to.at());
        });
    cudnnDestroyPoolingDescriptor(p);
  }
}

TEST_F(Layers, ActivationsHaveTheirSlopes) {
  const tensor t = packed(f64, {2, 3, 4, 5});
  for (int mode = sigmoid; mode <= swish; ++mode) {
    activation a;
    ASSERT_EQ(cudnnSetActivationDescriptor(&a, mode, 0, 0.5), success);
    test_layer(
        t, t, fractions(120),
        [&](const auto& in, const auto& out) {
          return cudnnActivationForward(h, &a, one, &t, in.at(), none, &t, out.at());
        },
        [&](const auto& in, const auto& out, const auto& given, const auto& to) {
          return cudnnActivationBackward(h, &a, one, &t, out.at(), &t, given.at(), &t, in.at(), none, &t, to.at());
        });
  }
  activation clipped;
  ASSERT_EQ(cudnnSetActivationDescriptor(&clipped, clipped_relu, 0, 6), success);
  const tensor line = packed(f32, {1, 4, 1, 1});
  const device_tensor x(line, {-1, 3, 6, 9}), y(line);
  const factor_of once(f32, 1), nothing(f32, 0);
  ASSERT_EQ(cudnnActivationForward(h, &clipped, once, &line, x.at(), nothing, &line, y.at()), success);
  EXPECT_EQ(y.read(), (std::vector<double>{0, 3, 6, 6}));
}

TEST_F(Layers, SoftmaxIsOfAnImageOrOfAPixel) {
  const tensor t = packed(f64, {2, 3, 2, 2});
  for (const int algorithm : {softmax_fast, softmax_accurate, softmax_log})
    for (const int mode : {softmax_instance, softmax_channel}) {
      const auto x = fractions(24);
      const device_tensor on_x(t, x), on_y(t);
      ASSERT_EQ(cudnnSoftmaxForward(h, algorithm, mode, one, &t, on_x.at(), none, &t, on_y.at()), success);
      std::vector<double> sums(mode == softmax_instance ? 2 : 8);
      for (std::size_t i = 0; i < 24; ++i) {
        const double y = on_y.read()[i];
        sums[mode == softmax_instance ? i / 12 : i / 12 * 4 + i % 4] += algorithm == softmax_log ? std::exp(y) : y;
      }
      for (const double sum : sums) EXPECT_NEAR(sum, 1, 1e-12);
      test_layer(
          t, t, x,
          [&](const auto& in, const auto& out) {
            return cudnnSoftmaxForward(h, algorithm, mode, one, &t, in.at(), none, &t, out.at());
          },
          [&](const auto&, const auto& out, const auto& given, const auto& to) {
            return cudnnSoftmaxBackward(h, algorithm, mode, one, &t, out.at(), &t, given.at(), none, &t, to.at());
          });
    }
}

TEST_F(Layers, LocalResponseLooksAtTheChannelsAround) {
  const tensor t = packed(f64, {1, 7, 1, 2});
  for (const unsigned window : {1u, 4u, 5u}) {
    local_response l;
    ASSERT_EQ(cudnnSetLRNDescriptor(&l, window, 0.3, 0.75, 2), success);
    const auto x = fractions(14);
    const device_tensor on_x(t, x), on_y(t);
    ASSERT_EQ(cudnnLRNCrossChannelForward(h, &l, 0, one, &t, on_x.at(), none, &t, on_y.at()), success);
    std::vector<double> expected;
    const int before = (static_cast<int>(window) - 1) / 2, after = static_cast<int>(window) - 1 - before;
    for (int c = 0; c < 7; ++c)
      for (int i = 0; i < 2; ++i) {
        double sum = 0;
        for (int o = std::max(c - before, 0); o <= std::min(c + after, 6); ++o)
          sum += x[static_cast<std::size_t>(o * 2 + i)] * x[static_cast<std::size_t>(o * 2 + i)];
        expected.push_back(x[static_cast<std::size_t>(c * 2 + i)] * std::pow(2 + 0.3 / window * sum, -0.75));
      }
    expect_near(on_y.read(), expected, 1e-12);
    test_layer(
        t, t, x,
        [&](const auto& in, const auto& out) {
          return cudnnLRNCrossChannelForward(h, &l, 0, one, &t, in.at(), none, &t, out.at());
        },
        [&](const auto& in, const auto& out, const auto& given, const auto& to) {
          return cudnnLRNCrossChannelBackward(h, &l, 0, one, &t, out.at(), &t, given.at(), &t, in.at(), none, &t,
                                              to.at());
        });
  }
}

TEST_F(Layers, DropoutKeepsAShareAndItsSum) {
  const tensor t = packed(f32, {1, 1, 1, 40000});
  dropout* d = nullptr;
  ASSERT_EQ(cudnnCreateDropoutDescriptor(&d), success);
  std::size_t states = 0, reserve = 0;
  ASSERT_EQ(cudnnDropoutGetStatesSize(h, &states), success);
  ASSERT_EQ(cudnnDropoutGetReserveSpaceSize(&t, &reserve), success);
  const on_device<std::byte> on_states(std::vector<std::byte>(states, std::byte{0})),
      on_reserve(std::vector<std::byte>(reserve, std::byte{0}));
  ASSERT_EQ(cudnnSetDropoutDescriptor(d, h, 0.25f, on_states, states, 11), success);
  const std::vector<double> ones(40000, 1);
  const device_tensor x(t, ones), y(t), dx(t);
  ASSERT_EQ(cudnnDropoutForward(h, d, &t, x.at(), &t, y.at(), on_reserve, reserve), success);
  const auto kept = y.read();
  EXPECT_NEAR(std::accumulate(kept.begin(), kept.end(), 0.0) / 40000, 1, 0.02);
  for (const double value : kept) EXPECT_TRUE(value == 0 || std::fabs(value - 4.0 / 3) < 1e-6) << value;
  ASSERT_EQ(cudnnDropoutBackward(h, d, &t, x.at(), &t, dx.at(), on_reserve, reserve), success);
  expect_near(dx.read(), kept, 1e-6);
  // The next call drops different elements. A call with the same seed drops the same elements.
  ASSERT_EQ(cudnnDropoutForward(h, d, &t, x.at(), &t, y.at(), on_reserve, reserve), success);
  EXPECT_NE(y.read(), kept);
  ASSERT_EQ(cudnnSetDropoutDescriptor(d, h, 0.25f, on_states, states, 11), success);
  ASSERT_EQ(cudnnDropoutForward(h, d, &t, x.at(), &t, y.at(), on_reserve, reserve), success);
  EXPECT_EQ(y.read(), kept);
  cudnnDestroyDropoutDescriptor(d);
}

TEST_F(Layers, TensorsAreAddedScaledAndCombined) {
  const tensor c = strided(f32, {2, 3, 2, 2}, nhwc), a = packed(f32, {1, 3, 1, 1}), same = packed(f32, {2, 3, 2, 2});
  const auto x = small_doubles(24), other = small_doubles(24);
  const std::vector<double> bias = {1, 2, 3};
  const factor_of two(f32, 2), minus(f32, -1), once(f32, 1), nothing(f32, 0);
  const device_tensor on_c(c, x), on_a(a, bias), on_other(same, other);
  ASSERT_EQ(cudnnAddTensor(h, two, &a, on_a.at(), minus, &c, on_c.at()), success);
  std::vector<double> expected = x;
  for (std::size_t i = 0; i < 24; ++i) expected[i] = 2 * bias[i / 4 % 3] - x[i];
  EXPECT_EQ(on_c.read(), expected);
  ASSERT_EQ(cudnnScaleTensor(h, &c, on_c.at(), two), success);
  for (double& value : expected) value *= 2;
  EXPECT_EQ(on_c.read(), expected);
  const device_tensor moved(same);
  ASSERT_EQ(cudnnTransformTensor(h, once, &c, on_c.at(), nothing, &same, moved.at()), success);
  EXPECT_EQ(moved.read(), expected);
  const float value = 7;
  ASSERT_EQ(cudnnSetTensor(h, &c, on_c.at(), &value), success);
  EXPECT_EQ(on_c.read(), std::vector<double>(24, 7));
  for (const int op : {op_add, op_mul, op_min, op_max, op_not}) {
    op_description d;
    ASSERT_EQ(cudnnSetOpTensorDescriptor(&d, op, f32, 0), success);
    ASSERT_EQ(cudnnOpTensor(h, &d, two, &same, on_other.at(), minus, &a, on_a.at(), nothing, &c, on_c.at()), success);
    for (std::size_t i = 0; i < 24; ++i) {
      const double p = 2 * other[i], q = -bias[i / 4 % 3];
      expected[i] = op == op_add   ? p + q
                    : op == op_mul ? p * q
                    : op == op_min ? std::min(p, q)
                    : op == op_max ? std::max(p, q)
                                   : 1 - p;
    }
    EXPECT_EQ(on_c.read(), expected) << op;
  }
}

TEST_F(Layers, ReductionsKnowWhereTheLargestWas) {
  const tensor a = packed(f32, {2, 3, 4}), c = packed(f32, {2, 1, 4});
  const std::vector<double> x = {1, 2, 3, 4, 5, 0, -9, 4, 3, 3, 3, 3, -1, 1, 1, 1, 2, 2, 2, 2, 0, 5, 1, 1};
  const device_tensor on_a(a, x), on_c(c);
  const factor_of once(f32, 1), nothing(f32, 0);
  for (int op = reduce_add; op <= reduce_mul_no_zeros; ++op) {
    reduction d;
    ASSERT_EQ(cudnnSetReduceTensorDescriptor(&d, op, f32, 0, 1, 0), success);
    std::size_t bytes = 0;
    ASSERT_EQ(cudnnGetReductionIndicesSize(h, &d, &a, &c, &bytes), success);
    const on_device<std::uint32_t> where(std::vector<std::uint32_t>(8));
    ASSERT_EQ(cudnnReduceTensor(h, &d, where, bytes, nullptr, 0, once, &a, on_a.at(), nothing, &c, on_c.at()), success);
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t first = i / 4 * 12 + i % 4;
      const double p = x[first], q = x[first + 4], r = x[first + 8];
      const auto unless_0 = [](double v) { return v == 0 ? 1 : v; };
      const double expected[] = {p + q + r,
                                 p * q * r,
                                 std::min({p, q, r}),
                                 std::max({p, q, r}),
                                 std::max({std::fabs(p), std::fabs(q), std::fabs(r)}),
                                 (p + q + r) / 3,
                                 std::fabs(p) + std::fabs(q) + std::fabs(r),
                                 std::sqrt(p * p + q * q + r * r),
                                 unless_0(p) * unless_0(q) * unless_0(r)};
      EXPECT_NEAR(on_c.read()[i], expected[op], 1e-6) << op;
      if (op == reduce_max) {
        EXPECT_EQ(where.read()[i], p >= q && p >= r ? 0u : q >= r ? 1u : 2u) << i;
      }
    }
  }
}

TEST_F(Layers, SamplingFollowsTheGrid) {
  const int dims[] = {2, 3, 4, 5};
  spatial_transformer* s = nullptr;
  ASSERT_EQ(cudnnCreateSpatialTransformerDescriptor(&s), success);
  ASSERT_EQ(cudnnSetSpatialTransformerNdDescriptor(s, 0, f64, 4, dims), success);
  const tensor x = packed(f64, {2, 3, 6, 7}), y = packed(f64, {2, 3, 4, 5}), grid = packed(f64, {2, 4, 5, 2}),
               theta = packed(f64, {2, 2, 3});
  const auto image = fractions(count_of(x)), matrices = fractions(12, 2), dy = fractions(count_of(y), 3);
  const auto run = [&](const auto& image_, const auto& matrices_) {
    const device_tensor on_x(x, image_), on_theta(theta, matrices_), on_grid(grid), on_y(y);
    EXPECT_EQ(cudnnSpatialTfGridGeneratorForward(h, s, on_theta.at(), on_grid.at()), success);
    EXPECT_EQ(cudnnSpatialTfSamplerForward(h, s, one, &x, on_x.at(), on_grid.at(), none, &y, on_y.at()), success);
    return on_y.read();
  };
  // The identity transform with the size of the image returns the image.
  const int own[] = {2, 3, 6, 7};
  ASSERT_EQ(cudnnSetSpatialTransformerNdDescriptor(s, 0, f64, 4, own), success);
  const device_tensor identity(theta, {1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0}), places(packed(f64, {2, 6, 7, 2})),
      on_x(x, image), copied(x);
  ASSERT_EQ(cudnnSpatialTfGridGeneratorForward(h, s, identity.at(), places.at()), success);
  ASSERT_EQ(cudnnSpatialTfSamplerForward(h, s, one, &x, on_x.at(), places.at(), none, &x, copied.at()), success);
  expect_near(copied.read(), image, 1e-12);
  ASSERT_EQ(cudnnSetSpatialTransformerNdDescriptor(s, 0, f64, 4, dims), success);
  const device_tensor on_theta(theta, matrices), on_grid(grid), on_dy(y, dy), dx(x), dgrid(grid), dtheta(theta);
  ASSERT_EQ(cudnnSpatialTfGridGeneratorForward(h, s, on_theta.at(), on_grid.at()), success);
  ASSERT_EQ(cudnnSpatialTfSamplerBackward(h, s, one, &x, on_x.at(), none, &x, dx.at(), one, &y, on_dy.at(),
                                          on_grid.at(), none, dgrid.at()),
            success);
  ASSERT_EQ(cudnnSpatialTfGridGeneratorBackward(h, s, dgrid.at(), dtheta.at()), success);
  expect_near(dx.read(), differences(image, [&](const auto& v) { return product(run(v, matrices), dy); }), 1e-6,
              "image");
  expect_near(dtheta.read(), differences(matrices, [&](const auto& v) { return product(run(image, v), dy); }), 1e-5,
              "theta");
  cudnnDestroySpatialTransformerDescriptor(s);
}

// --- connectionist temporal classification

// Returns the probability of `target`. Adds the probabilities of all alignments of labels and steps, one by one.
double probability_of(const std::vector<double>& p, index_t steps, index_t labels, const std::vector<int>& target) {
  double all = 0;
  index_t ways = 1;
  for (index_t t = 0; t < steps; ++t) ways *= labels;
  for (index_t way = 0; way < ways; ++way) {
    double probability = 1;
    std::vector<int> said;
    int last = 0;
    for (index_t t = 0, rest = way; t < steps; ++t, rest /= labels) {
      const int label = static_cast<int>(rest % labels);
      probability *= p[static_cast<std::size_t>(t * labels + label)];
      if (label != 0 && label != last) said.push_back(label);
      last = label;
    }
    if (said == target) all += probability;
  }
  return all;
}

TEST_F(Layers, CtcLossSumsOverAllWays) {
  constexpr index_t steps = 5, batch = 3, labels = 3;
  const tensor shape = packed(f64, {steps, batch, labels}), of_costs = packed(f64, {batch});
  const std::vector<int> all = {1, 2, 1, 1, 2}, label_lengths = {2, 2, 1}, lengths = {5, 4, 3};
  const auto raw = fractions(count_of(shape));
  ctc_loss how;
  ASSERT_EQ(cudnnSetCTCLossDescriptor_v9(&how, f32, of_softmax, zero_gradient, 10), success);
  const auto run = [&](const std::vector<double>& values, const device_tensor* gradient) {
    const device_tensor on_x(shape, values), costs(of_costs);
    EXPECT_EQ(cudnnCTCLoss(h, &shape, on_x.at(), all.data(), label_lengths.data(), lengths.data(), costs.at(), &shape,
                           gradient != nullptr ? gradient->at() : nullptr, 0, &how, nullptr, 0),
              success);
    return costs.read();
  };
  const auto costs = run(raw, nullptr);
  std::size_t first = 0;
  for (std::size_t n = 0; n < batch; ++n) {
    std::vector<double> p;
    for (std::size_t t = 0; t < static_cast<std::size_t>(lengths[n]); ++t) {
      const double* const x = &raw[(t * batch + n) * labels];
      const double sum = std::exp(x[0]) + std::exp(x[1]) + std::exp(x[2]);
      for (int k = 0; k < labels; ++k) p.push_back(std::exp(x[k]) / sum);
    }
    const auto length = static_cast<std::size_t>(label_lengths[n]);
    const std::vector<int> target(all.begin() + static_cast<std::ptrdiff_t>(first),
                                  all.begin() + static_cast<std::ptrdiff_t>(first + length));
    EXPECT_NEAR(costs[n], -std::log(probability_of(p, lengths[n], labels, target)), 1e-10) << n;
    first += length;
  }
  const device_tensor gradient(shape);
  run(raw, &gradient);
  expect_near(gradient.read(),
              differences(raw,
                          [&](const auto& v) {
                            const auto c = run(v, nullptr);
                            return c[0] + c[1] + c[2];
                          }),
              1e-6);
  // Repeats the computation with labels and lengths in device memory.
  const on_device<int> on_labels(all), on_label_lengths(label_lengths), on_lengths(lengths);
  const device_tensor on_x(shape, raw), costs_again(of_costs), gradient_again(shape);
  ASSERT_EQ(cudnnCTCLoss_v8(h, 0, &how, &shape, on_x.at(), on_labels, on_label_lengths, on_lengths, costs_again.at(),
                            &shape, gradient_again.at(), 0, nullptr),
            success);
  EXPECT_EQ(costs_again.read(), costs);
  EXPECT_EQ(gradient_again.read(), gradient.read());
}

TEST_F(Layers, CtcLossOfLabelsThatDoNotFit) {
  const tensor shape = packed(f32, {2, 2, 3}), of_costs = packed(f32, {2});
  const int labels[] = {1, 1, 5}, label_lengths[] = {2, 1}, lengths[] = {2, 2};
  const device_tensor x(shape, fractions(12)), costs(of_costs), gradient(shape, std::vector<double>(12, 4));
  for (const int what : {skip_gradient, zero_gradient}) {
    ctc_loss how;
    ASSERT_EQ(cudnnSetCTCLossDescriptor_v9(&how, f32, of_softmax, what, 10), success);
    ASSERT_EQ(cudnnCTCLoss(h, &shape, x.at(), labels, label_lengths, lengths, costs.at(), &shape, gradient.at(), 0,
                           &how, nullptr, 0),
              success);
    EXPECT_EQ(costs.read()[0], INFINITY);  // two equal labels need a blank between them, so there is no alignment
    EXPECT_TRUE(std::isnan(costs.read()[1]));
    EXPECT_EQ(gradient.read(), std::vector<double>(12, what == skip_gradient ? 4 : 0));
  }
}

}  // namespace
}  // namespace bankwise::test
