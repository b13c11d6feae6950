#include "sass/words.hpp"

#include <array>

namespace bankwise::sass {

namespace {

using sv = std::string_view;

constexpr sv rnd[] = {"", ".RM", ".RP", ".RZ"};
constexpr sv prmt[] = {"", ".F4E", ".B4E", ".RC8", ".ECL", ".ECR", ".RC16"};
constexpr sv byte[] = {"", ".B1", ".B2", ".B3"};
constexpr sv vimnmx[] = {".U32", "", ".U16x2", ".S16x2", ".U8x4"};
constexpr sv vimnmx_s32[] = {".U32", ".S32", ".U16x2", ".S16x2", ".U8x4"};
constexpr sv viadd[] = {"", ".16x2", ".S32", ".INVALID3", ".8x4"};
constexpr sv viadd_u8[] = {"", ".16x2", ".S32", ".INVALID3", ".U8x4"};
constexpr sv icmp[] = {".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T"};
constexpr sv fcmp[] = {".F",   ".LT",  ".EQ",  ".LE",  ".GT",  ".NE",  ".GE",  ".NUM",
                       ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T"};
constexpr sv dcmp[] = {".MIN", ".LT",  ".EQ",  ".LE",  ".GT",  ".NE",  ".GE",  ".NUM",
                       ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".MAX"};
constexpr sv boolean[] = {".AND", ".OR", ".XOR", ".INVALID3"};
constexpr sv shf_dir[] = {".L", ".R"};
constexpr sv shf_type[] = {".S64", ".U64", ".S32", ".U32"};
constexpr sv mufu[] = {".COS", ".SIN", ".EX2", ".LG2", ".RCP", ".RSQ", ".RCP64H", ".RSQ64H", ".SQRT", ".TANH"};
constexpr sv mufu_type[] = {"", ".F16", ".BF16"};
constexpr sv newer_mufu_type[] = {"", ".F16", ".BF16", ".F16x2"};
constexpr sv older_mufu_type[] = {"", ".INVALID1", ".F16"};
constexpr sv fmul_scale[] = {".INVALID0", ".D8", ".D4", ".D2", "", ".M2", ".M4", ".M8"};
constexpr sv float_any[] = {".INVALID0", ".F16", ".F32", ".F64", ".BF16"};
constexpr sv float_short[] = {".INVALID0", ".F16", "", ".F64", ".BF16"};
constexpr sv f2i_rnd[] = {"", ".FLOOR", ".CEIL", ".TRUNC"};
constexpr sv i2i[] = {".U8", ".S8", ".U16", ".S16"};
constexpr sv i2ip[] = {".U8", ".S8", ".U16", ".S16", ".U2", ".S2", ".U4", ".S4"};
constexpr sv i2ip_part[] = {"", ".H1", ".24", ".28"};
constexpr sv vote[] = {".ALL", ".ANY", ".EQ", ".INVALID3"};
constexpr sv redux[] = {"", ".OR", ".XOR", ".SUM", ".MIN", ".MAX"};
constexpr sv credux[] = {".MAX", ".MIN"};
constexpr sv shfl[] = {".IDX", ".UP", ".DOWN", ".BFLY"};
constexpr sv ldc_size[] = {".U8", ".S8", ".U16", ".S16", "", ".64"};
constexpr sv ldcu_size[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128"};
constexpr sv ldc_mode[] = {"", ".IL", ".IS", ".ISL"};
constexpr sv mem_size[] = {".U8", ".S8", ".U16", ".S16", "", ".64", ".128"};
constexpr sv atom_op[] = {".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR", ".EXCH", ".SAFEADD"};
constexpr sv atom_fop[] = {".ADD", ".INVALID1", ".MIN", ".INVALID3", ".MAX"};
constexpr sv atom_float[] = {".F16x2.RN", ".F16x4.RN", ".F16x8.RN", ".BF16x2.RN",  ".BF16x4.RN",    ".BF16x8.RN",
                             ".INVALID6", ".INVALID7", ".INVALID8", ".F32.FTZ.RN", ".F32x2.FTZ.RN", ".F32x4.FTZ.RN",
                             ".F32.RN",   ".F32x2.RN", ".F32x4.RN", ".F64.RN"};
constexpr sv atom_size[] = {"", ".S32", ".64", ".S64", ".128"};
constexpr sv typed_atom_size[] = {"", ".S32", ".64", ".F32.FTZ.RN", ".F16x2.RN", ".S64", ".F64.RN"};
constexpr sv ltc[] = {"", ".LTC64B", ".LTC128B", ".LTC256B"};
constexpr sv ldsm_trans[] = {".M88", ".MT88", ".M816", ".M832"};
constexpr sv stsm_trans[] = {".M88", ".MT88"};
constexpr sv ldsm_count[] = {"", ".2", ".4"};
constexpr sv movm[] = {".MT88", ".M832", ".M864"};
constexpr sv arrives[] = {"", ".ARVCNT", ".TRANSCNT"};
constexpr sv syncs[] = {"", ".A1T0", ".A0T1", ".A0TR", ".A0TX", ".ART0"};
constexpr sv exit_kind[] = {"", ".KEEPREFCOUNT", ".PREEMPTED"};
constexpr sv scope[] = {".CTA", ".SM", ".GPU", ".SYS", ".INVALID4", ".VC", ".CTA.PARTIAL"};
constexpr sv membar[] = {".SC", ".ALL"};
constexpr sv qspc[] = {".G", ".L", ".S", ".D"};
constexpr sv hmma_type[] = {".F16", ".F32"};
constexpr sv gmma_byte[] = {".U8", ".S8"};
constexpr sv gmma_fp8[] = {".E4M3", ".E5M2"};
constexpr sv hmma_in[] = {"", ".BF16", ".TF32"};
constexpr sv mma_row[] = {".ROW", ".???1"};
constexpr sv mma_col[] = {".???0", ".COL"};
constexpr sv major[] = {".ROW", ".COL"};
constexpr sv step[] = {".STEP0", ".STEP1", ".STEP2", ".STEP3"};
constexpr sv qmma_shape[] = {".16816", ".16832"};
constexpr sv fp8[] = {".E4M3", ".E5M2"};
constexpr sv bmma_shape[] = {".88128", ".168128", ".168256"};
constexpr sv bmma_op[] = {".XOR", ".???1", ".AND"};
constexpr sv tma_dim[] = {".1D", ".2D", ".3D", ".4D", ".5D"};
constexpr sv bulk_type[] = {"", ".S32", ".U64", ".S64", ".F16.RN", ".F32.RN", ".INVALID6", ".F64.RN", ".BF16.RN"};
constexpr sv dmma_shape[] = {".8x8x4", ".16x8x4", ".16x8x8", ".16x8x16"};

struct table {
  sv name;
  std::span<const sv> entries;
};

constexpr table tables[] = {
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
    {"ldsm_trans", ldsm_trans},
    {"stsm_trans", stsm_trans},
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
    {"mma_row", mma_row},
    {"mma_col", mma_col},
    {"major", major},
    {"step", step},
    {"qmma_shape", qmma_shape},
    {"fp8", fp8},
    {"bmma_shape", bmma_shape},
    {"bmma_op", bmma_op},
    {"dmma_shape", dmma_shape},
    {"tma_dim", tma_dim},
    {"bulk_type", bulk_type},
};

constexpr std::array<sv, 256> make_special_registers() {
  std::array<sv, 256> s{};
  const auto put = [&](unsigned first, auto... names) { ((s[first++] = names), ...); };
  put(0, "SR_LANEID", "SR_CLOCK", "SR_VIRTCFG", "SR_VIRTID");
  put(15, "SR_ORDERING_TICKET", "SR_PRIM_TYPE", "SR_INVOCATION_ID", "SR_Y_DIRECTION", "SR_THREAD_KILL");
  put(21, "SR_DIRECTCBEWRITEADDRESSLOW");
  put(24, "SR_SW_SCRATCH", "SR_MACHINE_ID_1", "SR_MACHINE_ID_2", "SR_MACHINE_ID_3", "SR_AFFINITY",
      "SR_INVOCATION_INFO");
  put(31, "SR_WSCALEFACTOR_Z", "SR_TID", "SR_TID.X", "SR_TID.Y", "SR_TID.Z");
  put(37, "SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z", "SR_NTID", "SR_CirQueueIncrMinusOne", "SR_NLATC");
  put(44, "SR_SM_SPA_VERSION", "SR_MULTIPASSSHADERINFO", "SR_LWINHI", "SR_SWINHI", "SR_SWINLO", "SR_SWINSZ",
      "SR_SMEMSZ", "SR_SMEMBANKS", "SR_LWINLO", "SR_LWINSZ", "SR_LMEMLOSZ", "SR_LMEMHIOFF", "SR_EQMASK", "SR_LTMASK",
      "SR_LEMASK", "SR_GTMASK", "SR_GEMASK", "SR_REGALLOC", "SR_BARRIERALLOC");
  put(64, "SR_GLOBALERRORSTATUS", "SR_CGAERRORSTATUS", "SR_WARPERRORSTATUS", "SR_VIRTUALSMID", "SR_VIRTUALENGINEID");
  put(80, "SR_CLOCKLO", "SR_CLOCKHI", "SR_GLOBALTIMERLO", "SR_GLOBALTIMERHI", "SR_ESR_PC", "SR_ESR_PC_HI");
  put(96, "SR_HWTASKID", "SR_CIRCULARQUEUEENTRYINDEX", "SR_CIRCULARQUEUEENTRYADDRESSLOW",
      "SR_CIRCULARQUEUEENTRYADDRESSHIGH", "SR_PM0", "SR_PM_HI0", "SR_PM1", "SR_PM_HI1", "SR_PM2", "SR_PM_HI2", "SR_PM3",
      "SR_PM_HI3", "SR_PM4", "SR_PM_HI4", "SR_PM5", "SR_PM_HI5", "SR_PM6", "SR_PM_HI6", "SR_PM7", "SR_PM_HI7",
      "SR_SNAP_PM0", "SR_SNAP_PM_HI0", "SR_SNAP_PM1", "SR_SNAP_PM_HI1", "SR_SNAP_PM2", "SR_SNAP_PM_HI2", "SR_SNAP_PM3",
      "SR_SNAP_PM_HI3", "SR_SNAP_PM4", "SR_SNAP_PM_HI4", "SR_SNAP_PM5", "SR_SNAP_PM_HI5", "SR_SNAP_PM6",
      "SR_SNAP_PM_HI6", "SR_SNAP_PM7", "SR_SNAP_PM_HI7", "SR_VARIABLE_RATE");
  put(134, "SR_WARPGROUP_INFO", "SR_WARPGROUPID", "SR_CgaCtaId", "SR_GpcLocalCgaId");
  put(139, "SR_CTARegPoolSz");
  put(255, "SRZ");
  return s;
}
constexpr std::array<sv, 256> special_registers = make_special_registers();

}  // namespace

std::span<const std::string_view> words(std::string_view name, isa set) {
  if (name == "mufu_type" && set < isa::hopper) return older_mufu_type;
  if (name == "mufu_type" && set >= isa::blackwell) return newer_mufu_type;
  if (name == "atom_size" && traits_of(set).float_atomics_typed) return typed_atom_size;
  for (const table& t : tables)
    if (t.name == name) return t.entries;
  return {};
}

std::string_view special_register(unsigned number, isa set) {
  if (number == 138 && set >= isa::blackwell) return "SR_CgaSize";
  return special_registers[number & 0xff];
}

}  // namespace bankwise::sass
