// cuDNN's operations on the elements of tensors: sums with a bias, combinations of two tensors, reductions, copies to
// another layout.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "math/dnn/dnn_descriptors.hpp"
#include "math/dnn/numerics/tensor_reduction.hpp"

using namespace bankwise::dnn;

namespace {

// Computes to = alpha * from + beta * to. A dimension of size 1 in `from` is broadcast.
status add_spread(const handle* h, const char* name, const void* alpha, const tensor* a_shape, const void* a,
                  const void* beta, const tensor* c_shape, void* c) {
  if (a_shape == nullptr || c_shape == nullptr) return bad_param_null;
  if (!is_sound(*a_shape) || !is_sound(*c_shape) || a_shape->rank != c_shape->rank) return bad_param;
  const spread_index where(*a_shape, *c_shape);
  if (!where.fits()) return bad_param;
  return perform(h, name, [&](routine& r) {
    const operand from = reads(r, *a_shape, a);
    const result to = writes(r, *c_shape, c, factor(*c_shape, alpha, 1), factor(*c_shape, beta, 0));
    return r.perform([=](const view& v) {
      const std::vector<double> given = from.numbers<double>(v);
      std::vector<double> all(static_cast<std::size_t>(count_of(to.shape)));
      where.for_each([&](index_t i, index_t at) { all[i] = given[at]; });
      to.put(v, all);
    });
  });
}

double combine(int op, double a, double b) {
  switch (op) {
    case op_mul: return a * b;
    case op_min: return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b);
    case op_max: return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b);
    case op_sqrt: return std::sqrt(a);
    case op_not: return 1 - a;
    default: return a + b;
  }
}
std::size_t bytes_of_index(int type) {
  static constexpr std::size_t sizes[] = {4, 8, 2, 1};
  return type >= 0 && type < 4 ? sizes[type] : 4;
}
bool wants_indices(const reduction& d) { return d.indices != 0 && d.op >= reduce_min && d.op <= reduce_amax; }

}  // namespace

CUDA_API int cudnnTransformTensor(const handle* h, const void* alpha, const tensor* x_shape, const void* x,
                                  const void* beta, const tensor* y_shape, void* y) {
  if (x_shape == nullptr || y_shape == nullptr) return bad_param_null;
  if (!same_dims(*x_shape, *y_shape)) return bad_param;
  return add_spread(h, "cudnnTransformTensor", alpha, x_shape, x, beta, y_shape, y);
}
CUDA_API int cudnnAddTensor(const handle* h, const void* alpha, const tensor* a_shape, const void* a, const void* beta,
                            const tensor* c_shape, void* c) {
  return add_spread(h, "cudnnAddTensor", alpha, a_shape, a, beta, c_shape, c);
}
CUDA_API int cudnnSetTensor(const handle* h, const tensor* y_shape, void* y, const void* value) {
  if (y_shape == nullptr || value == nullptr) return bad_param_null;
  if (!is_sound(*y_shape)) return bad_param;
  return perform(h, "cudnnSetTensor", [&](routine& r) {
    const result to = writes(r, *y_shape, y);
    const double number = number_at(y_shape->type, static_cast<const std::byte*>(value));
    return r.perform(
        [=](const view& v) { to.put(v, std::vector<double>(static_cast<std::size_t>(count_of(to.shape)), number)); });
  });
}
CUDA_API int cudnnScaleTensor(const handle* h, const tensor* y_shape, void* y, const void* alpha) {
  if (y_shape == nullptr || alpha == nullptr) return bad_param_null;
  if (!is_sound(*y_shape)) return bad_param;
  return perform(h, "cudnnScaleTensor", [&](routine& r) {
    const operand from = reads(r, *y_shape, y);
    const result to = writes(r, *y_shape, y, factor(*y_shape, alpha, 1));
    return r.perform([=](const view& v) { to.put(v, from.numbers<double>(v)); });
  });
}
// Computes c = op(alpha1 * a, alpha2 * b) + beta * c.
CUDA_API int cudnnOpTensor(const handle* h, const op_description* d, const void* alpha1, const tensor* a_shape,
                           const void* a, const void* alpha2, const tensor* b_shape, const void* b, const void* beta,
                           const tensor* c_shape, void* c) {
  if (d == nullptr || a_shape == nullptr || c_shape == nullptr) return bad_param_null;
  const bool two = d->op <= op_max;
  if (two && b_shape == nullptr) return bad_param_null;
  if (!is_sound(*a_shape) || !is_sound(*c_shape) || !same_dims(*a_shape, *c_shape) ||
      (two && (!is_sound(*b_shape) || !spread_index(*b_shape, *c_shape).fits())))
    return bad_param;
  return perform(h, "cudnnOpTensor", [&](routine& r) {
    const operand first = reads(r, *a_shape, a), second = two ? reads(r, *b_shape, b) : first;
    const result to = writes(r, *c_shape, c, 1, factor(*c_shape, beta, 0));
    const double of_first = factor(*c_shape, alpha1, 1), of_second = two ? factor(*c_shape, alpha2, 1) : 1;
    return r.perform([=, op = d->op](const view& v) {
      const std::vector<double> x = first.numbers<double>(v), y = second.numbers<double>(v);
      std::vector<double> made(x.size());
      spread_index(second.shape, to.shape).for_each([&](index_t i, index_t at) {
        made[i] = combine(op, of_first * x[i], of_second * y[at]);
      });
      to.put(v, made);
    });
  });
}

CUDA_API int cudnnGetReductionWorkspaceSize(const handle*, const reduction*, const tensor*, const tensor*,
                                            std::size_t* bytes) {
  if (bytes == nullptr) return bad_param_null;
  *bytes = 0;
  return success;
}
CUDA_API int cudnnGetReductionIndicesSize(const handle*, const reduction* d, const tensor*, const tensor* c,
                                          std::size_t* bytes) {
  if (d == nullptr || c == nullptr || bytes == nullptr) return bad_param_null;
  *bytes = wants_indices(*d) ? static_cast<std::size_t>(count_of(*c)) * bytes_of_index(d->index_type) : 0;
  return success;
}
// Computes c = alpha * reduction of a + beta * c. If the reduction finds the smallest or largest element, also returns
// the index of this element among the reduced elements.
CUDA_API int cudnnReduceTensor(const handle* h, const reduction* d, void* indices, std::size_t index_bytes, void*,
                               std::size_t, const void* alpha, const tensor* a_shape, const void* a, const void* beta,
                               const tensor* c_shape, void* c) {
  if (d == nullptr || a_shape == nullptr || c_shape == nullptr) return bad_param_null;
  if (!is_sound(*a_shape) || !is_sound(*c_shape) || a_shape->rank != c_shape->rank) return bad_param;
  const spread_index where(*c_shape, *a_shape);
  if (!where.fits()) return bad_param;
  const bool counts = wants_indices(*d);
  const std::size_t size = bytes_of_index(d->index_type), needed = static_cast<std::size_t>(count_of(*c_shape)) * size;
  if (counts && (indices == nullptr || index_bytes < needed)) return bad_param;
  return perform(h, "cudnnReduceTensor", [&](routine& r) {
    const operand from = reads(r, *a_shape, a);
    const result to = writes(r, *c_shape, c, factor(*c_shape, alpha, 1), factor(*c_shape, beta, 0));
    const place<std::byte> found = counts ? r.writes_bytes(indices, static_cast<index_t>(needed)) : place<std::byte>();
    return r.perform([=, op = d->op](const view& v) {
      const std::vector<double> x = from.numbers<double>(v);
      const auto results = static_cast<std::size_t>(count_of(to.shape));
      std::vector<double> all(results, first_of(op));
      std::vector<index_t> best(results), seen(results);
      where.for_each([&](index_t i, index_t at) {
        const double next = reduced(op, all[at], x[i]);
        if (seen[at] == 0 || next != all[at]) best[at] = seen[at];
        ++seen[at];
        all[at] = next;
      });
      const double count = static_cast<double>(x.size()) / static_cast<double>(results);
      for (double& one : all) one = finished(op, one, count);
      to.put(v, all);
      if (std::byte* const at = found.at(v); at != nullptr)
        for (std::size_t i = 0; i < results; ++i) std::memcpy(at + i * size, &best[i], size);
    });
  });
}
