// Names that mean the same stand side by side; errors propose the nearest of all.
#include "expr/type_names.hpp"

namespace bankwise {

namespace {

struct type_row {
  std::string_view name;
  std::uint32_t bytes;
};

constexpr type_row types[] = {
    {"char", 1},
    {"bool", 1},
    {"int8_t", 1},
    {"uint8_t", 1},
    {"unsigned char", 1},
    {"signed char", 1},
    {"b8", 1},
    {"u8", 1},
    {"s8", 1},
    {"uchar", 1},
    {"__nv_fp8_e4m3", 1},
    {"__nv_fp8_e5m2", 1},
    {"short", 2},
    {"int16_t", 2},
    {"uint16_t", 2},
    {"unsigned short", 2},
    {"ushort", 2},
    {"half", 2},
    {"__half", 2},
    {"__nv_bfloat16", 2},
    {"bf16", 2},
    {"f16", 2},
    {"b16", 2},
    {"u16", 2},
    {"s16", 2},
    {"char2", 2},
    {"uchar2", 2},
    {"int", 4},
    {"unsigned", 4},
    {"unsigned int", 4},
    {"uint", 4},
    {"int32_t", 4},
    {"uint32_t", 4},
    {"float", 4},
    {"f32", 4},
    {"b32", 4},
    {"u32", 4},
    {"s32", 4},
    {"tf32", 4},
    {"half2", 4},
    {"__half2", 4},
    {"__nv_bfloat162", 4},
    {"char4", 4},
    {"uchar4", 4},
    {"short2", 4},
    {"ushort2", 4},
    {"long", 8},
    {"unsigned long", 8},
    {"long long", 8},
    {"unsigned long long", 8},
    {"size_t", 8},
    {"int64_t", 8},
    {"uint64_t", 8},
    {"double", 8},
    {"f64", 8},
    {"b64", 8},
    {"u64", 8},
    {"s64", 8},
    {"float2", 8},
    {"int2", 8},
    {"uint2", 8},
    {"short4", 8},
    {"ushort4", 8},
    {"longlong1", 8},
    {"double1", 8},
    {"float4", 16},
    {"int4", 16},
    {"uint4", 16},
    {"double2", 16},
    {"longlong2", 16},
    {"ulonglong2", 16},
    {"b128", 16},
};

}  // namespace

std::optional<std::uint32_t> type_bytes(std::string_view name) {
  for (const type_row& t : types)
    if (t.name == name) return t.bytes;
  return std::nullopt;
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const type_row& t : types) names.emplace_back(t.name);
  return names;
}

}  // namespace bankwise
