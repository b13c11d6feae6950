// The emulator against an H200, an instruction at a time. data/sm_90/probes.cubin.zst holds small kernels, about one
// for each form of an instruction; probes.bin.zst holds what an H200 computed with them (tests/probes/README.md).
//
// BANKWISE_PROBES=FILE.cubin runs those of another architecture instead: tests/probes/probes.py FOLDER sm_80.
//
// Every bit must be the same, but for the approximations of MUFU, whose tables are not public.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "base/float_bits.hpp"
#include "base/text.hpp"
#include "cubin/program.hpp"
#include "emulate/launch.hpp"
#include "probes/inputs.hpp"
#include "sass/print.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

// --- what does not agree ---

// Kernels with an instruction that is refused. The test fails when one of them runs.
const std::set<std::string> not_implemented = {};

// Kernels that run and give other bits, and why. The test fails when one of them agrees.
const std::map<std::string, std::string> known_differences = {};

// MUFU: the emulator rounds the exact function. How far the H200 was from it on these inputs, rounded up. Zeros,
// infinities and NaNs must be the same.
struct tolerance {
  std::string_view part;  // of the kernel's name; the first row that fits counts
  double ulps;            // units in the last place of the expected result
  double absolute = 0;    // or this far, whichever is more
};
constexpr tolerance tolerances[] = {
    {"tanh_approx_f32", 128},
    {"tanh_approx", 1},
    {"ex2_approx", 2},
    {"lg2_approx", 2, 0x1p-22},        // near 1
    {"sin_approx", 2, 0x1p-21},        // absolute, since the argument is cut to revolutions first
    {"cos_approx", 2, 0x1p-21},        //
    {"rcp_approx_ftz_f64", 0x1p32},    // the last place of the upper word
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

// The format stands at the top of tests/probes/measure.cpp.
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
  std::string error;  // of the emulator
  std::vector<std::uint32_t> words;
};

outcome emulate_probe(const cubin::program& p, const cubin::kernel& k, const measurement& m, std::uint32_t seed) {
  emulate::device_memory memory;
  if (const auto loaded = emulate::load_variables(p, memory); !loaded) return {to_text(loaded.error()), {}};
  const std::vector<unsigned char> inputs = probes::make_inputs(seed);
  const std::vector<std::uint32_t> untouched(probes::output_words, probes::untouched);
  const std::uint64_t in = memory.allocate(inputs.size(), "in").value();
  const std::uint64_t out = memory.allocate(untouched.size() * 4, "out").value();
  std::memcpy(memory.at(in, inputs.size()), inputs.data(), inputs.size());
  std::memcpy(memory.at(out, untouched.size() * 4), untouched.data(), untouched.size() * 4);

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
  if (const auto ran = emulate::run(l, memory, {}); !ran) return {to_text(ran.error()), {}};
  outcome o;
  o.words.resize(m.words.size());
  std::memcpy(o.words.data(), memory.at(out, o.words.size() * 4), o.words.size() * 4);
  return o;
}

// What the kernel does between its last operand and its first result.
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

// The value of a result, and one unit in its last place.
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

// The first word that differs, or nothing.
std::string difference(const measurement& m, const std::vector<std::uint32_t>& got) {
  const tolerance* t = tolerance_of(m.name);
  const std::string_view type = result_type(m.name);
  std::size_t differ = 0, first = 0;
  for (std::size_t n = 0; n < got.size(); ++n) {
    const std::uint32_t g = got[n], e = m.words[n];
    bool same = g == e;
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
                  std::to_string(first % each) + ": 0x" + hex(got[first], 8) + ", but the H200 gave 0x" +
                  hex(m.words[first], 8);
  return s;
}

// --- the test ---

class Probes : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* other = std::getenv("BANKWISE_PROBES");
    cubin_ = new std::string(other != nullptr ? test::read_text(other)
                                              : test::read_zstd(test::source_path("data/sm_90/probes.cubin.zst")));
    auto p = cubin::load_cubin({reinterpret_cast<const std::byte*>(cubin_->data()), cubin_->size()}, "probes.cubin");
    ASSERT_TRUE(p) << to_text(p.error());
    program_ = new cubin::program(std::move(*p));
    for (const cubin::kernel& k : program_->kernels) kernels_[k.mangled] = &k;
    measured_ = new measured_file(read_measurements(test::read_zstd(test::source_path("data/sm_90/probes.bin.zst"))));
  }

  static inline std::string* cubin_ = nullptr;
  static inline cubin::program* program_ = nullptr;
  static inline std::map<std::string, const cubin::kernel*> kernels_;
  static inline measured_file* measured_ = nullptr;
};

TEST_F(Probes, EveryKernelOfTheCubinWasMeasured) {
  EXPECT_EQ(measured_->kernels.size(), kernels_.size());
  for (const measurement& m : measured_->kernels) {
    EXPECT_TRUE(kernels_.contains(m.name)) << m.name;
    // Which of its places a warp gets is the GPU's choice.
    const unsigned worst = m.name == "warpid" ? 1 : 0;
    EXPECT_LE(m.status, worst) << m.name << ": 1 is unstable, more is 0x10000 + the CUDA error";
  }
}

TEST_F(Probes, TheEmulatorComputesWhatTheH200Computed) {
  int same = 0;
  for (const measurement& m : measured_->kernels) {
    if (m.status != 0 || !kernels_.contains(m.name)) continue;
    const cubin::kernel& k = *kernels_[m.name];
    const outcome o = emulate_probe(*program_, k, m, measured_->seed);
    if (!o.error.empty()) {
      EXPECT_TRUE(not_implemented.contains(m.name)) << m.name << ": " << o.error;
      continue;
    }
    EXPECT_FALSE(not_implemented.contains(m.name)) << m.name << " runs: take it off the list";
    const std::string d = difference(m, o.words);
    const bool known = known_differences.contains(m.name);
    if (d.empty())
      EXPECT_FALSE(known) << m.name << " agrees: take it off the list";
    else if (!known)
      ADD_FAILURE() << m.name << ": " << d << "\n" << main_instructions(*program_, k);
    same += d.empty();
  }
  RecordProperty("same", same);
}

TEST_F(Probes, TheListsNameKernelsThatExist) {
  for (const std::string& name : not_implemented) EXPECT_TRUE(kernels_.contains(name)) << name;
  for (const auto& [name, why] : known_differences) EXPECT_TRUE(kernels_.contains(name)) << name;
}

// --- mbarriers and bulk copies: not measured yet ---

// data/sm_90/barriers.cubin.zst, made by probes.py --barriers. Nobody has run it on a GPU: this is what PTX 9.0 says
// that its kernels compute and, for the bits of the state, what ptxas assumes where it makes and reads one.
struct barrier_probe {
  const char* name;
  std::array<std::uint32_t, 4> (*expected)(std::uint32_t lane, const std::vector<unsigned char>& inputs);
};

using words = std::array<std::uint32_t, 4>;
using bytes = std::vector<unsigned char>;

std::uint64_t state(std::uint64_t phase, std::uint64_t pending, std::uint64_t transactions, std::uint64_t expected) {
  constexpr std::uint64_t twenty = (1u << 20) - 1;
  return phase << 63 | ((0 - pending) & twenty) << 43 | (transactions & 0x3fffff) << 21 |
         ((0 - expected) & twenty) << 1;
}
std::uint32_t low(std::uint64_t s) { return static_cast<std::uint32_t>(s); }
std::uint32_t high(std::uint64_t s) { return static_cast<std::uint32_t>(s >> 32); }
words of(std::uint64_t s, std::uint32_t c, std::uint32_t d) { return {low(s), high(s), c, d}; }
words then(std::uint32_t a, std::uint32_t b, std::uint64_t s) { return {a, b, low(s), high(s)}; }
template <std::uint32_t count>
words init(std::uint32_t, const bytes&) {
  return of(state(0, count, 0, count), 0, 1);
}
// Word n of the random bytes that the copies read.
std::uint32_t raw(const bytes& inputs, std::size_t n) {
  std::uint32_t w = 0;
  std::memcpy(&w, inputs.data() + inputs.size() - 16 * std::size_t{probes::elements} + 4 * n, 4);
  return w;
}
template <std::uint32_t size>
words bulk(std::uint32_t lane, const bytes& inputs) {
  const std::uint32_t at = lane * 48 % size / 4;
  return then(raw(inputs, at), raw(inputs, at + 1), state(1, 1, 0, 1));
}
words cp_async(std::uint32_t lane, const bytes& inputs, std::uint32_t count) {
  const std::uint32_t at = (lane ^ 1) * 4 + 2;
  return then(raw(inputs, at), raw(inputs, at + 1), state(1, count, 0, count));
}

const barrier_probe barrier_probes[] = {
    {"mbarrier_init_1", init<1>},
    {"mbarrier_init_2", init<2>},
    {"mbarrier_init_32", init<32>},
    {"mbarrier_init_1000", init<1000>},
    {"mbarrier_init_1048575", init<1048575>},
    {"mbarrier_arrive", [](std::uint32_t i, const bytes&) { return then(100 - i, 0, state(0, 68, 0, 100)); }},
    {"mbarrier_arrive_completes", [](std::uint32_t i, const bytes&) { return then(32 - i, 1, state(1, 32, 0, 32)); }},
    {"mbarrier_arrive_count",
     [](std::uint32_t i, const bytes&) {
       std::uint32_t before = 0;
       for (std::uint32_t k = 0; k < i; ++k) before += k % 4 + 1;
       return then(200 - before, 0, state(0, 120, 0, 200));
     }},
    {"mbarrier_arrive_half", [](std::uint32_t, const bytes&) { return then(0, 0, state(0, 84, 0, 100)); }},
    {"mbarrier_arrive_drop", [](std::uint32_t i, const bytes&) { return then(64 - i, 0, state(0, 32, 0, 32)); }},
    {"mbarrier_arrive_drop_completes", [](std::uint32_t, const bytes&) { return then(0, 0, state(1, 0, 0, 0)); }},
    {"mbarrier_arrive_no_complete",
     [](std::uint32_t i, const bytes&) { return then(500 - 3 * i, 0, state(0, 404, 0, 500)); }},
    {"mbarrier_arrive_drop_no_complete",
     [](std::uint32_t i, const bytes&) { return then(500 - 3 * i, 0, state(0, 404, 0, 404)); }},
    {"mbarrier_arrive_expect_tx", [](std::uint32_t, const bytes&) { return of(state(0, 1, 7936, 33), 0, 1); }},
    {"mbarrier_expect_tx",
     [](std::uint32_t, const bytes&) {
       const std::uint64_t a = state(0, 1, 1048575, 1), b = state(0, 1, 0, 1);
       return words{low(a), high(a), low(b), high(b)};
     }},
    {"mbarrier_complete_tx_first",
     [](std::uint32_t, const bytes&) {
       const std::uint64_t a = state(0, 1, std::uint64_t{0} - 64, 1), b = state(1, 1, 0, 1);
       return words{low(a), high(a), low(b), high(b)};
     }},
    {"mbarrier_phases", [](std::uint32_t, const bytes&) { return of(state(1, 32, 0, 32), 1, 0); }},
    {"mbarrier_inval", [](std::uint32_t, const bytes&) { return of(state(0, 7, 0, 7), 0, 0); }},
    {"mbarrier_cp_async_arrive", [](std::uint32_t i, const bytes& in) { return cp_async(i, in, 32); }},
    {"mbarrier_cp_async_arrive_noinc", [](std::uint32_t i, const bytes& in) { return cp_async(i, in, 64); }},
    {"mbarrier_bulk_16", bulk<16>},
    {"mbarrier_bulk_512", bulk<512>},
    {"mbarrier_bulk_2048", bulk<2048>},
    {"mbarrier_bulk_out",
     [](std::uint32_t i, const bytes&) {
       return words{i, 16 * i, 0, 0};
     }},
};

TEST(BarrierProbes, ComputeWhatTheManualSays) {
  const std::string cubin = test::read_zstd(test::source_path("data/sm_90/barriers.cubin.zst"));
  const auto p = cubin::load_cubin({reinterpret_cast<const std::byte*>(cubin.data()), cubin.size()}, "barriers.cubin");
  ASSERT_TRUE(p) << to_text(p.error());
  const std::uint32_t seed = 1;
  const bytes inputs = probes::make_inputs(seed);
  for (const barrier_probe& b : barrier_probes) {
    const auto k = cubin::find_kernel(*p, b.name);
    ASSERT_TRUE(k) << b.name;
    const measurement m{b.name, 0, {1, 1, 1}, {32, 1, 1}, std::vector<std::uint32_t>(128)};
    const outcome o = emulate_probe(*p, **k, m, seed);
    ASSERT_EQ(o.error, "") << b.name;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      words got;
      std::copy_n(o.words.begin() + lane * 4, 4, got.begin());
      EXPECT_EQ(got, b.expected(lane, inputs)) << b.name << ", lane " << lane;
    }
  }
}

}  // namespace
}  // namespace bankwise
