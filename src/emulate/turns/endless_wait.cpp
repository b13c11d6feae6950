#include "emulate/turns/endless_wait.hpp"

#include <algorithm>
#include <cstring>

#include "emulate/decode/decode.hpp"
#include "emulate/turns/phase_wait.hpp"

namespace bankwise::emulate {

std::optional<std::uint64_t> mbarrier_at(const worker& m, std::uint32_t address) {
  std::uint64_t word = 0;
  const std::vector<block_state*>& blocks = m.block->cluster->blocks;
  const std::uint32_t rank = address >> rank_shift, offset = address & offset_mask;
  if (rank >= blocks.size() || offset + sizeof word > blocks[rank]->shared.size()) return std::nullopt;
  std::memcpy(&word, blocks[rank]->shared.data() + offset, sizeof word);
  return word;
}

void endless_waits::note(worker& m) {
  if (m.last_look.lanes == 0) return;
  std::vector<vain_look>& looks = looks_[m.w];
  std::erase_if(looks, [&](const vain_look& l) { return (l.lanes & m.last_look.lanes) != 0; });
  if (m.last_look.pc != 0) looks.push_back(m.last_look);
  m.last_look = {};
}

void endless_waits::end_waits_for_renewed(worker& m, block_state& block) {
  for (const renewed_mbarrier& r : m.renewed)
    for (warp& w : block.warps) {
      const auto found = looks_.find(&w);
      if (found == looks_.end() || w.alive == 0) continue;
      for (const vain_look& l : found->second) {
        if (l.address != r.address || l.phase == r.phase || (&w == r.by && (l.lanes & r.lanes) != 0)) continue;
        for (const path& p : w.paths)
          if (p.state == path_state::ready && p.mask == l.lanes && is_in_loop(m, l, p)) w.ended_waits.push_back(l);
      }
    }
  m.renewed.clear();
}

// The addresses of the instructions from one look at an mbarrier to the next look. Empty if a path can leave the loop
// without a second look.
const std::vector<std::uint64_t>& endless_waits::loop_after(const worker& m, std::uint64_t look) {
  const auto [it, is_new] = loop_after_.try_emplace(look);
  const decoded_section* const section = is_new ? m.s->code->section_at(look) : nullptr;
  if (section != nullptr)
    for (const std::uint32_t n :
         phase_wait_at(section->code, section->set,
                       static_cast<std::uint32_t>((look - section->begin) / sass::instruction_bytes)))
      it->second.push_back(section->begin + std::uint64_t{n} * sass::instruction_bytes);
  return it->second;
}

// The look at an mbarrier after which the path is in a loop that it cannot leave. Null if there is no such look.
const vain_look* endless_waits::look_of(const worker& m, const warp& w, const path& p) {
  const auto found = looks_.find(&w);
  if (found == looks_.end()) return nullptr;
  for (const vain_look& l : found->second)
    if (l.lanes == p.mask && l.changes == m.mbarrier_changes && is_in_loop(m, l, p)) return &l;
  return nullptr;
}

bool endless_waits::is_in_loop(const worker& m, const vain_look& l, const path& p) {
  const std::vector<std::uint64_t>& loop = loop_after(m, l.pc);
  return std::binary_search(loop.begin(), loop.end(), p.pc);
}

bool endless_waits::has_all_of(const worker& m, const block_state& block) {
  bool looks = false;
  for (const warp& w : block.warps) {
    if (w.alive == 0) continue;
    for (const path& p : w.paths) {
      if (p.state != path_state::ready) continue;
      if (look_of(m, w, p) == nullptr) return false;
      looks = true;
    }
  }
  return looks;
}

const vain_look* endless_waits::first_of(const worker& m, const warp& w) {
  if (w.alive == 0) return nullptr;
  for (const path& p : w.paths)
    if (const vain_look* const l = p.state == path_state::ready ? look_of(m, w, p) : nullptr; l != nullptr) return l;
  return nullptr;
}

}  // namespace bankwise::emulate
