// Delays from warps: barriers that order nothing, and atomic updates that a block repeats.
#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "profile/delays/traced_launch.hpp"
#include "timing/instruction_cost.hpp"

namespace bankwise {

namespace {

// In which groups of warps of a traced block a warp reads or updates a sector of global memory that another one wrote.
std::uint32_t group_with_global_memory(const timing::launch_trace& t, std::uint32_t group) {
  struct use {
    std::uint32_t warp = 0;
    bool is_written = false;
  };
  for (const timing::traced_block& b : t.blocks) {
    std::unordered_map<std::uint64_t, use> sectors;
    each_global_access(t, b, [&](std::uint32_t warp, const timing::traced_run&, const timing::traced_access& a) {
      const bool writes = a.does == timing::memory_action::store || a.does == timing::memory_action::update;
      each_sector(t, a, [&](std::uint64_t sector) {
        use& u = sectors.try_emplace(sector, use{warp, writes}).first->second;
        if (u.warp != warp && (u.is_written || writes)) group = timing::group_with(group, u.warp, warp);
        u.is_written |= writes;
      });
    });
  }
  return group;
}

// The accesses to shared memory that a compiler replaces by registers without the barriers: loads of what the thread
// itself stored, at addresses that are known while it compiles, and stores that a later store replaces. Nothing if the
// kernel also has other loads.
change_list kept_in_registers(const traced_launch& l) {
  change_list out;
  std::map<std::tuple<unsigned, unsigned, std::int64_t>, std::uint32_t> stores;  // the last one, by address
  std::vector<std::uint32_t> loads;
  const auto address_at = [&](std::uint32_t i) {
    const sass::fields f = sass::fields_of(l.code[i]);
    const auto& a = std::get<sass::memory_access>(f).address;
    return std::tuple(unsigned{a.base}, a.adds_uniform ? unsigned{a.uniform} : 0xffffU, a.offset);
  };
  for (std::uint32_t i = 0; i < l.code.size(); ++i) {
    const sass::opcode_traits& t = l.traits_at(i);
    if (!l.is_executed(i) || t.unit != sass::unit::memory || t.space != sass::space::shared) continue;
    const sass::fields f = sass::fields_of(l.code[i]);
    if (!std::holds_alternative<sass::memory_access>(f)) return {};
    if (t.action == sass::action::load) loads.push_back(i);
    if (t.action != sass::action::store) continue;
    const auto [at, is_new] = stores.try_emplace(address_at(i), i);
    if (!is_new) out.push_back(left_out(std::exchange(at->second, i)));
  }
  for (const std::uint32_t i : loads) {
    if (!stores.contains(address_at(i))) return {};
    out.push_back(left_out(i));
  }
  return out;
}

void find_needless_barriers(traced_launch& l) {
  if (!l.may_save("barriers")) return;
  change_list out;
  bool are_of_block = true;  // not named barriers
  for (std::uint32_t i = 0; i < l.code.size(); ++i)
    if (l.is_executed(i) && l.is_barrier(i)) {
      out.push_back(left_out(i));
      const timing::instruction_cost c = timing::cost_of(l.code[i]);
      are_of_block &= l.opcode_at(i) == sass::opcode::BAR_II && c.number == 0 && c.remaining == 0;
    }
  if (out.empty()) return;
  const bool is_whole = std::none_of(l.trace.blocks.begin(), l.trace.blocks.end(),
                                     [](const timing::traced_block& b) { return b.is_cut; });
  const std::uint64_t warps = (l.trace.threads() + warp_lanes - 1) / warp_lanes;
  if (warps > 1 && !is_whole) return;
  const std::uint32_t group = warps == 1 ? 1 : group_with_global_memory(l.trace, l.trace.sharing_warps);
  // There are 16 barriers, and the block may need the first one.
  constexpr std::uint64_t free_barriers = 15;
  const bool can_have_own = are_of_block && warps % group == 0 && warps / group <= free_barriers;
  if (warps > 1 && (group >= warps || (group > 1 && !can_have_own))) return;
  std::uint32_t most = out[0].code;
  for (const timing::changed_instruction& c : out)
    if (l.executed[c.code].times > l.executed[most].times) most = c.code;
  delay d = l.delay_at(delay_kind::needless_barriers, most);
  if (group > 1) {
    d.now = group * warp_lanes;
    for (timing::changed_instruction& c : out) c.change = {.barrier_group = static_cast<std::uint8_t>(group)};
  } else if (!l.trace.lanes_share && is_whole) {
    d.about = "lanes";
    for (const timing::changed_instruction& c : kept_in_registers(l)) out.push_back(c);
  } else {
    for (timing::changed_instruction& c : out) c.change.added = 1;  // __syncwarp() takes an instruction
  }
  l.add(std::move(d), l.again.saved_with(out));
}

// Updates of global memory by the traced blocks.
struct updated_words {
  std::unordered_set<std::uint64_t> words;    // as far as all lanes of a warp update one word
  std::unordered_set<std::uint64_t> sectors;  // of all other updates
  std::uint64_t count() const {
    constexpr std::uint64_t words_of_sector = 8;
    return words.size() + words_of_sector * sectors.size();
  }
};
struct instruction_updates {
  std::uint64_t lanes = 0;      // executions by single lanes
  updated_words of_block, all;  // of the current block, and of all blocks
  std::uint64_t different = 0;  // words of each block, added up
};

std::map<std::uint32_t, instruction_updates> updates_of(const traced_launch& l) {
  const timing::launch_trace& t = l.trace;
  std::map<std::uint32_t, instruction_updates> updates;  // by instruction
  for (std::uint32_t i = 0; i < l.code.size(); ++i)
    if (l.is_executed(i) && l.reads_memory(i) && l.traits_at(i).action == sass::action::update) updates[i];
  if (updates.empty()) return updates;
  for (const timing::traced_block& b : t.blocks) {
    each_global_access(t, b, [&](std::uint32_t, const timing::traced_run& run, const timing::traced_access& a) {
      if (a.does != timing::memory_action::update) return;
      instruction_updates& u = updates[a.code];
      u.lanes += run.lanes;
      if (a.same_word == run.lanes)
        u.of_block.words.insert(t.word_of(a));
      else
        each_sector(t, a, [&](std::uint64_t sector) { u.of_block.sectors.insert(sector); });
    });
    for (auto& [code, u] : updates) {
      u.different += u.of_block.count();
      u.all.words.merge(u.of_block.words);
      u.all.sectors.merge(u.of_block.sectors);
      u.of_block = {};
    }
  }
  return updates;
}

// Updates of single lanes, and the words that they update.
struct repeated_words {
  std::uint64_t updates = 0, words = 0;
};

// Adds the delay of the given updates, after which `words` of `updates` remain.
void add_repeated(traced_launch& l, const change_list& out, const repeated_words& n, std::string_view of) {
  if (out.empty()) return;
  const std::uint64_t saved = l.again.saved_with(out);
  if (!l.is_enough(saved)) return;
  delay d = l.delay_at(delay_kind::repeated_updates, out[0].code);
  d.now = n.updates;
  d.then = std::max<std::uint64_t>(1, n.words);
  d.about = of;
  l.add(std::move(d), saved);
}

void find_repeated_updates(traced_launch& l) {
  constexpr std::uint64_t often = 4;  // updates of the same word in a block
  const std::map<std::uint32_t, instruction_updates> updates = updates_of(l);
  const std::uint64_t blocks = l.trace.blocks.size();
  if (blocks == 0) return;
  change_list of_blocks, of_launch;
  repeated_words in_block, in_launch;
  // With blocks that loop over the data, each block can collect its updates in shared memory.
  constexpr std::uint64_t most_shared = 12 * 1024;  // fit into 48 KiB
  const std::uint64_t enough_blocks = 2 * static_cast<std::uint64_t>(l.gpu.multiprocessors);
  for (const auto& [code, u] : updates) {
    if (u.lanes == 0) continue;
    if (u.different * often <= u.lanes) {
      of_blocks.push_back(left_out(code, static_cast<double>(u.different) / static_cast<double>(u.lanes)));
      in_block.updates += u.lanes / blocks;
      in_block.words += u.different / blocks;
      continue;
    }
    // All traced blocks update the same words, so the others probably update no others.
    const std::uint64_t words = u.all.count(), lanes = u.lanes / blocks * l.trace.grid_blocks();
    const bool are_same = blocks > 1 && words * blocks <= 2 * u.different;
    if (!are_same || words > most_shared || words * enough_blocks * often > lanes) continue;
    of_launch.push_back(left_out(code, static_cast<double>(words * enough_blocks) / static_cast<double>(lanes)));
    in_launch.updates += lanes;
    in_launch.words += words;
  }
  add_repeated(l, of_blocks, in_block, {});
  add_repeated(l, of_launch, in_launch, "launch");
}

}  // namespace

void find_warp_delays(traced_launch& l) {
  find_needless_barriers(l);
  find_repeated_updates(l);
}

}  // namespace bankwise
