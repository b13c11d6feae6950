// Listens to a launch, and records the instructions and accesses of its warps, block by block.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "cubin/program.hpp"
#include "emulate/listener.hpp"
#include "emulate/memory/memory.hpp"
#include "rule/fast_rule.hpp"
#include "sass/instruction.hpp"
#include "timing/trace/indirect_turns.hpp"
#include "timing/trace/launch_trace.hpp"
#include "timing/trace/touched_memory.hpp"

namespace bankwise::timing {

// Which blocks are recorded, and how much of each block.
struct trace_limits {
  std::unordered_set<std::uint64_t> whole;    // blocks whose instructions are recorded
  std::uint64_t instructions_a_block = 0;     // limit of traced instructions of a block
  std::uint32_t warps = most_warps_of_block;  // of a block
  std::uint32_t number = 0;                   // number of blocks that other recorders of this launch record before
  std::size_t touched_lines = std::size_t{1} << 22;  // limit of launch_trace::touched
};

// Whether memory is memory of the host. Managed memory does not count, because it moves to the device.
bool is_of_host(const emulate::region& r);

class trace_recorder : public emulate::listener {
 public:
  trace_recorder(const cubin::program& p, const emulate::device_memory& memory, const bank_model& banks,
                 trace_limits limits, launch_trace& to);

  emulate::wanted_events wants() const override {
    return {.accesses = true,
            .asynchronous = true,
            .order = true,
            .instructions = true,
            .global = true,
            .copied = true,
            .warps = true};
  }
  void on_block(std::uint64_t block) override;
  void on_block_end(std::uint64_t) override { has_ended_ = true; }
  void on_warp(std::uint32_t warp) override { warp_ = warp; }
  void on_access(const emulate::shared_access& a) override;
  void on_async(const emulate::async_event& e) override;
  void on_global(const emulate::global_access_event& e) override;
  void on_copied(const emulate::copied_bytes& b) override;
  void on_order(const emulate::ordering& o) override;
  void on_instructions(std::uint64_t pc, std::uint64_t count, std::uint32_t lanes) override;
  void on_sleep(std::uint64_t pc, std::uint32_t nanoseconds) override;
  bool has_enough_of_block() const override;
  // For a caller that only needs the accesses of the running instructions: completes the accesses so far, and forgets
  // them.
  void complete_accesses() { end_copy(); }
  void forget_accesses();
  // Whether the block that was recorded last has ended.
  bool has_ended() const { return has_ended_; }
  std::uint64_t instructions_of_last() const;
  // What this block accessed. Valid as long as the recorder.
  memory_of_block memory_of_last() const;

 private:
  struct kept_block {
    std::uint64_t instructions = 0;
    std::uint64_t copied_lines = 0;  // lines that bulk copies access
    std::uint64_t waited = 0;        // instructions in waiting loops; only one iteration of such a loop is recorded
    bool is_whole = false;
    std::size_t number = 0;                                  // index in launch_trace::blocks
    std::uint32_t touching = 0;                              // index in launch_trace::touching
    std::unordered_map<std::uint64_t, line_of_block> lines;  // what the block accesses, by line
    // the instructions after which there were too many lines to keep
    std::uint64_t full_at = ~std::uint64_t{0};
    // number of arrivals and copies that each mbarrier has seen, by its shared address
    std::unordered_map<std::uint32_t, std::uint32_t> arrivals;
    std::vector<indirect_turns> turns;  // of each warp
    // For each word of shared memory: the warp that accessed it first, plus 1, its lane, and whether it was written.
    struct word_use {
      std::uint16_t warp = 0;
      std::uint8_t lane = 0;
      bool is_written = false;
    };
    std::vector<word_use> words;
  };
  std::uint32_t code_at(std::uint64_t pc);
  void touch(line_sectors l, const line_bytes& bytes, memory_action does, bool of_host);
  void use_words(const access& a, memory_action does);
  void end_copy();
  void prefetch(const emulate::copied_bytes& b);
  unsigned add_line(traced_access& t, line_sectors l);
  bool is_of_host(std::uint64_t address);
  bool reads_anew(std::uint32_t code) const;
  std::optional<sass::opcode> opcode_of(std::uint32_t code) const;
  bool waits_again(const traced_warp& w, std::size_t runs) const;
  void drop_accesses(const traced_run& r);
  bool is_indirect(std::uint32_t code);
  indirect_turns& turns_of_warp() { return block_->turns[warp_ < block_->turns.size() ? warp_ : 0]; }
  void add_turn(traced_block& b, traced_warp& w, std::uint32_t lanes);

  const cubin::program& program_;
  const emulate::device_memory& memory_;
  const fast_rule cost_of_;
  const bank_model banks_;
  const trace_limits limits_;
  launch_trace& to_;
  std::unordered_map<std::uint32_t, std::uint32_t> sections_;  // index of each section, by its first instruction
  std::uint64_t section_begin_ = 1, section_end_ = 0;          // device addresses of the most recently used section
  std::uint32_t section_code_ = 0;
  std::uint64_t region_begin_ = 1, region_end_ = 0;  // addresses of the most recently found allocation
  bool region_is_of_host_ = false;
  std::unordered_map<std::uint64_t, kept_block> kept_;
  kept_block* block_ = nullptr;
  bool has_ended_ = false;
  std::uint32_t warp_ = 0;
  // The bulk copy that is recorded, if any: whether it stores, and its mbarrier.
  bool copies_ = false, copy_stores_ = false;
  std::uint64_t copy_tells_ = launch_trace::no_mbarrier;
  static constexpr std::uint64_t no_pc = ~std::uint64_t{0};
  std::uint64_t async_pc_ = no_pc;  // the last instruction with an asynchronous operation
  std::vector<std::uint32_t> met_;  // mbarriers at which this instruction has arrived, or that it has tested
  std::unordered_map<std::uint32_t, bool> is_indirect_;  // whether an instruction is an indirect branch
  std::uint32_t first_pending_ = 0;                      // first access of the current run
};

}  // namespace bankwise::timing
