// Compares the suggested layouts with the best of all possible layouts and with Triton's layout. Compares the predicted
// costs with the rule.
#include "advise/advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <vector>

#include "advise/search/linear_search.hpp"
#include "support/triton_swizzle.hpp"

namespace bankwise::advise {
namespace {

machine hopper() { return *parse_machine("sm_90"); }

problem tile(u32 rows, u32 columns, u32 element_bytes) {
  problem p;
  p.on = hopper();
  p.bytes = std::uint64_t{rows} * columns * element_bytes;
  p.pitch_bytes = columns * element_bytes;
  p.element_bytes = element_bytes;
  return p;
}

template <class ByteAddress>
void add(problem& p, operation op, const ByteAddress& address, u32 mask = full_mask, std::uint64_t weight = 1) {
  p.groups.push_back({"access " + std::to_string(p.groups.size()), *parse_operation(spell(op))});
  p.accesses.push_back({make_access(op, address, mask), weight, static_cast<u32>(p.groups.size() - 1)});
}

// --- the expected results: tries all layouts of the same families with separate code for each family

using place = std::function<u32(u32)>;

std::uint64_t cost_of(const problem& p, const place& to) {
  std::uint64_t sum = 0;
  for (const weighted_access& w : p.accesses) {
    access moved = w.what;
    const u32 used = lanes_used(w.what);
    for (u32 lane = 0; lane < 32; ++lane) moved.address[lane] = (used >> lane & 1) != 0 ? to(w.what.address[lane]) : 0;
    EXPECT_EQ(first_misaligned_lane(moved), 32u) << "the layout makes this access misaligned";
    sum += w.weight * wavefronts(moved, p.on.model);
  }
  return sum;
}

u32 widest(const problem& p) {
  u32 bytes = p.element_bytes;
  for (const weighted_access& w : p.accesses) bytes = std::max<u32>(bytes, w.what.op.width_bytes);
  return bytes;
}

u32 bits_of(std::uint64_t n) {
  u32 bits = 0;
  while (n >> bits != 0) ++bits;
  return bits;
}

std::uint64_t best_padding(const problem& p, std::uint64_t every) {
  std::uint64_t best = ~std::uint64_t{0};
  for (u32 gap = 0; gap < 128; gap += widest(p))
    best = std::min(best, cost_of(p, [&](u32 x) { return x + static_cast<u32>(x / every) * gap; }));
  return best;
}

// Returns the wavefronts of the best swizzle. If `gap` is not 0, also tries swizzles that are combined with padding
// before some rows.
std::uint64_t best_swizzle(const problem& p, u32 gap) {
  const std::uint64_t bytes = gap == 0 ? p.bytes : p.bytes + p.bytes / p.pitch_bytes * gap;
  std::uint64_t best = ~std::uint64_t{0};
  for (u32 b = 0; b <= 7; ++b)
    for (u32 m = bits_of(widest(p)) - 1; m + b <= 7; ++m)
      for (u32 s = b; s + m < bits_of(bytes - 1); ++s)
        best = std::min(best, cost_of(p, [&](u32 x) {
                          if (gap != 0) x += x / p.pitch_bytes * gap;
                          const u32 yyy = x >> (m + s) & ((1u << b) - 1);
                          return x ^ yyy << m;
                        }));
  return best;
}

// Returns the lowest cost of all linear layouts that `allowed` accepts. A layout maps each bit of a granule's index to
// a column. The bits below `first_bit` keep their columns.
template <class Bijective>
std::uint64_t best_linear(const problem& p, u32 first_bit, const Bijective& allowed) {
  const u32 granule_bits = bits_of(widest(p)) - 1, columns = 7 - granule_bits,
            bits = bits_of(p.bytes - 1) - granule_bits;
  std::uint64_t best = ~std::uint64_t{0};
  std::vector<u32> column(bits, 0);
  for (u32 j = 0; j < first_bit; ++j) column[j] = 1u << j;
  for (;;) {
    if (allowed(column, columns)) {
      // Only the bank determines the cost. So granules with the same column are put into different rows.
      best =
          std::min(best, cost_of(p, [&](u32 x) {
                     const u32 granule = x >> granule_bits;
                     u32 to = 0;
                     for (u32 j = 0; j < bits; ++j)
                       if ((granule >> j & 1) != 0) to ^= column[j];
                     return granule << (columns + granule_bits) | to << granule_bits | (x & ((1u << granule_bits) - 1));
                   }));
    }
    u32 j = first_bit;
    while (j < bits && ++column[j] == 1u << columns) column[j++] = 0;
    if (j >= bits) return best;
  }
}

bool is_onto(const std::vector<u32>& column, u32 columns) {
  std::vector<u32> rows;
  u32 rank = 0;
  for (u32 v : column) {
    for (const u32 r : rows) v = std::min(v, v ^ r);
    if (v != 0) rows.push_back(v), ++rank;
  }
  return rank == std::min<u32>(columns, static_cast<u32>(column.size()));
}

// --- random problems

struct random {
  std::mt19937 engine;
  explicit random(u32 seed) : engine(seed) {}
  u32 below(u32 n) { return static_cast<u32>(engine()) % n; }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<u32>(values.size()))];
  }
};

problem random_problem(random& r, std::uint64_t most_bytes, bool powers_of_two) {
  for (;;) {
    const u32 element = r.of({2u, 4u, 4u, 8u, 16u});
    const u32 rows = powers_of_two ? 1u << r.below(6) : 1 + r.below(40),
              columns = powers_of_two ? 1u << r.below(7) : 1 + r.below(70);
    problem p = tile(rows, columns, element);
    if (p.bytes > most_bytes || p.bytes < 256) continue;
    const u32 accesses = 1 + r.below(3);
    for (u32 n = 0; n < accesses; ++n) {
      operation op = r.of({ld(4), ld(8), ld(16), st(4), st(8), st(16), ldmatrix(4), atom(4), cp_async(16), cas(4)});
      if (op.width_bytes < element) op = r.of({true, false}) ? ld(element) : st(element);
      const u32 units = static_cast<u32>(p.bytes / op.width_bytes);
      const u32 a = r.below(units + 1), b = r.below(units + 1), c = r.below(units + 1), shape = r.below(3),
                shift = 1 + r.below(4);
      const u32 mask = r.of({full_mask, full_mask, 0xffffu, static_cast<u32>(r.engine())});
      std::vector<u32> scattered(32);
      for (u32& x : scattered) x = r.below(units);
      add(
          p, op,
          [&](u32 t) {
            const u32 unit = shape == 0   ? a * t + c
                             : shape == 1 ? a * (t >> shift) + b * (t & ((1u << shift) - 1)) + c
                                          : scattered[t];
            return unit % units * op.width_bytes;
          },
          mask, 1 + r.below(4));
    }
    if (p.pitch_bytes % granule_bytes(p) == 0) return p;
  }
}

std::uint64_t advised(const advice& a) {
  EXPECT_GE(a.before.wavefronts, a.floor);
  if (a.answers.empty()) return a.before.wavefronts;
  // The first suggestion may cost a few per cent more than the cheapest layout, if the first suggestion has shorter
  // code.
  std::uint64_t fewest = a.answers.front().wavefronts;
  for (const answer& x : a.answers) fewest = std::min(fewest, x.wavefronts);
  return fewest;
}

TEST(Advice, IsNeverWorseThanTryingEverything) {
  random r(1);
  for (int n = 0; n < 1000; ++n) {
    SCOPED_TRACE("problem " + std::to_string(n));
    const problem p = random_problem(r, 4096, n % 2 == 0);
    const advice a = advise(p);
    const std::uint64_t found = advised(a);
    if (p.pitch_bytes < p.bytes) {
      ASSERT_LE(found, best_padding(p, p.pitch_bytes));
    }
    for (u32 every = widest(p); every < p.bytes; every *= 2) ASSERT_LE(found, best_padding(p, every));
    ASSERT_LE(found, best_swizzle(p, 0));
    // Returns the fewest wavefronts of two kinds of layouts: swizzled rows, and rows that are longer by one, two or
    // three times the widest access.
    if (p.pitch_bytes < p.bytes) {
      ASSERT_LE(found, best_swizzle(p, widest(p) * (1 + r.below(3))));
    }
    ASSERT_GE(found, a.floor);
    ASSERT_GE(found, a.granule_floor);
  }
}

TEST(Advice, IsNeverWorseThanEveryXorWithinRows) {
  random r(2);
  int searched = 0;
  for (int n = 0; n < 300; ++n) {
    SCOPED_TRACE("problem " + std::to_string(n));
    const problem p = random_problem(r, 1024, true);
    if (!has_linear_search(p)) continue;
    const u32 columns = bits_of(128 / widest(p)) - 1, bits = bits_of(p.bytes - 1) - (bits_of(widest(p)) - 1);
    if (bits <= columns || (bits - columns) * columns > 10) continue;
    ++searched;
    ASSERT_LE(advised(advise(p)), best_linear(p, columns, [](const auto&, u32) { return true; }));
  }
  EXPECT_GT(searched, 100);
}

TEST(Advice, IsNeverWorseThanEveryLinearBijection) {
  random r(3);
  int searched = 0;
  for (int n = 0; n < 400; ++n) {
    SCOPED_TRACE("problem " + std::to_string(n));
    const problem p = random_problem(r, 512, true);
    if (!has_linear_search(p)) continue;
    const u32 columns = bits_of(128 / widest(p)) - 1, bits = bits_of(p.bytes - 1) - (bits_of(widest(p)) - 1);
    if (bits <= columns || bits * columns > 15) continue;
    ++searched;
    ASSERT_LE(advised(advise(p)), best_linear(p, 0, is_onto));
  }
  EXPECT_GT(searched, 40);
}

TEST(Advice, EveryAnswerIsABijectionThatCostsWhatItSays) {
  random r(4);
  std::size_t answers = 0;
  for (int n = 0; n < 300; ++n) {
    SCOPED_TRACE("problem " + std::to_string(n));
    const problem p = random_problem(r, 4096, n % 2 == 0);
    for (const answer& x : advise(p).answers) {
      ++answers;
      ASSERT_EQ(x.wavefronts, cost_of(p, [&](u32 at) { return x.layout(at); })) << name_of(x.kind);
      std::vector<bool> taken(x.bytes, false);
      for (u32 at = 0; at < p.bytes; ++at) {
        const u32 to = x.layout(at);
        ASSERT_LT(to, x.bytes) << name_of(x.kind);
        ASSERT_FALSE(taken[to]) << name_of(x.kind);
        taken[to] = true;
      }
    }
  }
  EXPECT_GT(answers, 300u);
}

TEST(Advice, IsNeverWorseThanTritonsOptimalSwizzling) {
  for (u32 seed = 0; seed < 1000; ++seed) {
    const test::transfer t = test::random_transfer(seed);
    SCOPED_TRACE(test::to_text(t));
    const test::shared_layout s = test::triton_swizzle(t);
    const test::element_view view = test::elements_of(t, s);
    problem p = tile(1u << view.row_bits, 1u << view.column_bits, view.element_bytes);
    p.groups = {{"store", *parse_operation("st")}, {"load", *parse_operation("ld")}};
    std::uint64_t triton = 0;
    for (const access& a : view.store) p.accesses.push_back({a, 1, 0});
    for (const access& a : view.load) p.accesses.push_back({a, 1, 1});
    for (const auto& traffic : {test::store_traffic(t, s), test::load_traffic(t, s)})
      for (const access& a : traffic.accesses) triton += wavefronts(a);
    ASSERT_LE(advised(advise(p)), triton);
  }
}

// --- well-known answers

TEST(Advice, TheColumnOfATileTakesOneWordMoreARow) {
  problem p = tile(32, 32, 4);
  add(p, st(4), [](u32 t) { return t * 4; });
  add(p, ld(4), [](u32 t) { return t * 128; });
  const advice a = advise(p);
  ASSERT_FALSE(a.answers.empty());
  EXPECT_EQ(a.before.wavefronts, 33u);
  EXPECT_EQ(a.answers[0].kind, family::row_padding);
  EXPECT_EQ(a.answers[0].layout.gap, 4u);
  EXPECT_EQ(a.answers[0].wavefronts, 2u);
  EXPECT_EQ(a.answers[0].bytes, 33u * 32 * 4);
}

TEST(Advice, RowsForLdmatrixTakeTheSwizzleOfTma) {
  problem p = tile(64, 64, 2);
  add(p, cp_async(16), [](u32 t) { return t * 16; });
  add(p, ldmatrix(4), [](u32 t) { return t % 16 * 128 + t / 16 * 16; });
  const advice a = advise(p);
  const auto swizzled =
      std::find_if(a.answers.begin(), a.answers.end(), [](const answer& x) { return x.kind == family::swizzle; });
  ASSERT_NE(swizzled, a.answers.end());
  EXPECT_EQ(swizzled->permute->bits, 3u);
  EXPECT_EQ(swizzled->permute->base, 4u);
  EXPECT_EQ(swizzled->permute->shift, 3u);
  EXPECT_EQ(swizzled->wavefronts, 8u);
  EXPECT_EQ(swizzled->bytes, p.bytes);
}

TEST(Advice, WideRowsAndNarrowColumnsCannotBothBeFree) {
  // float4 keeps four words together, so a column of single words reaches only eight banks and takes at least four
  // wavefronts.
  problem p = tile(32, 32, 4);
  add(p, st(16), [](u32 t) { return t * 16; });
  add(p, ld(4), [](u32 t) { return t * 128; });
  const advice a = advise(p);
  EXPECT_EQ(a.floor, 5u);
  EXPECT_EQ(a.granule_floor, 8u);
  ASSERT_FALSE(a.answers.empty());
  EXPECT_EQ(a.answers[0].wavefronts, 8u);
  ASSERT_TRUE(a.why_not_lower.has_value());
  EXPECT_TRUE(a.why_not_lower->by_granule);
  EXPECT_EQ(a.why_not_lower->group, 1u);
}

TEST(Advice, WhatIsFreeAlreadyIsLeftAlone) {
  problem p = tile(32, 32, 4);
  add(p, ld(4), [](u32 t) { return t * 4; });
  const advice a = advise(p);
  EXPECT_TRUE(a.answers.empty());
  EXPECT_TRUE(a.families.empty());
  EXPECT_EQ(a.before.wavefronts, a.floor);
}

TEST(Advice, LanesThatQueueForOneWordAreNoConflictOfTheLayout) {
  problem p = tile(32, 32, 4);
  add(p, atom(4), [](u32) { return 0; });
  const advice a = advise(p);
  EXPECT_EQ(a.before.wavefronts, 32u);
  EXPECT_EQ(a.floor, 32u);
  EXPECT_TRUE(a.answers.empty());
}

// One access reads a column. The other access reads a diagonal whose position depends on the data. Rows of 33 words
// would remove the conflict of the column, but would put the diagonal into one bank.
TEST(Advice, NothingIsPaidByAccessesThatDependOnTheData) {
  problem p = tile(32, 32, 4);
  add(p, ld(4), [](u32 t) { return t * 128; });
  const advice alone = advise(p);
  p.groups.push_back({"by data", *parse_operation("ld.b32"), true});
  p.of_data.push_back({make_access(ld(4), [](u32 t) { return (t * 32 + (32 - t) % 32) * 4; }), 7, 1});
  const advice with = advise(p);
  ASSERT_FALSE(alone.answers.empty());
  ASSERT_FALSE(with.answers.empty());
  EXPECT_EQ(alone.answers[0].wavefronts, 1u);
  EXPECT_EQ(with.before.wavefronts, 32u);
  EXPECT_EQ(with.before.of_data, 7u);
  EXPECT_EQ(with.before.by_group, (std::vector<std::uint64_t>{32, 7}));
  for (const answer& x : with.answers) EXPECT_EQ(x.of_data, 7u) << name_of(x.kind);
  const auto padded = std::find_if(with.answers.begin(), with.answers.end(),
                                   [](const answer& x) { return x.kind == family::row_padding; });
  ASSERT_NE(padded, with.answers.end());
  EXPECT_EQ(padded->layout.gap % 8, 0u) << "the gap must be an even number of words";
}
TEST(Advice, EndsSoonAfterAStop) {
  problem p = tile(64, 64, 4);
  for (u32 k = 0; k < 2000; ++k) add(p, ld(4), [=](u32 lane) { return 4 * ((lane * (2 * k + 62) + 7 * k) % 4096); });
  std::atomic<std::uint32_t> stop{0};
  std::uint64_t done_at_stop = 0, done_last = 0;
  const effort most{.stop = &stop};
  const advice whole = advise(p, {}, [&](std::uint64_t done, std::uint64_t) { done_last = done; });
  ASSERT_GT(done_last, 100'000u);
  const advice cut = advise(p, most, [&](std::uint64_t done, std::uint64_t) {
    if (stop.exchange(15) == 0) done_at_stop = done;
    done_last = done;
  });
  EXPECT_EQ(done_last, done_at_stop) << "the search counted more layouts after the stop";
  EXPECT_LT(cut.families.size(), whole.families.size());
  EXPECT_FALSE(cut.families.back().exhaustive);
  EXPECT_EQ(cut.paddings.every, 0u);
  EXPECT_TRUE(advise(p, most).families.empty()) << "stopped before the search";
}

TEST(Search, OfLinearMapsEndsAtAStop) {
  problem p = tile(64, 64, 4);
  for (u32 k = 0; k < 200; ++k) add(p, ld(4), [=](u32 lane) { return 4 * ((lane * (2 * k + 62) + 7 * k) % 4096); });
  const std::atomic<std::uint32_t> stop{2};
  const linear_result r = search_linear(p, false, ~std::uint64_t{0}, ~std::uint64_t{0}, &stop);
  EXPECT_FALSE(r.exhaustive);
  EXPECT_FALSE(r.best);
}

TEST(Advice, TenBanksAreHelpedByPaddingAlone) {
  problem p = tile(10, 10, 4);
  p.on = *parse_machine("10x4");
  add(
      p, ld(4), [](u32 t) { return t % 10 * 40; }, 0x3ff);
  const advice a = advise(p);
  EXPECT_EQ(a.before.wavefronts, 10u);
  ASSERT_FALSE(a.answers.empty());
  EXPECT_EQ(a.answers[0].wavefronts, 1u);
  EXPECT_EQ(a.answers[0].kind, family::row_padding);
}

}  // namespace
}  // namespace bankwise::advise
