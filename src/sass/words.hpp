// Tables of the words with which fields are printed. opcodes.def contains the names of the tables.
#pragma once

#include <span>
#include <string_view>

#include "sass/isa.hpp"

namespace bankwise::sass {

// Unused encodings have entries such as ".INVALID3" or ".???1". Encodings beyond the end of a table are also unused.
// For them, the printer prints ".INVALID" and the number.
namespace word_tables {

using sv = std::string_view;

inline constexpr sv rnd[] = {"", ".RM", ".RP", ".RZ"};
inline constexpr sv prmt[] = {"", ".F4E", ".B4E", ".RC8", ".ECL", ".ECR", ".RC16"};
inline constexpr sv byte[] = {"", ".B1", ".B2", ".B3"};
inline constexpr sv vimnmx[] = {".U32", "", ".U16x2", ".S16x2", ".U8x4"};
inline constexpr sv vimnmx_s32[] = {".U32", ".S32", ".U16x2", ".S16x2", ".U8x4"};
inline constexpr sv viadd[] = {"", ".16x2", ".S32", ".INVALID3", ".8x4"};
inline constexpr sv viadd_u8[] = {".32", ".16x2", ".S32", ".INVALID3", ".U8x4"};
inline constexpr sv icmp[] = {".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T"};
inline constexpr sv fcmp[] = {".F",   ".LT",  ".EQ",  ".LE",  ".GT",  ".NE",  ".GE",  ".NUM",
                              ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T"};
inline constexpr sv dcmp[] = {".MIN", ".LT",  ".EQ",  ".LE",  ".GT",  ".NE",  ".GE",  ".NUM",
                              ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".MAX"};
inline constexpr sv boolean[] = {".AND", ".OR", ".XOR", ".INVALID3"};
inline constexpr sv shf_dir[] = {".L", ".R"};
inline constexpr sv shf_type[] = {".S64", ".U64", ".S32", ".U32"};
inline constexpr sv mufu[] = {".COS", ".SIN", ".EX2", ".LG2", ".RCP", ".RSQ", ".RCP64H", ".RSQ64H", ".SQRT", ".TANH"};
inline constexpr sv mufu_type[] = {"", ".F16", ".BF16"};
inline constexpr sv newer_mufu_type[] = {"", ".F16", ".BF16", ".F16x2"};
inline constexpr sv older_mufu_type[] = {"", ".INVALID1", ".F16"};
inline constexpr sv fmul_scale[] = {".INVALID0", ".D8", ".D4", ".D2", "", ".M2", ".M4", ".M8"};
inline constexpr sv float_any[] = {".INVALID0", ".F16", ".F32", ".F64", ".BF16"};
inline constexpr sv float_short[] = {".INVALID0", ".F16", "", ".F64", ".BF16"};
inline constexpr sv f2i_rnd[] = {"", ".FLOOR", ".CEIL", ".TRUNC"};
inline constexpr sv i2i[] = {".U8", ".S8", ".U16", ".S16"};
inline constexpr sv i2ip[] = {".U8", ".S8", ".U16", ".S16", ".U2", ".S2", ".U4", ".S4"};
inline constexpr sv i2ip_part[] = {"", ".H1", ".24", ".28"};
inline constexpr sv vote[] = {".ALL", ".ANY", ".EQ", ".INVALID3"};
inline constexpr sv redux[] = {"", ".OR", ".XOR", ".SUM", ".MIN", ".MAX"};
inline constexpr sv credux[] = {".MAX", ".MAXABS", ".MIN", ".MINABS"};
inline constexpr sv credux_type[] = {"", ".S32", ".F32", ".INVALID3"};
inline constexpr sv shfl[] = {".IDX", ".UP", ".DOWN", ".BFLY"};
inline constexpr sv ldc_size[] = {".U8", ".S8", ".U16", ".S16", "", ".64"};
inline constexpr sv ldcu_size[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128"};
inline constexpr sv ldc_mode[] = {"", ".IL", ".IS", ".ISL"};
inline constexpr sv mem_size[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128"};
inline constexpr sv atom_op[] = {".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR", ".EXCH", ".SAFEADD"};
inline constexpr sv atom_fop[] = {".ADD", ".INVALID1", ".MIN", ".INVALID3", ".MAX"};
inline constexpr sv atom_float[] = {
    ".F16x2.RN", ".F16x4.RN",   ".F16x8.RN",     ".BF16x2.RN",    ".BF16x4.RN", ".BF16x8.RN", ".INVALID6", ".INVALID7",
    ".INVALID8", ".F32.FTZ.RN", ".F32x2.FTZ.RN", ".F32x4.FTZ.RN", ".F32.RN",    ".F32x2.RN",  ".F32x4.RN", ".F64.RN"};
inline constexpr sv atom_size[] = {"", ".S32", ".64", ".S64", ".128"};
inline constexpr sv typed_atom_size[] = {"", ".S32", ".64", ".F32.FTZ.RN", ".F16x2.RN", ".S64", ".F64.RN"};
inline constexpr sv ltc[] = {"", ".LTC64B", ".LTC128B", ".LTC256B"};
inline constexpr sv l2_eviction[] = {".EFL2", ".ENL2", ".ELL2"};
inline constexpr sv ldsm_shape[] = {".M88", ".MT88", ".M816", ".M832", ".MT1616"};
inline constexpr sv ldsm_from[] = {".16",       ".INVALID1",    ".INVALID2",    ".INVALID3",
                                   ".INVALID4", ".U4x16P64TO8", ".U6x16P32TO8", ".8"};
inline constexpr sv stsm_shape[] = {".M88", ".MT88", ".MT168"};
inline constexpr sv stsm_from[] = {".16", ".8"};
inline constexpr sv ldsm_count[] = {"", ".2", ".4"};
inline constexpr sv movm[] = {".MT88", ".M832", ".M864"};
inline constexpr sv arrives[] = {"", ".ARVCNT", ".TRANSCNT"};
inline constexpr sv syncs[] = {"", ".A1T0", ".A0T1", ".A0TR", ".A0TX", ".ART0"};
inline constexpr sv exit_kind[] = {"", ".KEEPREFCOUNT", ".PREEMPTED"};
inline constexpr sv scope[] = {".CTA", ".SM", ".GPU", ".SYS", ".INVALID4", ".VC", ".CTA.PARTIAL"};
inline constexpr sv membar[] = {".SC", ".ALL"};
inline constexpr sv qspc[] = {".G", ".L", ".S", ".D"};
inline constexpr sv hmma_type[] = {".F16", ".F32"};
inline constexpr sv gmma_byte[] = {".U8", ".S8"};
inline constexpr sv gmma_fp8[] = {".E4M3", ".E5M2"};
inline constexpr sv hmma_in[] = {"", ".BF16", ".TF32"};
inline constexpr sv block_scales[] = {".E8.4X", ".UE4M3.4X", ".E8", ".UE4M3"};
inline constexpr sv mma_row[] = {".ROW", ".???1"};
inline constexpr sv mma_col[] = {".???0", ".COL"};
inline constexpr sv major[] = {".ROW", ".COL"};
inline constexpr sv step[] = {".STEP0", ".STEP1", ".STEP2", ".STEP3"};
inline constexpr sv qmma_shape[] = {".16816", ".16832", ".16864"};
inline constexpr sv fp8[] = {".E4M3", ".E5M2"};
inline constexpr sv uf2fp[] = {".E5M2", ".E4M3"};
inline constexpr sv bmma_shape[] = {".88128", ".168128", ".168256"};
inline constexpr sv bmma_op[] = {".XOR", ".???1", ".AND"};
inline constexpr sv texture_dim[] = {"1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", "INVALID6", "ARRAY_CUBE"};
inline constexpr sv texture_lod[] = {"", ".LZ", ".LB", ".LL", ".LC", ".LBC"};
inline constexpr sv fetch_lod[] = {".LZ", ".LL"};
inline constexpr sv gather[] = {".R", ".G", ".B", ".A"};
inline constexpr sv surface_dim[] = {".1D", ".1D_BUFFER", ".1D_ARRAY", ".2D", ".2D_ARRAY", ".3D"};
inline constexpr sv surface_clamp[] = {".IGN", "", ".TRAP"};
inline constexpr sv surface_size[] = {"", ".S32", ".U64", ".S64", ".???4", ".???5", ".SD32"};
inline constexpr sv surface_channels[] = {".???0", ".R",  ".G",  ".RG",  ".B",  ".RB",  ".GB",  ".RGB",
                                          ".A",    ".RA", ".GA", ".RGA", ".BA", ".RBA", ".GBA", ""};
inline constexpr sv texture_query[] = {"TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE", "TEX_HEADER_SAMPLER_POS",
                                       "???3"};
inline constexpr sv tma_mode[] = {"", ".IM2COL", ".W128", ".W", ".GATHER4"};
inline constexpr sv tma_pixel_mode[] = {".INVALID0", ".IM2COL", ".W128", ".W"};
inline constexpr sv tma_box_mode[] = {"", ".INVALID1", ".INVALID2", ".INVALID3", ".GATHER4"};
inline constexpr sv tma_store_mode[] = {"", ".IM2COL", ".SCATTER4"};
inline constexpr sv bulk_sectors[] = {"", ".LTC64B", ".LTC128B", ".LTC256B"};
inline constexpr sv filled_memory[] = {".T", ".???1"};
inline constexpr sv read_memory[] = {".S", ".???1"};
inline constexpr sv shift_direction[] = {".???0", ".DOWN"};
inline constexpr sv allocation[] = {".AND", ".OR"};
inline constexpr sv narrow_floats[] = {"", ".U4x16P64", ".U6x16P32"};
inline constexpr sv view[] = {".S", ".G", ".T"};
inline constexpr sv tma_dim[] = {".1D", ".2D", ".3D", ".4D", ".5D"};
inline constexpr sv bulk_type[] = {"",        ".S32",      ".U64",    ".S64",    ".F16.RN",
                                   ".F32.RN", ".INVALID6", ".F64.RN", ".BF16.RN"};
inline constexpr sv dmma_shape[] = {".8x8x4", ".16x8x4", ".16x8x8", ".16x8x16"};

struct table {
  sv name;
  std::span<const sv> entries;
};

inline constexpr table tables[] = {
    {"rnd", rnd},
    {"prmt", prmt},
    {"byte", byte},
    {"vimnmx", vimnmx},
    {"vimnmx_s32", vimnmx_s32},
    {"viadd", viadd},
    {"viadd_u8", viadd_u8},
    {"icmp", icmp},
    {"fcmp", fcmp},
    {"dcmp", dcmp},
    {"bool", boolean},
    {"shf_dir", shf_dir},
    {"shf_type", shf_type},
    {"mufu", mufu},
    {"mufu_type", mufu_type},
    {"fmul_scale", fmul_scale},
    {"float", float_any},
    {"float_short", float_short},
    {"f2i_rnd", f2i_rnd},
    {"i2i", i2i},
    {"i2ip", i2ip},
    {"i2ip_part", i2ip_part},
    {"vote", vote},
    {"redux", redux},
    {"credux", credux},
    {"credux_type", credux_type},
    {"shfl", shfl},
    {"ldc_size", ldc_size},
    {"ldcu_size", ldcu_size},
    {"ldc_mode", ldc_mode},
    {"mem_size", mem_size},
    {"atom_op", atom_op},
    {"atom_fop", atom_fop},
    {"atom_float", atom_float},
    {"atom_size", atom_size},
    {"atoms_size", atom_size},
    {"ltc", ltc},
    {"l2_eviction", l2_eviction},
    {"ldsm_shape", ldsm_shape},
    {"ldsm_from", ldsm_from},
    {"stsm_shape", stsm_shape},
    {"stsm_from", stsm_from},
    {"ldsm_count", ldsm_count},
    {"movm", movm},
    {"arrives", arrives},
    {"syncs", syncs},
    {"exit", exit_kind},
    {"scope", scope},
    {"membar", membar},
    {"qspc", qspc},
    {"hmma_type", hmma_type},
    {"gmma_byte", gmma_byte},
    {"gmma_fp8", gmma_fp8},
    {"hmma_in", hmma_in},
    {"block_scales", block_scales},
    {"mma_row", mma_row},
    {"mma_col", mma_col},
    {"major", major},
    {"step", step},
    {"qmma_shape", qmma_shape},
    {"fp8", fp8},
    {"uf2fp", uf2fp},
    {"bmma_shape", bmma_shape},
    {"bmma_op", bmma_op},
    {"dmma_shape", dmma_shape},
    {"texture_dim", texture_dim},
    {"texture_lod", texture_lod},
    {"fetch_lod", fetch_lod},
    {"gather", gather},
    {"surface_dim", surface_dim},
    {"surface_clamp", surface_clamp},
    {"surface_size", surface_size},
    {"surface_channels", surface_channels},
    {"texture_query", texture_query},
    {"tma_dim", tma_dim},
    {"tma_mode", tma_mode},
    {"tma_pixel_mode", tma_pixel_mode},
    {"tma_box_mode", tma_box_mode},
    {"tma_store_mode", tma_store_mode},
    {"bulk_sectors", bulk_sectors},
    {"filled_memory", filled_memory},
    {"read_memory", read_memory},
    {"shift_direction", shift_direction},
    {"allocation", allocation},
    {"narrow_floats", narrow_floats},
    {"view", view},
    {"bulk_type", bulk_type},
};

}  // namespace word_tables

constexpr const word_tables::table* find_words(std::string_view name) {
  for (const word_tables::table& t : word_tables::tables)
    if (t.name == name) return &t;
  return nullptr;
}

// Returns the table of this name for an instruction set.
std::span<const std::string_view> words(std::string_view name, isa set);
// Returns the name of a special register of S2R, S2UR and CS2R, such as SR_TID.X.
std::string_view special_register(unsigned number, isa set);

}  // namespace bankwise::sass
