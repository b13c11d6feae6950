#include "model/parts/block_race.hpp"

#include <algorithm>
#include <iterator>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

struct scope_words {
  race_cause cause;
  const char *name, *hint;
};
constexpr scope_words scope_table[] = {
    {race_cause::no_order, "no_order",
     "nothing orders the two blocks. Use atomics, or a second launch, or publish the data: __threadfence(), then an "
     "atomic or a volatile store that the other block reads before the data"},
    {race_cause::no_fence, "no_fence",
     "the block published its access without a fence, so the other block may not see it. Call __threadfence() between "
     "the access and the atomic or the volatile store that publishes it"},
    {race_cause::narrow_scope, "narrow_scope",
     "__threadfence_block(), the atomics whose names end with _block, and cuda::thread_scope_block order only the "
     "threads of a block. Between blocks, use __threadfence() and atomics of the device"},
    {race_cause::no_acquire, "no_acquire",
     "the block that reads has seen that the data was published, but L1 may still contain the old value. After the atomic "
     "or the volatile load that sees it, call __threadfence(), or load with cuda::memory_order_acquire"},
    {race_cause::no_acquire_unread, "no_acquire_unread",
     "in this run, no L1 can contain the old value, but CUDA does not promise this. After the atomic or the volatile load "
     "that sees that the data was published, call __threadfence(), or load with cuda::memory_order_acquire"},
};

}  // namespace

std::string_view name_of(race_cause c) { return scope_table[static_cast<std::size_t>(c)].name; }

bool parse_race_cause(std::string_view name, race_cause& c) {
  for (const scope_words& w : scope_table)
    if (name == w.name) {
      c = w.cause;
      return true;
    }
  return false;
}

std::string title_of(const block_race& r) {
  if (r.cause == race_cause::no_acquire || r.cause == race_cause::no_acquire_unread)
    return "a block reads what another block published, without an acquire";
  switch (r.kind) {
    case hazard_kind::write_after_read: return "a block writes what another block has read";
    case hazard_kind::write_after_write: return "two blocks write different values to one word";
    default: return "a block reads what another block writes";
  }
}

std::string hint_of(const block_race& r) { return scope_table[static_cast<std::size_t>(r.cause)].hint; }

std::string block_and_thread(const std::array<std::uint32_t, 3>& block, const std::array<std::uint32_t, 3>& thread) {
  return formatted("block ({}), thread ({})", triple(block), triple(thread));
}

void add_races(std::vector<block_race>& to, const std::vector<block_race>& more) {
  for (const block_race& r : more) {
    const auto same = std::find_if(to.begin(), to.end(), [&](const block_race& o) {
      return o.kind == r.kind && o.first == r.first && o.second == r.second;
    });
    if (same == to.end()) {
      to.push_back(r);
      continue;
    }
    const std::uint64_t count = same->count + r.count;
    if (same->is_warning()) *same = r;
    same->count = count;
  }
}

}  // namespace bankwise
