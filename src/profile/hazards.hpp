// Finds accesses to shared memory that no barrier orders, and reads of unwritten bytes.
//
// thread_order.hpp tells which accesses are in order.
//
// Between two barriers, many kernels only read. Such reads are kept and examined only if another access or an event
// follows them before the second barrier.
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
  hazard_checker(const checks& wanted, std::uint32_t threads, std::uint32_t shared_bytes, std::uint32_t reserved_bytes,
                 const atomic_parts& parts);
  ~hazard_checker() override;

  void on_block(std::uint64_t block) override;
  void on_access(const emulate::shared_access& a) override;
  emulate::wanted_events wants() const override { return {.asynchronous = false, .order = true}; }
  void on_order(const emulate::ordering& o) override;

  // The hazards between two instructions, with the first occurrence. A hazard is found at the execution of the second
  // instruction.
  // with the device addresses of both instructions
  using key = std::tuple<hazard_kind, hazard_cause, std::uint64_t, std::uint64_t>;
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
  enum class copying : std::uint8_t { none, by_threads, in_bulk, by_products, of_mbarrier };
  std::uint32_t lanes_inside(const emulate::shared_access& a) const;
  void report(const key& k, std::uint32_t first_thread, std::uint32_t thread, std::uint32_t address);
  void look_for_unwritten(const emulate::shared_access& a);
  void examine(const emulate::shared_access& a, copying copies);
  void examine_reads();
  void examine_range(const emulate::ordering& o);
  void examine_mbarrier(const emulate::ordering& o);

  checks wanted_;
  const atomic_parts& parts_;
  std::uint32_t threads_, shared_bytes_, reserved_bytes_;
  std::map<std::uint64_t, std::unique_ptr<block_state>> blocks_;  // blocks that have begun and not ended
  std::unique_ptr<block_state> spare_;
  block_state* current_ = nullptr;
  std::uint64_t block_ = 0;
  std::map<key, seen> found_;
  std::vector<key> met_;  // the hazards of the current access
};

}  // namespace bankwise
