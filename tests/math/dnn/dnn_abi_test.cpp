// If NVIDIA's headers are installed, compares our declarations of cuDNN's ABI with the headers: every entry point takes
// the same types, and enumerators have the same values.
#include <cudnn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

#include "math/dnn/dnn_descriptors.hpp"
#include "math/dnn/graph/graph_descriptor.hpp"

struct dnn_recurrent;
struct dnn_sequences;

#if CUDNN_VERSION < 91900

TEST(DnnAbi, HeadersAreOlder) { GTEST_SKIP() << "cuDNN's headers are older than 9.19, and our numbers are from 9.19"; }

#else

namespace {

namespace ours = bankwise::dnn;

// The form in which a caller passes a parameter: as an address, or as a number of sizeof(T) bytes.
template <class T>
using passed = std::conditional_t<std::is_pointer_v<T>, void*, std::integral_constant<std::size_t, sizeof(T)>>;
template <class A, class B>
inline constexpr bool same_call = false;
template <class R, class... A, class Q, class... B>
inline constexpr bool same_call<R(A...), Q(B...)> =
    std::is_same_v<void(passed<R>, passed<A>...), void(passed<Q>, passed<B>...)>;

namespace entries {
using namespace ours;
namespace cuda = bankwise::cuda;
#define ENTRY(name, parameters) using name##_ours = int parameters;
#include "math/dnn/cudnn_entries.def"
#undef ENTRY
}  // namespace entries
#define ENTRY(name, parameters) static_assert(same_call<entries::name##_ours, decltype(::name)>, #name);
#include "math/dnn/cudnn_entries.def"
#undef ENTRY

static_assert(sizeof(ours::algorithm_result) == sizeof(cudnnConvolutionFwdAlgoPerf_t));
static_assert(offsetof(ours::algorithm_result, memory) == offsetof(cudnnConvolutionFwdAlgoPerf_t, memory));
static_assert(offsetof(ours::algorithm_result, math_type) == offsetof(cudnnConvolutionBwdDataAlgoPerf_t, mathType));

#define SAME(our, their) static_assert(static_cast<int>(ours::our) == static_cast<int>(their))
SAME(success, CUDNN_STATUS_SUCCESS);
SAME(not_initialized, CUDNN_STATUS_NOT_INITIALIZED);
SAME(bad_param, CUDNN_STATUS_BAD_PARAM);
SAME(bad_param_null, CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
SAME(bad_param_not_finalized, CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
SAME(bad_param_attribute_type, CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
SAME(not_supported, CUDNN_STATUS_NOT_SUPPORTED);
SAME(not_supported_pattern, CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN);
SAME(alloc_failed, CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED);
SAME(execution_failed, CUDNN_STATUS_EXECUTION_FAILED);
SAME(f32, CUDNN_DATA_FLOAT);
SAME(f64, CUDNN_DATA_DOUBLE);
SAME(f16, CUDNN_DATA_HALF);
SAME(i8, CUDNN_DATA_INT8);
SAME(i32, CUDNN_DATA_INT32);
SAME(u8, CUDNN_DATA_UINT8);
SAME(bf16, CUDNN_DATA_BFLOAT16);
SAME(i64, CUDNN_DATA_INT64);
SAME(boolean, CUDNN_DATA_BOOLEAN);
SAME(e4m3, CUDNN_DATA_FP8_E4M3);
SAME(e5m2, CUDNN_DATA_FP8_E5M2);
SAME(nhwc, CUDNN_TENSOR_NHWC);
SAME(convolution_flipped, CUDNN_CONVOLUTION);
SAME(cross_correlation, CUDNN_CROSS_CORRELATION);
SAME(sigmoid, CUDNN_ACTIVATION_SIGMOID);
SAME(relu, CUDNN_ACTIVATION_RELU);
SAME(tanh_of, CUDNN_ACTIVATION_TANH);
SAME(clipped_relu, CUDNN_ACTIVATION_CLIPPED_RELU);
SAME(elu, CUDNN_ACTIVATION_ELU);
SAME(identity, CUDNN_ACTIVATION_IDENTITY);
SAME(swish, CUDNN_ACTIVATION_SWISH);
SAME(pool_average_with_padding, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING);
SAME(pool_average_without_padding, CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING);
SAME(pool_max_deterministic, CUDNN_POOLING_MAX_DETERMINISTIC);
SAME(softmax_accurate, CUDNN_SOFTMAX_ACCURATE);
SAME(softmax_log, CUDNN_SOFTMAX_LOG);
SAME(softmax_channel, CUDNN_SOFTMAX_MODE_CHANNEL);
SAME(per_activation, CUDNN_BATCHNORM_PER_ACTIVATION);
SAME(spatial, CUDNN_BATCHNORM_SPATIAL);
SAME(spatial_persistent, CUDNN_BATCHNORM_SPATIAL_PERSISTENT);
SAME(per_activation, CUDNN_NORM_PER_ACTIVATION);
SAME(spatial, CUDNN_NORM_PER_CHANNEL);
SAME(norm_activation, CUDNN_BATCHNORM_OPS_BN_ACTIVATION);
SAME(norm_add_activation, CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION);
SAME(norm_add_activation, CUDNN_NORM_OPS_NORM_ADD_ACTIVATION);
SAME(op_mul, CUDNN_OP_TENSOR_MUL);
SAME(op_not, CUDNN_OP_TENSOR_NOT);
SAME(reduce_max, CUDNN_REDUCE_TENSOR_MAX);
SAME(reduce_mul_no_zeros, CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS);
SAME(rnn_relu, CUDNN_RNN_RELU);
SAME(rnn_tanh, CUDNN_RNN_TANH);
SAME(lstm, CUDNN_LSTM);
SAME(gru, CUDNN_GRU);
SAME(no_bias, CUDNN_RNN_NO_BIAS);
SAME(input_bias, CUDNN_RNN_SINGLE_INP_BIAS);
SAME(double_bias, CUDNN_RNN_DOUBLE_BIAS);
SAME(recurrent_bias, CUDNN_RNN_SINGLE_REC_BIAS);
SAME(time_major_packed, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED);
SAME(batch_major, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED);
SAME(of_softmax, CUDNN_LOSS_NORMALIZATION_SOFTMAX);
SAME(zero_gradient, CUDNN_CTC_ZERO_OOB_GRADIENTS);
SAME(skip_gradient, CUDNN_CTC_SKIP_OOB_GRADIENTS);
SAME(most_dimensions, CUDNN_DIM_MAX);
SAME(pointwise_descriptor, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
SAME(convolution_descriptor, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
SAME(engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
SAME(engine_config, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
SAME(engine_heuristic, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
SAME(execution_plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
SAME(knob_choice, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
SAME(knob_info, CUDNN_BACKEND_KNOB_INFO_DESCRIPTOR);
SAME(layout_info, CUDNN_BACKEND_LAYOUT_INFO_DESCRIPTOR);
SAME(convolution_forward, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
SAME(convolution_back_filter, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
SAME(convolution_back_data, CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR);
SAME(pointwise, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
SAME(statistics, CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR);
SAME(operation_graph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
SAME(variant_pack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
SAME(tensor_descriptor, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
SAME(matmul_descriptor, CUDNN_BACKEND_MATMUL_DESCRIPTOR);
SAME(matmul, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
SAME(bn_finalize, CUDNN_BACKEND_OPERATION_BN_FINALIZE_STATISTICS_DESCRIPTOR);
SAME(reduction_descriptor, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
SAME(reduction_of, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
SAME(bn_back_weights, CUDNN_BACKEND_OPERATION_BN_BWD_WEIGHTS_DESCRIPTOR);
SAME(resample_descriptor, CUDNN_BACKEND_RESAMPLE_DESCRIPTOR);
SAME(resample_forward, CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR);
SAME(resample_back, CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR);
SAME(concatenation, CUDNN_BACKEND_OPERATION_CONCAT_DESCRIPTOR);
SAME(signal_operation, CUDNN_BACKEND_OPERATION_SIGNAL_DESCRIPTOR);
SAME(at_execution_plan_json_representation, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
SAME(at_enginecfg_intermediate_info, CUDNN_ATTR_ENGINECFG_INTERMEDIATE_INFO);
SAME(at_engine_knob_info, CUDNN_ATTR_ENGINE_KNOB_INFO);
SAME(norm_forward, CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
SAME(norm_back, CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR);
SAME(reshape, CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
SAME(rng_descriptor, CUDNN_BACKEND_RNG_DESCRIPTOR);
SAME(rng, CUDNN_BACKEND_OPERATION_RNG_DESCRIPTOR);
SAME(kernel_cache, CUDNN_BACKEND_KERNEL_CACHE_DESCRIPTOR);
SAME(paged_cache_load, CUDNN_BACKEND_OPERATION_PAGED_CACHE_LOAD_DESCRIPTOR);
SAME(block_quantize, CUDNN_BACKEND_OPERATION_BLOCK_SCALE_QUANTIZE_DESCRIPTOR);
SAME(block_dequantize, CUDNN_BACKEND_OPERATION_BLOCK_SCALE_DEQUANTIZE_DESCRIPTOR);
SAME(device_properties, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
SAME(attention_forward, CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
SAME(attention_back, CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR);
SAME(grouped_matmul, CUDNN_BACKEND_OPERATION_MOE_GROUPED_MATMUL_DESCRIPTOR);
SAME(at_pointwise_mode, CUDNN_ATTR_POINTWISE_MODE);
SAME(at_pointwise_math_prec, CUDNN_ATTR_POINTWISE_MATH_PREC);
SAME(at_pointwise_nan_propagation, CUDNN_ATTR_POINTWISE_NAN_PROPAGATION);
SAME(at_pointwise_relu_lower_clip, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP);
SAME(at_pointwise_relu_upper_clip, CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP);
SAME(at_pointwise_relu_lower_clip_slope, CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE);
SAME(at_pointwise_elu_alpha, CUDNN_ATTR_POINTWISE_ELU_ALPHA);
SAME(at_pointwise_softplus_beta, CUDNN_ATTR_POINTWISE_SOFTPLUS_BETA);
SAME(at_pointwise_swish_beta, CUDNN_ATTR_POINTWISE_SWISH_BETA);
SAME(at_pointwise_axis, CUDNN_ATTR_POINTWISE_AXIS);
SAME(at_convolution_comp_type, CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
SAME(at_convolution_conv_mode, CUDNN_ATTR_CONVOLUTION_CONV_MODE);
SAME(at_convolution_dilations, CUDNN_ATTR_CONVOLUTION_DILATIONS);
SAME(at_convolution_filter_strides, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
SAME(at_convolution_post_paddings, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
SAME(at_convolution_pre_paddings, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
SAME(at_convolution_spatial_dims, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
SAME(at_engineheur_mode, CUDNN_ATTR_ENGINEHEUR_MODE);
SAME(at_engineheur_graph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
SAME(at_engineheur_results, CUDNN_ATTR_ENGINEHEUR_RESULTS);
SAME(at_engineheur_sm_count_target, CUDNN_ATTR_ENGINEHEUR_SM_COUNT_TARGET);
SAME(at_engineheur_deviceprop, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP);
SAME(at_enginecfg_engine, CUDNN_ATTR_ENGINECFG_ENGINE);
SAME(at_enginecfg_knob_choices, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES);
SAME(at_enginecfg_workspace_size, CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE);
SAME(at_enginecfg_shared_memory_used, CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED);
SAME(at_execution_plan_handle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
SAME(at_execution_plan_engine_config, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
SAME(at_execution_plan_workspace_size, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
SAME(at_execution_plan_kernel_cache, CUDNN_ATTR_EXECUTION_PLAN_KERNEL_CACHE);
SAME(at_execution_plan_deviceprop, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP);
SAME(at_convolution_forward_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA);
SAME(at_convolution_forward_beta, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA);
SAME(at_convolution_forward_conv_desc, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC);
SAME(at_convolution_forward_w, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W);
SAME(at_convolution_forward_x, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X);
SAME(at_convolution_forward_y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
SAME(at_convolution_bwd_data_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA);
SAME(at_convolution_bwd_data_beta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA);
SAME(at_convolution_bwd_data_conv_desc, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC);
SAME(at_convolution_bwd_data_w, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W);
SAME(at_convolution_bwd_data_dx, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX);
SAME(at_convolution_bwd_data_dy, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY);
SAME(at_convolution_bwd_filter_alpha, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA);
SAME(at_convolution_bwd_filter_beta, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA);
SAME(at_convolution_bwd_filter_conv_desc, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC);
SAME(at_convolution_bwd_filter_dw, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW);
SAME(at_convolution_bwd_filter_x, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X);
SAME(at_convolution_bwd_filter_dy, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY);
SAME(at_pointwise_pw_descriptor, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
SAME(at_pointwise_xdesc, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
SAME(at_pointwise_bdesc, CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
SAME(at_pointwise_ydesc, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
SAME(at_pointwise_alpha1, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1);
SAME(at_pointwise_alpha2, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2);
SAME(at_pointwise_dxdesc, CUDNN_ATTR_OPERATION_POINTWISE_DXDESC);
SAME(at_pointwise_dydesc, CUDNN_ATTR_OPERATION_POINTWISE_DYDESC);
SAME(at_pointwise_tdesc, CUDNN_ATTR_OPERATION_POINTWISE_TDESC);
SAME(at_genstats_mode, CUDNN_ATTR_OPERATION_GENSTATS_MODE);
SAME(at_genstats_math_prec, CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC);
SAME(at_genstats_xdesc, CUDNN_ATTR_OPERATION_GENSTATS_XDESC);
SAME(at_genstats_sumdesc, CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC);
SAME(at_genstats_sqsumdesc, CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC);
SAME(at_graph_handle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
SAME(at_graph_ops, CUDNN_ATTR_OPERATIONGRAPH_OPS);
SAME(at_graph_engine_global_count, CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT);
SAME(at_graph_is_dynamic_shape_enabled, CUDNN_ATTR_OPERATIONGRAPH_IS_DYNAMIC_SHAPE_ENABLED);
SAME(at_graph_is_same_topology, CUDNN_ATTR_OPERATIONGRAPH_IS_SAME_TOPOLOGY);
SAME(at_tensor_byte_alignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
SAME(at_tensor_data_type, CUDNN_ATTR_TENSOR_DATA_TYPE);
SAME(at_tensor_dimensions, CUDNN_ATTR_TENSOR_DIMENSIONS);
SAME(at_tensor_strides, CUDNN_ATTR_TENSOR_STRIDES);
SAME(at_tensor_vector_count, CUDNN_ATTR_TENSOR_VECTOR_COUNT);
SAME(at_tensor_vectorized_dimension, CUDNN_ATTR_TENSOR_VECTORIZED_DIMENSION);
SAME(at_tensor_unique_id, CUDNN_ATTR_TENSOR_UNIQUE_ID);
SAME(at_tensor_is_virtual, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
SAME(at_tensor_is_by_value, CUDNN_ATTR_TENSOR_IS_BY_VALUE);
SAME(at_tensor_reordering_mode, CUDNN_ATTR_TENSOR_REORDERING_MODE);
SAME(at_tensor_ragged_offset_desc, CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC);
SAME(at_variant_pack_unique_ids, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
SAME(at_variant_pack_data_pointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
SAME(at_variant_pack_workspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
SAME(at_variant_pack_override_unique_ids, CUDNN_ATTR_VARIANT_PACK_OVERRIDE_UNIQUE_IDS);
SAME(at_variant_pack_override_shapes, CUDNN_ATTR_VARIANT_PACK_OVERRIDE_SHAPES);
SAME(at_variant_pack_override_strides, CUDNN_ATTR_VARIANT_PACK_OVERRIDE_STRIDES);
SAME(at_engine_graph, CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
SAME(at_engine_global_index, CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
SAME(at_engine_numerical_note, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE);
SAME(at_engine_layout_info, CUDNN_ATTR_ENGINE_LAYOUT_INFO);
SAME(at_engine_behavior_note, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE);
SAME(at_engine_sm_count_target, CUDNN_ATTR_ENGINE_SM_COUNT_TARGET);
SAME(at_engine_deviceprop, CUDNN_ATTR_ENGINE_DEVICEPROP);
SAME(at_engine_disable_cluster_cooperative, CUDNN_ATTR_ENGINE_DISABLE_CLUSTER_COOPERATIVE);
SAME(at_matmul_comp_type, CUDNN_ATTR_MATMUL_COMP_TYPE);
SAME(at_matmul_padding_value, CUDNN_ATTR_MATMUL_PADDING_VALUE);
SAME(at_matmul_adesc, CUDNN_ATTR_OPERATION_MATMUL_ADESC);
SAME(at_matmul_bdesc, CUDNN_ATTR_OPERATION_MATMUL_BDESC);
SAME(at_matmul_cdesc, CUDNN_ATTR_OPERATION_MATMUL_CDESC);
SAME(at_matmul_desc, CUDNN_ATTR_OPERATION_MATMUL_DESC);
SAME(at_matmul_irregularly_strided_batch_count, CUDNN_ATTR_OPERATION_MATMUL_IRREGULARLY_STRIDED_BATCH_COUNT);
SAME(at_matmul_gemm_m_override_desc, CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC);
SAME(at_matmul_gemm_n_override_desc, CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC);
SAME(at_matmul_gemm_k_override_desc, CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC);
SAME(at_reduction_operator, CUDNN_ATTR_REDUCTION_OPERATOR);
SAME(at_reduction_comp_type, CUDNN_ATTR_REDUCTION_COMP_TYPE);
SAME(at_reduction_is_deterministic, CUDNN_ATTR_REDUCTION_IS_DETERMINISTIC);
SAME(at_reduction_xdesc, CUDNN_ATTR_OPERATION_REDUCTION_XDESC);
SAME(at_reduction_ydesc, CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
SAME(at_reduction_desc, CUDNN_ATTR_OPERATION_REDUCTION_DESC);
SAME(at_resample_mode, CUDNN_ATTR_RESAMPLE_MODE);
SAME(at_resample_comp_type, CUDNN_ATTR_RESAMPLE_COMP_TYPE);
SAME(at_resample_spatial_dims, CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS);
SAME(at_resample_post_paddings, CUDNN_ATTR_RESAMPLE_POST_PADDINGS);
SAME(at_resample_pre_paddings, CUDNN_ATTR_RESAMPLE_PRE_PADDINGS);
SAME(at_resample_strides, CUDNN_ATTR_RESAMPLE_STRIDES);
SAME(at_resample_window_dims, CUDNN_ATTR_RESAMPLE_WINDOW_DIMS);
SAME(at_resample_nan_propagation, CUDNN_ATTR_RESAMPLE_NAN_PROPAGATION);
SAME(at_resample_padding_mode, CUDNN_ATTR_RESAMPLE_PADDING_MODE);
SAME(at_resample_fwd_xdesc, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC);
SAME(at_resample_fwd_ydesc, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC);
SAME(at_resample_fwd_idxdesc, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_IDXDESC);
SAME(at_resample_fwd_alpha, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_ALPHA);
SAME(at_resample_fwd_beta, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_BETA);
SAME(at_resample_fwd_desc, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC);
SAME(at_concat_axis, CUDNN_ATTR_OPERATION_CONCAT_AXIS);
SAME(at_concat_input_descs, CUDNN_ATTR_OPERATION_CONCAT_INPUT_DESCS);
SAME(at_concat_inplace_index, CUDNN_ATTR_OPERATION_CONCAT_INPLACE_INDEX);
SAME(at_concat_output_desc, CUDNN_ATTR_OPERATION_CONCAT_OUTPUT_DESC);
SAME(at_norm_fwd_mode, CUDNN_ATTR_OPERATION_NORM_FWD_MODE);
SAME(at_norm_fwd_phase, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE);
SAME(at_norm_fwd_xdesc, CUDNN_ATTR_OPERATION_NORM_FWD_XDESC);
SAME(at_norm_fwd_mean_desc, CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC);
SAME(at_norm_fwd_inv_variance_desc, CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC);
SAME(at_norm_fwd_scale_desc, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC);
SAME(at_norm_fwd_bias_desc, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC);
SAME(at_norm_fwd_epsilon_desc, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC);
SAME(at_norm_fwd_exp_avg_factor_desc, CUDNN_ATTR_OPERATION_NORM_FWD_EXP_AVG_FACTOR_DESC);
SAME(at_norm_fwd_input_running_mean_desc, CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_MEAN_DESC);
SAME(at_norm_fwd_input_running_var_desc, CUDNN_ATTR_OPERATION_NORM_FWD_INPUT_RUNNING_VAR_DESC);
SAME(at_norm_fwd_output_running_mean_desc, CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_MEAN_DESC);
SAME(at_norm_fwd_output_running_var_desc, CUDNN_ATTR_OPERATION_NORM_FWD_OUTPUT_RUNNING_VAR_DESC);
SAME(at_norm_fwd_ydesc, CUDNN_ATTR_OPERATION_NORM_FWD_YDESC);
SAME(at_norm_fwd_peer_stat_descs, CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS);
SAME(at_norm_bwd_mode, CUDNN_ATTR_OPERATION_NORM_BWD_MODE);
SAME(at_norm_bwd_xdesc, CUDNN_ATTR_OPERATION_NORM_BWD_XDESC);
SAME(at_norm_bwd_mean_desc, CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC);
SAME(at_norm_bwd_inv_variance_desc, CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC);
SAME(at_norm_bwd_dydesc, CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC);
SAME(at_norm_bwd_scale_desc, CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC);
SAME(at_norm_bwd_epsilon_desc, CUDNN_ATTR_OPERATION_NORM_BWD_EPSILON_DESC);
SAME(at_norm_bwd_dscale_desc, CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC);
SAME(at_norm_bwd_dbias_desc, CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC);
SAME(at_norm_bwd_dxdesc, CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC);
SAME(at_norm_bwd_peer_stat_descs, CUDNN_ATTR_OPERATION_NORM_BWD_PEER_STAT_DESCS);
SAME(at_reshape_xdesc, CUDNN_ATTR_OPERATION_RESHAPE_XDESC);
SAME(at_reshape_ydesc, CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
SAME(at_rng_distribution, CUDNN_ATTR_RNG_DISTRIBUTION);
SAME(at_rng_normal_dist_mean, CUDNN_ATTR_RNG_NORMAL_DIST_MEAN);
SAME(at_rng_normal_dist_standard_deviation, CUDNN_ATTR_RNG_NORMAL_DIST_STANDARD_DEVIATION);
SAME(at_rng_uniform_dist_maximum, CUDNN_ATTR_RNG_UNIFORM_DIST_MAXIMUM);
SAME(at_rng_uniform_dist_minimum, CUDNN_ATTR_RNG_UNIFORM_DIST_MINIMUM);
SAME(at_rng_bernoulli_dist_probability, CUDNN_ATTR_RNG_BERNOULLI_DIST_PROBABILITY);
SAME(at_rng_ydesc, CUDNN_ATTR_OPERATION_RNG_YDESC);
SAME(at_rng_seed, CUDNN_ATTR_OPERATION_RNG_SEED);
SAME(at_rng_desc, CUDNN_ATTR_OPERATION_RNG_DESC);
SAME(at_rng_offset_desc, CUDNN_ATTR_OPERATION_RNG_OFFSET_DESC);
SAME(pw_add, CUDNN_POINTWISE_ADD);
SAME(pw_mul, CUDNN_POINTWISE_MUL);
SAME(pw_min, CUDNN_POINTWISE_MIN);
SAME(pw_max, CUDNN_POINTWISE_MAX);
SAME(pw_sqrt, CUDNN_POINTWISE_SQRT);
SAME(pw_add_square, CUDNN_POINTWISE_ADD_SQUARE);
SAME(pw_div, CUDNN_POINTWISE_DIV);
SAME(pw_mod, CUDNN_POINTWISE_MOD);
SAME(pw_pow, CUDNN_POINTWISE_POW);
SAME(pw_sub, CUDNN_POINTWISE_SUB);
SAME(pw_abs, CUDNN_POINTWISE_ABS);
SAME(pw_ceil, CUDNN_POINTWISE_CEIL);
SAME(pw_cos, CUDNN_POINTWISE_COS);
SAME(pw_exp, CUDNN_POINTWISE_EXP);
SAME(pw_floor, CUDNN_POINTWISE_FLOOR);
SAME(pw_log, CUDNN_POINTWISE_LOG);
SAME(pw_neg, CUDNN_POINTWISE_NEG);
SAME(pw_rsqrt, CUDNN_POINTWISE_RSQRT);
SAME(pw_sin, CUDNN_POINTWISE_SIN);
SAME(pw_tan, CUDNN_POINTWISE_TAN);
SAME(pw_erf, CUDNN_POINTWISE_ERF);
SAME(pw_identity, CUDNN_POINTWISE_IDENTITY);
SAME(pw_reciprocal, CUDNN_POINTWISE_RECIPROCAL);
SAME(pw_atan2, CUDNN_POINTWISE_ATAN2);
SAME(pw_relu_fwd, CUDNN_POINTWISE_RELU_FWD);
SAME(pw_tanh_fwd, CUDNN_POINTWISE_TANH_FWD);
SAME(pw_sigmoid_fwd, CUDNN_POINTWISE_SIGMOID_FWD);
SAME(pw_elu_fwd, CUDNN_POINTWISE_ELU_FWD);
SAME(pw_gelu_fwd, CUDNN_POINTWISE_GELU_FWD);
SAME(pw_softplus_fwd, CUDNN_POINTWISE_SOFTPLUS_FWD);
SAME(pw_swish_fwd, CUDNN_POINTWISE_SWISH_FWD);
SAME(pw_gelu_approx_tanh_fwd, CUDNN_POINTWISE_GELU_APPROX_TANH_FWD);
SAME(pw_relu_bwd, CUDNN_POINTWISE_RELU_BWD);
SAME(pw_tanh_bwd, CUDNN_POINTWISE_TANH_BWD);
SAME(pw_sigmoid_bwd, CUDNN_POINTWISE_SIGMOID_BWD);
SAME(pw_elu_bwd, CUDNN_POINTWISE_ELU_BWD);
SAME(pw_gelu_bwd, CUDNN_POINTWISE_GELU_BWD);
SAME(pw_softplus_bwd, CUDNN_POINTWISE_SOFTPLUS_BWD);
SAME(pw_swish_bwd, CUDNN_POINTWISE_SWISH_BWD);
SAME(pw_gelu_approx_tanh_bwd, CUDNN_POINTWISE_GELU_APPROX_TANH_BWD);
SAME(pw_cmp_eq, CUDNN_POINTWISE_CMP_EQ);
SAME(pw_cmp_neq, CUDNN_POINTWISE_CMP_NEQ);
SAME(pw_cmp_gt, CUDNN_POINTWISE_CMP_GT);
SAME(pw_cmp_ge, CUDNN_POINTWISE_CMP_GE);
SAME(pw_cmp_lt, CUDNN_POINTWISE_CMP_LT);
SAME(pw_cmp_le, CUDNN_POINTWISE_CMP_LE);
SAME(pw_logical_and, CUDNN_POINTWISE_LOGICAL_AND);
SAME(pw_logical_or, CUDNN_POINTWISE_LOGICAL_OR);
SAME(pw_logical_not, CUDNN_POINTWISE_LOGICAL_NOT);
SAME(pw_gen_index, CUDNN_POINTWISE_GEN_INDEX);
SAME(pw_binary_select, CUDNN_POINTWISE_BINARY_SELECT);
SAME(norm_layer, CUDNN_LAYER_NORM);
SAME(norm_instance, CUDNN_INSTANCE_NORM);
SAME(norm_batch, CUDNN_BATCH_NORM);
SAME(norm_group, CUDNN_GROUP_NORM);
SAME(norm_rms, CUDNN_RMS_NORM);
SAME(phase_inference, CUDNN_NORM_FWD_INFERENCE);
SAME(phase_training, CUDNN_NORM_FWD_TRAINING);
SAME(resample_nearest, CUDNN_RESAMPLE_NEAREST);
SAME(resample_bilinear, CUDNN_RESAMPLE_BILINEAR);
SAME(resample_average, CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING);
SAME(resample_max, CUDNN_RESAMPLE_MAXPOOL);
SAME(resample_average_inside, CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING);
SAME(rng_bernoulli, CUDNN_RNG_DISTRIBUTION_BERNOULLI);
SAME(rng_uniform, CUDNN_RNG_DISTRIBUTION_UNIFORM);
SAME(rng_normal, CUDNN_RNG_DISTRIBUTION_NORMAL);
SAME(at_sdpa_fwd_qdesc, CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC);
SAME(at_sdpa_fwd_kdesc, CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC);
SAME(at_sdpa_fwd_vdesc, CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC);
SAME(at_sdpa_fwd_odesc, CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC);
SAME(at_sdpa_fwd_statsdesc, CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC);
SAME(at_sdpa_fwd_scaledesc, CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC);
SAME(at_sdpa_bwd_qdesc, CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC);
SAME(at_sdpa_bwd_kdesc, CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC);
SAME(at_sdpa_bwd_vdesc, CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC);
SAME(at_sdpa_bwd_odesc, CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC);
SAME(at_sdpa_bwd_statsdesc, CUDNN_ATTR_OPERATION_SDPA_BWD_STATSDESC);
SAME(at_sdpa_bwd_scaledesc, CUDNN_ATTR_OPERATION_SDPA_BWD_SCALEDESC);
SAME(at_sdpa_bwd_dqdesc, CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC);
SAME(at_sdpa_bwd_dkdesc, CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC);
SAME(at_sdpa_bwd_dvdesc, CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC);
SAME(at_sdpa_bwd_dodesc, CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC);

// Checks the size in bytes of an attribute's element.
template <class T>
void expect_bytes(int type) {
  EXPECT_EQ(ours::bytes_of_attribute(type), sizeof(T)) << type;
}
TEST(DnnAbi, AttributesHaveTheirSizes) {
  expect_bytes<cudnnHandle_t>(CUDNN_TYPE_HANDLE);
  expect_bytes<cudnnDataType_t>(CUDNN_TYPE_DATA_TYPE);
  expect_bytes<bool>(CUDNN_TYPE_BOOLEAN);
  expect_bytes<std::int64_t>(CUDNN_TYPE_INT64);
  expect_bytes<float>(CUDNN_TYPE_FLOAT);
  expect_bytes<double>(CUDNN_TYPE_DOUBLE);
  expect_bytes<void*>(CUDNN_TYPE_VOID_PTR);
  expect_bytes<cudnnConvolutionMode_t>(CUDNN_TYPE_CONVOLUTION_MODE);
  expect_bytes<cudnnBackendNumericalNote_t>(CUDNN_TYPE_NUMERICAL_NOTE);
  expect_bytes<cudnnPointwiseMode_t>(CUDNN_TYPE_POINTWISE_MODE);
  expect_bytes<cudnnBackendDescriptor_t>(CUDNN_TYPE_BACKEND_DESCRIPTOR);
  expect_bytes<std::int32_t>(CUDNN_TYPE_INT32);
  expect_bytes<char>(CUDNN_TYPE_CHAR);
  expect_bytes<cudnnFraction_t>(CUDNN_TYPE_FRACTION);
  expect_bytes<cudnnBackendNormMode_t>(CUDNN_TYPE_NORM_MODE);
  EXPECT_EQ(ours::bytes_of_attribute(99), 0u);
  EXPECT_EQ(ours::handle_type, CUDNN_TYPE_HANDLE);
  EXPECT_EQ(ours::int64_type, CUDNN_TYPE_INT64);
  EXPECT_EQ(ours::float_type, CUDNN_TYPE_FLOAT);
  EXPECT_EQ(ours::double_type, CUDNN_TYPE_DOUBLE);
  EXPECT_EQ(ours::pointer_type, CUDNN_TYPE_VOID_PTR);
  EXPECT_EQ(ours::descriptor_type, CUDNN_TYPE_BACKEND_DESCRIPTOR);
}

}  // namespace

#endif
