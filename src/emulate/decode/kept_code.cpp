#include "emulate/decode/kept_code.hpp"

#include <algorithm>

namespace bankwise::emulate {

namespace {

constexpr std::size_t most_entries = 64, most_bytes = std::size_t{256} << 20;

}  // namespace

kept_code::one_entry kept_code::take(const origin& from, const constants& banks) {
  const std::lock_guard lock(mutex_);
  const auto it = std::find_if(all_.begin(), all_.end(),
                               [&](const entry& e) { return e.from == from && e.code->has_operands_of(banks); });
  one_entry taken;
  if (it == all_.end()) return taken;
  taken.splice(taken.begin(), all_, it);
  taken.front().code->use(banks);
  return taken;
}

void kept_code::give_back(one_entry code) noexcept {
  const std::lock_guard lock(mutex_);
  all_.splice(all_.begin(), code);
  std::size_t bytes = 0, entries = 0;
  for (auto it = all_.begin(); it != all_.end();) {
    bytes += it->code->bytes() + it->spare->bytes();
    it = ++entries > most_entries || bytes > most_bytes ? all_.erase(it) : std::next(it);
  }
}

void kept_code::forget(const cubin::program* program) {
  const std::lock_guard lock(mutex_);
  std::erase_if(all_, [&](const entry& e) { return e.from.program == program; });
}

}  // namespace bankwise::emulate
