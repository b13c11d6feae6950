// Names are compared without blanks, dashes, vendors and brands: "NVIDIA GeForce RTX 4090 Laptop GPU" is "rtx4090".
#include "expr/names/gpu_names.hpp"

#include <array>

#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

struct gpu_row {
  std::string_view name, arch;
};

// From CUDA's list of GPUs by compute capability, and from AMD's list of LLVM targets.
constexpr gpu_row gpus[] = {
    {"tegrak1", "sm_32"},
    {"k40", "sm_35"},
    {"k20", "sm_35"},
    {"k20x", "sm_35"},
    {"titanblack", "sm_35"},
    {"gtx780", "sm_35"},
    {"k80", "sm_37"},
    {"kepler", "sm_35"},
    {"k10", "sm_30"},
    {"gtx680", "sm_30"},
    {"gtx770", "sm_30"},
    {"gtx750", "sm_50"},
    {"m40", "sm_52"},
    {"m60", "sm_52"},
    {"m4", "sm_52"},
    {"gtx980", "sm_52"},
    {"gtx970", "sm_52"},
    {"gtx960", "sm_52"},
    {"titanx", "sm_52"},
    {"maxwell", "sm_52"},
    {"jetsonnano", "sm_53"},
    {"jetsontx1", "sm_53"},
    {"tx1", "sm_53"},
    {"p100", "sm_60"},
    {"gp100", "sm_60"},
    {"pascal", "sm_60"},
    {"p40", "sm_61"},
    {"p4", "sm_61"},
    {"p6", "sm_61"},
    {"gtx1080", "sm_61"},
    {"gtx1070", "sm_61"},
    {"gtx1060", "sm_61"},
    {"gtx1050", "sm_61"},
    {"titanxp", "sm_61"},
    {"gp102", "sm_61"},
    {"gp104", "sm_61"},
    {"p1000", "sm_61"},
    {"p2000", "sm_61"},
    {"p4000", "sm_61"},
    {"p5000", "sm_61"},
    {"p6000", "sm_61"},
    {"jetsontx2", "sm_62"},
    {"tx2", "sm_62"},
    {"v100", "sm_70"},
    {"gv100", "sm_70"},
    {"titanv", "sm_70"},
    {"volta", "sm_70"},
    {"xavier", "sm_72"},
    {"jetsonxavier", "sm_72"},
    {"agxxavier", "sm_72"},
    {"jetsonagxxavier", "sm_72"},
    {"xaviernx", "sm_72"},
    {"jetsonxaviernx", "sm_72"},
    {"t4", "sm_75"},
    {"t4g", "sm_75"},
    {"t1000", "sm_75"},
    {"t600", "sm_75"},
    {"titanrtx", "sm_75"},
    {"rtx2060", "sm_75"},
    {"rtx2070", "sm_75"},
    {"rtx2080", "sm_75"},
    {"gtx1650", "sm_75"},
    {"gtx1660", "sm_75"},
    {"rtx3000", "sm_75"},
    {"rtx4000", "sm_75"},
    {"rtx5000", "sm_75"},
    {"rtx6000", "sm_75"},
    {"rtx8000", "sm_75"},
    {"tu102", "sm_75"},
    {"tu104", "sm_75"},
    {"tu106", "sm_75"},
    {"turing", "sm_75"},
    {"a100", "sm_80"},
    {"a100x", "sm_80"},
    {"a800", "sm_80"},
    {"a30", "sm_80"},
    {"a30x", "sm_80"},
    {"ga100", "sm_80"},
    {"ampere", "sm_80"},
    {"a40", "sm_86"},
    {"a10", "sm_86"},
    {"a10g", "sm_86"},
    {"a10m", "sm_86"},
    {"a16", "sm_86"},
    {"a2", "sm_86"},
    {"a2000", "sm_86"},
    {"a3000", "sm_86"},
    {"a4000", "sm_86"},
    {"a4500", "sm_86"},
    {"a5000", "sm_86"},
    {"a5500", "sm_86"},
    {"a6000", "sm_86"},
    {"rtxa2000", "sm_86"},
    {"rtxa3000", "sm_86"},
    {"rtxa4000", "sm_86"},
    {"rtxa4500", "sm_86"},
    {"rtxa5000", "sm_86"},
    {"rtxa5500", "sm_86"},
    {"rtxa6000", "sm_86"},
    {"rtx3050", "sm_86"},
    {"rtx3060", "sm_86"},
    {"rtx3070", "sm_86"},
    {"rtx3080", "sm_86"},
    {"rtx3090", "sm_86"},
    {"ga102", "sm_86"},
    {"ga104", "sm_86"},
    {"ga106", "sm_86"},
    {"orin", "sm_87"},
    {"jetsonorin", "sm_87"},
    {"agxorin", "sm_87"},
    {"jetsonagxorin", "sm_87"},
    {"orinnano", "sm_87"},
    {"jetsonorinnano", "sm_87"},
    {"orinnx", "sm_87"},
    {"jetsonorinnx", "sm_87"},
    {"l4", "sm_89"},
    {"l40", "sm_89"},
    {"l40s", "sm_89"},
    {"l40g", "sm_89"},
    {"l20", "sm_89"},
    {"l2", "sm_89"},
    {"rtx4050", "sm_89"},
    {"rtx4060", "sm_89"},
    {"rtx4070", "sm_89"},
    {"rtx4080", "sm_89"},
    {"rtx4090", "sm_89"},
    {"rtx2000ada", "sm_89"},
    {"rtx4000ada", "sm_89"},
    {"rtx4500ada", "sm_89"},
    {"rtx5000ada", "sm_89"},
    {"rtx6000ada", "sm_89"},
    {"rtx2000adageneration", "sm_89"},
    {"rtx4000adageneration", "sm_89"},
    {"rtx5000adageneration", "sm_89"},
    {"rtx6000adageneration", "sm_89"},
    {"ad102", "sm_89"},
    {"ad104", "sm_89"},
    {"ada", "sm_89"},
    {"adalovelace", "sm_89"},
    {"lovelace", "sm_89"},
    {"h100", "sm_90"},
    {"h200", "sm_90"},
    {"h800", "sm_90"},
    {"h20", "sm_90"},
    {"gh200", "sm_90"},
    {"gh100", "sm_90"},
    {"gracehopper", "sm_90"},
    {"hopper", "sm_90"},
    {"b200", "sm_100"},
    {"b100", "sm_100"},
    {"gb200", "sm_100"},
    {"gb100", "sm_100"},
    {"b300", "sm_103"},
    {"gb300", "sm_103"},
    {"blackwellultra", "sm_103"},
    {"thor", "sm_110"},
    {"jetsonthor", "sm_110"},
    {"agxthor", "sm_110"},
    {"jetsonagxthor", "sm_110"},
    {"rtx5050", "sm_120"},
    {"rtx5060", "sm_120"},
    {"rtx5070", "sm_120"},
    {"rtx5080", "sm_120"},
    {"rtx5090", "sm_120"},
    {"rtxpro6000", "sm_120"},
    {"rtxpro6000blackwell", "sm_120"},
    {"rtxpro5000", "sm_120"},
    {"rtxpro4500", "sm_120"},
    {"rtxpro4000", "sm_120"},
    {"rtxpro2000", "sm_120"},
    {"gb202", "sm_120"},
    {"gb203", "sm_120"},
    {"gb10", "sm_121"},
    {"dgxspark", "sm_121"},
    {"spark", "sm_121"},
    {"mi300", "cdna3"},
    {"mi300x", "cdna3"},
    {"mi300a", "cdna3"},
    {"mi308x", "cdna3"},
    {"mi325x", "cdna3"},
    {"mi325", "cdna3"},
    {"gfx940", "cdna3"},
    {"gfx941", "cdna3"},
    {"gfx942", "cdna3"},
    {"cdna3", "cdna3"},
    {"gfx950", "cdna4"},
    {"cdna4", "cdna4"},
    {"mi350", "cdna4"},
    {"mi350x", "cdna4"},
    {"mi355", "cdna4"},
    {"mi355x", "cdna4"},
    {"rdna3", "rdna3"},
    {"gfx1100", "rdna3"},
    {"gfx1101", "rdna3"},
    {"gfx1102", "rdna3"},
    {"gfx1103", "rdna3"},
    {"rx7900", "rdna3"},
    {"rx7800", "rdna3"},
    {"rx7700", "rdna3"},
    {"rx7600", "rdna3"},
    {"w7900", "rdna3"},
    {"w7800", "rdna3"},
    {"780m", "rdna3"},
    {"mi100", "gfx908"},
    {"cdna1", "gfx908"},
    {"cdna", "gfx908"},
    {"mi200", "gfx90a"},
    {"mi210", "gfx90a"},
    {"mi250", "gfx90a"},
    {"mi250x", "gfx90a"},
    {"cdna2", "gfx90a"},
    {"mi50", "gfx906"},
    {"mi60", "gfx906"},
    {"vega20", "gfx906"},
    {"radeonvii", "gfx906"},
    {"vega", "gfx900"},
    {"vega64", "gfx900"},
    {"rdna2", "gfx1030"},
    {"rx6900", "gfx1030"},
    {"rx6800", "gfx1030"},
    {"rx6700", "gfx1031"},
    {"rx6600", "gfx1032"},
    {"rdna35", "gfx1150"},
    {"strixpoint", "gfx1150"},
    {"strixhalo", "gfx1151"},
    {"ryzenaimax", "gfx1151"},
    {"8060s", "gfx1151"},
    {"rdna4", "rdna4"},
    {"gfx1200", "rdna4"},
    {"gfx1201", "rdna4"},
    {"rx9070", "rdna4"},
    {"rx9060", "rdna4"},
    {"r9700", "rdna4"},
    {"radeonaipror9700", "rdna4"},
    {"aipror9700", "rdna4"},
};

// Names that several different GPUs have, and the name to use instead.
struct refused_row {
  std::string_view name, message, hint;
};
constexpr refused_row refused[] = {
    {"blackwell", "'blackwell' is sm_100 (B200), sm_103 (B300), sm_110 (Thor), sm_120 (RTX 50) and sm_121 (GB10)",
     "choose one, such as {arch=sm_100} or {arch=RTX 5090}"},
    {"gfx1250", "no rule is known for gfx1250", "ask about a known one, such as {arch=gfx950} or {arch=gfx1201}"},
    {"gfx1251", "no rule is known for gfx1251", "ask about a known one, such as {arch=gfx950} or {arch=gfx1201}"},
    {"rubin", "no rule is known for Rubin", "{arch=sm_107} assumes the rule of sm_103"},
};

// AMD targets that are assumed to follow a rule that AMD published for others.
constexpr rulebook assumed_of(const rulebook& of, const char* source) {
  rulebook r = of;
  for (rule_source& s : r.by_group)
    if (s.level != evidence::none) s = {evidence::assumed, source};
  return r;
}
constexpr rulebook like_cdna3 =
    assumed_of(cdna3_rules, "like CDNA 3, whose rule AMD published; no rule is known for this GPU");
constexpr rulebook like_rdna3 =
    assumed_of(rdna3_rules, "like RDNA 3, whose rule AMD published; no rule is known for this GPU");
// cuBLASDx's manual: "SM107 uses the SM103 instruction set". PTX has it since version 9.4 (CUDA 13.4).
constexpr rulebook like_sm_103 =
    assumed_of(blackwell_rules, "like sm_103, by cuBLASDx's manual; no rule is known for this GPU");
struct assumed_row {
  std::string_view name;
  const char* family;
  bool waves_of_64;
};
constexpr assumed_row assumed[] = {
    {"gfx900", "Vega, half a wave", true},        {"gfx906", "Vega 20, half a wave", true},
    {"gfx908", "CDNA, half a wave", true},        {"gfx90a", "CDNA 2, half a wave", true},
    {"gfx1030", "RDNA 2, a wave of 32", false},   {"gfx1031", "RDNA 2, a wave of 32", false},
    {"gfx1032", "RDNA 2, a wave of 32", false},   {"gfx1034", "RDNA 2, a wave of 32", false},
    {"gfx1150", "RDNA 3.5, a wave of 32", false}, {"gfx1151", "RDNA 3.5, a wave of 32", false},
    {"gfx1152", "RDNA 3.5, a wave of 32", false},
};

// Suffixes of product names that make no difference.
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

// "8.6", "sm86", "compute_80", "cc 8.6", "86": the number of a compute capability.
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
  // 35.8 is a mode of Kepler's banks, which parse_machine knows under its own name.
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
      if (g.name == plain) return found{std::string(g.arch)};
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
    number->resize(number->find_last_of("0123456789") + 1);  // without "a" or "f"
    if (assumed_machine(*number)) return found{*number};
  }
  return found{};
}

}  // namespace bankwise
