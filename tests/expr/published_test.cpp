// Compares every published number with the rule, and tests errors in the tables.
#include "expr/published.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "bankwise/wavefronts.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

published_table ours() {
  const auto t = published_table_of_this();
  EXPECT_TRUE(t) << to_text(t.error());
  return t ? *t : published_table{};
}

TEST(Published, TheProgramCarriesTheTablesOfTheTree) {
  const auto tree = read_published(test::read_text(test::source_path("data/published/accesses.csv")), "accesses.csv",
                                   test::read_text(test::source_path("data/published/sources.csv")), "sources.csv");
  ASSERT_TRUE(tree) << to_text(tree.error());
  EXPECT_EQ(tree->rows.size(), ours().rows.size());
}

// Counters equal the counts of the rule. If warps wait for each other, the counters are higher, never lower.
TEST(Published, NoCounterIsBelowTheRule) {
  std::size_t counters = 0;
  for (const published_access& p : ours().rows) {
    if (p.counted == published_quantity::milliseconds || p.counted == published_quantity::latency) continue;
    ++counters;
    // An old version of Nsight Compute showed no wavefronts for ldmatrix.
    if (p.published == 0 && p.holds() == agreement::differs) continue;
    EXPECT_GE(p.published * 1.00001, p.rule()) << p.arch << ", " << p.accesses[0].title;
  }
  EXPECT_GE(counters, 60u);
}

// The published time of a loop is at least 94 % of the time that the wavefronts take by the rule. If the accesses have
// bank conflicts, the two times differ by at most 6 %.
TEST(Published, TimesAreTheWavefronts) {
  std::size_t in_conflict = 0;
  for (const published_access& p : ours().rows) {
    if (p.counted != published_quantity::milliseconds) continue;
    const cost c = analyze(p.accesses[0].what, p.accesses[0].on.model);
    EXPECT_GE(p.published, 0.94 * p.rule()) << p.arch << ", " << p.accesses[0].title;
    if (c.wavefronts == c.reachable) continue;
    ++in_conflict;
    EXPECT_NE(p.holds(), agreement::differs) << p.arch << ", " << p.accesses[0].title;
    EXPECT_NEAR(p.published / p.rule(), 1, 0.06) << p.arch << ", " << p.accesses[0].title;
  }
  EXPECT_EQ(in_conflict, 24u);
}

// A read with more wavefronts takes longer. A read with the same number of wavefronts takes the same time.
TEST(Published, LatenciesHaveTheOrderOfTheWavefronts) {
  std::map<std::string, std::size_t> rows;
  for (const published_access& p : ours().rows) {
    if (p.counted != published_quantity::latency) continue;
    ++rows[p.arch];
    EXPECT_EQ(p.holds(), agreement::in_order)
        << p.gpu << ", " << p.accesses[0].op.spelling << " " << p.accesses[0].title;
  }
  EXPECT_EQ(rows, (std::map<std::string, std::size_t>{{"cdna3", 21}, {"cdna4", 7}, {"rdna3", 21}, {"rdna4", 21}}));
}

// A rule's evidence is `published` exactly if rows of its group agree and there is no better evidence.
TEST(Published, RulesThatRestOnRowsHaveThem) {
  const published_table t = ours();
  std::vector<arch> all(std::begin(archs), std::end(archs));
  all.insert(all.end(), std::begin(other_archs), std::end(other_archs));
  for (const arch& a : all)
    for (u32 g = 0; g < rule_groups; ++g) {
      std::size_t agree = 0;
      for (const published_access& p : t.rows)
        agree += p.arch == a.name && p.holds() != agreement::differs &&
                 std::all_of(p.accesses.begin(), p.accesses.end(), [&](const named_access& one) {
                   return group_of(one.what.op) == static_cast<rule_group>(g);
                 });
      const rule_source& rule = a.rules->by_group[g];
      if (rule.level == evidence::measured) continue;
      EXPECT_EQ(rule.level == evidence::published, agree != 0) << a.name << ", group " << g;
      const std::string basis = basis_of(t, a.name, static_cast<rule_group>(g), rule);
      EXPECT_EQ(basis != rule.source, rule.level == evidence::published) << basis;
    }
}

TEST(Published, AnAnswerNamesTheRowsOfItsOperation) {
  const auto m = find_machine("RTX 5090");
  ASSERT_TRUE(m);
  EXPECT_EQ(basis_of(*m, st(16)), "34 rows of 2 sources, all equal; the same rule as on Hopper");
  EXPECT_EQ(basis_of(*m, atom(4)), "the same rule as on Hopper");
  EXPECT_EQ(basis_of(*find_machine("H100"), ld(4)), "H200, data/sm_90/wavefronts.csv");
}

TEST(Published, SourcesAreUsedAndNamed) {
  const published_table t = ours();
  std::vector<bool> used(t.sources.size());
  for (const published_access& p : t.rows) used[p.source] = true;
  for (std::size_t i = 0; i < used.size(); ++i) EXPECT_TRUE(used[i]) << t.sources[i].name;
}

TEST(Published, IsSummedUpByArchitecture) {
  const published_table t = ours();
  EXPECT_EQ(summary(t, "sm_86"), "15 rows of 1 source, all equal");
  EXPECT_EQ(summary(t, "sm_75"), "14 rows of 4 sources: 13 equal, 1 differs");
  EXPECT_EQ(summary(t, "sm_35"), "");
}

// --- reading a table

const std::string columns = "arch,gpu,op,type,where,access,counted,unit,published,source,note\n";
const std::string sources = "source,title,url,date\nblog,A post,https://example.org/a,\n";

std::string read(const std::string& rows, const std::string& from = sources) {
  const auto t = read_published(rows, "rows", from, "sources");
  return t ? std::to_string(t->rows.size()) + " rows" : to_text(t.error());
}

TEST(Published, ARowIsAskedAsAnAccess) {
  const auto t = read_published(columns +
                                    "sm_80,A100,ld,float,t < 16,t * 32,wavefronts,10,160,blog,\n"
                                    "sm_80,A100,ld; st,float4,,t; t / 2,conflicts,10,0,blog,\n"
                                    "sm_80,A100,ld,float,,t * 2,milliseconds,30/10,6.5,blog,\n"
                                    "sm_80,A100,ld,float,,t * 32,wavefronts,100,3250,blog,\n"
                                    "sm_80,A100,ld,float,,t * 32,wavefronts,1,31,blog,a typing error?\n",
                                "rows", sources, "sources");
  ASSERT_TRUE(t) << to_text(t.error());
  const std::vector<std::pair<double, agreement>> expected = {{160, agreement::equal},
                                                              {0, agreement::equal},
                                                              {6, agreement::near},
                                                              {3200, agreement::near},
                                                              {32, agreement::differs}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(t->rows[i].rule(), expected[i].first) << i;
    EXPECT_EQ(t->rows[i].holds(), expected[i].second) << i;
  }
}

// Latencies are only compared within one GPU, source and operation.
TEST(Published, LatenciesAreCompared) {
  const auto t = read_published(columns +
                                    "sm_80,A100,ld,float,,t,latency,1,100,blog,\n"
                                    "sm_80,A100,ld,float,,t * 2,latency,1,120,blog,\n"
                                    "sm_80,A100,ld,float,,t * 4,latency,1,110,blog,\n"
                                    "sm_80,A100,st,float,,t * 4,latency,1,90,blog,\n",
                                "rows", sources, "sources");
  ASSERT_TRUE(t) << to_text(t.error());
  const agreement expected[] = {agreement::in_order, agreement::differs, agreement::differs, agreement::in_order};
  for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(t->rows[i].holds(), expected[i]) << i;
  EXPECT_EQ(summary(*t, "sm_80"), "4 rows of 1 source: 2 in order, 2 differ");
}

// Without a type, the operation determines the width, and addresses are in bytes.
TEST(Published, ARowMayHaveNoType) {
  const auto t = read_published(columns + "sm_80,A100,st.64; ld.128,,,t * 128; t * 16,conflicts,10,300,blog,\n", "rows",
                                sources, "sources");
  ASSERT_TRUE(t) << to_text(t.error());
  EXPECT_EQ(t->rows[0].rule(), 300);
  EXPECT_EQ(t->rows[0].holds(), agreement::equal);
}

TEST(Published, ACopyMayHaveASource) {
  const auto t = read_published(columns + "sm_80,A100,cp.async.ca,float4,,t from t * 8,wavefronts,1,32,blog,\n", "rows",
                                sources, "sources");
  ASSERT_TRUE(t) << to_text(t.error());
  EXPECT_TRUE(t->rows[0].accesses[0].has_source);
  EXPECT_EQ(t->rows[0].holds(), agreement::equal);
}

// The two published counts are over 4 % higher than the counts of the rule. Up to 8 wavefronts for each access, a
// difference of up to 5 % counts as near. For more wavefronts, the limit is 3 %.
TEST(Published, AFewPercentAreNear) {
  const auto t = read_published(columns +
                                    "sm_80,A100,ld,float,,t * 4,wavefronts,100,418,blog,\n"
                                    "sm_80,A100,ld,float,,t * 32,wavefronts,100,3340,blog,why\n",
                                "rows", sources, "sources");
  ASSERT_TRUE(t) << to_text(t.error());
  EXPECT_EQ(t->rows[0].holds(), agreement::near);
  EXPECT_EQ(t->rows[1].holds(), agreement::differs);
}

TEST(Published, ErrorsHaveTheirPlace) {
  const std::map<std::string, std::string> wrong = {
      {"sm_80,A100,ld,float,,t * ,wavefronts,1,1,blog,\n", "rows:2:22"},
      {"sm_8,A100,ld,float,,t,wavefronts,1,1,blog,\n", "unknown architecture 'sm_8'"},
      {"sm_80,,ld,float,,t,wavefronts,1,1,blog,\n", "the row does not name a GPU"},
      {"sm_80,A100,ld; st,float,,t,wavefronts,1,1,blog,\n", "one access for each operation"},
      {"sm_80,A100,ld,float,,t,guesses,1,1,blog,\n", "the counted quantity must be wavefronts, conflicts, "
                                                     "milliseconds or latency"},
      {"sm_80,A100,ld,float,,t,wavefronts,0,1,blog,\n", "the published value must be a positive number, or two "
                                                        "numbers separated by /"},
      {"sm_80,A100,ld,float,,t,wavefronts,1/0,1,blog,\n",
       "the published value must be a positive number, or two numbers separated by /"},
      {"sm_80,A100,ld,float,,t,wavefronts,1,-1,blog,\n", "expected a number"},
      {"sm_80,A100,ld,float,,t,wavefronts,1,1,book,\n", "there is no source 'book' in sources"},
      {"sm_80,A100,ld,float,,t,wavefronts,1,2,blog,\n", "the row has no note that gives the reason"},
      {"sm_80,A100,ld\n", "this line has 3 fields, but the header has 11 fields"},
  };
  for (const auto& [row, message] : wrong)
    EXPECT_NE(read(columns + row).find(message), std::string::npos) << row << read(columns + row);
  EXPECT_NE(read("arch,gpu\n").find("the columns of this table are wrong"), std::string::npos);
  EXPECT_NE(read(columns, "source,title,url,date\nblog,A post,ftp://example.org,\n").find("https://"),
            std::string::npos);
  EXPECT_NE(read(columns, "source,title,url,date\nblog,,https://a,\n").find("a source needs a name"),
            std::string::npos);
}

}  // namespace
}  // namespace bankwise
