// Descriptors of cuBLASLt. Programs may allocate them as structs with the sizes of CUDA 12.0: 23 words for a product, 8
// words for other descriptors. Each attribute has an offset and a size.
#pragma once

#include <cstddef>
#include <cstring>

#include "math/common/math_abi.hpp"

namespace bankwise::math {

struct lt_layout {
  std::int32_t type, order;  // value 0: stored by columns, 1: stored by rows
  std::uint64_t rows, columns;
  std::int64_t lead;
  std::int32_t batch, batch_mode;
  std::int64_t stride, plane;
};

struct lt_matmul {
  std::int32_t computed, scale, pointers, of_a, of_b, of_c, part, epilogue, multiprocessors, aux_type, bias_type;
  std::int8_t fast, modes[6];
  std::int8_t unused;
  std::int64_t bias_stride, aux_lead, aux_stride, alpha_stride;
  std::uint64_t bias, aux, a_scale, b_scale, c_scale, d_scale, d_most, aux_scale, aux_most;
};

struct lt_transform {
  std::int32_t scale, pointers = 0, of_a = 0, of_b = 0;
};

struct lt_preference {
  std::int32_t search = 0, reduction = -1;
  std::uint64_t workspace = 0;
  std::int32_t alignment[4] = {256, 256, 256, 256};
  float waves = 0;
  std::int32_t unused = 0;
  std::uint64_t implementations = ~std::uint64_t{0};
};

static_assert(sizeof(lt_layout) <= 64 && sizeof(lt_transform) <= 64 && sizeof(lt_preference) <= 64);
static_assert(sizeof(lt_matmul) <= 23 * 8);

inline lt_layout make_layout(int type, std::uint64_t rows, std::uint64_t columns, std::int64_t lead) {
  return {type, 0, rows, columns, lead, 1, 0, 0, 0};
}
inline lt_matmul make_matmul(int computed, int scale) {
  lt_matmul d{};
  d.computed = computed;
  d.scale = scale;
  d.part = full_matrix;
  d.epilogue = 1;
  d.aux_type = d.bias_type = -1;
  return d;
}

// An attribute: its offset in the descriptor, its size in the program's memory, and its size in the descriptor
// (`stored`).
struct lt_attribute {
  int number;
  std::size_t at, bytes, stored;
};
#define AT(number, type, field) \
  { number, offsetof(type, field), sizeof(type::field), sizeof(type::field) }
inline constexpr lt_attribute attributes_of(const lt_layout*, std::size_t i) {
  constexpr lt_attribute all[] = {AT(0, lt_layout, type),    AT(1, lt_layout, order), AT(2, lt_layout, rows),
                                  AT(3, lt_layout, columns), AT(4, lt_layout, lead),  AT(5, lt_layout, batch),
                                  AT(6, lt_layout, stride),  AT(7, lt_layout, plane), AT(8, lt_layout, batch_mode)};
  return i < std::size(all) ? all[i] : lt_attribute{-1, 0, 0, 0};
}
inline constexpr lt_attribute attributes_of(const lt_matmul*, std::size_t i) {
  constexpr std::size_t modes = offsetof(lt_matmul, modes);
  constexpr lt_attribute all[] = {AT(0, lt_matmul, computed),
                                  AT(1, lt_matmul, scale),
                                  AT(2, lt_matmul, pointers),
                                  AT(3, lt_matmul, of_a),
                                  AT(4, lt_matmul, of_b),
                                  AT(5, lt_matmul, of_c),
                                  AT(6, lt_matmul, part),
                                  AT(7, lt_matmul, epilogue),
                                  AT(8, lt_matmul, bias),
                                  AT(10, lt_matmul, bias_stride),
                                  AT(11, lt_matmul, aux),
                                  AT(12, lt_matmul, aux_lead),
                                  AT(13, lt_matmul, aux_stride),
                                  AT(14, lt_matmul, alpha_stride),
                                  AT(15, lt_matmul, multiprocessors),
                                  AT(17, lt_matmul, a_scale),
                                  AT(18, lt_matmul, b_scale),
                                  AT(19, lt_matmul, c_scale),
                                  AT(20, lt_matmul, d_scale),
                                  AT(21, lt_matmul, d_most),
                                  AT(22, lt_matmul, aux_type),
                                  AT(23, lt_matmul, aux_scale),
                                  AT(24, lt_matmul, aux_most),
                                  AT(25, lt_matmul, fast),
                                  AT(26, lt_matmul, bias_type),
                                  {31, modes, 4, 1},
                                  {32, modes + 1, 4, 1},
                                  {33, modes + 2, 4, 1},
                                  {34, modes + 3, 4, 1},
                                  {35, modes + 4, 4, 1}};
  return i < std::size(all) ? all[i] : lt_attribute{-1, 0, 0, 0};
}
inline constexpr lt_attribute attributes_of(const lt_transform*, std::size_t i) {
  constexpr lt_attribute all[] = {AT(0, lt_transform, scale), AT(1, lt_transform, pointers), AT(2, lt_transform, of_a),
                                  AT(3, lt_transform, of_b)};
  return i < std::size(all) ? all[i] : lt_attribute{-1, 0, 0, 0};
}
inline constexpr lt_attribute attributes_of(const lt_preference*, std::size_t i) {
  constexpr std::size_t alignment = offsetof(lt_preference, alignment);
  constexpr lt_attribute all[] = {
      AT(0, lt_preference, search), AT(1, lt_preference, workspace), AT(3, lt_preference, reduction),
      {5, alignment, 4, 4},         {6, alignment + 4, 4, 4},        {7, alignment + 8, 4, 4},
      {8, alignment + 12, 4, 4},    AT(9, lt_preference, waves),     AT(12, lt_preference, implementations)};
  return i < std::size(all) ? all[i] : lt_attribute{-1, 0, 0, 0};
}
#undef AT

template <class T>
lt_attribute find_attribute(int number) {
  for (std::size_t i = 0;; ++i)
    if (const lt_attribute a = attributes_of(static_cast<const T*>(nullptr), i); a.number == number || a.number < 0)
      return a;
}
template <class T>
status set_attribute(T& d, int number, const void* from, std::size_t bytes) {
  const lt_attribute a = find_attribute<T>(number);
  if (a.number < 0) return not_supported;
  if (from == nullptr || bytes < a.bytes) return invalid_value;
  std::memcpy(reinterpret_cast<std::byte*>(&d) + a.at, from, a.stored);  // stores only the low bytes
  return success;
}
template <class T>
status get_attribute(const T& d, int number, void* to, std::size_t bytes, std::size_t* written) {
  const lt_attribute a = find_attribute<T>(number);
  if (a.number < 0) return not_supported;
  if (written != nullptr) *written = a.bytes;
  if (bytes == 0) return written == nullptr ? invalid_value : success;
  if (to == nullptr || bytes < a.bytes) return invalid_value;
  std::memset(to, 0, a.bytes);
  std::memcpy(to, reinterpret_cast<const std::byte*>(&d) + a.at, a.stored);
  return success;
}

}  // namespace bankwise::math
