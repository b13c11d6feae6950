// Delays of kernels that pass tiles through a ring of buffers in shared memory: one warp fills a buffer with bulk copies,
// and others multiply what is in it with wgmma. The ring may have too few stages, products may be waited for too early, and
// the tiles may be too small for L2.
#include <algorithm>
#include <bitset>
#include <map>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.hpp"
#include "cubin/occupancy.hpp"
#include "profile/delays/traced_launch.hpp"
#include "timing/instruction_cost.hpp"

namespace bankwise {

namespace {

// A ring of buffers, from the warps that fill it. They wait for an mbarrier until the buffer is free again.
struct ring {
  std::set<std::uint32_t> mbarriers;  // shared addresses: one for each stage
  std::set<std::uint32_t> tests;      // instructions that test them, as indices in trace.code
  std::uint64_t tested = 0;           // how often
  std::uint64_t bytes = 0;            // that the warps copied after a test, until they tested another ring
  std::map<std::uint64_t, std::uint64_t> bytes_by_size;  // these bytes, by the bytes of a copy
  std::set<std::uint32_t> copies;                        // instructions that copied them

  std::uint64_t bytes_of_stage() const { return tested == 0 ? 0 : bytes / tested; }
  void join(const ring& more) {
    mbarriers.insert(more.mbarriers.begin(), more.mbarriers.end());
    tests.insert(more.tests.begin(), more.tests.end());
    tested += more.tested;
    bytes += more.bytes;
    for (const auto& [size, n] : more.bytes_by_size) bytes_by_size[size] += n;
    copies.insert(more.copies.begin(), more.copies.end());
  }
};

template <class Visit>
void each_access_of_warp(const timing::launch_trace& t, const timing::traced_warp& w, Visit visit) {
  for (const timing::traced_run& one : w.runs)
    for (std::uint32_t n = 0; n < one.accesses; ++n) visit(t.accesses[one.first_access + n]);
}

bool is_bulk_load(const timing::traced_access& a) {
  return a.space == timing::memory_space::bulk && a.does == timing::memory_action::load;
}

std::uint64_t bytes_of(const timing::launch_trace& t, const timing::traced_access& a) {
  std::uint64_t sectors = 0;
  each_sector(t, a, [&](std::uint64_t) { ++sectors; });
  constexpr std::uint64_t bytes_of_sector = 32;
  return sectors * bytes_of_sector;
}

// The shared addresses of the mbarriers that copies of a block complete.
std::set<std::uint32_t> told_by_copies(const timing::launch_trace& t, const timing::traced_block& b) {
  std::set<std::uint32_t> out;
  each_access(t, b, timing::memory_space::bulk,
              [&](std::uint32_t, const timing::traced_run&, const timing::traced_access& a) {
                if (is_bulk_load(a)) out.insert(static_cast<std::uint32_t>(t.after_lines(a)));
              });
  return out;
}

// Adds the tests of a block, each instruction as a ring of its own.
void add_tests(const timing::launch_trace& t, const timing::traced_block& b, std::map<std::uint32_t, ring>& by_test) {
  const std::set<std::uint32_t> told = told_by_copies(t, b);
  if (told.empty()) return;
  for (const timing::traced_warp& w : b.warps) {
    bool fills = false;
    each_access_of_warp(t, w, [&](const timing::traced_access& a) { fills |= is_bulk_load(a); });
    if (!fills) continue;
    ring* last = nullptr;
    each_access_of_warp(t, w, [&](const timing::traced_access& a) {
      if (is_bulk_load(a) && last != nullptr) {
        const std::uint64_t bytes = bytes_of(t, a);
        last->bytes += bytes;
        last->bytes_by_size[bytes] += bytes;
        last->copies.insert(a.code);
      }
      if (a.space != timing::memory_space::mbarrier || a.does != timing::memory_action::load || a.lines == 0) return;
      const auto mbarrier = static_cast<std::uint32_t>(t.lines[a.first_line]);
      if (told.contains(mbarrier)) return;
      last = &by_test[a.code];
      last->mbarriers.insert(mbarrier);
      last->tests.insert(a.code);
      ++last->tested;
    });
  }
}

bool have_common(const std::set<std::uint32_t>& a, const std::set<std::uint32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::uint32_t one) { return b.contains(one); });
}

// Instructions that test the same mbarriers belong to one ring. In an unrolled loop, each instruction tests one.
std::vector<ring> rings_of(const traced_launch& l) {
  std::map<std::uint32_t, ring> by_test;
  for (const timing::traced_block& b : l.trace.blocks) add_tests(l.trace, b, by_test);
  std::vector<ring> out;
  for (const auto& [code, one] : by_test) {
    const auto loop = l.loop_around(code);
    const auto belongs = [&](const ring& r) {
      const bool are_unrolled = r.mbarriers.size() == r.tests.size() && one.mbarriers.size() == 1 &&
                                r.bytes_of_stage() == one.bytes_of_stage() && loop.first <= loop.second &&
                                l.loop_around(*r.tests.begin()) == loop;
      return have_common(r.mbarriers, one.mbarriers) || are_unrolled;
    };
    ring all = one;
    for (const ring& r : out)
      if (belongs(r)) all.join(r);
    std::erase_if(out, belongs);
    out.push_back(std::move(all));
  }
  return out;
}

// Returns the bytes of a stage of all rings, which grow together.
std::uint64_t bytes_of_stage(const std::vector<ring>& rings) {
  std::uint64_t bytes = 0;
  for (const ring& r : rings) bytes += r.bytes_of_stage();
  return bytes;
}

// Returns how many stages of so many bytes fit, while as many blocks as the grid needs stay resident.
std::uint64_t free_stages(const traced_launch& l, std::uint64_t bytes) {
  const cubin::multiprocessor* const on = cubin::find_multiprocessor(formatted("sm_{}", l.trace.sm));
  if (on == nullptr || bytes == 0) return 0;
  const auto blocks = [&](std::uint64_t stages) {
    const std::uint64_t shared = l.trace.shared_bytes + stages * bytes;
    return cubin::blocks_per_multiprocessor(*on,
                                            {l.trace.threads(), l.trace.registers, static_cast<std::uint32_t>(shared)})
        .blocks;
  };
  const auto gpu = static_cast<std::uint64_t>(l.gpu.multiprocessors);
  const std::uint64_t least = std::min<std::uint64_t>(blocks(0), (l.trace.grid_blocks() + gpu - 1) / gpu);
  constexpr std::uint64_t most = 8;
  std::uint64_t n = 0;
  while (n < most && blocks(n + 1) >= std::max<std::uint64_t>(1, least)) ++n;
  return n;
}

// The same number of stages more for each ring, with the fewest that save nearly as much as all that fit.
void find_few_stages(traced_launch& l, const std::vector<ring>& rings) {
  const std::uint64_t bytes = bytes_of_stage(rings);
  std::uint64_t most = free_stages(l, bytes);
  for (const ring& r : rings) most = std::min(most, std::uint64_t{r.mbarriers.size()} * 4);
  if (most == 0) return;
  const auto with = [&](std::uint64_t stages) {
    change_list out;
    for (std::size_t n = 0; n < rings.size(); ++n)
      for (const std::uint32_t code : rings[n].tests)
        out.push_back({code, {.stages = static_cast<std::uint8_t>(stages), .ring = static_cast<std::uint8_t>(n)}});
    return out;
  };
  const std::uint64_t saved_by_all = l.again.saved_with(with(most));
  if (!l.is_enough(saved_by_all)) return;
  std::uint64_t stages = 1, saved = 0;
  for (; stages < most; stages *= 2)
    if (saved = l.again.saved_with(with(stages)); saved * 10 >= saved_by_all * 9) break;
  if (stages >= most) {
    stages = most;
    saved = l.again.saved_with(with(most));
  }
  const ring& first =
      *std::max_element(rings.begin(), rings.end(), [](const ring& a, const ring& b) { return a.tested < b.tested; });
  const auto often = std::max_element(first.tests.begin(), first.tests.end(), [&](std::uint32_t a, std::uint32_t b) {
    return l.executed[a].times < l.executed[b].times;
  });
  delay d = l.delay_at(delay_kind::few_stages, *often);
  d.now = first.mbarriers.size();
  d.then = d.now + stages;
  d.used = bytes;
  l.add(std::move(d), saved);
}

// The instructions that read the sums of products, apart from the products themselves.
std::vector<bool> readers_of_sums(const traced_launch& l) {
  std::bitset<256> sums;
  const auto multiplies = [&](std::uint32_t i) {
    return timing::cost_of(l.code[i]).does == timing::behaviour::matrix_group;
  };
  for (std::uint32_t i = 0; i < l.code.size(); ++i)
    if (l.is_executed(i) && multiplies(i)) sums |= l.registers_of(i).writes.vector;
  std::vector<bool> out(l.code.size());
  for (std::uint32_t i = 0; i < l.code.size(); ++i)
    out[i] = l.is_executed(i) && !multiplies(i) && (l.registers_of(i).reads.vector & sums).any();
  return out;
}

// The waits for products to which the warps come back without using the sums until then, at least in most rounds.
std::vector<std::uint32_t> needless_waits(const traced_launch& l) {
  struct rounds_of_wait {
    std::uint64_t rounds = 0, used = 0;
  };
  std::map<std::uint32_t, rounds_of_wait> waits;
  for (std::uint32_t i = 0; i < l.code.size(); ++i)
    if (l.is_executed(i) && timing::cost_of(l.code[i]).does == timing::behaviour::group_wait) waits[i];
  if (waits.empty()) return {};
  const std::vector<bool> reads_sums = readers_of_sums(l);
  for (const timing::traced_warp& w : l.trace.blocks[l.trace.longest_block()].warps) {
    std::uint64_t reads = 0;                      // of sums, until now
    std::map<std::uint32_t, std::uint64_t> last;  // reads until the last execution of a wait
    for (const timing::traced_run& r : w.runs)
      for (std::uint32_t i = r.code; i < r.code + r.count; ++i) {
        reads += reads_sums[i];
        const auto wait = waits.find(i);
        if (wait == waits.end()) continue;
        const auto [before, is_first] = last.try_emplace(i, reads);
        wait->second.rounds += !is_first;
        wait->second.used += before->second != reads;
        before->second = reads;
      }
  }
  std::vector<std::uint32_t> out;
  for (const auto& [code, n] : waits)
    if (n.rounds != 0 && n.used * 2 < n.rounds) out.push_back(code);
  return out;
}

// A warp group waits in each round for the products of this round. With several stages, those of the next round could
// begin before.
void find_awaited_products(traced_launch& l, const std::vector<ring>& rings) {
  if (std::none_of(rings.begin(), rings.end(), [](const ring& r) { return r.mbarriers.size() > 1; })) return;
  change_list out;
  for (const std::uint32_t wait : needless_waits(l)) out.push_back({wait, {.keeps_group = true}});
  if (out.empty()) return;
  const auto most = std::max_element(out.begin(), out.end(), [&](const auto& a, const auto& b) {
    return l.executed[a.code].times < l.executed[b.code].times;
  });
  l.try_changes(delay_kind::awaited_products, most->code, out);
}

// Returns the columns of the widest product of a warp group. Returns 0 if there is none.
unsigned columns_of_products(const traced_launch& l) {
  unsigned most = 0;
  for (std::uint32_t i = 0; i < l.code.size(); ++i) {
    if (!l.is_executed(i)) continue;
    const sass::fields f = sass::fields_of(l.code[i]);
    if (const auto* const product = std::get_if<sass::group_product>(&f))
      most = std::max<unsigned>(most, product->columns);
  }
  return most;
}

// Whether a block has room for another warp group that multiplies: one more stage of shared memory, and registers.
bool has_room_for_group(const traced_launch& l, std::uint64_t bytes_of_stage, unsigned columns) {
  const cubin::multiprocessor* const on = cubin::find_multiprocessor(formatted("sm_{}", l.trace.sm));
  if (on == nullptr) return false;
  constexpr std::uint32_t group = 128;  // threads of a warp group
  constexpr std::uint32_t others = 48,
                          copying = 32;  // registers apart from the sums, and those of a thread that copies
  const std::uint32_t sums = columns / 2;
  const std::uint32_t multiplying = std::max(l.trace.threads() / group, 2U);  // groups, with the new one
  const std::uint32_t threads = group * (multiplying + 1);
  const std::uint32_t registers = (multiplying * (sums + others) + copying) / (multiplying + 1);
  const auto shared = static_cast<std::uint32_t>(l.trace.shared_bytes + bytes_of_stage);
  return cubin::blocks_per_multiprocessor(*on, {threads, registers, shared}).blocks != 0;
}

// The part of the copied bytes that a tile needs which is twice as long in one dimension: half of the larger operand's
// bytes serve two products. Copies of one size may belong to both operands.
double part_of_larger_tile(const std::vector<ring>& rings) {
  ring all;
  for (const ring& r : rings) all.join(r);
  std::uint64_t most = 0;
  for (const auto& [size, bytes] : all.bytes_by_size) most = std::max(most, bytes);
  const double part = static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(1, all.bytes));
  constexpr double both = 0.5, longest = 0.8;  // of the bytes for the larger operand: equal tiles, tiles of 4 to 1
  return 1 - (all.bytes_by_size.size() == 1 ? both : std::clamp(part, both, longest)) / 2;
}

// With a second warp group that multiplies, a block uses an operand twice, and one group multiplies while the other waits.
// That is replayed as two blocks that share their copies.
void find_small_tiles(traced_launch& l, const std::vector<ring>& rings) {
  // Half of the blocks must still fill the GPU.
  if (static_cast<double>(l.trace.grid_blocks()) < 2 * l.gpu.multiprocessors) return;
  const std::uint64_t bytes = bytes_of_stage(rings);
  const unsigned columns = columns_of_products(l);
  if (columns == 0 || !has_room_for_group(l, bytes, columns)) return;
  const double part = part_of_larger_tile(rings);
  change_list out;
  for (const ring& r : rings)
    for (const std::uint32_t code : r.copies) out.push_back({code, {.copied = static_cast<float>(part)}});
  if (out.empty()) return;
  const auto resident = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, l.time.resident_blocks));
  const std::uint64_t saved = l.again.saved_with(out, {.blocks = 2 * resident});
  delay d = l.delay_at(delay_kind::small_tiles, out.front().code);
  d.now = bytes;
  d.then = static_cast<std::uint64_t>(static_cast<double>(bytes) * part);
  l.add(std::move(d), saved);
}

}  // namespace

void find_pipeline_delays(traced_launch& l) {
  const std::vector<ring> rings = rings_of(l);
  constexpr std::size_t most_rings = 8;
  if (rings.empty() || rings.size() > most_rings) return;
  find_few_stages(l, rings);
  find_awaited_products(l, rings);
  find_small_tiles(l, rings);
}

}  // namespace bankwise
