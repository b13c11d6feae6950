// Tests cuDNN's recurrent networks: compares results with explicit steps, and gradients with finite differences.
#include "math/dnn/cudnn_support.hpp"
#include "math/dnn/numerics/recurrent.hpp"

namespace bankwise::test {
namespace {

struct network {
  int mode, layers, direction, inputs, hidden, projected;
  std::vector<int> lengths;
  int layout = time_major, bias = double_bias;
};

// All inputs and outputs of one call, as doubles.
struct setup {
  explicit setup(const network& n) : is(n) {
    EXPECT_EQ(cudnnCreateRNNDescriptor(&rnn), success);
    EXPECT_EQ(cudnnCreateDropoutDescriptor(&drop), success);
    EXPECT_EQ(cudnnSetDropoutDescriptor(drop, nullptr, 0, nullptr, 0, 0), success);
    EXPECT_EQ(cudnnSetRNNDescriptor_v8(rnn, 0, n.mode, n.bias, n.direction, 0, f64, f64, 0, n.inputs, n.hidden,
                                       n.projected, n.layers, drop, 1),
              success);
    const int steps = *std::max_element(n.lengths.begin(), n.lengths.end()), batch = static_cast<int>(n.lengths.size());
    EXPECT_EQ(cudnnCreateRNNDataDescriptor(&x), success);
    EXPECT_EQ(cudnnCreateRNNDataDescriptor(&y), success);
    EXPECT_EQ(cudnnSetRNNDataDescriptor(x, f64, n.layout, steps, batch, n.inputs, n.lengths.data(), nullptr), success);
    EXPECT_EQ(cudnnSetRNNDataDescriptor(y, f64, n.layout, steps, batch, wide(), n.lengths.data(), nullptr), success);
    rows = n.layout == time_major_packed ? std::accumulate(n.lengths.begin(), n.lengths.end(), 0) : steps * batch;
    states = n.layers * directions() * batch;
    EXPECT_EQ(cudnnGetRNNWeightSpaceSize(nullptr, rnn, &weight_bytes), success);
    std::size_t workspace = 1;
    EXPECT_EQ(cudnnGetRNNTempSpaceSizes(nullptr, rnn, 1, x, &workspace, &reserve_bytes), success);
    EXPECT_EQ(workspace, 0u);
  }
  ~setup() {
    cudnnDestroyRNNDescriptor(rnn);
    cudnnDestroyRNNDataDescriptor(x);
    cudnnDestroyRNNDataDescriptor(y);
    cudnnDestroyDropoutDescriptor(drop);
  }
  int directions() const { return is.direction + 1; }
  int outputs() const { return is.mode == lstm ? is.projected : is.hidden; }
  int wide() const { return outputs() * directions(); }
  index_t weights() const { return static_cast<index_t>(weight_bytes / sizeof(double)); }

  network is;
  dnn_recurrent* rnn = nullptr;
  dnn_sequences *x = nullptr, *y = nullptr;
  dropout* drop = nullptr;
  int rows = 0, states = 0;
  std::size_t weight_bytes = 0, reserve_bytes = 0;
};

struct results {
  std::vector<double> y, h, c;
};
results forward(math::handle* h, const setup& s, const std::vector<double>& x, const std::vector<double>& weights,
                const std::vector<double>& hx, const std::vector<double>& cx, void* reserve) {
  const on_device<double> on_x(x), on_w(weights), on_h(hx), on_c(cx),
      y(std::vector<double>(static_cast<std::size_t>(s.rows * s.wide()))), hy(hx), cy(cx);
  EXPECT_EQ(cudnnRNNForward(h, s.rnn, 1, nullptr, s.x, on_x, s.y, y, nullptr, on_h, hy, nullptr, on_c, cy,
                            s.weight_bytes, on_w, 0, nullptr, s.reserve_bytes, reserve),
            success);
  return {y.read(), hy.read(), cy.read()};
}

const network all_networks[] = {
    {rnn_tanh, 1, 0, 3, 4, 4, {5, 5}},
    {rnn_relu, 2, 1, 3, 4, 4, {4, 4}},
    {lstm, 1, 0, 3, 4, 4, {5, 5}},
    {lstm, 2, 1, 3, 4, 4, {4, 2, 1}, time_major_packed},
    {lstm, 2, 0, 3, 5, 2, {4, 3}},
    {gru, 2, 1, 3, 4, 4, {2, 4, 3}, batch_major},
    {gru, 1, 1, 2, 3, 3, {5, 4, 4}, time_major_packed},
    {lstm, 1, 0, 3, 4, 4, {3, 3}, time_major, input_bias},
    {gru, 1, 0, 3, 4, 4, {3, 3}, time_major, no_bias},
};

using Recurrent = with_cudnn;

// Computes the results gate by gate, with the weights at the addresses that cuDNN returns.
TEST_F(Recurrent, DoesWhatItsFormulasSay) {
  for (const int mode : {rnn_tanh, rnn_relu, lstm, gru}) {
    const setup s({mode, 1, 0, 3, 4, 4, {5, 5}});
    const auto x = fractions(s.rows * 3), w = fractions(s.weights(), 2), hx = fractions(s.states * 4, 3),
               cx = fractions(s.states * 4, 4);
    const on_device<std::byte> reserve(std::vector<std::byte>(s.reserve_bytes, std::byte{0}));
    const results r = forward(h, s, x, w, hx, cx, reserve);
    const int gates = mode == lstm ? 4 : mode == gru ? 3 : 1;
    // Computes matrix * input + bias for gate g.
    const auto linear = [&](int number, const double* in, int count) {
      tensor matrix_is, bias_is;
      void *matrix = nullptr, *bias = nullptr;
      EXPECT_EQ(cudnnGetRNNWeightParams(nullptr, s.rnn, 0, s.weight_bytes, w.data(), number, &matrix_is, &matrix,
                                        &bias_is, &bias),
                success);
      EXPECT_EQ(matrix_is.dims[1], 4);
      EXPECT_EQ(matrix_is.dims[2], count);
      std::vector<double> sums(static_cast<double*>(bias), static_cast<double*>(bias) + 4);
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < count; ++j)
          sums[static_cast<std::size_t>(i)] += static_cast<double*>(matrix)[i * count + j] * in[j];
      return sums;
    };
    const auto sigmoid_at = [](double a) { return 1 / (1 + std::exp(-a)); };
    std::vector<double> state = hx, cell = cx;
    for (int t = 0; t < 5; ++t)
      for (int n = 0; n < 2; ++n) {
        std::vector<std::vector<double>> from_x, from_h;
        for (int g = 0; g < gates; ++g) {
          from_x.push_back(linear(g, &x[static_cast<std::size_t>((t * 2 + n) * 3)], 3));
          from_h.push_back(linear(gates + g, &state[static_cast<std::size_t>(n * 4)], 4));
        }
        for (std::size_t i = 0; i < 4; ++i) {
          double& one = state[static_cast<std::size_t>(n * 4) + i];
          const auto sum = [&](std::size_t g) { return from_x[g][i] + from_h[g][i]; };
          if (mode == lstm) {
            double& c = cell[static_cast<std::size_t>(n * 4) + i];
            c = sigmoid_at(sum(1)) * c + sigmoid_at(sum(0)) * std::tanh(sum(2));
            one = sigmoid_at(sum(3)) * std::tanh(c);
          } else if (mode == gru) {
            const double z = sigmoid_at(sum(1));
            one = (1 - z) * std::tanh(from_x[2][i] + sigmoid_at(sum(0)) * from_h[2][i]) + z * one;
          } else {
            one = mode == rnn_tanh ? std::tanh(sum(0)) : std::max(sum(0), 0.0);
          }
          EXPECT_NEAR(r.y[static_cast<std::size_t>((t * 2 + n) * 4) + i], one, 1e-12) << mode;
        }
      }
    expect_near(r.h, state, 1e-12);
    if (mode == lstm) expect_near(r.c, cell, 1e-12);
  }
}

TEST_F(Recurrent, GradientsAreDifferencesOfResults) {
  for (const network& n : all_networks) {
    const setup s(n);
    const auto x = fractions(s.rows * n.inputs), w = fractions(s.weights(), 2),
               hx = fractions(s.states * s.outputs(), 3), cx = fractions(s.states * n.hidden, 4),
               dy = fractions(s.rows * s.wide(), 5), dhy = fractions(s.states * s.outputs(), 6),
               dcy = fractions(s.states * n.hidden, 7);
    const on_device<std::byte> reserve(std::vector<std::byte>(s.reserve_bytes, std::byte{0}));
    const auto loss = [&](const auto& x_, const auto& w_, const auto& h_, const auto& c_) {
      const results r = forward(h, s, x_, w_, h_, c_, reserve);
      return product(r.y, dy) + product(r.h, dhy) + (n.mode == lstm ? product(r.c, dcy) : 0);
    };
    loss(x, w, hx, cx);
    const on_device<double> on_x(x), on_w(w), on_h(hx), on_c(cx), on_dy(dy), on_dh(dhy), on_dc(dcy), dx(x), dhx(hx),
        dcx(cx), dw(w), dw_added(w);
    ASSERT_EQ(
        cudnnRNNBackwardData_v8(h, s.rnn, nullptr, s.y, nullptr, on_dy, s.x, dx, nullptr, on_h, on_dh, dhx, nullptr,
                                on_c, on_dc, dcx, s.weight_bytes, on_w, 0, nullptr, s.reserve_bytes, reserve),
        success);
    ASSERT_EQ(cudnnRNNBackwardWeights_v8(h, s.rnn, 1, nullptr, s.x, on_x, nullptr, on_h, s.y, nullptr, s.weight_bytes,
                                         dw, 0, nullptr, s.reserve_bytes, reserve),
              success);
    ASSERT_EQ(cudnnRNNBackwardWeights_v8(h, s.rnn, 0, nullptr, s.x, on_x, nullptr, on_h, s.y, nullptr, s.weight_bytes,
                                         dw_added, 0, nullptr, s.reserve_bytes, reserve),
              success);
    const std::vector<double> of_w = dw.read();
    std::vector<double> added = w;
    for (std::size_t i = 0; i < added.size(); ++i) added[i] += of_w[i];
    expect_near(dw_added.read(), added, 1e-12, "added");
    const std::string what = "mode " + std::to_string(n.mode);
    expect_near(dx.read(), differences(x, [&](const auto& v) { return loss(v, w, hx, cx); }), 1e-6,
                (what + " x").c_str());
    expect_near(of_w, differences(w, [&](const auto& v) { return loss(x, v, hx, cx); }), 1e-6,
                (what + " weights").c_str());
    expect_near(dhx.read(), differences(hx, [&](const auto& v) { return loss(x, w, v, cx); }), 1e-6,
                (what + " h").c_str());
    if (n.mode == lstm)
      expect_near(dcx.read(), differences(cx, [&](const auto& v) { return loss(x, w, hx, v); }), 1e-6,
                  (what + " c").c_str());
  }
}

// After the end of a sequence, the output has the padding value that the program passes. Nothing else changes.
TEST_F(Recurrent, FillsWhatLiesBehindTheEnd) {
  const network n{gru, 1, 1, 2, 3, 3, {4, 2}, batch_major};
  const setup s(n);
  const double fill = 9;
  ASSERT_EQ(cudnnSetRNNDataDescriptor(s.y, f64, batch_major, 4, 2, s.wide(), n.lengths.data(), &fill), success);
  auto x = fractions(s.rows * 2);
  const auto w = fractions(s.weights(), 2), zero = std::vector<double>(static_cast<std::size_t>(s.states * 3));
  const on_device<std::byte> reserve(std::vector<std::byte>(s.reserve_bytes, std::byte{0}));
  const results before = forward(h, s, x, w, zero, zero, reserve);
  for (std::size_t i = (4 + 2) * 2; i < 16; ++i) x[i] = 100;
  const results after = forward(h, s, x, w, zero, zero, reserve);
  EXPECT_EQ(before.y, after.y);
  EXPECT_EQ(before.h, after.h);
  for (std::size_t i = (4 + 2) * 6; i < before.y.size(); ++i) EXPECT_EQ(before.y[i], fill);
}

TEST_F(Recurrent, DropsBetweenLayersInTrainingAlone) {
  const network n{rnn_relu, 2, 0, 4, 64, 64, {6, 6}};
  const setup s(n);
  std::size_t bytes = 0;
  ASSERT_EQ(cudnnDropoutGetStatesSize(h, &bytes), success);
  const on_device<std::byte> states(std::vector<std::byte>(bytes, std::byte{0}));
  ASSERT_EQ(cudnnSetDropoutDescriptor(s.drop, h, 0.5f, states, bytes, 7), success);
  const auto x = fractions(s.rows * 4), w = fractions(s.weights(), 2),
             zero = std::vector<double>(static_cast<std::size_t>(s.states * 64));
  const on_device<std::byte> reserve(std::vector<std::byte>(s.reserve_bytes, std::byte{0}));
  const results first = forward(h, s, x, w, zero, zero, reserve), second = forward(h, s, x, w, zero, zero, reserve);
  EXPECT_NE(first.y, second.y);  // each call drops different elements
  ASSERT_EQ(cudnnSetDropoutDescriptor(s.drop, h, 0.5f, states, bytes, 7), success);
  EXPECT_EQ(forward(h, s, x, w, zero, zero, reserve).y, first.y);
}

TEST_F(Recurrent, RefusesWhatDoesNotFit) {
  const network n{lstm, 1, 0, 3, 4, 4, {2, 3}, time_major_packed};
  const setup s(n);
  testing::internal::CaptureStderr();
  const auto x = fractions(s.rows * 3), w = fractions(s.weights(), 2);
  const on_device<double> on_x(x), on_w(w), y(std::vector<double>(static_cast<std::size_t>(s.rows * 4)));
  EXPECT_EQ(cudnnRNNForward(h, s.rnn, 0, nullptr, s.x, on_x, s.y, y, nullptr, nullptr, nullptr, nullptr, nullptr,
                            nullptr, s.weight_bytes, on_w, 0, nullptr, 0, nullptr),
            not_supported);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("packed sequences that are not sorted"), std::string::npos);
  EXPECT_EQ(cudnnSetRNNDescriptor_v8(s.rnn, 0, 4, double_bias, 0, 0, f64, f64, 0, 3, 4, 4, 1, s.drop, 0), bad_param);
  const int longer[] = {3, 4};
  EXPECT_EQ(cudnnSetRNNDataDescriptor(s.x, f64, time_major, 3, 2, 3, longer, nullptr), bad_param);
}

}  // namespace
}  // namespace bankwise::test
