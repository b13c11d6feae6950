// Finds reads of global and local memory that was never written, and accesses to the heap of malloc() in device code
// outside all memory that malloc() returned. Reads of shared memory are in hazards.hpp.
//
// If some bytes of a word were written, the others are taken as padding of a struct, unless the kernel computes with the
// whole word (loaded_values.hpp). The same holds for a word that a wide load loads together with written words, unless
// the kernel computes with it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "emulate/launch/launch.hpp"
#include "model/parts/hazard.hpp"
#include "profile/code/loaded_values.hpp"

namespace bankwise {

class memory_checker : public emulate::listener {
 public:
  // `memory` must exist as long as the checker.
  memory_checker(const checks& wanted, emulate::device_memory& memory) : wanted_(wanted), memory_(memory) {}

  emulate::wanted_events wants() const override {
    return {.accesses = false,
            .asynchronous = wanted_.uninitialised,
            .block_ends = true,
            .global = true,
            .copied = wanted_.uninitialised};
  }
  void on_block(std::uint64_t block) override;
  void on_block_end(std::uint64_t times) override;
  void on_global(const emulate::global_access_event& e) override;
  void on_async(const emulate::async_event& e) override;
  void on_copied(const emulate::copied_bytes& b) override;

  // Words of an access that were not written, a bit for each.
  struct missing_words {
    std::uint32_t whole = 0;    // of lanes that read no written byte
    std::uint32_t partial = 0;  // of other lanes
    std::uint32_t split = 0;    // words of which only some bytes were written
    explicit operator bool() const { return (whole | partial | split) != 0; }
    void add(const missing_words& more) {
      whole |= more.whole;
      partial |= more.partial;
      split |= more.split;
    }
  };
  using key = std::tuple<hazard_kind, hazard_memory, std::uint64_t>;  // the last member is a device address
  struct seen {
    std::uint64_t count = 0;  // number of executions
    std::uint64_t block = 0;  // the lowest block; the members below describe its first access
    std::uint32_t thread = 0, bytes = 0;
    std::uint64_t address = 0;
    std::string detail;
    missing_words missing;
    bool is_load = false;
  };
  void add(const memory_checker& other);
  // The hazards, without reads of bytes that the kernel does not need.
  std::map<key, seen> found(loaded_values& code) const;

 private:
  // The bytes of a thread's stack that were written, a bit for each byte.
  using stack = std::vector<std::uint64_t>;
  const emulate::written_bytes::shadow* shadow_at(std::uint64_t address);
  bool is_all_known(const emulate::global_access_event& e, bool reads);
  void check_heap(const emulate::global_access_event& e);
  void check_local(const emulate::global_access_event& e);
  seen& note(const key& k, std::uint32_t thread, std::uint64_t address, std::uint32_t bytes, bool& is_first);

  const checks wanted_;
  emulate::device_memory& memory_;
  std::uint64_t block_ = 0;
  std::map<std::uint64_t, std::vector<stack>> stacks_;  // the key is a block that has not ended
  // The range of addresses around the last access, and its shadow, which is null if the range is not followed.
  std::uint64_t begin_ = 0, end_ = 0;
  const emulate::written_bytes::shadow* shadow_ = nullptr;
  emulate::async_event copy_;  // the last copy
  std::map<key, seen> found_;
};

}  // namespace bankwise
