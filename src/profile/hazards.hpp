// Finds accesses to shared memory that no barrier orders, and reads of unwritten bytes.
//
// Vector clocks represent the order of events. Each path of a warp has a clock for each warp, and for each lane of its
// own warp. Events up to this clock happened before the path's next operation. Barriers, named barriers, mbarriers and
// atomics pass clocks to other warps:
//
//     warp 0   STS A      BAR            After BAR, warp 1 knows all events of warp 0 before BAR. Its LDS of A is in
//     warp 1         BAR      LDS A      order. It does not know later writes of warp 0 before the next barrier.
//
// The instructions of a path are ordered for all lanes of the path, because a warp splits only at branches. After
// different branches, lanes are not ordered until they join at a BSYNC or WARPSYNC.
//
// Atomics do not race with each other. The load of a compare-and-swap loop also does not race with atomics. If the word
// has changed since the load, the loop stores nothing (atomic_parts.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "emulate/launch/launch.hpp"
#include "model/report.hpp"
#include "profile/code/atomic_parts.hpp"

namespace bankwise {

class hazard_checker : public emulate::listener {
 public:
  // `shared_bytes` is the size of a block's shared memory. It includes the first `reserved_bytes` bytes, which belong
  // to the system. `parts` must exist as long as the checker.
  hazard_checker(const checks& wanted, std::uint32_t warps, std::uint32_t shared_bytes, std::uint32_t reserved_bytes,
                 const atomic_parts& parts);
  ~hazard_checker() override;

  void on_block(std::uint64_t block) override;
  void on_access(const emulate::shared_access& a) override;
  emulate::wanted_events wants() const override { return {.asynchronous = false, .order = true}; }
  void on_order(const emulate::ordering& o) override;

  // The hazards between two instructions, with the first occurrence. A hazard is found at the execution of the second
  // instruction.
  using key = std::tuple<hazard_kind, std::uint64_t, std::uint64_t>;  // device addresses of both instructions
  struct seen {
    std::uint64_t count = 0;  // number of executions of the second instruction with this hazard
    std::uint64_t block = 0;
    std::uint32_t first_thread = 0, second_thread = 0;
    std::uint32_t address = 0;
  };
  const std::map<key, seen>& found() const { return found_; }
  void add(const hazard_checker& other);

 private:
  struct block_state;
  void examine(const emulate::shared_access& a);

  checks wanted_;
  const atomic_parts& parts_;
  std::uint32_t warps_, shared_bytes_, reserved_bytes_;
  std::map<std::uint64_t, std::unique_ptr<block_state>> blocks_;  // blocks that have begun and not ended
  std::unique_ptr<block_state> spare_;
  block_state* current_ = nullptr;
  std::uint64_t block_ = 0;
  std::map<key, seen> found_;
};

}  // namespace bankwise
