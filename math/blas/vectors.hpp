// BLAS of level 1: operations on vectors.
#pragma once

#include "math/common/routine.hpp"

namespace bankwise::math {

template <class T>
status axpy(routine& r, index_t n, const T* alpha, const T* x, index_t incx, T* y, index_t incy) {
  if (n <= 0) return success;
  const auto a = r.parameter(alpha);
  const auto from = r.vector(x, n, incx);
  const auto to = r.updated(y, n, incy);
  return r.perform([=](const view& v) {
    const T by = a.at(v);
    const auto in = from.at(v);
    const auto out = to.at(v);
    for (index_t i = 0; i < n; ++i) out[i] = T(wide<T>(by) * wide<T>(in[i]) + wide<T>(out[i]));
  });
}

template <class T>
status copy_vector(routine& r, index_t n, const T* x, index_t incx, T* y, index_t incy) {
  if (n <= 0) return success;
  const auto from = r.vector(x, n, incx);
  const auto to = r.written(y, n, incy);
  return r.perform([=](const view& v) {
    const auto in = from.at(v);
    const auto out = to.at(v);
    for (index_t i = 0; i < n; ++i) out[i] = in[i];
  });
}

template <class T>
status swap_vectors(routine& r, index_t n, T* x, index_t incx, T* y, index_t incy) {
  if (n <= 0) return success;
  const auto one = r.updated(x, n, incx), other = r.updated(y, n, incy);
  return r.perform([=](const view& v) {
    const auto a = one.at(v), b = other.at(v);
    for (index_t i = 0; i < n; ++i) std::swap(a[i], b[i]);
  });
}

template <class S, class T>
status scale(routine& r, index_t n, const S* alpha, T* x, index_t incx) {
  if (n <= 0 || incx <= 0) return success;
  const auto a = r.parameter(alpha);
  const auto to = r.updated(x, n, incx);
  return r.perform([=](const view& v) {
    const S by = a.at(v);
    const auto out = to.at(v);
    for (index_t i = 0; i < n; ++i) out[i] = by * out[i];
  });
}

template <class T>
status dot(routine& r, bool conjugates, index_t n, const T* x, index_t incx, const T* y, index_t incy, T* result) {
  const auto one = r.vector(x, n, incx), other = r.vector(y, n, incy);
  const auto to = r.result(result);
  return r.perform([=](const view& v) {
    const auto a = one.at(v), b = other.at(v);
    wide<T> sum{};
    for (index_t i = 0; i < n; ++i) sum += wide<T>(conjugate_if(conjugates, a[i])) * wide<T>(b[i]);
    *to.at(v) = T(sum);
  });
}

inline double square_of(double x) { return x * x; }
inline double square_of(cdouble x) { return std::norm(x); }
inline double size_of(double x) { return std::fabs(x); }
inline double size_of(cdouble x) { return std::fabs(x.real()) + std::fabs(x.imag()); }

template <class T>
status norm(routine& r, index_t n, const T* x, index_t incx, real<T>* result) {
  const auto from = r.vector(x, incx <= 0 ? 0 : n, incx);
  const auto to = r.result(result);
  return r.perform([=](const view& v) {
    const auto in = from.at(v);
    // The numbers are scaled, because the squares of doubles may be too large or too small for a double.
    double largest = 0, sum = 0;
    for (index_t i = 0; i < from.count; ++i) {
      const wide<T> w(in[i]);
      const double size = size_of(w);
      if (!(size <= largest)) largest = size;
    }
    if (largest > 0 && std::isfinite(largest)) {
      for (index_t i = 0; i < from.count; ++i) sum += square_of(wide<T>(in[i]) / largest);
      sum = std::sqrt(sum) * largest;
    } else {
      sum = largest;
    }
    *to.at(v) = static_cast<real<T>>(sum);
  });
}

template <class T>
status sum_of_sizes(routine& r, index_t n, const T* x, index_t incx, real<T>* result) {
  const auto from = r.vector(x, incx <= 0 ? 0 : n, incx);
  const auto to = r.result(result);
  return r.perform([=](const view& v) {
    const auto in = from.at(v);
    double sum = 0;
    for (index_t i = 0; i < from.count; ++i) sum += size_of(wide<T>(in[i]));
    *to.at(v) = static_cast<real<T>>(sum);
  });
}

// Indices are counted from 1. If there are no elements, the result is 0.
template <class T, class I>
status find_extreme(routine& r, bool largest, index_t n, const T* x, index_t incx, I* result) {
  const auto from = r.vector(x, incx <= 0 ? 0 : n, incx);
  const auto to = r.result(result);
  return r.perform([=](const view& v) {
    const auto in = from.at(v);
    index_t best = 0;
    double known = 0;
    for (index_t i = 0; i < from.count; ++i) {
      const double size = size_of(wide<T>(in[i]));
      if (best == 0 || (largest ? size > known : size < known)) {
        best = i + 1;
        known = size;
      }
    }
    *to.at(v) = static_cast<I>(best);
  });
}

template <class T, class C, class S>
status rotate(routine& r, index_t n, T* x, index_t incx, T* y, index_t incy, const C* c, const S* s) {
  if (n <= 0) return success;
  const auto one = r.updated(x, n, incx), other = r.updated(y, n, incy);
  const auto cosine = r.parameter(c);
  const auto sine = r.parameter(s);
  return r.perform([=](const view& v) {
    const auto a = one.at(v), b = other.at(v);
    const C by = cosine.at(v);
    const S with = sine.at(v);
    for (index_t i = 0; i < n; ++i) {
      const T p = a[i], q = b[i];
      a[i] = by * p + with * q;
      b[i] = by * q - conjugate_if(true, with) * p;
    }
  });
}

template <class T>
place<T> in_and_out(routine& r, T* p) {
  return r.result(p);
}

template <class T>
status make_rotation(routine& r, T* a, T* b, real<T>* c, T* s) {
  const auto first = in_and_out(r, a), second = in_and_out(r, b), sine = in_and_out(r, s);
  const auto cosine = in_and_out(r, c);
  return r.perform([=](const view& v) {
    T &x = *first.at(v), &y = *second.at(v);
    using R = real<T>;
    if constexpr (std::is_same_v<T, R>) {
      const R sign = std::fabs(x) > std::fabs(y) ? x : y, sum = std::fabs(x) + std::fabs(y);
      if (sum == 0) {
        *cosine.at(v) = 1;
        *sine.at(v) = 0;
        x = y = 0;
        return;
      }
      const R length = std::copysign(sum * std::sqrt((x / sum) * (x / sum) + (y / sum) * (y / sum)), sign);
      const R cos = x / length, sin = y / length;
      const R z = std::fabs(x) > std::fabs(y) ? sin : cos != 0 ? 1 / cos : R(1);
      *cosine.at(v) = cos;
      *sine.at(v) = sin;
      x = length;
      y = z;
    } else {
      if (std::abs(x) == 0) {
        *cosine.at(v) = 0;
        *sine.at(v) = 1;
        x = y;
        return;
      }
      const R length = std::hypot(std::abs(x), std::abs(y));
      const T direction = x / std::abs(x);
      *cosine.at(v) = std::abs(x) / length;
      *sine.at(v) = direction * std::conj(y) / length;
      x = direction * length;
    }
  });
}

template <class T>
status rotate_modified(routine& r, index_t n, T* x, index_t incx, T* y, index_t incy, const T* parameters) {
  if (n <= 0) return success;
  if (parameters == nullptr) return invalid_value;
  const auto one = r.updated(x, n, incx), other = r.updated(y, n, incy);
  const bool now = r.with().pointers == pointers_on_host;
  T given[5] = {};
  if (now) std::memcpy(given, parameters, sizeof given);
  const auto later = now ? place<const T>() : r.reads(parameters, 5);
  return r.perform([=](const view& v) {
    const auto a = one.at(v), b = other.at(v);
    const T* const p = now ? given : later.at(v);
    T h11 = p[1], h21 = p[2], h12 = p[3], h22 = p[4];
    if (p[0] == T(-2)) return;
    if (p[0] == T(0)) h11 = h22 = 1;
    if (p[0] == T(1)) h12 = 1, h21 = -1;
    for (index_t i = 0; i < n; ++i) {
      const T u = a[i], w = b[i];
      a[i] = u * h11 + w * h12;
      b[i] = u * h21 + w * h22;
    }
  });
}

}  // namespace bankwise::math
