#include "emulate/block/endless_wait.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace bankwise::emulate {

namespace {

// A path waits in vain after this number of equal polls with few instructions in between. A loop with a time limit has
// ended by then.
constexpr std::uint32_t looks_in_vain = 1u << 16;
constexpr std::uint64_t most_between_looks = 64;

bool waits_in_vain(const std::vector<vain_look>& looks, const path& p) {
  return p.state != path_state::ready || std::any_of(looks.begin(), looks.end(), [&](const vain_look& l) {
           return l.lanes == p.mask && l.times >= looks_in_vain;
         });
}

}  // namespace

std::optional<std::uint64_t> mbarrier_at(const worker& m, std::uint32_t address) {
  std::uint64_t word = 0;
  const std::vector<block_state*>& blocks = m.block->cluster->blocks;
  const std::uint32_t rank = address >> rank_shift, offset = address & offset_mask;
  if (rank >= blocks.size() || offset + sizeof word > blocks[rank]->shared.size()) return std::nullopt;
  std::memcpy(&word, blocks[rank]->shared.data() + offset, sizeof word);
  return word;
}

// The last instruction of the run that polls an mbarrier. Null if there is none.
const micro_op* endless_waits::look_in(const worker& m, const run& last) {
  constexpr std::uint64_t size = sass::instruction_bytes;
  if (m.section == nullptr || last.first < m.section->begin || last.last >= m.section->end) return nullptr;
  const auto [it, is_new] = look_of_.try_emplace(last.last, 0);
  if (is_new)
    for (std::uint64_t pc = last.last; pc >= last.first && last.last - pc < most_between_looks * size; pc -= size) {
      const sass::opcode_info* const info = m.section->instruction_at((pc - m.section->begin) / size).info();
      if (info == nullptr || info->op != sass::opcode::SYNCS_PHASECHK) continue;
      it->second = pc;
      break;
    }
  return it->second == 0 ? nullptr : &m.section->ops[(it->second - m.section->begin) / size];
}

void endless_waits::note(worker& m, const run& last, std::uint64_t instructions) {
  warp& w = *m.w;
  const micro_op* const u = m.yielded && w.alive != 0 ? look_in(m, last) : nullptr;
  if (u == nullptr && looks_.empty()) return;
  looks_of_warp& looks = looks_[&w];
  looks.instructions += instructions;
  if (looks.instructions > most_between_looks || (m.yielded && u == nullptr)) looks.of.clear();
  if (u == nullptr) return;
  looks.instructions = 0;
  const int lane = std::countr_zero(last.lanes);
  const std::uint32_t address = m.operand_row(u->a, 0)[lane] + w.uniform[u->b.index] +
                                static_cast<std::uint32_t>(u->as<sass::mbarrier_test>().address.offset);
  std::erase_if(looks.of, [&](const vain_look& l) { return l.lanes != last.lanes && (l.lanes & last.lanes) != 0; });
  auto it = std::find_if(looks.of.begin(), looks.of.end(), [&](const vain_look& l) { return l.lanes == last.lanes; });
  if (it == looks.of.end()) it = looks.of.insert(it, {.lanes = last.lanes});
  const std::uint64_t word = mbarrier_at(m, address).value_or(0), pc = m.pc_of(*u);
  const bool again = it->address == address && it->word == word;  // compares no pc, because a loop may be unrolled
  *it = {last.lanes, address, pc, word, again ? it->times + 1 : 1};
}

bool endless_waits::has_all_of(const block_state& block) const {
  bool looks = false;
  for (const warp& w : block.warps) {
    if (w.alive == 0) continue;
    const bool is_ready =
        std::any_of(w.paths.begin(), w.paths.end(), [](const path& p) { return p.state == path_state::ready; });
    if (!is_ready) continue;
    const auto found = looks_.find(&w);
    if (found == looks_.end() ||
        !std::all_of(w.paths.begin(), w.paths.end(), [&](const path& p) { return waits_in_vain(found->second.of, p); }))
      return false;
    looks = true;
  }
  return looks;
}

const vain_look* endless_waits::first_of(const warp& w) const {
  const auto found = looks_.find(&w);
  return w.alive == 0 || found == looks_.end() || found->second.of.empty() ? nullptr : &found->second.of.front();
}

}  // namespace bankwise::emulate
