#include "math/dnn/numerics/convolution.hpp"

#include <algorithm>
#include <vector>

namespace bankwise::dnn {

using math::as_it_is;
using math::multiply;
using math::transposed;

namespace {

constexpr index_t most_columns = index_t{1} << 23;  // most elements in the matrix of windows

// Whether the matrix of windows equals the image.
bool is_plain(const convolution_shape& s) {
  if (s.taps() != 1) return false;
  for (int a = 0; a < most_axes; ++a)
    if (s.before[a] != 0 || s.stride[a] != 1 || s.in[a] != s.out[a]) return false;
  return true;
}

// A row of the matrix of windows contains one element of every window. Calls body for each part of a row that is inside
// the image. Only uses the results from `first` to `first + count`. The arguments of body are the row, the first
// column, the number of columns, the index in the image for the first column, and the distance in the image between
// columns.
template <class F>
void for_runs(const convolution_shape& s, index_t first, index_t count, F body) {
  const index_t taps = s.taps(), last = first + count;
  for (index_t c = 0; c < s.in_channels; ++c)
    for (index_t tap = 0; tap < taps; ++tap) {
      const index_t place = s.flipped ? taps - 1 - tap : tap;
      const index_t at[most_axes] = {place / (s.filter[1] * s.filter[2]), place / s.filter[2] % s.filter[1],
                                     place % s.filter[2]};
      index_t shift[most_axes];
      for (int a = 0; a < most_axes; ++a) shift[a] = at[a] * s.dilation[a] - s.before[a];
      // Finds the range of results on the last axis whose elements are inside the image.
      index_t low = 0, high = s.out[2];
      while (low < high && low * s.stride[2] + shift[2] < 0) ++low;
      while (high > low && (high - 1) * s.stride[2] + shift[2] >= s.in[2]) --high;
      if (low == high) continue;
      for (index_t line = first / s.out[2]; line * s.out[2] < last; ++line) {
        const index_t z = line / s.out[1] * s.stride[0] + shift[0], y = line % s.out[1] * s.stride[1] + shift[1];
        if (z < 0 || z >= s.in[0] || y < 0 || y >= s.in[1]) continue;
        const index_t begin = std::max(line * s.out[2] + low, first), end = std::min(line * s.out[2] + high, last);
        if (begin >= end) continue;
        const index_t x = (begin - line * s.out[2]) * s.stride[2] + shift[2];
        body(c * taps + tap, begin - first, end - begin, ((c * s.in[0] + z) * s.in[1] + y) * s.in[2] + x);
      }
    }
}

template <class T>
void take_windows(const convolution_shape& s, const T* image, index_t first, index_t count, T* columns) {
  std::fill(columns, columns + s.window() * count, T(0));
  for_runs(s, first, count, [&](index_t row, index_t column, index_t length, index_t from) {
    T* const to = columns + row * count + column;
    const T* const pixel = image + from;
    for (index_t i = 0; i < length; ++i) to[i] = pixel[i * s.stride[2]];
  });
}
template <class T>
void add_windows(const convolution_shape& s, const T* columns, index_t first, index_t count, T* image) {
  for_runs(s, first, count, [&](index_t row, index_t column, index_t length, index_t at) {
    const T* const from = columns + row * count + column;
    T* const pixel = image + at;
    for (index_t i = 0; i < length; ++i) pixel[i * s.stride[2]] += from[i];
  });
}

index_t columns_at_once(const convolution_shape& s) {
  return std::clamp<index_t>(most_columns / std::max<index_t>(s.window(), 1), 1, std::max<index_t>(s.results(), 1));
}
double work_of(const convolution_shape& s) {
  return static_cast<double>(s.images * s.groups) * static_cast<double>(s.results()) *
         static_cast<double>(s.window() * s.out_channels);
}

}  // namespace

cuda::library_work gpu_work(const convolution_shape& s, cuda::arithmetic in) {
  return cuda::library_work::of_products(in, static_cast<double>(s.groups), static_cast<double>(s.images * s.results()),
                                         static_cast<double>(s.out_channels), static_cast<double>(s.window()));
}

template <class T>
void convolve(const convolution_shape& s, const T* x, const T* w, T* y) {
  const index_t results = s.results(), step = columns_at_once(s);
  math::for_each(s.images * s.groups, work_of(s), [&](index_t i) {
    const T* const image = x + i * s.in_channels * s.pixels();
    const T* const filter = w + i % s.groups * s.out_channels * s.window();
    T* const to = y + i * s.out_channels * results;
    if (is_plain(s))
      return multiply<T>(as_it_is, as_it_is, results, s.out_channels, s.window(), 1, image, results, filter, s.window(),
                         0, to, results);
    std::vector<T> columns(static_cast<std::size_t>(s.window() * step));
    for (index_t first = 0; first < results; first += step) {
      const index_t count = std::min(step, results - first);
      take_windows(s, image, first, count, columns.data());
      multiply<T>(as_it_is, as_it_is, count, s.out_channels, s.window(), 1, columns.data(), count, filter, s.window(),
                  0, to + first, results);
    }
  });
}

template <class T>
void convolve_back(const convolution_shape& s, const T* w, const T* dy, T* dx) {
  const index_t results = s.results(), step = columns_at_once(s);
  math::for_each(s.images * s.groups, work_of(s), [&](index_t i) {
    T* const image = dx + i * s.in_channels * s.pixels();
    const T* const filter = w + i % s.groups * s.out_channels * s.window();
    const T* const from = dy + i * s.out_channels * results;
    if (is_plain(s))
      return multiply<T>(as_it_is, transposed, results, s.window(), s.out_channels, 1, from, results, filter,
                         s.window(), 0, image, results);
    std::fill(image, image + s.in_channels * s.pixels(), T(0));
    std::vector<T> columns(static_cast<std::size_t>(s.window() * step));
    for (index_t first = 0; first < results; first += step) {
      const index_t count = std::min(step, results - first);
      multiply<T>(as_it_is, transposed, count, s.window(), s.out_channels, 1, from + first, results, filter, s.window(),
                  0, columns.data(), count);
      add_windows(s, columns.data(), first, count, image);
    }
  });
}

template <class T>
void convolve_filter(const convolution_shape& s, const T* x, const T* dy, T* dw) {
  const index_t results = s.results(), step = columns_at_once(s);
  // The image gradients of a group are added in order, so that the sums do not depend on the order of threads.
  const double work = s.groups > 1 ? work_of(s) : 0;
  math::for_each(s.groups, work, [&](index_t group) {
    T* const filter = dw + group * s.out_channels * s.window();
    std::fill(filter, filter + s.out_channels * s.window(), T(0));
    std::vector<T> columns(is_plain(s) ? 0 : static_cast<std::size_t>(s.window() * step));
    for (index_t n = 0; n < s.images; ++n) {
      const index_t i = n * s.groups + group;
      const T* const image = x + i * s.in_channels * s.pixels();
      const T* const from = dy + i * s.out_channels * results;
      if (is_plain(s)) {
        multiply<T>(transposed, as_it_is, s.window(), s.out_channels, results, 1, image, results, from, results, 1,
                    filter, s.window());
        continue;
      }
      for (index_t first = 0; first < results; first += step) {
        const index_t count = std::min(step, results - first);
        take_windows(s, image, first, count, columns.data());
        multiply<T>(transposed, as_it_is, s.window(), s.out_channels, count, 1, columns.data(), count, from + first,
                    results, 1, filter, s.window());
      }
    }
  });
}

#define CONVOLUTION(T)                                                              \
  template void convolve<T>(const convolution_shape&, const T*, const T*, T*);      \
  template void convolve_back<T>(const convolution_shape&, const T*, const T*, T*); \
  template void convolve_filter<T>(const convolution_shape&, const T*, const T*, T*);
CONVOLUTION(float)
CONVOLUTION(double)

}  // namespace bankwise::dnn
