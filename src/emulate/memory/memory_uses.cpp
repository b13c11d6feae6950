#include "emulate/memory/memory_uses.hpp"

namespace bankwise::emulate {

std::atomic<memory_uses*> memory_uses::active_{nullptr};

void memory_uses::start() {
  for (auto& n : noted_) n.store(0, std::memory_order_relaxed);
  regions_.clear();
  heap_.store(false);
  active_.store(this);
}

void memory_uses::stop() {
  memory_uses* self = this;
  active_.compare_exchange_strong(self, nullptr);
}

void memory_uses::insert(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  regions_.insert(address);
  noted_[place_of(address)].store(address, std::memory_order_relaxed);
}

}  // namespace bankwise::emulate
