#include "profile/global_races.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <deque>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "profile/code/kept_facts.hpp"
#include "sass/fields/fields.hpp"
#include "sass/flow/code_flow.hpp"
#include "sass/flow/pointers.hpp"
#include "sass/print/print.hpp"

namespace bankwise {

namespace {

constexpr unsigned page_shift = 12;
constexpr std::uint64_t tracked_page_bytes = std::uint64_t{1} << page_shift;
// The limits of the record. Accesses beyond them are not checked.
constexpr std::size_t most_tracked_words = std::size_t{1} << 23, most_published = std::size_t{1} << 26, most_found = 64;
constexpr std::uint64_t most_ordering_blocks = 4096;
constexpr std::uint64_t most_tracked_blocks = 0xffffffff;

// Who made an access: the block plus one, the thread, and the instruction. 0: nobody. Smaller values are earlier blocks.
struct mark {
  std::uint64_t who = 0;

  static constexpr unsigned site_bits = 22, thread_bits = 10;
  static mark of(std::uint64_t block, std::uint32_t thread, std::uint32_t site) {
    return {(block + 1) << (site_bits + thread_bits) | std::uint64_t{thread} << site_bits | site};
  }
  explicit operator bool() const { return who != 0; }
  std::uint64_t block() const { return (who >> (site_bits + thread_bits)) - 1; }
  std::uint32_t thread() const { return static_cast<std::uint32_t>(who >> site_bits & ((1u << thread_bits) - 1)); }
  std::uint32_t site() const { return static_cast<std::uint32_t>(who & ((1u << site_bits) - 1)); }
};

// The accesses to a word, or to a byte if the kernel accesses bytes. Each kind has two marks. If blocks cannot know of
// each other, these are the marks of the lowest and of the highest block. Otherwise, they are the last accesses.
struct access_pair {
  mark low, high;
  std::uint32_t low_time = 0, high_time = 0;  // the clock of the block

  void include(mark m) {
    if (!low || m.who < low.who) low = m;
    if (m.who > high.who) high = m;
  }
};
struct word_accesses {
  access_pair writes, reads, atomics;
  std::uint32_t value = 0;
  bool is_written = false, differs = false;
  bool is_data = false;  // whether a warp has read other words together with this word
  bool is_kept = false;  // whether an L1 may contain the value before the last write
};

// The last two blocks that have loaded bytes of a sector into L1, and how often each had emptied L1 before.
struct sector_in_l1 {
  struct reader {
    std::uint64_t block = ~std::uint64_t{0};
    std::uint32_t emptied = 0;
  };
  std::array<reader, 2> last;

  void include(reader r) {
    if (last[0].block != r.block) last[1] = last[0];
    last[0] = r;
  }
};

// Whether several blocks have accessed the word.
bool has_several_blocks(const word_accesses& w) {
  const std::uint64_t block = w.writes.low ? w.writes.low.block() : w.atomics.low.block();
  const auto has_other = [&](mark m) { return m && m.block() != block; };
  return has_other(w.writes.high) || has_other(w.reads.low) || has_other(w.reads.high) || has_other(w.atomics.low) ||
         has_other(w.atomics.high);
}

// Whether only the threads of the block can see the access.
bool is_narrow(const sass::instruction& i, std::uint32_t sm) {
  const std::string text = sass::to_text(i, 0, sm);
  return text.find(".STRONG.SM") != std::string::npos || text.find(".STRONG.CTA") != std::string::npos;
}

}  // namespace

struct global_page {
  // Held for a few words at a time, so a lock that spins is faster than a mutex.
  std::atomic_flag held;
  std::vector<word_accesses> words;
  std::vector<sector_in_l1> sectors;  // empty if blocks cannot know of each other

  void lock() {
    while (held.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { held.clear(std::memory_order_release); }
};

class global_accesses {
 public:
  global_accesses(const emulate::launch& l, emulate::device_memory& memory);
  void add(std::uint64_t block, const emulate::global_access_event& e, worker_view& view);
  void fence(std::uint64_t block, bool of_block);
  void forget_l1(std::uint64_t block);
  std::vector<global_race> races();
  bool can_race = false;

 private:
  enum class way : std::uint8_t { read, write, atomic };
  // For each block, `fenced` and `clock` at the last write that published something: fenced << 32 | clock. Accesses before
  // `fenced` are visible. 0: nothing was published.
  using published_clocks = std::vector<std::uint64_t>;
  struct block_knowledge {
    // The clock advances with each fence and with each write that publishes. `fenced`: the clock after the last fence.
    std::uint32_t clock = 0, fenced = 0;
    bool has_narrow_fence = false;
    // What other blocks have published, as far as this block knows, and what it knew when it last emptied L1: its loads
    // certainly see only these writes.
    published_clocks known, seen;
    bool knows_more = false;    // than it has seen
    std::uint32_t emptied = 0;  // how often it has emptied L1
  };
  using site = access_site;
  const site& site_at(std::uint64_t pc, std::uint32_t& number);
  global_page* page_at(std::uint64_t number, worker_view& view);
  bool is_tracked(std::uint64_t number);
  std::uint64_t group_of(std::uint64_t block) const;
  bool are_apart(mark a, mark b) const { return a && b && group_of(a.block()) != group_of(b.block()); }
  void note_in_order(word_accesses& w, sector_in_l1& sector, way does, bool through_l1, bool changes, mark who,
                     std::uint64_t address);
  bool may_be_in_l1(const sector_in_l1& s, std::uint64_t block) const;
  void order_by(std::uint64_t block, std::uint64_t address, bool reads, bool writes);
  race_cause cause_of(mark first, std::uint32_t time, mark second) const;
  void report(hazard_kind kind, race_cause cause, mark first, mark second, std::uint64_t address);
  bool is_flag(const word_accesses& w) const;
  void compare(const access_pair& a, const access_pair& b, hazard_kind kind, std::uint64_t address);

  const emulate::launch& l_;
  emulate::device_memory& memory_;
  std::array<std::uint32_t, 3> cluster_{1, 1, 1};
  unsigned unit_ = 4;
  bool orders_blocks_ = false;       // whether the code has accesses by which blocks can know of each other
  bool tracks_all_ = true;           // whether all allocations may be written
  std::set<std::uint64_t> written_;  // addresses of the allocations that may be written

  std::mutex mutex_;  // guards the members below
  std::map<std::uint64_t, std::unique_ptr<global_page>> pages_;
  std::size_t words_ = 0;
  std::deque<site> sites_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // the index in sites_ of each instruction
  std::size_t published_words_ = 0;
  bool given_up_ = false;
  std::unordered_map<std::uint64_t, block_knowledge> blocks_;
  std::unordered_map<std::uint64_t, published_clocks> published_;           // by the address of a word
  using key = std::tuple<hazard_kind, bool, std::uint64_t, std::uint64_t>;  // bool: whether it is a warning
  std::map<key, global_race> found_;
};

namespace {

// Facts about the code of a kernel, in all of its launches.
struct code_facts {
  unsigned unit = 4;           // bytes of the narrowest access, at most 4
  bool writes = false;         // whether it writes global memory in a way that can race
  bool orders_blocks = false;  // whether it has accesses by which blocks can know of each other
  bool writes_anywhere = true;
  std::set<std::uint64_t> written;  // if not: offsets in constant bank 0 of the pointers through which it writes
};

code_facts find_code_facts(const cubin::program& p, const cubin::kernel& kernel) {
  const sass::isa set = sass::isa_of(p.sm);
  code_facts facts;
  for (std::size_t n = 0; n < p.sections.size(); ++n) {
    const cubin::code_section& code = p.sections[n];
    const bool holds_other = n != kernel.section && std::any_of(p.kernels.begin(), p.kernels.end(),
                                                                [&](const auto& k) { return k.section == n; });
    if (holds_other) continue;
    for (std::size_t at = 0; at + sass::instruction_bytes <= code.bytes.size(); at += sass::instruction_bytes) {
      const sass::instruction i = sass::load_instruction(code.bytes.data() + at, set);
      const sass::opcode_info* const info = i.info();
      if (info == nullptr || !sass::touches(sass::traits_of(info->op).space, sass::space::global)) continue;
      const bool stores = sass::traits_of(info->op).action == sass::action::store,
                 updates = sass::traits_of(info->op).action == sass::action::update;
      const sass::fields f = sass::fields_of(i);
      const auto* const access = std::get_if<sass::memory_access>(&f);
      if (access == nullptr) continue;
      facts.unit = std::min<unsigned>(facts.unit, access->bytes);
      facts.writes |= stores || (updates && is_narrow(i, p.sm));
      facts.orders_blocks |=
          updates ? !access->reduces && access->result != sass::register_zero : static_cast<bool>(access->strong);
    }
  }
  if (!facts.writes) return facts;
  const cubin::code_section& code = p.sections[kernel.section];
  const sass::code_flow flow = sass::flow_of_code(code.bytes, set, kernel.offset, code.address);
  if (!flow.complete || flow.has_calls_out) return facts;
  const sass::pointer_sources to = sass::global_pointers_of(flow).writes;
  facts.writes_anywhere = to.unknown || to.may_be_loaded;
  for (const sass::constant_word& w : to.words) {
    facts.writes_anywhere |= w.bank != 0;
    facts.written.insert(w.offset);
  }
  return facts;
}

}  // namespace

global_accesses::global_accesses(const emulate::launch& l, emulate::device_memory& memory)
    : l_(l), memory_(memory), cluster_(emulate::cluster_of(l)) {
  static kept_facts<code_facts>& all = *new kept_facts<code_facts>;  // a report may be written after the end of main
  const auto facts = all.of(*l.program, *l.kernel, find_code_facts);
  unit_ = facts->unit;
  orders_blocks_ = facts->orders_blocks;
  tracks_all_ = facts->writes_anywhere;
  const std::uint64_t blocks = std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2], base = l.kernel->param_base;
  can_race =
      facts->writes && blocks > 1 && blocks < most_tracked_blocks && !(orders_blocks_ && blocks > most_ordering_blocks);
  for (const std::uint64_t offset : facts->written) {
    if (offset < base || offset - base + 8 > l.parameters.size()) continue;
    std::uint64_t value = 0;
    std::memcpy(&value, l.parameters.data() + (offset - base), sizeof value);
    if (const emulate::region* const r = memory.find(value)) written_.insert(r->address);
  }
}

std::uint64_t global_accesses::group_of(std::uint64_t block) const {
  const auto [cx, cy, cz] = cluster_;
  if (cx * cy * cz == 1) return block;
  const std::uint64_t x = block % l_.grid[0], y = block / l_.grid[0] % l_.grid[1], z = block / l_.grid[0] / l_.grid[1];
  return x / cx + l_.grid[0] / cx * (y / cy + l_.grid[1] / cy * (z / cz));
}

const global_accesses::site& global_accesses::site_at(std::uint64_t pc, std::uint32_t& number) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = numbers_.try_emplace(pc, static_cast<std::uint32_t>(sites_.size()));
  number = at->second;
  if (!is_new) return sites_[number];
  site& s = sites_.emplace_back();
  s.pc = pc;
  const auto n = l_.program->section_at(pc);
  if (!n) return s;
  const cubin::code_section& in = l_.program->sections[*n];
  const sass::instruction i = sass::load_instruction(in.bytes.data() + (pc - in.address), sass::isa_of(l_.program->sm));
  const sass::fields f = sass::fields_of(i);
  const auto* const access = std::get_if<sass::memory_access>(&f);
  s.narrow = is_narrow(i, l_.program->sm);
  s.strong = !s.narrow && access != nullptr && access->strong;
  s.returns = access != nullptr && !access->reduces && access->result != sass::register_zero;
  return s;
}

bool global_accesses::is_tracked(std::uint64_t number) {
  const emulate::region* const r = memory_.find(number << page_shift);
  // A page can hold the ends of several allocations.
  if (r == nullptr) return true;
  return !memory_.is_heap(r->address) &&
         (tracks_all_ || r->bytes < tracked_page_bytes || written_.contains(r->address));
}

// The page with this number. Null if its accesses are not recorded.
global_page* global_accesses::page_at(std::uint64_t number, worker_view& view) {
  worker_view::looked_up& kept = view.pages[number % worker_view::kept_pages];
  if (number == kept.number) return kept.page;
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = pages_.try_emplace(number);
  if (is_new && is_tracked(number) && words_ < most_tracked_words) {
    at->second = std::make_unique<global_page>();
    at->second->words.resize(tracked_page_bytes / unit_);
    if (orders_blocks_) at->second->sectors.resize(tracked_page_bytes / sector_bytes);
    words_ += at->second->words.size();
  }
  kept.number = number;
  return kept.page = at->second.get();
}

void global_accesses::add(std::uint64_t block, const emulate::global_access_event& e, worker_view& view) {
  if (e.mask == 0 || e.kind == global_kind::local_load || e.kind == global_kind::local_store) return;
  if (e.pc != view.pc) view.pc = e.pc, view.here = &site_at(e.pc, view.site);
  const site& here = *view.here;
  const bool reads = e.kind == global_kind::load || e.kind == global_kind::copy;
  const bool updates = e.kind == global_kind::atomic || e.kind == global_kind::reduction;
  const bool is_sync = here.strong && !here.narrow;
  const way does = is_sync || (updates && !here.narrow) ? way::atomic : reads ? way::read : way::write;
  const int first = std::countr_zero(e.mask);
  bool is_alone = true;
  for (std::uint32_t m = e.mask; m != 0 && reads; m &= m - 1)
    is_alone &= e.address[std::countr_zero(m)] == e.address[first];
  std::unique_lock<global_page> held;
  std::uint64_t last_address = ~std::uint64_t{0};
  const bool may_order = orders_blocks_ && does == way::atomic;
  for (std::uint32_t m = e.mask; m != 0; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const std::uint64_t address = e.address[lane];
    if (reads && address == last_address) continue;
    last_address = address;
    if (may_order) order_by(block, address, reads || (updates && here.returns), !reads);
    const mark who = mark::of(block, e.warp * 32 + static_cast<std::uint32_t>(lane), view.site);
    for (std::uint64_t at = address; at < address + e.width_bytes; at += unit_) {
      global_page* const p = page_at(at >> page_shift, view);
      if (p == nullptr) continue;
      if (held.mutex() != p) {
        if (held) held.unlock();
        held = std::unique_lock(*p);
      }
      word_accesses& w = p->words[at % tracked_page_bytes / unit_];
      if (does == way::read) w.is_data |= !is_alone;
      std::uint32_t value = 0;
      const bool has_value = does == way::write && e.data[(at - address) / 4 % 4] != nullptr && at - address < 16;
      if (has_value)
        std::memcpy(&value, reinterpret_cast<const std::byte*>(e.data[(at - address) / 4] + lane) + (at - address) % 4,
                    unit_);
      const bool changes = does == way::write && (updates || (has_value && w.is_written && w.value != value));
      if (does == way::write) {
        w.differs |= changes;
        w.is_written = true;
        w.value = value;
      }
      if (orders_blocks_)
        note_in_order(w, p->sectors[at % tracked_page_bytes / sector_bytes], does, !e.past_l1, changes, who, at);
      else
        (does == way::read ? w.reads : does == way::write ? w.writes : w.atomics).include(who);
    }
  }
}

// A strong access to a word. A read gets what other blocks have published there, and a write publishes what the block
// has fenced, and what it knows itself.
void global_accesses::order_by(std::uint64_t block, std::uint64_t address, bool reads, bool writes) {
  const std::lock_guard lock(mutex_);
  if (given_up_) return;
  published_clocks& there = published_[address];
  block_knowledge& own = blocks_[block];
  // Returns whether this added something.
  const auto join = [](published_clocks& to, const published_clocks& from) {
    if (to.size() < from.size()) to.resize(from.size());
    bool changed = false;
    for (std::size_t i = 0; i < from.size(); ++i) {
      changed |= from[i] > to[i];
      to[i] = std::max(to[i], from[i]);
    }
    return changed;
  };
  if (reads && join(own.known, there)) own.knows_more = true;
  if (!writes) return;
  published_words_ -= there.size();
  join(there, own.known);
  if (there.size() <= block) there.resize(block + 1);
  published_words_ += there.size();
  given_up_ = published_words_ > most_published;
  there[block] = std::uint64_t{own.fenced} << 32 | ++own.clock;
}

void global_accesses::fence(std::uint64_t block, bool of_block) {
  if (!orders_blocks_) return;
  const std::lock_guard lock(mutex_);
  block_knowledge& own = blocks_[block];
  if (of_block)
    own.has_narrow_fence = true;
  else
    own.fenced = ++own.clock;
}

// All threads of the block then see the writes that the block knows of.
void global_accesses::forget_l1(std::uint64_t block) {
  if (!orders_blocks_) return;
  const std::lock_guard lock(mutex_);
  block_knowledge& own = blocks_[block];
  ++own.emptied;
  if (std::exchange(own.knows_more, false)) own.seen = own.known;
}

// Whether the L1 of another block may contain the sector. A store of the block itself changes its own L1.
bool global_accesses::may_be_in_l1(const sector_in_l1& s, std::uint64_t block) const {
  return std::any_of(s.last.begin(), s.last.end(), [&](const sector_in_l1::reader& r) {
    const auto at = blocks_.find(r.block);
    return r.block != block && at != blocks_.end() && at->second.emptied == r.emptied;
  });
}

// Whether the word is a flag, which threads set and look at in any order.
bool global_accesses::is_flag(const word_accesses& w) const {
  const std::uint32_t most = unit_ == 4 ? ~0u : (1u << 8 * unit_) - 1;
  return !w.is_data && !w.differs && (w.value <= 1 || w.value == most);
}

// Compares the access with those of blocks that its block does not know of. The blocks run in turns.
void global_accesses::note_in_order(word_accesses& w, sector_in_l1& sector, way does, bool through_l1, bool changes,
                                    mark who, std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t block = who.block();
  const block_knowledge& own = blocks_[block];
  // A read needs no fence before the block publishes: its value is there before a later write can be seen.
  const auto is_in = [&](const published_clocks& of, mark m, std::uint32_t time, bool is_read) {
    if (!are_apart(m, who)) return true;
    const std::uint64_t known = m.block() < of.size() ? of[m.block()] : 0;
    return (is_read ? known & 0xffffffff : known >> 32) > time;
  };
  const auto is_known = [&](mark m, std::uint32_t time, bool is_read) { return is_in(own.known, m, time, is_read); };
  const auto judge = [&](hazard_kind kind, const access_pair& with) {
    const bool is_read = kind == hazard_kind::write_after_read;
    for (const auto& [m, time] : {std::pair(with.low, with.low_time), std::pair(with.high, with.high_time)})
      if (!is_known(m, time, is_read))
        report(kind, cause_of(m, time, who), m, who, address);
      else if (does == way::read && through_l1 && !is_in(own.seen, m, time, false))
        report(kind, w.is_kept ? race_cause::no_acquire : race_cause::no_acquire_unread, m, who, address);
  };
  const auto keep = [&](access_pair& in) {
    const bool replaces = is_known(in.low, in.low_time, does == way::read);
    (replaces ? in.low : in.high) = who;
    (replaces ? in.low_time : in.high_time) = own.clock;
  };
  const bool flag = is_flag(w);
  switch (does) {
    case way::read:
      if (!flag) judge(hazard_kind::read_after_write, w.writes);
      if (through_l1) sector.include({block, own.emptied});
      return keep(w.reads);
    case way::write: {
      // A block that takes part in the order of the word knows its atomics.
      const auto at = published_.find(address);
      const bool takes_part = at != published_.end() && block < at->second.size() && at->second[block] != 0;
      if (!flag) judge(hazard_kind::write_after_read, w.reads);
      if (changes) judge(hazard_kind::write_after_write, w.writes);
      if (!flag && !takes_part) judge(hazard_kind::write_after_write, w.atomics);
      w.reads = {};
      w.is_kept = may_be_in_l1(sector, block);
      return keep(w.writes);
    }
    case way::atomic:
      if (!flag) judge(hazard_kind::write_after_write, w.writes);
      return keep(w.atomics);
  }
}

// Why the second block does not know of the access. `time`: the clock of the first block at its access.
race_cause global_accesses::cause_of(mark first, std::uint32_t time, mark second) const {
  const auto of_first = blocks_.find(first.block()), of_second = blocks_.find(second.block());
  const bool is_published = of_second != blocks_.end() && first.block() < of_second->second.known.size() &&
                            static_cast<std::uint32_t>(of_second->second.known[first.block()]) > time;
  const bool has_narrow_fence =
      of_first != blocks_.end() && of_first->second.has_narrow_fence && of_first->second.fenced == 0;
  const bool is_narrow = sites_[first.site()].narrow || sites_[second.site()].narrow;
  return is_narrow || (is_published && has_narrow_fence) ? race_cause::narrow_scope
         : is_published                                  ? race_cause::no_fence
                                                         : race_cause::no_order;
}

void global_accesses::report(hazard_kind kind, race_cause cause, mark first, mark second, std::uint64_t address) {
  const site &a = sites_[first.site()], &b = sites_[second.site()];
  const key k{kind, cause == race_cause::no_acquire_unread, a.pc, b.pc};
  if (found_.size() >= most_found && !found_.contains(k)) return;
  global_race& r = found_[k];
  if (r.words++ != 0) return;
  r.kind = kind;
  r.first = a.pc;
  r.second = b.pc;
  r.first_block = first.block();
  r.second_block = second.block();
  r.first_thread = first.thread();
  r.second_thread = second.thread();
  r.address = address;
  r.cause = cause;
}

// Reports the first pair of accesses by two groups of blocks.
void global_accesses::compare(const access_pair& a, const access_pair& b, hazard_kind kind, std::uint64_t address) {
  for (const mark first : {a.low, a.high})
    for (const mark second : {b.low, b.high})
      if (are_apart(first, second)) return report(kind, cause_of(first, 0, second), first, second, address);
}

std::vector<global_race> global_accesses::races() {
  std::vector<global_race> list;
  if (given_up_) return list;
  for (const auto& [number, page] : pages_) {
    if (page == nullptr || orders_blocks_) continue;
    for (std::size_t i = 0; i < page->words.size(); ++i) {
      const word_accesses& w = page->words[i];
      if (!w.is_written || !has_several_blocks(w)) continue;
      const std::uint64_t address = (number << page_shift) + i * unit_;
      if (w.differs) compare(w.writes, w.writes, hazard_kind::write_after_write, address);
      if (is_flag(w)) continue;
      compare(w.writes, w.reads, hazard_kind::read_after_write, address);
      compare(w.writes, w.atomics, hazard_kind::write_after_write, address);
    }
  }
  for (const auto& [k, r] : found_)
    if (r.cause != race_cause::no_acquire_unread || !found_.contains({r.kind, false, r.first, r.second}))
      list.push_back(r);
  return list;
}

void global_race_checker::on_global(const emulate::global_access_event& e) { all_->add(block_, e, view_); }

void global_race_checker::on_order(const emulate::ordering& o) {
  constexpr std::uint32_t gpu = 2, system = 3, any_gpu = 5;  // the scopes of MEMBAR
  if (o.kind == emulate::order_kind::fence)
    all_->fence(block_, o.number != gpu && o.number != system && o.number != any_gpu);
  if (o.kind == emulate::order_kind::forget_l1) all_->forget_l1(block_);
}

std::shared_ptr<global_accesses> record_global_accesses(const emulate::launch& l, emulate::device_memory& memory) {
  auto all = std::make_shared<global_accesses>(l, memory);
  return all->can_race ? all : nullptr;
}

std::vector<global_race> races_in(global_accesses& all) { return all.races(); }

}  // namespace bankwise
