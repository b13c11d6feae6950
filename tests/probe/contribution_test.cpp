// Tests files that users contribute: the H100's file as a user would send it, results of simulated GPUs, and
// manipulated files.
#include "gpu/probe/contribution.hpp"

#include <gtest/gtest.h>

#include "bankwise/wavefronts.hpp"
#include "base/text.hpp"
#include "support/files.hpp"

namespace bankwise::probe {
namespace {

std::string h100() { return test::read_text(test::source_path("data/sm_90/evidence.json")); }

std::string changed(const std::string& from, const std::string& to) {
  std::string text = h100();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Returns "no error", or the error message, with its line if there is one.
std::string said_of(const std::string& text) {
  const auto e = read_contribution(text, "sent.json");
  if (e) return "no error";
  EXPECT_EQ(e.error().where.file, "sent.json");
  const u32 line = e.error().where.line;
  return (line == 0 ? "" : "line " + std::to_string(line) + ": ") + e.error().message;
}

TEST(Contribution, TakesWhatAnH100Wrote) {
  const auto e = read_contribution(h100(), "sent.json");
  ASSERT_TRUE(e) << to_text(e.error());
  const contribution c = contribution_of(*e, "data/sm_90/x.json");
  EXPECT_EQ(c.arch, "sm_90");
  EXPECT_EQ(c.gpu, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(c.timed, 28 * 4000 + 18u);
  EXPECT_EQ(c.timed_holds, c.timed);
  EXPECT_EQ(c.counted, 28 * 40 + 18u);
  EXPECT_EQ(file_stem(e->on), "sm_90-nvidia-h100-80gb-hbm3");
}

TEST(Contribution, TakesAnotherGpuOfTheSameKind) {
  EXPECT_EQ(said_of(changed("NVIDIA H100 80GB HBM3", "NVIDIA H200")), "no error");
}

// Makes the results of simulated GPUs: an sm_80 that follows the rule, and a GPU whose wide loads never merge.
gpu_evidence played(const bank_model& gpu) {
  const meter counter = [gpu](const probed_operation&, std::span<const access> all) -> result<std::vector<double>> {
    std::vector<double> counts;
    for (const access& a : all) counts.push_back(wavefronts(a, gpu));
    return counts;
  };
  const meter clocks = [gpu](const probed_operation&, std::span<const access> all) -> result<std::vector<double>> {
    std::vector<double> times;
    for (const access& a : all) times.push_back(analyze(a, gpu).cycles);
    return times;
  };
  gpu_facts on;
  on.name = "NVIDIA A100-SXM4-40GB";
  on.sm = 80;
  on.multiprocessors = 108;
  on.clock_khz = 1'410'000;
  on.shared_bytes_per_block = 163 * 1024;
  on.driver = 12040;
  probe_options options;
  options.timed = least_timed;
  options.counted = least_counted;
  auto e = gather(on, *parse_machine("sm_80"), {clocks, {}, counter}, options,
                  [](std::uint64_t, std::uint64_t, std::string_view) {});
  EXPECT_TRUE(e);
  e->notes.push_back("no counters were read: libcupti.so of somebody cannot be loaded");
  keep_private(*e);
  return *e;
}

TEST(Contribution, OfAPlayedGpuIsTakenWhateverItShows) {
  const gpu_evidence good = played(maxwell_model());
  EXPECT_TRUE(good.holds());
  EXPECT_EQ(said_of(to_json(good)), "no error");
  EXPECT_EQ(to_json(good).find("somebody"), std::string::npos);

  bank_model never_merges = maxwell_model();
  never_merges.merges_loads = false;
  const gpu_evidence differs = played(never_merges);
  EXPECT_FALSE(differs.holds());
  const auto e = read_contribution(to_json(differs), "sent.json");
  ASSERT_TRUE(e) << to_text(e.error());
  const contribution c = contribution_of(*e, "x.json");
  EXPECT_LT(c.counted_holds, c.counted);
}

TEST(Contribution, OfTheWrongMachineIsRefused) {
  EXPECT_EQ(said_of(changed("\"sm\": 90", "\"sm\": 91")), "gpu.sm: bankwise has no rule for sm_91");
  EXPECT_EQ(said_of(changed("\"sm\": 90", "\"sm\": 80")),
            "rule: a GPU with sm_80 was compared with the rule for 'sm_90'");
  EXPECT_EQ(said_of(changed("\"rule\": \"sm_90\"", "\"rule\": \"10x4\"")),
            "rule: a GPU with sm_90 was compared with the rule for '10x4'");
  EXPECT_EQ(said_of(changed("232448", "101376")),
            "gpu.shared_bytes_per_block is 101376, but a block on sm_90 has 232448 bytes");
  EXPECT_EQ(said_of(changed("\"multiprocessors\": 132", "\"multiprocessors\": 0")),
            "gpu.multiprocessors is 0, which is not possible");
  EXPECT_EQ(said_of(changed("\"driver\": 13000", "\"driver\": 1")),
            "gpu.driver is 1, which is not possible. As an example, 13000 is CUDA 13.0");
}

TEST(Contribution, OfAPartIsRefused) {
  EXPECT_EQ(said_of(changed("\"patterns\": 4000", "\"patterns\": 4001")).substr(0, 6), "random");
  EXPECT_EQ(said_of(changed("\"operation\": \"ld.b16\", \"by\": \"cycles\"",
                            "\"operation\": \"ld.b32\", \"by\": \"cycles\"")),
            "random[1].operation must be 'ld.b16'");
  EXPECT_EQ(said_of(changed("\"patterns\": 4000, \"holds\": 4000", "\"patterns\": 400, \"holds\": 400")),
            "random[0].patterns is 400, but must be at least 2000");
  EXPECT_EQ(said_of(changed("\"holds\": 4000", "\"holds\": 3999")),
            "random[0]: at least one access differs, but the smallest differing access is missing");
  EXPECT_EQ(said_of(changed("\"found\"", "\"lost\"")), "the key 'found' is missing, and no note gives the reason");
}

TEST(Contribution, WithKeysOfItsOwnIsRefusedWithTheLine) {
  EXPECT_EQ(said_of(changed("\"seed\": 1,", "\"seed\": 1,\n  \"by\": \"me\",")).substr(0, 5), "line ");
  EXPECT_EQ(said_of(changed("  \"rule\":", "  \"host\": \"box\",\n  \"rule\":")),
            "line 12: the probe does not write this line");
  EXPECT_EQ(said_of(changed("\"holds\": true", "\"holds\": false")), "line 14: the probe does not write this line");
  EXPECT_NE(said_of(h100() + "\n"), "no error");
  EXPECT_NE(said_of(changed("\"sm\": 90", "\"sm\": 75, \"sm\": 90")), "no error");
}

TEST(Contribution, HasNoTextsOfItsOwn) {
  EXPECT_EQ(said_of(changed("NVIDIA H100 80GB HBM3", "NVIDIA \\u001b[31mH100")), "gpu.name is not the name of a GPU");
  EXPECT_EQ(said_of(changed("NVIDIA H100 80GB HBM3", "a GPU of somebody@example.org")),
            "gpu.name is not the name of a GPU");
  EXPECT_EQ(said_of(changed("\"notes\": []", "\"notes\": [\"I am Somebody\"]")),
            "notes: the file has a note that the probe does not write");
  EXPECT_EQ(said_of(changed("\"version\": \"0.1.0\"", "\"version\": \"mine\"")),
            "tool.version is not a version number");
}

TEST(Contribution, IsNotLarge) {
  EXPECT_EQ(said_of(std::string(std::size_t{1} << 19, ' ')),
            "the file has 524,288 bytes, but a contribution has at most 262,144 bytes");
  EXPECT_EQ(said_of("{"), "the file is not valid JSON");
  EXPECT_EQ(said_of(""), "the file is not valid JSON");
}

TEST(Contribution, TheTableComesBackAsItWasWritten) {
  const auto ours = contributions_of_this();
  ASSERT_TRUE(ours);
  EXPECT_EQ(to_csv(*ours), test::read_text(test::source_path("data/contributed.csv")));
  EXPECT_FALSE(read_contributions("arch,gpu\nsm_90,x\n", "t.csv"));
  EXPECT_FALSE(read_contributions(to_csv({}) + "sm_90,x,many,1,1,1,1,0.1.0,f\n", "t.csv"));
}

}  // namespace
}  // namespace bankwise::probe
