#include "advise/other_instructions.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "advise/instruction_family.hpp"
#include "bankwise/ability.hpp"

namespace bankwise::advise {

namespace {

// if no wavefronts are saved, 1/20 of the launch's instructions must be saved
constexpr std::uint64_t least_part = 20;
constexpr u32 row_lanes = 4, rows = 8, row_bytes = 16;  // shape of a matrix of ldmatrix and stmatrix

// Reads the accesses of a site. Returns nothing if the accesses have no pattern, if only a sample was kept, or if some
// accesses were to other memory.
std::optional<patterned_instruction> read(const site& s, std::size_t number) {
  if (!is_access(s) || s.accesses.empty() || s.accesses.size() > most_pattern_accesses) return std::nullopt;
  if (s.op.op.kind != op_kind::load && s.op.op.kind != op_kind::store) return std::nullopt;
  if (depends_on_data(s)) return std::nullopt;
  std::uint64_t kept = 0;
  for (const recorded_access& r : s.accesses) kept += r.count;
  if (kept != s.executed) return std::nullopt;
  patterned_instruction i{number, s.executed, s.accesses};
  in_order(i.accesses);
  return i;
}

// Returns the distance in bytes from a row of a fragment to the next row. In a fragment, lane l accesses word l % 4 of
// row l / 4. Returns nothing if the access is not to a fragment.
std::optional<u32> fragment_pitch(const access& a) {
  if (a.mask != full_mask || a.op.width_bytes != 4 || a.address[0] % row_bytes != 0) return std::nullopt;
  const u32 pitch = a.address[row_lanes] - a.address[0];
  if (pitch % row_bytes != 0) return std::nullopt;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if (a.address[lane] != a.address[0] + lane / row_lanes * pitch + lane % row_lanes * 4) return std::nullopt;
  return pitch;
}

class finder {
 public:
  finder(const launch_report& l, const machine& on) : l_(l), on_(on) {}

  std::vector<other_instructions> find() {
    std::map<std::tuple<std::string, std::string, std::uint32_t, std::string>, std::vector<patterned_instruction>>
        lines;
    for (std::size_t n = 0; n < l_.sites.size(); ++n) {
      const site& s = l_.sites[n];
      if (auto i = s.line != 0 ? read(s, n) : std::nullopt)
        lines[{s.function, s.file, s.line, s.op.spelling}].push_back(std::move(*i));
    }
    for (const auto& [line, all] : lines) {
      for (instruction_family& f : families_of(all)) {
        if (is_matrix_fragment(f)) {
          as_matrices(f);
        } else {
          for (const u32 width : {16u, 8u}) widen(f, width);
        }
      }
    }
    std::erase_if(found_, [&](const other_instructions& o) {
      return o.wavefronts_after > o.wavefronts_before ||
             (o.wavefronts_after == o.wavefronts_before &&
              (o.executed_before - o.executed_after) * least_part < l_.sum.warp_instructions);
    });
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
      return a.wavefronts_before - a.wavefronts_after > b.wavefronts_before - b.wavefronts_after;
    });
    return std::move(found_);
  }

 private:
  const site& site_of(const patterned_instruction& i) const { return l_.sites[i.number]; }

  std::uint64_t cost(const patterned_instruction& i, const auto& changed) const {
    std::uint64_t sum = 0;
    for (const recorded_access& r : i.accesses) sum += r.count * analyze(changed(r.what), on_.model).wavefronts;
    return sum;
  }

  // Records that one instruction can replace several instructions.
  void note(const std::vector<const patterned_instruction*>& of, operation after, const auto& changed) {
    const site& s = site_of(*of.front());
    const std::string spelled = spell(after);
    auto at = std::find_if(found_.begin(), found_.end(), [&](const other_instructions& o) {
      return o.file == s.file && o.line == s.line && o.before.spelling == s.op.spelling && o.after.spelling == spelled;
    });
    if (at == found_.end()) {
      found_.push_back({.kernel = l_.name, .file = s.file, .line = s.line, .text = s.text, .before = s.op});
      at = found_.end() - 1;
      at->after = {after, spelled, true};
    }
    at->instructions_before += static_cast<std::uint32_t>(of.size());
    at->instructions_after += 1;
    at->executed_after += s.executed;
    at->wavefronts_after += cost(*of.front(), changed);
    for (const patterned_instruction* i : of) {
      at->executed_before += i->executed;
      at->wavefronts_before += cost(*i, [](const access& a) { return a; });
      at->sites.push_back({site_of(*i).function, site_of(*i).pc});
    }
  }

  // Finds instructions of the family that one instruction with `bytes` bytes per lane can replace, and removes them
  // from the family.
  void widen(instruction_family& f, u32 width) {
    if (f.empty()) return;
    const operation one = site_of(*f.begin()->second).op.op;
    if (one.width_bytes >= width) return;
    const auto parts = static_cast<std::int64_t>(width / one.width_bytes);
    for (auto at = f.begin(); at != f.end();) {
      const auto side_by_side = in_a_row(f, at->first, one.width_bytes, static_cast<u32>(parts));
      const bool fits =
          !side_by_side.empty() && all_addresses(*at->second, [&](u32 address) { return address % width == 0; });
      if (!fits) {
        ++at;
        continue;
      }
      operation wide = one;
      wide.width_bytes = static_cast<u8>(width);
      note(side_by_side, wide, [&](access a) {
        a.op = wide;
        return a;
      });
      const std::int64_t first = at->first;
      for (std::int64_t k = 0; k < parts; ++k) f.erase(first + k * one.width_bytes);
      at = f.upper_bound(first);
    }
  }

  bool is_matrix_fragment(const instruction_family& f) const {
    const operation one = site_of(*f.begin()->second).op.op;
    const ability needed = one.kind == op_kind::load ? ability::ldmatrix : ability::stmatrix;
    return can(number_of(on_.name.c_str()), needed) && !one.generic &&
           std::all_of(f.begin(), f.end(), [](const auto& member) {
             const patterned_instruction& i = *member.second;
             return std::all_of(i.accesses.begin(), i.accesses.end(),
                                [](const recorded_access& r) { return fragment_pitch(r.what).has_value(); });
           });
  }
  // Replaces four instructions at once where possible, then pairs, then single instructions.
  void as_matrices(const instruction_family& f) {
    const bool loads = site_of(*f.begin()->second).op.op.kind == op_kind::load;
    std::vector<std::pair<std::int64_t, const patterned_instruction*>> left(f.begin(), f.end());
    for (const u32 count : {4u, 2u, 1u})
      while (left.size() >= count) {
        std::vector<const patterned_instruction*> of;
        std::array<std::int64_t, 4> from{};
        for (u32 m = 0; m < count; ++m) {
          of.push_back(left[m].second);
          from[m] = left[m].first - left[0].first;
        }
        const operation matrices = loads ? ldmatrix(count) : stmatrix(count);
        note(of, matrices, [&](const access& a) {
          const u32 pitch = *fragment_pitch(a);
          access b{matrices, full_mask, {}};
          for (u32 lane = 0; lane < lanes_per_warp; ++lane)
            b.address[lane] = static_cast<u32>(a.address[0] + from[lane / rows % count]) + lane % rows * pitch;
          return b;
        });
        left.erase(left.begin(), left.begin() + count);
      }
  }

  const launch_report& l_;
  const machine& on_;
  std::vector<other_instructions> found_;
};

}  // namespace

std::vector<other_instructions> find_other_instructions(const launch_report& l, const machine& on) {
  if (!l.has_accesses || l.accesses_kept < l.accesses_seen) return {};
  return finder(l, on).find();
}

}  // namespace bankwise::advise
