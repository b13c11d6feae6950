// Steps of graphs that compute attention and its gradients as one operation: softmax(scale * q k^T) v for each image
// and head.
#include <algorithm>
#include <cmath>

#include "math/dnn/graph/graph_steps.hpp"

namespace bankwise::dnn {

using math::as_it_is;
using math::multiply;
using math::transposed;

namespace {

// Several heads of q may use the same head of k and v.
struct attention_shape {
  index_t images = 0, heads = 0, key_heads = 0, value_heads = 0, queries = 0, keys = 0, depth = 0, width = 0;

  index_t key_head(index_t i) const { return i / heads * key_heads + i % heads / (heads / key_heads); }
  index_t value_head(index_t i) const { return i / heads * value_heads + i % heads / (heads / value_heads); }
  double work() const {
    return static_cast<double>(images * heads * queries) * static_cast<double>(keys * (depth + width));
  }
  // A GPU computes the attention as one kernel, whose blocks each compute some rows of the result.
  cuda::library_work gpu_work(int type) const {
    return cuda::library_work::of_products(gpu_arithmetic(type), static_cast<double>(images * heads),
                                           static_cast<double>(queries), static_cast<double>(depth + width),
                                           static_cast<double>(keys));
  }
};

bool fit_attention(graph_builder& b, const tensor& q, const tensor& k, const tensor& v, const tensor& o,
                   attention_shape& s) {
  if (q.rank != 4 || k.rank != 4 || v.rank != 4 || o.rank != 4)
    return b.refuse("attention of tensors without 4 dimensions");
  s = {q.dims[0], q.dims[1], k.dims[1], v.dims[1], q.dims[2], k.dims[2], q.dims[3], v.dims[3]};
  const bool fits = k.dims[0] == s.images && v.dims[0] == s.images && s.heads % s.key_heads == 0 &&
                    s.heads % s.value_heads == 0 && k.dims[3] == s.depth && v.dims[2] == s.keys &&
                    o.dims[0] == s.images && o.dims[1] == s.heads && o.dims[2] == s.queries && o.dims[3] == s.width;
  return fits || b.refuse("an attention in which the dimensions of Q, K, V and O do not match");
}

// Returns the products of one head, which have a row for each query.
template <class T>
std::vector<T> scores_of(const attention_shape& s, index_t i, T scale, const std::vector<T>& q,
                         const std::vector<T>& k) {
  std::vector<T> scores(static_cast<std::size_t>(s.queries * s.keys));
  multiply<T>(transposed, as_it_is, s.keys, s.queries, s.depth, scale, k.data() + s.key_head(i) * s.keys * s.depth,
              s.depth, q.data() + i * s.queries * s.depth, s.depth, 0, scores.data(), s.keys);
  return scores;
}

}  // namespace

bool add_attention_forward(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(o, {at_sdpa_fwd_qdesc, at_sdpa_fwd_kdesc, at_sdpa_fwd_vdesc, at_sdpa_fwd_odesc, at_sdpa_fwd_statsdesc,
                   at_sdpa_fwd_scaledesc}))
    return false;
  const bool scaled = o.find(at_sdpa_fwd_scaledesc) != nullptr, with_stats = o.find(at_sdpa_fwd_statsdesc) != nullptr;
  const auto q = b.reads(o, at_sdpa_fwd_qdesc), k = b.reads(o, at_sdpa_fwd_kdesc), v = b.reads(o, at_sdpa_fwd_vdesc),
             scale = scaled ? b.reads(o, at_sdpa_fwd_scaledesc) : q;
  const auto to = b.writes(o, at_sdpa_fwd_odesc), stats = with_stats ? b.writes(o, at_sdpa_fwd_statsdesc) : to;
  attention_shape s;
  if (!b.why.empty() || !fit_attention(b, b.shape(q), b.shape(k), b.shape(v), b.shape(to), s)) return false;
  if (with_stats && count_of(b.shape(stats)) != s.images * s.heads * s.queries)
    return b.refuse("an attention whose statistics do not have one number per batch, head and query");
  b.program->add_work(s.gpu_work(b.shape(q).type));
  b.program->by_blas = true;
  b.program->add([=](auto& values) {
    auto& result = values.out(to);
    using T = std::decay_t<decltype(result[0])>;
    std::vector<T> logs(static_cast<std::size_t>(s.images * s.heads * s.queries));
    const T factor = scaled ? values.in(scale)[0] : T(1);
    math::for_each(s.images * s.heads, s.work(), [&](index_t i) {
      std::vector<T> scores = scores_of(s, i, factor, values.in(q), values.in(k));
      std::vector<double> sums(static_cast<std::size_t>(s.queries));
      for (index_t row = 0; row < s.queries; ++row) {
        T* const at = scores.data() + row * s.keys;
        const T most = *std::max_element(at, at + s.keys);
        for (index_t j = 0; j < s.keys; ++j) sums[row] += static_cast<double>(at[j] = std::exp(at[j] - most));
        logs[i * s.queries + row] = static_cast<T>(static_cast<double>(most) + std::log(sums[row]));
      }
      // The scores are rounded to v's type, because tensor cores multiply numbers of this type. The product is divided
      // by the sum of the scores.
      round_to(values.shape(v).type, scores);
      T* const to_rows = result.data() + i * s.queries * s.width;
      multiply<T>(as_it_is, as_it_is, s.width, s.queries, s.keys, 1,
                  values.in(v).data() + s.value_head(i) * s.keys * s.width, s.width, scores.data(), s.keys, 0, to_rows,
                  s.width);
      for (index_t row = 0; row < s.queries; ++row)
        for (index_t j = 0; j < s.width; ++j)
          to_rows[row * s.width + j] = static_cast<T>(static_cast<double>(to_rows[row * s.width + j]) / sums[row]);
    });
    if (with_stats) values.out(stats) = logs;
  });
  return true;
}

bool add_attention_back(graph_builder& b, const graph_descriptor_content& o) {
  if (!b.knows(o,
               {at_sdpa_bwd_qdesc, at_sdpa_bwd_kdesc, at_sdpa_bwd_vdesc, at_sdpa_bwd_odesc, at_sdpa_bwd_statsdesc,
                at_sdpa_bwd_scaledesc, at_sdpa_bwd_dqdesc, at_sdpa_bwd_dkdesc, at_sdpa_bwd_dvdesc, at_sdpa_bwd_dodesc}))
    return false;
  const bool scaled = o.find(at_sdpa_bwd_scaledesc) != nullptr;
  const auto q = b.reads(o, at_sdpa_bwd_qdesc), k = b.reads(o, at_sdpa_bwd_kdesc), v = b.reads(o, at_sdpa_bwd_vdesc),
             came_out = b.reads(o, at_sdpa_bwd_odesc), stats = b.reads(o, at_sdpa_bwd_statsdesc),
             given = b.reads(o, at_sdpa_bwd_dodesc), scale = scaled ? b.reads(o, at_sdpa_bwd_scaledesc) : q;
  const auto dq = b.writes(o, at_sdpa_bwd_dqdesc), dk = b.writes(o, at_sdpa_bwd_dkdesc),
             dv = b.writes(o, at_sdpa_bwd_dvdesc);
  attention_shape s;
  if (!b.why.empty() || !fit_attention(b, b.shape(q), b.shape(k), b.shape(v), b.shape(came_out), s)) return false;
  if (!same_dims(b.shape(dq), b.shape(q)) || !same_dims(b.shape(dk), b.shape(k)) ||
      !same_dims(b.shape(dv), b.shape(v)) || !same_dims(b.shape(given), b.shape(came_out)) ||
      count_of(b.shape(stats)) != s.images * s.heads * s.queries)
    return b.refuse("the gradient of an attention in which dQ, dK, dV, dO or the statistics have the wrong size");
  cuda::library_work work = s.gpu_work(b.shape(q).type);
  work.operations *= 2.5;  // five products instead of two
  b.program->add_work(work);
  b.program->by_blas = true;
  b.program->add([=](auto& values) {
    auto &of_q = values.out(dq), &of_k = values.out(dk), &of_v = values.out(dv);
    using T = std::decay_t<decltype(of_q[0])>;
    const std::vector<T>&results = values.in(came_out), &slopes = values.in(given), &logs = values.in(stats);
    const T factor = scaled ? values.in(scale)[0] : T(1);
    // One thread computes all heads of an image, because several heads may add to the same keys.
    math::for_each(s.images, 3 * s.work(), [&](index_t image) {
      for (index_t i = image * s.heads; i < (image + 1) * s.heads; ++i) {
        std::vector<T> parts = scores_of(s, i, factor, values.in(q), values.in(k)),
                       of_parts(static_cast<std::size_t>(s.queries * s.keys));
        const T *const dy = slopes.data() + i * s.queries * s.width,
                       *const y = results.data() + i * s.queries * s.width,
                       *const keys = values.in(k).data() + s.key_head(i) * s.keys * s.depth,
                       *const taken = values.in(v).data() + s.value_head(i) * s.keys * s.width;
        multiply<T>(transposed, as_it_is, s.keys, s.queries, s.width, 1, taken, s.width, dy, s.width, 0,
                    of_parts.data(), s.keys);
        for (index_t row = 0; row < s.queries; ++row) {
          double sum = 0;
          for (index_t j = 0; j < s.width; ++j)
            sum += static_cast<double>(dy[row * s.width + j]) * static_cast<double>(y[row * s.width + j]);
          for (index_t j = row * s.keys; j < (row + 1) * s.keys; ++j) {
            parts[j] = std::exp(parts[j] - logs[i * s.queries + row]);
            of_parts[j] = parts[j] * (of_parts[j] - static_cast<T>(sum));
          }
        }
        round_to(values.shape(v).type, parts);
        round_to(values.shape(k).type, of_parts);
        multiply<T>(as_it_is, transposed, s.width, s.keys, s.queries, 1, dy, s.width, parts.data(), s.keys, 1,
                    of_v.data() + s.value_head(i) * s.keys * s.width, s.width);
        multiply<T>(as_it_is, as_it_is, s.depth, s.queries, s.keys, factor, keys, s.depth, of_parts.data(), s.keys, 0,
                    of_q.data() + i * s.queries * s.depth, s.depth);
        multiply<T>(as_it_is, transposed, s.depth, s.keys, s.queries, factor,
                    values.in(q).data() + i * s.queries * s.depth, s.depth, of_parts.data(), s.keys, 1,
                    of_k.data() + s.key_head(i) * s.keys * s.depth, s.depth);
      }
    });
  });
  return true;
}

}  // namespace bankwise::dnn
