// Tables that depend on the instruction set, and the names of special registers.
#include "sass/words.hpp"

#include <array>

namespace bankwise::sass {

namespace {

using sv = std::string_view;

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
  if (name == "mufu_type" && set < isa::hopper) return word_tables::older_mufu_type;
  if (name == "mufu_type" && set >= isa::blackwell) return word_tables::newer_mufu_type;
  if (name == "atom_size" && traits_of(set).float_atomics_typed) return word_tables::typed_atom_size;
  const word_tables::table* const t = find_words(name);
  return t == nullptr ? std::span<const std::string_view>{} : t->entries;
}

std::string_view special_register(unsigned number, isa set) {
  if (number == 138 && set >= isa::blackwell) return "SR_CgaSize";
  return special_registers[number & 0xff];
}

}  // namespace bankwise::sass
