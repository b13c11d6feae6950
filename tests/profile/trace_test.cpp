// Tests every distinct access of a launch and the arrays of these accesses, as recorded by `run --accesses`.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "cubin/load.hpp"
#include "profile/arrays.hpp"
#include "profile/profile_launch.hpp"
#include "profile/trace.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using test::kernel_launch;

std::vector<kernel_launch> all_examples() {
  const auto transpose = [](const char* kernel) {
    return kernel_launch{.cubin = "examples/transpose.cubin",
                         .kernel = kernel,
                         .grid = {8, 8, 1},
                         .block = {32, 8, 1},
                         .arguments = {"out:f32[256*256]", "f32[256*256]=iota", "i32=256"}};
  };
  const auto histogram = [](const char* kernel) {
    return kernel_launch{.cubin = "examples/histogram.cubin",
                         .kernel = kernel,
                         .grid = {4, 1, 1},
                         .block = {256, 1, 1},
                         .arguments = {"out:u32[256]", "u8[4096]=random:1", "i32=4096"}};
  };
  const auto mma = [](const char* kernel) {
    return kernel_launch{.cubin = "examples/mma_tile.cubin",
                         .kernel = kernel,
                         .block = {128, 1, 1},
                         .arguments = {"out:f32[4096]", "f16[4096]=random:1", "f16[4096]=random:2"}};
  };
  const auto reduction = [](const char* kernel) {
    return kernel_launch{.cubin = "examples/reduction.cubin",
                         .kernel = kernel,
                         .grid = {8, 1, 1},
                         .block = {256, 1, 1},
                         .arguments = {"out:f32[8]", "f32[2000]=1", "i32=2000"}};
  };
  std::vector<kernel_launch> list{
      transpose("transpose_plain"),
      transpose("transpose_padded"),
      transpose("transpose_swizzled"),
      transpose("transpose_vectorised"),
      histogram("histogram_shared"),
      histogram("histogram_weighted"),
      mma("mma_plain"),
      mma("mma_swizzled"),
      reduction("reduce_interleaved"),
      reduction("reduce_sequential"),
      {.cubin = "examples/gemm.cubin",
       .kernel = "gemm",
       .grid = {2, 2, 1},
       .block = {16, 16, 1},
       .arguments = {"out:f32[128*128]", "f32[128*64]=iota", "f32[64*128]=1", "i32=128", "i32=128", "i32=64"}},
      {.cubin = "examples/stencil.cubin",
       .kernel = "stencil",
       .grid = {16, 1, 1},
       .block = {128, 1, 1},
       .shared = 544,
       .arguments = {"out:f32[2000]", "f32[2000]=iota", "i32=2000", "i32=4"}}};
  for (kernel_launch& l : list) l.keep_accesses = most_accesses;
  return list;
}

kernel_launch example(const std::string& kernel) {
  for (const kernel_launch& l : all_examples())
    if (l.kernel == kernel) return l;
  ADD_FAILURE() << kernel;
  return {};
}

kernel_launch arrays_kernel(const char* kernel, std::vector<std::string> arguments, std::uint32_t shared = 0) {
  return {.cubin = "tests/kernels/arrays.cubin",
          .kernel = kernel,
          .shared = shared,
          .arguments = std::move(arguments),
          .keep_accesses = most_accesses};
}

launch_report launched(const kernel_launch& what) {
  const auto run = test::run_kernel(what);
  EXPECT_TRUE(run) << what.kernel << ": " << to_text(run.error());
  return run ? run->launch() : launch_report{};
}

std::uint64_t count_of(const site& s) {
  std::uint64_t sum = 0;
  for (const recorded_access& r : s.accesses) sum += r.count;
  return sum;
}

bool same_accesses(const site& a, const site& b) {
  return std::equal(a.accesses.begin(), a.accesses.end(), b.accesses.begin(), b.accesses.end(),
                    [](const recorded_access& x, const recorded_access& y) {
                      return x.count == y.count && x.what.op == y.what.op && x.what.mask == y.what.mask &&
                             std::equal(std::begin(x.what.address), std::end(x.what.address), y.what.address);
                    });
}

// Returns the arrays as text, for example "a_tile 0-4096 static of 4096, 2 sites".
std::vector<std::string> described(const launch_report& l) {
  std::vector<std::string> list;
  for (const shared_array& a : l.arrays)
    list.push_back((a.name.empty() ? "?" : a.name) + " " + std::to_string(a.begin) + "-" + std::to_string(a.end) +
                   (a.dynamic ? " dynamic" : " static") +
                   (a.declared_bytes == 0 ? "" : " of " + std::to_string(a.declared_bytes)) + ", " +
                   std::to_string(a.sites.size()) + " sites");
  return list;
}
using descriptions = std::vector<std::string>;

// --- the accesses that are kept

// The test computes the cost of each kept access with the rule. The sum of the costs must equal the counts of the site.
TEST(Trace, AddsUpToTheSite) {
  for (const kernel_launch& what : all_examples()) {
    SCOPED_TRACE(what.kernel);
    const launch_report l = launched(what);
    std::uint64_t kept = 0;
    for (const site& s : l.sites) {
      SCOPED_TRACE(s.sass);
      counts sum;
      for (const recorded_access& r : s.accesses) {
        EXPECT_EQ(r.what.op, s.op.op);
        const cost c = analyze(r.what);
        sum.wavefronts += r.count * c.wavefronts;
        sum.ideal += r.count * c.ideal;
        sum.reachable += r.count * c.reachable;
        sum.cycles += r.count * c.cycles;
        for (u32 lane = 0; lane < lanes_per_warp; ++lane)
          if ((r.what.mask >> lane & 1) == 0) {
            EXPECT_EQ(r.what.address[lane], 0u);
          }
      }
      EXPECT_EQ(sum.wavefronts, s.wavefronts);
      EXPECT_EQ(sum.ideal, s.ideal);
      EXPECT_EQ(sum.reachable, s.reachable);
      EXPECT_EQ(sum.cycles, s.cycles);
      kept += count_of(s);
    }
    EXPECT_EQ(kept, l.accesses_kept);
    EXPECT_EQ(kept, l.accesses_seen);
  }
}

// An execution with an active lane counts as an access. An execution without an active lane only counts as an
// execution.
TEST(Trace, CountsWhatWasExecuted) {
  for (const char* kernel : {"gemm", "transpose_plain", "mma_plain"})
    for (const site& s : launched(example(kernel)).sites)
      if (s.wavefronts != 0) {
        EXPECT_EQ(count_of(s), s.executed) << kernel << " " << s.sass;
      }
  const launch_report idle = launched(arrays_kernel("idle", {"out:f32[32]", "i32=0"}));
  EXPECT_EQ(idle.accesses_seen, idle.sum.executed);
}

// Loops and blocks repeat accesses. gemm makes 5,120 accesses, of which 208 are distinct.
TEST(Trace, KeepsEachAccessOnce) {
  const launch_report l = launched(example("gemm"));
  EXPECT_EQ(l.accesses_seen, 5120u);
  std::size_t distinct = 0;
  for (const site& s : l.sites) {
    distinct += s.accesses.size();
    for (std::size_t i = 1; i < s.accesses.size(); ++i) EXPECT_LE(s.accesses[i].count, s.accesses[i - 1].count);
  }
  EXPECT_EQ(distinct, 208u);
}

TEST(Trace, IsTheWorstAccessToo) {
  for (const kernel_launch& what : all_examples())
    for (const site& s : launched(what).sites) {
      if (s.worst.mask == 0) continue;
      const bool found = std::any_of(s.accesses.begin(), s.accesses.end(), [&](const recorded_access& r) {
        return analyze(r.what).wavefronts == s.worst_cost.wavefronts && r.what.mask == s.worst.mask;
      });
      EXPECT_TRUE(found) << what.kernel << " " << s.sass;
    }
}

TEST(Trace, DoesNotDependOnThreads) {
  for (kernel_launch what : all_examples())
    for (const std::size_t most : {most_accesses, std::size_t{40}}) {
      SCOPED_TRACE(what.kernel);
      what.keep_accesses = most;
      what.threads = 1;
      const launch_report one = launched(what);
      what.threads = 3;
      const launch_report three = launched(what);
      ASSERT_EQ(one.sites.size(), three.sites.size());
      for (std::size_t i = 0; i < one.sites.size(); ++i)
        EXPECT_TRUE(same_accesses(one.sites[i], three.sites[i])) << one.sites[i].sass;
      EXPECT_EQ(one.accesses_kept, three.accesses_kept);
      EXPECT_EQ(described(one), described(three));
    }
}

TEST(Trace, IsEmptyIfNobodyAsks) {
  kernel_launch what = example("gemm");
  what.keep_accesses = 0;
  const launch_report l = launched(what);
  EXPECT_FALSE(l.has_accesses);
  EXPECT_TRUE(l.arrays.empty());
  EXPECT_TRUE(l.not_executed.empty());
  for (const site& s : l.sites) EXPECT_TRUE(s.accesses.empty());
}

// --- too many accesses

// Every warp reads different words. One instruction has 1,600 distinct accesses, and the other instruction has 8.
TEST(Trace, KeepsASampleOfTooMany) {
  kernel_launch what = arrays_kernel("scattered", {"out:f32[51200]"});
  what.grid = {200, 1, 1};
  what.block = {256, 1, 1};
  const launch_report whole = launched(what);
  ASSERT_EQ(whole.sites.size(), 2u);
  EXPECT_EQ(whole.sites[1].accesses.size(), 1600u);
  EXPECT_EQ(whole.accesses_kept, whole.accesses_seen);

  what.keep_accesses = 512;
  const launch_report sample = launched(what);
  EXPECT_EQ(sample.sites[1].accesses.size(), 256u);
  EXPECT_EQ(sample.accesses_seen, 3200u);
  EXPECT_EQ(sample.accesses_kept, 1600u + 256u);
  // The rare instruction keeps all of its accesses. Each kept access has its complete count. The bytes of the array are
  // completely known.
  EXPECT_TRUE(same_accesses(sample.sites[0], whole.sites[0]));
  EXPECT_EQ(described(sample), described(whole));
  // At least one access of each instruction is kept.
  what.keep_accesses = 1;
  for (const site& s : launched(what).sites) EXPECT_EQ(s.accesses.size(), 1u);
}

// Traces of random accesses are merged with any number of workers and in any order. The result is always the same.
TEST(Trace, MergesToTheSame) {
  std::mt19937 random(1);
  struct event {
    std::uint64_t pc;
    access what;
  };
  std::vector<event> events;
  for (int i = 0; i < 6000; ++i) {
    const u32 shift = static_cast<u32>(random() % 300),
              mask = random() % 3 == 0 ? static_cast<u32>(random()) | 1 : full_mask;
    const std::uint64_t pc = random() % 10 == 0 ? random() % 5 : 7;  // rare instructions, and one frequent instruction
    events.push_back({pc, make_access(
                              ld(4), [&](u32 t) { return 1024 + 4 * (t ^ shift); }, mask)});
  }
  std::map<std::uint64_t, std::vector<recorded_access>> expected;
  for (const unsigned workers : {1u, 2u, 5u}) {
    std::shuffle(events.begin(), events.end(), random);
    const access_trace nothing(600, 1024, 4096);
    std::vector<access_trace> each(workers, nothing);
    for (std::size_t i = 0; i < events.size(); ++i) {
      access_trace& t = each[i % workers];
      t.record(t.entries_at(events[i].pc), events[i].what);
    }
    access_trace all = nothing;
    for (const access_trace& t : each) all.add(t);
    EXPECT_EQ(all.seen(), events.size());
    std::size_t kept = 0;
    for (std::uint64_t pc = 0; pc < 8; ++pc) {
      site now, before;
      now.accesses = all.accesses_of(pc);
      kept += now.accesses.size();
      if (workers == 1) expected[pc] = now.accesses;
      before.accesses = expected[pc];
      EXPECT_TRUE(same_accesses(now, before)) << workers << " workers, pc " << pc;
    }
    EXPECT_LE(kept, 600u);
    EXPECT_GE(kept, 300u);
  }
}

// ldmatrix.x1 does not use the addresses of lanes from 8 on.
TEST(Trace, ForgetsAddressesThatNobodyReads) {
  access_trace t(100, 1024, 4096);
  for (u32 garbage = 0; garbage < 3; ++garbage)
    t.record(t.entries_at(0),
             make_access(ldmatrix(1), [&](u32 lane) { return lane < 8 ? 1024 + lane * 16 : garbage; }));
  const std::vector<recorded_access> kept = t.accesses_of(0);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].count, 3u);
  EXPECT_EQ(kept[0].what.mask, full_mask);
  EXPECT_EQ(kept[0].what.address[7], 112u);
  EXPECT_EQ(kept[0].what.address[8], 0u);
  EXPECT_EQ(t.touched_by(0).in_static.end, 128u);
}

// --- arrays

TEST(Arrays, OfTheExamples) {
  EXPECT_EQ(described(launched(example("gemm"))),
            (descriptions{"a_tile 0-4096 static of 4096, 20 sites", "b_tile 4096-8192 static of 4096, 20 sites"}));
  EXPECT_EQ(described(launched(example("transpose_padded"))), descriptions{"tile 0-4224 static of 4224, 8 sites"});
  EXPECT_EQ(described(launched(example("stencil"))), descriptions{"line 0-544 dynamic, 10 sites"});
  const launch_report mma = launched(example("mma_plain"));
  ASSERT_EQ(mma.arrays.size(), 2u);
  EXPECT_EQ(mma.arrays[0].name, "a_tile");
  EXPECT_EQ(mma.arrays[1].name, "b_tile");
  EXPECT_EQ(mma.arrays[1].begin, 8192u);
}

// Arrays are declared in the kernel, in an inlined template, in the module and in a called function. Each array has its
// name and its address.
TEST(Arrays, HaveTheirNames) {
  EXPECT_EQ(described(launched(arrays_kernel("declared", {"out:f32[32]"}))),
            (descriptions{"of_module 0-160 static of 160, 2 sites", "bytes 160-165 static of 5, 2 sites",
                          "aligned 256-768 static of 512, 2 sites", "halves 768-774 static of 6, 2 sites",
                          "buffer 776-968 static of 192, 2 sites", "in_function 1024-1152 static of 128, 2 sites"}));
}

// Parts of dynamic memory have no names. Accesses to the same bytes belong to the same array.
TEST(Arrays, AreSplitByUse) {
  EXPECT_EQ(
      described(launched(arrays_kernel("carved", {"out:f32[32]"}, 384))),
      (descriptions{"fixed 0-128 static of 128, 2 sites", "? 128-384 dynamic, 3 sites", "? 384-512 dynamic, 2 sites"}));
}

// If an access touches two arrays, either the names or the program are wrong. Then both arrays become one array without
// a name.
TEST(Arrays, AreNotNamedAgainstTheEvidence) {
  EXPECT_EQ(described(launched(arrays_kernel("past_the_end", {"out:f32[32]", "i32=0"}))),
            (descriptions{"first 0-128 static of 128, 2 sites", "second 128-256 static of 128, 2 sites"}));
  EXPECT_EQ(described(launched(arrays_kernel("past_the_end", {"out:f32[32]", "i32=4"}))),
            descriptions{"? 0-256 static, 4 sites"});
}

// nvlink places shared variables in an order that the file does not show. If there is only one variable, the address of
// this variable is known.
TEST(Arrays, OfALinkedProgram) {
  const auto load = [](const char* file) {
    auto p = cubin::load(test::read_bytes(test::source_path(file)), file, 90);
    EXPECT_TRUE(p) << to_text(p.error());
    return std::move(*p);
  };
  cubin::program p = load("examples/gemm.cubin");
  EXPECT_FALSE(p.linked);
  EXPECT_TRUE(read_declarations(p, p.kernels[0].mangled)->is_placed);
  p.linked = true;
  EXPECT_FALSE(read_declarations(p, p.kernels[0].mangled)->is_placed);
  EXPECT_TRUE(load("fuzz/corpus/cubin/linked.cubin").linked);
  EXPECT_EQ(described(launched({.cubin = "fuzz/corpus/cubin/linked.cubin",
                                .kernel = "kernel",
                                .arguments = {"f32[64]=iota"},
                                .keep_accesses = most_accesses})),
            descriptions{"s 0-256 static of 256, 2 sites"});
}

// Makes a site that accesses static memory from `begin` to `end`.
touched_bytes touching(u32 begin, u32 end) {
  touched_bytes t;
  t.in_static.add(begin, end);
  return t;
}

TEST(Arrays, ByUseAreWebs) {
  const std::vector<site> sites(4);
  const std::vector<shared_array> arrays =
      find_arrays(std::nullopt, 1024, sites, {touching(300, 340), touching(20, 36), touching(36, 44), touching(40, 60)},
                  {1, 2, 3, 1});
  ASSERT_EQ(arrays.size(), 3u);
  EXPECT_EQ(arrays[0].begin, 20u);
  EXPECT_EQ(arrays[0].end, 36u);
  EXPECT_EQ(arrays[1].begin, 36u);
  EXPECT_EQ(arrays[1].end, 44u);
  EXPECT_EQ(arrays[2].begin, 40u);  // a different array may use the memory between the pieces of this array
  EXPECT_EQ(arrays[2].end, 340u);
  EXPECT_EQ(arrays[2].sites, (std::vector<std::size_t>{0, 3}));
}

// A declared array stays one array. Independent uses of its memory (webs) become phases of the array.
TEST(Arrays, DeclaredOnesHaveTheirWebsAsPhases) {
  const std::vector<site> sites(4);
  const ptx_arrays declared{.fixed = {{"a", 0, 64}, {"b", 64, 64}}, .fixed_bytes = 128};
  const std::vector<shared_array> arrays = find_arrays(
      declared, 128, sites, {touching(0, 64), touching(64, 128), touching(0, 32), touching(16, 64)}, {7, 2, 5, 7});
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays[0].sites, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(arrays[0].phases, (std::vector<std::vector<std::size_t>>{{0, 3}, {2}}));
  EXPECT_EQ(arrays[1].phases, std::vector<std::vector<std::size_t>>{});
}

// --- PTX

std::vector<std::string> placed(std::vector<std::string_view> ptx) {
  const auto d = read_declarations(ptx, "k");
  if (!d) return {"not understood"};
  std::vector<std::string> list;
  for (const ptx_array& a : d->fixed)
    list.push_back(a.name + " " + std::to_string(a.begin) + "+" + std::to_string(a.bytes));
  for (const std::string& name : d->dynamic) list.push_back(name + " dynamic");
  return list;
}

TEST(Declarations, StandInTheOrderOfPtxas) {
  EXPECT_EQ(placed({".version 9.0",
                    ".shared .align 8 .b8 used[24];",
                    ".shared .align 4 .b8 of_others[4];",
                    ".extern .shared .align 16 .b8 pool[];",
                    ".func called();",
                    ".func called()",
                    "{",
                    ".shared .f64 inner;",
                    "}",
                    ".visible .entry other(",
                    ")",
                    "{",
                    ".shared .b8 far[7];",
                    "mov.u32 %r1, of_others;",
                    "}",
                    ".visible .entry k(",
                    ".param .u64 k_param_0",
                    ")",
                    "{",
                    ".shared .align 2 .b8 _ZZ1kvE3own[6];",
                    ".shared .v2 .f32 pairs[3][2]; // a comment }",
                    "mov.u32 %r2, used;",
                    "{ // callseq",
                    "call.uni called, ();",
                    "}",
                    "add.u32 %r1, pool, 1;",
                    "}"}),
            (descriptions{"own 0+6", "pairs 8+48", "used 56+24", "inner 80+8", "pool dynamic"}));
}

// A linked cubin contains several PTX texts. These texts may declare arrays with the same name.
TEST(Declarations, AreThoseOfTheKernelsText) {
  EXPECT_EQ(placed({".version 9.0", ".shared .b32 x[1];", ".entry other()", "{", "mov.u32 %r1, x;", "}", ".version 9.0",
                    ".shared .b32 x[2];", ".entry k()", "{", "mov.u32 %r1, x;", "}"}),
            descriptions{"x 0+8"});
}

TEST(Declarations, ThatAreNotUnderstoodAreNotGuessed) {
  const descriptions no{"not understood"};
  EXPECT_EQ(placed({}), no);
  EXPECT_EQ(placed({".entry j()", "{", "}"}), no);
  for (const char* line : {".shared .b8 x[", ".shared .b8 x[];", ".shared .b8 x[99999999999];",
                           ".shared .b8 x[1048576][1048576];", ".shared .align 3 .b8 x[4];", ".shared .align 0 .b8 x;",
                           ".shared .texref x;", ".shared .b8 x, y;", ".shared", ".shared .b32;", ".shared .b8 x[4"})
    EXPECT_EQ(placed({".entry k()", "{", line, "}"}), no) << line;
}

// --- code that did not run

TEST(Idle, InstructionsAreListed) {
  const launch_report l = launched(arrays_kernel("idle", {"out:f32[32]", "i32=0"}));
  ASSERT_EQ(l.not_executed.size(), 1u);
  const code_place& store = l.not_executed[0];
  EXPECT_NE(store.sass.find("STS"), std::string::npos) << store.sass;
  EXPECT_TRUE(store.file.ends_with("arrays.cu")) << store.file;
  EXPECT_NE(store.line, 0u);
  for (const site& s : l.sites) EXPECT_NE(s.pc, store.pc);
  const launch_report other = launched(arrays_kernel("idle", {"out:f32[32]", "i32=77"}));
  EXPECT_TRUE(other.not_executed.empty());
}

}  // namespace
}  // namespace bankwise
