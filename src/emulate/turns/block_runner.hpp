// Executes a thread block. Warps take turns. In its turn, a warp runs its youngest path until this path waits.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulate/block/competition.hpp"
#include "emulate/block/worker.hpp"
#include "emulate/code/turn_ends.hpp"
#include "emulate/launch/listeners.hpp"
#include "emulate/turns/endless_wait.hpp"
#include "emulate/turns/fault_report.hpp"

namespace bankwise::emulate {

// A block_runner cannot be copied or moved, because the launch keeps pointers to it.
class block_runner {
 public:
  // `tick` may be empty. If not, `tick` is called from time to time while a block runs, with the number of instructions
  // since the last call. `stop`: two flags that stop the block, one from the launch's hooks and one from the launch's
  // time limit.
  using ticker = std::function<void(std::uint64_t instructions)>;
  using stop_flags = std::array<const std::atomic<std::uint32_t>*, 2>;
  block_runner(const launch_state& s, const std::vector<listener*>& listeners, ticker tick, const stop_flags& stop);

  // Sets `block` to the initial state of the block with this rank in this cluster of the grid.
  void start(block_state& block, std::uint64_t cluster, std::uint32_t rank);

  enum class outcome : std::uint8_t {
    ended,
    waits,  // the block may be waiting for another block; returned only if blocks take turns
    stuck,  // no warp can continue; the block waits for its cluster, or waits forever
    failed,
    spent,    // the budget of instructions is used up; `failure` contains where the block stopped
    stopped,  // stopped on request; `failure` contains where the block stopped
  };
  enum class turn_length : std::uint8_t {
    whole,       // until the block ends; the block does not wait for other blocks
    until_wait,  // until the block may be waiting for another block
    brief,       // until each warp has executed a few instructions, because the blocks run at the same time
    shared,      // the same with more instructions, for so many blocks that changing between them takes time
  };
  outcome run_block(block_state& block, turn_length length);

  // Reports a completed block that represents `times` blocks, including itself.
  void end(std::uint64_t times) {
    if (listener* const l = listeners_.block_ends(); l != nullptr) l->on_block_end(times);
  }
  // Reports a completed block that represents a box of blocks.
  void end(const std::array<std::uint32_t, 3>& blocks) {
    if (listener* const l = listeners_.block_ends(); l != nullptr) {
      l->on_alike(blocks);
      l->on_block_end(std::uint64_t{blocks[0]} * blocks[1] * blocks[2]);
    }
  }

  // turns_that_looked(): number of turns in which a block read the same addresses again, because it may wait for
  // another launch or for the host. turns_that_did_more(): number of turns in which a block changed global memory, or
  // mostly read new addresses.
  std::uint64_t turns_that_looked() const { return turns_that_looked_; }
  std::uint64_t turns_that_did_more() const { return turns_that_did_more_; }
  // Must be called after other code has changed the memory map. Later accesses then look up their allocations again.
  void look_up_again() { m_.last_region = nullptr; }
  // Reports where a block was stopped between two turns.
  fault_report interruption(block_state& block);

  // Whether all warps of the block only wait, and at least one warp polls an mbarrier that never completes.
  bool only_looks(const block_state& block) { return waits_.has_all_of(m_, block); }
  fault_report deadlock(block_state& block);

  fault_report failure;
  // The reductions of the block that runs next. Null if reductions are executed at once.
  block_reductions* reductions() { return m_.reductions; }
  // Finds the class of the running block with `c`. Null if the class is not needed.
  void find_class(block_class* c) { m_.blocks = c; }
  std::uint64_t effects() const { return m_.effects; }
  const out_of_bounds_accesses& out_of_bounds() const { return m_.out_of_bounds; }

 private:
  void listen();
  void begin_recording(block_state& block);
  void end_recording();
  void begin_clock(block_state& block);
  void end_clock(block_state& block);
  void pass_recording_on(block_state& block);
  bool has_recorded_enough() const;
  outcome run_turn(block_state& block, turn_length length);
  void shuffle_warps(block_state& block);
  const decoded_section* entry_section() const;
  bool takes_short_turns(const block_state& block) const;
  std::uint64_t latest_clock(const block_state& block) const;
  static void level(block_state& block);
  bool run_warp(warp& w);
  void choose_places(const warp& w);
  bool are_others_ready();
  bool ends_turn(std::size_t index, const turn_ends& ends);
  void keep_uniform(warp& w, std::uint32_t lanes);
  void bring_uniform(warp& w, std::uint32_t lanes);
  void enter(const decoded_section* section);
  bool run_path(std::uint64_t& left);
  bool run_one(const decoded_section& section, const micro_op& u);
  step run_piece(const struct piece& p, std::uint32_t lanes, const micro_op*& u);
  const std::string* supplied(std::uint64_t pc) const;
  bool call(const std::string& name, std::uint64_t& left);
  bool is_stopped() const;
  bool fail(fault_report why) {
    failure = std::move(why);
    return false;
  }

  bool is_in_budget();
  // Whether m_.p still points to a path of the warp. The lanes of the path may have ended, or joined another path.
  bool is_path_of(const warp& w) const { return m_.p >= w.paths.data() && m_.p < w.paths.data() + w.paths.size(); }

  bool competes(const block_state& block, bool in_turns) const;
  outcome run_competing(block_state& block);
  struct who_goes {
    bool any_alive = false;
    bool at_once = false;   // whether the warp `other` runs before the warps that follow the clock
    std::size_t other = 0;  // a warp that does not follow the clock
    // number of clocked instructions before `other` continues
    std::uint64_t rested_at = ~std::uint64_t{0};
  };
  who_goes look_at_warps(block_state& block);
  std::optional<outcome> run_by_clock(block_state& block, std::uint64_t rested_at);
  bool tick(warp& w);
  struct next_instruction {
    path* by = nullptr;
    const decoded_section* section = nullptr;
    const micro_op* op = nullptr;
    const competing_op* clocked = nullptr;  // null if the instruction does not follow the clock
  };
  bool find_next(std::size_t warp, path* by);
  std::uint64_t blocks_together() const;
  bool step_by_clock(warp& w, const next_instruction& next, std::uint64_t at);
  bool run_until_it_waits(warp& w);
  path* begin_turn(warp& w, path& next);
  void end_turn(warp& w, bool there, bool had_turn);

  static constexpr std::uint64_t instructions_a_tick = 1u << 16;

  // The uniform registers at the time when a path was interrupted.
  struct uniform_state {
    std::uint32_t lanes = 0;
    std::array<std::uint32_t, 256> uniform{};
    std::uint32_t predicates = 0x80;
  };

  const launch_state& s_;
  listener_list listeners_;
  worker m_;
  endless_waits waits_;
  std::optional<block_reductions> reductions_;
  ticker tick_;
  stop_flags stop_;
  bool spent_ = false;
  listener* recorder_ = nullptr;  // records the block in its current turn
  std::uint64_t quantum_;
  // Whether turns end at places of the code (turn_ends.hpp): in this block, and in the turn of the running warp.
  bool short_turns_ = false;
  turn_places places_ = turn_places::none;
  std::optional<bool> others_ready_;  // result of are_others_ready() in this turn
  std::uint64_t turns_that_looked_ = 0, turns_that_did_more_ = 0;
  std::vector<std::uint32_t> turns_;  // order of the warps in this round; empty means the usual order
  competition clocks_;
  std::uint64_t clocked_ = 0;  // number of instructions that followed the clock
  // for each warp: the value of `clocked_` at which the warp continues
  std::vector<std::uint64_t> rests_;
  // for each warp: the value of `runs_` when the warp last ran outside of competing code
  std::vector<std::uint64_t> ran_at_;
  std::uint64_t runs_ = 0;
  bool is_rehearsed_ = false;  // whether the rehearsal of a competing block must end
  std::uint64_t ticked_ = 0;   // number of instructions that the block had executed at the last tick
  std::vector<next_instruction> nexts_;
  const decoded_section* section_ = nullptr;  // the section that contains the last instruction found by find_next()
  // for each warp: the states of its interrupted paths; the last element is the latest
  std::map<const warp*, std::vector<uniform_state>> interrupted_;
};

}  // namespace bankwise::emulate
