#include "runtime/launch/operation_races.hpp"

#include <algorithm>
#include <span>

#include "base/format.hpp"
#include "base/text.hpp"
#include "runtime/device/call_sites.hpp"
#include "runtime/device/copied_box.hpp"
#include "runtime/device/state.hpp"

namespace bankwise::cuda {

namespace {

// Limits of the record. Operations and bytes beyond them are not checked.
constexpr std::size_t most_records = 4096, most_rows = 1 << 16;
constexpr std::uint64_t most_watched_bytes = std::uint64_t{4} << 20, most_ranges = 1 << 18, most_ranges_kept = 1 << 22;
constexpr std::size_t most_agents = 4096, most_searched = 1 << 16, most_watched_ranges = 1024, most_compared = 16;

bool is_checked(const state& s) { return (s.options.checks_races || s.options.checks_memory) && !s.shares; }

void join_clocks(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
}

// The rows of a box, in the part that is memory of the device or pinned memory.
byte_ranges rows_of(const state& s, std::uint64_t at, std::size_t pitch, std::size_t slice, std::size_t width,
                    std::size_t height, std::size_t depth) {
  byte_ranges rows;
  if (s.memory.find(at) == nullptr || height * depth > most_rows) return rows;
  for (std::size_t z = 0; z < depth; ++z)
    for (std::size_t y = 0; y < height; ++y) {
      const std::uint64_t begin = at + z * slice + y * pitch;
      if (!rows.empty() && rows.back().second == begin)
        rows.back().second += width;
      else
        rows.emplace_back(begin, begin + width);
    }
  std::sort(rows.begin(), rows.end());
  return rows;
}

bool is_of_host(const emulate::region* r) {
  return r != nullptr && reinterpret_cast<std::uint64_t>(r->data) == r->address;
}
bool is_of_host(const state& s, std::uint64_t address) { return is_of_host(s.memory.find(address)); }

// Whether the host may wait for values that the operation writes.
bool may_signal_host(const state& s, const byte_touches& t) {
  if (t.atomics.size() + t.strong.size() > most_searched) return true;
  const auto is_seen = [&](const auto& r) { return is_of_host(s, r.first); };
  return std::any_of(t.atomics.begin(), t.atomics.end(), is_seen) ||
         std::any_of(t.strong.begin(), t.strong.end(), is_seen);
}

std::span<const std::byte> bytes_of_host(std::uint64_t begin, std::uint64_t end) {
  return {reinterpret_cast<const std::byte*>(begin), end - begin};
}

}  // namespace

operation_races& the_operation_races() {
  static operation_races& all = *new operation_races;  // never destroyed, like the state
  return all;
}

std::size_t operation_races::agent_of(unsigned long long stream, stream_kind kind) {
  const auto [at, is_new] = numbers_.try_emplace(stream, agents_.size());
  if (is_new) {
    // An agent can be taken again if the host knows all its operations. Its clock continues.
    const auto free = std::find_if(unused_.begin(), unused_.end(), [&](std::size_t n) {
      return agents_[n].clock == 0 || (n < host_.size() && host_[n] >= agents_[n].clock);
    });
    if (free == unused_.end()) {
      agents_.emplace_back();
    } else {
      at->second = *free;
      unused_.erase(free);
      agents_[at->second].known.clear();
    }
  }
  agents_[at->second].kind = kind;
  return at->second;
}

void operation_races::enter(state& s, unsigned long long stream, stream_kind kind) {
  if (!is_checked(s) || is_over_) return;
  look_at_host_bytes(s);
  if (agents_.size() > most_agents) {
    is_over_ = true;
    give_up(s);
    numbers_.clear(), agents_.clear(), unused_.clear(), host_.clear(), events_.clear();
    return;
  }
  current_ = agent_of(stream, kind);
  entered_ = true;
  agent& a = agents_[current_];
  join_clocks(a.known, host_);
  // The legacy default stream waits for the blocking streams, and they wait for it.
  for (const agent& other : agents_)
    if (are_in_order(kind, other.kind)) join_clocks(a.known, other.known);
  if (a.known.size() <= current_) a.known.resize(current_ + 1);
  a.known[current_] = ++a.clock;
}

bool operation_races::follows_launches(const state& s) const {
  return is_checked(s) && !is_over_ && (agents_.size() > 1 || has_others(s));
}

void operation_races::note(state& s, const std::string& name, const std::vector<std::uint64_t>& sites,
                           std::shared_ptr<const byte_touches> touches) {
  if (!is_checked(s) || !entered_ || touches == nullptr) return;
  const agent& a = agents_[current_];
  if (!touches->is_whole) forget_host_bytes();  // it may have written any of them
  for (operation_record& r : records_) {
    // If an operation has written the bytes, their new contents do not come from the host.
    std::erase_if(r.watched, [&](const watched_bytes& w) { return touches->may_change(w.begin, w.end); });
    if (knows(a.known, r)) continue;
    const common_bytes both = conflict(*r.touches, *touches);
    const emulate::region* const in = both.bytes == 0 ? nullptr : s.memory.find(both.first);
    if (in == nullptr) continue;
    noted_fault f;
    f.what.kind = program_fault_kind::stream_race;
    f.what.function = name;
    f.what.bytes = both.bytes;
    f.what.memory = formatted("byte {} of {}", grouped(both.first - in->address), memory_words(*in));
    f.called_at = sites;
    f.other = r.name;
    f.other_at = r.sites;
    f.made_at = in->made_at;
    note_fault(s, std::move(f));
  }
  // Through such bytes, the host may see that the operation has come so far.
  if (may_signal_host(s, *touches)) {
    forget_host_bytes();
    join_clocks(host_, a.known);
    settle();
    return;
  }
  // An equal earlier operation of the stream has no conflict that this one does not have.
  const auto is_repeated = [&](const operation_record& r) {
    return r.stream == current_ && (r.touches == touches || *r.touches == *touches);
  };
  const std::size_t compared = std::min(records_.size(), most_compared);
  records_.erase(std::remove_if(records_.end() - static_cast<std::ptrdiff_t>(compared), records_.end(), is_repeated),
                 records_.end());
  std::uint64_t kept = touches->ranges();
  if (kept > most_ranges) return;
  auto first = records_.end();  // the oldest record that stays
  for (; first != records_.begin() && records_.end() - first + 1 < static_cast<std::ptrdiff_t>(most_records); --first)
    if ((kept += (first - 1)->touches->ranges()) > most_ranges_kept) break;
  records_.erase(records_.begin(), first);
  operation_record& made = records_.emplace_back();
  made.stream = current_;
  made.clock = a.clock;
  made.name = name;
  made.sites = sites;
  made.touches = std::move(touches);
  watch_host_bytes(s, made);
}

// Keeps digests of the bytes that the host can change while the operation is in flight.
void operation_races::watch_host_bytes(const state& s, operation_record& made) {
  if (!made.touches->strong.empty()) return;
  std::uint64_t left = most_watched_bytes;
  for (operation_record& r : records_) {
    for (const watched_bytes& w : r.watched) left -= std::min(left, w.end - w.begin);
  }
  for (const byte_ranges* list : {&made.touches->reads, &made.touches->writes})
    for (const auto& [begin, end] : *list) {
      if (!is_of_host(s, begin) || end - begin > left || made.watched.size() == most_watched_ranges) continue;
      left -= end - begin;
      made.watched.push_back({begin, end, digest_of(bytes_of_host(begin, end))});
    }
}

void operation_races::note(state& s, const copy& c) {
  if (!is_checked(s)) return;
  auto t = std::make_shared<byte_touches>();
  t->reads = rows_of(s, c.from, c.from_pitch, c.from_slice, c.width, c.height, c.depth);
  t->writes = rows_of(s, c.to, c.to_pitch, c.to_slice, c.width, c.height, c.depth);
  note(s, "a copy", call_sites(), std::move(t));
  // A copy to pageable memory, or between memory of the host, has ended when its call returns.
  const emulate::region *const to = s.memory.find(c.to), *const from = s.memory.find(c.from);
  const auto is_on_host = [](const emulate::region* r) {
    return r == nullptr || (is_of_host(r) && !r->in_device_pages);
  };
  if (entered_ && (to == nullptr || (is_on_host(to) && is_on_host(from)))) {
    join_clocks(host_, agents_[current_].known);
    settle();
  }
}

void operation_races::note(state& s, const fill& f) {
  if (!is_checked(s)) return;
  auto t = std::make_shared<byte_touches>();
  t->writes = rows_of(s, f.to, f.pitch, f.slice, f.width * f.element_bytes, f.height, f.depth);
  note(s, "a memset", call_sites(), std::move(t));
  if (entered_ && f.waits && is_of_host(s, f.to)) {
    join_clocks(host_, agents_[current_].known);
    settle();
  }
}

void operation_races::note_free(state& s, std::uint64_t address) {
  if (!is_checked(s)) return;
  const auto freed = s.allocations.find(address);
  if (freed == s.allocations.end()) return;
  auto t = std::make_shared<byte_touches>();
  t->writes = {{address, address + freed->second.bytes}};
  note(s, "cudaFreeAsync", call_sites(), std::move(t));
}

void operation_races::note_host_free(state& s, std::uint64_t address) {
  const emulate::region* const freed = s.memory.find(address);
  if (!is_checked(s) || freed == nullptr || freed->address != address) return;
  for (const operation_record& r : records_)
    for (const auto& [begin, end] : r.touches->writes) {
      if (end <= address || begin >= address + freed->bytes || knows(host_, r)) continue;
      noted_fault f;
      f.what.kind = program_fault_kind::unawaited;
      f.what.function = r.name;
      f.what.bytes = end - begin;
      f.what.memory = memory_words(*freed);
      f.called_at = r.sites;
      f.made_at = freed->made_at;
      note_fault(s, std::move(f));
      break;
    }
}

void operation_races::record(const event& e) {
  if (entered_) events_[&e] = agents_[current_].known;
}

void operation_races::wait(unsigned long long stream, stream_kind kind, const event& e) {
  if (const auto at = events_.find(&e); at != events_.end())
    join_clocks(agents_[agent_of(stream, kind)].known, at->second);
}

void operation_races::await(state& s, unsigned long long stream, stream_kind kind) {
  if (!is_checked(s) || agents_.empty()) return;
  look_at_host_bytes(s);
  join_clocks(host_, agents_[agent_of(stream, kind)].known);
  for (const agent& a : agents_)
    if (kind == stream_kind::legacy_default && a.kind == stream_kind::blocking) join_clocks(host_, a.known);
  settle();
}

void operation_races::await(state& s, const event& e) {
  const auto at = events_.find(&e);
  if (!is_checked(s) || at == events_.end()) return;
  look_at_host_bytes(s);
  join_clocks(host_, at->second);
  settle();
}

void operation_races::await_all(state& s) {
  if (!is_checked(s)) return;
  look_at_host_bytes(s);
  for (const agent& a : agents_) join_clocks(host_, a.known);
  settle();
}

void operation_races::forget_host_bytes() {
  for (operation_record& r : records_) r.watched.clear();
}

void operation_races::give_up(state& s) {
  if (!is_checked(s)) return;
  forget_host_bytes();
  await_all(s);
  entered_ = false;
}

void operation_races::forget_stream(unsigned long long stream) {
  if (const auto at = numbers_.find(stream); at != numbers_.end()) {
    unused_.push_back(at->second);
    numbers_.erase(at);
  }
}

void operation_races::release(std::uint64_t address, std::uint64_t bytes) {
  for (operation_record& r : records_) {
    if (!r.touches->meets(address, address + bytes)) continue;
    byte_touches left = *r.touches;  // other records may share the bytes
    left.remove(address, address + bytes);
    r.touches = std::make_shared<byte_touches>(std::move(left));
    std::erase_if(r.watched, [&](const watched_bytes& w) { return w.begin < address + bytes && address < w.end; });
  }
}

// The operations that the host knows come before all that follows.
void operation_races::settle() {
  std::erase_if(records_, [&](const operation_record& r) { return knows(host_, r); });
}

// Looks whether the host has changed bytes of operations in flight. Operations look here before they write.
void operation_races::look_at_host_bytes(state& s) {
  for (operation_record& r : records_)
    std::erase_if(r.watched, [&](const watched_bytes& w) {
      const emulate::region* const in = s.memory.find(w.begin);
      if (in == nullptr) return true;
      if (digest_of(bytes_of_host(w.begin, w.end)) == w.contents) return false;
      noted_fault f;
      f.what.kind = program_fault_kind::host_race;
      f.what.function = r.name;
      f.what.bytes = w.end - w.begin;
      f.what.memory = formatted("byte {} of {}", grouped(w.begin - in->address), memory_words(*in));
      f.called_at = r.sites;
      f.made_at = in->made_at;
      note_fault(s, std::move(f));
      return true;
    });
}

}  // namespace bankwise::cuda
