// Runs FlashAttention 3's forward kernels (hopper/ of Dao-AILab/flash-attention) as its Python binding does, and
// compares them with attention on the host. The kernels use TMA, wgmma and specialised warps. The causal case has
// incomplete tiles, grouped heads and a counter of tiles. The full case has clusters of two blocks that share K and V.
#include "attention.hpp"
#include "flash_fwd_launch_template.h"

using element = cutlass::half_t;
constexpr int head_dim = 128;

bool run(const char* name, const attention_case& c) {
  const std::vector<float> q = numbers(c.q_size(), 1), k = numbers(c.kv_size(), 2), v = numbers(c.kv_size(), 3);
  const std::size_t rows = std::size_t(c.batch) * c.heads * c.rows;
  Flash_fwd_params p{};
  p.q_ptr = on_device<element>(q), p.k_ptr = on_device<element>(k), p.v_ptr = on_device<element>(v);
  auto* o = zeros_on_device<element>(c.q_size());
  auto* lse = zeros_on_device<float>(rows);
  p.o_ptr = o, p.softmax_lse_ptr = lse;
  p.q_row_stride = p.o_row_stride = c.heads * c.dim, p.k_row_stride = p.v_row_stride = c.kv_heads * c.dim;
  p.q_head_stride = p.k_head_stride = p.v_head_stride = p.o_head_stride = c.dim, p.v_dim_stride = 1;
  p.q_batch_stride = p.o_batch_stride = p.q_row_stride * c.rows,
  p.k_batch_stride = p.v_batch_stride = p.k_row_stride * c.keys;
  p.b = p.b_k = c.batch, p.h = c.heads, p.h_k = c.kv_heads;
  p.seqlen_q = c.rows, p.seqlen_k = c.keys, p.total_q = c.batch * c.rows, p.total_k = c.batch * c.keys;
  p.d = p.d_rounded = p.dv = p.dv_rounded = c.dim;
  p.scale_softmax = 1 / std::sqrt(float(c.dim)), p.p_dropout = 1, p.rp_dropout = 1;
  p.window_size_left = -1, p.window_size_right = c.causal ? 0 : -1, p.is_causal = c.causal, p.num_splits = 1;
  p.tile_count_semaphore = zeros_on_device<int>(1);
  p.arch = 90;
  require(cudaDeviceGetAttribute(&p.num_sm, cudaDevAttrMultiProcessorCount, 0));
  run_mha_fwd_<90, element, head_dim, head_dim, false, false, false, false>(p, nullptr);
  std::vector<double> expected_lse;
  const std::vector<double> expected = attention(c, q, k, v, &expected_lse);
  const bool right = check(name, expected, from_device(o, c.q_size()), 2e-3);
  return check(std::string(name) + " lse", expected_lse, from_device(lse, rows), 1e-4) && right;
}

int main() {
  const bool causal = run("causal", {2, 150, 300, 2, 1, head_dim, true});
  const bool full = run("full", {1, 256, 400, 2, 2, head_dim, false});
  return causal && full ? 0 : 1;
}
