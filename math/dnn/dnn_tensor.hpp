// Tensors as cuDNN describes them, and their elements as numbers to compute with.
//
//     {f16, 4, {2, 3, 5, 7}, {105, 1, 21, 3}}      2 images of 3 channels; the channels of a pixel are adjacent
//
// Computations use the elements of a tensor in the order of its dimensions, without gaps. numbers() reads the elements,
// and blend() writes alpha * value + beta * old value, rounded once.
#pragma once

#include <vector>

#include "math/common/routine.hpp"
#include "math/dnn/dnn_abi.hpp"

namespace bankwise::dnn {

using math::index_t;
using math::place;
using math::routine;
using math::view;

struct tensor {
  int type = f32, rank = 0;
  index_t dims[most_dimensions] = {}, strides[most_dimensions] = {};
};

inline index_t bytes_of(int type) {
  switch (type) {
    case i8:
    case u8:
    case boolean:
    case e4m3:
    case e5m2: return 1;
    case f16:
    case bf16: return 2;
    case f32:
    case i32: return 4;
    case f64:
    case i64: return 8;
    default: return 0;  // the type is unknown
  }
}

inline index_t count_of(const tensor& t) {
  index_t n = 1;
  for (int d = 0; d < t.rank; ++d) n *= t.dims[d];
  return n;
}
// Returns the number of elements in the memory from the first element to the last element.
inline index_t reach_of(const tensor& t) {
  index_t last = 0;
  for (int d = 0; d < t.rank; ++d) last += (t.dims[d] - 1) * t.strides[d];
  return last + 1;
}
inline index_t bytes_of(const tensor& t) { return reach_of(t) * bytes_of(t.type); }

// Sets the strides of a tensor without gaps. Depending on the format, elements are in the order of the dimensions, or
// the channels of a pixel are adjacent.
void set_packed_strides(tensor& t, tensor_format format);
inline tensor packed(int type, std::initializer_list<index_t> dims) {
  tensor t;
  t.type = type;
  for (const index_t d : dims) t.dims[t.rank++] = d;
  set_packed_strides(t, nchw);
  return t;
}
inline bool same_dims(const tensor& a, const tensor& b) {
  if (a.rank != b.rank) return false;
  for (int d = 0; d < a.rank; ++d)
    if (a.dims[d] != b.dims[d]) return false;
  return true;
}
// Whether the tensor has a known type, at least one element, no negative strides, and a size that can be addressed.
bool is_sound(const tensor& t);

template <class T>
std::vector<T> numbers(const tensor& t, const std::byte* at);
template <class T>
void blend(const tensor& t, std::byte* at, const T* values, double alpha = 1, double beta = 0);

double number_at(int type, const std::byte* at);
// Rounds numbers to a type.
template <class T>
void round_to(int type, std::vector<T>& values);

// Finds elements of a tensor in the order of another tensor. If a dimension is missing or has size 1, it is broadcast.
class spread_index {
 public:
  spread_index(const tensor& narrow, const tensor& wide);
  bool fits() const { return fits_; }
  // Calls body(index in the wide tensor, index in the narrow tensor) for all elements, in the order of the wide tensor.
  template <class F>
  void for_each(F body) const {
    index_t at[most_dimensions] = {}, narrow = 0;
    for (index_t i = 0; i < count_; ++i) {
      body(i, narrow);
      for (int d = rank_ - 1; d >= 0; --d) {
        narrow += steps_[d];
        if (++at[d] < dims_[d]) break;
        narrow -= at[d] * steps_[d];
        at[d] = 0;
      }
    }
  }

 private:
  int rank_ = 0;
  index_t count_ = 1, dims_[most_dimensions] = {}, steps_[most_dimensions] = {};
  bool fits_ = true;
};

// A tensor in device memory, in a call that is being prepared.
struct operand {
  tensor shape;
  place<const std::byte> from;
  template <class T>
  std::vector<T> numbers(const view& v) const {
    return dnn::numbers<T>(shape, from.at(v));
  }
};
struct result {
  tensor shape;
  place<std::byte> to;
  double alpha = 1, beta = 0;
  bool is_there() const { return to.bytes != 0; }
  template <class T>
  void put(const view& v, const std::vector<T>& values) const {
    if (is_there()) blend(shape, to.at(v), values.data(), alpha, beta);
  }
};
// Returns the arithmetic of products of tensors of this type. cuDNN multiplies single-precision numbers in TF32 unless
// the program forbids it.
inline cuda::arithmetic gpu_arithmetic(int type) {
  switch (type) {
    case f64: return cuda::arithmetic::twice;
    case f32: return cuda::arithmetic::tf32;
    default: return bytes_of(type) == 1 ? cuda::arithmetic::byte : cuda::arithmetic::half;
  }
}

inline operand reads(routine& r, const tensor& t, const void* at) { return {t, r.reads_bytes(at, bytes_of(t))}; }
// Declares a tensor that is written. The old values are also read if beta is not 0, or if there are gaps between
// elements.
inline result writes(routine& r, const tensor& t, void* at, double alpha = 1, double beta = 0) {
  if (beta != 0 || reach_of(t) != count_of(t)) r.reads_bytes(at, bytes_of(t));
  return {t, r.writes_bytes(at, bytes_of(t)), alpha, beta};
}

// Reads alpha or beta. A factor is a double if the elements are doubles, and a float otherwise.
inline double factor(const tensor& t, const void* at, double otherwise) {
  if (at == nullptr) return otherwise;
  return t.type == f64 ? math::load<double>(static_cast<const std::byte*>(at))
                       : static_cast<double>(math::load<float>(static_cast<const std::byte*>(at)));
}

// Calls compute(T()). T is double if the elements are doubles, and float otherwise.
template <class F>
auto in_type_of(const tensor& t, F compute) {
  return t.type == f64 ? compute(double()) : compute(float());
}

}  // namespace bankwise::dnn
