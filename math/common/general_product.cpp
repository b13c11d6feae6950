#include "math/common/general_product.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bankwise::math {

namespace {

bool is_small(int type) { return type == i8 || type == i32; }

// Rounds a float to 10 bits after the point, ties to even, even if it is subnormal. If a program permits TF32, cuBLAS
// on an H100 multiplies numbers that are rounded in this way.
float tf32_of(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return x;
  return std::bit_cast<float>((bits + 0xfff + (bits >> 13 & 1)) & ~std::uint32_t{0x1fff});
}
// Whether factors are rounded to TF32. If a product has only one row or column, factors keep all bits.
bool is_cut(const product_shape& p) {
  return p.computed_in == in_float_fast_tf32 && p.a_type == f32 && p.b_type == f32 && p.m > 1 && p.n > 1;
}

// The elements of a factor, converted to type T and stored by columns. Elements of type T are only copied if they must
// be rounded.
template <class T>
class operand {
 public:
  operand(const std::byte* from, int type, index_t rows, index_t columns, index_t lead, bool cut) {
    if (rows <= 0 || columns <= 0) return;
    if (type == type_of(T()) && !cut) {
      data = reinterpret_cast<const T*>(from);
      ld = lead;
      return;
    }
    copied_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(rows * columns));
    const index_t bytes = bytes_of(type);
    for_each(columns, static_cast<double>(rows) * static_cast<double>(columns) * 16, [&](index_t j) {
      for (index_t i = 0; i < rows; ++i) copied_[j * rows + i] = number_of<T>(from + (j * lead + i) * bytes, type);
    });
    if constexpr (std::is_same_v<T, float>)
      if (cut) std::transform(copied_.get(), copied_.get() + rows * columns, copied_.get(), tf32_of);
    data = copied_.get();
    ld = rows;
  }
  const T* data = nullptr;
  index_t ld = 1;

 private:
  std::unique_ptr<T[]> copied_;
};

template <class T>
T narrow(cdouble x) {
  if constexpr (std::is_same_v<T, cfloat> || std::is_same_v<T, cdouble>)
    return T(x);
  else
    return static_cast<T>(x.real());
}

template <class T>
void multiply_as(const product_shape& p, cdouble alpha, const std::byte* a, const std::byte* b, cdouble beta,
                 std::byte* c) {
  const auto is_plain = [](operation o) { return o == as_it_is || o == conjugate; };
  const bool plain_a = is_plain(p.of_a), plain_b = is_plain(p.of_b), used = alpha != 0.0;
  const operand<T> x(a, p.a_type, used ? plain_a ? p.m : p.k : 0, plain_a ? p.k : p.m, p.lda, is_cut(p));
  const operand<T> y(b, p.b_type, used ? plain_b ? p.k : p.n : 0, plain_b ? p.n : p.k, p.ldb, is_cut(p));
  const index_t k = used ? p.k : 0;
  if (p.c_type == type_of(T()))
    return multiply(p.of_a, p.of_b, p.m, p.n, k, narrow<T>(alpha), x.data, x.ld, y.data, y.ld, narrow<T>(beta),
                    reinterpret_cast<T*>(c), p.ldc);
  const auto result = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(p.m * p.n));
  const index_t bytes = bytes_of(p.c_type);
  const double work = static_cast<double>(p.m) * static_cast<double>(p.n) * 16;
  if (beta != 0.0)
    for_each(p.n, work, [&](index_t j) {
      for (index_t i = 0; i < p.m; ++i) result[j * p.m + i] = number_of<T>(c + (j * p.ldc + i) * bytes, p.c_type);
    });
  multiply(p.of_a, p.of_b, p.m, p.n, k, narrow<T>(alpha), x.data, x.ld, y.data, y.ld, narrow<T>(beta), result.get(),
           p.m);
  for_each(p.n, work, [&](index_t j) {
    for (index_t i = 0; i < p.m; ++i) put_number<T>(c + (j * p.ldc + i) * bytes, p.c_type, result[j * p.m + i]);
  });
}

}  // namespace

status check(const product_shape& p) {
  if (p.m < 0 || p.n < 0 || p.k < 0 || p.of_a < as_it_is || p.of_a > conjugate || p.of_b < as_it_is ||
      p.of_b > conjugate)
    return invalid_value;
  if (p.of_a == conjugate || p.of_b == conjugate) return not_supported;
  if (p.lda < std::max<index_t>(1, p.of_a == as_it_is ? p.m : p.k) ||
      p.ldb < std::max<index_t>(1, p.of_b == as_it_is ? p.k : p.n) || p.ldc < std::max<index_t>(1, p.m))
    return invalid_value;
  for (const int type : {p.a_type, p.b_type, p.c_type})
    if (bytes_of(type) == 0) return not_supported;
  if (is_complex(p.a_type) != is_complex(p.c_type) || is_complex(p.b_type) != is_complex(p.c_type))
    return not_supported;
  return scale_type(p) < 0 ? not_supported : success;
}

int scale_type(const product_shape& p) {
  const bool complex = is_complex(p.c_type);
  switch (p.computed_in) {
    case in_half:
    case in_half_pedantic: return complex ? -1 : f16;
    case in_float:
    case in_float_pedantic:
    case in_float_fast_half:
    case in_float_fast_bfloat:
    case in_float_fast_tf32:
    case in_float_emulated: return complex ? c32 : f32;
    case in_double:
    case in_double_pedantic:
    case in_double_emulated: return complex ? c64 : f64;
    case in_integers:
    case in_integers_pedantic: return complex ? -1 : i32;
    default: return -1;
  }
}

void multiply_bytes(const product_shape& p, cdouble alpha, const std::byte* a, const std::byte* b, cdouble beta,
                    std::byte* c) {
  if (p.m == 0 || p.n == 0) return;
  const bool doubles = p.computed_in == in_double || p.computed_in == in_double_pedantic ||
                       p.computed_in == in_double_emulated || is_small(p.a_type) || is_small(p.b_type);
  if (is_complex(p.c_type))
    return doubles ? multiply_as<cdouble>(p, alpha, a, b, beta, c) : multiply_as<cfloat>(p, alpha, a, b, beta, c);
  return doubles ? multiply_as<double>(p, alpha, a, b, beta, c) : multiply_as<float>(p, alpha, a, b, beta, c);
}

cuda::arithmetic arithmetic_of(int type, int computed_in) {
  if (type == f64 || type == c64) return cuda::arithmetic::twice;
  if (type == i8 || type == e4m3 || type == e5m2) return cuda::arithmetic::byte;
  if (type == f16 || type == bf16 || computed_in == in_float_fast_half || computed_in == in_float_fast_bfloat)
    return cuda::arithmetic::half;
  return computed_in == in_float_fast_tf32 ? cuda::arithmetic::tf32 : cuda::arithmetic::single;
}

cuda::library_work gpu_work(const product_shape& p, index_t count) {
  constexpr double real_products = 4;  // in a product of complex numbers
  const auto in = arithmetic_of(p.a_type, p.computed_in);
  return cuda::library_work::of_products(in, static_cast<double>(count), static_cast<double>(p.m),
                                         static_cast<double>(p.n),
                                         static_cast<double>(p.k) * (is_complex(p.a_type) ? real_products : 1));
}

any_scalar parameter_of(routine& r, const void* p, int type) {
  if (p == nullptr) r.refuse(invalid_value);
  if (r.wrong() != success) return {};
  if (r.with().pointers == pointers_on_host)
    return {number_of<cdouble>(static_cast<const std::byte*>(p), type), type, {}};
  return {{}, type, r.reads_bytes(p, bytes_of(type))};
}

status multiply_one(routine& r, const product_shape& p, const void* alpha, const void* a, const void* b,
                    const void* beta, void* c) {
  return multiply_strides(r, p, alpha, a, 0, b, 0, beta, c, 0, 1);
}

namespace {

double work_of(const product_shape& p, index_t count) {
  return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(std::max<index_t>(p.k, 1)) *
         static_cast<double>(count);
}

// Returns the product with the precision that the handle's math mode selects.
product_shape allowed(const routine& r, product_shape p) {
  constexpr int tf32_mode = 3, modes = 15;
  if ((r.with().math_mode & modes) == tf32_mode && p.computed_in == in_float) p.computed_in = in_float_fast_tf32;
  return p;
}

}  // namespace

status multiply_strides(routine& r, const product_shape& asked, const void* alpha, const void* a, index_t a_stride,
                        const void* b, index_t b_stride, const void* beta, void* c, index_t c_stride, index_t count) {
  const product_shape p = allowed(r, asked);
  if (const status s = check(p); s != success) return s;
  if (count < 0 || a_stride < 0 || b_stride < 0 || c_stride < 0) return invalid_value;
  if (p.m == 0 || p.n == 0 || count == 0) return success;
  r.by_blas();
  r.work(gpu_work(p, count));
  const any_scalar by = parameter_of(r, alpha, scale_type(p)), plus = parameter_of(r, beta, scale_type(p));
  // If alpha is 0, the pointers to the factors may be null.
  const bool used = by.later.bytes != 0 || by.value != 0.0;
  const index_t a_bytes = bytes_of(p.a_type), b_bytes = bytes_of(p.b_type), c_bytes = bytes_of(p.c_type);
  const auto reach = [&](index_t elements, index_t stride, index_t bytes) {
    return elements == 0 ? 0 : ((count - 1) * stride + elements) * bytes;
  };
  const auto x = r.reads_bytes(a, used ? reach(a_elements(p), a_stride, a_bytes) : 0),
             y = r.reads_bytes(b, used ? reach(b_elements(p), b_stride, b_bytes) : 0);
  const auto z = r.writes_bytes(c, reach(elements_of(p.m, p.n, p.ldc), c_stride, c_bytes));
  return r.perform([=](const view& v) {
    const cdouble alpha_now = by.at(v), beta_now = plus.at(v);
    const std::byte *of_a = x.at(v), *of_b = y.at(v);
    std::byte* const of_c = z.at(v);
    // If all results have the same address, they are written in order.
    for_each(count, c_stride == 0 ? 0 : work_of(p, count), [&](index_t i) {
      multiply_bytes(p, alpha_now, of_a + i * a_stride * a_bytes, of_b + i * b_stride * b_bytes, beta_now,
                     of_c + i * c_stride * c_bytes);
    });
  });
}

status multiply_pointers(routine& r, const product_shape& asked, const void* alpha, const void* const* a,
                         const void* const* b, const void* beta, void* const* c, index_t count) {
  const product_shape p = allowed(r, asked);
  if (const status s = check(p); s != success) return s;
  if (count < 0) return invalid_value;
  if (p.m == 0 || p.n == 0 || count == 0) return success;
  r.by_blas();
  r.work(gpu_work(p, count));
  const any_scalar by = parameter_of(r, alpha, scale_type(p)), plus = parameter_of(r, beta, scale_type(p));
  const index_t a_bytes = a_elements(p) * bytes_of(p.a_type), b_bytes = b_elements(p) * bytes_of(p.b_type),
                c_bytes = elements_of(p.m, p.n, p.ldc) * bytes_of(p.c_type);
  const auto x = r.pointers(a, count, a_bytes, false), y = r.pointers(b, count, b_bytes, false);
  const auto z = r.pointers(c, count, c_bytes, true);
  return r.perform([=](const view& v) {
    const cdouble alpha_now = by.at(v), beta_now = plus.at(v);
    const void *const *of_a = x.at(v), *const *of_b = y.at(v);
    void* const* const of_c = z.at(v);
    const auto found = [&](const void* address, index_t bytes) {
      return bytes == 0 ? nullptr : v(reinterpret_cast<std::uint64_t>(address), static_cast<std::uint64_t>(bytes));
    };
    for (index_t i = 0; i < count; ++i) {
      std::byte* const to = found(of_c[i], c_bytes);
      if (to != nullptr) multiply_bytes(p, alpha_now, found(of_a[i], a_bytes), found(of_b[i], b_bytes), beta_now, to);
    }
  });
}

}  // namespace bankwise::math
