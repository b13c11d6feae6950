// Tests the results of run --check for kernels that depend on the order of warps, and for similar kernels that are
// correct.
#include <gtest/gtest.h>

#include <set>

#include "profile/profile_launch.hpp"
#include "report/json/read_report.hpp"
#include "report/json/write_report.hpp"
#include "report/sections/hazard_report.hpp"
#include "report/text/run_report.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

constexpr const char *cubin = "tests/kernels/races.cubin", *loops = "tests/kernels/atomic_races.cubin";
using enum hazard_kind;

struct expectation {
  const char* kernel;
  unsigned threads;
  std::vector<std::string> arguments;
  std::set<hazard_kind> found;
  const char* file = cubin;
  std::set<hazard_kind> in_some_orders = {};  // other kinds of the same races, found if the other access comes first
};

const expectation table[] = {
    {"reads_early", 256, {"out:i32[256]"}, {uninitialised, read_after_write, write_after_read}},
    {"reads_in_order", 256, {"out:i32[256]"}, {}},
    {"refills_early", 256, {"out:i32[256]"}, {read_after_write, write_after_read}},
    {"refills_in_order", 256, {"out:i32[256]"}, {}},
    {"writes_together", 256, {"out:i32[256]"}, {write_after_write}},
    {"writes_the_same", 256, {"out:i32[256]"}, {}},
    {"meets_again", 32, {"i32[32]=iota"}, {}},
    {"reduces", 256, {"out:f32[4]", "f32[1024]=iota"}, {}},
    {"writes_bytes", 256, {"out:u8[256]"}, {}},
    // The kernel reads the bins without a barrier. Each order of the warps decides whether the atomic of another warp
    // comes before the read or after it.
    {"counts_early", 256, {"out:i32[64]", "i32[256]=iota"}, {write_after_read}, cubin, {read_after_write}},
    {"counts_in_order", 256, {"out:i32[64]", "i32[256]=iota"}, {}},
    {"hands_over", 64, {"out:i32[32]"}, {}},
    {"hands_over_by_mbarrier", 64, {"out:i32[32]"}, {}},
    {"reads_nothing", 32, {"out:i32[32]"}, {uninitialised}},
    // The load and the swap in a loop count as one atomic. Accesses outside of the loop race with this atomic.
    {"adds_floats", 64, {"out:f32[1]", "i32=256"}, {}, loops},
    {"adds_doubles", 64, {"out:f64[1]", "i32=256"}, {}, loops},
    {"adds_longs", 64, {"out:u64[1]", "i32=256"}, {}, loops},
    {"adds_halves", 64, {"out:u16[1]", "i32=256"}, {}, loops},
    {"adds_one_half", 64, {"out:u16[1]"}, {}, loops},
    {"takes_the_most", 64, {"out:f32[1]", "f32[64]=iota"}, {}, loops},
    {"exchanges", 64, {"out:i32[64]"}, {}, loops},
    {"exchanges_and_looks", 64, {"out:i32[64]"}, {uninitialised}, loops},
};

std::set<hazard_kind> kinds_of(const launch_report& l) {
  std::set<hazard_kind> kinds;
  for (const hazard& h : l.hazards)
    if (!h.is_warning()) kinds.insert(h.kind);
  return kinds;
}

result<test::kernel_run> run(const expectation& e, const checks& wanted, std::uint64_t seed = 0, unsigned grid = 1) {
  return test::run_kernel({.cubin = e.file,
                           .kernel = e.kernel,
                           .grid = {grid, 1, 1},
                           .block = {e.threads, 1, 1},
                           .arguments = e.arguments,
                           .wanted = wanted,
                           .seed = seed});
}

// Without a seed, warps stay in step. Reads that race are then after the writes, so some kinds are not found. But a
// kernel that races has at least one finding in every order.
void expect_kinds(const launch_report& l, const std::set<hazard_kind>& expected,
                  const std::set<hazard_kind>& in_some_orders, bool in_step) {
  const std::set<hazard_kind> found = kinds_of(l);
  for (const hazard_kind k : found) EXPECT_TRUE(expected.contains(k) || in_some_orders.contains(k)) << name_of(k);
  if (!in_step) {
    for (const hazard_kind k : expected) EXPECT_TRUE(found.contains(k)) << name_of(k);
    return;
  }
  const auto races = [](std::set<hazard_kind> kinds) { return kinds.erase(uninitialised), !kinds.empty(); };
  EXPECT_EQ(races(found), races(expected));
}

// A seed determines the same order on every machine. For each order, the check finds exactly the expected kinds of
// hazards.
TEST(Hazards, AreFoundWhereTheyAreAndNowhereElse) {
  for (const expectation& e : table)
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(std::string(e.kernel) + ", seed " + std::to_string(seed));
      const auto got = run(e, {true, true}, seed);
      ASSERT_TRUE(got) << to_text(got.error());
      expect_kinds(got->launch(), e.found, e.in_some_orders, seed == 0);
    }
}

TEST(Hazards, OfCopiesWithoutACommitAreFound) {
  const auto got =
      run({"copies_without_commit", 64, {"out:i32[64]", "i32[64]=iota"}, {}, "tests/kernels/hopper/copy_races.cubin"},
          {false, true});
  ASSERT_TRUE(got) << to_text(got.error());
  EXPECT_EQ(kinds_of(got->launch()), std::set{read_after_write});
}

// Products of a warp group read shared memory asynchronously, also after other threads have passed a barrier.
TEST(Hazards, OfProductsAreFound) {
  using kinds = std::set<hazard_kind>;
  const std::tuple<const char*, unsigned, kinds> products[] = {
      {"multiplies", 128, {}},
      {"multiplies_half_a_tile", 128, {uninitialised}},
      {"multiplies_unfenced", 128, {read_after_write}},
      {"multiplies_early", 128, {read_after_write}},
      {"overwrites_early", 128, {write_after_read}},
      {"hands_over", 160, {}},
      {"hands_over_early", 160, {write_after_read}},
  };
  for (const auto& [kernel, threads, found] : products)
    for (const std::uint64_t seed : {0, 1, 2}) {
      SCOPED_TRACE(std::string(kernel) + ", seed " + std::to_string(seed));
      const auto got =
          run({kernel, threads, {"out:f32[512]"}, {}, "tests/kernels/hopper/product_races.cubin"}, {true, true}, seed);
      ASSERT_TRUE(got) << to_text(got.error());
      // If a stage is freed early, each order of the warps decides whether the product comes before the new tile.
      expect_kinds(got->launch(), found, found.contains(write_after_read) ? kinds{read_after_write} : kinds{}, false);
      for (const hazard& h : got->launch().hazards) {
        EXPECT_EQ(h.cause == hazard_cause::no_async_fence, std::string(kernel) == "multiplies_unfenced");
        const std::string& sass = h.kind == write_after_read ? h.first.sass : h.second.sass;
        EXPECT_NE(sass.find("HGMMA"), std::string::npos) << sass;
      }
    }
}

TEST(Hazards, OfMbarriersThatAreNotYetInitialisedAreFound) {
  using kinds = std::set<hazard_kind>;
  for (const auto& [kernel, found] : {std::pair{"meets", kinds{}}, std::pair{"meets_early", kinds{read_after_write}}}) {
    const auto got = run({kernel, 64, {"out:i32[64]"}, {}, "tests/kernels/hopper/product_races.cubin"}, {true, true});
    ASSERT_TRUE(got) << to_text(got.error());
    EXPECT_EQ(kinds_of(got->launch()), found) << kernel;
  }
}

// The check only searches for the requested kinds. All other results are unchanged.
TEST(Hazards, AreThoseThatWereAskedFor) {
  for (const expectation& e : table) {
    SCOPED_TRACE(e.kernel);
    std::set<hazard_kind> uninit, race = e.found;
    if (race.erase(uninitialised) != 0) uninit.insert(uninitialised);
    const auto only_uninit = run(e, {true, false}), only_race = run(e, {false, true});
    ASSERT_TRUE(only_uninit && only_race);
    expect_kinds(only_uninit->launch(), uninit, {}, true);
    expect_kinds(only_race->launch(), race, e.in_some_orders, true);
  }
}

// A value that no thread has written is a finding only if a result needs it.
TEST(Hazards, ReadsOfUnwrittenValuesCountIfTheyAreUsed) {
  for (const auto& [kernel, is_found] : {std::pair{"merges", false}, std::pair{"merges_wrong", true}}) {
    const auto ran = test::prepare_kernel(
        {.cubin = "tests/kernels/hopper/unused_reads.cubin",
         .kernel = kernel,
         .block = {64, 1, 1},
         .arguments = {"out:i32[64]", "i32=32"}},
        [&](const emulate::launch& l, emulate::device_memory& memory, const auto&) -> result<done> {
          for (const bool is_private : {false, true}) {
            emulate::launch one = l;
            one.memory_is_private = is_private;
            const auto r =
                profile_launch(one, memory, *parse_machine("sm_90"), {}, {.hazards = {.uninitialised = true}});
            if (!r) return r.error();
            EXPECT_EQ(kinds_of(*r).contains(uninitialised), is_found || !is_private) << kernel;
          }
          return done{};
        });
    EXPECT_TRUE(ran) << to_text(ran.error());
  }
}

// The order of execution determines whether the atomic or the other access is first.
TEST(Hazards, OfAtomicsAndOtherAccessesAreFoundInEveryOrder) {
  for (const char* kernel : {"reads_a_sum_early", "clears_late"})
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(std::string(kernel) + ", seed " + std::to_string(seed));
      const auto got = run({kernel, 64, {"out:f32[64]"}, {}, loops}, {false, true}, seed);
      ASSERT_TRUE(got) << to_text(got.error());
      EXPECT_FALSE(got->launch().hazards.empty());
    }
}

// Half of the warp executes a different path.
TEST(Hazards, LanesThatWentApartAreNotInOrder) {
  std::vector<int> half(32);
  for (int i = 16; i < 32; ++i) half[i] = 1;
  using kinds = std::set<hazard_kind>;
  for (const auto& [kernel, found] :
       {std::pair{"diverges", kinds{read_after_write, write_after_read}}, std::pair{"meets_again", kinds{}}}) {
    const auto got = test::run_kernel({.cubin = cubin,
                                       .kernel = kernel,
                                       .arguments = {"i32[32]=file:half"},
                                       .files = {{"half", test::bytes_of(half)}},
                                       .wanted = {true, true}});
    ASSERT_TRUE(got) << to_text(got.error());
    EXPECT_EQ(kinds_of(got->launch()), found) << kernel;
  }
}

TEST(Hazards, NameBothPlaces) {
  const auto got = run(table[0], {false, true});
  ASSERT_TRUE(got) << to_text(got.error());
  ASSERT_FALSE(got->launch().hazards.empty());
  const hazard& h = got->launch().hazards[0];
  EXPECT_EQ(h.kind, read_after_write);
  EXPECT_EQ(h.array, "line");
  EXPECT_TRUE(h.first.sass.starts_with("STS")) << h.first.sass;
  EXPECT_TRUE(h.second.sass.starts_with("LDS")) << h.second.sass;
  EXPECT_EQ(h.first.line + 2, h.second.line);
  EXPECT_NE(h.first.thread, h.second.thread);
}

TEST(Hazards, AreTheSameWhateverTheNumberOfWorkers) {
  for (const std::uint64_t seed : {0, 9}) {
    test::kernel_launch launch{.cubin = cubin,
                               .kernel = "refills_early",
                               .grid = {40, 1, 1},
                               .block = {256, 1, 1},
                               .arguments = {"out:i32[256]"},
                               .threads = 1,
                               .wanted = {true, true},
                               .seed = seed};
    const auto one = test::run_kernel(launch);
    launch.threads = 5;
    const auto five = test::run_kernel(launch);
    ASSERT_TRUE(one && five);
    EXPECT_EQ(one->launch().hazards, five->launch().hazards);
  }
}

// Without a check, races are seen in the first blocks if warps access a word between two barriers. Nothing is reported
// for a kernel without a race.
TEST(Hazards, AreSeenInTheFirstBlocksUnlessAsked) {
  for (const expectation& e : table) {
    SCOPED_TRACE(e.kernel);
    const auto got = run(e, {});
    ASSERT_TRUE(got) << to_text(got.error());
    EXPECT_FALSE(got->launch().checked.any());
    for (const hazard& h : got->launch().hazards)
      EXPECT_TRUE(e.found.contains(h.kind) || e.in_some_orders.contains(h.kind)) << h.first.sass;
    EXPECT_EQ(to_json(got->whole).find("\"checks\""), std::string::npos);
  }
  const auto seen = run(table[0], {}), clean = run(table[1], {});
  ASSERT_TRUE(seen && clean);
  EXPECT_FALSE(seen->launch().hazards.empty());
  EXPECT_NE(to_json(seen->whole).find("\"hazards\""), std::string::npos);
  EXPECT_EQ(to_json(clean->whole).find("\"hazards\""), std::string::npos);
}

// A barrier with a number of threads does not wait for threads that end, in any order of the warps.
TEST(Hazards, OfThreadsThatHaveEndedAreFound) {
  const char* const file = "tests/kernels/missing_barriers.cubin";
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const expectation late{"reads_of_ended", 128, {"out:i32[128]", "i32[64]=iota"}, {read_after_write}, file};
    const expectation right{"reads_of_ended_in_order", 128, {"out:i32[128]", "i32[64]=iota"}, {}, file};
    const auto found = run(late, {false, true}, seed), clean = run(right, {false, true}, seed);
    ASSERT_TRUE(found && clean);
    EXPECT_FALSE(found->launch().hazards.empty()) << seed;
    EXPECT_TRUE(clean->launch().hazards.empty()) << seed;
  }
}

// A missing barrier is reported once for each pair of lines, however many instructions the lines have.
TEST(Hazards, AreOneNoteForEachPairOfLines) {
  launch_report l;
  for (std::uint64_t n = 0; n < 32; ++n) {
    hazard& h = l.hazards.emplace_back();
    h.kind = n % 2 == 0 ? read_after_write : write_after_read;
    h.first.pc = n * 16;
    h.first.file = h.second.file = "a.cu";
    h.first.line = 7;
    h.second.line = 9;
    h.second.pc = 0x1000 + n * 16;
    h.count = 3;
  }
  EXPECT_EQ(hazards_note(l).title.substr(0, 48), "32 races of shared memory, seen in the first blo");
  l.checked.races = true;
  const launch_note note = hazards_note(l);
  EXPECT_EQ(note.title, "32 hazards of shared memory, in 2 pairs of lines (one example each)");
  ASSERT_EQ(note.items.size(), 2u);
  EXPECT_TRUE(note.items[0].where.starts_with("48 times in total, in 16 pairs of instructions. The first time was in "))
      << note.items[0].where;
  // Without source lines, each pair of instructions is one hazard.
  for (hazard& h : l.hazards) h.first.line = h.second.line = 0;
  EXPECT_EQ(hazards_note(l).items.size(), 32u);
}

TEST(Hazards, SurviveTheJson) {
  const auto got = run(table[0], {true, true});
  ASSERT_TRUE(got);
  const auto back = read_report(to_json(got->whole), "report.json");
  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(back->launches[0].hazards, got->launch().hazards);
  EXPECT_EQ(back->launches[0].checked, got->launch().checked);
}

// Results that depend on the order of warps differ between seeds. The same seed always gives the same order.
TEST(Seed, ShowsWhatDependsOnTheOrder) {
  std::set<std::vector<int>> early, in_order, numbers;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const auto& [e, results] : {std::pair{&table[0], &early}, std::pair{&table[1], &in_order}}) {
      const auto once = run(*e, {}, seed), again = run(*e, {}, seed);
      ASSERT_TRUE(once && again);
      EXPECT_EQ(once->buffers, again->buffers);
      results->insert(once->buffer<int>(0));
    }
    const expectation takes{"takes_numbers", 32, {"out:i32[256]", "i32[1]=zero"}, {}};
    const auto taken = run(takes, {}, seed, 8);
    ASSERT_TRUE(taken) << to_text(taken.error());
    numbers.insert(taken->buffer<int>(0));
  }
  EXPECT_GT(early.size(), 1u);
  EXPECT_EQ(in_order.size(), 1u);
  EXPECT_GT(numbers.size(), 2u);
}

// Lanes that are in order only because they run together are a warning. A meeting of the lanes is an order.
TEST(Hazards, OfLanesInStepAreWarnings) {
  struct expected {
    const char* kernel;
    unsigned threads;
    std::vector<std::string> arguments;
    bool warns, fails;
  };
  for (const expected& e : {expected{"reduces_in_step", 32, {"out:i32[32]"}, true, false},
                            {"reduces_with_meetings", 32, {"out:i32[32]"}, false, false},
                            {"spreads_in_step", 32, {"out:i32[32]"}, true, false},
                            {"spreads_after_meeting", 32, {"out:i32[32]"}, false, false},
                            {"meets_in_halves", 32, {"out:i32[32]"}, false, false},
                            {"reads_other_half", 32, {"out:i32[32]"}, true, false},
                            {"stores_in_pairs", 32, {"out:i32[32]"}, false, true},
                            {"waits_for_copies", 64, {"out:i32[64]", "i32[128]=iota"}, false, false},
                            {"waits_for_one_copy", 64, {"out:i32[64]", "i32[128]=iota"}, false, true}})
    for (const std::uint64_t seed : {0, 3}) {
      SCOPED_TRACE(std::string(e.kernel) + ", seed " + std::to_string(seed));
      const auto got =
          run({e.kernel, e.threads, e.arguments, {}, "tests/kernels/lanes_in_step.cubin"}, {false, true}, seed);
      ASSERT_TRUE(got) << to_text(got.error());
      bool warns = false, fails = false;
      for (const hazard& h : got->launch().hazards) {
        (h.is_warning() ? warns : fails) = true;
        EXPECT_EQ(h.first.thread[0] / 32 == h.second.thread[0] / 32, h.is_warning() || h.first.pc == h.second.pc);
      }
      EXPECT_EQ(warns, e.warns);
      EXPECT_EQ(fails, e.fails);
    }
}

}  // namespace
}  // namespace bankwise
