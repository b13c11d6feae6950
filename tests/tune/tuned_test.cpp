// Tests results of searches: their JSON, and the merging of shards.
#include "tune/tuned.hpp"

#include <gtest/gtest.h>

#include "tune/tuned_json.hpp"
#include "tune/tuned_text.hpp"

namespace bankwise::tune {
namespace {

tuned some_result() {
  tuned t{"gemm", {"TILE"}, {"H100 SXM", "A100 80GB SXM"}, "key", "buffers", 4, {}, {}};
  for (std::size_t i = 0; i < 4; ++i) {
    tuned_row row;
    row.index = i;
    row.what.values = {std::to_string(8 << i)};
    if (i == 3) {
      row.is = outcome::not_compiled;
      row.reason = "gemm.cu(3): error: too large\n1 error detected";
    } else {
      row.registers = 32 + i;
      row.shared_bytes = 1024 * (i + 1);
      row.wavefronts = 1000 + i;
      row.sectors = 2000;
      row.launches = 1;
      const double time = 10.0 + (i == 1 ? 0 : 10 * static_cast<double>(i + 1));
      row.times = {{time, time - 1, time + 1, "DRAM", 50, "BW101: a bank conflict", 1.5},
                   {30 - time / 10, 10, 40, "memory latency", 100, "", 0}};
    }
    t.rows.push_back(row);
  }
  return t;
}

tuned shard_of(std::size_t number, std::size_t of) {
  tuned t = some_result();
  t.part = {number, of};
  std::erase_if(t.rows, [&](const tuned_row& r) { return !t.part.has(r.index); });
  return t;
}

TEST(Tuned, JsonIsReadAsItWasWritten) {
  for (const tuned& t : {some_result(), shard_of(1, 2)}) {
    const std::string text = to_json(t);
    EXPECT_TRUE(is_tuned(text));
    const auto again = read_tuned(text, "a.json");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(to_json(*again), text);
  }
}

TEST(Tuned, DamagedJsonNamesItsPlace) {
  const auto wrong = [](const std::string& from, const std::string& to) {
    std::string text = to_json(some_result());
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto t = read_tuned(text, "a.json");
    return t ? std::string("no error") : t.error().message;
  };
  EXPECT_NE(wrong("\"ranked\"", "\"done\""), "no error");
  EXPECT_NE(wrong("\"index\": 0", "\"index\": 4"), "no error");
  EXPECT_NE(wrong("\"index\": 1", "\"index\": 0"), "no error");
  EXPECT_NE(wrong("\"TILE\": \"8\"", "\"OTHER\": \"8\""), "no error");
  EXPECT_NE(wrong("\"microseconds\": ", "\"microseconds\": -"), "no error");
  EXPECT_NE(wrong("\"size\": 4", "\"size\": 0"), "no error");
  EXPECT_NE(wrong("bankwise.tune/1", "bankwise.tune/9"), "no error");
  const std::string whole = to_json(some_result());
  for (std::size_t size = 0; size + 1 < whole.size(); size += 97)
    EXPECT_FALSE(read_tuned(whole.substr(0, size), "a.json")) << size;
}

TEST(Tuned, MergedShardsAreTheWholeSearch) {
  const auto merged = merge_tuned({shard_of(2, 3), shard_of(1, 3), shard_of(3, 3)}, {"b", "a", "c"});
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(to_json(*merged), to_json(some_result()));
}

TEST(Tuned, OnlyShardsOfOneSearchAreMerged) {
  tuned other = shard_of(2, 2);
  other.key = "another";
  EXPECT_EQ(merge_tuned({shard_of(1, 2), other}, {"a.json", "b.json"}).error().where.file, "b.json");
  EXPECT_EQ(merge_tuned({shard_of(1, 2)}, {"a.json"}).error().message,
            "2 of 4 configurations are missing, first number 2");
  tuned changed = shard_of(1, 2);
  changed.rows[0].wavefronts = 1;
  EXPECT_EQ(merge_tuned({shard_of(1, 2), changed, shard_of(2, 2)}, {"a", "b", "c"}).error().message,
            "the configuration TILE=8 has another result than in a");
}

TEST(Tuned, TheTextRanksEachGpu) {
  const std::string text = to_text(some_result(), {}, false);
  EXPECT_NE(text.find("on an H100 SXM"), std::string::npos) << text;
  EXPECT_NE(text.find("on an A100 80GB SXM"), std::string::npos) << text;
  EXPECT_NE(text.find("best      TILE=16."), std::string::npos) << text;
  EXPECT_NE(text.find("best      TILE=32."), std::string::npos) << text;
  EXPECT_NE(text.find("TILE=64  does not compile: gemm.cu(3): error: too large\n"), std::string::npos) << text;
}

TEST(Tuned, TheTextHasAllLinesOfReasonsIfAsked) {
  tuned t = some_result();
  EXPECT_NE(to_text(t, {}, true).find("does not compile: gemm.cu(3): error: too large\n    1 error detected\n"),
            std::string::npos);
  t.rows[3].reason = "";
  for (const bool all : {false, true})
    EXPECT_TRUE(to_text(t, {}, all).ends_with("TILE=64  does not compile\n")) << to_text(t, {}, all);
}

TEST(Tuned, TheTextNamesRanksInShort) {
  tuned t = some_result();
  t.gpus.resize(1);
  for (std::size_t i = 0; i < 3; ++i)
    t.rows[i].times = {{10.0 + 0.1 * static_cast<double>(i), 9, 11, "DRAM", 50, "", 0}};
  const std::string text = to_text(t, {}, false);
  EXPECT_NE(text.find("best      TILE=8. Ranks 2 to 3 cannot be distinguished from it"), std::string::npos) << text;
}

TEST(Tuned, CsvHasTheSameColumnsInEachRow) {
  const std::string csv = to_csv(some_result());
  std::size_t begin = 0, lines = 0, commas = 0;
  for (std::size_t end = csv.find('\n'); end != std::string::npos; end = csv.find('\n', begin)) {
    const std::string line = csv.substr(begin, end - begin);
    const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
    if (lines++ == 0) commas = count;
    EXPECT_EQ(count, commas) << line;
    begin = end + 1;
  }
  EXPECT_EQ(lines, 1u + 2u * 4u);
}

}  // namespace
}  // namespace bankwise::tune
