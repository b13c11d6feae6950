// Our own declarations of enumerators in the C ABI of cuDNN 9. tests/math/dnn/dnn_abi_test.cpp compares them with
// NVIDIA's headers if the headers are installed. The names and types of the graph API's attributes are in
// graph_numbers.def.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bankwise::dnn {

inline constexpr std::size_t version = 91900;

enum status : int {
  success = 0,
  not_initialized = 1001,
  bad_param = 2000,
  bad_param_null = 2002,
  bad_param_not_finalized = 2004,
  bad_param_attribute_type = 2010,
  not_supported = 3000,
  not_supported_pattern = 3001,
  alloc_failed = 4003,
  execution_failed = 5000,
};

// cudnnDataType_t.
enum data_type : int {
  f32 = 0,
  f64 = 1,
  f16 = 2,
  i8 = 3,
  i32 = 4,
  u8 = 6,
  bf16 = 9,
  i64 = 10,
  boolean = 11,
  e4m3 = 12,
  e5m2 = 13,
};

enum tensor_format : int { nchw, nhwc };
enum convolution_mode : int { convolution_flipped, cross_correlation };  // CUDNN_CONVOLUTION reverses the filter
enum activation_mode : int { sigmoid, relu, tanh_of, clipped_relu, elu, identity, swish };
enum pooling_mode : int { pool_max, pool_average_with_padding, pool_average_without_padding, pool_max_deterministic };
enum softmax_algorithm : int { softmax_fast, softmax_accurate, softmax_log };
enum softmax_mode : int { softmax_instance, softmax_channel };
enum batch_norm_mode : int { per_activation, spatial, spatial_persistent };
enum norm_ops : int { norm_alone, norm_activation, norm_add_activation };
enum op_tensor : int { op_add, op_mul, op_min, op_max, op_sqrt, op_not };
enum reduce_op : int {
  reduce_add,
  reduce_mul,
  reduce_min,
  reduce_max,
  reduce_amax,
  reduce_avg,
  reduce_norm1,
  reduce_norm2,
  reduce_mul_no_zeros,
};
enum rnn_mode : int { rnn_relu, rnn_tanh, lstm, gru };
enum rnn_bias : int { no_bias, input_bias, double_bias, recurrent_bias };
enum rnn_layout : int { time_major, time_major_packed, batch_major };
enum loss_normalisation : int { of_probabilities, of_softmax };
enum out_of_bounds_gradient : int { zero_gradient, skip_gradient };

// The result of a search for an algorithm, for all three kinds of convolutions.
struct algorithm_result {
  int algorithm, state;
  float time;
  std::size_t memory;
  int determinism, math_type;
  int reserved[3];
};

inline constexpr int most_dimensions = 8;

}  // namespace bankwise::dnn
