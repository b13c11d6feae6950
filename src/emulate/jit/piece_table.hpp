// The pieces of a section of code. A piece is compiled when its first instruction has been executed often enough.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include "emulate/code/turn_ends.hpp"
#include "emulate/jit/compiler.hpp"
#include "emulate/jit/executable_memory.hpp"
#include "emulate/jit/piece.hpp"

namespace bankwise::emulate {

class piece_table {
 public:
  // Null if this CPU has no AVX2, or if an option requires that handlers execute everything.
  static std::shared_ptr<piece_table> make(const decoded_section& section, instruction_use use, std::uint32_t after);
  piece_table(const decoded_section& section, vector_kind kind, std::uint32_t after)
      : section_(section),
        kind_(kind),
        after_(after),
        entries_(section.ops.size() * (section.ends == nullptr ? 1 : every_turn_places)) {}

  // The piece that begins at this instruction. Null if this piece was not compiled. `whole`: for paths of whole warps.
  // `places`: the piece ends before these places.
  const piece* enter(std::size_t index, bool whole, turn_places places) {
    entry& e = entries_[static_cast<std::size_t>(places) * section_.ops.size() + index][whole ? 1 : 0];
    const piece* const ready = e.ready.load(std::memory_order_acquire);
    if (ready != nullptr || e.entered.load(std::memory_order_relaxed) > after_) return ready;
    return count(e, index, whole, places);
  }

  std::size_t bytes() const { return bytes_ + entries_.size() * sizeof entries_[0]; }

 private:
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;  // limit for the code, in bytes
  struct entry {
    std::atomic<const piece*> ready{nullptr};
    std::atomic<std::uint32_t> entered{0};
  };
  const piece* count(entry& e, std::size_t index, bool whole, turn_places places);

  const decoded_section& section_;
  const vector_kind kind_;
  const std::uint32_t after_;  // an instruction is compiled after this number of executions
  std::vector<std::array<entry, 2>> entries_;
  std::mutex mutex_;
  std::deque<piece> pieces_;
  std::vector<executable_memory> code_;
  std::size_t bytes_ = 0;
  bool refused_ = false;
};

}  // namespace bankwise::emulate
