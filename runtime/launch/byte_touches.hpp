// The bytes of device memory that an operation touches, as ranges. For a launch, a listener notes them.
//
// Strong accesses, such as those of volatile words and of cuda::atomic, may order operations that run at the same time.
// So they are kept apart from plain reads and writes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulate/launch/launch.hpp"

namespace bankwise::cuda {

// Ranges of addresses, in order and apart from each other.
using byte_ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
// The bytes that both have: the first of them, and their number.
struct common_bytes {
  std::uint64_t first = 0, bytes = 0;
};
common_bytes common(const byte_ranges& a, const byte_ranges& b);

struct byte_touches {
  byte_ranges reads, writes, atomics, strong;
  bool is_whole = true;  // false if the operation also touches bytes that were not followed
  std::size_t ranges() const { return reads.size() + writes.size() + atomics.size() + strong.size(); }
  bool meets(std::uint64_t begin, std::uint64_t end) const;
  bool may_change(std::uint64_t begin, std::uint64_t end) const;
  void remove(std::uint64_t begin, std::uint64_t end);
  bool operator==(const byte_touches&) const = default;
};
// The bytes of two operations that may run in any order and conflict. None if the operations may order themselves.
common_bytes conflict(const byte_touches& a, const byte_touches& b);

class touch_listener : public emulate::listener {
 public:
  // `pages`: the number of pages that all listeners of the launch follow.
  touch_listener(const cubin::program& p, const emulate::device_memory& memory, std::atomic<std::size_t>& pages)
      : program_(p), memory_(memory), followed_(pages) {}
  emulate::wanted_events wants() const override { return {.accesses = false, .global = true, .copied = true}; }
  void on_block(std::uint64_t) override {}
  void on_global(const emulate::global_access_event& e) override;
  void on_async(const emulate::async_event& e) override;
  void on_copied(const emulate::copied_bytes& b) override;
  void add(const touch_listener& other);
  byte_touches touches() const;

 private:
  enum kind : std::uint8_t { read, write, atomic, strong, kinds };
  static constexpr std::uint64_t page_bytes = 4096;
  struct page {
    std::array<std::array<std::uint64_t, page_bytes / 64>, kinds> bits{};
  };
  page* page_at(std::uint64_t number);
  void set(kind k, std::uint64_t address, std::uint64_t bytes);
  bool is_strong(std::uint64_t pc);

  const cubin::program& program_;
  const emulate::device_memory& memory_;
  std::atomic<std::size_t>& followed_;
  std::unordered_map<std::uint64_t, std::unique_ptr<page>> pages_;
  std::unordered_map<std::uint64_t, bool> strong_;  // by the address of an instruction
  std::uint64_t last_ = ~std::uint64_t{0}, last_pc_ = ~std::uint64_t{0};
  page* last_page_ = nullptr;
  bool last_strong_ = false, copies_to_shared_ = true, is_whole_ = true;
};

}  // namespace bankwise::cuda
