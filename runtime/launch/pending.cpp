#include "runtime/launch/pending.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "emulate/counting/counting.hpp"
#include "runtime/device/call_sites.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/code_facts.hpp"
#include "runtime/launch/copy_work.hpp"
#include "runtime/launch/library_work.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::size_t most_kept_bytes = std::size_t{256} << 20;  // limit of bytes that copies keep on the host
constexpr std::size_t most_in_round = 16;
constexpr unsigned program_constants = 3;  // number of the bank with __constant__ variables
constexpr std::size_t most_pending = std::size_t{1} << 16;
constexpr std::size_t most_looked_back = 256;  // number of pending operations that are compared with a launch

bool meet(const std::set<std::uint64_t>& a, const std::set<std::uint64_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::uint64_t x) { return b.count(x) != 0; });
}
// Whether the second operation reads memory that the first writes, or writes memory that the first reads or writes.
bool depends(const touched_memory& first, const touched_memory& second) {
  if (first.anything || second.anything) return true;
  return meet(first.writes, second.reads) || meet(first.writes, second.writes) || meet(first.reads, second.writes);
}

// Whether a pending operation must run before an operation that uses this memory.
bool is_awaited(const state& s, const touched_memory& t) {
  if (s.pending.empty()) return false;
  if (t.anything || s.pending_touches.anything != 0) return true;
  const auto any = [](const std::set<std::uint64_t>& of, const std::map<std::uint64_t, std::size_t>& in) {
    return std::any_of(of.begin(), of.end(), [&](std::uint64_t at) { return in.count(at) != 0; });
  };
  return any(t.reads, s.pending_touches.writes) || any(t.writes, s.pending_touches.writes) ||
         any(t.writes, s.pending_touches.reads);
}
// Whether an operation is small. When the program waits, small operations are computed until their common budget is
// used up.
constexpr std::uint64_t small_launch = 1u << 20, least_launch = 1u << 13;  // limits in warp instructions
constexpr std::uint64_t small_bytes = 1u << 20;                            // limit of a copy or fill in bytes
bool is_small(state& s, const touched_memory& t, std::uint64_t instructions) {
  const std::uint64_t cost = std::max(instructions, least_launch);
  if (s.options.counts_only || s.sampled || s.time.is_limited() || instructions > small_launch ||
      cost > s.room_for_small)
    return false;
  if (is_awaited(s, t) && !std::all_of(s.pending.begin(), s.pending.end(),
                                       [&](const pending_operation& o) { return o.small || !depends(o.touches, t); }))
    return false;
  s.room_for_small -= cost;
  return true;
}
void keep(state& s, pending_operation o) {
  s.pending_touches.add(o.touches);
  s.pending.push_back(std::move(o));
}

void add_regions(state& s, std::uint64_t address, std::uint64_t bytes, std::set<std::uint64_t>& to) {
  for (std::uint64_t at = address; at < address + bytes;) {
    const emulate::region* r = s.memory.find(at);
    if (r == nullptr) return;
    to.insert(r->address);
    at = r->address + r->bytes;
  }
}
bool is_seen_by_host(const emulate::region& r) { return reinterpret_cast<std::uint64_t>(r.data) == r.address; }

void perform(state& s, pending_operation& o) {
  if (const auto* c = std::get_if<call>(&o.what)) return compute(s, *c);
  if (auto* c = std::get_if<copy>(&o.what)) {
    if (!o.bytes.empty()) c->from = reinterpret_cast<std::uint64_t>(o.bytes.data());
    perform_copy(s, *c);
    return;
  }
  if (const auto* c = std::get_if<library_call>(&o.what)) return perform_library_call(s, *c);
  perform_fill(s, std::get<fill>(o.what));
}

std::uint64_t reach_of(const copy& c, std::size_t pitch, std::size_t slice) {
  return (c.depth - 1) * slice + (c.height - 1) * pitch + c.width;
}

touched_memory touched_by(state& s, const copy& c) {
  touched_memory t;
  add_regions(s, c.from, reach_of(c, c.from_pitch, c.from_slice), t.reads);
  add_regions(s, c.to, reach_of(c, c.to_pitch, c.to_slice), t.writes);
  return t;
}

bool same_launch(const call& a, const call& b) { return a.what == b.what && same_shape_and_arguments(a.how, b.how); }

// A sequence of launches that occurs several times in a row, as in programs that measure time. The members are the
// number of launches in the sequence, and the number of times that it occurs.
struct round_of_launches {
  std::size_t launches = 1, times = 1;
};
round_of_launches round_at(const std::vector<pending_operation>& all, std::size_t first) {
  const auto same = [&](std::size_t a, std::size_t b) {
    const auto *x = std::get_if<call>(&all[a].what), *y = std::get_if<call>(&all[b].what);
    return x != nullptr && y != nullptr && !all[a].touches.anything && same_launch(*x, *y);
  };
  for (std::size_t launches = 1; launches <= most_in_round; ++launches) {
    std::size_t end = first + launches;
    while (end < all.size() && same(end - launches, end)) ++end;
    const std::size_t times = (end - first) / launches;
    if (times >= 3) return {launches, times};
  }
  return {};
}
// Returns the contents of all memory that the sequence both reads and writes. The next repetition may depend on these
// contents. Returns nothing if there are too many bytes.
std::optional<std::string> contents_after(const state& s, const pending_operation* first, std::size_t launches) {
  std::set<std::uint64_t> written, read;
  for (std::size_t n = 0; n < launches; ++n) {
    written.insert(first[n].touches.writes.begin(), first[n].touches.writes.end());
    read.insert(first[n].touches.reads.begin(), first[n].touches.reads.end());
  }
  std::string bytes;
  for (const std::uint64_t at : written) {
    if (!read.contains(at)) continue;
    const emulate::region* r = s.memory.find(at);
    if (r == nullptr || r->data == nullptr || bytes.size() + r->bytes > most_kept_bytes) return {};
    bytes.append(reinterpret_cast<const char*>(r->data), r->bytes);
  }
  return bytes;
}

}  // namespace

touched_memory touched_by(state& s, const call& c) {
  touched_memory t;
  const auto add = [&](const sass::pointer_sources& from, std::set<std::uint64_t>& to) {
    t.anything |= from.unknown || from.may_be_loaded;
    for (const sass::constant_word& w : from.words) {
      // __constant__ variables may contain pointers. In other banks, only the addresses of variables are pointers.
      t.anything |= w.bank == program_constants;
      const std::uint64_t base = c.what->kernel->param_base;
      std::uint64_t value = 0;
      if (w.bank != 0 || w.offset % 8 != 0 || w.offset < base ||
          w.offset + sizeof value > base + c.how.parameters.size())
        continue;
      std::memcpy(&value, c.how.parameters.data() + (w.offset - base), sizeof value);
      const emulate::region* r = s.memory.find(value);
      if (r == nullptr) continue;
      to.insert(r->address);
      // A kernel can access memory beyond an allocation if the same mapping continues there. If there is such memory,
      // the kernel may use any allocation.
      t.anything |= s.memory.find(r->address + r->bytes) != nullptr;
      t.seen_by_host |= is_seen_by_host(*r);
    }
    // The code may contain the address of a variable as a number. So the kernel may use every variable of its module.
    for (const cubin::data_segment& d : c.what->owner->program->data) {
      to.insert(d.address);
      const emulate::region* r = s.memory.find(d.address);
      t.seen_by_host |= r != nullptr && is_seen_by_host(*r);
    }
  };
  const sass::global_pointers& p = pointers_of(*c.what);
  add(p.reads, t.reads);
  add(p.writes, t.writes);
  for (const std::uint64_t constants : c.what->owner->constants) t.reads.insert(constants);
  if (t.anything)
    t.seen_by_host = std::any_of(s.allocations.begin(), s.allocations.end(),
                                 [](const auto& a) { return a.second.kind != allocation_kind::device; });
  return t;
}

namespace {

// Runs the selected pending operations in order.
void settle(state& s, const std::vector<bool>& runs) {
  // The selected operations are removed first, because none of them may become pending again.
  std::vector<pending_operation> now, later;
  for (std::size_t n = 0; n < runs.size(); ++n) (runs[n] ? now : later).push_back(std::move(s.pending[n]));
  s.pending = std::move(later);
  for (const pending_operation& o : now) s.pending_touches.remove(o.touches);
  for (std::size_t n = 0; n < now.size();) {
    const round_of_launches round = round_at(now, n);
    std::optional<std::string> before;
    for (std::size_t time = 0; time < round.times && s.sticky == cudaSuccess; ++time) {
      for (std::size_t k = 0; k < round.launches && s.sticky == cudaSuccess; ++k) perform(s, now[n + k]);
      // If a repetition has the same input as the previous one, it has the same results. So the remaining repetitions
      // are skipped.
      if (time == 0 && round.times != 1) before = contents_after(s, &now[n], round.launches);
      if (time == 1 && before && contents_after(s, &now[n], round.launches) == before) break;
    }
    for (std::size_t k = 0; k < round.launches * round.times; ++k) s.kept_bytes -= now[n + k].bytes.size();
    n += round.launches * round.times;
  }
}

}  // namespace

void settle(state& s, const touched_memory& wanted) {
  if (!is_awaited(s, wanted)) return;
  std::vector<bool> runs(s.pending.size());
  touched_memory touched = wanted;  // memory of all operations that will run; it grows while operations are added
  for (std::size_t n = s.pending.size(); n-- != 0;) {
    const touched_memory& t = s.pending[n].touches;
    runs[n] = depends(t, touched);
    if (!runs[n]) continue;
    touched.reads.insert(t.reads.begin(), t.reads.end());
    touched.writes.insert(t.writes.begin(), t.writes.end());
    touched.anything |= t.anything;
  }
  settle(s, runs);
}

void settle_small(state& s) {
  std::vector<bool> runs(s.pending.size());
  for (std::size_t n = 0; n < runs.size(); ++n) runs[n] = s.pending[n].small;
  if (std::find(runs.begin(), runs.end(), true) != runs.end()) settle(s, runs);
}

void pending_touches::add(const touched_memory& t) {
  for (const std::uint64_t at : t.reads) ++reads[at];
  for (const std::uint64_t at : t.writes) ++writes[at];
  anything += t.anything;
}
void pending_touches::remove(const touched_memory& t) {
  const auto one_less = [](std::map<std::uint64_t, std::size_t>& of, std::uint64_t at) {
    if (const auto it = of.find(at); it != of.end() && --it->second == 0) of.erase(it);
  };
  for (const std::uint64_t at : t.reads) one_less(reads, at);
  for (const std::uint64_t at : t.writes) one_less(writes, at);
  anything -= t.anything;
}

void settle_all(state& s) {
  touched_memory all;
  all.anything = true;
  settle(s, all);
}

void settle(state& s, std::uint64_t address, std::uint64_t bytes, bool writes) {
  if (s.pending.empty()) return;
  touched_memory t;
  add_regions(s, address, bytes, writes ? t.writes : t.reads);
  settle(s, t);
}

namespace {

// Removes pending launches whose results are never read, because the memory for the results is freed. Then releases
// freed memory that no pending operation uses.
void collect(state& s) {
  std::vector<bool> drops(s.pending.size());
  std::set<std::uint64_t> read;
  bool anything = false;
  for (std::size_t n = s.pending.size(); n-- != 0;) {
    const touched_memory& t = s.pending[n].touches;
    drops[n] = !anything && !t.anything && std::all_of(t.writes.begin(), t.writes.end(), [&](std::uint64_t at) {
      return s.given_up.count(at) != 0 && read.count(at) == 0;
    });
    if (drops[n]) continue;
    anything |= t.anything;
    read.insert(t.reads.begin(), t.reads.end());
  }
  std::size_t n = 0;
  std::erase_if(s.pending, [&](const pending_operation& o) {
    if (drops[n]) {
      s.kept_bytes -= o.bytes.size();
      s.pending_touches.remove(o.touches);
    }
    return drops[n++];
  });
  std::set<std::uint64_t> touched;
  for (const pending_operation& o : s.pending) {
    if (o.touches.anything) return;
    touched.insert(o.touches.reads.begin(), o.touches.reads.end());
    touched.insert(o.touches.writes.begin(), o.touches.writes.end());
  }
  for (auto it = s.given_up.begin(); it != s.given_up.end();) {
    if (touched.count(it->first) != 0) {
      ++it;
      continue;
    }
    s.memory.release(it->first, std::move(it->second));
    it = s.given_up.erase(it);
  }
}

}  // namespace

void release_when_settled(state& s, std::uint64_t address) {
  s.given_up[address] = call_sites();
  const emulate::region* r = s.memory.find(address);
  // The host unmaps this memory, so operations that use it must run first.
  if (r != nullptr && is_seen_by_host(*r)) {
    touched_memory t;
    t.writes.insert(address);
    settle(s, t);
  }
  collect(s);
}

void release_kept(state& s) {
  settle_all(s);
  collect(s);
}

namespace {

// Whether the results of the launch exist already. This has three conditions: a pending launch of the same kernel has
// the same arguments, no operation between the two launches changes their memory, and the kernel does not change its
// own input. Programs that measure time make such launches.
bool is_repetition(const state& s, const call& c, const touched_memory& t) {
  if (t.anything || meet(t.reads, t.writes)) return false;
  std::size_t left = most_looked_back;
  for (auto o = s.pending.rbegin(); o != s.pending.rend() && left != 0; ++o, --left) {
    const auto* other = std::get_if<call>(&o->what);
    if (other != nullptr && same_launch(*other, c)) return true;
    if (depends(o->touches, t)) return false;
  }
  return false;
}

}  // namespace

void put_off(state& s, const call& c, touched_memory touches, std::uint64_t instructions) {
  if (is_repetition(s, c, touches)) return;
  if (s.pending.size() >= most_pending) settle_all(s);
  const bool small = is_small(s, touches, instructions);
  keep(s, {c, std::move(touches), {}, small});
}

bool put_off(state& s, const copy& c) {
  if (s.pending.empty()) return false;
  touched_memory t = touched_by(s, c);
  if (!is_awaited(s, t)) return false;
  const bool to_device = !t.writes.empty(), from_device = !t.reads.empty();
  const std::uint64_t bytes = reach_of(c, c.from_pitch, c.from_slice);
  const auto host_sees = [&](const std::set<std::uint64_t>& which) {
    return std::any_of(which.begin(), which.end(),
                       [&](std::uint64_t at) { return is_seen_by_host(*s.memory.find(at)); });
  };
  const bool to_host = !to_device || host_sees(t.writes);
  if (to_host && s.options.counts_only) {  // with --counts, the host gets zeros
    for (std::size_t z = 0; z < c.depth; ++z)
      for (std::size_t y = 0; y < c.height; ++y)
        std::memset(reinterpret_cast<std::byte*>(c.to) + z * c.to_slice + y * c.to_pitch, 0, c.width);
    return true;
  }
  // If the host can read the destination, the copy runs now. The copy also runs now if bankwise would otherwise have to
  // store too many bytes of host memory.
  if (to_host || (!from_device && s.kept_bytes + bytes > most_kept_bytes)) {
    settle(s, t);
    return false;
  }
  pending_operation o{c, t, {}};
  if (!from_device || host_sees(t.reads)) {
    settle(s, {.reads = t.reads});
    o.touches.reads.clear();
    const auto* from = reinterpret_cast<const std::byte*>(c.from);
    o.bytes.assign(from, from + bytes);
    s.kept_bytes += bytes;
  }
  o.small = bytes <= small_bytes && is_small(s, o.touches, 0);
  keep(s, std::move(o));
  return true;
}

bool put_off(state& s, const library_call& c) {
  if (s.pending.empty() && !s.options.counts_only) return false;
  touched_memory t;
  for (const memory_range& r : c.reads) add_regions(s, r.address, r.bytes, t.reads);
  for (const memory_range& r : c.writes) add_regions(s, r.address, r.bytes, t.writes);
  if (!c.host_results.empty()) {
    if (s.options.counts_only && is_awaited(s, t)) {
      for (const memory_range& r : c.host_results) std::memset(reinterpret_cast<void*>(r.address), 0, r.bytes);
      return true;
    }
    settle(s, t);
    return false;
  }
  if (!s.options.counts_only && !is_awaited(s, t)) return false;
  if (!s.options.counts_only && std::any_of(t.writes.begin(), t.writes.end(),
                                            [&](std::uint64_t at) { return is_seen_by_host(*s.memory.find(at)); })) {
    settle(s, t);
    return false;
  }
  if (s.pending.size() >= most_pending) settle_all(s);
  keep(s, {c, std::move(t), {}});
  return true;
}

bool put_off(state& s, const fill& f) {
  if (s.pending.empty()) return false;
  touched_memory t;
  add_regions(s, f.to, (f.depth - 1) * f.slice + (f.height - 1) * f.pitch + f.width * f.element_bytes, t.writes);
  if (!is_awaited(s, t)) return false;
  if (std::any_of(t.writes.begin(), t.writes.end(),
                  [&](std::uint64_t at) { return is_seen_by_host(*s.memory.find(at)); })) {
    settle(s, t);
    return false;
  }
  const bool small = f.width * f.element_bytes * f.height * f.depth <= small_bytes && is_small(s, t, 0);
  keep(s, {f, std::move(t), {}, small});
  return true;
}

}  // namespace bankwise::cuda
