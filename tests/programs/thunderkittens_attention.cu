// Runs ThunderKittens' attention for the H100, kernels/attention/mha_h100 of HazyResearch/ThunderKittens, and compares
// it with attention on the host. Three warp groups compute and one warp group loads, with full and causal attention.
// Includes the source unchanged, but renames its main, which reads a file of its generator. Its tensors are
// [batch][head][row][dim].
#define main main_of_harness
#include SOURCE
#undef main

#include "attention.hpp"

template <int Dim, bool Causal>
bool run(int batch, int heads, int rows) {
  const attention_case c{batch * heads, rows, rows, 1, 1, Dim, Causal};
  const std::vector<float> q = numbers(c.q_size(), 1), k = numbers(c.kv_size(), 2), v = numbers(c.kv_size(), 3);
  using globals = fwd_globals<Dim>;
  const auto n = static_cast<unsigned>(rows), b = static_cast<unsigned>(batch), h = static_cast<unsigned>(heads);
  bf16* o = zeros_on_device<bf16>(c.q_size());
  float* l = zeros_on_device<float>(std::size_t(batch) * heads * rows);
  const globals g{typename globals::q_gl{on_device<bf16>(q), b, h, n, Dim},
                  typename globals::k_gl{on_device<bf16>(k), b, h, n, Dim},
                  typename globals::v_gl{on_device<bf16>(v), b, h, n, Dim},
                  typename globals::l_gl{l, b, h, 1, n},
                  typename globals::o_gl{o, b, h, n, Dim},
                  rows,
                  1};
  const int shared = kittens::MAX_SHARED_MEMORY - 1024;
  require(cudaFuncSetAttribute(fwd_attend_ker<Dim, Causal>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const dim3 grid(rows / (CONSUMER_WARPGROUPS * 64), heads, batch);
  fwd_attend_ker<Dim, Causal><<<grid, NUM_WORKERS * 32, shared>>>(g);
  require(cudaGetLastError());
  std::vector<double> sums;
  const std::vector<double> expected = attention(c, q, k, v, &sums);
  for (double& s : sums) s *= -std::sqrt(double(Dim));  // the scaled form that the backward pass expects
  const std::string name = std::string(Causal ? "causal " : "full ") + std::to_string(Dim);
  const bool right = check(name, expected, from_device(o, c.q_size()), 1e-2);
  return check(name + " sums", sums, from_device(l, sums.size()), 0.1) && right;
}

int main() {
  const bool full = run<64, false>(2, 2, 384), causal = run<128, true>(1, 2, 384);
  return full && causal ? 0 : 1;
}
