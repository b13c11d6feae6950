// Records which blocks loaded and changed each word of global memory.
#include "emulate/block/block_races.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

namespace {

// The largest number of pages whose accesses are recorded. A launch that touches more pages is not checked for races.
constexpr std::size_t most_pages = std::size_t{1} << 15;
constexpr std::size_t most_noted = 64;

// Stores the block as the last block that accessed a word. The lower 32 bits of `blocks` are the last block, and the
// upper 32 bits are the first block. Returns false if the block already was the last block.
bool add_block(std::atomic<std::uint64_t>& blocks, std::uint64_t block) {
  std::uint64_t now = blocks.load(std::memory_order_relaxed);
  for (;;) {
    if ((now & 0xffffffff) == block) return false;
    const std::uint64_t next = now == 0 ? block << 32 | block : (now & ~std::uint64_t{0xffffffff}) | block;
    if (blocks.compare_exchange_weak(now, next)) return true;
  }
}

std::uint16_t short_index(const micro_op& u) { return static_cast<std::uint16_t>(std::min(u.index, 0xffffu)); }

}  // namespace

struct block_races::accessed {
  std::uint32_t mask = 0, bytes = 4;
  std::array<std::uint64_t, 32> address;

  accessed(worker& m, const micro_op& u, std::uint32_t lanes) : mask(lanes) {
    const auto* const copy = std::get_if<sass::copy_access>(&u.fields);
    const sass::address& to = copy != nullptr ? copy->source : u.as<sass::memory_access>().address;
    bytes = copy != nullptr ? copy->bytes : u.as<sass::memory_access>().bytes;
    if (copy != nullptr) mask &= m.predicate(u.q0, u.q0_flip);
    const std::uint32_t *low = m.operand_row(u.a, 0), *high = m.operand_row(u.a_high, 1);
    const auto join = [](std::uint64_t l, std::uint64_t h) { return l | h << 32; };
    std::uint64_t add = static_cast<std::uint64_t>(to.offset);
    if (u.b.kind == source_kind::uniform) add += join(m.w->uniform[u.b.index], m.w->uniform[u.b_high.index]);
    for (int i = 0; i < 32; ++i) address[i] = join(low[i], to.wide ? high[i] : 0) + add;
  }
};

block_races::~block_races() {
  for (const auto& [address, r] : regions_)
    for (const auto& p : r->pages) delete p.load();
}

watched_region* block_races::find(worker& m, std::uint64_t address) {
  for (watched_region* r : m.watched_regions)
    if (address - r->address < r->bytes) return r;
  const region* const r = m.s->memory->find(address);
  if (r == nullptr) return nullptr;  // the address is in shared memory, in local memory, or outside all allocations
  const std::lock_guard lock(mutex_);
  std::unique_ptr<watched_region>& made = regions_[r->address];
  if (made == nullptr) {
    made = std::make_unique<watched_region>();
    made->address = r->address;
    made->bytes = r->bytes;
    made->data = r->data;
    made->may_race = may_race_.empty() || may_race_.contains(r);
    made->pages = std::vector<std::atomic<watched_region::page*>>((r->bytes - 1) / watched_region::page_bytes + 1);
  }
  m.watched_regions.push_back(made.get());
  return made.get();
}

watched_region::page* block_races::page_of(watched_region& r, std::uint64_t offset) {
  std::atomic<watched_region::page*>& place = r.pages[offset / watched_region::page_bytes];
  if (watched_region::page* const known = place.load(std::memory_order_acquire)) return known;
  const std::lock_guard lock(mutex_);
  if (watched_region::page* const known = place.load(std::memory_order_acquire)) return known;
  if (pages_ == most_pages) {
    given_up_ = true;
    return nullptr;
  }
  ++pages_;
  auto made = std::make_unique<watched_region::page>();
  made->units = std::make_unique<watched_region::unit[]>(watched_region::page_bytes / code_.unit);
  const std::uint64_t begin = offset / watched_region::page_bytes * watched_region::page_bytes;
  std::memcpy(made->before.data(), r.data + begin, std::min(watched_region::page_bytes, r.bytes - begin));
  place.store(made.get(), std::memory_order_release);
  return made.release();
}

// Calls body(unit, page, offset in the page, pointer to the data) for each unit that an access touches. `unit` is null
// if blocks cannot race in this region.
template <class Body>
void block_races::each_unit(worker& m, const accessed& a, Body body) {
  watched_region* r = nullptr;
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t first = a.address[static_cast<std::size_t>(std::countr_zero(rest))];
    for (std::uint64_t at = first; at < first + a.bytes; at += code_.unit) {
      if (r == nullptr || at - r->address >= r->bytes) r = find(m, at);
      if (r == nullptr || r->bytes - (at - r->address) < code_.unit) continue;
      const std::uint64_t offset = at - r->address, in_page = offset % watched_region::page_bytes;
      watched_region::page* const p = page_of(*r, offset);
      if (p == nullptr) return;
      if (in_page + code_.unit <= watched_region::page_bytes)
        body(r->may_race ? &p->units[in_page / code_.unit] : nullptr, *p, in_page, r->data + offset);
    }
  }
}

// Returns a resident block of the set other than `own`. Returns 0 if there is no such block.
std::uint64_t block_races::other_of(std::uint64_t blocks, std::uint64_t own) const {
  for (const std::uint64_t b : {blocks >> 32, blocks & 0xffffffff})
    if (b != 0 && b != own && (b < own ? own - b : b - own) < together_) return b;
  return 0;
}

void block_races::found(block_race_kind kind, std::uint32_t first, std::uint32_t second) {
  found_ = true;
  if (!interleaves_) return;
  const auto key = std::make_tuple(kind, first, second);
  if (noted_.size() < most_noted || noted_.contains(key)) ++noted_[key];
}

void block_races::note_loads(worker& m, const micro_op& u, const accessed& a) {
  const std::uint64_t own = m.block->order / m.s->cluster_blocks() + 1;
  each_unit(m, a, [&](watched_region::unit* one, watched_region::page&, std::uint64_t, std::byte*) {
    if (one == nullptr) return;
    one->load.store(short_index(u), std::memory_order_relaxed);
    add_block(one->loaded_by, own);
    if (other_of(one->changed_by.load(), own) != 0)
      found(block_race_kind::read_after_write, one->change.load(std::memory_order_relaxed), short_index(u));
  });
}

// A word counts as changed if its value differs from the value before the launch. So the order in which blocks change
// the word does not matter.
void block_races::note_changes(worker& m, const micro_op& u, const accessed& a,
                               const std::vector<std::uint32_t>& before) {
  const std::uint64_t own = m.block->order / m.s->cluster_blocks() + 1;
  const bool is_kept = m.reductions != nullptr && sass::traits_of(u.op).action == sass::action::update;
  std::size_t n = 0;
  each_unit(m, a, [&](watched_region::unit* one, watched_region::page& p, std::uint64_t in_page, std::byte* at) {
    const std::size_t k = n++;
    if (one == nullptr || (!is_kept && std::memcmp(p.before.data() + in_page, at, code_.unit) == 0)) return;
    if (k < before.size() && std::memcmp(&before[k], at, code_.unit) != 0 && other_of(one->changed_by.load(), own) != 0)
      found(block_race_kind::write_after_write, one->change.load(std::memory_order_relaxed), short_index(u));
    one->change.store(short_index(u), std::memory_order_relaxed);
    add_block(one->changed_by, own);
    if (other_of(one->loaded_by.load(), own) != 0)
      found(block_race_kind::write_after_read, one->load.load(std::memory_order_relaxed), short_index(u));
  });
}

step block_races::run_noted(worker& m, const micro_op& u, std::uint32_t mask) {
  if (mask == 0) return u.checked(m, u, mask);
  const sass::action does = sass::traits_of(u.op).action;
  const bool changes = does == sass::action::store || does == sass::action::update;
  if (interleaves_) {
    if (changes && std::exchange(m.w->has_loaded, false)) {
      m.gives_way = true;
      return step::again;
    }
    m.w->has_loaded |= !changes;
  }
  if (given_up_.load(std::memory_order_relaxed)) return u.checked(m, u, mask);
  const accessed a(m, u, mask);
  if (!changes) {
    const step s = u.checked(m, u, mask);
    if (s == step::next) note_loads(m, u, a);
    return s;
  }
  std::vector<std::uint32_t> before;
  each_unit(m, a, [&](watched_region::unit*, watched_region::page& p, std::uint64_t, std::byte* at) {
    p.changed.store(true, std::memory_order_relaxed);
    if (interleaves_) std::memcpy(&before.emplace_back(), at, code_.unit);
  });
  const step s = u.checked(m, u, mask);
  if (s == step::next) note_changes(m, u, a, before);
  return s;
}

void block_races::undo() {
  for (const auto& [address, r] : regions_)
    for (std::size_t n = 0; n < r->pages.size(); ++n) {
      const watched_region::page* const p = r->pages[n].load();
      if (p == nullptr || !p->changed.load()) continue;
      const std::uint64_t begin = n * watched_region::page_bytes;
      std::memcpy(r->data + begin, p->before.data(), std::min(watched_region::page_bytes, r->bytes - begin));
    }
}

std::vector<block_race> block_races::noted(std::uint64_t section) const {
  std::vector<block_race> list;
  for (const auto& [what, count] : noted_) {
    const auto& [kind, first, second] = what;
    list.push_back({kind, section + std::uint64_t{first} * 16, section + std::uint64_t{second} * 16, count});
  }
  return list;
}

step run_watched(worker& m, const micro_op& u, std::uint32_t mask) { return m.s->races->run_noted(m, u, mask); }

}  // namespace bankwise::emulate
