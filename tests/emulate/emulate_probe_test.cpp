// Compares the emulator with an H200, one instruction at a time. data/sm_90/probes.cubin.zst contains small kernels,
// about one for each form of an instruction. probes.bin.zst contains the results of an H200 (tests/probes/README.md).
//
// BANKWISE_PROBES=FILE.cubin runs the probes of a different architecture instead. tests/probes/probes.py FOLDER sm_80
// makes this file. BANKWISE_MATRICES=FILE.cubin runs the matrix products of another architecture.
// tests/probes/probes.py --matrices FOLDER sm_80 makes this file.
//
// Every bit must be the same, except in the approximations of MUFU, whose tables are not public.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "base/csv.hpp"
#include "base/float_bits.hpp"
#include "base/text.hpp"
#include "cubin/load_cubin.hpp"
#include "cubin/program.hpp"
#include "emulate/launch/launch.hpp"
#include "emulate/memory/tensor_map.hpp"
#include "probes/inputs.hpp"
#include "profile/profile_launch.hpp"
#include "sass/print/print.hpp"
#include "support/counting_check.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

// --- known differences ---

// Kernels with an instruction that the emulator refuses. The test fails if the emulator runs one of these kernels.
const std::set<std::string> not_implemented = {};

// Kernels whose results differ from the results of the H200, with the reason. The test fails if a result agrees.
const std::map<std::string, std::string> known_differences = {
    {"wgmma_sp_e4m3_registers", "two of 1,024 sums of bytes with wide exponents are cut at another place"}};

// For MUFU, the emulator rounds the exact result, but the GPU approximates the result. The rows contain the largest
// difference on these inputs, rounded up. Zeros, infinities and NaNs must be the same.
struct tolerance {
  std::string_view part;  // a part of the kernel's name; the first row that matches is used
  double ulps;            // units in the last place of the expected result
  double absolute = 0;    // the largest allowed absolute difference, if this difference is more than `ulps`
};
constexpr tolerance tolerances[] = {
    {"tanh_approx_f32", 128},
    {"tanh_approx", 1},
    {"ex2_approx", 2},
    {"lg2_approx", 2, 0x1p-22},        // near 1
    {"sin_approx", 2, 0x1p-21},        // an absolute limit, because the argument is first divided by 2 pi
    {"cos_approx", 2, 0x1p-21},        //
    {"rcp_approx_ftz_f64", 0x1p32},    // one unit in the last place of the upper word
    {"rsqrt_approx_ftz_f64", 0x1p32},  //
    {"rsqrt_approx", 1},
    {"rcp_approx", 1},
    {"rcp_neg_abs_approx", 1},
    {"sqrt_approx", 1},
    {"div_full_approx", 1},
    {"div_approx", 1},
};

const tolerance* tolerance_of(const std::string& name) {
  for (const tolerance& t : tolerances)
    if (name.find(t.part) != std::string::npos) return &t;
  return nullptr;
}

// --- the measured file ---

struct measurement {
  std::string name;
  std::uint32_t status = 0;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::vector<std::uint32_t> words;
};

struct measured_file {
  std::uint32_t seed = 0;
  std::vector<measurement> kernels;
};

// The format is described at the top of tests/probes/measure.cpp.
measured_file read_measurements(const std::string& bytes) {
  measured_file f;
  std::size_t at = 8;
  const auto word = [&] {
    std::uint32_t w = 0;
    if (at + 4 <= bytes.size()) std::memcpy(&w, bytes.data() + at, 4);
    at += 4;
    return w;
  };
  if (bytes.substr(0, 8) != "BWPROBE1") return f;
  f.seed = word();
  f.kernels.resize(word());
  for (measurement& m : f.kernels) {
    m.status = word();
    for (std::uint32_t& n : m.grid) n = word();
    for (std::uint32_t& n : m.block) n = word();
    const std::uint32_t words = word(), name_bytes = word();
    m.name = bytes.substr(std::min(at, bytes.size()), name_bytes);
    at += (name_bytes + 3) / 4 * 4;
    if (m.status > 1) continue;
    m.words.resize(words);
    for (std::uint32_t& w : m.words) w = word();
  }
  EXPECT_EQ(at, bytes.size()) << "probes.bin is cut off";
  return f;
}

// --- running a kernel ---

struct outcome {
  std::string error;  // the emulator's error message
  std::vector<std::uint32_t> words;
  emulate::fault_kind fault = emulate::fault_kind::none;
};

// Makes the tensor map of a kernel for data at this address.
emulate::tensor_map map_at(const probes::tensor_map& from, std::uint64_t address) {
  emulate::tensor_map t;
  t.address = address;
  t.dimensions = from.dimensions;
  t.type = static_cast<emulate::tensor_type>(from.type);
  t.swizzle = static_cast<emulate::tensor_swizzle>(from.swizzle);
  t.fills_with_nan = from.fill != 0;
  for (unsigned i = 0; i < from.dimensions; ++i) {
    t.size[i] = from.size[i];
    t.stride[i] = i == 0 ? 0 : from.stride[i - 1];
    t.box[i] = from.box[i];
    t.element_stride[i] = from.element_stride[i];
  }
  return t;
}

// Returns the launch with its parameters, and the address of its output.
result<std::pair<emulate::launch, std::uint64_t>> prepare_probe(const cubin::program& p, const cubin::kernel& k,
                                                                const measurement& m, std::uint32_t seed,
                                                                emulate::device_memory& memory) {
  if (const auto loaded = emulate::load_variables(p, memory); !loaded) return loaded.error();
  const std::vector<unsigned char> inputs = probes::make_inputs(seed);
  const std::vector<std::uint32_t> untouched(probes::output_words, probes::untouched);
  const std::uint64_t in = memory.allocate(inputs.size(), "in").value();
  const std::uint64_t out = memory.allocate(untouched.size() * 4, "out").value();
  std::memcpy(memory.bytes_at(in, inputs.size()), inputs.data(), inputs.size());
  std::memcpy(memory.bytes_at(out, untouched.size() * 4), untouched.data(), untouched.size() * 4);

  emulate::launch l;
  l.program = &p;
  l.kernel = &k;
  l.grid = m.grid;
  l.block = m.block;
  l.budget = 1 << 22;
  l.threads = 1;
  const probes::by_value values = probes::make_by_value();
  l.parameters.resize(16 + sizeof values);
  std::memcpy(l.parameters.data(), &in, 8);
  std::memcpy(l.parameters.data() + 8, &out, 8);
  std::memcpy(l.parameters.data() + 16, &values, sizeof values);
  if (const int number = probes::map_of(k.mangled.c_str()); number >= 0) {
    const probes::tensor_map& t = probes::tensor_maps[number];
    const emulate::tensor_map_words map = encode(map_at(t, t.out != 0 ? out : in));
    l.parameters.resize(k.params.back().offset + sizeof map);
    std::memcpy(l.parameters.data() + k.params.back().offset, map.data(), sizeof map);
  }
  return std::pair{l, out};
}

outcome emulate_probe(const cubin::program& p, const cubin::kernel& k, const measurement& m, std::uint32_t seed,
                      bool checks_operands = false) {
  emulate::device_memory memory;
  auto prepared = prepare_probe(p, k, m, seed, memory);
  if (!prepared) return {to_text(prepared.error()), {}};
  emulate::fault_kind fault{};
  prepared->first.fault = &fault;
  test::set_instruction_use(prepared->first);
  prepared->first.checks_operands = checks_operands;
  const auto ran = emulate::run_launch(prepared->first, memory, {});
  if (!ran) return {to_text(ran.error()), {}, fault};
  if (ran->stopped != emulate::stop_reason::none) return {to_text(ran->stopped_at), {}, emulate::fault_kind::timeout};
  outcome o;
  o.words.resize(m.words.size());
  std::memcpy(o.words.data(), memory.bytes_at(prepared->second, o.words.size() * 4), o.words.size() * 4);
  if (!test::checks_counting()) return o;
  const test::counting_outcome alone = test::count_without_results([&](const test::launch_use& use) {
    emulate::device_memory again;
    if (auto once_more = prepare_probe(p, k, m, seed, again); once_more) use(once_more->first, again);
  });
  if (!alone.difference.empty()) return {alone.difference, {}, {}};
  return o;
}

// Returns the instructions of the kernel between the load of its last operand and the store of its first result.
std::string main_instructions(const cubin::program& p, const cubin::kernel& k) {
  const cubin::code_section& code = p.sections[k.section];
  std::vector<std::string> lines;
  std::size_t first = 0, last = 0;
  for (std::uint32_t pc = 0; pc < k.code_bytes; pc += cubin::instruction_bytes) {
    const std::string line =
        sass::to_text(sass::load_instruction(code.bytes.data() + k.offset + pc, sass::isa_of(p.sm)), pc);
    if (line == "NOP" || line.starts_with("BRA 0x" + hex(pc))) break;
    if (line.find("LDG") != std::string::npos && last == 0) first = lines.size() + 1;
    if (line.find("STG") != std::string::npos && last == 0) last = lines.size();
    lines.push_back("    /*" + hex(pc, 4) + "*/  " + line);
  }
  std::string s;
  constexpr std::size_t most = 16;
  for (std::size_t n = first; n < last && n < first + most; ++n) s += lines[n] + "\n";
  return last > first + most ? s + "    ...\n" : s;
}

// --- comparing ---

// The value of a result, and the size of one unit in its last place.
struct number {
  double value;
  double unit;
};
number number_of(std::uint64_t bits, std::string_view type) {
  const auto unit = [](double d, int fraction_bits, int low) {
    return std::ldexp(1.0, std::max(std::isfinite(d) && d != 0 ? std::ilogb(d) : low, low) - fraction_bits);
  };
  if (type == "f64") return {double_of_bits(bits), unit(double_of_bits(bits), 52, -1022)};
  if (type == "f32") {
    const double d = float_of_bits(static_cast<std::uint32_t>(bits));
    return {d, unit(d, 23, -126)};
  }
  if (type == "bf16") {
    const double d = float_of_bfloat16(static_cast<std::uint16_t>(bits));
    return {d, unit(d, 7, -126)};
  }
  const double d = float_of_half(static_cast<std::uint16_t>(bits));
  return {d, unit(d, 10, -14)};
}

bool is_close(std::uint64_t got, std::uint64_t expected, std::string_view type, const tolerance& t) {
  if (got == expected) return true;
  const number g = number_of(got, type), e = number_of(expected, type);
  if (!std::isfinite(g.value) || !std::isfinite(e.value)) return false;
  if ((g.value == 0 || e.value == 0) && t.absolute == 0) return false;
  return std::fabs(g.value - e.value) <= std::max(t.ulps * e.unit, t.absolute);
}

std::string_view result_type(const std::string& name) {
  for (const std::string_view type : {"bf16", "f16", "f64"})
    if (name.find(type) != std::string::npos) return type;
  return "f32";
}

// Returns a mask of the defined bits of a result. The upper half of the result of set.f16.f16 is not defined: sm_90's
// code does not write this half, and sm_120's code does.
std::uint32_t defined_bits(const std::string& name) {
  return name.starts_with("set_") && (name.ends_with("_f16_f16") || name.ends_with("_bf16_bf16")) ? 0xffff : ~0u;
}

// Describes the first word that differs, or returns an empty text.
std::string difference(const measurement& m, const std::vector<std::uint32_t>& got) {
  const tolerance* t = tolerance_of(m.name);
  const std::uint32_t defined = defined_bits(m.name);
  const std::string_view type = result_type(m.name);
  std::size_t differ = 0, first = 0;
  for (std::size_t n = 0; n < got.size(); ++n) {
    const std::uint32_t g = got[n], e = m.words[n];
    bool same = ((g ^ e) & defined) == 0;
    if (!same && t != nullptr) {
      const auto wide = [&](const std::vector<std::uint32_t>& w) {
        return std::uint64_t{w[n | 1]} << 32 | w[n & ~std::size_t{1}];
      };
      same = type == "f64"   ? is_close(wide(got), wide(m.words), type, *t)
             : type == "f32" ? is_close(g, e, type, *t)
                             : is_close(g & 0xffff, e & 0xffff, type, *t) && is_close(g >> 16, e >> 16, type, *t);
    }
    if (!same && differ++ == 0) first = n;
  }
  if (differ == 0) return {};
  const std::size_t threads = std::size_t{m.block[0]} * m.block[1] * m.block[2] * m.grid[0] * m.grid[1] * m.grid[2];
  const std::size_t each = m.words.size() / threads;
  std::string s = std::to_string(differ) + " of " + std::to_string(got.size()) + " words differ; first at thread " +
                  std::to_string(first / each) + " (lane " + std::to_string(first / each % 32) + "), word " +
                  std::to_string(first % each) + ": 0x" + hex(got[first], 8) + ", but the GPU gave 0x" +
                  hex(m.words[first], 8);
  return s;
}

// --- the test ---

struct probe_set {
  std::string bytes;  // the file's bytes, to which the program refers
  cubin::program program;
  std::map<std::string, const cubin::kernel*> kernels;
  measured_file measured;
};

// Reads data/sm_90/NAME.bin.zst and data/ARCH/NAME.cubin.zst. If the path `other` is given, reads the cubin from there
// instead.
std::unique_ptr<probe_set> read_probes(const std::string& name, const char* other = nullptr,
                                       const std::string& arch = "sm_90") {
  auto set = std::make_unique<probe_set>();
  set->bytes = other != nullptr ? test::read_text(other)
                                : test::read_zstd(test::source_path("data/" + arch + "/" + name + ".cubin.zst"));
  auto p =
      cubin::load_cubin({reinterpret_cast<const std::byte*>(set->bytes.data()), set->bytes.size()}, name + ".cubin");
  if (!p) {
    ADD_FAILURE() << to_text(p.error());
    return nullptr;
  }
  set->program = std::move(*p);
  for (const cubin::kernel& k : set->program.kernels) set->kernels[k.mangled] = &k;
  set->measured = read_measurements(test::read_zstd(test::source_path("data/sm_90/" + name + ".bin.zst")));
  return set;
}

// The name "map_12" means the driver's encoding of tensor map 12, not a kernel.
int number_of_map(const measurement& m) { return m.name.starts_with("map_") ? std::stoi(m.name.substr(4)) : -1; }

constexpr std::uint32_t illegal_instruction = 0x10000 + 715;

void expect_all_measured(const probe_set& set) {
  const auto maps = std::count_if(set.measured.kernels.begin(), set.measured.kernels.end(),
                                  [](const auto& m) { return number_of_map(m) >= 0; });
  EXPECT_EQ(set.measured.kernels.size() - static_cast<std::size_t>(maps), set.kernels.size());
  for (const measurement& m : set.measured.kernels) {
    if (number_of_map(m) >= 0) continue;
    EXPECT_TRUE(set.kernels.contains(m.name)) << m.name;
    // The GPU chooses the number of each warp, so this kernel may be unstable (status 1).
    const unsigned worst = m.name == "warpid" ? 1 : 0;
    EXPECT_TRUE(m.status <= worst || m.status == illegal_instruction)
        << m.name << ": status 1 means unstable, and a higher status is 0x10000 + the CUDA error";
  }
}

// Compares the results of all kernels with the measured results. Returns the number of compared kernels.
int expect_measured_results(const probe_set& set, bool checks_operands = false) {
  int same = 0;
  for (const measurement& m : set.measured.kernels) {
    if (const int map = number_of_map(m); map >= 0) {
      constexpr std::uint64_t address = 0x100000;
      const emulate::tensor_map made = map_at(probes::tensor_maps[map], address);
      const emulate::tensor_map_words words = encode(made);
      EXPECT_TRUE(std::equal(words.begin(), words.end(), m.words.begin(), m.words.end())) << m.name;
      EXPECT_FALSE(problem_of(made)) << m.name;
      continue;
    }
    const auto k = set.kernels.find(m.name);
    if (m.status == illegal_instruction && k != set.kernels.end()) {
      EXPECT_EQ(emulate_probe(set.program, *k->second, m, set.measured.seed).fault,
                emulate::fault_kind::illegal_instruction)
          << m.name;
      continue;
    }
    if (m.status != 0 || k == set.kernels.end()) continue;
    const outcome o = emulate_probe(set.program, *k->second, m, set.measured.seed, checks_operands);
    if (!o.error.empty()) {
      EXPECT_TRUE(not_implemented.contains(m.name)) << m.name << ": " << o.error;
      continue;
    }
    EXPECT_FALSE(not_implemented.contains(m.name)) << m.name << " runs now: remove the kernel from the list";
    const std::string d = difference(m, o.words);
    const bool known = known_differences.contains(m.name);
    if (d.empty())
      EXPECT_FALSE(known) << m.name << " agrees now: remove the kernel from the list";
    else if (!known)
      ADD_FAILURE() << m.name << ": " << d << "\n" << main_instructions(set.program, *k->second);
    same += d.empty();
  }
  return same;
}

class Probes : public testing::Test {
 protected:
  static void SetUpTestSuite() { probes_ = read_probes("probes", std::getenv("BANKWISE_PROBES")).release(); }
  void SetUp() override { ASSERT_NE(probes_, nullptr); }

  static inline probe_set* probes_ = nullptr;
};

TEST_F(Probes, EveryKernelOfTheCubinWasMeasured) { expect_all_measured(*probes_); }

TEST_F(Probes, TheEmulatorComputesWhatTheH200Computed) { RecordProperty("same", expect_measured_results(*probes_)); }

// Runs each kernel in a mode in which each instruction sees only the registers that its operands name. The results must
// not change.
TEST_F(Probes, InstructionsReadAndWriteWhatTheirRowsName) { expect_measured_results(*probes_, true); }

TEST_F(Probes, TheListsNameKernelsThatExist) {
  for (const std::string& name : not_implemented) EXPECT_TRUE(probes_->kernels.contains(name)) << name;
  const auto sparse = read_probes("sparse_wgmma");
  ASSERT_NE(sparse, nullptr);
  for (const auto& [name, why] : known_differences)
    EXPECT_TRUE(probes_->kernels.contains(name) || sparse->kernels.contains(name)) << name;
}

// Probes that were measured later, on an H100 or (clusters and tensor copies) on an H200. "movm" is one kernel. ptxas
// makes the instruction of this kernel only for sm_100, so the instruction was patched into sm_90's code.
class MoreProbes : public testing::TestWithParam<const char*> {};

const char* other_cubin(const std::string& name) {
  return name == "matrices" ? std::getenv("BANKWISE_MATRICES") : nullptr;
}

TEST_P(MoreProbes, TheEmulatorComputesWhatTheGpuComputed) {
  const auto set = read_probes(GetParam(), other_cubin(GetParam()));
  ASSERT_NE(set, nullptr);
  if (other_cubin(GetParam()) == nullptr) expect_all_measured(*set);
  RecordProperty("same", expect_measured_results(*set));
}
TEST_P(MoreProbes, InstructionsReadAndWriteWhatTheirRowsName) {
  const auto set = read_probes(GetParam(), other_cubin(GetParam()));
  ASSERT_NE(set, nullptr);
  expect_measured_results(*set, true);
}

// Matrix products in code for other architectures: Volta's shape, 8-bit numbers and uniform floats. The expected
// results come from an H100, because any hardware adds these numbers exactly.
class OtherArchitectures : public testing::TestWithParam<const char*> {
 protected:
  static void expect_the_same(bool checks_operands) {
    const auto set = read_probes("matrices", nullptr, GetParam());
    ASSERT_NE(set, nullptr);
    EXPECT_EQ("sm_" + std::to_string(set->program.sm), GetParam());
    EXPECT_EQ(expect_measured_results(*set, checks_operands), set->kernels.size());
  }
};

TEST_P(OtherArchitectures, ComputeWhatTheH100Computed) { expect_the_same(false); }
TEST_P(OtherArchitectures, InstructionsReadAndWriteWhatTheirRowsName) { expect_the_same(true); }

// data/sm_90/wgmma.csv and sparse_wgmma.csv have one wgmma for each kernel, as on Nsight Compute's source page.
class WarpGroups : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(WarpGroups, CostWhatNsightComputeCounted) {
  const auto [name, kernels] = GetParam();
  const auto set = read_probes(name);
  ASSERT_NE(set, nullptr);
  std::map<std::string, const measurement*> launches;
  for (const measurement& m : set->measured.kernels) launches[m.name] = &m;
  const auto on = parse_machine("sm_90");
  ASSERT_TRUE(on);
  const std::string text = test::read_text(test::source_path("data/sm_90/" + std::string(name) + ".csv"));
  csv_reader csv(text, name);
  csv.next().value();  // skips the columns kernel, sass, executed, wavefronts, ideal
  int rows = 0;
  while (const auto fields = csv.next().value()) {
    const std::string kernel((*fields)[0].text);
    SCOPED_TRACE(kernel);
    ASSERT_TRUE(launches.contains(kernel));
    emulate::device_memory memory;
    const auto prepared =
        prepare_probe(set->program, *set->kernels.at(kernel), *launches[kernel], set->measured.seed, memory);
    ASSERT_TRUE(prepared) << to_text(prepared.error());
    const auto report = profile_launch(prepared->first, memory, *on);
    ASSERT_TRUE(report) << to_text(report.error());
    int sites = 0;
    for (const site& s : report->sites) {
      if (s.async.kind != async_kind::wgmma) continue;
      ++sites;
      const auto number = [&](std::size_t i) { return parse_u64((*fields)[i].text).value(); };
      EXPECT_EQ(s.sass, (*fields)[1].text);
      EXPECT_EQ(s.op.spelling, "wgmma");
      EXPECT_EQ(s.executed, number(2));
      EXPECT_EQ(s.lanes, 32 * s.executed);
      EXPECT_EQ(s.wavefronts, number(3));
      EXPECT_EQ(s.ideal, number(4));
      EXPECT_EQ(excess(s), 0u);
      EXPECT_EQ(removable(s), 0u);
      EXPECT_EQ(s.bytes, 128 * s.wavefronts);
      EXPECT_EQ(s.cycles, std::max(s.wavefronts, s.passes));
      EXPECT_EQ(s.rule.level, evidence::measured);
    }
    EXPECT_EQ(sites, 1);
    ++rows;
  }
  EXPECT_EQ(rows, kernels);
}

INSTANTIATE_TEST_SUITE_P(Of, WarpGroups, testing::Values(std::pair("wgmma", 85), std::pair("sparse_wgmma", 42)),
                         [](const auto& set) { return std::string(set.param.first); });
INSTANTIATE_TEST_SUITE_P(Of, MoreProbes,
                         testing::Values("barriers", "wgmma", "sparse_wgmma", "clusters", "tma", "matrices", "movm"),
                         [](const auto& set) { return std::string(set.param); });
INSTANTIATE_TEST_SUITE_P(Of, OtherArchitectures, testing::Values("sm_75", "sm_80", "sm_89", "sm_100", "sm_120"),
                         [](const auto& arch) { return std::string(arch.param); });

}  // namespace
}  // namespace bankwise
