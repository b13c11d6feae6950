#include "runtime/launch/repeated_launches.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/device/allocations.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/operation_races.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::uint64_t digested_bytes = std::uint64_t{1} << 16;  // each piece of an allocation has its own digest
// Number of bytes whose digests take about as long as the execution of a warp instruction.
constexpr std::uint64_t bytes_an_instruction = 64;
constexpr std::uint64_t most_changed_bytes = std::uint64_t{128} << 20;  // limit of the changes in all records
constexpr std::size_t most_of_a_kernel = 1024;                          // number of different launches of a kernel
constexpr unsigned most_misses = 8;            // a record is dropped after this number of misses
constexpr std::size_t most_allocations = 256;  // number of allocations of a launch

// Device memory that the stand-in allocated for the program is at these addresses. Only operations of the device change
// this memory.
constexpr std::uint64_t own_begin = emulate::allocation_base, own_end = 0x0000'7500'0000'0000;

bool is_owned(const state& s, const emulate::region& r) {
  return r.address >= own_begin && r.address < own_end && reinterpret_cast<std::uint64_t>(r.data) != r.address &&
         !s.imported.contains(r.address);
}
// Whether the contents of the region can be compared. Memory that other processes may change, and memory that the
// program itself maps, is not read.
bool is_comparable(const state& s, const emulate::region& r) {
  const bool is_of_module = r.address >= cubin::data_base && r.address < emulate::parameter_base;
  if (is_of_module || is_owned(s, r)) return true;
  const allocation* const a = allocation_of(s, pointer_to(r.address)).second;
  return a != nullptr && a->file < 0 && (a->kind == allocation_kind::host || a->kind == allocation_kind::managed);
}

std::span<const std::byte> piece_of(const emulate::region& r, std::size_t n) {
  const std::uint64_t begin = n * digested_bytes;
  return {r.data + begin, std::min(digested_bytes, r.bytes - begin)};
}
std::vector<digest> digests_of(const emulate::region& r) {
  std::vector<digest> all((r.bytes + digested_bytes - 1) / digested_bytes);
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = digest_of(piece_of(r, n));
  return all;
}

// Contents of the constant banks of the kernel's module.
std::string banks_of(const state& s, const function& f) {
  std::string bytes;
  for (const std::uint64_t at : f.owner->constants)
    if (const emulate::region* const r = s.memory.find(at); r != nullptr)
      bytes.append(reinterpret_cast<const char*>(r->data), r->bytes);
  return bytes;
}

std::uint64_t cleared_at(const state& s, std::uint64_t address) {
  return s.memory.written == nullptr ? 0 : s.memory.written->cleared_at(address);
}

// Returns the region that begins at the address, or null.
const emulate::region* region_at(const state& s, std::uint64_t address) {
  const emulate::region* const r = s.memory.find(address);
  return r != nullptr && r->address == address ? r : nullptr;
}

}  // namespace

repeated_launches& the_repeated_launches() {
  static repeated_launches& all = *new repeated_launches;  // never destroyed, like the state
  return all;
}

bool may_repeat_launches(const state& s) {
  const run_options& o = s.options;
  return !o.repeats_launches && !o.looks_for_faults && !o.strict_bounds && !o.counts_only && o.ctas == 0 &&
         o.total_budget == 0 && !s.traces && !s.shares && !s.sampled && !is_any_parked(s);
}

repeated_launches::key repeated_launches::key_of(const call& c, const emulate::launch& l, bool counts) {
  const emulate::launch& how = c.how;
  const bool follows = the_operation_races().follows_launches(the_state());
  key k;
  const auto add = [&](const auto& value) { k.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (const auto& extent : {how.grid, how.block, how.cluster}) add(extent);
  add(how.dynamic_shared_bytes);
  add(l.stack_bytes);
  k += static_cast<char>('0' + how.large_clusters + 2 * how.cooperative + 4 * counts + 8 * follows);
  k.append(reinterpret_cast<const char*>(how.parameters.data()), how.parameters.size());
  return k;
}

repeated_launches::known_launch& repeated_launches::at(const call& c, const emulate::launch& l, bool counts) {
  std::map<key, known_launch>& of_kernel = all_[c.what];
  key k = key_of(c, l, counts);
  if (of_kernel.size() == most_of_a_kernel && !of_kernel.contains(k)) {
    for (auto& [other, known] : of_kernel) drop(known);
    of_kernel.clear();
  }
  return of_kernel[std::move(k)];
}

void repeated_launches::drop(known_launch& k) {
  if (!k.last) return;
  for (const piece& p : k.last->changed) kept_bytes_ -= p.bytes.size();
  k.last.reset();
}

void repeated_launches::forget(const function& f) {
  const auto it = all_.find(&f);
  if (it == all_.end()) return;
  for (auto& [k, known] : it->second) drop(known);
  all_.erase(it);
}

void repeated_launches::forget_all() {
  all_.clear();
  kept_bytes_ = 0;
}

std::uint64_t repeated_launches::version_of(const state& s, const emulate::region& r) {
  if (!is_owned(s, r)) return 0;
  std::uint64_t& version = versions_[r.address];
  if (version == 0) version = ++last_version_;
  return version;
}

void repeated_launches::note_change(const state& s, std::uint64_t address, std::uint64_t bytes) {
  for (const std::uint64_t end = address + bytes; address < end;) {
    const emulate::region* const r = s.memory.find(address);
    if (r == nullptr) return;
    versions_[r->address] = ++last_version_;
    address = r->address + r->bytes;
  }
}

// Whether all memory that the recorded launch used has the same contents as before the recorded launch.
bool repeated_launches::is_same_input(const state& s, record& r, std::uint64_t instructions) {
  std::uint64_t unknown_bytes = 0;
  std::vector<const contents*> unknown;
  for (const contents& c : r.before) {
    const emulate::region* const now = region_at(s, c.address);
    if (now == nullptr || now->bytes != c.bytes || c.cleared != cleared_at(s, c.address)) return false;
    const std::uint64_t version = version_of(s, *now);
    if ((version == 0) != (c.version == 0)) return false;
    if (version != 0 && version == c.version) continue;
    unknown_bytes += c.bytes;
    unknown.push_back(&c);
  }
  if (unknown_bytes / bytes_an_instruction > instructions) return false;
  for (const contents* const c : unknown) {
    const emulate::region& now = *region_at(s, c->address);
    for (std::size_t n = 0; n < c->pieces.size(); ++n)
      if (digest_of(piece_of(now, n)) != c->pieces[n]) return false;
    // The allocation gets the version that it had with these contents. Other records then also know these contents.
    if (c->version != 0) versions_[c->address] = c->version;
  }
  return true;
}

const launch_effect* repeated_launches::repeat(state& s, const call& c, const emulate::launch& l, bool counts) {
  const auto of_kernel = all_.find(c.what);
  if (of_kernel == all_.end()) return nullptr;
  const auto it = of_kernel->second.find(key_of(c, l, counts));
  if (it == of_kernel->second.end() || !it->second.last) return nullptr;
  known_launch& known = it->second;
  record& r = *known.last;
  if (r.constants != banks_of(s, *c.what) || !is_same_input(s, r, known.instructions)) {
    if (++known.misses == most_misses) drop(known);
    return nullptr;
  }
  for (const piece& p : r.changed)
    std::memcpy(s.memory.bytes_at(p.address, p.bytes.size()), p.bytes.data(), p.bytes.size());
  for (const contents& a : r.after) versions_[a.address] = a.version;
  known.least = 1;
  known.misses = 0;
  return &r.effect;
}

watched_launch::watched_launch(state& s, const call& c, const emulate::launch& l, emulate::launch_hooks& hooks,
                               bool counts, use u)
    : s_(s), instructions_before_(s.executed) {
  for (auto* const print : {&hooks.print, &hooks.print_error})
    if (*print) *print = [this, real = std::move(*print)](std::string_view text) { other_effects_ = true, real(text); };
  if (hooks.launch)
    hooks.launch = [this, real = std::move(hooks.launch)](emulate::child_launch child) {
      other_effects_ = true;
      return real(std::move(child));
    };
  if (hooks.set_condition)
    hooks.set_condition = [this, real = std::move(hooks.set_condition)](std::uint64_t handle, std::uint32_t value) {
      other_effects_ = true;
      return real(handle, value);
    };
  if (hooks.idle)
    hooks.idle = [this, real = std::move(hooks.idle)](bool changed) { return waited_ = true, real(changed); };
  if (u != use::none) known_ = &the_repeated_launches().at(c, l, counts);
  if (u == use::repeats) begin_record(c);
  the_repeated_launches().uses_.start();
}

// Stores the contents of the memory that the launch is expected to use. This is the memory that the last equal launch
// used.
void watched_launch::begin_record(const call& c) {
  if (!known_->uses || known_->executed < known_->least) return;
  std::uint64_t bytes = 0;
  for (const std::uint64_t address : *known_->uses) {
    const emulate::region* const r = region_at(s_, address);
    if (r == nullptr || !is_comparable(s_, *r)) return;
    bytes += r->bytes;
  }
  if (2 * bytes / bytes_an_instruction > known_->instructions * known_->executed) return;
  the_repeated_launches().drop(*known_);
  records_ = true;
  made_.emplace();
  made_->constants = banks_of(s_, *c.what);
  for (const std::uint64_t address : *known_->uses) {
    const emulate::region& r = *region_at(s_, address);
    made_->before.push_back({r.address, r.bytes, the_repeated_launches().version_of(s_, r), digests_of(r)});
  }
}

watched_launch::~watched_launch() {
  if (!ended_) the_repeated_launches().note_changes();
  the_repeated_launches().uses_.stop();
}

void watched_launch::end(bool is_plain) {
  ended_ = true;
  // Another operation may have run while the launch waited, so the uses are not those of the launch alone.
  if (waited_ || is_any_parked(s_)) {
    made_.reset();
    known_ = nullptr;
    the_repeated_launches().note_changes();
    return;
  }
  const std::vector<const emulate::region*> used = this->used();
  const bool repeatable = known_ != nullptr && is_plain && !other_effects_ && used.size() <= most_allocations &&
                          !the_repeated_launches().uses_.heap();
  if (known_ != nullptr) {
    known_->uses.reset();
    if (repeatable) known_->uses.emplace();
    if (repeatable)
      for (const emulate::region* const r : used) known_->uses->push_back(r->address);
    known_->instructions = s_.executed - instructions_before_;
    ++known_->executed;
  }
  if (!repeatable) made_.reset();
  const auto is_recorded = [&](const emulate::region* r) {
    return std::any_of(made_->before.begin(), made_->before.end(),
                       [&](const contents& c) { return c.address == r->address; });
  };
  if (made_ && !std::all_of(used.begin(), used.end(), is_recorded)) made_.reset();
  if (made_) return find_changes(used);
  for (const emulate::region* const r : used) the_repeated_launches().note_change(s_, r->address, r->bytes);
}

// The allocations that the launch used. The parameters are not included, because each launch writes them first.
std::vector<const emulate::region*> watched_launch::used() const {
  std::vector<const emulate::region*> list;
  for (const std::uint64_t address : the_repeated_launches().uses_.regions())
    if (const emulate::region* const r = region_at(s_, address); r != nullptr && address != emulate::parameter_base)
      list.push_back(r);
  return list;
}

// Finds the pieces that the launch changed.
void watched_launch::find_changes(const std::vector<const emulate::region*>& used) {
  std::uint64_t changed_bytes = 0;
  bool is_complete = true;
  for (const emulate::region* const r : used) {
    const auto before = std::find_if(made_->before.begin(), made_->before.end(),
                                     [&](const contents& c) { return c.address == r->address; });
    const std::vector<digest> after = digests_of(*r);
    if (after == before->pieces) continue;
    the_repeated_launches().note_change(s_, r->address, r->bytes);
    made_->after.push_back({r->address, r->bytes, the_repeated_launches().version_of(s_, *r), {}});
    // The host may have changed this memory itself, and may change it again.
    is_complete &= is_owned(s_, *r);
    for (std::size_t n = 0; n < after.size() && is_complete; ++n) {
      if (after[n] == before->pieces[n]) continue;
      const std::span<const std::byte> bytes = piece_of(*r, n);
      changed_bytes += bytes.size();
      is_complete &= the_repeated_launches().kept_bytes_ + changed_bytes <= most_changed_bytes;
      if (is_complete) is_complete = keep_piece(r->address + n * digested_bytes, bytes);
    }
  }
  if (!is_complete) made_.reset();
}

// Returns false if there is not enough memory. The program must not notice that a record was tried.
bool watched_launch::keep_piece(std::uint64_t address, std::span<const std::byte> bytes) {
  try {
    made_->changed.push_back({address, {bytes.begin(), bytes.end()}});
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void watched_launch::keep(const launch_effect& effect) {
  if (known_ == nullptr || !records_) return;
  // If the record turns out to be useless, the next one is made after twice the number of launches.
  known_->executed = 0;
  known_->least *= 2;
  if (!made_) return;
  for (contents& c : made_->before) c.cleared = cleared_at(s_, c.address);
  made_->effect = effect;
  made_->effect.instructions = known_->instructions;
  for (const repeated_launches::piece& p : made_->changed) the_repeated_launches().kept_bytes_ += p.bytes.size();
  known_->last = std::move(made_);
  known_->misses = 0;
}

}  // namespace bankwise::cuda
