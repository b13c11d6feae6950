// Names of CUDA's types. Synonyms are on one line; errors suggest the nearest name.
#include "expr/names/type_names.hpp"

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

// The names that other libraries and tools have for them.
constexpr type_row other_names[] = {
    {"std::byte", 1},
    {"byte", 1},
    {"fp8", 1},
    {"float8", 1},
    {"float8_e4m3", 1},
    {"float8_e5m2", 1},
    {"float8_e4m3fn", 1},
    {"float8_e4m3fnuz", 1},
    {"float8_e5m2fnuz", 1},
    {"float_e4m3_t", 1},
    {"float_e5m2_t", 1},
    {"e4m3", 1},
    {"e5m2", 1},
    {"fp8_e4m3", 1},
    {"fp8_e5m2", 1},
    {"nv_fp8_e4m3", 1},
    {"nv_fp8_e5m2", 1},
    {"__nv_fp8_e8m0", 1},
    {"int8", 1},
    {"uint8", 1},
    {"i8", 1},
    {"uchar1", 1},
    {"char1", 1},
    {"half_t", 2},
    {"__half_raw", 2},
    {"float16", 2},
    {"fp16", 2},
    {"nv_half", 2},
    {"__nv_half", 2},
    {"_Float16", 2},
    {"nv_bfloat16", 2},
    {"bfloat16", 2},
    {"bfloat16_t", 2},
    {"__bf16", 2},
    {"hip_bfloat16", 2},
    {"__hip_bfloat16", 2},
    {"int16", 2},
    {"uint16", 2},
    {"i16", 2},
    {"short int", 2},
    {"unsigned short int", 2},
    {"signed short", 2},
    {"short1", 2},
    {"ushort1", 2},
    {"half1", 2},
    {"float32", 4},
    {"fp32", 4},
    {"float32_t", 4},
    {"tfloat32_t", 4},
    {"int32", 4},
    {"uint32", 4},
    {"i32", 4},
    {"signed", 4},
    {"signed int", 4},
    {"unsigned int32_t", 4},
    {"float1", 4},
    {"int1", 4},
    {"uint1", 4},
    {"nv_half2", 4},
    {"nv_bfloat162", 4},
    {"bfloat162", 4},
    {"bf162", 4},
    {"bf16x2", 4},
    {"f16x2", 4},
    {"__hip_bfloat162", 4},
    {"float64", 8},
    {"fp64", 8},
    {"float64_t", 8},
    {"int64", 8},
    {"uint64", 8},
    {"i64", 8},
    {"ull", 8},
    {"long int", 8},
    {"unsigned long int", 8},
    {"long long int", 8},
    {"unsigned long long int", 8},
    {"ptrdiff_t", 8},
    {"uintptr_t", 8},
    {"intptr_t", 8},
    {"ulonglong1", 8},
    {"ulong", 8},
    {"u128", 16},
    {"__int128", 16},
    {"uint128_t", 16},
    {"cutlass::uint128_t", 16},
    {"f128", 16},
};

// Types with .x and .y: the bytes of one component, and the number of components.
struct vector_row {
  std::string_view name;
  std::uint32_t component, count, align;
};
constexpr vector_row vectors_by_name[] = {
    {"half2", 2, 2, 4},
    {"__half2", 2, 2, 4},
    {"nv_half2", 2, 2, 4},
    {"__nv_bfloat162", 2, 2, 4},
    {"nv_bfloat162", 2, 2, 4},
    {"bfloat162", 2, 2, 4},
    {"cuFloatComplex", 4, 2, 8},
    {"cuComplex", 4, 2, 8},
    {"cuDoubleComplex", 8, 2, 16},
    {"complex64", 4, 2, 8},
    {"complex128", 8, 2, 16},
    {"cufftComplex", 4, 2, 8},
    {"cufftDoubleComplex", 8, 2, 16},
    {"std::complex<float>", 4, 2, 8},
    {"std::complex<double>", 8, 2, 16},
    {"thrust::complex<float>", 4, 2, 8},
    {"thrust::complex<double>", 8, 2, 16},
    {"cuda::std::complex<float>", 4, 2, 8},
    {"cuda::std::complex<double>", 8, 2, 16},
    {"double4_16a", 8, 4, 16},
    {"double4_32a", 8, 4, 32},
    {"half4", 2, 4, 8},
    {"half8", 2, 8, 16},
    {"dim3", 4, 3, 4},
};
// Base names of types that 1 to 4 may follow.
constexpr type_row vector_bases[] = {
    {"char", 1},  {"uchar", 1},  {"short", 2},    {"ushort", 2},    {"int", 4},  {"uint", 4},
    {"float", 4}, {"double", 8}, {"longlong", 8}, {"ulonglong", 8}, {"long", 8}, {"ulong", 8},
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// "const  unsigned   int" -> "unsigned int"; "cute::half_t" -> "half_t".
std::string plain_type(std::string_view name) {
  std::string plain;
  for (std::size_t at = 0; at < name.size();) {
    while (at < name.size() && is_blank(name[at])) ++at;
    std::size_t end = at;
    while (end < name.size() && !is_blank(name[end])) ++end;
    const std::string_view word = name.substr(at, end - at);
    if (!word.empty() && word != "const" && word != "volatile" && word != "struct" && word != "typename")
      plain += (plain.empty() ? "" : " ") + std::string(word);
    at = end;
  }
  return plain;
}

std::optional<expr::element_type> find_plain(std::string_view name) {
  for (const vector_row& v : vectors_by_name)
    if (v.name == name) return expr::element_type{v.component * v.count, v.align, v.component, {}};
  if (name.size() > 1 && name.back() >= '1' && name.back() <= '4') {
    const auto count = static_cast<std::uint32_t>(name.back() - '0');
    for (const type_row& base : vector_bases)
      if (base.name == name.substr(0, name.size() - 1)) {
        const std::uint32_t bytes = base.bytes * count;
        return expr::element_type{bytes, count == 3 ? base.bytes : bytes > 16 ? 16 : bytes, base.bytes, {}};
      }
  }
  for (const type_row& t : types)
    if (t.name == name) return expr::element_type{t.bytes, t.bytes, 0, {}};
  for (const type_row& t : other_names)
    if (t.name == name) return expr::element_type{t.bytes, t.bytes, 0, {}};
  return std::nullopt;
}

}  // namespace

std::optional<expr::element_type> find_type(std::string_view name) {
  if (name.size() > 128) return std::nullopt;
  const std::string plain = plain_type(name);
  if (auto found = find_plain(plain)) return found;
  // Types in a namespace: cute::half_t, ct.float32, jnp.bfloat16.
  const std::size_t cut = plain.find_last_of(":.");
  if (cut == std::string::npos || plain.find('<') != std::string::npos) return std::nullopt;
  return find_plain(std::string_view(plain).substr(cut + 1));
}

std::optional<std::uint32_t> type_bytes(std::string_view name) {
  const auto type = name.empty() || is_blank(name.front()) || is_blank(name.back()) ? std::nullopt : find_type(name);
  if (!type || expr::piece_bytes(*type) != type->bytes) return std::nullopt;
  return type->bytes;
}

bool is_float_type(std::string_view name) {
  std::string plain = plain_type(name);
  if (const std::size_t cut = plain.find_last_of(":."); cut != std::string::npos) plain.erase(0, cut + 1);
  while (plain.starts_with("_")) plain.erase(0, 1);
  for (const std::string_view word :
       {"float",     "double", "half",    "bf16", "f16",    "f32",     "f64",     "fp16",     "fp32",   "fp64",
        "nv_bfloat", "bfloat", "nv_half", "tf32", "tfloat", "complex", "cuFloat", "cuDouble", "nv_fp8", "fp8"})
    if (plain.starts_with(word)) return true;
  return false;
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const type_row& t : types) names.emplace_back(t.name);
  return names;
}

std::vector<std::string> all_type_names() {
  std::vector<std::string> names = type_names();
  for (const type_row& t : other_names) names.emplace_back(t.name);
  for (const vector_row& v : vectors_by_name) names.emplace_back(v.name);
  for (const type_row& base : vector_bases)
    for (const char count : {'2', '3', '4'}) names.push_back(std::string(base.name) + count);
  return names;
}

}  // namespace bankwise
