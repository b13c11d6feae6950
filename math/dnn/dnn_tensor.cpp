#include "math/dnn/dnn_tensor.hpp"

namespace bankwise::dnn {

using math::load;
using math::store;

namespace {

constexpr index_t most_elements = index_t{1} << 46;

template <class F>
void for_type(int type, F body) {
  switch (type) {
    case f32:
      return body([](const std::byte* p) { return load<float>(p); },
                  [](std::byte* p, auto x) { store(p, static_cast<float>(x)); });
    case f64:
      return body([](const std::byte* p) { return load<double>(p); },
                  [](std::byte* p, auto x) { store(p, static_cast<double>(x)); });
    case f16:
      return body([](const std::byte* p) { return float_of_half(load<std::uint16_t>(p)); },
                  [](std::byte* p, auto x) { math::put_number(p, math::f16, x); });
    case bf16:
      return body([](const std::byte* p) { return float_of_bfloat16(load<std::uint16_t>(p)); },
                  [](std::byte* p, auto x) { math::put_number(p, math::bf16, x); });
    case e4m3:
      return body([](const std::byte* p) { return float_of_e4m3(load<std::uint8_t>(p)); },
                  [](std::byte* p, auto x) { math::put_number(p, math::e4m3, x); });
    case e5m2:
      return body([](const std::byte* p) { return float_of_e5m2(load<std::uint8_t>(p)); },
                  [](std::byte* p, auto x) { math::put_number(p, math::e5m2, x); });
    case i8:
      return body([](const std::byte* p) { return load<std::int8_t>(p); },
                  [](std::byte* p, auto x) { math::put_number(p, math::i8, static_cast<double>(x)); });
    case i32:
      return body([](const std::byte* p) { return load<std::int32_t>(p); },
                  [](std::byte* p, auto x) {
                    const double d = std::nearbyint(static_cast<double>(x));
                    store(p, static_cast<std::int32_t>(std::fmin(std::fmax(d, -2147483648.0), 2147483647.0)));
                  });
    case i64:
      return body([](const std::byte* p) { return load<std::int64_t>(p); },
                  [](std::byte* p, auto x) {
                    const double d = std::nearbyint(static_cast<double>(x));
                    store(p, std::fabs(d) < 9.2e18 ? static_cast<std::int64_t>(d) : std::int64_t{0});
                  });
    case u8:
      return body([](const std::byte* p) { return load<std::uint8_t>(p); },
                  [](std::byte* p, auto x) {
                    const double d = std::nearbyint(static_cast<double>(x));
                    store(p, static_cast<std::uint8_t>(std::fmin(std::fmax(d, 0), 255)));
                  });
    case boolean:
      return body([](const std::byte* p) { return load<std::uint8_t>(p) != 0 ? 1 : 0; },
                  [](std::byte* p, auto x) { store(p, static_cast<std::uint8_t>(x != 0)); });
    default: return;
  }
}

// Calls body(position of the row's first element, index of the row) for each row, which extends along the last
// dimension.
template <class F>
void for_rows(const tensor& t, F body) {
  const index_t row = t.rank > 0 ? t.dims[t.rank - 1] : 1;
  index_t at[most_dimensions] = {}, offset = 0;
  const index_t rows = count_of(t) / std::max<index_t>(row, 1);
  for (index_t i = 0; i < rows; ++i) {
    body(offset, i * row);
    for (int d = t.rank - 2; d >= 0; --d) {
      offset += t.strides[d];
      if (++at[d] < t.dims[d]) break;
      offset -= at[d] * t.strides[d];
      at[d] = 0;
    }
  }
}

}  // namespace

void set_packed_strides(tensor& t, tensor_format format) {
  index_t step = 1;
  const auto take = [&](int d) {
    t.strides[d] = step;
    // Sizes are limited, so that the size of a tensor does not overflow.
    const index_t size = std::max<index_t>(t.dims[d], 1);
    step = size > most_elements / step ? most_elements : step * size;
  };
  const bool channels_last = format == nhwc && t.rank > 2;
  if (channels_last) take(1);
  for (int d = t.rank - 1; d >= 0; --d)
    if (!channels_last || d != 1) take(d);
}

bool is_sound(const tensor& t) {
  constexpr index_t most = most_elements;
  if (bytes_of(t.type) == 0 || t.rank < 1 || t.rank > most_dimensions) return false;
  index_t count = 1, reach = 1;
  for (int d = 0; d < t.rank; ++d) {
    if (t.dims[d] < 1 || t.strides[d] < 0 || t.dims[d] > most / count) return false;
    count *= t.dims[d];
    if (t.strides[d] != 0 && t.dims[d] - 1 > (most - reach) / t.strides[d]) return false;
    reach += (t.dims[d] - 1) * t.strides[d];
  }
  return true;
}

spread_index::spread_index(const tensor& narrow, const tensor& wide) : rank_(wide.rank), count_(count_of(wide)) {
  index_t step = 1;
  const int shift = wide.rank - narrow.rank;
  fits_ = shift >= 0;
  for (int d = wide.rank - 1; d >= 0; --d) {
    dims_[d] = wide.dims[d];
    const index_t own = d >= shift ? narrow.dims[d - shift] : 1;
    fits_ = fits_ && (own == 1 || own == wide.dims[d]);
    steps_[d] = own == 1 ? 0 : step;
    step *= own;
  }
}

template <class T>
std::vector<T> numbers(const tensor& t, const std::byte* at) {
  std::vector<T> values(static_cast<std::size_t>(count_of(t)));
  const index_t row = t.rank > 0 ? t.dims[t.rank - 1] : 1,
                step = (t.rank > 0 ? t.strides[t.rank - 1] : 1) * bytes_of(t.type), size = bytes_of(t.type);
  for_type(t.type, [&](auto read, auto) {
    for_rows(t, [&](index_t offset, index_t first) {
      const std::byte* from = at + offset * size;
      T* const to = values.data() + first;
      for (index_t i = 0; i < row; ++i) to[i] = static_cast<T>(read(from + i * step));
    });
  });
  return values;
}

template <class T>
void blend(const tensor& t, std::byte* at, const T* values, double alpha, double beta) {
  const index_t row = t.rank > 0 ? t.dims[t.rank - 1] : 1,
                step = (t.rank > 0 ? t.strides[t.rank - 1] : 1) * bytes_of(t.type), size = bytes_of(t.type);
  const T a = static_cast<T>(alpha), b = static_cast<T>(beta);
  for_type(t.type, [&](auto read, auto write) {
    for_rows(t, [&](index_t offset, index_t first) {
      std::byte* const to = at + offset * size;
      const T* const from = values + first;
      if (beta != 0) {
        for (index_t i = 0; i < row; ++i) write(to + i * step, a * from[i] + b * static_cast<T>(read(to + i * step)));
      } else {
        for (index_t i = 0; i < row; ++i) write(to + i * step, alpha == 1 ? from[i] : a * from[i]);
      }
    });
  });
}

double number_at(int type, const std::byte* at) {
  double value = 0;
  for_type(type, [&](auto read, auto) { value = static_cast<double>(read(at)); });
  return value;
}

template <class T>
void round_to(int type, std::vector<T>& values) {
  for_type(type, [&](auto read, auto write) {
    std::byte one[sizeof(std::int64_t)];
    for (T& value : values) {
      write(one, value);
      value = static_cast<T>(read(one));
    }
  });
}

template void round_to<float>(int, std::vector<float>&);
template void round_to<double>(int, std::vector<double>&);
template std::vector<float> numbers<float>(const tensor&, const std::byte*);
template std::vector<double> numbers<double>(const tensor&, const std::byte*);
template void blend<float>(const tensor&, std::byte*, const float*, double, double);
template void blend<double>(const tensor&, std::byte*, const double*, double, double);

}  // namespace bankwise::dnn
