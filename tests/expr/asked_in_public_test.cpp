// Tests forty questions that people asked in public. asked_in_public.csv has each question, the command line for it,
// and the cost.
#include <gtest/gtest.h>

#include "advise/tile_question.hpp"
#include "bankwise/wavefronts.hpp"
#include "base/text.hpp"
#include "expr/question.hpp"
#include "support/files.hpp"
#include "support/table.hpp"

namespace bankwise {
namespace {

// Returns the first number of the answer. Depending on the question, this number is for all rounds of a loop, for all
// lanes of a wave, or for one warp instruction.
u32 answered(const named_access& q) {
  return q.loop ? q.loop->wavefronts : q.wave != 0 ? q.wave : wavefronts(q.what, q.on.model);
}

flag_values flags_of(std::string_view text) {
  flag_values flags;
  for (const std::string_view one : split(text, '|'))
    if (const std::size_t equals = one.find('='); equals != std::string_view::npos)
      flags.values[std::string(one.substr(0, equals))].emplace_back(one.substr(equals + 1));
  return flags;
}

TEST(Questions, AreUnderstoodInTheWordsOfTheirSource) {
  const auto rows =
      test::read_table(test::read_text(test::source_path("tests/expr/asked_in_public.csv")), "asked_in_public.csv");
  for (test::table_row row : rows) {
    const auto q = read_question(flags_of(row["flags"]), row["text"]);
    ASSERT_TRUE(q) << row["id"] << " " << row["text"] << "\n" << to_text(q.error());
    EXPECT_EQ(answered(*q), test::number_in(row, "wavefronts"))
        << row["id"] << " " << row["flags"] << " " << row["text"];
  }
  EXPECT_GE(rows.size(), 60u);
}

u64 all_wavefronts(const std::vector<advise::tile>& tiles) {
  u64 sum = 0;
  for (const advise::tile& t : tiles)
    for (const auto& w : t.what.accesses) sum += w.weight * wavefronts(w.what, t.what.on.model);
  return sum;
}

// Tests questions to `bankwise fix` about whole arrays.
TEST(Questions, OfWholeTilesAreUnderstood) {
  const struct {
    const char *flags, *access;
    u64 wavefronts;
  } asked[] = {
      {"array=bf16 s[32][64]", "ld.64 s[t][i*4] for i < 14", 56},  // columns 56 to 63 count as padding
      {"array=bf16 s[32][64]", "for (int i = 0; i < 56; i += 4) ld.64 s[t][i]", 56},
      {"array=bf16 s[32][64]", "ld.64 s[t][i*4] for i < 16", 512},
      {"array=bf16 c[128][128]", "ld c[(t%2)*64 + i][t/2 + 16*w] for i < 64, w < 8", 1024},
      {"array=bf16 c[128][128]", "LDS.U16 c[(t%2)*64 + i][t/2 + w] for i in range(64), w in range(0, 128, 16)", 1024},
      {"array=float s[32][32]", "#pragma unroll 4 for (int k = 0; k < 8; ++k) v += s[t][k];", 256},
      {"array=float s[32][32]", "for (unsigned k = 0; k <= 6; k += 2) for (int j = 3; j > 0; j--) s[k][t] = 0;", 12},
      {"array=float s[64]", "if (t < 16) s[t] += s[t + 16];", 3},
      {"array=float3 p[32]", "p[t]", 3},
      {"array=struct P { float x, y, z; char c[4]; } p[32]", "sum += p[t].x * p[t].y", 8},
      {"array=extern __shared__ float s[];", "st s[t * 33]", 1},
      {"array=float a[32][32], b[32][32]|block=32,2|let=k=0", "sum += a[ty][k] * b[k][tx]", 4},
  };
  for (const auto& one : asked) {
    const auto tiles = advise::read_tiles(flags_of(one.flags), {one.access});
    ASSERT_TRUE(tiles) << one.access << "\n" << to_text(tiles.error());
    EXPECT_EQ(all_wavefronts(*tiles), one.wavefronts) << one.access;
  }
  for (const char* access : {"s[t][k] for (int k = 1; k < 64; k *= 2)", "s[t][k] for k < 5000", "s[t][k] for k in list",
                             "for (int k = 0; k < n; k++) s[t][k]", "for (int k = 0; k < 4; k -= 1) s[t][k]"})
    EXPECT_FALSE(advise::read_tiles(flags_of("array=float s[32][64]"), {access})) << access;
}

}  // namespace
}  // namespace bankwise
