// Runs FlashInfer's decoding kernels (include/flashinfer of flashinfer-ai/flashinfer), and compares them with attention
// on the host. One case is a request whose keys are split between blocks. The other case is a batch whose keys are in
// pages in any order.
#include <flashinfer/attention/decode.cuh>
#include <flashinfer/attention/default_decode_params.cuh>
#include <flashinfer/attention/variants.cuh>
#include "attention.hpp"

using namespace flashinfer;
using variant = DefaultAttention<false, false, false, false>;
constexpr int head_dim = 128, heads = 8, kv_heads = 2, page_size = 16;

template <typename T>
T* copied(const std::vector<T>& values) {
  T* device = zeros_on_device<T>(values.size());
  require(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

bool run_single(int keys) {
  const attention_case c{1, 1, keys, heads, kv_heads, head_dim, false};
  const std::vector<float> q = numbers(c.q_size(), 1), k = numbers(c.kv_size(), 2), v = numbers(c.kv_size(), 3);
  half* o = zeros_on_device<half>(c.q_size());
  SingleDecodeParams<half, half, half> p(on_device<half>(q), on_device<half>(k), on_device<half>(v), o, nullptr, keys,
                                         heads, kv_heads, QKVLayout::kNHD, head_dim, -1, 0,
                                         1 / std::sqrt(float(head_dim)), 1, 1e4f);
  half* parts = zeros_on_device<half>(std::size_t(keys) * heads * head_dim);
  require(SingleDecodeWithKVCacheDispatched<head_dim, PosEncodingMode::kNone, variant>(p, parts, nullptr));
  return check("one request", attention(c, q, k, v), from_device(o, c.q_size()), 2e-3);
}

bool run_batch(const std::vector<int>& lengths) {
  const int batch = int(lengths.size());
  std::vector<int> first_page{0}, last_page_length, pages;
  for (const int n : lengths) {
    first_page.push_back(first_page.back() + (n + page_size - 1) / page_size);
    last_page_length.push_back((n - 1) % page_size + 1);
  }
  const int count = first_page.back();
  for (int i = 0; i < count; ++i) pages.push_back((i * 7 + 3) % count);  // 7 and count have no common factor
  const std::size_t row = std::size_t(kv_heads) * head_dim;
  const std::vector<float> q = numbers(std::size_t(batch) * heads * head_dim, 1),
                           k = numbers(count * page_size * row, 2), v = numbers(count * page_size * row, 3);
  half* o = zeros_on_device<half>(q.size());
  paged_kv_t<half, int> cache(kv_heads, page_size, head_dim, batch, QKVLayout::kNHD, on_device<half>(k),
                              on_device<half>(v), copied(pages), copied(first_page), copied(last_page_length));
  BatchDecodeParams<half, half, half, int> p(on_device<half>(q), nullptr, cache, o, nullptr, nullptr, heads,
                                             heads * head_dim, head_dim, -1, 0, 1 / std::sqrt(float(head_dim)), 1,
                                             1e4f);
  std::vector<int> requests, offsets{0};
  for (int i = 0; i < batch; ++i) requests.push_back(i), offsets.push_back(i + 1);
  p.padded_batch_size = batch;
  p.request_indices = copied(requests), p.kv_tile_indices = zeros_on_device<int>(batch), p.o_indptr = copied(offsets);
  p.kv_chunk_size_ptr = copied(std::vector<int>{1 << 20});
  require(BatchDecodeWithPagedKVCacheDispatched<head_dim, PosEncodingMode::kNone, variant>(p, nullptr, nullptr, false,
                                                                                           nullptr));
  const std::vector<float> got = from_device(o, q.size());
  bool right = true;
  for (int b = 0; b < batch; ++b) {
    const attention_case c{1, 1, lengths[b], heads, kv_heads, head_dim, false};
    std::vector<float> keys, values;
    for (int i = 0; i < lengths[b]; ++i) {
      const std::size_t at = (pages[first_page[b] + i / page_size] * page_size + i % page_size) * row;
      keys.insert(keys.end(), k.begin() + at, k.begin() + at + row);
      values.insert(values.end(), v.begin() + at, v.begin() + at + row);
    }
    const auto begin = std::size_t(b) * heads * head_dim, end = begin + heads * head_dim;
    right &= check("paged, " + std::to_string(lengths[b]) + " keys",
                   attention(c, {q.begin() + begin, q.begin() + end}, keys, values),
                   {got.begin() + begin, got.begin() + end}, 2e-3);
  }
  return right;
}

int main() {
  const bool single = run_single(1000);
  return run_batch({37, 260, 5}) && single ? 0 : 1;
}
