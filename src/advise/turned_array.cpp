#include "advise/turned_array.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "advise/instruction_family.hpp"

namespace bankwise::advise {

namespace {

constexpr u32 most_load_bytes = 16;

struct array_instruction {
  u32 group = 0;
  operation op{};
  patterned_instruction pattern;
};

std::vector<array_instruction> instructions_of(const problem& p) {
  std::map<std::pair<u32, u32>, array_instruction> found;
  for (const weighted_access& w : p.accesses) {
    array_instruction& i = found[{w.group, w.instruction}];
    i.group = w.group;
    i.op = w.what.op;
    i.pattern.executed += w.weight;
    i.pattern.accesses.push_back({w.what, w.weight});
  }
  std::vector<array_instruction> all;
  for (auto& [key, i] : found) {
    in_order(i.pattern.accesses);
    all.push_back(std::move(i));
    all.back().pattern.number = all.size() - 1;
  }
  return all;
}

// Returns the distance in bytes from a row to the next row: the distance between the first two instructions of a
// family. Returns 0 if no family has a suitable distance.
u32 row_that_shows(const std::vector<instruction_family>& all, u32 width) {
  for (const instruction_family& f : all) {
    if (f.size() < 2) continue;
    const std::int64_t step = std::next(f.begin())->first - f.begin()->first;
    if (step > width && step % width == 0) return static_cast<u32>(step);
  }
  return 0;
}

class turner {
 public:
  turner(const problem& p, u32 row, u32 width)
      : p_(p), row_(row), width_(width), count_(static_cast<u32>(p.bytes / row)) {}

  u32 at(u32 offset) const {
    return offset % row_ / width_ * count_ * width_ + offset / row_ * width_ + offset % width_;
  }

  access turned(const access& a, operation op, u32 first_byte = 0) const {
    access b{op, a.mask, {}};
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      if ((a.mask >> lane & 1) != 0) b.address[lane] = at(a.address[lane] + first_byte);
    return b;
  }

  // Splits an access that is wider than an element into accesses of its elements. Returns false if these elements are
  // not in one row.
  bool add(const array_instruction& i, problem& to, std::uint64_t& executed) const {
    const u32 bytes = i.op.width_bytes, parts = std::max(bytes / width_, 1u);
    if (bytes > width_ && i.op.kind != op_kind::load && i.op.kind != op_kind::store) return false;
    if (!all_addresses(i.pattern,
                       [&](u32 a) { return bytes <= width_ ? a % width_ + bytes <= width_ : a % width_ == 0; }) ||
        !all_addresses(i.pattern, [&](u32 a) { return a % row_ + bytes <= row_ && a + bytes <= p_.bytes; }))
      return false;
    operation op = i.op;
    if (parts > 1) op.width_bytes = static_cast<u8>(width_);
    for (u32 part = 0; part < parts; ++part)
      for (const recorded_access& r : i.pattern.accesses)
        to.accesses.push_back({turned(r.what, op, part * width_), r.count, i.group, 0, 0});
    executed += i.pattern.executed * parts;
    if (parts > 1) to.groups[i.group].op = {op, spell(op), true};
    return true;
  }

  u32 row_count() const { return count_; }

 private:
  const problem& p_;
  u32 row_, width_, count_;
};

// Returns loads of a thread that are one row apart, and that are `wide` adjacent bytes in the transposed array. Returns
// an empty list if there are none.
std::vector<const patterned_instruction*> to_be_wide(const instruction_family& f, std::int64_t first, u32 row,
                                                     u32 width, u32 wide) {
  const auto found = in_a_row(f, first, row, wide / width);
  const auto fits = [&](u32 a) { return a / row % (wide / width) == 0 && a % width == 0; };
  return !found.empty() && all_addresses(*found.front(), fits) ? found : std::vector<const patterned_instruction*>();
}

const answer& best_of(const advice& a) {
  const answer* best = &a.before;
  for (const answer& x : a.answers)
    if (x.plain && x.wavefronts < best->wavefronts) best = &x;
  return *best;
}

}  // namespace

std::optional<turned_array> turn(const problem& p, const effort& most) {
  if (!p.of_data.empty() || p.accesses.empty()) return std::nullopt;
  const std::vector<array_instruction> all = instructions_of(p);
  // The narrow loads that may become wide. The key is the width of the loads and their group.
  std::map<std::pair<u32, u32>, std::vector<patterned_instruction>> loads;
  for (const array_instruction& i : all)
    if (i.op.kind == op_kind::load && i.op.width_bytes >= 4 && i.op.width_bytes < most_load_bytes &&
        i.pattern.accesses.size() <= most_pattern_accesses)
      loads[{i.op.width_bytes, i.group}].push_back(i.pattern);
  if (loads.empty()) return std::nullopt;
  const u32 width = loads.begin()->first.first;
  std::map<u32, std::vector<instruction_family>> by_group;
  u32 row = p.pitch_bytes;
  for (const auto& [key, some] : loads) {
    if (key.first != width) return std::nullopt;
    by_group[key.second] = families_of(some);
    if (row == 0) row = row_that_shows(by_group[key.second], width);
  }
  if (row <= width || row % width != 0 || p.bytes % row != 0 || p.bytes / row < 2) return std::nullopt;

  const turner by(p, row, width);
  turned_array t;
  t.rows = by.row_count();
  t.columns = row / width;
  t.what = p;
  t.what.accesses.clear();
  t.what.as_it_is = {};
  t.what.element_bytes = width;
  t.what.pitch_bytes = t.rows * width;
  std::set<std::size_t> taken;
  for (auto& [group, list] : by_group)
    for (instruction_family& f : list)
      for (const u32 wide : {16u, 8u}) {
        if (wide <= width || t.what.pitch_bytes % wide != 0) continue;
        for (auto next = f.begin(); next != f.end();) {
          const auto these = to_be_wide(f, next->first, row, width, wide);
          if (these.empty()) {
            ++next;
            continue;
          }
          operation op = all[these.front()->number].op;
          t.before = {op, spell(op), true};
          op.width_bytes = static_cast<u8>(wide);
          t.after = {op, spell(op), true};
          t.what.groups[group].op = t.after;
          for (const recorded_access& r : these.front()->accesses)
            t.what.accesses.push_back({by.turned(r.what, op), r.count, group, 0, 0});
          const std::int64_t first = next->first;
          for (u32 k = 0; k < these.size(); ++k) {
            taken.insert(these[k]->number);
            f.erase(first + std::int64_t{k} * row);
          }
          t.instructions_before += static_cast<std::uint32_t>(these.size());
          t.instructions_after += 1;
          t.executed_after += these.front()->executed;
          next = f.upper_bound(first);
        }
      }
  if (taken.empty()) return std::nullopt;
  for (const array_instruction& i : all) {
    t.executed_before += i.pattern.executed;
    if (taken.contains(i.pattern.number)) continue;
    // The rows were only guessed from distances. A store that crosses a row shows that the guess is wrong.
    if (p.pitch_bytes == 0 && i.op.width_bytes > width) return std::nullopt;
    if (!by.add(i, t.what, t.executed_after)) return std::nullopt;
  }
  t.found = advise(t.what, most);
  t.best = best_of(t.found);
  return t;
}

bool is_better(const turned_array& t, const advice& as_it_is) {
  const std::uint64_t now = best_of(as_it_is).wavefronts;
  return std::tuple(t.best.wavefronts, t.executed_after) < std::tuple(now, t.executed_before);
}

}  // namespace bankwise::advise
