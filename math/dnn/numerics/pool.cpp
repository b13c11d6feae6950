#include "math/dnn/numerics/pool.hpp"

#include <algorithm>
#include <cmath>

namespace bankwise::dnn {

namespace {

// For the window of each result, calls begin(first element of the image, result), then each(element) for each element
// inside the image, and then end().
template <class Begin, class Each, class End>
void for_windows(const pool_shape& p, Begin begin, Each each, End end) {
  const index_t pixels = p.in[0] * p.in[1] * p.in[2];
  index_t result = 0;
  for (index_t i = 0; i < p.images; ++i) {
    index_t at[most_axes];
    for (at[0] = 0; at[0] < p.out[0]; ++at[0])
      for (at[1] = 0; at[1] < p.out[1]; ++at[1])
        for (at[2] = 0; at[2] < p.out[2]; ++at[2], ++result) {
          index_t low[most_axes], high[most_axes], inside = 1, all = 1;
          for (int a = 0; a < most_axes; ++a) {
            const index_t first = at[a] * p.stride[a] - p.before[a];
            low[a] = std::max<index_t>(first, 0);
            high[a] = std::min(first + p.window[a], p.in[a]);
            inside *= std::max<index_t>(high[a] - low[a], 0);
            all *= p.window[a];
          }
          begin(result);
          for (index_t z = low[0]; z < high[0]; ++z)
            for (index_t y = low[1]; y < high[1]; ++y)
              for (index_t x = low[2]; x < high[2]; ++x)
                each(result, i * pixels + (z * p.in[1] + y) * p.in[2] + x,
                     p.mode == pool_average_with_padding ? all : inside);
          end(result);
        }
  }
}
bool is_max(const pool_shape& p) { return p.mode == pool_max || p.mode == pool_max_deterministic; }

}  // namespace

bool pool_shape::fit(const tensor& x, const tensor& y, const std::vector<index_t>& window_of,
                     const std::vector<index_t>& padding, const std::vector<index_t>& steps) {
  const int axes = static_cast<int>(window_of.size());
  constexpr index_t most_window = 1 << 20;
  if (axes < 1 || axes > most_axes || x.rank != axes + 2 || y.rank != x.rank) return false;
  if (x.dims[0] != y.dims[0] || x.dims[1] != y.dims[1]) return false;
  images = x.dims[0] * x.dims[1];
  for (int a = 0; a < axes; ++a) {
    const int to = most_axes - axes + a;
    in[to] = x.dims[a + 2];
    out[to] = y.dims[a + 2];
    window[to] = window_of[a];
    before[to] = padding[a];
    stride[to] = steps[a];
    if (window_of[a] < 1 || window_of[a] > most_window || padding[a] < 0 || steps[a] < 1) return false;
  }
  return true;
}

template <class T>
void pool(const pool_shape& p, const std::vector<T>& x, std::vector<T>& y) {
  double sum = 0;
  bool first = true;
  for_windows(
      p,
      [&](index_t) {
        sum = is_max(p) ? -INFINITY : 0;
        first = true;
      },
      [&](index_t, index_t at, index_t count) {
        const double value = static_cast<double>(x[at]);
        if (is_max(p))
          sum = first || value > sum || std::isnan(value) ? value : sum;
        else
          sum += value / static_cast<double>(count);
        first = false;
      },
      [&](index_t result) { y[result] = static_cast<T>(sum); });
}

template <class T>
void pool_back(const pool_shape& p, const std::vector<T>& x, const std::vector<T>& dy, std::vector<T>& dx) {
  std::vector<double> sums(dx.size());
  index_t best = -1;
  for_windows(
      p, [&](index_t) { best = -1; },
      [&](index_t result, index_t at, index_t count) {
        if (!is_max(p))
          sums[at] += static_cast<double>(dy[result]) / static_cast<double>(count);
        else if (best < 0 || x[at] > x[best] || std::isnan(static_cast<double>(x[at])))
          best = at;
      },
      [&](index_t result) {
        if (best >= 0) sums[best] += static_cast<double>(dy[result]);
      });
  for (std::size_t i = 0; i < sums.size(); ++i) dx[i] = static_cast<T>(sums[i]);
}

#define POOL(T)                                                                     \
  template void pool<T>(const pool_shape&, const std::vector<T>&, std::vector<T>&); \
  template void pool_back<T>(const pool_shape&, const std::vector<T>&, const std::vector<T>&, std::vector<T>&);
POOL(float)
POOL(double)

}  // namespace bankwise::dnn
