// Chooses a few blocks of a launch, and records them while they execute.
//
// If the launch executes its blocks for their results, the chosen blocks are recorded when they execute, in the order
// and by the threads of the launch. So the launch has the same effects as without a prediction. Each block has its own
// recorder, and the records are joined in the order of the choice. So the trace does not depend on the number of
// threads.
//
// A launch that is only counted does not execute the chosen blocks, nor does a sample. Such a launch is rehearsed
// first: the chosen blocks execute, and then all memory is restored. This is only possible if nothing outside of the
// emulator sees the memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "bankwise/arch.hpp"
#include "base/diagnostic.hpp"
#include "emulate/launch/block_recorders.hpp"
#include "emulate/launch/launch.hpp"
#include "timing/trace/launch_trace.hpp"
#include "timing/trace/trace_recorder.hpp"

namespace bankwise::timing {

// The blocks to trace. Only tests use this struct outside of trace_launch.cpp.
struct traced_choice {
  std::vector<std::uint64_t> whole;     // completely traced blocks, in the order of their start
  std::vector<std::uint64_t> touching;  // other blocks, for which only the accessed memory is traced
  std::uint64_t instructions_a_block = 0;
  bool in_order = false;
  std::uint32_t multiprocessors = 132;
};
traced_choice choose_blocks(std::uint64_t blocks, std::uint32_t multiprocessors, std::uint32_t blocks_each,
                            bool in_order);

enum class recording_time : std::uint8_t {
  while_it_runs,
  before,  // in a rehearsal
  never,   // the launch does not execute the chosen blocks, and the program would see a rehearsal
};
recording_time recording_time_of(const emulate::launch& l);

// Records the blocks of one multiprocessor, about three times as many as are resident together. Also records which
// memory other blocks access, if they begin at the same time.
class launch_recording : public emulate::block_recorders {
 public:
  launch_recording(const emulate::launch& l, const emulate::device_memory& memory, const bank_model& banks);
  ~launch_recording() override;
  launch_recording(const launch_recording&) = delete;
  launch_recording& operator=(const launch_recording&) = delete;
  void begin_launch() override;
  emulate::listener* of_block(std::uint64_t block) override;
  emulate::listener* rest_of_block(std::uint64_t block) override;

  // Executes the chosen blocks, and restores the memory. `also`: the hooks of the launch, for the request to stop. If this
  // request stopped the rehearsal, returns the place. Otherwise, returns an empty message.
  diagnostic rehearse(emulate::device_memory& memory, const emulate::launch_hooks& also);
  // The fault that ended the rehearsal. It may be one of the rehearsal alone, because the chosen blocks run without the
  // blocks before them. The message is empty if there was none.
  const diagnostic& fault() const { return fault_; }
  // Returns the trace of the blocks that were recorded. Must be called after the launch has ended. Returns nothing if no
  // block was recorded.
  std::optional<launch_trace> trace() const;

 private:
  struct block_record;
  struct wanted_block {
    bool is_whole = false;
    std::uint32_t number = 0;  // position in the trace
  };
  void list_blocks();
  std::unique_ptr<block_record> make_record(std::uint64_t block, bool is_whole, std::uint32_t number) const;

  const emulate::launch& launch_;
  const emulate::device_memory& memory_;
  const bank_model banks_;
  traced_choice chosen_;
  diagnostic fault_;
  std::vector<std::uint64_t> clusters_;  // the clusters that contain the recorded blocks, in the order of the trace
  std::unordered_map<std::uint64_t, wanted_block> wanted_;
  // The records of the blocks, in the order of the trace. Null for blocks that have not begun. Each element is set by
  // the thread that executes the block.
  std::vector<std::unique_ptr<block_record>> records_;
  // If blocks take their work from a queue, the first block may take the work of all blocks here, which take turns. On
  // the GPU, the blocks share the work. So the rest of the first block is recorded in parts, and blocks that found no
  // work get these parts.
  std::vector<std::unique_ptr<block_record>> rest_;
};

// The number of blocks that fit on a multiprocessor together.
std::uint32_t resident_blocks_of(const emulate::launch& l);

// Writes the trace to a file if the environment variable BANKWISE_TRACES contains the name of a folder. The files help to
// compare predictions with measurements.
void keep_trace(const launch_trace& t);

}  // namespace bankwise::timing
