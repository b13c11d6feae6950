// Compares the public headers with a second implementation of the rules. The second implementation is slow, and uses
// sets and maps.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

#include "bankwise/source_page.hpp"
#include "bankwise/wavefronts.hpp"

namespace bankwise {
namespace {

bool active(const access& a, u32 lane) { return (lanes_used(a) >> lane & 1) != 0; }

bool partners(const access& a, u32 distance) {
  for (u32 i = 0; i < 32; ++i)
    if (active(a, i) && active(a, i ^ distance) && a.address[i] != a.address[i ^ distance]) return false;
  return true;
}

using lane_set = std::vector<u32>;

// Returns the largest number of rows that lanes access in a bank. If lanes do not share words, counts (lane, word)
// pairs instead of rows.
u32 fullest(const access& a, const bank_model& m, const lane_set& lanes, bool share) {
  std::map<u32, std::set<std::tuple<u64, u32>>> rows;
  for (const u32 lane : lanes)
    for (u32 byte = 0; byte < a.op.width_bytes; ++byte) {
      const u64 address = u64{a.address[lane]} + byte;
      const u32 bank = static_cast<u32>(address / m.bank_bytes % m.banks);
      const u64 row = share ? address / (u64{m.banks} * m.row_bytes) : address / m.bank_bytes;
      rows[bank].insert({row, share ? 0 : lane});
    }
  u32 most = 0;
  for (const auto& [bank, set] : rows) most = std::max(most, static_cast<u32>(set.size()));
  return most;
}

u32 oracle(const access& a, const bank_model& m) {
  const bool matrix = a.op.matrices != 0;
  const bool share =
      a.op.kind != op_kind::atomic && a.op.kind != op_kind::compare_and_swap && a.op.kind != op_kind::copy_async;
  u32 size = matrix                  ? 8
             : a.op.width_bytes <= 4 ? m.phase_lanes[0]
             : a.op.width_bytes == 8 ? m.phase_lanes[1]
                                     : m.phase_lanes[2];
  if (m.merges_loads && a.op.kind == op_kind::load && a.op.width_bytes > 4 && (partners(a, 1) || partners(a, 2)))
    size *= 2;
  // The groups of half a wave, from CK Tile's documentation and from timings of an MI350X.
  constexpr u32 of_eights[8] = {0, 1, 2, 3, 1, 0, 3, 2}, of_sixteens[8] = {0, 1, 1, 0, 1, 0, 0, 1};
  const u32* group_of_quad = m.wide_loads == load_order::eights ? of_eights : of_sixteens;
  const bool crossed = m.wide_loads != load_order::neighbours && a.op.kind == op_kind::load && a.op.width_bytes == 16;
  u32 sum = 0, worst = 0;
  for (u32 first = 0; first < 32; first += size) {
    lane_set lanes;
    for (u32 i = 0; i < 32; ++i)
      if (active(a, i) && (crossed ? group_of_quad[i / 4] == first / size : i >= first && i < first + size))
        lanes.push_back(i);
    const u32 n = fullest(a, m, lanes, share);
    sum += n;
    worst = std::max(worst, n);
  }
  if (m.wide == serving::quarters_plus_one && a.op.width_bytes == 16) return worst == 0 ? 0 : worst + 1;
  return a.op.kind == op_kind::compare_and_swap ? 2 * sum : sum;
}

class random_accesses {
 public:
  explicit random_accesses(unsigned seed) : r_(seed) {}

  access next(operation op) {
    access a{op, mask(), {}};
    const u32 w = op.width_bytes;
    const u32 span = 1u << pick(1, 10), stride = pick(0, 40), low = pick(0, 5), shape = pick(0, 5);
    for (u32 i = 0; i < 32; ++i) {
      u32 index = shape == 0   ? pick(0, span)
                  : shape == 1 ? i * stride
                  : shape == 2 ? (i >> low) * stride
                  : shape == 3 ? (i & ~(1u << low)) * stride + pick(0, 1) * 32
                  : shape == 4 ? i ^ stride
                               : pick(0, 3);
      a.address[i] = index * w;
    }
    return a;
  }
  u32 pick(u32 from, u32 to) { return std::uniform_int_distribution<u32>(from, to)(r_); }

 private:
  u32 mask() {
    const u32 any = static_cast<u32>(r_());
    switch (pick(0, 5)) {
      case 0: return any;
      case 1: return any & static_cast<u32>(r_());
      case 2: return 0x55555555u << pick(0, 1);
      case 3: return 0xffu << 8 * pick(0, 3);
      case 4: return 1u << pick(0, 31);
      default: return full_mask;
    }
  }
  std::mt19937 r_;
};

const operation all_operations[] = {
    ld(1),  ld(2),       ld(4),       ld(8),       ld(16),      st(1),       st(2),       st(4),        st(8),
    st(16), ldmatrix(1), ldmatrix(2), ldmatrix(4), stmatrix(1), stmatrix(2), stmatrix(4), atom(4),      atom(8),
    red(4), red(8),      cas(4),      cas(8),      popc_inc(),  cp_async(4), cp_async(8), cp_async(16),
};

// Checks that the two interfaces and the oracle agree in all results that they have in common.
void check(const access& a, const bank_model& m) {
  const cost c = analyze(a, m);
  const explanation e = explain(a, m);
  ASSERT_EQ(c.wavefronts, oracle(a, m));
  ASSERT_EQ(e.total.wavefronts, c.wavefronts);
  ASSERT_EQ(e.total.reachable, c.reachable);
  ASSERT_EQ(e.total.ideal, c.ideal);
  ASSERT_EQ(e.total.cycles, c.cycles);
  ASSERT_EQ(e.total.merged, c.merged);
  ASSERT_LE(c.ideal, c.wavefronts);
  ASSERT_LE(c.reachable, c.wavefronts);
  ASSERT_GE(c.cycles, c.wavefronts);
  // The explanation contains every active lane and every turn.
  u32 lanes = 0;
  for (u32 p = 0; p < e.phases; ++p) {
    const phase& ph = e.phase_at[p];
    u32 wanted = 0, turns = 0;
    for (u32 i = 0; i < ph.wants; ++i) {
      const want& w = e.want_at[ph.first_want + i];
      ASSERT_EQ(w.phase, p);
      ASSERT_EQ(w.bank, w.word % m.banks);
      ASSERT_NE(w.lanes, 0u);
      wanted |= w.lanes;
      turns = std::max<u32>(turns, w.turn + 1u);
    }
    ASSERT_EQ(wanted, ph.lanes);
    ASSERT_EQ(turns, ph.wavefronts);
    lanes |= ph.lanes;
  }
  ASSERT_EQ(lanes, lanes_used(a));
}

TEST(Oracle, CommonMachineAllOperations) {
  random_accesses random(1);
  for (int i = 0; i < 4000; ++i)
    for (const operation op : all_operations) ASSERT_NO_FATAL_FAILURE(check(random.next(op), maxwell_model()));
}

TEST(Oracle, KeplerFermiAmdAndMachinesOfOnesOwn) {
  random_accesses random(2);
  const operation memory[] = {ld(1), ld(2), ld(4), ld(8), ld(16), st(4), st(8), st(16)};
  for (int i = 0; i < 1500; ++i)
    for (const operation op : memory) {
      ASSERT_NO_FATAL_FAILURE(check(random.next(op), kepler_model(4)));
      ASSERT_NO_FATAL_FAILURE(check(random.next(op), kepler_model(8)));
      ASSERT_NO_FATAL_FAILURE(check(random.next(op), cdna3_model()));
      ASSERT_NO_FATAL_FAILURE(check(random.next(op), cdna4_model()));
      ASSERT_NO_FATAL_FAILURE(check(random.next(op), rdna4_model()));
      ASSERT_NO_FATAL_FAILURE(check(random.next(op), flat_model(random.pick(1, most_banks), random.pick(1, 32))));
      const auto lanes = [&] { return 2u << random.pick(0, 4); };
      ASSERT_NO_FATAL_FAILURE(check(
          random.next(op), flat_model(random.pick(1, most_banks), random.pick(1, 32), lanes(), lanes(), lanes())));
      const access a = random.next(op);
      ASSERT_EQ(analyze(a, fermi_model()).wavefronts, oracle(a, fermi_model()));
    }
}

// If all addresses of an access are shifted by the same number of words, the access has the same cost in different
// banks. The collector of a launch relies on this.
TEST(Oracle, MovedByWordsItCostsTheSame) {
  random_accesses random(9);
  for (const bank_model& m : {maxwell_model(), flat_model(24, 4), flat_model(7, 8)})
    for (int i = 0; i < 2000; ++i)
      for (const operation op : all_operations) {
        if (is_copy(op.kind)) continue;
        const access a = random.next(op);
        access b = a;
        const u32 by = std::max<u32>(op.matrices != 0 ? 16 : op.width_bytes, m.bank_bytes) * random.pick(1, 300);
        for (u32& address : b.address) address += by;
        const cost x = analyze(a, m), y = analyze(b, m);
        for (const auto count : {&cost::wavefronts, &cost::ideal, &cost::reachable, &cost::passes, &cost::cycles})
          ASSERT_EQ(x.*count, y.*count) << by;
        const page_count p = source_page(a, x, m), q = source_page(b, y, m);
        ASSERT_TRUE(p == q) << by;
        ASSERT_EQ(layout_floor(a, m), layout_floor(b, m));
      }
}

// Aligned accesses use a fast path with separate code.
TEST(Oracle, MisalignedAddressesAreAnsweredWordByWord) {
  random_accesses random(3);
  for (int i = 0; i < 2000; ++i) {
    access a = random.next(random.pick(0, 1) != 0 ? ld(16) : st(8));
    for (u32& address : a.address) address += 4 * random.pick(0, 3);
    ASSERT_EQ(analyze(a).wavefronts, oracle(a, maxwell_model()));
  }
  for (int i = 0; i < 2000; ++i) {
    const operation narrow[] = {ld(2), ld(4), st(4), atom(4)};
    access a = random.next(narrow[random.pick(0, 3)]);
    for (u32& address : a.address) address += random.pick(0, 3);  // lets accesses cross the end of a word
    ASSERT_EQ(analyze(a).wavefronts, oracle(a, maxwell_model()));
    ASSERT_EQ(analyze(a).wavefronts, explain(a).total.wavefronts);
    ASSERT_LE(analyze(a).reachable, layout_floor(a, maxwell_model()));
  }
}

// A retrying compare-and-swap serves one lane for each bank and phase, and takes two wavefronts for each phase. Then
// the remaining lanes repeat it. The number of rounds equals the largest number of lanes that access one bank in a
// phase.
TEST(Oracle, CasSpinServesOneLaneABank) {
  random_accesses random(5);
  for (int i = 0; i < 4000; ++i) {
    access a = random.next(cas_spin(i % 2 != 0 ? 8 : 4));
    const u32 size = a.op.width_bytes == 8 ? 16 : 32, asked = a.mask;
    u32 rounds = 0, fullest_bank = 0;
    for (u32 first = 0; first < 32; first += size) {
      std::map<u32, u32> lanes_of_bank;
      for (u32 lane = first; lane < first + size; ++lane)
        if ((asked >> lane & 1) != 0) fullest_bank = std::max(fullest_bank, ++lanes_of_bank[a.address[lane] / 4 % 32]);
    }
    for (; a.mask != 0; ++rounds) {
      const u32 served = lanes_served(a);
      ASSERT_NE(served, 0u);
      ASSERT_EQ(served & ~a.mask, 0u);
      u32 phases = 0;
      for (u32 first = 0; first < 32; first += size) phases += (a.mask >> first & (size == 32 ? ~0u : 0xffffu)) != 0;
      ASSERT_EQ(wavefronts(a), 2 * phases);
      ASSERT_EQ(explain(a).total.wavefronts, 2 * phases);
      ASSERT_LE(analyze(a).ideal, 2 * phases);
      a.mask &= ~served;
    }
    ASSERT_EQ(rounds, fullest_bank);
  }
}

TEST(Oracle, TheLastBytesOfTheAddressSpaceAreStillAnAccess) {
  access a{ld(4), full_mask, {}};
  for (u32& address : a.address) address = 0xffffffffu;
  EXPECT_EQ(analyze(a).wavefronts, 1u);
  EXPECT_EQ(analyze(a, flat_model(32, 1)).wavefronts, 1u);
}

// For compute capability 1.x, tries every order of broadcast words, for a few lanes of one half-warp.
struct request {
  u32 lane, word;
};
u32 fewest_steps(const std::vector<request>& left) {
  if (left.empty()) return 0;
  u32 best = 99;
  for (const request& chosen : left) {
    std::vector<request> rest;
    std::set<u32> busy{chosen.word % 16};
    // A step serves all lanes of the broadcast word, and one lane in each of the other banks. The recursion tries each
    // choice of the broadcast word. In the other banks, the step serves a lane of the word that the fewest lanes need.
    // A later broadcast can serve the words that more lanes need.
    std::map<u32, std::map<u32, std::vector<request>>> by_bank;
    for (const request& r : left)
      if (r.word != chosen.word) by_bank[r.word % 16][r.word].push_back(r);
    for (auto& [bank, words] : by_bank) {
      if (!busy.contains(bank)) {
        auto smallest = words.begin();
        for (auto it = words.begin(); it != words.end(); ++it)
          if (it->second.size() < smallest->second.size()) smallest = it;
        smallest->second.pop_back();
      }
      for (auto& [word, requests] : words) rest.insert(rest.end(), requests.begin(), requests.end());
    }
    best = std::min(best, 1 + fewest_steps(rest));
  }
  return best;
}

TEST(Oracle, TeslaTakesTheFewestStepsOfAnyBroadcastOrder) {
  random_accesses random(4);
  for (int i = 0; i < 3000; ++i) {
    access a{ld(4), 0, {}};
    std::vector<request> half;
    const u32 lanes = random.pick(1, 6);
    for (u32 lane = 0; lane < lanes; ++lane) {
      const u32 word = random.pick(0, 2) + 16 * random.pick(0, 1);
      a.address[lane] = 4 * word;
      a.mask |= 1u << lane;
      half.push_back({lane, word});
    }
    ASSERT_EQ(wavefronts(a, tesla_model()), fewest_steps(half));
  }
}

// For cp.async, finds the longest chain of lanes in which each lane shares a bank with the previous lane. A recursion
// searches for the chain byte by byte.
bool touch_one_bank(u32 a, u32 b, u32 width, const bank_model& m) {
  for (u32 i = 0; i < width; ++i)
    for (u32 j = 0; j < width; ++j)
      if ((a + i) / m.bank_bytes % m.banks == (b + j) / m.bank_bytes % m.banks) return true;
  return false;
}
u32 longest_chain(const access& a, const copy_source& from, const bank_model& m, u32 last, u32 first) {
  u32 most = 0;
  for (u32 i = first; i < last; ++i)
    if (active(a, i) && (touch_one_bank(a.address[i], a.address[last], a.op.width_bytes, m) ||
                         touch_one_bank(from.address[i], from.address[last], a.op.width_bytes, m)))
      most = std::max(most, longest_chain(a, from, m, i, first));
  return most + 1;
}

TEST(Oracle, CopiesTakeTheLongestChain) {
  random_accesses random(5);
  for (const bank_model& m : {maxwell_model(), flat_model(10, 4), flat_model(16, 8)})
    for (int n = 0; n < 300; ++n) {
      const u32 width = 4u << random.pick(0, 2), size = width == 4 ? 32 : width == 8 ? 16 : 8;
      // There are only a few lanes, because the recursion tries every chain.
      access a{cp_async(width), 0, {}};
      copy_source from{};
      for (u32 i = 0; i < 32; ++i) {
        a.mask |= static_cast<u32>(random.pick(0, 3) == 0) << i;
        a.address[i] = random.pick(0, 40) * width;
        from.address[i] = random.pick(0, 60) * width;
      }
      const bool phases = m.phase_lanes[2] == 8;
      u32 expected = 0;
      for (u32 first = 0; first < 32; first += phases ? size : 32) {
        u32 most = 0;
        for (u32 i = first; i < first + (phases ? size : 32); ++i)
          if (active(a, i)) most = std::max(most, longest_chain(a, from, m, i, first));
        expected += most;
      }
      ASSERT_EQ(analyze(a, from, m).wavefronts, expected);
      const explanation e = explain(a, from, m);
      ASSERT_EQ(e.total.wavefronts, expected);
      ASSERT_LE(source_floor(a, from, m), expected);
      ASSERT_LE(e.layout_floor, expected);
      u32 sum = 0;
      for (u32 p = 0; p < e.phases; ++p) sum += e.phase_at[p].wavefronts;
      ASSERT_EQ(sum, expected);
    }
}

TEST(Oracle, CopiesFromAContiguousSourceGoByTheDestination) {
  random_accesses random(6);
  for (int n = 0; n < 2000; ++n) {
    const u32 width = 4u << random.pick(0, 2), begin = random.pick(0, 31) * width;
    access a{cp_async(width), random.pick(0, 0xffff) * 65537u, {}};
    copy_source from{};
    for (u32 i = 0; i < 32; ++i) {
      a.address[i] = random.pick(0, 200) * width;
      from.address[i] = begin + i * width;
    }
    ASSERT_EQ(analyze(a, from).wavefronts, analyze(a).wavefronts);
  }
}

constexpr copy_source far_apart = {{0, 128, 256, 384}};
static_assert(analyze(make_access(
                          cp_async(4), [](u32 t) { return t * 4; }, 15),
                      far_apart)
                  .wavefronts == 4);
static_assert(analyze(make_access(
                          cp_async(4), [](u32 t) { return t * 4; }, 15))
                  .wavefronts == 1);

// Computes the wavefronts of cp.async.cg with a different method than the rule. Each lane copies a piece of 16 bytes,
// which is half of a sector. High lanes come first.
//   1. Several lanes can copy the same source piece to even-numbered pieces of one row. Each of these copies is in a
//      different round. The same is true for odd-numbered pieces.
//   2. A move contains the copies of one round from one source sector to one destination sector. If the sector's two
//      copies read the same piece, each copy is a separate move.
//   3. Moves of one round from one line to one row are one wavefront under two conditions. First, they use the same
//      halves of their sectors. Second, the lowest bit of the sector's number changes in all of them, or in none.
u32 moves_alike(const access& a, const copy_source& from) {
  std::map<u32, u32> written;  // piece of shared memory -> the lane that writes it
  for (u32 i = 0; i < 32; ++i)
    if (active(a, i)) written.try_emplace(a.address[i] / 16, i);
  std::map<std::tuple<u32, u32, u32>, u32> uses;  // (piece of the source, row, half of the sector) -> number of uses
  // (round, source sector, destination sector) -> pairs of halves
  std::map<std::tuple<u32, u32, u32>, std::vector<std::pair<u32, u32>>> between;
  for (u32 i = 32; i-- != 0;) {
    const u32 to = a.address[i] / 16, piece = from.address[i] / 16;
    if (!active(a, i) || written[to] != i) continue;
    const u32 round = uses[{piece, to / 8, to % 2}]++;
    between[{round, piece / 2, to / 2}].emplace_back(piece % 2, to % 2);
  }
  std::set<std::tuple<u32, u32, u32, u32, std::set<std::pair<u32, u32>>>> alike;
  for (const auto& [key, places] : between) {
    const auto [round, source, target] = key;
    std::vector<std::set<std::pair<u32, u32>>> moves;
    if (places.size() == 2 && places[0].first != places[1].first)
      moves.push_back({places[0], places[1]});
    else
      for (const auto& one : places) moves.push_back({one});
    for (const auto& move : moves) alike.insert({round, source / 4, target / 4, (source ^ target) % 2, move});
  }
  return static_cast<u32>(alike.size());
}

TEST(Oracle, CopiesPastL1MoveWhatMovesAlike) {
  random_accesses random(7);
  for (int n = 0; n < 20000; ++n) {
    access a{cp_async_cg(), random.pick(0, 3) == 0 ? full_mask : random.pick(0, 0xffff) * 65537u, {}};
    copy_source from{};
    const u32 span = random.pick(1, 80), shift = random.pick(0, 15), row = random.pick(1, 9);
    const bool regular = random.pick(0, 1) != 0;
    for (u32 i = 0; i < 32; ++i) {
      a.address[i] = (regular ? i / 8 * (8 + row) + i % 8 + shift : random.pick(0, span)) * 16;
      from.address[i] = (random.pick(0, 2) == 0 || !regular ? random.pick(0, span) : i) * 16;
    }
    ASSERT_EQ(analyze(a, from).wavefronts, moves_alike(a, from));
    ASSERT_LE(source_floor(a, from), analyze(a, from).wavefronts);
    const explanation e = explain(a, from);
    ASSERT_EQ(e.phases == 0 ? 0 : e.phase_at[0].wavefronts, e.total.wavefronts);
  }
}

// The lower bound can be reached: each wavefront gets its own rows, and pieces keep their positions in these rows.
TEST(Oracle, CopiesPastL1CanReachTheirFloor) {
  random_accesses random(8);
  for (int n = 0; n < 300; ++n) {
    access a{cp_async_cg(), 0, {}};
    copy_source from{};
    for (u32 i = 0; i < 32; ++i) {
      a.mask |= static_cast<u32>(random.pick(0, 6) == 0) << i;
      from.address[i] = random.pick(0, 9) * 16;
      a.address[i] = i * 1024;
    }
    const u32 floor = source_floor(a, from);
    u32 best = analyze(a, from).wavefronts;
    // Chooses random rows, as many as the minimum number of wavefronts. With few lanes, many attempts find the best
    // rows.
    for (int again = 0; again < 200000 && best > floor; ++again) {
      for (u32 i = 0; i < 32; ++i) a.address[i] = random.pick(0, floor - 1) * 128 + from.address[i] % 128;
      std::set<u32> places;
      u32 lanes = 0;
      for (u32 i = 0; i < 32; ++i)
        if (active(a, i)) places.insert(a.address[i]), ++lanes;
      if (places.size() == lanes) best = std::min(best, analyze(a, from).wavefronts);
    }
    ASSERT_EQ(best, floor);
  }
}

// A load through a generic pointer costs as much as an LDS whose phases do not merge.
TEST(Oracle, GenericLoadsNeverMerge) {
  bank_model unmerged = maxwell_model();
  unmerged.merges_loads = false;
  random_accesses random(7);
  for (int n = 0; n < 2000; ++n) {
    access a{ld_generic(8u << random.pick(0, 1)), random.pick(0, 0xffff) * 65537u, {}};
    for (u32 i = 0; i < 32; ++i) a.address[i] = random.pick(0, 3) * a.op.width_bytes;
    access plain = a;
    plain.op.generic = false;
    ASSERT_EQ(wavefronts(a), wavefronts(plain, unmerged));
    ASSERT_EQ(analyze(a).merged, merge::none);
  }
}

}  // namespace
}  // namespace bankwise
