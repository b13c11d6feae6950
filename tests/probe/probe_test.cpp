// Tests the probe without a GPU: simulated machines return measurements as a GPU does, and the kernels run on the CPU.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "base/system/scratch_folder.hpp"
#include "base/text.hpp"
#include "gpu/probe/compare.hpp"
#include "gpu/probe/discover.hpp"
#include "gpu/probe/evidence.hpp"
#include "gpu/probe/kernels.hpp"
#include "gpu/probe/patterns.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise::probe {
namespace {

// --- the machine is invented, word by word, without the rule's code

struct invented {
  const char* name;
  u32 banks, bank_bytes, row_bytes;
  std::map<u32, std::vector<u32>> phases;  // by width: lanes of each phase; other widths have all lanes in one phase
  std::vector<u32> partners;               // each x for which loads merge phases if lanes i and i ^ x agree
  double clocks = 1, floor = 1;            // clocks of a wavefront, and minimum clocks of an access
  double scatter = 0;                      // random error as a fraction of the clocks
};

u32 turns_of(const invented& m, const access& a, u32 lanes) {
  const bool share = a.op.kind != op_kind::atomic;
  std::vector<std::map<u32, u32>> rows(m.banks);  // by bank and row: number of lanes that access the row
  for (u32 i = 0; i < 32; ++i) {
    if ((lanes >> i & 1) == 0) continue;
    std::set<std::pair<u32, u32>> cells;
    for (u32 b = a.address[i]; b < a.address[i] + a.op.width_bytes; ++b)
      cells.emplace(b / m.bank_bytes % m.banks, b / (m.row_bytes * m.banks));
    for (const auto& [bank, row] : cells) ++rows[bank][row];
  }
  u32 most = 0;
  for (const auto& bank : rows) {
    u32 turns = 0;
    for (const auto& [row, wanting] : bank) turns += share ? 1 : wanting;
    most = std::max(most, turns);
  }
  return most;
}

double clocks_of(const invented& m, const access& a, u32& state) {
  std::vector<u32> phases{full_mask};
  if (const auto p = m.phases.find(a.op.width_bytes); p != m.phases.end()) phases = p->second;
  bool merged = false;
  if (a.op.kind == op_kind::load && phases.size() > 1)
    for (const u32 x : m.partners) {
      bool same = true;
      for (u32 i = 0; i < 32; ++i)
        same = same && ((a.mask >> i & 1) == 0 || (a.mask >> (i ^ x) & 1) == 0 || a.address[i] == a.address[i ^ x]);
      merged = merged || same;
    }
  double clocks = 0;
  for (std::size_t i = 0; i < phases.size(); i += merged ? 2 : 1)
    clocks += m.clocks * turns_of(m, a, a.mask & (merged ? phases[i] | phases[i + 1] : phases[i]));
  const double floor = m.floor * static_cast<double>(phases.size()) / (merged ? 2 : 1);
  state = state * 1664525 + 1013904223;
  return std::max(clocks, floor) * (1 + m.scatter * ((state >> 16) / 65536.0 - 0.5));
}

meter meter_of(const invented& m) {
  const auto state = std::make_shared<u32>(1);
  return [m, state](const probed_operation& p, std::span<const access> accesses) -> result<std::vector<double>> {
    std::vector<double> all;
    for (const access& a : accesses) {
      EXPECT_EQ(a.op, p.op);
      EXPECT_EQ(first_misaligned_lane(a), 32u);
      for (u32 i = 0; i < 32; ++i) EXPECT_LE(a.address[i] + a.op.width_bytes, address_limit);
      all.push_back(clocks_of(m, a, *state));
    }
    return all;
  };
}

std::vector<u32> neighbours(u32 lanes) {
  std::vector<u32> phases;
  for (u32 first = 0; first < 32; first += lanes) phases.push_back(((lanes == 32 ? 0 : 1u << lanes) - 1u) << first);
  return phases;
}

const invented machines[] = {
    {"as Hopper", 32, 4, 4, {{8, neighbours(16)}, {16, neighbours(8)}}, {1, 2}},
    {"as Hopper, as a clock sees it", 32, 4, 4, {{8, neighbours(16)}, {16, neighbours(8)}}, {1, 2}, 1, 1, 0.03},
    {"as Turing, two clocks a wavefront", 32, 4, 4, {{8, neighbours(16)}, {16, neighbours(8)}}, {1, 2}, 2, 2, 0.01},
    {"never merges", 32, 4, 4, {{8, neighbours(16)}, {16, neighbours(8)}}, {}},
    {"merges by the third bit", 32, 4, 4, {{8, neighbours(16)}, {16, neighbours(8)}}, {4}},
    {"64 banks", 64, 4, 4, {{8, neighbours(16)}, {16, neighbours(8)}}, {}},
    {"16 banks of 4, halves always", 16, 4, 4, {{1, neighbours(16)}, {4, neighbours(16)}, {8, neighbours(8)}}, {}},
    {"8-byte banks", 32, 8, 8, {}, {}},
    {"4-byte banks with rows of 8", 32, 4, 8, {}, {}},
    {"ten banks", 10, 4, 4, {}, {}},
    {"phases of lanes far apart", 32, 4, 4, {{16, {0x00f0000f, 0x000f00f0, 0xf0000f00, 0x0f00f000}}}, {}},
};

class Discover : public testing::TestWithParam<int> {};

TEST_P(Discover, FindsWhatWasInvented) {
  const invented& m = machines[static_cast<std::size_t>(GetParam())];
  SCOPED_TRACE(m.name);
  const auto found = discover(meter_of(m), 200, 1);
  ASSERT_TRUE(found) << to_text(found.error());
  EXPECT_EQ(found->banks, m.banks);
  EXPECT_EQ(found->bank_bytes, m.bank_bytes);
  EXPECT_EQ(found->row_bytes, m.row_bytes);
  EXPECT_NEAR(found->clocks_per_wavefront, m.clocks, 0.02 * m.clocks);
  for (const found_phases& p : found->operations) {
    SCOPED_TRACE(p.operation->name);
    EXPECT_EQ(p.explained, p.tried) << to_text(*found);
    const bool atomic = p.operation->op.kind == op_kind::atomic;
    EXPECT_EQ(p.shares, !atomic);
    if (atomic) continue;
    const auto known = m.phases.find(p.operation->op.width_bytes);
    const std::vector<u32> phases = known == m.phases.end() ? std::vector<u32>{full_mask} : known->second;
    EXPECT_EQ(p.phases, phases);
    const bool merges = !m.partners.empty() && phases.size() > 1 && p.operation->op.kind == op_kind::load;
    EXPECT_EQ(p.merging_partners, merges ? m.partners : std::vector<u32>{});
    EXPECT_EQ(p.merged.size(), merges ? phases.size() / 2 : 0);
    for (const auto& [a, b] : p.merged) EXPECT_EQ(a + 1, b);
  }
}
INSTANTIATE_TEST_SUITE_P(Invented, Discover, testing::Range(0, static_cast<int>(std::size(machines))));

TEST(Discover, SaysWhatDoesNotFitTogether) {
  const auto constant = discover(
      [](const probed_operation&, std::span<const access> all) {
        return result<std::vector<double>>(std::vector<double>(all.size(), 4.0));
      },
      10, 1);
  ASSERT_FALSE(constant);
  EXPECT_NE(constant.error().message.find("contradict each other"), std::string::npos);
}

// --- comparison of the rule with a machine

meter counter_of(const bank_model& m) {
  return [m](const probed_operation&, std::span<const access> accesses) -> result<std::vector<double>> {
    std::vector<double> all;
    for (const access& a : accesses) all.push_back(wavefronts(a, m));
    return all;
  };
}

TEST(Compare, HoldsOnTheMachineItself) {
  for (const probed_operation& p : probed_operations()) {
    const auto patterns = random_patterns(p, 300, 7);
    const auto v = compare(p, patterns, quantity::wavefronts, counter_of(maxwell_model()), maxwell_model());
    ASSERT_TRUE(v);
    EXPECT_EQ(v->holds, 300u) << p.name;
    EXPECT_FALSE(v->smallest) << p.name;
  }
}

// If a machine differs in one property, the probe detects the difference. It shows the smallest access that differs.
TEST(Compare, ShowsTheSmallestAccessThatDiffers) {
  bank_model never_merges = maxwell_model(), wide_phases = maxwell_model(), more_banks = maxwell_model();
  never_merges.merges_loads = false;
  wide_phases.phase_lanes[1] = 32;
  more_banks.banks = 64;
  const struct {
    bank_model machine;
    const char* operation;
    int most_lanes;
  } cases[] = {{never_merges, "ld.b64", 2},
               {never_merges, "ld.b128", 2},
               {wide_phases, "st.b64", 2},
               {more_banks, "ld.b32", 2},
               {more_banks, "red.add.b32", 2}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.operation);
    const probed_operation& p = *find_probed(c.operation);
    const auto v = compare(p, random_patterns(p, 300, 1), quantity::wavefronts, counter_of(c.machine), maxwell_model());
    ASSERT_TRUE(v);
    EXPECT_LT(v->holds, v->patterns);
    ASSERT_TRUE(v->smallest);
    const access& a = v->smallest->what;
    EXPECT_LE(std::popcount(a.mask), c.most_lanes);
    EXPECT_EQ(v->smallest->measured, wavefronts(a, c.machine));
    EXPECT_EQ(v->smallest->expected, wavefronts(a));
    EXPECT_NE(v->smallest->measured, v->smallest->expected);
    for (u32 i = 0; i < 32; ++i) {
      if ((a.mask >> i & 1) == 0) continue;
      access fewer = a;
      fewer.mask &= ~(1u << i);
      EXPECT_TRUE(fewer.mask == 0 || wavefronts(fewer, c.machine) == wavefronts(fewer)) << "without lane " << i;
    }
  }
}

TEST(Compare, ClocksMayScatterAndAtomicsMayBeFaster) {
  const probed_operation &load = *find_probed("ld.b32"), &atomic = *find_probed("atom.add.b32");
  const access one = make_access(ld(4), [](u32 t) { return t * 4; });
  const access added = make_access(atom(4), [](u32 t) { return t * 4; });
  const auto of_load = expected(one, quantity::cycles, maxwell_model());
  EXPECT_TRUE(agrees(load, 1.2, of_load, quantity::cycles));
  EXPECT_FALSE(agrees(load, 1.6, of_load, quantity::cycles));
  const auto of_atomic = expected(added, quantity::cycles, maxwell_model());
  EXPECT_TRUE(agrees(atomic, 1.1, of_atomic, quantity::cycles));
  EXPECT_TRUE(agrees(atomic, 1.9, of_atomic, quantity::cycles));
  EXPECT_FALSE(agrees(atomic, 2.6, of_atomic, quantity::cycles));
  EXPECT_FALSE(agrees(load, 2, expected(one, quantity::wavefronts, maxwell_model()), quantity::wavefronts));
}

// --- patterns

TEST(Patterns, AreValidAndAlwaysTheSame) {
  for (const probed_operation& p : probed_operations()) {
    const auto all = random_patterns(p, 500, 3), again = random_patterns(p, 500, 3),
               others = random_patterns(p, 500, 4);
    std::size_t differ = 0;
    std::set<u32> costs;
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(first_misaligned_lane(all[i]), 32u);
      EXPECT_NE(all[i].mask, 0u);
      for (u32 k = 0; k < 32; ++k) {
        EXPECT_LT(all[i].address[k], address_limit);
        EXPECT_EQ(all[i].address[k], again[i].address[k]);
        differ += all[i].address[k] != others[i].address[k];
      }
      costs.insert(wavefronts(all[i]));
    }
    EXPECT_GT(differ, 5000u) << p.name;
    EXPECT_GE(costs.size(), 6u) << p.name;  // the accesses have many different costs
  }
}

TEST(Patterns, TheKnownCasesCostWhatIsKnown) {
  // The wavefronts of the eleven 64-bit and 128-bit cases, the matrices, the columns and the strides.
  const u32 known[] = {1, 2, 1, 2, 2, 2, 1, 2, 4, 4, 4, 32, 4, 32, 1, 1, 2, 1};
  const auto cases = known_cases();
  ASSERT_EQ(cases.size(), std::size(known));
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(wavefronts(cases[i].what), known[i]) << cases[i].name;
}

// --- kernels

// If ptxas is installed, it compiles the text of a kernel. Every warp executes the measured access as often as
// requested. All other accesses to shared memory only clear the memory.
class Kernels : public testing::Test {
 protected:
  static std::string compiled(unsigned sm) { return assembled(kernel_text(sm), target_name(sm)); }
  // CUDA 13 knows sm_110.
  static bool is_of_today() { return !assembled(".version 9.0\n.target sm_110\n.address_size 64\n", "sm_110").empty(); }

 private:
  static std::string assembled(const std::string& text, const std::string& target) {
    const char* ptxas = std::getenv("PTXAS");
    if (ptxas == nullptr || *ptxas == '\0') return "";
    static const scratch_folder scratch;
    const std::string base = scratch.path() + "/" + target;
    std::ofstream(base + ".ptx") << text;
    const std::string command = "'" + std::string(ptxas) + "' -arch=" + target + " '" + base + ".ptx' -o '" + base +
                                ".cubin' 2>'" + base + ".heard'";
    return std::system(command.c_str()) == 0 ? base + ".cubin" : "";
  }
};

TEST_F(Kernels, HaveAllOperationsOfTheArchitecture) {
  for (const unsigned sm : {50u, 61u, 70u, 75u, 86u, 90u, 100u, 121u}) {
    const std::string text = kernel_text(sm);
    for (std::size_t i = 0; i < probed_operations().size(); ++i)
      EXPECT_EQ(text.find(" " + kernel_name(kernel_kind::cycles, i) + "(") != std::string::npos,
                probed_operations()[i].first_sm <= sm);
    EXPECT_EQ(text.find("ADDRESS"), std::string::npos);
  }
  // On an unknown architecture, the kernels use no features that only some architectures have.
  EXPECT_EQ(kernel_text(130), kernel_text(90));
}

TEST_F(Kernels, ExecuteTheAccess) {
  if (std::getenv("PTXAS") == nullptr) GTEST_SKIP() << "there is no ptxas on this machine";
  if (!is_of_today()) GTEST_SKIP() << "the ptxas of this machine is older than CUDA 13";
  for (const unsigned sm : {75u, 80u, 103u, 110u, 120u, 121u}) EXPECT_NE(compiled(sm), "") << sm;
  const std::string of_90 = compiled(90), of_100 = compiled(100);
  ASSERT_NE(of_90, "");
  ASSERT_NE(of_100, "");
  for (std::size_t i = 0; i < probed_operations().size(); ++i) {
    const probed_operation& p = probed_operations()[i];
    SCOPED_TRACE(p.name);
    access a = random_patterns(p, 1, 5).front();
    if (p.op.matrices == 0) a.mask = 0x0ff0f0f3;  // all lanes take part in clearing shared memory
    std::vector<u32> words{a.mask};
    words.insert(words.end(), std::begin(a.address), std::end(a.address));
    for (const kernel_kind kind : {kernel_kind::cycles, kernel_kind::count}) {
      const bool timed = kind == kernel_kind::cycles;
      test::kernel_launch l{.cubin = p.first_sm > 90 ? of_100 : of_90, .kernel = kernel_name(kind, i)};
      l.block = {timed ? 32 * timed_warps : 32, 1, 1};
      l.shared = shared_bytes;
      l.files["pattern"] = test::bytes_of(words);
      l.arguments = {"u8[132]=file:pattern", "out:u64[64]", "i32=0"};
      const auto run = test::run_kernel(l);
      ASSERT_TRUE(run) << to_text(run.error());
      std::uint64_t executed = 0;
      for (const site& s : run->launch().sites) {
        if (s.op.op == st(16) && (s.worst.mask == full_mask || s.worst.mask == 0)) continue;
        EXPECT_EQ(s.op.op.kind, p.op.kind);
        EXPECT_EQ(s.op.op.width_bytes, p.op.width_bytes);
        EXPECT_EQ(lanes_used(s.worst), lanes_used(a));
        EXPECT_EQ(s.wavefronts, s.executed * wavefronts(a));
        executed += s.executed;
      }
      EXPECT_EQ(executed, timed ? repetitions * timed_warps * timed_instructions : 1u);
    }
  }
}

// --- evidence

gpu_evidence invented_evidence() {
  const machine rule = *parse_machine("sm_90");
  const meters with{meter_of(machines[1]), {}, counter_of(maxwell_model())};
  gpu_facts on;
  on.name = "an invented GPU";
  on.sm = 90;
  on.multiprocessors = 4;
  on.driver = 13000;
  probe_options options;
  options.timed = 50;
  options.counted = 5;
  auto e = gather(on, rule, with, options,
                  [](std::uint64_t done, std::uint64_t total, std::string_view) { EXPECT_LT(done, total); });
  EXPECT_TRUE(e);
  e->latencies = {{"ld.b32", 1, 23.1}, {"ld.b32", 32, 85.1}, {"atom.add.b32", 1, 27.9}};
  return *e;
}

TEST(Evidence, IsNotGatheredOfWhatTheGpuLacks) {
  gpu_facts on;
  on.sm = 90;
  probe_options options;
  options.operations = {find_probed("ldmatrix.m16n16.x1.trans")};
  const meters with{meter_of(machines[1]), {}, {}};
  const auto e =
      gather(on, *parse_machine("sm_90"), with, options, [](std::uint64_t, std::uint64_t, std::string_view) {});
  ASSERT_FALSE(e);
  EXPECT_EQ(e.error().message, "--op: the probe has no ldmatrix.m16n16.x1.trans for this GPU, which is sm_90");
  EXPECT_EQ(e.error().hint, "the operation needs sm_100 or later");
}

TEST(Evidence, ComesBackAsItWasWritten) {
  const gpu_evidence e = invented_evidence();
  // The invented GPU serves matrix operations unlike an H100, so the rule for sm_90 does not hold for all operations.
  EXPECT_FALSE(e.holds());
  const auto back = read_evidence(to_json(e), "e.json");
  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(to_json(*back), to_json(e));
  // A measured number is only rounded once, when it is written.
  EXPECT_EQ(to_text(*read_evidence(to_json(*back), "again.json"), {}), to_text(*back, {}));
}

TEST(Evidence, IsReadWithCare) {
  const std::string good = to_json(invented_evidence());
  const auto error_of = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto read = read_evidence(text, "e.json");
    return read ? std::string("no error") : read.error().message;
  };
  EXPECT_EQ(error_of("\"seed\": 1", "\"seed\": -1"), "seed is not a whole number up to 18446744073709551615");
  EXPECT_EQ(error_of("\"gpu\"", "\"cpu\""), "gpu is missing");
  EXPECT_EQ(error_of("evidence/1", "evidence/9"),
            "the schema of the file is 'bankwise.evidence/9', but this version of bankwise reads bankwise.evidence/1");
  EXPECT_EQ(error_of("\"by\": \"cycles\"", "\"by\": \"guess\""), "known[0].by must be 'cycles' or 'wavefronts'");
  EXPECT_EQ(error_of("\"patterns\": 1,", "\"patterns\": 0,"), "known[0].holds is not a whole number up to 0");
  EXPECT_EQ(error_of("\"0000ffff\"", "\"0000fffg\""),
            "found.operations[1].phases is not a mask of 8 hexadecimal digits");
  EXPECT_EQ(read_evidence("{", "e.json").error().message, "the file is not valid JSON");
  EXPECT_EQ(read_evidence("[]", "e.json").error().message, "schema is missing");
}

TEST(Evidence, IsPrinted) {
  const std::string text = to_text(invented_evidence(), {});
  EXPECT_NE(text.find("an invented GPU, sm_90, 4 multiprocessors, driver 13.0; compared with the rule for sm_90\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  ld.b128            the rule holds on 50 of 50\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  ld.b128            the rule holds on 5 of 5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("32 banks of 4 bytes; a wavefront takes "), std::string::npos) << text;
  EXPECT_NE(text.find("1     23.1                    2.00"), std::string::npos) << text;
  const std::string svg = latency_svg(invented_evidence());
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_NE(svg.find(">atom.add.b32</text>"), std::string::npos);
}

}  // namespace
}  // namespace bankwise::probe
