// Finds CUDA's types by name. A row of a table contains all names of a type. Errors suggest the most similar name.
#include "expr/parse/type_names.hpp"

#include <span>

#include "base/text.hpp"
#include "expr/names/name_list.hpp"

namespace bankwise {

namespace {

struct types_row {
  std::uint32_t bytes;
  std::string_view names;  // names of a type, separated by commas
};

constexpr types_row types[] = {
    {1, "char,bool,int8_t,uint8_t,unsigned char,signed char,b8,u8,s8,uchar,__nv_fp8_e4m3,__nv_fp8_e5m2"},
    {2,
     "short,int16_t,uint16_t,unsigned short,ushort,half,__half,__nv_bfloat16,bf16,f16,b16,u16,s16,"
     "char2,uchar2"},
    {4,
     "int,unsigned,unsigned int,uint,int32_t,uint32_t,float,f32,b32,u32,s32,tf32,half2,__half2,"
     "__nv_bfloat162,char4,uchar4,short2,ushort2"},
    {8,
     "long,unsigned long,long long,unsigned long long,size_t,int64_t,uint64_t,double,f64,b64,u64,s64,"
     "float2,int2,uint2,short4,ushort4,longlong1,double1"},
    {16, "float4,int4,uint4,double2,longlong2,ulonglong2,b128"},
};

// Names that other libraries and tools use for these types.
constexpr types_row other_names[] = {
    {1,
     "std::byte,byte,fp8,float8,float8_e4m3,float8_e5m2,float8_e4m3fn,float8_e4m3fnuz,float8_e5m2fnuz,"
     "float_e4m3_t,float_e5m2_t,e4m3,e5m2,fp8_e4m3,fp8_e5m2,nv_fp8_e4m3,nv_fp8_e5m2,__nv_fp8_e8m0,"
     "int8,uint8,i8,uchar1,char1,__nv_fp4_e2m1,__nv_fp6_e2m3,__nv_fp6_e3m2,__nv_fp4x2_e2m1,__nv_fp4x2_storage_t,"
     "float4_e2m1fn_x2,float_e2m1_unpacksmem_t,float_e2m3_unpacksmem_t,float_e3m2_unpacksmem_t,float_ue8m0_t,"
     "float_ue4m3_t,ue8m0,ue4m3,float8_e8m0fnu"},
    {2,
     "half_t,__half_raw,float16,fp16,nv_half,__nv_half,_Float16,nv_bfloat16,bfloat16,bfloat16_t,"
     "__bf16,hip_bfloat16,__hip_bfloat16,int16,uint16,i16,short int,unsigned short int,signed short,"
     "short1,ushort1,half1,__nv_fp4x4_e2m1,__nv_fp6x2_e2m3,__nv_fp6x2_e3m2,__nv_fp8x2_e4m3,__nv_fp8x2_e5m2"},
    {4,
     "float32,fp32,float32_t,tfloat32_t,int32,uint32,i32,signed,signed int,unsigned int32_t,float1,"
     "int1,uint1,__nv_fp8x4_e4m3,__nv_fp8x4_e5m2,__nv_fp6x4_e2m3,__nv_fp6x4_e3m2,nv_half2,nv_bfloat162,bfloat162,bf162,bf16x2,f16x2,__hip_bfloat162"},
    {8,
     "float64,fp64,float64_t,int64,uint64,i64,ull,long int,unsigned long int,long long int,"
     "unsigned long long int,ptrdiff_t,uintptr_t,intptr_t,ulonglong1,ulong"},
    {16, "u128,__int128,uint128_t,cutlass::uint128_t,f128"},
};

// Types of packed elements: the bits of an element, and the names. CUDA's __nv_fp4_e2m1 and __nv_fp6_e2m3 are not packed,
// because such a variable takes a byte.
struct packed_row {
  std::uint32_t bits;
  std::string_view names;
};
constexpr packed_row packed_types[] = {
    {1, "b1,bin1_t,uint1b_t,i1"},
    {2, "s2,u2,i2,int2b_t,uint2b_t"},
    {4,
     "e2m1,fp4,nvfp4,mxfp4,fp4_e2m1,float4_e2m1,float4_e2m1fn,float_e2m1_t,f4E2M1FN,mx_float4_t,"
     "nv_float4_t,e2m1fn,s4,u4,i4,si4,ui4,int4b_t,uint4b_t,int4_t,uint4_t"},
    {6,
     "e2m3,e3m2,fp6,mxfp6,fp6_e2m3,fp6_e3m2,float6_e2m3fn,float6_e3m2fn,float_e2m3_t,float_e3m2_t,f6E2M3FN,f6E3M2FN,"
     "mx_float6_t"},
};

// Types with .x and .y: the size of a component in bytes, and the number of components.
struct vector_row {
  std::uint32_t component, count, align;
  std::string_view names;
};
constexpr vector_row vectors_by_name[] = {
    {2, 2, 4, "half2,__half2,nv_half2,__nv_bfloat162,nv_bfloat162,bfloat162"},
    {4, 2, 8,
     "cuFloatComplex,cuComplex,complex64,cufftComplex,std::complex<float>,thrust::complex<float>,"
     "cuda::std::complex<float>"},
    {8, 2, 16,
     "cuDoubleComplex,complex128,cufftDoubleComplex,std::complex<double>,thrust::complex<double>,"
     "cuda::std::complex<double>"},
    {8, 4, 16, "double4_16a"},
    {8, 4, 32, "double4_32a"},
    {2, 4, 8, "half4"},
    {2, 8, 16, "half8"},
    {4, 3, 4, "dim3"},
};
// Names of types that become names of vectors if a number from 1 to 4 follows.
struct base_row {
  std::string_view name;
  std::uint32_t bytes;
};
constexpr base_row vector_bases[] = {
    {"char", 1},  {"uchar", 1},  {"short", 2},    {"ushort", 2},    {"int", 4},  {"uint", 4},
    {"float", 4}, {"double", 8}, {"longlong", 8}, {"ulonglong", 8}, {"long", 8}, {"ulong", 8},
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Normalises a name: "const  unsigned   int" becomes "unsigned int", "cute::half_t" becomes "half_t".
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
    if (lists(v.names, ',', name)) return expr::element_type{v.component * v.count, v.align, v.component, {}};
  if (name.size() > 1 && name.back() >= '1' && name.back() <= '4') {
    const auto count = static_cast<std::uint32_t>(name.back() - '0');
    for (const base_row& base : vector_bases)
      if (base.name == name.substr(0, name.size() - 1)) {
        const std::uint32_t bytes = base.bytes * count;
        return expr::element_type{bytes, count == 3 ? base.bytes : bytes > 16 ? 16 : bytes, base.bytes, {}};
      }
  }
  for (const auto rows : {std::span<const types_row>(types), std::span<const types_row>(other_names)})
    for (const types_row& t : rows)
      if (lists(t.names, ',', name)) return expr::element_type{t.bytes, t.bytes, 0, {}};
  return std::nullopt;
}

}  // namespace

std::optional<expr::element_type> find_type(std::string_view name) {
  if (name.size() > 128) return std::nullopt;
  const std::string plain = plain_type(name);
  if (auto found = find_plain(plain)) return found;
  // The type may be in a namespace: cute::half_t, ct.float32, jnp.bfloat16.
  const std::size_t cut = plain.find_last_of(":.");
  if (cut == std::string::npos || plain.find('<') != std::string::npos) return std::nullopt;
  return find_plain(std::string_view(plain).substr(cut + 1));
}

std::uint32_t packed_bits(std::string_view name) {
  if (name.size() > 128) return 0;
  std::string plain = plain_type(name);
  if (const std::size_t cut = plain.find_last_of(":."); cut != std::string::npos) plain.erase(0, cut + 1);
  for (const packed_row& row : packed_types)
    if (lists(row.names, ',', plain)) return row.bits;
  return 0;
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
  for (const types_row& t : types)
    for (const std::string_view name : split(t.names, ',')) names.emplace_back(name);
  return names;
}

std::vector<std::string> all_type_names() {
  std::vector<std::string> names = type_names();
  for (const types_row& t : other_names)
    for (const std::string_view name : split(t.names, ',')) names.emplace_back(name);
  for (const vector_row& v : vectors_by_name)
    for (const std::string_view name : split(v.names, ',')) names.emplace_back(name);
  for (const packed_row& row : packed_types)
    for (const std::string_view name : split(row.names, ',')) names.emplace_back(name);
  for (const base_row& base : vector_bases)
    for (const char count : {'2', '3', '4'}) names.push_back(std::string(base.name) + count);
  return names;
}

}  // namespace bankwise
