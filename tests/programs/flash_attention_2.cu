// Runs FlashAttention 2's forward kernels (csrc/flash_attn/src of Dao-AILab/flash-attention) as its Python binding
// does, and compares them with attention on the host: causal and full masks, incomplete tiles, grouped heads, no
// dropout. The argument "split" runs the kernel that splits the keys and the kernel that combines the parts.
#include "attention.hpp"
#include "flash_fwd_launch_template.h"

using element = cutlass::half_t;
constexpr int head_dim = 64;

namespace FLASH_NAMESPACE {
// FlashAttention instantiates this function in a separate file. Only a call with a single part would need it.
template <typename T, int Headdim, bool Is_causal>
void run_mha_fwd_splitkv_one(Flash_fwd_params& params, cudaStream_t stream) {
  constexpr int keys = Headdim <= 64 ? 256 : 128;
  run_flash_splitkv_fwd<Flash_fwd_kernel_traits<Headdim, 64, keys, 4, false, false, T>, Is_causal>(params, stream);
}
}  // namespace FLASH_NAMESPACE

template <bool Causal>
bool run(const attention_case& c, int splits) {
  const std::vector<float> q = numbers(c.q_size(), 1), k = numbers(c.kv_size(), 2), v = numbers(c.kv_size(), 3);
  const std::size_t rows = std::size_t(c.batch) * c.heads * c.rows;
  flash::Flash_fwd_params p{};
  p.q_ptr = on_device<element>(q), p.k_ptr = on_device<element>(k), p.v_ptr = on_device<element>(v);
  auto* o = zeros_on_device<element>(c.q_size());
  auto* lse = zeros_on_device<float>(rows);
  p.o_ptr = o, p.softmax_lse_ptr = lse;
  p.q_row_stride = p.o_row_stride = c.heads * c.dim, p.k_row_stride = p.v_row_stride = c.kv_heads * c.dim;
  p.q_head_stride = p.k_head_stride = p.v_head_stride = p.o_head_stride = c.dim;
  p.q_batch_stride = p.o_batch_stride = p.q_row_stride * c.rows,
  p.k_batch_stride = p.v_batch_stride = p.k_row_stride * c.keys;
  p.b = c.batch, p.h = c.heads, p.h_k = c.kv_heads, p.h_h_k_ratio = c.heads / c.kv_heads;
  p.seqlen_q = c.rows, p.seqlen_k = c.keys, p.d = p.d_rounded = c.dim;
  p.seqlen_q_rounded = (c.rows + 127) / 128 * 128, p.seqlen_k_rounded = (c.keys + 127) / 128 * 128;
  p.scale_softmax = 1 / std::sqrt(float(c.dim)), p.scale_softmax_log2 = p.scale_softmax * float(M_LOG2E);
  p.p_dropout = 1, p.p_dropout_in_uint8_t = 255, p.rp_dropout = 1, p.scale_softmax_rp_dropout = p.scale_softmax;
  p.window_size_left = -1, p.window_size_right = Causal ? 0 : -1;
  p.is_causal = Causal, p.is_seqlens_k_cumulative = true, p.num_splits = splits;
  if (splits > 1) {
    p.oaccum_ptr = zeros_on_device<float>(std::size_t(splits) * rows * std::size_t(c.dim));
    p.softmax_lseaccum_ptr = zeros_on_device<float>(std::size_t(splits) * rows);
    flash::run_mha_fwd_splitkv_one<element, head_dim, Causal>(p, nullptr);
  } else {
    flash::run_mha_fwd_hdim64<element, Causal>(p, nullptr);
  }
  std::vector<double> expected_lse;
  const std::vector<double> expected = attention(c, q, k, v, &expected_lse);
  const std::string name = std::string(Causal ? "causal" : "full") + (splits > 1 ? " split" : "");
  const bool right = check(name, expected, from_device(o, c.q_size()), 2e-3);
  return check(name + " lse", expected_lse, from_device(lse, rows), 1e-4) && right;
}

int main(int argc, char**) {
  const bool split = argc > 1;
  const bool right =
      split ? run<false>({1, 5, 700, 4, 2, head_dim, false}, 3)
            : run<true>({2, 150, 200, 2, 1, head_dim, true}, 1) & run<false>({1, 128, 256, 2, 2, head_dim, false}, 1);
  return right ? 0 : 1;
}
