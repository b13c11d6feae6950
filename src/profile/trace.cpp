#include "profile/trace.hpp"

#include <array>
#include <cstring>

#include "base/random_numbers.hpp"

namespace bankwise {

namespace {

constexpr std::array<u32, lanes_per_warp> keys = [] {
  std::array<u32, lanes_per_warp> k{};
  for (u32 i = 0; i < lanes_per_warp; ++i) k[i] = static_cast<u32>(mixed_bits(random_step * (i + 1)));
  return k;
}();

// Returns a hash. The hash must be fast, because every access is hashed. Compilers vectorise this sum of products.
std::uint64_t hash_of(const access& a) {
  constexpr u32 half = lanes_per_warp / 2;
  std::uint64_t sum = 0;
  for (u32 i = 0; i < half; ++i)
    sum += static_cast<std::uint64_t>(a.address[i] + keys[i]) * (a.address[i + half] + keys[i + half]);
  return mixed_bits(mixed_bits(sum) + a.mask);
}

// Returns the index of the slot with this access, or of a free slot. Compares only masks and addresses, because an
// instruction always has the same operation.
std::size_t slot_of(const access_trace::site_entries& s, std::uint64_t hash, const access& a) {
  const std::size_t wrap = s.slots.size() - 1;
  std::size_t at = hash & wrap;
  for (; s.slots[at] != 0; at = (at + 1) & wrap) {
    const access_trace::entry& e = s.list[s.slots[at] - 1];
    if (e.hash == hash && e.what.mask == a.mask && std::memcmp(e.what.address, a.address, sizeof a.address) == 0) break;
  }
  return at;
}

void place_all(access_trace::site_entries& s) {
  std::fill(s.slots.begin(), s.slots.end(), 0);
  for (std::size_t i = 0; i < s.list.size(); ++i) {
    std::size_t at = s.list[i].hash & (s.slots.size() - 1);
    while (s.slots[at] != 0) at = (at + 1) & (s.slots.size() - 1);
    s.slots[at] = static_cast<u32>(i + 1);
  }
}

// Keeps only the `most` entries with the lowest hashes.
void cut(access_trace::site_entries& s, std::size_t most) {
  if (s.list.size() <= most) return;
  const auto last = s.list.begin() + static_cast<std::ptrdiff_t>(most - 1);
  std::nth_element(s.list.begin(), last, s.list.end(),
                   [](const access_trace::entry& a, const access_trace::entry& b) { return a.hash < b.hash; });
  s.threshold = last->hash;
  std::erase_if(s.list, [&](const access_trace::entry& e) { return e.hash > s.threshold; });
  place_all(s);
}

}  // namespace

void access_trace::on_block_end(std::uint64_t times) {
  access_trace& block = block_.front();
  block.seen_ *= times;
  for (auto& [pc, s] : block.sites_.all())
    for (entry& e : s.list) e.count *= times;
  add(block);
  block.seen_ = block.kept_ = 0;
  block.most_each_ = most_;
  for (auto& [pc, s] : block.sites_.all()) s = {};
}

void access_trace::on_access(const emulate::shared_access& a) {
  if (!block_.empty()) return block_.front().on_access(a);
  if (a.what.mask != 0) record(sites_[a.pc], a.what);
}

void access_trace::on_async(const emulate::async_event& e) {
  if (!block_.empty()) return block_.front().on_async(e);
  if (!e.done) return;
  site_entries& s = sites_[e.pc];
  for (const auto& range : e.touched) touch(s, range.begin, range.end);
}

void access_trace::record(site_entries& s, const access& a) {
  ++seen_;
  entry e;
  const access* what = &a;
  const u32 used = lanes_used(a);
  if (used != full_mask) {
    e.what.op = a.op;
    e.what.mask = a.mask;
    for (u32 i = 0; i < lanes_per_warp; ++i) e.what.address[i] = a.address[i] & (0u - (used >> i & 1));
    what = &e.what;
  }
  e.hash = hash_of(*what);
  if (e.hash > s.threshold) return touch(s, *what);
  if (!s.slots.empty())
    if (const u32 found = s.slots[slot_of(s, e.hash, *what)]; found != 0) {
      ++s.list[found - 1].count;
      return;
    }
  // Accesses to the system's part of memory do not belong to the kernel.
  for (u32 i = 0; i < lanes_per_warp; ++i)
    if ((used >> i & 1) != 0 && what->address[i] < own_begin_) return;
  touch(s, *what);
  if (what != &e.what) e.what = *what;
  e.count = 1;
  keep(s, e);
}

void access_trace::keep(site_entries& s, const entry& e) {
  if (e.hash > s.threshold) return;
  if (s.slots.size() < 2 * (s.list.size() + 1)) {
    s.slots.resize(std::max<std::size_t>(16, 4 * s.slots.size()));
    place_all(s);
  }
  const std::size_t at = slot_of(s, e.hash, e.what);
  if (s.slots[at] != 0) {
    s.list[s.slots[at] - 1].count += e.count;
    return;
  }
  s.list.push_back(e);
  s.slots[at] = static_cast<u32>(s.list.size());
  if (s.list.size() <= most_each_) {
    if (++kept_ > most_) make_room();
  } else if (s.list.size() > most_each_ + most_each_ / 4 + 16) {
    cut(s, most_each_);  // cut() is slow, so it is not called after each access
  }
}

void access_trace::make_room() {
  while (kept_ > most_ && most_each_ > 1) {
    most_each_ /= 2;
    kept_ = 0;
    for (auto& [pc, s] : sites_.all()) kept_ += std::min(s.list.size(), most_each_);
  }
  for (auto& [pc, s] : sites_.all()) cut(s, most_each_);
}

void access_trace::touch(site_entries& s, const access& a) const {
  const u32 used = lanes_used(a);
  for (u32 i = 0; i < lanes_per_warp; ++i)
    if ((used >> i & 1) != 0) touch(s, a.address[i], a.address[i] + a.op.width_bytes);
}

void access_trace::touch(site_entries& s, u32 begin, u32 end) const {
  if (begin < own_begin_ || begin >= end) return;
  (begin < dynamic_begin_ ? s.touched.in_static : s.touched.in_dynamic).add(begin - own_begin_, end - own_begin_);
}

void access_trace::add(const access_trace& other) {
  seen_ += other.seen_;
  if (other.most_each_ < most_each_) {
    most_each_ = other.most_each_;
    kept_ = 0;
    for (auto& [pc, s] : sites_.all()) kept_ += std::min(s.list.size(), most_each_);
  }
  for (const auto& [pc, from] : other.sites_.all()) {
    site_entries& to = sites_[pc];
    for (const entry& e : from.list) keep(to, e);
    for (const auto part : {&touched_bytes::in_static, &touched_bytes::in_dynamic})
      (to.touched.*part).add(from.touched.*part);
  }
}

std::vector<recorded_access> access_trace::accesses_of(std::uint64_t pc) const {
  std::vector<recorded_access> list;
  const auto found = sites_.all().find(pc);
  if (found == sites_.all().end()) return list;
  site_entries s = found->second;
  cut(s, most_each_);
  for (const entry& e : s.list) {
    recorded_access& r = list.emplace_back(recorded_access{e.what, e.count});
    const u32 used = lanes_used(e.what);
    for (u32 i = 0; i < lanes_per_warp; ++i)
      if ((used >> i & 1) != 0) r.what.address[i] -= own_begin_;
  }
  std::sort(list.begin(), list.end(), [](const recorded_access& a, const recorded_access& b) {
    if (a.count != b.count) return a.count > b.count;
    if (a.what.mask != b.what.mask) return a.what.mask < b.what.mask;
    return std::lexicographical_compare(std::begin(a.what.address), std::end(a.what.address),
                                        std::begin(b.what.address), std::end(b.what.address));
  });
  return list;
}

touched_bytes access_trace::touched_by(std::uint64_t pc) const {
  const auto found = sites_.all().find(pc);
  return found == sites_.all().end() ? touched_bytes{} : found->second.touched;
}

}  // namespace bankwise
