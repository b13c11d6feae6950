// Tests cuDNN's graph API as cudnn-frontend uses it: tensors, operations, a graph, an engine and a plan for the graph,
// and pointers for the plan.
#include "math/dnn/cudnn_graph_support.hpp"

namespace bankwise::test {
namespace {

using Graph = with_cudnn;

node convolution_of(int axes) {
  node c(convolution_descriptor);
  const std::vector<std::int64_t> ones(static_cast<std::size_t>(axes), 1);
  c.value(at_convolution_comp_type, data_type_type, f64)
      .value(at_convolution_conv_mode, conv_mode_type, cross_correlation);
  c.integers(at_convolution_spatial_dims, {axes})
      .integers(at_convolution_dilations, ones)
      .integers(at_convolution_filter_strides, ones);
  c.integers(at_convolution_pre_paddings, ones).integers(at_convolution_post_paddings, ones).finish();
  return c;
}

TEST_F(Graph, ConvolutionWithBiasAndReluIsWhatTheCallComputes) {
  const tensor x_shape = strided(f32, {2, 3, 7, 6}, nhwc), w_shape = strided(f32, {4, 3, 3, 3}, nhwc),
               b_shape = packed(f32, {1, 4, 1, 1}), y_shape = strided(f32, {2, 4, 7, 6}, nhwc);
  const auto x = small_doubles(count_of(x_shape)), w = small_doubles(count_of(w_shape)), b = small_doubles(4);
  graph_maker g;
  const auto in = g.given(x_shape, x), with = g.given(w_shape, w), bias = g.given(b_shape, b), out = g.result(y_shape),
             sums = g.between(y_shape), biased = g.between(y_shape);
  // The order of operations does not matter, because each operation waits for the tensors that it reads.
  g.pointwise_of(pw_relu_fwd, biased, nullptr, out);
  g.pointwise_of(pw_add, sums, &bias, biased);
  const node c = convolution_of(2);
  node o(convolution_forward);
  o.set(at_convolution_forward_conv_desc, c)
      .set(at_convolution_forward_x, g.of(in))
      .set(at_convolution_forward_w, g.of(with))
      .set(at_convolution_forward_y, g.of(sums));
  g.add(std::move(o.number(at_convolution_forward_alpha, 1).number(at_convolution_forward_beta, 0).finish()));
  ASSERT_EQ(g.execute(h), success);
  const device_tensor on_x(x_shape, x), on_w(w_shape, w), on_b(b_shape, b), on_y(y_shape);
  const filter of_w{w_shape, nhwc};
  convolution same;
  const int ones[] = {1, 1};
  ASSERT_EQ(cudnnSetConvolutionNdDescriptor(&same, 2, ones, ones, ones, cross_correlation, f32), success);
  activation rectifier;
  rectifier.mode = relu;
  const factor_of one(f32, 1), none(f32, 0);
  ASSERT_EQ(
      cudnnConvolutionBiasActivationForward(h, one, &x_shape, on_x.at(), &of_w, on_w.at(), &same, 0, nullptr, 0, none,
                                            &y_shape, on_y.at(), &b_shape, on_b.at(), &rectifier, &y_shape, on_y.at()),
      success);
  EXPECT_EQ(g.read(out), on_y.read());
}

TEST_F(Graph, ConvolutionHasItsGradients) {
  const tensor x_shape = packed(f64, {1, 2, 4, 4}), w_shape = packed(f64, {3, 2, 3, 3}),
               y_shape = packed(f64, {1, 3, 4, 4});
  const auto x = fractions(32), w = fractions(54, 2), dy = fractions(48, 3), before = fractions(32, 4);
  const node c = convolution_of(2);
  const auto loss = [&](const auto& x_, const auto& w_) {
    graph_maker g;
    const auto in = g.given(x_shape, x_), with = g.given(w_shape, w_), out = g.result(y_shape);
    node o(convolution_forward);
    o.set(at_convolution_forward_conv_desc, c)
        .set(at_convolution_forward_x, g.of(in))
        .set(at_convolution_forward_w, g.of(with));
    g.add(std::move(o.set(at_convolution_forward_y, g.of(out)).finish()));
    EXPECT_EQ(g.execute(h), success);
    return product(g.read(out), dy);
  };
  graph_maker g;
  const auto in = g.given(x_shape, x), with = g.given(w_shape, w), given = g.given(y_shape, dy),
             dx = g.given(x_shape, before), dw = g.result(w_shape);
  node data(convolution_back_data), of_filter(convolution_back_filter);
  data.set(at_convolution_bwd_data_conv_desc, c)
      .set(at_convolution_bwd_data_w, g.of(with))
      .set(at_convolution_bwd_data_dy, g.of(given));
  data.number(at_convolution_bwd_data_alpha, 2).number(at_convolution_bwd_data_beta, 3);
  g.add(std::move(data.set(at_convolution_bwd_data_dx, g.of(dx)).finish()));
  of_filter.set(at_convolution_bwd_filter_conv_desc, c)
      .set(at_convolution_bwd_filter_x, g.of(in))
      .set(at_convolution_bwd_filter_dy, g.of(given));
  g.add(std::move(of_filter.set(at_convolution_bwd_filter_dw, g.of(dw)).finish()));
  ASSERT_EQ(g.execute(h), success);
  auto expected = differences(x, [&](const auto& v) { return loss(v, w); });
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 2 * expected[i] + 3 * before[i];
  expect_near(g.read(dx), expected, 1e-6);
  expect_near(g.read(dw), differences(w, [&](const auto& v) { return loss(x, v); }), 1e-6);
}

// Every backward function computes the gradient of the forward function with the same name.
TEST_F(Graph, PointwiseFunctionsHaveTheirGradients) {
  const tensor t = packed(f64, {1, 2, 3, 5});
  const auto x = fractions(30), dy = fractions(30, 2);
  const auto settings = [](node& n) {
    n.number(at_pointwise_relu_lower_clip, -0.3)
        .number(at_pointwise_relu_upper_clip, 0.6)
        .number(at_pointwise_relu_lower_clip_slope, 0.1);
    n.number(at_pointwise_elu_alpha, 0.7).number(at_pointwise_softplus_beta, 1.5).number(at_pointwise_swish_beta, 1.3);
  };
  for (int mode = pw_relu_fwd; mode <= pw_gelu_approx_tanh_fwd; ++mode) {
    const auto run = [&](const auto& values) {
      graph_maker g;
      const auto in = g.given(t, values), out = g.result(t);
      g.pointwise_of(mode, in, nullptr, out, nullptr, settings);
      EXPECT_EQ(g.execute(h), success);
      return product(g.read(out), dy);
    };
    graph_maker g;
    const auto in = g.given(t, x), given = g.given(t, dy), dx = g.result(t);
    g.pointwise_of(mode - pw_relu_fwd + pw_relu_bwd, in, &given, dx, nullptr, settings);
    ASSERT_EQ(g.execute(h), success);
    expect_near(g.read(dx), differences(x, run), 1e-6, std::to_string(mode).c_str());
  }
}

TEST_F(Graph, PointwiseSpreadsTakesIndicesAndChooses) {
  const tensor t = packed(f64, {1, 1, 4, 4}), row = packed(f64, {1, 1, 1, 4});
  graph_maker g;
  const auto x = g.given(t, fractions(16)), b = g.given(row, {1, 2, 3, 4}), low = g.constant(-5), i = g.between(t),
             j = g.between(t), above = g.between(t), sums = g.between(t), y = g.result(t);
  const auto along = [](std::int64_t axis) { return [axis](node& n) { n.integers(at_pointwise_axis, {axis}); }; };
  g.pointwise_of(pw_gen_index, x, nullptr, i, nullptr, along(2));
  g.pointwise_of(pw_gen_index, x, nullptr, j, nullptr, along(3));
  g.pointwise_of(pw_cmp_ge, i, &j, above);
  g.pointwise_of(pw_mul, x, &b, sums);
  g.pointwise_of(pw_binary_select, sums, &low, y, &above);
  ASSERT_EQ(g.execute(h), success);
  for (std::size_t p = 0; p < 16; ++p)
    EXPECT_EQ(g.read(y)[p], p / 4 >= p % 4 ? fractions(16)[p] * static_cast<double>(p % 4 + 1) : -5) << p;
}

// XLA adds the old result times 0, even if the old result was never written.
TEST_F(Graph, WhatIsTakenZeroTimesDoesNotCount) {
  const tensor t = packed(f32, {1, 1, 1, 3});
  graph_maker g;
  const auto x = g.given(t, {1, 2, 3}), unwritten = g.given(t, {NAN, INFINITY, 5}), y = g.result(t);
  node what(pointwise_descriptor), o(pointwise);
  what.value(at_pointwise_mode, pointwise_type, pw_add).value(at_pointwise_math_prec, data_type_type, f32).finish();
  o.set(at_pointwise_pw_descriptor, what).set(at_pointwise_xdesc, g.of(x)).set(at_pointwise_bdesc, g.of(unwritten));
  g.add(std::move(
      o.number(at_pointwise_alpha1, 2).number(at_pointwise_alpha2, 0).set(at_pointwise_ydesc, g.of(y)).finish()));
  ASSERT_EQ(g.execute(h), success);
  EXPECT_EQ(g.read(y), (std::vector<double>{2, 4, 6}));
}

// A virtual tensor is rounded to its type: 2,049 does not fit in a half.
TEST_F(Graph, VirtualTensorsAreRoundedToTheirTypes) {
  const tensor t = packed(f32, {1, 1, 1, 2}), narrow = packed(f16, {1, 1, 1, 2});
  graph_maker g;
  const auto x = g.given(t, {2049, -3}), half_of_it = g.between(narrow), y = g.result(t);
  g.pointwise_of(pw_identity, x, nullptr, half_of_it);
  g.pointwise_of(pw_abs, half_of_it, nullptr, y);
  ASSERT_EQ(g.execute(h), success);
  EXPECT_EQ(g.read(y), (std::vector<double>{2048, 3}));
}

// Computes attention in separate operations, as frameworks write it, and as a single operation.
TEST_F(Graph, AttentionIsOneOperationOrSeveral) {
  const tensor q_shape = packed(f64, {2, 2, 3, 4}), k_shape = packed(f64, {2, 1, 5, 4}),
               scores = packed(f64, {2, 2, 3, 5}), rows = packed(f64, {2, 2, 3, 1});
  tensor transposed = packed(f64, {2, 1, 4, 5});  // k with its last two dimensions swapped
  transposed.strides[2] = 1;
  transposed.strides[3] = 4;
  const auto q = fractions(48), k = fractions(40, 2), v = fractions(40, 3), dy = fractions(48, 4);
  graph_maker steps;
  // given() takes elements in the order of the tensor's dimensions. So k contains 4 rows of 5 elements, as
  // `transposed`.
  const auto in = steps.given(q_shape, q), keys = steps.given(transposed, k), taken = steps.given(k_shape, v),
             scale = steps.constant(0.4);
  const auto raw = steps.between(scores), scaled = steps.between(scores), most = steps.between(rows),
             low = steps.between(scores), powers = steps.between(scores), sums = steps.between(rows),
             parts = steps.between(scores), out = steps.result(q_shape);
  steps.matmul_of(in, keys, raw);
  steps.pointwise_of(pw_mul, raw, &scale, scaled);
  steps.reduce(reduce_max, scaled, most);
  steps.pointwise_of(pw_sub, scaled, &most, low);
  steps.pointwise_of(pw_exp, low, nullptr, powers);
  steps.reduce(reduce_add, powers, sums);
  steps.pointwise_of(pw_div, powers, &sums, parts);
  steps.matmul_of(parts, taken, out);
  ASSERT_EQ(steps.execute(h), success);
  std::vector<double> exchanged;  // k in the layout that `attend` expects
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t j = 0; j < 5; ++j)
      for (std::size_t d = 0; d < 4; ++d) exchanged.push_back(k[n * 20 + d * 5 + j]);
  const auto attend = [&](const auto& q_, const auto& k_, const auto& v_, std::vector<double>* stats) {
    graph_maker g;
    const auto a = g.given(q_shape, q_), b = g.given(k_shape, k_), c = g.given(k_shape, v_), factor = g.constant(0.4),
               o = g.result(q_shape), s = g.result(rows);
    node n(attention_forward);
    n.set(at_sdpa_fwd_qdesc, g.of(a))
        .set(at_sdpa_fwd_kdesc, g.of(b))
        .set(at_sdpa_fwd_vdesc, g.of(c))
        .set(at_sdpa_fwd_scaledesc, g.of(factor));
    g.add(std::move(n.set(at_sdpa_fwd_odesc, g.of(o)).set(at_sdpa_fwd_statsdesc, g.of(s)).finish()));
    EXPECT_EQ(g.execute(h), success);
    if (stats != nullptr) *stats = g.read(s);
    return g.read(o);
  };
  std::vector<double> stats;
  const auto whole = attend(q, exchanged, v, &stats);
  expect_near(whole, steps.read(out), 1e-12);
  const auto loss = [&](const auto& q_, const auto& k_, const auto& v_) {
    return product(attend(q_, k_, v_, nullptr), dy);
  };
  graph_maker g;
  const auto a = g.given(q_shape, q), b = g.given(k_shape, exchanged), c = g.given(k_shape, v),
             o = g.given(q_shape, whole), s = g.given(rows, stats), given = g.given(q_shape, dy),
             factor = g.constant(0.4), dq = g.result(q_shape), dk = g.result(k_shape), dv = g.result(k_shape);
  node n(attention_back);
  n.set(at_sdpa_bwd_qdesc, g.of(a))
      .set(at_sdpa_bwd_kdesc, g.of(b))
      .set(at_sdpa_bwd_vdesc, g.of(c))
      .set(at_sdpa_bwd_odesc, g.of(o));
  n.set(at_sdpa_bwd_statsdesc, g.of(s)).set(at_sdpa_bwd_scaledesc, g.of(factor)).set(at_sdpa_bwd_dodesc, g.of(given));
  g.add(std::move(n.set(at_sdpa_bwd_dqdesc, g.of(dq))
                      .set(at_sdpa_bwd_dkdesc, g.of(dk))
                      .set(at_sdpa_bwd_dvdesc, g.of(dv))
                      .finish()));
  ASSERT_EQ(g.execute(h), success);
  expect_near(g.read(dq), differences(q, [&](const auto& x) { return loss(x, exchanged, v); }), 1e-6, "q");
  expect_near(g.read(dk), differences(exchanged, [&](const auto& x) { return loss(q, x, v); }), 1e-6, "k");
  expect_near(g.read(dv), differences(v, [&](const auto& x) { return loss(q, exchanged, x); }), 1e-6, "v");
}

TEST_F(Graph, NormalisationsAndTheirGradients) {
  struct kind {
    int mode;
    tensor scale, mean;
  };
  const tensor x_shape = packed(f64, {3, 4, 2, 2});
  const kind kinds[] = {{norm_layer, packed(f64, {1, 4, 2, 2}), packed(f64, {3, 1, 1, 1})},
                        {norm_rms, packed(f64, {1, 4, 2, 2}), packed(f64, {3, 1, 1, 1})},
                        {norm_instance, packed(f64, {1, 4, 1, 1}), packed(f64, {3, 4, 1, 1})},
                        {norm_batch, packed(f64, {1, 4, 1, 1}), packed(f64, {1, 4, 1, 1})}};
  const auto x = fractions(48), dy = fractions(48, 2);
  for (const kind& what : kinds) {
    const auto scale = fractions(count_of(what.scale), 3), bias = fractions(count_of(what.scale), 4);
    const bool with_mean = what.mode != norm_rms;
    std::vector<double> mean, inverse;
    const auto run = [&](const auto& x_, const auto& scale_, const auto& bias_) {
      graph_maker g;
      const auto in = g.given(x_shape, x_), s = g.given(what.scale, scale_), b = g.given(what.scale, bias_),
                 epsilon = g.constant(0.1), y = g.result(x_shape), m = g.result(what.mean), i = g.result(what.mean);
      node o(norm_forward);
      o.value(at_norm_fwd_mode, norm_type, what.mode)
          .value(at_norm_fwd_phase, phase_type, phase_training)
          .set(at_norm_fwd_xdesc, g.of(in));
      o.set(at_norm_fwd_scale_desc, g.of(s))
          .set(at_norm_fwd_bias_desc, g.of(b))
          .set(at_norm_fwd_epsilon_desc, g.of(epsilon))
          .set(at_norm_fwd_ydesc, g.of(y));
      if (with_mean) o.set(at_norm_fwd_mean_desc, g.of(m));
      g.add(std::move(o.set(at_norm_fwd_inv_variance_desc, g.of(i)).finish()));
      EXPECT_EQ(g.execute(h), success);
      mean = g.read(m);
      inverse = g.read(i);
      return g.read(y);
    };
    // The first element of the first group was computed by hand.
    const auto y = run(x, scale, bias);
    double sum = 0, square = 0, count = 0;
    for (std::size_t i = 0; i < 48; ++i) {
      const bool in = what.mode == norm_batch ? i % 16 < 4 : what.mode == norm_instance ? i < 4 : i < 16;
      sum += in ? x[i] : 0;
      count += in;
    }
    const double middle = with_mean ? sum / count : 0;
    for (std::size_t i = 0; i < 48; ++i) {
      const bool in = what.mode == norm_batch ? i % 16 < 4 : what.mode == norm_instance ? i < 4 : i < 16;
      square += in ? (x[i] - middle) * (x[i] - middle) : 0;
    }
    const double spread = 1 / std::sqrt(square / count + 0.1);
    EXPECT_NEAR(y[0], (x[0] - middle) * spread * scale[0] + bias[0], 1e-12) << what.mode;
    EXPECT_NEAR(inverse[0], spread, 1e-12);
    if (with_mean) {
      EXPECT_NEAR(mean[0], middle, 1e-12);
    }
    graph_maker g;
    const auto in = g.given(x_shape, x), given = g.given(x_shape, dy), s = g.given(what.scale, scale),
               m = g.given(what.mean, mean), i = g.given(what.mean, inverse), dx = g.result(x_shape),
               dscale = g.result(what.scale), dbias = g.result(what.scale);
    node o(norm_back);
    o.value(at_norm_bwd_mode, norm_type, what.mode)
        .set(at_norm_bwd_xdesc, g.of(in))
        .set(at_norm_bwd_dydesc, g.of(given))
        .set(at_norm_bwd_scale_desc, g.of(s));
    if (with_mean) o.set(at_norm_bwd_mean_desc, g.of(m));
    o.set(at_norm_bwd_inv_variance_desc, g.of(i))
        .set(at_norm_bwd_dxdesc, g.of(dx))
        .set(at_norm_bwd_dscale_desc, g.of(dscale));
    g.add(std::move(o.set(at_norm_bwd_dbias_desc, g.of(dbias)).finish()));
    ASSERT_EQ(g.execute(h), success);
    const auto loss = [&](const auto& x_, const auto& scale_, const auto& bias_) {
      return product(run(x_, scale_, bias_), dy);
    };
    expect_near(g.read(dx), differences(x, [&](const auto& v) { return loss(v, scale, bias); }), 1e-6, "x");
    expect_near(g.read(dscale), differences(scale, [&](const auto& v) { return loss(x, v, bias); }), 1e-6, "scale");
    expect_near(g.read(dbias), differences(bias, [&](const auto& v) { return loss(x, scale, v); }), 1e-6, "bias");
  }
}

TEST_F(Graph, ViewsConcatenationsStatisticsAndWindows) {
  const tensor t = packed(f64, {1, 1, 2, 3}), wide = packed(f64, {1, 1, 2, 6}), one = packed(f64, {1, 1, 1, 1}),
               window = packed(f64, {1, 1, 1, 2});
  tensor exchanged = packed(f64, {1, 1, 3, 2});
  exchanged.strides[2] = 1;
  exchanged.strides[3] = 3;
  graph_maker g;
  const auto x = g.given(t, {1, 2, 3, 4, 5, 6}), view = g.between(exchanged), y = g.result(packed(f64, {1, 1, 3, 2})),
             both = g.result(wide), sum = g.result(one), squares = g.result(one), largest = g.result(window);
  node r(reshape), c(concatenation), s(statistics), pools(resample_descriptor), p(resample_forward);
  g.add(std::move(r.set(at_reshape_xdesc, g.of(x)).set(at_reshape_ydesc, g.of(view)).finish()));
  g.pointwise_of(pw_identity, view, nullptr, y);
  graph_descriptor* const twice[] = {g.of(x), g.of(x)};
  g.add(std::move(c.integers(at_concat_axis, {3})
                      .raw(at_concat_input_descs, descriptor_type, 2, twice)
                      .set(at_concat_output_desc, g.of(both))
                      .finish()));
  g.add(std::move(s.value(at_genstats_mode, 16, 0)
                      .value(at_genstats_math_prec, data_type_type, f64)
                      .set(at_genstats_xdesc, g.of(x))
                      .set(at_genstats_sumdesc, g.of(sum))
                      .set(at_genstats_sqsumdesc, g.of(squares))
                      .finish()));
  pools.value(at_resample_mode, resample_type, resample_max)
      .value(at_resample_comp_type, data_type_type, f64)
      .integers(at_resample_spatial_dims, {2});
  pools.integers(at_resample_window_dims, {2, 2})
      .integers(at_resample_pre_paddings, {0, 0})
      .integers(at_resample_post_paddings, {0, 0})
      .integers(at_resample_strides, {1, 1})
      .finish();
  g.add(std::move(p.set(at_resample_fwd_desc, pools)
                      .set(at_resample_fwd_xdesc, g.of(x))
                      .set(at_resample_fwd_ydesc, g.of(largest))
                      .finish()));
  ASSERT_EQ(g.execute(h), success);
  EXPECT_EQ(g.read(y), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(g.read(both), (std::vector<double>{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(g.read(sum)[0], 21);
  EXPECT_EQ(g.read(squares)[0], 91);
  EXPECT_EQ(g.read(largest), (std::vector<double>{5, 6}));
}

// XLA serialises a plan and reads the plan again. This only works on the same machine.
TEST_F(Graph, PlansAreWrittenAndReadAgain) {
  const tensor t = packed(f32, {1, 1, 1, 3});
  graph_maker g;
  const auto x = g.given(t, {1, -2, 3}), y = g.result(t);
  g.pointwise_of(pw_abs, x, nullptr, y);
  ASSERT_EQ(g.finalize(h), success);
  node one(engine), configuration(engine_config), plan(execution_plan), same(execution_plan), pack(variant_pack);
  one.set(at_engine_graph, g.graph()).integers(at_engine_global_index, {0}).finish();
  configuration.set(at_enginecfg_engine, one).finish();
  plan.raw(at_execution_plan_handle, handle_type, 1, &h).set(at_execution_plan_engine_config, configuration).finish();
  std::int64_t length = 0;
  ASSERT_EQ(cudnnBackendGetAttribute(plan, at_execution_plan_json_representation, character_type, 0, &length, nullptr),
            success);
  std::string text(static_cast<std::size_t>(length), ' ');
  ASSERT_EQ(cudnnBackendGetAttribute(plan, at_execution_plan_json_representation, character_type, length, &length,
                                     text.data()),
            success);
  same.raw(at_execution_plan_json_representation, character_type, length, text.data()).finish();
  void* const places[] = {g.place(x), g.place(y)};
  pack.integers(at_variant_pack_unique_ids, {x.number, y.number})
      .raw(at_variant_pack_data_pointers, pointer_type, 2, places)
      .finish();
  ASSERT_EQ(cudnnBackendExecute(h, same, pack), success);
  EXPECT_EQ(g.read(y), (std::vector<double>{1, 2, 3}));
  node other(execution_plan);
  other.raw(at_execution_plan_json_representation, character_type, 2, "{}");
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudnnBackendFinalize(other), not_supported);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("a plan that another process wrote"), std::string::npos);
}

// If a graph is refused, frameworks use a different method. So the stand-in prints the reason for the refusal.
TEST_F(Graph, RefusesWhatItDoesNotKnow) {
  const tensor t = packed(f32, {1, 1, 2, 3});
  testing::internal::CaptureStderr();
  {
    graph_maker g;
    const auto y = g.result(t);
    node o(rng);
    g.add(std::move(o.set(at_rng_ydesc, g.of(y)).finish()));
    EXPECT_EQ(g.finalize(h), not_supported_pattern);
    node heuristic(engine_heuristic);
    graph_descriptor* const unfinished = g.graph();
    EXPECT_EQ(cudnnBackendSetAttribute(heuristic, at_engineheur_graph, descriptor_type, 1, &unfinished),
              bad_param_not_finalized);
  }
  {
    graph_maker g;
    const auto x = g.between(t), y = g.result(t);
    g.pointwise_of(pw_exp, x, nullptr, y);
    EXPECT_EQ(g.finalize(h), not_supported_pattern);
  }
  {
    graph_maker g;
    const auto x = g.given(t, fractions(6)), y = g.result(packed(f32, {1, 1, 2, 4}));
    g.pointwise_of(pw_exp, x, nullptr, y);
    EXPECT_EQ(g.finalize(h), not_supported_pattern);
  }
  {
    graph_maker g;
    const auto x = g.given(t, fractions(6)), y = g.tensor_of(t);
    g.pointwise_of(pw_exp, x, nullptr, y);
    EXPECT_EQ(g.execute(h), bad_param);  // the address of y is missing
  }
  {
    // The test passes descriptors instead of numbers, and too few numbers.
    graph_maker g;
    const auto x = g.given(t, fractions(6));
    graph_descriptor* const twice[] = {g.of(x), g.of(x)};
    node odd(tensor_descriptor), what(pointwise_descriptor), o(pointwise);
    odd.raw(at_tensor_dimensions, descriptor_type, 2, twice)
        .integers(at_tensor_strides, {3})
        .value(at_tensor_data_type, data_type_type, f32);
    odd.integers(at_tensor_unique_id, {5}).finish();
    what.value(at_pointwise_mode, pointwise_type, pw_exp).finish();
    g.add(std::move(o.set(at_pointwise_pw_descriptor, what)
                        .set(at_pointwise_xdesc, odd)
                        .set(at_pointwise_ydesc, g.of(x))
                        .finish()));
    EXPECT_EQ(g.finalize(h), not_supported_pattern);
  }
  node n(tensor_descriptor);
  const int three = 3;
  EXPECT_EQ(cudnnBackendSetAttribute(n, at_tensor_data_type, 99, 1, &three), bad_param_attribute_type);
  EXPECT_EQ(cudnnBackendSetAttribute(n, at_tensor_data_type, data_type_type, 1, nullptr), bad_param_null);
  std::int64_t count = 0;
  EXPECT_EQ(cudnnBackendGetAttribute(n, at_tensor_unique_id, int64_type, 1, &count, nullptr), not_supported);
  graph_descriptor* made = nullptr;
  EXPECT_EQ(cudnnBackendCreateDescriptor(77, &made), not_supported);
  EXPECT_EQ(cudnnBackendPopulateCudaGraph(), not_supported);
  const std::string said = testing::internal::GetCapturedStderr();
  for (const char* what : {"an operation of type 33", "a virtual tensor that is read before it is computed",
                           "a pointwise operation in which the dimensions of an input do not match the output",
                           "without a pointer for tensor", "attribute 906 of a graph descriptor of type 17",
                           "a graph descriptor of type 77"})
    EXPECT_NE(said.find(what), std::string::npos) << what << "\n" << said;
}

}  // namespace
}  // namespace bankwise::test
