#include "profile/hazards.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <tuple>
#include <utility>

#include "profile/access_way.hpp"
#include "profile/thread_order.hpp"

namespace bankwise {

namespace {

// The last write to a cell, and the last reads after it. If no barrier orders two reads, both are kept. `peer`: an
// earlier read by another lane of a warp that is in step. `plain`: the last write that is not atomic. Most accesses only
// need the first two stamps, which are in one line of the cache.
struct alignas(64) cell {
  access_stamp write, read[2], peer, plain;
};

// After this number of executed instructions, the stamps of earlier blocks are cleared.
constexpr std::uint32_t most_numbers = 1u << 31;
constexpr std::uint32_t whole = ~0u;

using way = access_way;

// A read that may be examined later.
struct kept_read {
  std::uint64_t pc = 0;
  std::uint32_t warp = 0, path = 0;
  access what{};
};

}  // namespace

struct hazard_checker::block_state {
  thread_order order;
  std::vector<cell> words;
  std::vector<std::uint32_t> bytes_of;  // for each word: `whole`, or an index into `bytes`
  std::vector<std::array<cell, 4>> bytes;
  std::vector<std::uint8_t> written;  // whether each byte was written
  std::uint32_t unwritten = 0;        // number of bytes that were not written
  std::array<event_clocks, 16> barriers{};
  // clocks of each mbarrier and of each word that atomics access, by address
  std::map<std::uint32_t, event_clocks> meeting;
  // the last examined instruction on an mbarrier: its warp, lanes, mbarrier and place
  std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t> at_mbarrier{};
  std::set<std::uint32_t> polled;  // addresses of the words of mbarriers that plain loads poll
  event_clocks ended{}, fenced{};  // events before the ends of threads, and before fences for bulk copies
  std::uint32_t accesses = 0;
  bool has_bulk_copies = false;  // whether there were bulk copies, which barriers do not order
  // The bytes that copies of threads write, by their group and instruction, until a barrier orders the group: from, to.
  using copy_site = std::pair<std::uint32_t, std::uint64_t>;
  std::map<copy_site, std::pair<std::uint32_t, std::uint32_t>> copied;
  bool changes = false;               // whether memory has changed since the last barrier
  std::vector<kept_read> kept_reads;  // reads that were not examined
  // The lanes that have read a word in the current access.
  struct lanes_of_word {
    std::uint32_t number = 0, address = 0, count = 0;
  };
  std::array<lanes_of_word, 64> lanes_of{};

  void begin(std::uint32_t threads, std::uint32_t shared_bytes, std::uint32_t reserved_bytes, const checks& wanted) {
    // Stamps of earlier blocks need not be cleared, because their numbers are smaller.
    if (accesses > most_numbers) {
      accesses = 0;
      words.clear();
    }
    order.begin(threads, accesses + 1);
    if (wanted.races) {
      words.resize((shared_bytes + 3) / 4);
      bytes_of.assign(words.size(), whole);
      bytes.clear();
    }
    if (wanted.uninitialised) {
      written.assign(shared_bytes, 0);
      unwritten = shared_bytes;
      set_written(0, std::min(reserved_bytes, shared_bytes));
    }
    barriers = {};
    meeting.clear();
    at_mbarrier = {};
    polled.clear();
    ended = fenced = {};
    has_bulk_copies = changes = false;
    copied.clear();
    kept_reads.clear();
  }

  void set_written(std::uint32_t at, std::uint32_t count) {
    if (unwritten != 0)
      unwritten -= static_cast<std::uint32_t>(std::count(written.data() + at, written.data() + at + count, 0));
    std::fill_n(written.data() + at, count, std::uint8_t{1});
  }

  void add_copied(const copy_site& by, std::uint32_t address, std::uint32_t count) {
    auto& [from, to] = copied.try_emplace(by, address, address).first->second;
    from = std::min(from, address);
    to = std::max(to, address + count);
  }

  // Whether a copy that no barrier orders may write what the access reads.
  bool may_be_copied(const access& a) const {
    if (copied.empty()) return false;
    std::uint32_t first = ~0U, last = 0;
    for (std::uint32_t m = a.mask; m != 0; m &= m - 1) {
      const std::uint32_t address = a.address[std::countr_zero(m)];
      first = std::min(first, address);
      last = std::max(last, address + a.op.width_bytes);
    }
    return std::any_of(copied.begin(), copied.end(),
                       [&](const auto& c) { return first < c.second.second && last > c.second.first; });
  }

  // Calls a function for each cell of a range of bytes.
  template <class F>
  void each_cell(std::uint32_t address, std::uint32_t count, F f) {
    for (std::uint32_t at = address, end = address + count; at < end;) {
      const std::uint32_t word = at / 4, next = std::min(end, (word + 1) * 4);
      if (bytes_of[word] == whole && next - at == 4) {
        f(words[word], at, 4u);
      } else {
        if (bytes_of[word] == whole) {
          bytes_of[word] = static_cast<std::uint32_t>(bytes.size());
          bytes.push_back({words[word], words[word], words[word], words[word]});
        }
        for (std::uint32_t b = at; b < next; ++b) f(bytes[bytes_of[word]][b % 4], b, 1u);
      }
      at = next;
    }
  }
};

hazard_checker::hazard_checker(const checks& wanted, std::uint32_t threads, std::uint32_t shared_bytes,
                               std::uint32_t reserved_bytes, const atomic_parts& parts)
    : wanted_(wanted), parts_(parts), threads_(threads), shared_bytes_(shared_bytes), reserved_bytes_(reserved_bytes) {}

hazard_checker::~hazard_checker() = default;

void hazard_checker::on_block(std::uint64_t block) {
  block_ = block;
  std::unique_ptr<block_state>& state = blocks_[block];
  if (state == nullptr) {
    state = spare_ != nullptr ? std::move(spare_) : std::make_unique<block_state>();
    state->begin(threads_, shared_bytes_, reserved_bytes_, wanted_);
  }
  current_ = state.get();
}

void hazard_checker::on_order(const emulate::ordering& o) {
  using kind = emulate::order_kind;
  block_state& b = *current_;
  const auto path = [&]() -> path_clocks& { return b.order.path(o.warp, o.lanes); };
  const bool is_barrier = o.of_all && (o.kind == kind::arrive || o.kind == kind::leave || o.kind == kind::open);
  if (!is_barrier && o.kind != kind::end && !b.kept_reads.empty()) examine_reads();
  switch (o.kind) {
    case kind::meet: path(); break;
    case kind::arrive: b.order.release(o.warp, path(), b.barriers[o.number]); break;
    case kind::leave: {
      path_clocks& p = path();
      join(p.events, b.barriers[o.number]);
      // A barrier with a number of threads waits for arrivals only. The end of a thread does not arrive there.
      if (o.of_all) join(p.events, b.ended);
      break;
    }
    case kind::open:
      b.barriers[o.number] = {};
      if (!o.of_all) break;
      b.order.settle(b.accesses + 1);
      b.copied.erase(b.copied.begin(), b.copied.lower_bound({b.order.settled_group() + 1, 0}));
      b.changes = false;
      b.kept_reads.clear();
      break;
    case kind::ended:
      b.order.release(o.warp, path(), b.ended);
      b.order.end(o.warp, o.lanes);
      break;
    case kind::release:
      examine_mbarrier(o);
      b.order.release(o.warp, path(), b.meeting[o.number]);
      break;
    case kind::acquire:
      examine_mbarrier(o);
      join(path().events, b.meeting[o.number]);
      break;
    case kind::complete:
      b.order.release(o.warp, path(), b.meeting[o.number]);
      b.order.complete(b.meeting[o.number]);
      break;
    case kind::make:
      if (wanted_.uninitialised) b.set_written(o.number, 8);
      examine_mbarrier(o);
      b.changes = true;
      break;
    case kind::poll: b.polled.insert(o.number + 4); break;
    case kind::write:
    case kind::read:
    case kind::product_read: examine_range(o); break;
    case kind::foreign_write:  // no barrier orders the write and the accesses of this block
      if (wanted_.uninitialised) b.set_written(o.number, o.bytes);
      break;
    case kind::sync: b.order.meet(o.warp, o.lanes); break;
    case kind::commit: b.order.commit(o.warp, o.lanes); break;
    case kind::wait: b.order.wait(o.warp, o.lanes, o.number); break;
    case kind::arrive_copies:
      b.order.commit(o.warp, o.lanes);
      b.order.wait(o.warp, o.lanes, 0);
      break;
    case kind::fence:
    case kind::forget_l1:
    case kind::remote_read:
    case kind::remote_write:
    case kind::remote_update: break;
    case kind::fence_async: b.order.release(o.warp, path(), b.fenced); break;
    case kind::product_end: b.order.end_products(o.warp); break;
    case kind::product_wait: b.order.wait_for_products(o.warp, o.lanes, o.number); break;
    case kind::end:
      spare_ = std::move(blocks_[block_]);
      blocks_.erase(block_);
      current_ = nullptr;
      break;
  }
}

// The initialisation of an mbarrier is a write of its 8 bytes. Arrivals and tests are atomic, so they race only with this
// write, and with other accesses to the bytes. An instruction has an event for each lane.
void hazard_checker::examine_mbarrier(const emulate::ordering& o) {
  if (!wanted_.races || o.pc == 0) return;
  const std::tuple here{o.warp, o.lanes, o.number, o.pc};
  if (std::exchange(current_->at_mbarrier, here) == here && o.kind != emulate::order_kind::make) return;
  emulate::shared_access a;
  a.pc = o.pc;
  a.warp = o.warp;
  a.path = o.lanes;
  a.what.mask = o.lanes & (0U - o.lanes);
  a.what.op = o.kind == emulate::order_kind::make ? st(8) : ld(8);
  a.what.address[std::countr_zero(o.lanes)] = o.number;
  examine(a, copying::of_mbarrier);
}

// A bulk copy or a read of a product is checked as if a lane accessed 16 bytes at a time.
void hazard_checker::examine_range(const emulate::ordering& o) {
  emulate::shared_access piece;
  piece.pc = o.pc;
  piece.warp = o.warp;
  piece.path = o.lanes;
  piece.what.mask = o.lanes & (0u - o.lanes);
  const bool writes = o.kind == emulate::order_kind::write, copies = o.kind != emulate::order_kind::product_read;
  if (writes) current_->order.begin_bulk_copy();
  current_->has_bulk_copies |= copies;
  for (std::uint32_t done = 0; done < o.bytes;) {
    const std::uint32_t width = std::min(16u, o.bytes - done);
    piece.what.op = writes ? st(width) : ld(width);
    piece.what.address[std::countr_zero(o.lanes)] = o.number + done;
    if (wanted_.uninitialised) look_for_unwritten(piece);
    if (wanted_.races) examine(piece, copies ? copying::in_bulk : copying::by_products);
    done += width;
  }
}

void hazard_checker::on_access(const emulate::shared_access& a) {
  if (a.what.mask == 0) return;
  if (wanted_.uninitialised) look_for_unwritten(a);
  if (!wanted_.races) return;
  block_state& b = *current_;
  const op_kind kind = a.what.op.kind;
  const bool copies = kind == op_kind::copy_async || kind == op_kind::copy_async_cg;
  if (way_of(kind) == way::read && !b.changes && !b.has_bulk_copies && b.polled.empty() && !b.may_be_copied(a.what)) {
    b.kept_reads.push_back({a.pc, a.warp, a.path, a.what});
    return;
  }
  if (!b.kept_reads.empty()) examine_reads();
  b.changes = true;
  examine(a, copies ? copying::by_threads : copying::none);
}

void hazard_checker::examine_reads() {
  emulate::shared_access a;
  for (const kept_read& r : current_->kept_reads) {
    a.pc = r.pc;
    a.warp = r.warp;
    a.path = r.path;
    a.what = r.what;
    examine(a, copying::none);
  }
  current_->kept_reads.clear();
}

// Leaves out lanes that access the system's part of memory, and lanes with a fault, which the emulator reports.
std::uint32_t hazard_checker::lanes_inside(const emulate::shared_access& a) const {
  const operation& op = a.what.op;
  std::uint32_t mask = addressing_lanes(a.what);
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const std::uint32_t at = a.what.address[std::countr_zero(m)];
    if (at < reserved_bytes_ || at > shared_bytes_ || shared_bytes_ - at < op.width_bytes) mask &= ~(m & (0u - m));
  }
  return mask;
}

// Reports each hazard of an instruction only once, even if several lanes or bytes have it.
void hazard_checker::report(const key& k, std::uint32_t first_thread, std::uint32_t thread, std::uint32_t address) {
  if (std::find(met_.begin(), met_.end(), k) != met_.end()) return;
  met_.push_back(k);
  seen& s = found_[k];
  if (s.count == 0 || block_ < s.block) s = {s.count, block_, first_thread, thread, address};
  ++s.count;
}

void hazard_checker::look_for_unwritten(const emulate::shared_access& a) {
  block_state& b = *current_;
  if (b.unwritten == 0) return;
  const way how = way_of(a.what.op.kind);
  const bool uses_old = how == way::read || (how == way::update && !parts_.writes.contains(a.pc));
  const std::uint32_t width = a.what.op.width_bytes, mask = lanes_inside(a);
  met_.clear();
  // A load may also read past the last variable, so only its bytes of this variable are looked at.
  for (std::uint32_t m = a.what.op.matrices == 0 ? a.what.mask : mask; m != 0 && uses_old; m &= m - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(m));
    const std::uint32_t address = a.what.address[lane], thread = a.warp * 32 + lane;
    if (address < reserved_bytes_ || address >= shared_bytes_) continue;
    const auto* const begin = b.written.data() + address;
    const std::size_t bytes = std::min(width, shared_bytes_ - address);
    if (const auto* const at = static_cast<const std::uint8_t*>(std::memchr(begin, 0, bytes)); at != nullptr)
      report({hazard_kind::uninitialised, hazard_cause::no_order, a.pc, a.pc}, thread, thread,
             address + static_cast<std::uint32_t>(at - begin));
  }
  for (std::uint32_t m = mask; m != 0 && how != way::read; m &= m - 1)
    b.set_written(a.what.address[std::countr_zero(m)], width);
}

void hazard_checker::examine(const emulate::shared_access& a, copying copies) {
  block_state& b = *current_;
  path_clocks& now = b.order.path(a.warp, a.path);
  const std::uint32_t number = ++b.accesses;
  const operation& op = a.what.op;
  const way how = way_of(op.kind);
  const bool of_mbarrier = copies == copying::of_mbarrier;
  const bool is_atomic = how == way::update || (how == way::read && (of_mbarrier || parts_.loads.contains(a.pc)));
  const std::uint32_t width = op.width_bytes;
  std::uint32_t mask = lanes_inside(a);
  met_.clear();
  const auto each_lane = [&](auto f) {
    for (std::uint32_t m = mask; m != 0; m &= m - 1) f(std::countr_zero(m), a.what.address[std::countr_zero(m)]);
  };
  const auto report_at = [&](hazard_kind kind, hazard_cause cause, const access_stamp& first, int lane,
                             std::uint32_t address) {
    report({kind, cause, first.pc, a.pc}, first.thread(), a.warp * 32 + static_cast<std::uint32_t>(lane), address);
  };

  if (how == way::read && !b.polled.empty())
    each_lane([&](int lane, std::uint32_t address) {
      if (!b.polled.contains(address)) return;
      join(now.events, b.meeting[address - 4]);
      mask &= ~(1u << lane);
    });

  // Programs use atomics with a result for locks and tickets. Such an atomic therefore orders its lanes after the lanes
  // of earlier atomics on the word.
  if (how == way::update && op.kind != op_kind::increment && (op.returns || op.kind != op_kind::atomic))
    each_lane([&](int, std::uint32_t address) {
      if (const auto it = b.meeting.find(address); it != b.meeting.end()) join(now.events, it->second);
    });
  access_stamp here = b.order.stamp(a.warp, a.pc, number);
  here.atomic = is_atomic;
  if (copies == copying::by_threads) b.order.begin_copies(a.warp);
  const bool is_asynchronous = copies == copying::in_bulk || copies == copying::by_products;
  const bool is_copy = copies == copying::by_threads || (copies == copying::in_bulk && how == way::read);
  if (copies == copying::in_bulk && how != way::read) b.order.make_bulk_copy(here);
  each_lane([&](int lane, std::uint32_t address) {
    // Two lanes that read a word find all that further lanes of the path would find.
    bool is_first = false;
    if (how == way::read) {
      block_state::lanes_of_word& those = b.lanes_of[address / 4 % b.lanes_of.size()];
      if (those.number != number || those.address != address) those = {number, address, 0};
      if (++those.count > 2) return;
      is_first = those.count == 1;
    }
    b.order.set_lane(here, lane, is_copy);
    if (copies == copying::by_products) b.order.make_product(here);
    if (copies == copying::by_threads) b.add_copied({here.group, a.pc}, address, width);
    const auto judge = [&](hazard_kind kind, const access_stamp& first, std::uint32_t at) {
      const known_order order = b.order.order(first, a.warp, lane, now);
      if (order == known_order::none) report_at(kind, hazard_cause::no_order, first, lane, at);
      if (order == known_order::in_step && !of_mbarrier) report_at(kind, hazard_cause::in_step, first, lane, at);
      return order;
    };
    b.each_cell(address, width, [&](cell& c, std::uint32_t at, std::uint32_t count) {
      // Two atomics do not race with each other, but an atomic races with an earlier plain write.
      const access_stamp& written = c.write.atomic && is_atomic ? c.plain : c.write;
      const auto word_of = [&](int of_lane) {
        const std::uint32_t offset = at - address;
        return reinterpret_cast<const std::byte*>(a.data[offset / 4] + of_lane) + offset % 4;
      };
      if (how == way::read) {
        // The second lane finds the same writes of other warps.
        const bool is_read_again = !is_first && (c.read[0].number == number || c.read[1].number == number);
        if (is_read_again && (b.order.is_old(written) || written.agent != a.warp)) {
          if (c.peer.number != number) c.peer = here;
          return;
        }
        const known_order order = judge(hazard_kind::read_after_write, written, at);
        const bool is_fenced = b.order.is_of_earlier_block(written) || written.agent >= most_ordered_warps ||
                               written.group != 0 || b.fenced[written.agent] >= written.clock;
        if (is_asynchronous && order == known_order::given && !is_fenced)
          report_at(hazard_kind::read_after_write, hazard_cause::no_async_fence, written, lane, at);
        access_stamp& to = b.order.is_before(c.read[0], a.warp, now) ? c.read[0] : c.read[1];
        if (to.agent == a.warp && to.clock == here.clock && to.meetings == here.meetings) c.peer = to;
        to = here;
        return;
      }
      const auto same_value = [&] {
        return a.data[(at - address) / 4] != nullptr && std::memcmp(a.shared + at, word_of(lane), count) == 0;
      };
      if (c.write.number == number) {  // another lane of this instruction
        const int other = c.write.lane;
        if (!is_atomic && copies == copying::none && a.data[(at - address) / 4] != nullptr &&
            a.what.address[other] == address && std::memcmp(word_of(other), word_of(lane), count) != 0)
          report_at(hazard_kind::write_after_write, hazard_cause::no_order, c.write, lane, at);
      } else if (b.order.order(written, a.warp, lane, now) != known_order::given && !same_value()) {
        judge(hazard_kind::write_after_write, written, at);
      }
      for (const access_stamp* r : {&c.read[0], &c.read[1], &c.peer})
        if (!(r->atomic && is_atomic)) judge(hazard_kind::write_after_read, *r, at);
      if (here.atomic && !c.write.atomic) c.plain = c.write;
      if (!here.atomic) c.plain.number = 0;
      c.write = here;
      for (access_stamp* r : {&c.read[0], &c.read[1], &c.peer}) r->number = 0;
    });
  });
  if (how == way::update && parts_.order_threads) {
    event_clocks all = now.events;
    all[a.warp] = std::max(all[a.warp], b.order.end_of_clock(a.warp));
    each_lane([&](int, std::uint32_t address) { join(b.meeting[address], all); });
  }
}

void hazard_checker::add(const hazard_checker& other) {
  for (const auto& [k, from] : other.found_) {
    seen& to = found_[k];
    const std::uint64_t count = to.count + from.count;
    if (to.count == 0 || from.block < to.block) to = from;
    to.count = count;
  }
}

}  // namespace bankwise
