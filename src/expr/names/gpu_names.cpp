// Finds GPUs by their usual names. The comparison ignores blanks, dashes, vendors and brands. For example, "NVIDIA
// GeForce RTX 4090 Laptop GPU" is "rtx4090".
#include "expr/names/gpu_names.hpp"

#include "base/setting.hpp"
#include "expr/names/name_list.hpp"

namespace bankwise {

namespace {

struct gpu_row {
  std::string_view arch, names;
};

// Sources: CUDA's list of GPUs by compute capability, and AMD's list of LLVM targets.
constexpr gpu_row gpus[] = {
    {"sm_32", "tegrak1"},
    {"sm_35", "k40 k20 k20x titanblack gtx780 kepler"},
    {"sm_37", "k80"},
    {"sm_30", "k10 gtx680 gtx770"},
    {"sm_50", "gtx750"},
    {"sm_52", "m40 m60 m4 gtx980 gtx970 gtx960 titanx maxwell"},
    {"sm_53", "jetsonnano jetsontx1 tx1"},
    {"sm_60", "p100 gp100 pascal"},
    {"sm_61",
     "p40 p4 p6 gtx1080 gtx1070 gtx1060 gtx1050 gt1030 mx150 mx250 mx350 titanxp gp102 gp104 p1000 p2000 p4000 p5000 p6000"},
    {"sm_62", "jetsontx2 tx2"},
    {"sm_70", "v100 gv100 titanv volta"},
    {"sm_72", "xavier jetsonxavier agxxavier jetsonagxxavier xaviernx jetsonxaviernx"},
    {"sm_75",
     "t4 t4g t1000 t400 t500 t550 t600 t1200 titanrtx rtx2060 rtx2070 rtx2080 gtx1650 gtx1630 gtx1660 mx450 mx550 rtx3000 rtx4000 rtx5000 "
     "rtx6000 rtx8000 tu102 tu104 tu106 turing"},
    {"sm_80", "a100 a100x a800 a30 a30x ga100 ampere"},
    {"sm_86",
     "a40 a10 a10g a10m a16 a2 a1000 a2000 a3000 a4000 a4500 a5000 a5500 a6000 rtxa400 rtxa500 rtxa1000 rtxa2000 rtxa3000 rtxa4000 "
     "rtxa4500 rtxa5000 rtxa5500 rtxa6000 mx570 rtx2050 rtx3050 rtx3060 rtx3070 rtx3080 rtx3090 ga102 ga103 ga104 ga106 ga107"},
    {"sm_87", "orin jetsonorin agxorin jetsonagxorin orinnano jetsonorinnano orinnx jetsonorinnx"},
    {"sm_89",
     "l4 l40 l40s l40g l20 l2 rtx4050 rtx4060 rtx4070 rtx4080 rtx4090 rtx500ada rtx1000ada rtx2000ada rtx3000ada rtx3500ada "
     "rtx4000ada rtx4000sffada "
     "rtx4500ada rtx5000ada rtx6000ada rtx2000adageneration rtx4000adageneration rtx5000adageneration "
     "rtx6000adageneration ad102 ad103 ad104 ad106 ad107 ada adalovelace lovelace"},
    {"sm_90", "h100 h200 h800 h20 gh200 gh100 gracehopper hopper"},
    {"sm_100", "b200 b100 gb200 gb100"},
    {"sm_103", "b300 gb300 blackwellultra"},
    {"sm_110", "thor jetsonthor agxthor jetsonagxthor"},
    {"sm_120",
     "rtx5050 rtx5060 rtx5070 rtx5080 rtx5090 rtxpro6000 rtxpro6000blackwell rtxpro5000 rtxpro4500 "
     "rtxpro4000 rtxpro3000 rtxpro2000 rtxpro1000 rtxpro500 gb202 gb203 gb205 gb206 gb207"},
    {"sm_121", "gb10 dgxspark spark"},
    {"cdna3", "mi300 mi300x mi300a mi308x mi325x mi325 gfx940 gfx941 gfx942 cdna3"},
    {"cdna4", "gfx950 cdna4 mi350 mi350x mi355 mi355x"},
    {"rdna3", "rdna3 gfx1100 gfx1101 gfx1102 gfx1103 rx7900 rx7800 rx7700 rx7600 w7900 w7800 780m"},
    {"gfx908", "mi100 cdna1 cdna"},
    {"gfx90a", "mi200 mi210 mi250 mi250x cdna2"},
    {"gfx906", "mi50 mi60 vega20 radeonvii"},
    {"gfx900", "vega vega64"},
    {"gfx1030", "rdna2 rx6900 rx6800"},
    {"gfx1031", "rx6700"},
    {"gfx1032", "rx6600"},
    {"gfx1150", "rdna35 strixpoint"},
    {"gfx1151", "strixhalo ryzenaimax 8060s"},
    {"rdna4", "rdna4 gfx1200 gfx1201 rx9070 rx9060 r9700 radeonaipror9700 aipror9700"},
};

// A name that is refused, with the error and the names to use instead.
struct refused_row {
  std::string_view name, message, hint;
};
constexpr refused_row refused[] = {
    {"blackwell",
     "'blackwell' is the name of several architectures: sm_100 (B200), sm_103 (B300), sm_110 (Thor), "
     "sm_120 (RTX 50) and sm_121 (GB10)",
     "choose an architecture, such as {arch=sm_100} or {arch=RTX 5090}"},
    {"gfx1250", "no rule is known for gfx1250",
     "choose a supported architecture, such as {arch=gfx950} or {arch=gfx1201}"},
    {"gfx1251", "no rule is known for gfx1251",
     "choose a supported architecture, such as {arch=gfx950} or {arch=gfx1201}"},
    {"rubin", "no rule is known for Rubin", "{arch=sm_107} assumes the rule of sm_103"},
};

// Returns the rulebook of a similar GPU for a GPU. Its evidence is evidence::assumed. `source` explains why the GPUs
// are similar.
constexpr rulebook assumed_of(const rulebook& of, const char* source) {
  rulebook r = of;
  for (rule_source& s : r.by_group)
    if (s.level != evidence::none) s = {evidence::assumed, source};
  return r;
}
constexpr rulebook like_cdna3 = assumed_of(
    cdna3_rules, "no rule is known for this GPU, so bankwise assumes the rule of CDNA 3, which AMD published");
constexpr rulebook like_rdna3 = assumed_of(
    rdna3_rules, "no rule is known for this GPU, so bankwise assumes the rule of RDNA 3, which AMD published");
// cuBLASDx's manual says: "SM107 uses the SM103 instruction set". PTX has sm_107 since version 9.4 (CUDA 13.4).
constexpr rulebook like_sm_103 =
    assumed_of(blackwell_rules,
               "no rule is known for this GPU, so bankwise assumes the rule of sm_103, as cuBLASDx's manual suggests");
struct assumed_row {
  std::string_view name;
  const char* family;
  bool waves_of_64;
};
constexpr assumed_row assumed[] = {
    {"gfx900", "Vega, half wave64", true},  {"gfx906", "Vega 20, half wave64", true},
    {"gfx908", "CDNA, half wave64", true},  {"gfx90a", "CDNA 2, half wave64", true},
    {"gfx1030", "RDNA 2, wave32", false},   {"gfx1031", "RDNA 2, wave32", false},
    {"gfx1032", "RDNA 2, wave32", false},   {"gfx1034", "RDNA 2, wave32", false},
    {"gfx1150", "RDNA 3.5, wave32", false}, {"gfx1151", "RDNA 3.5, wave32", false},
    {"gfx1152", "RDNA 3.5, wave32", false},
};

// Endings of product names. They are ignored.
constexpr std::string_view endings[] = {
    "laptop", "mobile", "maxq",  "super",  "ti",          "d",       "sxm2",       "sxm3",  "sxm4", "sxm5", "sxm",
    "pcie",   "nvl",    "hbm2e", "hbm2",   "hbm3",        "hbm3e",   "80gb",       "40gb",  "32gb", "16gb", "24gb",
    "48gb",   "96gb",   "141gb", "94gb",   "8gb",         "12gb",    "6gb",        "64gb",  "4gb",  "xtx",  "xt",
    "gre",    "s",      "m",     "server", "workstation", "edition", "generation", "family"};

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (c != ' ' && c != '-' && c != '_' && c != '.' && c != '\t')
      plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string_view word : {"nvidia", "geforce", "quadro", "amd", "instinct", "radeonpro", "gpu", "tesla"})
    for (std::size_t at = plain.find(word); at != std::string::npos; at = plain.find(word))
      plain.erase(at, word.size());
  if (plain.starts_with("radeonrx") || plain.starts_with("radeonw")) plain.erase(0, 6);
  return plain;
}

// Returns the number of a compute capability. The text can be "8.6", "sm86", "compute_80", "cc 8.6" or "86".
std::optional<std::string> capability(std::string_view name) {
  std::string plain = plain_name(name);
  bool prefixed = false;
  for (const std::string_view prefix : {"computecapability", "compute", "sm", "cc", "lto", "arch"})
    if (plain.starts_with(prefix)) {
      plain.erase(0, prefix.size());
      prefixed = true;
      break;
    }
  std::string features;
  if (!plain.empty() && (plain.back() == 'a' || plain.back() == 'f') && prefixed)
    features = plain.back(), plain.pop_back();
  if (plain.size() < 2 || plain.size() > 3 || plain.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  // sm_35.8 is a mode of Kepler's banks. parse_machine knows this name.
  if (name.find('.') != std::string_view::npos && name.find('.') + 2 != name.size()) return std::nullopt;
  return "sm_" + plain + features;
}

}  // namespace

std::optional<machine> assumed_machine(std::string_view name) {
  if (name == "sm_107")
    return machine{std::string(name), "Rubin", maxwell_model(), &like_sm_103, &tensor_memory_async_rules};
  for (const assumed_row& a : assumed)
    if (a.name == name) {
      machine m{std::string(name), a.family, a.waves_of_64 ? cdna3_model() : rdna3_model(),
                a.waves_of_64 ? &like_cdna3 : &like_rdna3};
      m.wave_lanes = a.waves_of_64 ? 64 : 32;
      m.of_amd = true;
      return m;
    }
  return std::nullopt;
}

result<std::optional<std::string>> usual_name(std::string_view name) {
  using found = std::optional<std::string>;
  if (name.size() > 100) return found{};
  std::string plain = plain_name(name);
  for (const refused_row& r : refused)
    if (r.name == plain) return diagnostic{std::string(r.message), {}, spelled(r.hint)};
  for (bool again = true; again;) {
    for (const gpu_row& g : gpus)
      if (lists(g.names, ' ', plain)) return found{std::string(g.arch)};
    if (assumed_machine(plain)) return found{plain};
    again = false;
    for (const std::string_view ending : endings)
      if (plain.size() > ending.size() + 1 && plain.ends_with(ending)) {
        plain.erase(plain.size() - ending.size());
        again = true;
        break;
      }
  }
  if (auto number = capability(name)) {
    if (find_arch(number->c_str()) != nullptr) return found{*number};
    number->resize(number->find_last_of("0123456789") + 1);  // removes an "a" or "f" at the end
    if (assumed_machine(*number)) return found{*number};
  }
  return found{};
}

}  // namespace bankwise
