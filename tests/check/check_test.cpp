// Tests budgets, baselines and suppressions: what each reader accepts, and what makes a check fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "check/config_edit.hpp"
#include "check/ignore_list.hpp"
#include "check/suppressions.hpp"
#include "check/verdict.hpp"
#include "support/examples.hpp"
#include "support/kernel_run.hpp"

namespace bankwise::check {
namespace {

using test::transposed;
constexpr std::uint64_t conflict = 4 * 8 * 4 * 31;

// Makes a source of twenty lines. `after` is appended to line 18, and `above` replaces line 17 if `above` is not empty.
std::string source_with(const std::string& after, const std::string& above = {}) {
  std::string text;
  for (int n = 1; n <= 20; ++n)
    text += (n == 17 && !above.empty() ? above : "line " + std::to_string(n) + ";" + (n == 18 ? after : "")) + "\n";
  return text;
}

verdict judged(const std::string& toml, fail_on fails = fail_on::fresh,
               std::optional<std::vector<known_finding>> baseline = {}, const std::string& source = {}) {
  auto c = read_config(toml, "bankwise.toml");
  EXPECT_TRUE(c) << to_text(c.error());
  return judge({{transposed()}, {}, std::move(*c), fails, std::move(baseline), [&](const std::string&) {
                  return source.empty() ? std::nullopt : std::optional(source);
                }});
}

TEST(Config, IsRead) {
  const auto c = read_config(
      "reports = [\"a.json\", \"b.json\"]\nbaseline = \"known.json\"\nfail-on = \"budget\"\n\n"
      "[[budget]]\nkernel = \"gemm*\"\nline = \"src/gemm.cu:20\"\nwavefronts = 1_000\nexcess = 0\nremovable = 2\n"
      "ratio = 1.5\n[[budget]]\nkernel = \"*\"\nratio = 2\n",
      "bankwise.toml");
  ASSERT_TRUE(c) << to_text(c.error());
  EXPECT_EQ(c->reports, (std::vector<std::string>{"a.json", "b.json"}));
  EXPECT_EQ(c->baseline, "known.json");
  EXPECT_EQ(c->fails, fail_on::budget);
  ASSERT_EQ(c->budgets.size(), 2u);
  EXPECT_EQ(c->budgets[0].file, "src/gemm.cu");
  EXPECT_EQ(c->budgets[0].line, 20u);
  EXPECT_EQ(c->budgets[0].find("wavefronts")->most, 1000u);
  EXPECT_EQ(c->budgets[0].config_line, 5u);
  EXPECT_EQ(c->budgets[1].find("ratio")->ratio, 2.0);
}

TEST(ConfigEdit, ReplacesTheValueAlone) {
  std::string text =
      "# ours\n[[budget]]\nkernel = \"a = b\"  # not this = one\nwavefronts = 1_000  # room\n\n[[budget]]\nkernel = "
      "\"*\"\n\"ratio\" = 2.5\n";
  set_value(text, 2, "wavefronts", "12");
  set_value(text, 6, "ratio", "1.25");
  set_value(text, 2, "removable", "3");
  EXPECT_EQ(text,
            "# ours\n[[budget]]\nkernel = \"a = b\"  # not this = one\nwavefronts = 12  # room\nremovable = "
            "3\n\n[[budget]]\nkernel = \"*\"\n\"ratio\" = 1.25\n");
}

kernel_names named(const std::string& instance) {
  const std::string bare = instance.substr(0, instance.find('<'));
  return {instance, bare, "void " + instance + "(int)", ""};
}

TEST(ConfigEdit, WritesABudgetForEachInstance) {
  const std::string text =
      "[[run]]\nname = \"r\"\ncommand = \"x\"\n[[run.budget]]\nkernel = \"k\"\nelapsed-cycles = 9\n";
  const auto known = read_config(text, "bankwise.toml");
  ASSERT_TRUE(known) << to_text(known.error());
  const auto limits = [](std::uint64_t cycles, std::uint64_t nanoseconds) {
    std::vector<limit> list;
    for (const limit_row& row : limit_rows) {
      if (row.of == measure::elapsed_cycles) list.push_back({&row, cycles});
      if (row.of == measure::nanoseconds) list.push_back({&row, nanoseconds});
    }
    return list;
  };
  const std::string after = with_run(
      text, *known, known->runs[0],
      {{named("k<float*>"), limits(7, 2'931)}, {named("k<1>"), limits(40, 12'345)}, {named("l"), limits(1, 987)}});
  // The budget of the bare name keeps its unit, and has the highest time.
  EXPECT_EQ(after,
            "[[run]]\nname = \"r\"\ncommand = \"x\"\n[[run.budget]]\nkernel = \"k\"\nelapsed-cycles = 40\n"
            "[[run.budget]]\nkernel = 'k<float\\*>'\nmicroseconds = 2.94\n[[run.budget]]\nkernel = \"k<1>\"\n"
            "microseconds = 12.4\n[[run.budget]]\nkernel = \"l\"\nmicroseconds = 0.987\n");
  const auto again = read_config(after, "bankwise.toml");
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_EQ(again->budgets[1].kernel, "k<float\\*>");
  EXPECT_EQ(
      with_run(
          after, *again, again->runs[0],
          {{named("k<float*>"), limits(7, 2'931)}, {named("k<1>"), limits(40, 12'345)}, {named("l"), limits(1, 987)}}),
      after);
}

TEST(BudgetKernels, AreNamedExactlyOrByAPattern) {
  const std::vector<kernel_names> all = {
      named("k<float*>"), named("k<float>"), named("k<floats>"), named("kl"), {"k(int)", "k", "k(int)", "_Z1ki"}};
  const auto chosen = [&](std::string_view text) {
    std::string list;
    const std::vector<bool> is_for = kernels_of_budget(text, all);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (is_for[i]) list += std::to_string(i);
    return list;
  };
  EXPECT_EQ(chosen("k<float*>"), "0");  // not a pattern, because it is the name of a kernel
  EXPECT_EQ(chosen("k<float\\*>"), "0");
  EXPECT_EQ(chosen("k<float>"), "1");
  EXPECT_EQ(chosen("k< float >"), "1");
  EXPECT_EQ(chosen("void k<float>(int)"), "1");
  EXPECT_EQ(chosen("k<f*>"), "012");
  EXPECT_EQ(chosen("k"), "0124");
  EXPECT_EQ(chosen("k(int)"), "4");
  EXPECT_EQ(chosen("_Z1ki"), "4");
  EXPECT_EQ(chosen("k*"), "01234");
  EXPECT_EQ(chosen("k<int*>"), "");
  EXPECT_EQ(chosen("k<double\\*>"), "");
  for (const kernel_names& k : all) EXPECT_EQ(chosen(budget_text(k)), chosen(k.instance)) << k.instance;
}

TEST(ConfigEdit, UpdatesARunAndNothingElse) {
  const std::string text =
      "fail-on = \"budget\"  # why\n\n[[run]]\nname = \"first\"  # small\ncommand = \"x\"\n[[run.budget]]\nkernel = "
      "\"a\"\nwavefronts = 9  # today\n# of the old one\n[[run.budget]]\nkernel = \"gone\"\nremovable = 1\n\n[[run]]\n"
      "name = \"second\"\ncommand = \"y\"\n[[run.budget]]\nkernel = \"a\"\nwavefronts = 5\n";
  const auto known = read_config(text, "bankwise.toml");
  ASSERT_TRUE(known) << to_text(known.error());
  run_entry run = known->runs[0];
  run.command = "x 'a \\ b'";
  const auto row = [](std::string_view key) {
    return std::find_if(std::begin(limit_rows), std::end(limit_rows), [&](const limit_row& r) { return key == r.key; });
  };
  const auto limits = [&](std::uint64_t wavefronts, std::uint64_t removable) {
    return std::vector<limit>{{row("wavefronts"), wavefronts}, {row("removable"), removable}};
  };
  EXPECT_EQ(
      with_run(text, *known, run, {{named("a"), limits(7, 2)}, {named("new"), limits(4, 1)}}),
      "fail-on = \"budget\"  # why\n\n[[run]]\nname = \"first\"  # small\ncommand = \"x 'a \\\\ b'\"\n[[run.budget]]\n"
      "kernel = \"a\"\nwavefronts = 7  # today\n# of the old one\n[[run.budget]]\nkernel = \"new\"\nwavefronts = "
      "4\nremovable = 1\n\n[[run]]\nname = \"second\"\ncommand = \"y\"\n[[run.budget]]\nkernel = \"a\"\n"
      "wavefronts = 5\n");
}

TEST(Config, ErrorsSayWhere) {
  const auto error = [](const std::string& text) {
    const auto c = read_config(text, "b.toml");
    EXPECT_FALSE(c) << text;
    return c ? diagnostic{} : c.error();
  };
  const diagnostic typo = error("[[budget]]\nkernel = \"k\"\n  wavefront = 3\n");
  EXPECT_EQ(typo.message, "unknown key 'wavefront'");
  EXPECT_EQ(typo.where.file, "b.toml");
  EXPECT_EQ(typo.where.line, 3u);
  EXPECT_EQ(typo.where.column, 3u);
  EXPECT_EQ(typo.hint, "did you mean wavefronts?");
  EXPECT_EQ(error("a = \"").where.line, 1u);
  EXPECT_EQ(error("[[budget]]\nkernel = 1\nratio = 2").where.line, 2u);
  EXPECT_EQ(error("[budget]\nkernel = \"k\"").message, "budget: expected tables");
  EXPECT_FALSE(error("fail-on = \"new\nline\"").message.empty());
  EXPECT_FALSE(error("reports = [1]").message.empty());
  EXPECT_EQ(error("\n [ #c").where.line, 2u);
  EXPECT_EQ(error("a = [}").where.line, 1u);
  EXPECT_EQ(error("a = 1\nk \xc3\xa4 = 2").where.column, 3u);
  EXPECT_EQ(error("a = 2\"b\"").where.column, 6u);
  EXPECT_EQ(error("a = 2[\"b\"]").where.column, 6u);
  EXPECT_EQ(error("budget = [{kernel = \"k\"}]").where.column, 11u);
  EXPECT_EQ(error("a = \"b").message, "not valid TOML: a quote opens on this line and is never closed");
  EXPECT_EQ(error("a = \"\"\"b\"\"\"").where.column, 5u);
  for (const char* ratio : {"nan", "inf", "0.9", "\"2\""})
    EXPECT_EQ(error(std::string("[[budget]]\nkernel = \"k\"\nratio = ") + ratio).where.line, 3u) << ratio;
  EXPECT_FALSE(error(std::string(100'000, '[')).message.empty());
}

TEST(Config, RunsHaveBudgetsOfTheirOwn) {
  const auto c = read_config(
      "cache = \"build/reports\"\n[[budget]]\nkernel = \"*\"\nremovable = 9\n"
      "[[run]]\nname = \"one\"\ncommand = \"a.cu -k 'k<int>'\"\ninputs = [\"*.npy\"]\n[[run.budget]]\nremovable = 0\n"
      "[[run.budget]]\nkernel = \"k\"\nwavefronts = 4\n[[run]]\nname = \"two.2\"\ncommand = \"./app 64\"\n",
      "bankwise.toml");
  ASSERT_TRUE(c) << to_text(c.error());
  EXPECT_EQ(c->cache, "build/reports");
  ASSERT_EQ(c->runs.size(), 2u);
  EXPECT_EQ(c->runs[0].command, "a.cu -k 'k<int>'");
  EXPECT_EQ(c->runs[0].inputs, std::vector<std::string>{"*.npy"});
  EXPECT_EQ(c->runs[0].config_line, 5u);
  ASSERT_EQ(c->budgets.size(), 3u);
  EXPECT_EQ(c->budgets[0].run, "");
  EXPECT_EQ(c->budgets[1].run, "one");
  EXPECT_EQ(c->budgets[1].kernel, "*");
  EXPECT_EQ(c->budgets[2].kernel, "k");
}

TEST(Check, ABudgetOfARunIsForItsReportsAlone) {
  const std::string toml =
      "[[run]]\nname = \"one\"\ncommand = \"x\"\n[[run.budget]]\nremovable = 0\n[[run]]\nname = \"two\"\n"
      "command = \"y\"\n";
  const auto failed = [&](const std::vector<std::string>& runs) {
    verdict_question q{{transposed(), transposed()}, runs, *read_config(toml, "bankwise.toml"), fail_on::budget};
    const verdict v = judge(q);
    return std::count_if(v.findings.begin(), v.findings.end(), [](const finding& f) { return f.fails; });
  };
  EXPECT_EQ(failed({"two", "one"}), 1);
  EXPECT_EQ(failed({"two", "two"}), 0);
  EXPECT_EQ(failed({}), 0);
  EXPECT_EQ(failed({"", "one"}), 1);
}

TEST(Config, TextsAndCommentsMayHaveAnyLetters) {
  const auto c = read_config("reports = [\"k\xc3\xa4se.json\"]  # \xef\xb8\x8f \xe3\x80\x82 \xc3\xa4\n", "b.toml");
  ASSERT_TRUE(c) << to_text(c.error());
  EXPECT_EQ(c->reports[0], "k\xc3\xa4se.json");
}

TEST(Config, PatternsMatchWholeNames) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*c", "abbc"));
  EXPECT_TRUE(matches("a?c*", "abc"));
  EXPECT_TRUE(matches("*b*b", "abab"));
  EXPECT_FALSE(matches("a*c", "abcd"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_FALSE(matches("?", ""));
  EXPECT_TRUE(matches("a\\*", "a*"));
  EXPECT_FALSE(matches("a\\*", "ab"));
  EXPECT_TRUE(matches("*\\?", "ab?"));
  EXPECT_TRUE(matches("\\", "\\"));
  EXPECT_FALSE(matches(std::string(40, '*') + "x", std::string(20'000, 'a')));  // matching this pattern must be fast
}

TEST(Budget, FailsAboveAndNotAt) {
  const auto at = [](const std::string& limit) {
    return judged("[[budget]]\nkernel = \"transpose_p*\"\n" + limit, fail_on::budget);
  };
  EXPECT_FALSE(at("removable = " + std::to_string(conflict)).failed);
  const verdict v = at("removable = " + std::to_string(conflict - 1));
  EXPECT_TRUE(v.failed);
  EXPECT_EQ(v.findings.back().what->id, over_budget);
  EXPECT_EQ(v.findings.back().line, 18u);
  EXPECT_FALSE(at("line = \"transpose.cu:15\"\nexcess = 0").failed);
  EXPECT_TRUE(at("line = \"transpose.cu:18\"\nexcess = 0").failed);
  EXPECT_TRUE(at("line = \"examples/transpose.cu:18\"\nratio = 31.9").failed);
  EXPECT_FALSE(at("line = \"transpose.cu:18\"\nratio = 32").failed);
  EXPECT_FALSE(judged("[[budget]]\nkernel = \"*\"\nremovable = 0", fail_on::never).failed);
}

// A budget that applies to nothing would never fail, so check reports such a budget. Either the budget's kernel was
// renamed or the budget's line moved, so nothing limits the present cost.
TEST(Budget, ForNothingFails) {
  for (const auto& [toml, message] :
       {std::pair("[[budget]]\nkernel = \"gemm\"\nremovable = 0",
                  "this budget checks nothing, because no launch in these reports has a kernel that matches "
                  "'gemm'"),
        std::pair("[[budget]]\nkernel = \"*\"\nline = \"pose.cu:18\"\nremovable = 0",
                  "this budget checks nothing, because there is no access to shared memory at pose.cu:18 in *")}) {
    const verdict v = judged(toml, fail_on::budget);
    EXPECT_TRUE(v.failed);
    ASSERT_FALSE(v.findings.empty());
    const finding& f = v.findings.back();
    EXPECT_EQ(f.what->id, lost_budget);
    EXPECT_EQ(f.message, message);
    EXPECT_EQ(f.file, "bankwise.toml");
    EXPECT_EQ(f.line, 1u);
    EXPECT_TRUE(std::any_of(v.to_do.begin(), v.to_do.end(),
                            [](const std::string& s) { return s.find("bankwise.toml:1") != std::string::npos; }));
  }
  EXPECT_FALSE(judged("[[budget]]\nkernel = \"gemm\"\nremovable = 0", fail_on::never).failed);
}

// The reports of some runs were not read. The budget for kernel gemm may apply to one of these runs. So check prints a
// note, and does not fail.
TEST(Budget, MayBeForARunThatWasLeftOut) {
  auto c = read_config("[[budget]]\nkernel = \"gemm\"\nremovable = 0", "bankwise.toml");
  ASSERT_TRUE(c);
  verdict_question q{{transposed()}, {}, std::move(*c), fail_on::budget, {}, {}};
  q.has_all = false;
  const verdict v = judge(q);
  EXPECT_FALSE(v.failed);
  EXPECT_EQ(v.notes.at(0),
            "bankwise.toml:1: no launch in these reports has a kernel that matches 'gemm'. The reports of the other "
            "runs were not read");
}

TEST(Budget, WithRoomSaysHowLowItCanBe) {
  const auto loose = [](const std::string& limit) { return judged("[[budget]]\nkernel = \"*\"\n" + limit).loose; };
  const auto room = loose("removable = " + std::to_string(conflict + 5));
  ASSERT_EQ(room.size(), 1u);
  EXPECT_EQ(room[0].config_line, 1u);
  EXPECT_EQ(room[0].key, "removable");
  EXPECT_EQ(room[0].is, std::to_string(conflict));
  EXPECT_TRUE(loose("removable = " + std::to_string(conflict)).empty());
  EXPECT_TRUE(loose("removable = " + std::to_string(conflict - 1)).empty());  // this budget is not met
  const auto ratio = loose("line = \"transpose.cu:18\"\nratio = 40");
  ASSERT_EQ(ratio.size(), 1u);
  EXPECT_EQ(ratio[0].is, "32.00");
  EXPECT_TRUE(loose("line = \"transpose.cu:18\"\nratio = 32").empty());
}

// A report of a sample of a launch. The estimate of 4,063,232 removable wavefronts is correct.
report sampled(std::uint64_t ctas = 100) {
  auto run = test::run_kernel({.cubin = "examples/transpose.cubin",
                               .kernel = "transpose_plain",
                               .grid = {64, 64, 1},
                               .block = {32, 8, 1},
                               .arguments = {"out:f32[2048*2048]", "f32[2048*2048]=iota", "i32=2048"},
                               .ctas = ctas});
  EXPECT_TRUE(run) << to_text(run.error());
  return std::move(run->whole);
}

TEST(Budget, IsNotDecidedInsideAnInterval) {
  const auto about = [](const std::string& limit) {
    auto c = read_config("[[budget]]\nkernel = \"*\"\n" + limit + "\n", "bankwise.toml");
    EXPECT_TRUE(c) << to_text(c.error());
    return judge({{sampled()}, {}, std::move(*c), fail_on::budget, {}, {}});
  };
  for (const char* limit : {"removable = 3_000_000", "wavefronts = 4_000_000", "excess = 3_000_000", "ratio = 10"}) {
    const verdict v = about(limit);
    EXPECT_TRUE(v.failed) << limit;
    EXPECT_FALSE(v.undecided) << limit;
    EXPECT_NE(v.findings.back().message.find(*limit == 'r' && limit[1] == 'a' ? "ideal" : "at least"),
              std::string::npos)
        << v.findings.back().message;
  }
  for (const char* limit : {"removable = 5_000_000", "wavefronts = 5_000_000", "excess = 5_000_000", "ratio = 20"}) {
    const verdict v = about(limit);
    EXPECT_FALSE(v.failed || v.undecided) << limit;
    EXPECT_TRUE(std::any_of(v.passed.begin(), v.passed.end(), [](const auto& p) { return p.group == "budgets"; }));
  }
  // If a limit is slightly below or above the estimate, check cannot decide whether the limit is exceeded.
  for (const char* limit : {"removable = 4_063_231", "removable = 4_063_232", "wavefronts = 4_325_376",
                            "excess = 4_063_232", "ratio = 16.5", "ratio = 16.4"}) {
    const verdict v = about(limit);
    EXPECT_FALSE(v.failed) << limit;
    EXPECT_TRUE(v.undecided) << limit;
    EXPECT_TRUE(std::any_of(v.notes.begin(), v.notes.end(), [](const std::string& n) {
      return n.find("cannot decide") != std::string::npos;
    })) << limit;
    EXPECT_TRUE(std::none_of(v.passed.begin(), v.passed.end(), [](const auto& p) { return p.group == "budgets"; }));
  }
}

// A difference that may be random is not a regression.
TEST(Baseline, IsNotWorseInsideAnInterval) {
  const auto compared = [](double than) {
    report r = sampled();
    std::vector<known_finding> known = baseline_of(findings_of(r));
    EXPECT_EQ(known.size(), 1u);
    known[0].amount = static_cast<std::uint64_t>(static_cast<double>(known[0].amount) * than);
    return judge({{std::move(r)}, {}, {}, fail_on::fresh, std::move(known), {}}).findings.at(0).compared;
  };
  EXPECT_EQ(compared(1), novelty::known);
  EXPECT_EQ(compared(0.99), novelty::known);
  EXPECT_EQ(compared(0.9), novelty::worse);
}

TEST(Baseline, OnlyNewAndWorseFail) {
  const std::vector<known_finding> known = baseline_of(judged("").findings);
  ASSERT_EQ(known.size(), 1u);
  EXPECT_TRUE(judged("").failed);
  EXPECT_FALSE(judged("", fail_on::fresh, known).failed);
  EXPECT_TRUE(judged("", fail_on::any, known).failed);
  EXPECT_TRUE(judged("", fail_on::fresh, std::vector<known_finding>{}).failed);
  auto fewer = known;
  --fewer[0].amount;
  EXPECT_TRUE(judged("", fail_on::fresh, fewer).failed);
  auto more = known;
  more[0].amount += 5;
  more.push_back({"0123456789abcdef", "BW101", 1, "k", "a.cu:1", ""});
  const verdict v = judged("", fail_on::fresh, more);
  EXPECT_FALSE(v.failed);
  EXPECT_EQ(v.gone.size(), 1u);
}

TEST(Baseline, ReadsWhatItWrote) {
  const std::vector<known_finding> known = baseline_of(judged("").findings);
  const std::string text = to_json(known);
  const auto back = read_baseline(text, "b.json");
  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(to_json(*back), text);
  for (
      const char* wrong :
      {"", "[]", "{}", R"({"schema":"bankwise.baseline/2","findings":[]})", R"({"schema":"bankwise.baseline/1"})",
       R"({"schema":"bankwise.baseline/1","findings":[3]})",
       R"({"schema":"bankwise.baseline/1","findings":[{"fingerprint":"0123456789abcdef","rule":"BW9","amount":1}]})",
       R"({"schema":"bankwise.baseline/1","findings":[{"fingerprint":"0123","rule":"BW101","amount":1}]})",
       R"({"schema":"bankwise.baseline/1","findings":[{"fingerprint":"0123456789abcdef","rule":"BW101","amount":-1}]})"})
    EXPECT_FALSE(read_baseline(wrong, "b.json")) << wrong;
}

TEST(Suppressions, AreComments) {
  const auto one = [](const std::string& text) {
    const auto all = read_suppressions(text);
    return all.size() == 1 ? all[0] : suppression{};
  };
  EXPECT_EQ(one("x;  // bankwise: ignore BW101 -- once").reason, "once");
  EXPECT_EQ(one("x; /* bankwise: ignore bw101, BW102 -- once */").kinds, (std::vector<std::string>{"BW101", "BW102"}));
  EXPECT_EQ(one("x  # bankwise: ignore BW101 -- in Python").wrong, "");
  EXPECT_EQ(one("// bankwise: ignore BW101 -- above\n// and more\n\nx;").line, 4u);
  EXPECT_EQ(one("\nx; // bankwise: ignore BW101 -- next").line, 2u);
  EXPECT_EQ(one("x; // bankwise: ignore BW101").wrong, "the comment gives no reason");
  EXPECT_EQ(one("x; // bankwise: ignore BW101 --  ").wrong, "the comment gives no reason");
  EXPECT_EQ(one("x; // bankwise: ignore -- once").wrong, "the comment names no finding");
  EXPECT_EQ(
      one("x; // bankwise: ignore BW201 -- once").wrong,
      "'BW201' cannot be ignored, because it is not the ID of a finding, or because it is about a budget or a comment");
  EXPECT_EQ(one("x; // bankwise: ignore BW403 -- polled").kinds, std::vector<std::string>{"BW403"});
  EXPECT_EQ(one("x; // bankwise: allow BW101").wrong, "expected 'ignore' after 'bankwise:'");
  EXPECT_TRUE(
      read_suppressions("#include <bankwise/bankwise.hpp>\nbankwise::ld(4); // see bankwise: it says so").empty());
}

TEST(IgnoreEntries, NameKindsKernelsAndLines) {
  const auto c = read_config(
      "[[ignore]]\nfinding = [\"race\", \"bw402\"]\nkernel = \"scan*\"\nline = \"src/scan.cu:31\"\nreason = \"polled\"",
      "b.toml");
  ASSERT_TRUE(c) << to_text(c.error());
  ASSERT_EQ(c->ignores.size(), 1u);
  const ignore_entry& e = c->ignores[0];
  EXPECT_EQ(e.findings, (std::vector<std::string>{"BW403", "BW405", "BW406", "BW402"}));
  EXPECT_EQ(e.kernel, "scan*");
  EXPECT_EQ(e.file, "src/scan.cu");
  EXPECT_EQ(e.line, 31u);
  EXPECT_EQ(e.reason, "polled");
  for (const char* wrong :
       {"[[ignore]]\nfinding = \"race\"", "[[ignore]]\nreason = \"x\"",
        "[[ignore]]\nfinding = \"BW201\"\nreason = \"x\"", "[[ignore]]\nfinding = \"bounds\"\nreason = \"x\"",
        "[[ignore]]\nfinding = \"race\"\nreason = \"x\"\nline = \"scan.cu\"", "[[ignore]]\nfinding = 3\nreason = \"x\"",
        "[[ignore]]\nfinding = \"BW407\"\nreason = \"x\"\nline = \"app.cu:31\"",
        "[ignore]\nfinding = \"race\"\nreason = \"x\"", "[[ignore]]\nfinding = \"race\"\nreason = \"x\"\nfile = \"a\""})
    EXPECT_FALSE(read_config(wrong, "b.toml")) << wrong;
}

// A report with one finding of each check, all at line 18 of transpose.cu or in calls of the program.
report checked_report() {
  report r = transposed("transpose_padded");
  launch_report& l = r.launches[0];
  l.checked = {true, true, true, true};
  hazard& h = l.hazards.emplace_back();
  h.kind = hazard_kind::uninitialised;
  block_race& b = l.block_races.emplace_back();
  b.is_checked = true;
  b.first.line = 17;
  out_of_bounds_access& a = l.out_of_bounds.emplace_back();
  for (code_place* p : {static_cast<code_place*>(&h.second), &b.first, &b.second, &a.place}) {
    p->file = "/src/transpose.cu";
    if (p->line == 0) p->line = 18;
  }
  h.count = b.count = a.count = 1;
  l.other_results.push_back({.seed = 3, .bytes = 4});
  l.other_results.push_back({.seed = 4, .bytes = 4, .only_rounding = true});
  program_fault& p = r.program_faults.emplace_back();
  p.kind = program_fault_kind::freed_twice;
  p.calls = 1;
  p.trail = {"called in main, at app.cu:31"};
  r.ignored_errors.push_back({"cudaMemcpy", "cudaErrorInvalidValue", 2, {"called in main, at app.cu:310"}});
  return r;
}

std::multiset<std::string> kinds_in(const report& r) {
  std::multiset<std::string> ids;
  for (const finding& f : findings_of(r))
    if (f.what->id.starts_with("BW4")) ids.emplace(f.what->id);
  return ids;
}

TEST(IgnoreEntries, LeaveOutWhatTheyName) {
  const std::multiset<std::string> all = {"BW401", "BW402", "BW403", "BW406", "BW407", "BW407"};
  ASSERT_EQ(kinds_in(checked_report()), all);
  const auto left = [&](const std::string& words, std::size_t idle = 0) {
    const auto c = read_config("[[ignore]]\nreason = \"x\"\n" + words, "b.toml");
    EXPECT_TRUE(c) << to_text(c.error());
    report r = checked_report();
    const ignored_findings gone = leave_out(r, c->ignores);
    EXPECT_EQ(gone.idle.size(), idle) << words;
    return kinds_in(r);
  };
  using ids = std::multiset<std::string>;
  EXPECT_EQ(left("finding = \"race\""), (ids{"BW401", "BW402", "BW407", "BW407"}));
  EXPECT_EQ(left("finding = \"BW403\"\nkernel = \"transpose*\"\nline = \"transpose.cu:17\""),
            (ids{"BW401", "BW402", "BW406", "BW407", "BW407"}));
  EXPECT_EQ(left("finding = \"race\"\nkernel = \"scan\"", 1), all);
  EXPECT_EQ(left("finding = \"init\"\nline = \"anspose.cu:18\"", 1), all);
  EXPECT_EQ(left("finding = \"init\"\nline = \"transpose.cu:1\"", 1), all);
  EXPECT_EQ(left("finding = \"memory\"\nline = \"app.cu:31\"", 1), all);
  EXPECT_EQ(left("finding = [\"BW407\", \"bw408\"]"), (ids{"BW401", "BW402", "BW403", "BW406"}));
  EXPECT_EQ(left("finding = \"memory\""), (ids{"BW402", "BW403", "BW406"}));
}

TEST(IgnoreEntries, NameCallsByTheirCheck) {
  const auto c = read_config("[[ignore]]\nfinding = \"race\"\nreason = \"x\"", "b.toml");
  report r;
  for (const auto kind :
       {program_fault_kind::stream_race, program_fault_kind::unwritten_copy, program_fault_kind::leak})
    r.program_faults.emplace_back().kind = kind;
  for (const finding& f : findings_of(r)) EXPECT_EQ(ignored_by(c->ignores, f) != nullptr, f.found_by == "race");
  EXPECT_EQ(leave_out(r, c->ignores).findings, 1u);
}

TEST(IgnoreEntries, SuppressFindingsOfACheck) {
  auto c = read_config("[[ignore]]\nfinding = [\"race\", \"init\", \"memory\"]\nreason = \"known\"\n", "b.toml");
  const auto judged_with = [&](const config& asked) {
    return judge({{checked_report()}, {}, asked, fail_on::fresh, {}, {}});
  };
  EXPECT_TRUE(judged_with({}).failed);
  const verdict v = judged_with(*c);
  EXPECT_FALSE(v.failed);
  for (const finding& f : v.findings) EXPECT_EQ(f.what->id.starts_with("BW4"), f.suppressed == "known");
  c->ignores[0].kernel = "scan";
  const verdict other = judged_with(*c);
  EXPECT_TRUE(other.failed);
  EXPECT_NE(std::find(other.notes.begin(), other.notes.end(), "b.toml:1: this [[ignore]] is for no finding"),
            other.notes.end());
}

TEST(Suppressions, KeepAFindingFromFailing) {
  const auto with = [](const std::string& after, const std::string& above = {}) {
    return judged("", fail_on::any, {}, source_with(after, above));
  };
  EXPECT_TRUE(with("").failed);
  EXPECT_FALSE(with(" // bankwise: ignore BW101 -- once").failed);
  EXPECT_FALSE(with("", "// bankwise: ignore BW101 -- once").failed);
  const verdict bare = with(" // bankwise: ignore BW101");
  EXPECT_TRUE(bare.failed);
  EXPECT_EQ(bare.findings.back().what->id, bad_suppression);
  const verdict idle = with(" // bankwise: ignore BW102 -- once");
  EXPECT_EQ(idle.findings.back().what->id, idle_suppression);
  EXPECT_FALSE(idle.findings.back().fails);
}

// If the source has changed since the report, a suppressing comment may refer to different code.
TEST(Suppressions, OfAChangedSourceAreNotUsed) {
  const verdict v = judged("", fail_on::any, {}, "one line\n");
  EXPECT_TRUE(v.failed);
  ASSERT_EQ(v.notes.size(), 1u);
  EXPECT_NE(v.notes[0].find("has changed since the report was made"), std::string::npos);
}

}  // namespace
}  // namespace bankwise::check
