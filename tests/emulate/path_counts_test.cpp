// Tests where the paths of a warp reconverge. tests/paths/generate.py made kernels that diverge in every way. The test
// compares memory and the counts of each instruction with the results of an H200.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/load_cubin.hpp"
#include "cubin/program.hpp"
#include "emulate/launch/launch.hpp"
#include "sass/flow/dependence.hpp"
#include "sass/isa.hpp"
#include "sass/print/print.hpp"
#include "support/counting_check.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

struct count {
  std::uint64_t executed = 0, lanes = 0;
  bool operator==(const count&) const = default;
};

struct measured_kernel {
  std::string name;
  std::uint32_t blocks = 0, threads = 0, seed = 0, some = 0, words = 0;
  std::uint64_t result = 0;               // a hash of the words; 0 if the words depend on the order of the paths
  std::uint64_t executed = 0;             // number of executed instructions, from a hardware counter
  std::map<std::uint32_t, count> counts;  // key: pc; a count also applies to the instructions up to the next key
};

std::uint32_t number_in(std::string_view text) { return static_cast<std::uint32_t>(std::stoull(std::string(text))); }

// By family.
std::map<std::string, std::vector<measured_kernel>> read_measured_kernels() {
  std::map<std::string, std::vector<measured_kernel>> all;
  std::map<std::string, measured_kernel*> by_name;
  const std::string launches = test::read_text(test::source_path("data/sm_90/paths/launches.csv"));
  csv_reader rows(launches, "launches.csv");
  EXPECT_TRUE(rows.next());
  while (const auto row = *rows.next()) {
    const auto& f = *row;
    all[std::string(f.at(0).text)].push_back({std::string(f.at(1).text),
                                              number_in(f.at(2).text),
                                              number_in(f.at(3).text),
                                              number_in(f.at(4).text),
                                              number_in(f.at(5).text),
                                              number_in(f.at(6).text),
                                              std::stoull(std::string(f.at(7).text), nullptr, 16),
                                              std::stoull(std::string(f.at(8).text)),
                                              {}});
  }
  for (auto& [family, kernels] : all)
    for (measured_kernel& k : kernels) by_name[k.name] = &k;
  const std::string counts = test::read_zstd(test::source_path("data/sm_90/paths/counts.csv.zst"));
  csv_reader lines(counts, "counts.csv");
  EXPECT_TRUE(lines.next());
  while (const auto row = *lines.next()) {
    const auto& f = *row;
    by_name.at(std::string(f.at(0).text))
        ->counts[static_cast<std::uint32_t>(std::stoul(std::string(f.at(1).text), nullptr, 16))] = {
        number_in(f.at(2).text), number_in(f.at(3).text)};
  }
  return all;
}

// Counts all instructions of one section.
struct ear : emulate::listener {
  std::uint64_t begin = 0;
  std::vector<count> counts;
  std::uint64_t lanes_of_all = 0;

  void on_block(std::uint64_t) override {}
  emulate::wanted_events wants() const override {
    return {.accesses = false, .asynchronous = false, .instructions = true};
  }
  void on_instructions(std::uint64_t pc, std::uint64_t n, std::uint32_t lanes) override {
    lanes_of_all += n * static_cast<unsigned>(std::popcount(lanes));
    if (pc < begin || (pc - begin) / 16 + n > counts.size()) return;
    for (std::uint64_t i = (pc - begin) / 16; n != 0; --n, ++i) {
      ++counts[i].executed;
      counts[i].lanes += static_cast<unsigned>(std::popcount(lanes));
    }
  }
};

struct outcome {
  std::string error;
  std::vector<count> counts;  // the counts of one section, by instruction
  std::vector<std::uint32_t> words;
};

outcome emulate_kernel(const cubin::program& p, const cubin::kernel& k, const measured_kernel& m) {
  emulate::device_memory memory;
  if (const auto loaded = emulate::load_variables(p, memory); !loaded) return {to_text(loaded.error()), {}, {}};
  const std::uint64_t out = memory.allocate(m.words * std::uint64_t{4}, "out").value();
  std::memset(memory.bytes_at(out, m.words * 4), 0, m.words * 4);
  emulate::launch l;
  l.program = &p;
  l.kernel = &k;
  l.grid = {m.blocks, 1, 1};
  l.block = {m.threads, 1, 1};
  l.budget = 1 << 22;
  test::set_instruction_use(l);
  l.threads = 1;
  l.parameters.resize(16);
  std::memcpy(l.parameters.data(), &out, 8);
  std::memcpy(l.parameters.data() + 8, &m.seed, 4);
  std::memcpy(l.parameters.data() + 12, &m.some, 4);
  ear e;
  const cubin::code_section& code = p.sections[k.section];
  e.begin = code.address + k.offset;
  e.counts.resize(code.bytes.size() / cubin::instruction_bytes);
  emulate::launch_hooks hooks;
  hooks.listeners.emplace_back([&](unsigned) { return &e; });
  const auto ran = emulate::run_launch(l, memory, hooks);
  if (!ran) return {to_text(ran.error()), {}, {}};
  bool has_indirect_branch = false;
  for (std::size_t i = 0; k.offset + (i + 1) * cubin::instruction_bytes <= code.bytes.size(); ++i) {
    const std::byte* at = code.bytes.data() + k.offset + i * cubin::instruction_bytes;
    const sass::opcode_info* info = sass::load_instruction(at, sass::isa_of(p.sm)).info();
    has_indirect_branch |= info != nullptr && info->op == sass::opcode::BRX;
  }
  // An indirect branch is issued again for each further target.
  if (has_indirect_branch)
    EXPECT_GE(ran->sum.active_lanes, e.lanes_of_all) << m.name;
  else
    EXPECT_EQ(ran->sum.active_lanes, e.lanes_of_all) << m.name;
  outcome o{{}, std::move(e.counts), std::vector<std::uint32_t>(m.words)};
  std::memcpy(o.words.data(), memory.bytes_at(out, m.words * 4), m.words * 4);
  if (!test::checks_counting()) return o;
  const test::counting_outcome alone = test::count_without_results([&](const test::launch_use& use) {
    std::memset(memory.bytes_at(out, m.words * 4), 0, m.words * 4);
    use(l, memory);
  });
  o.error = alone.difference;
  return o;
}

// Returns the FNV-1a hash of the words.
std::uint64_t hash_of(const std::vector<std::uint32_t>& words) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const std::uint32_t w : words) h = (h ^ w) * 0x100000001b3u;
  return h;
}

// The GPU executed some instructions of these kernels a few times less often than the emulator, because lanes arrived
// together, usually at a BSYNC. The number of active lanes is the same. The test fails if one of these kernels agrees
// with the GPU.
const std::set<std::string> arrived_together = {"barriers_022", "branches_031", "branches_055",       "gotos_045",
                                                "gotos_053",    "gotos_091",    "gotos_108",          "loops_020",
                                                "loops_088",    "loops_093",    "pointers_004",       "returns_016",
                                                "returns_024",  "returns_056",  "split_barriers_011", "turns_013"};

enum class kind { plain, yields };

// The compared counts of a kernel, by instruction. Instructions after a WARPSYNC.COLLECTIVE are excluded: lanes from
// several places can execute these instructions together, but the emulator executes each path separately.
struct kernel_code {
  kind is = kind::plain;
  std::vector<bool> compared;
  std::vector<std::string> text;
};

kernel_code read_code(const cubin::program& p, const cubin::kernel& k) {
  kernel_code c;
  const cubin::code_section& code = p.sections[k.section];
  bool collective = false;
  for (std::uint32_t pc = 0; pc < k.code_bytes; pc += cubin::instruction_bytes) {
    const std::string text =
        sass::to_text(sass::load_instruction(code.bytes.data() + k.offset + pc, sass::isa_of(p.sm)), pc);
    const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
    if (has("YIELD") || has("NANOSLEEP")) c.is = kind::yields;
    c.compared.push_back(!collective);
    c.text.push_back(text);
    if (has("WARPSYNC.COLLECTIVE")) collective = true;
    if (has("ENDCOLLECTIVE")) collective = false;
  }
  return c;
}

std::string describe(const count& c) {
  return std::to_string(c.executed) + " times with " + std::to_string(c.lanes) + " lanes";
}

struct agreement {
  std::size_t kernels = 0, same = 0, instructions = 0, same_instructions = 0, results = 0, same_results = 0;
  std::uint64_t executed = 0, executed_by_gpu = 0;
};

std::string to_text(const agreement& a) {
  return std::to_string(a.same) + " of " + std::to_string(a.kernels) + " kernels, " +
         std::to_string(a.same_instructions) + " of " + std::to_string(a.instructions) + " instructions, " +
         std::to_string(a.same_results) + " of " + std::to_string(a.results) + " results, " +
         std::to_string(a.executed) + " executed, by the GPU " + std::to_string(a.executed_by_gpu);
}

// Calls look_at for every measured kernel until an expectation fails.
void for_each_measured_kernel(
    const std::function<void(const cubin::program&, const cubin::kernel&, const measured_kernel&)>& look_at) {
  for (const auto& [family, list] : read_measured_kernels()) {
    const std::string bytes = test::read_zstd(test::source_path("data/sm_90/paths/" + family + ".cubin.zst"));
    const auto p = cubin::load_cubin({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}, family);
    ASSERT_TRUE(p) << bankwise::to_text(p.error());
    for (const measured_kernel& m : list) {
      SCOPED_TRACE(m.name);
      const auto k = cubin::find_kernel(*p, m.name);
      ASSERT_TRUE(k) << bankwise::to_text(k.error());
      look_at(*p, **k, m);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(PathCounts, AreThoseOfTheGpu) {
  agreement plain, yields;
  std::set<std::string> known = arrived_together;
  for_each_measured_kernel([&](const cubin::program& p, const cubin::kernel& k, const measured_kernel& m) {
    const kernel_code code = read_code(p, k);
    const outcome o = emulate_kernel(p, k, m);
    ASSERT_EQ(o.error, "");
    std::string first;
    std::size_t differ = 0, compared = 0;
    bool only_arrivals = true;
    agreement& a = code.is == kind::yields ? yields : plain;
    for (std::size_t i = 0; i < code.text.size(); ++i) {
      a.executed += o.counts[i].executed;
      if (!code.compared[i]) continue;
      ++compared;
      const auto row = m.counts.upper_bound(static_cast<std::uint32_t>(i * 16));
      const count expected = row == m.counts.begin() ? count{} : std::prev(row)->second;
      if (expected == o.counts[i]) continue;
      only_arrivals &= expected.lanes == o.counts[i].lanes && expected.executed < o.counts[i].executed;
      if (differ++ == 0)
        first = "0x" + hex(i * 16) + " " + code.text[i] + ": " + describe(o.counts[i]) + ", but by the GPU " +
                describe(expected);
    }
    ++a.kernels;
    a.same += differ == 0;
    a.instructions += compared;
    a.same_instructions += compared - differ;
    a.executed_by_gpu += m.executed;
    const bool result = hash_of(o.words) == m.result;
    if (m.result != 0) ++a.results, a.same_results += result;
    if (code.is == kind::yields) return;
    EXPECT_TRUE(result || m.result == 0) << "the kernel's results differ from the GPU's";
    const bool is_known = known.erase(m.name) != 0;
    if (is_known)
      EXPECT_TRUE(differ != 0 && only_arrivals) << first;
    else
      EXPECT_EQ(differ, 0u) << first;
  });
  EXPECT_TRUE(known.empty()) << *known.begin() << " was not measured";
  std::printf("without YIELD: %s\nwith YIELD: %s\n", to_text(plain).c_str(), to_text(yields).c_str());
  // A lane that yields may continue at any time, so even two measurements on the GPU differ.
  EXPECT_GT(plain.kernels, 500u);
  EXPECT_GT(yields.kernels, 400u);
  EXPECT_NEAR(static_cast<double>(yields.executed) / static_cast<double>(yields.executed_by_gpu), 1, 0.03);
}

// If an instruction does not depend on an argument or on blockIdx (sass/flow/dependence.hpp), a different value must
// not change the counts of the instruction.
TEST(PathCounts, DependOnWhatTheCodeSays) {
  std::size_t launches = 0, argument_free = 0, block_free = 0, executed = 0;
  for_each_measured_kernel([&](const cubin::program& p, const cubin::kernel& k, const measured_kernel& m) {
    const cubin::code_section& code = p.sections[k.section];
    const auto all = sass::dependences_of(sass::flow_of_code(code.bytes, sass::isa_of(p.sm), k.offset, code.address),
                                          {k.param_base, 16});
    measured_kernel other = m, one_block = m;
    other.seed ^= 0x5a5a5a5a;
    one_block.blocks = 1;
    const outcome was = emulate_kernel(p, k, m), is = emulate_kernel(p, k, other),
                  one = emulate_kernel(p, k, one_block);
    if (!was.error.empty() || !is.error.empty() || !one.error.empty()) return;  // the kernel exceeds its budget
    ++launches;
    const bool yields = read_code(p, k).is == kind::yields;
    for (std::size_t i = 0; i < k.code_bytes / cubin::instruction_bytes; ++i) {
      const sass::dependence& d = all[i + k.offset / cubin::instruction_bytes];
      const std::string place = "0x" + hex(i * 16) + ", which depends on " + names_of(d.execution);
      if (!d.known || d.execution.has(sass::input::data) || d.execution.has(sass::input::time)) continue;
      if (!d.execution.has(sass::input::arguments)) {
        EXPECT_EQ(was.counts[i].lanes, is.counts[i].lanes) << place << ", with a different seed";
        if (!yields) {
          EXPECT_EQ(was.counts[i].executed, is.counts[i].executed) << place << ", with a different seed";
        }
        ++argument_free;
        executed += was.counts[i].lanes != 0;
      }
      if (!d.execution.has(sass::input::block)) {
        EXPECT_EQ(was.counts[i].lanes, m.blocks * one.counts[i].lanes) << place << ", in a different block";
        if (!yields) {
          EXPECT_EQ(was.counts[i].executed, m.blocks * one.counts[i].executed) << place << ", in a different block";
        }
        block_free += m.blocks > 1;
      }
    }
  });
  std::printf("%zu launches; %zu instructions free of arguments, %zu of them executed, %zu of blockIdx\n", launches,
              argument_free, executed, block_free);
  EXPECT_GT(launches, 900u);
  EXPECT_GT(executed, 1000u);
  EXPECT_GT(block_free, 1000u);
}

}  // namespace
}  // namespace bankwise
