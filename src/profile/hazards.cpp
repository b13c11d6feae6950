#include "profile/hazards.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

namespace bankwise {

namespace {

constexpr unsigned most_warps = 32, lanes = 32;

// A set of events, such as the events that happened before an operation. It contains, for each warp, the warp's events
// up to this clock.
using warp_clocks = std::array<std::uint32_t, most_warps>;

void join(warp_clocks& to, const warp_clocks& from) {
  for (unsigned i = 0; i < most_warps; ++i) to[i] = std::max(to[i], from[i]);
}

// The lanes of a path, and the events that happened before the next operation of all these lanes.
struct path_clocks {
  std::uint32_t members = 0;  // mask of the lanes; 0 if the entry is free
  warp_clocks warps{};
  std::array<std::uint32_t, lanes> own{};  // clock of each lane of the path's own warp
};

struct warp_state {
  std::vector<path_clocks> paths;
  std::array<std::uint8_t, lanes> path_of{};
  std::array<std::uint32_t, lanes> lane_clock{};
  std::uint32_t clock = 1;
};

// An access to a word. If the bytes of the word were accessed differently, an access to one byte.
struct stamp {
  std::uint64_t pc = 0;
  std::uint32_t clock = 0, lane_clock = 0;  // `clock` is 0 if there was no access
  std::uint8_t warp = 0, lane = 0;
  bool atomic = false;

  std::uint32_t thread() const { return warp * 32u + lane; }
};
// The last write to a cell, and the last reads after it. If no barrier orders two reads, both are kept. `plain`: the
// last write that is not atomic.
struct cell {
  stamp write, read[2], plain;
};

constexpr std::uint32_t whole = ~0u;

enum class way : std::uint8_t { read, write, update };

way way_of(op_kind k) {
  switch (k) {
    case op_kind::load:
    case op_kind::ldmatrix: return way::read;
    case op_kind::store:
    case op_kind::stmatrix:
    case op_kind::copy_async:
    case op_kind::copy_async_cg: return way::write;
    default: return way::update;
  }
}

}  // namespace

struct hazard_checker::block_state {
  std::vector<warp_state> warps;
  std::vector<cell> words;
  std::vector<std::uint32_t> bytes_of;  // for each word: `whole`, or an index into `bytes`
  std::vector<std::array<cell, 4>> bytes;
  std::vector<std::uint8_t> written;  // whether each byte was written
  std::array<warp_clocks, 16> barriers{};
  // clocks of each mbarrier and of each word that atomics access, by address
  std::map<std::uint32_t, warp_clocks> meeting;
  std::set<std::uint32_t> polled;  // addresses of the words of mbarriers that plain loads poll
  warp_clocks ended{};

  void begin(std::uint32_t warp_count, std::uint32_t shared_bytes, const checks& wanted) {
    warps.assign(warp_count, {});
    for (warp_state& w : warps) {
      w.paths.assign(1, {});
      w.paths[0].members = ~0u;
      w.paths[0].own.fill(1);
      w.lane_clock.fill(1);
    }
    if (wanted.races) {
      words.assign((shared_bytes + 3) / 4, {});
      bytes_of.assign(words.size(), whole);
      bytes.clear();
    }
    if (wanted.uninitialised) written.assign(shared_bytes, 0);
    barriers = {};
    meeting.clear();
    polled.clear();
    ended = {};
  }

  // Finds or creates the path of exactly these lanes. The path is new if lanes have left a path, or if lanes of several
  // paths have joined.
  path_clocks& path(std::uint32_t warp, std::uint32_t members) {
    warp_state& w = warps[warp];
    if (path_clocks& same = w.paths[w.path_of[std::countr_zero(members)]]; same.members == members) return same;
    path_clocks all;
    all.members = members;
    for (std::uint32_t rest = members; rest != 0;) {
      path_clocks& from = w.paths[w.path_of[std::countr_zero(rest)]];
      const std::uint32_t here = from.members & members;
      rest &= ~from.members;
      join(all.warps, from.warps);
      for (unsigned i = 0; i < lanes; ++i) all.own[i] = std::max(all.own[i], from.own[i]);
      from.members &= ~members;
      if (from.members == 0) continue;
      // `from` divides into two paths. Operations before the division are ordered before all later operations of both
      // paths. Later operations of the two paths are not ordered, so each lane gets a new clock.
      for (std::uint32_t apart = from.members | here; apart != 0; apart &= apart - 1) {
        const int lane = std::countr_zero(apart);
        ++w.lane_clock[lane];
        if ((from.members >> lane & 1) != 0) from.own[lane] = w.lane_clock[lane];
      }
    }
    for (std::uint32_t m = members; m != 0; m &= m - 1)
      all.own[std::countr_zero(m)] = w.lane_clock[std::countr_zero(m)];
    const auto free = std::find_if(w.paths.begin(), w.paths.end(), [](const path_clocks& p) { return p.members == 0; });
    const auto at = static_cast<std::size_t>(free - w.paths.begin());
    if (free == w.paths.end()) w.paths.emplace_back();
    w.paths[at] = all;
    for (std::uint32_t m = members; m != 0; m &= m - 1) w.path_of[std::countr_zero(m)] = static_cast<std::uint8_t>(at);
    return w.paths[at];
  }

  void release(std::uint32_t warp, const path_clocks& from, warp_clocks& to) {
    join(to, from.warps);
    to[warp] = std::max(to[warp], warps[warp].clock++);
  }

  static bool is_before(const stamp& s, std::uint32_t warp, const path_clocks& now) {
    return s.clock == 0 || now.warps[s.warp] >= s.clock || (s.warp == warp && now.own[s.lane] >= s.lane_clock);
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

hazard_checker::hazard_checker(const checks& wanted, std::uint32_t warps, std::uint32_t shared_bytes,
                               std::uint32_t reserved_bytes, const atomic_parts& parts)
    : wanted_(wanted), parts_(parts), warps_(warps), shared_bytes_(shared_bytes), reserved_bytes_(reserved_bytes) {}

hazard_checker::~hazard_checker() = default;

void hazard_checker::on_block(std::uint64_t block) {
  block_ = block;
  std::unique_ptr<block_state>& state = blocks_[block];
  if (state == nullptr) {
    state = spare_ != nullptr ? std::move(spare_) : std::make_unique<block_state>();
    state->begin(warps_, shared_bytes_, wanted_);
  }
  current_ = state.get();
}

void hazard_checker::on_order(const emulate::ordering& o) {
  using kind = emulate::order_kind;
  block_state& b = *current_;
  const auto path = [&]() -> path_clocks& { return b.path(o.warp, o.lanes); };
  switch (o.kind) {
    case kind::meet: path(); break;
    case kind::arrive: b.release(o.warp, path(), b.barriers[o.number]); break;
    case kind::leave: {
      path_clocks& p = path();
      join(p.warps, b.barriers[o.number]);
      // A barrier with a number of threads waits for arrivals only. The end of a thread does not arrive there.
      if (o.of_all) join(p.warps, b.ended);
      break;
    }
    case kind::open: b.barriers[o.number] = {}; break;
    case kind::ended: {
      path_clocks& p = path();
      b.release(o.warp, p, b.ended);
      p.members = 0;
      break;
    }
    case kind::release: b.release(o.warp, path(), b.meeting[o.number]); break;
    case kind::acquire: join(path().warps, b.meeting[o.number]); break;
    case kind::make:
      if (wanted_.uninitialised) std::fill_n(b.written.begin() + o.number, 8, std::uint8_t{1});
      break;
    case kind::poll: b.polled.insert(o.number + 4); break;
    case kind::write:
    case kind::read: {
      // The operation is checked as if each requesting lane accessed 16 bytes.
      emulate::shared_access piece;
      piece.pc = o.pc;
      piece.warp = o.warp;
      piece.path = o.lanes;
      piece.what.op = o.kind == kind::write ? st(16) : ld(16);
      piece.what.mask = o.lanes & (0u - o.lanes);
      for (std::uint32_t done = 0; done < o.bytes; done += 16) {
        piece.what.address[std::countr_zero(o.lanes)] = o.number + done;
        examine(piece);
      }
      break;
    }
    case kind::foreign_write:  // no barrier orders the write and the accesses of this block
      if (wanted_.uninitialised) std::fill_n(b.written.begin() + o.number, o.bytes, std::uint8_t{1});
      break;
    case kind::end:
      spare_ = std::move(blocks_[block_]);
      blocks_.erase(block_);
      current_ = nullptr;
      break;
  }
}

void hazard_checker::on_access(const emulate::shared_access& a) {
  if (a.what.mask != 0) examine(a);
}

void hazard_checker::examine(const emulate::shared_access& a) {
  block_state& b = *current_;
  path_clocks& now = b.path(a.warp, a.path);
  const operation& op = a.what.op;
  const way how = way_of(op.kind);
  const bool is_atomic = how == way::update || (how == way::read && parts_.loads.contains(a.pc));
  const bool uses_old = how == way::read || (how == way::update && !parts_.writes.contains(a.pc));
  const std::uint32_t width = op.width_bytes;
  std::uint32_t mask = a.what.mask;
  if (op.matrices != 0 && op.matrices < 4) mask &= (1u << 8 * op.matrices) - 1;
  // Skips lanes that access the system's part of memory. Also skips lanes with a fault, because the emulator reports
  // faults.
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const std::uint32_t at = a.what.address[std::countr_zero(m)];
    if (at < reserved_bytes_ || at > shared_bytes_ || shared_bytes_ - at < width) mask &= ~(m & (0u - m));
  }
  const auto each_lane = [&](auto f) {
    for (std::uint32_t m = mask; m != 0; m &= m - 1) f(std::countr_zero(m), a.what.address[std::countr_zero(m)]);
  };

  // Reports each hazard of an instruction only once, even if several lanes or bytes have it.
  std::vector<key> met;
  const auto report = [&](hazard_kind kind, const stamp& first, int lane, std::uint32_t address) {
    const key k{kind, first.pc, a.pc};
    if (std::find(met.begin(), met.end(), k) != met.end()) return;
    met.push_back(k);
    seen& s = found_[k];
    if (s.count == 0 || block_ < s.block)
      s = {s.count, block_, first.thread(), a.warp * 32 + static_cast<std::uint32_t>(lane), address};
    ++s.count;
  };

  if (wanted_.uninitialised)
    each_lane([&](int lane, std::uint32_t address) {
      for (std::uint32_t i = address; i < address + width; ++i) {
        if (uses_old && b.written[i] == 0)
          report(hazard_kind::uninitialised,
                 {a.pc, 0, 0, static_cast<std::uint8_t>(a.warp), static_cast<std::uint8_t>(lane), false}, lane, i);
      }
    });
  if (wanted_.uninitialised && how != way::read)
    each_lane([&](int, std::uint32_t address) { std::fill_n(b.written.begin() + address, width, std::uint8_t{1}); });
  if (!wanted_.races) return;

  if (how == way::read && !b.polled.empty())
    each_lane([&](int lane, std::uint32_t address) {
      if (!b.polled.contains(address)) return;
      join(now.warps, b.meeting[address - 4]);
      mask &= ~(1u << lane);
    });

  // Programs use atomics with a result for locks and tickets. Such an atomic therefore orders its lanes after the lanes
  // of earlier atomics on the word.
  const warp_state& w = b.warps[a.warp];
  if (how == way::update && op.kind != op_kind::increment && (op.returns || op.kind != op_kind::atomic))
    each_lane([&](int, std::uint32_t address) {
      if (const auto it = b.meeting.find(address); it != b.meeting.end()) join(now.warps, it->second);
    });
  each_lane([&](int lane, std::uint32_t address) {
    const stamp here{
        a.pc,     w.clock, w.lane_clock[lane], static_cast<std::uint8_t>(a.warp), static_cast<std::uint8_t>(lane),
        is_atomic};
    const auto before = [&](const stamp& s) { return block_state::is_before(s, a.warp, now); };
    b.each_cell(address, width, [&](cell& c, std::uint32_t at, std::uint32_t count) {
      // Two atomics do not race with each other, but an atomic races with an earlier plain write.
      const stamp& written = c.write.atomic && is_atomic ? c.plain : c.write;
      if (how == way::read) {
        if (!before(written)) report(hazard_kind::read_after_write, written, lane, at);
        stamp& to = before(c.read[0]) ? c.read[0] : c.read[1];
        to = here;
        return;
      }
      const auto same_value = [&] {
        const std::uint32_t offset = at - address;
        return a.data[offset / 4] != nullptr &&
               std::memcmp(a.shared + at, reinterpret_cast<const std::byte*>(a.data[offset / 4] + lane) + offset % 4,
                           count) == 0;
      };
      if (!before(written) && !same_value()) report(hazard_kind::write_after_write, written, lane, at);
      for (const stamp& r : c.read)
        if (!(r.atomic && is_atomic) && !before(r)) report(hazard_kind::write_after_read, r, lane, at);
      c = {here, {}, here.atomic ? (c.write.atomic ? c.plain : c.write) : stamp()};
    });
  });
  if (how == way::update) {
    warp_clocks all = now.warps;
    all[a.warp] = std::max(all[a.warp], b.warps[a.warp].clock++);
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
