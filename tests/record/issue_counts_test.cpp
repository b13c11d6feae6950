// Computes from a recording how often instructions were issued, and compares the results with the emulator's counts.
#include "gpu/record/issue_counts.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sass/fields/shared_operation.hpp"
#include "sass/flow/basic_blocks.hpp"
#include "sass/print/print.hpp"
#include "support/examples.hpp"
#include "support/kernel_run.hpp"
#include "support/launch_table.hpp"
#include "support/machine_code.hpp"

namespace bankwise {
namespace {

using record::issue_count;
using record::issue_counts;

// For each instruction, counts all accesses, and the accesses that the API would report.
struct ear : emulate::listener {
  std::map<std::uint64_t, issue_count> issued, heard;
  std::set<std::uint64_t> generic;

  void on_block(std::uint64_t) override {}
  void on_access(const emulate::shared_access& a) override {
    issue_count& all = issued[a.pc];
    ++all.executed;
    all.lanes += a.lanes;
    if (a.generic) generic.insert(a.pc);
    if (a.what.mask == 0) return;
    issue_count& some = heard[a.pc];
    ++some.executed;
    some.lanes += count_lanes(a.what.mask);
  }
};

// Returns the counts of one code section.
issue_counts inside(const std::map<std::uint64_t, issue_count>& all, const cubin::code_section& code) {
  issue_counts some;
  for (auto it = all.lower_bound(code.address); it != all.end() && it->first < code.address + code.bytes.size(); ++it)
    some[static_cast<std::uint32_t>((it->first - code.address) / cubin::instruction_bytes)] = it->second;
  return some;
}

bool is_generic(const std::string& sass) {
  return sass.find("LD.") != std::string::npos || sass.find("ST.") != std::string::npos ||
         sass.find("ATOM.") != std::string::npos;
}

struct outcome {
  std::size_t exact = 0, at_least = 0, unknown = 0;
};

outcome compare(const test::kernel_launch& what) {
  outcome found;
  const auto ran = test::prepare_kernel(
      what, [&](const emulate::launch& given, emulate::device_memory& memory, const auto&) -> result<done> {
        ear e;
        emulate::launch l = given;
        l.threads = 1;
        emulate::launch_hooks hooks;
        hooks.listeners.emplace_back([&](unsigned) { return &e; });
        const auto run = emulate::run_launch(l, memory, hooks);
        if (!run) return run.error();
        // The API never reports generic instructions that only access global memory, so they are not compared.
        std::erase_if(e.issued,
                      [&](const auto& i) { return e.generic.contains(i.first) && !e.heard.contains(i.first); });
        const std::uint64_t threads = std::uint64_t{l.block[0]} * l.block[1] * l.block[2];
        const std::pair<std::uint32_t, issue_count> entry{l.kernel->offset / cubin::instruction_bytes,
                                                          {run->blocks * ((threads + 31) / 32), run->blocks * threads}};
        for (std::uint32_t n = 0; n < l.program->sections.size(); ++n) {
          const cubin::code_section& code = l.program->sections[n];
          const issue_counts issued = inside(e.issued, code), heard = inside(e.heard, code);
          if (issued.empty()) continue;
          const auto spelled = [&](std::uint32_t index) {
            return sass::to_text(sass::load_instruction(code.bytes.data() + index * 16, sass::isa_of(l.program->sm)),
                                 index * 16);
          };
          // In straight-line code, all instructions are issued equally often.
          const sass::straight_code straight =
              sass::basic_blocks(code.bytes, sass::isa_of(l.program->sm), code.address);
          std::map<std::uint32_t, issue_count> of_strand;
          for (const auto& [index, c] : issued) {
            if (is_generic(spelled(index))) continue;
            const auto [it, is_new] = of_strand.try_emplace(straight.strand[index], c);
            EXPECT_EQ(it->second, c) << spelled(index);
          }
          const issue_counts got =
              record::complete(code, l.program->sm, sass::shared_operations(code.bytes, sass::isa_of(l.program->sm)),
                               heard, n == l.kernel->section ? &entry : nullptr, true);
          for (const auto& [index, c] : got) {
            const auto it = issued.find(index);
            EXPECT_TRUE(it != issued.end()) << spelled(index) << " is reported, but was not executed";
            if (it == issued.end()) continue;
            EXPECT_LE(c.executed, it->second.executed);
            EXPECT_LE(c.lanes, it->second.lanes);
            if (!c.at_least) {
              EXPECT_EQ(c, it->second) << spelled(index);
            }
            ++(c.at_least ? found.at_least : found.exact);
          }
          found.unknown += issued.size() - got.size();
        }
        return done{};
      });
  EXPECT_TRUE(ran) << to_text(ran.error());
  return found;
}

// The counts agree for any order of the warp's paths.
TEST(IssueCounts, AreThoseOfTheExamples) {
  std::vector<test::kernel_launch> all;
  for (const test::example& e : test::all_examples()) all.push_back(e.launch);
  for (const char* folder : {"examples/fixes", "examples/triton"})
    for (const test::launch_row& row : test::read_launches(folder)) all.push_back(row.launch);
  for (test::kernel_launch& l : all)
    for (const std::uint64_t seed : {0, 1, 2}) {
      l.seed = seed;
      SCOPED_TRACE(l.cubin + " " + l.kernel);
      const outcome found = compare(l);
      if (!l.kernel.ends_with("_shuffled")) {  // the shuffled kernels do not use shared memory
        EXPECT_GT(found.exact, 0u);
      }
      // Lanes leave a compare-and-swap loop one by one. After the loop, some or all accesses are only reported for some
      // of the lanes.
      if (l.cubin.ends_with("contention.cubin")) {
        EXPECT_LT(found.unknown + found.at_least, found.exact);
        continue;
      }
      EXPECT_EQ(found.at_least, 0u);
      EXPECT_EQ(found.unknown, 0u);
    }
}

// Tests kernels with generic accesses, loops of atomics, and function calls.
TEST(IssueCounts, AreThoseOfRareForms) {
  const auto run = [](const std::string& cubin, const std::string& kernel, const std::vector<std::string>& arguments) {
    SCOPED_TRACE(kernel);
    const outcome found = compare({.cubin = "tests/kernels/" + cubin, .kernel = kernel, .arguments = arguments});
    // The four generic accesses are in a separate piece of straight-line code. They are issued at least as often as
    // reported.
    EXPECT_EQ(found.at_least, kernel == "generic" && arguments[2] != "i32=0" ? 4u : 0u);
    EXPECT_EQ(found.unknown, 0u);
  };
  for (const char* stride : {"i32=1", "i32=33"}) {
    for (const char* some : {"i32=32", "i32=17", "i32=1", "i32=0"}) {
      run("forms.cubin", "guarded", {"out:u32[1024]", some, stride});
      run("forms.cubin", "generic", {"out:u32[1024]", "u32[16384]=zero", some, stride});
    }
    run("forms.cubin", "spinning_floats", {"out:u32[1024]", stride, "i32=97"});
    run("forms.cubin", "spinning_doubles", {"out:u32[1024]", stride, "i32=97"});
  }
}

// --- counts that follow from other counts

constexpr std::uint64_t warps = 10;

// Returns the known issue counts by instruction, and an empty text if it is unknown whether the instruction was issued.
std::vector<std::string> told(const test::machine_code& code, const issue_counts& heard, bool is_kernel = false,
                              std::uint64_t threads = 32, bool is_whole = true) {
  cubin::code_section section;
  section.bytes.assign(bytes_of(code.bytes).begin(), bytes_of(code.bytes).end());
  std::vector<operation> operations;
  for (std::size_t at = 0; at < section.bytes.size(); at += 16) {
    const sass::opcode op = sass::load_instruction(section.bytes.data() + at, sass::isa::hopper).info()->op;
    operations.push_back(op == sass::opcode::LDS || op == sass::opcode::LD ? ld(4)
                         : op == sass::opcode::STS                         ? st(4)
                         : op == sass::opcode::LDGSTS                      ? cp_async(4)
                                                                           : operation{});
  }
  const std::pair<std::uint32_t, issue_count> entry{0, {warps, warps * threads}};
  const issue_counts all = record::complete(section, 90, operations, heard, is_kernel ? &entry : nullptr, is_whole);
  std::vector<std::string> text(operations.size());
  for (const auto& [index, c] : all)
    text.at(index) = std::to_string(c.executed) + " " + std::to_string(c.lanes) + (c.at_least ? "+" : "");
  return text;
}
using texts = std::vector<std::string>;
using test::guard;
using test::machine_code;

TEST(IssueCounts, ComeFromANeighbourWithoutAGuard) {
  const machine_code code = machine_code{}.lds(guard::p0).sts().lds(guard::not_p0).lds(guard::never);
  EXPECT_EQ(told(code, {{0, {3, 40}}, {1, {7, 70}}}), (texts{"7 70", "7 70", "7 70", "7 70"}));
  // Never executed.
  EXPECT_EQ(told(code, {}), (texts{"", "", "", ""}));
}

TEST(IssueCounts, AreLowerBoundsWithoutOne) {
  const machine_code code = machine_code{}.lds(guard::p0).sts(guard::not_p0);
  EXPECT_EQ(told(code, {{0, {3, 40}}}), (texts{"3 40+", "3 40+"}));
  // The addresses of a generic access determine whether the access is reported. So reports of generic accesses show
  // nothing about other instructions, and are kept unchanged.
  const machine_code generic = machine_code{}.generic_load().generic_load(guard::p0).sts(guard::p0);
  EXPECT_EQ(told(generic, {{0, {5, 90}}, {1, {2, 9}}, {2, {3, 40}}}), (texts{"5 90+", "3 40+", "3 40+"}));
  EXPECT_EQ(told(machine_code{}.lds(guard::p0).sts(guard::not_p0), {{0, {3, 40}}, {1, {5, 7}}}),
            (texts{"5 40+", "5 40+"}));
  // Reports also show nothing about other instructions if only some executions of an instruction were reported.
  EXPECT_EQ(told(machine_code{}.lds().sts(guard::p0), {{0, {5, 90}}, {1, {3, 40}}}, false, 32, false),
            (texts{"5 90", "5 90+"}));
}

TEST(IssueCounts, EndWithTheBlock) {
  EXPECT_EQ(told(machine_code{}.lds().exit(guard::p0).lds(guard::not_p0), {{0, {5, 90}}, {2, {4, 8}}}),
            (texts{"5 90", "", "4 8+"}));
  EXPECT_EQ(told(machine_code{}.lds().lds(guard::p0).branch(0x10, guard::p0), {{0, {5, 90}}, {1, {8, 8}}}),
            (texts{"5 90", "8 8+", ""}));
}

TEST(IssueCounts, PassABarrierOnlyWithWholeWarps) {
  const machine_code code = machine_code{}.sts(guard::p0).lds().barrier().sts(guard::p0);
  EXPECT_EQ(told(code, {{1, {5, 160}}, {3, {2, 3}}}), (texts{"5 160", "5 160", "", "5 160"}));
  EXPECT_EQ(told(code, {{1, {5, 159}}, {3, {2, 3}}}), (texts{"5 159", "5 159", "", "2 3+"}));
  // Later accesses show nothing about earlier accesses, because lanes may have joined in between.
  EXPECT_EQ(told(machine_code{}.sts(guard::p0).barrier().lds(), {{0, {2, 3}}, {2, {5, 160}}}),
            (texts{"2 3+", "", "5 160"}));
}

TEST(IssueCounts, OfTheFirstBlockAreItsWarps) {
  const machine_code code = machine_code{}.sts(guard::p0).barrier().lds(guard::p0).exit(guard::p0).lds(guard::p0);
  EXPECT_EQ(told(code, {{0, {1, 1}}, {4, {1, 1}}}, true), (texts{"10 320", "", "10 320", "", "1 1+"}));
  EXPECT_EQ(told(code, {}, true, 20), (texts{"10 200", "", "10 200", "", ""}));
  // In a loop, the accesses of the first block show how often the loop was executed.
  const machine_code loop = machine_code{}.sts(guard::p0).branch(0, guard::p0).exit();
  EXPECT_EQ(told(loop, {{0, {12, 12}}}, true), (texts{"12 12+", "", ""}));
}

// If the source of a copy has a predicate, the copy may not be reported for lanes that are filled with zeros.
TEST(IssueCounts, DoNotTrustCopiesThatFillWithZeros) {
  machine_code zero_fill;
  zero_fill.add(0xfae, 0, guard::none).sts(guard::p0);
  EXPECT_EQ(told(zero_fill, {{0, {5, 90}}, {1, {2, 3}}}), (texts{"5 90+", "5 90+"}));
  EXPECT_EQ(told(machine_code{}.copy().sts(guard::p0), {{0, {5, 90}}, {1, {2, 3}}}), (texts{"5 90", "5 90"}));
}

}  // namespace
}  // namespace bankwise
