#include "advise/memory/divided_memory.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

#include "advise/memory/memory_pieces.hpp"
#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise::advise {

namespace {

class divider {
 public:
  divider(const launch_report& l, const std::vector<expr::array_decl>& given, const source_text& source)
      : l_(l), given_(given), parts_(l, source) {}

  result<std::vector<divided_array>> run() {
    if (const auto wrong = take_given()) return *wrong;
    std::vector<piece> pieces;
    for (const shared_array& a : l_.arrays) {
      if (!a.name.empty() && !a.dynamic) {
        if (auto parts = parts_of(a); parts.empty())
          found_.push_back(declared(a));
        else
          std::move(parts.begin(), parts.end(), std::back_inserter(found_));
        continue;
      }
      if (auto p = piece_of(a)) pieces.push_back(std::move(*p));
    }
    join_pieces(l_, parts_, pieces);
    for (std::size_t i = 0; i < pieces.size(); ++i) found_.push_back(divided(pieces, i));
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.memory.dynamic, a.memory.begin) < std::tie(b.memory.dynamic, b.memory.begin);
    });
    return std::move(found_);
  }

 private:
  static divided_array declared(const shared_array& a) {
    divided_array d;
    d.memory = a;
    d.shape.name = a.name;
    d.stages = {a.begin / 4 * 4};
    d.stage_bytes = a.end - d.stages[0];
    return d;
  }

  // Divides a declared array into the members of a union, or into the arrays of the code's pointers. Returns an empty
  // list if it is unknown to which part an access belongs. Also returns an empty list if the declaration or --array
  // shows that the array is one part.
  std::vector<divided_array> parts_of(const shared_array& a) {
    if (a.phases.empty() || std::any_of(given_.begin(), given_.end(), [&](const auto& g) { return g.name == a.name; }))
      return {};
    std::vector<piece> pieces;
    for (const std::vector<std::size_t>& phase : a.phases) {
      shared_array some = a;
      some.sites = phase;
      auto p = piece_of(some, a.name);
      if (!p || !p->has_name() || parts_.is_memory(*p->names.begin())) return {};
      const auto same =
          std::find_if(pieces.begin(), pieces.end(), [&](const piece& other) { return other.names == p->names; });
      if (same == pieces.end())
        pieces.push_back(std::move(*p));
      else
        put_together(l_, *same, *p);
    }
    if (pieces.size() < 2) return {};
    std::vector<divided_array> parts;
    for (piece& p : pieces) p.memory.name = *p.names.begin();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const source::shared_pointer& declared = *parts_.find(pieces[i].memory.name);
      divided_array d = divided(pieces, i);
      d.is_part = true;
      if (declared.first_extent != 0 && !d.shape.type.empty()) {
        d.shape.extents = {declared.first_extent};
        d.shape.extents.insert(d.shape.extents.end(), declared.inner.begin(), declared.inner.end());
        d.has_declared_rows = true;
        d.is_pointed = false;
        d.is_member = true;
        d.memory.begin = a.begin;
        d.memory.end = a.begin + bytes_of(d.shape);
        d.stages = {a.begin / 4 * 4};
        d.stage_bytes = d.memory.end - d.stages[0];
        d.room = a.end - std::min(a.end, d.memory.end);
      }
      parts.push_back(std::move(d));
    }
    return parts;
  }

  // --- arrays of --array

  std::optional<diagnostic> take_given() {
    const std::uint64_t begin = l_.static_shared_bytes, bytes = l_.dynamic_shared_bytes;
    for (const expr::array_decl& g : given_) {
      if (g.places.empty()) continue;
      divided_array d;
      d.is_given = true;
      d.shape = g;
      d.stage_bytes = bytes_of(g) / g.places.size();
      d.memory.name = g.name;
      d.memory.dynamic = true;
      d.memory.declared_bytes = bytes_of(g);
      for (const std::uint64_t at : g.places) {
        if (at > bytes || d.stage_bytes > bytes - at)
          return diagnostic{
              formatted("{} {} @ {}: the array has {} bytes and ends after the {} bytes of dynamic shared memory",
                        worded(setting::array), g.name, grouped(at), grouped(d.stage_bytes), grouped(bytes)),
              {},
              "@ BYTE counts bytes from the start of the dynamic shared memory"};
        for (const auto& [from, to] : taken_)
          if (begin + at < to && from < begin + at + d.stage_bytes)
            return diagnostic{formatted("{} {} @ {}: the array overlaps the array of another {}",
                                        worded(setting::array), g.name, grouped(at), worded(setting::array))};
        d.stages.push_back(begin + at);
      }
      for (const std::uint64_t at : d.stages) taken_.emplace_back(at, at + d.stage_bytes);
      d.memory.begin = *std::min_element(d.stages.begin(), d.stages.end());
      d.memory.end = *std::max_element(d.stages.begin(), d.stages.end()) + d.stage_bytes;
      std::set<std::size_t> sites;
      for (const shared_array& a : l_.arrays)
        for (const std::size_t i : a.sites)
          if (a.dynamic && (!is_access(l_.sites[i]) || touches(d, l_.sites[i]))) sites.insert(i);
      std::erase_if(sites, [&](std::size_t i) { return !is_access(l_.sites[i]); });
      d.memory.sites.assign(sites.begin(), sites.end());
      found_.push_back(std::move(d));
    }
    return std::nullopt;
  }
  static bool touches(const divided_array& d, const site& s) {
    for (const recorded_access& r : s.accesses)
      for (u32 lane = 0; lane < lanes_per_warp; ++lane)
        if ((lanes_used(r.what) >> lane & 1) != 0 && d.offset_of(r.what.address[lane], r.what.op.width_bytes))
          return true;
    return false;
  }
  bool is_taken(std::uint64_t at) const {
    return std::any_of(taken_.begin(), taken_.end(), [&](const auto& t) { return t.first <= at && at < t.second; });
  }

  // --- pieces of undeclared memory

  // Returns nothing if --array declares all bytes of the array.
  std::optional<piece> piece_of(const shared_array& a, const std::string& memory = {}) {
    piece p;
    p.memory = a;
    p.memory.sites.clear();
    p.touched.resize((std::uint64_t{l_.static_shared_bytes} + l_.dynamic_shared_bytes + 3) / 4 + 1);
    std::vector<const recorded_access*> accesses;
    std::uint64_t begin = a.end, end = a.begin;
    for (const std::size_t i : a.sites) {
      const site& s = l_.sites[i];
      bool is_own = s.accesses.empty();
      for (const recorded_access& r : s.accesses) {
        const u32 used = lanes_used(r.what);
        bool inside = used != 0;
        for (u32 lane = 0; lane < lanes_per_warp && inside; ++lane)
          if ((used >> lane & 1) != 0)
            inside = r.what.address[lane] >= a.begin && r.what.address[lane] < a.end && !is_taken(r.what.address[lane]);
        if (!inside) continue;
        is_own = true;
        accesses.push_back(&r);
        for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
          if ((used >> lane & 1) == 0) continue;
          const std::uint64_t at = r.what.address[lane], to = at + r.what.op.width_bytes;
          begin = std::min(begin, at);
          end = std::max(end, to);
          for (std::uint64_t word = at / 4; word < std::min<std::uint64_t>((to + 3) / 4, p.touched.size()); ++word)
            p.touched[word] = true;
        }
        p.width = std::min<std::uint32_t>(p.width, r.what.op.width_bytes);
      }
      if (!is_own) continue;
      p.memory.sites.push_back(i);
    }
    if (p.memory.sites.empty()) return std::nullopt;
    p.names = parts_.allowed_by(p.memory.sites, memory);
    if (!accesses.empty()) {
      // Bytes between the arrays of --array belong to other arrays.
      if (!taken_.empty() || l_.accesses_kept == l_.accesses_seen) p.memory.begin = begin, p.memory.end = end;
      p.pitch = pitch_of(accesses);
    } else if (is_taken(a.begin)) {
      return std::nullopt;
    }
    return p;
  }

  // --- stages of an array

  divided_array divided(const std::vector<piece>& pieces, std::size_t index) const {
    const piece& p = pieces[index];
    divided_array d;
    d.memory = p.memory;
    d.shape.name = p.memory.name;
    if (const source::shared_pointer* const part = parts_.find(p.memory.name); part != nullptr) {
      // If accesses are narrower than elements, the code casts the elements to another type.
      if (part->element_bytes != 0 && part->element_bytes <= p.width) {
        d.shape.type = part->type;
        d.shape.element_bytes = part->element_bytes;
      }
      if (!part->inner.empty() && !d.shape.type.empty()) {
        add_rows(d, part->inner);
        d.has_declared_rows = !d.shape.extents.empty();
        d.is_pointed = d.has_declared_rows && !part->is_memory;
      }
    }
    // An element whose type is unknown is as wide as the accesses to it.
    if (d.shape.type.empty()) d.shape.element_bytes = p.width;
    for (std::size_t k = 0; k < pieces.size(); ++k)
      if (k != index && overlap(p.touched, pieces[k].touched))
        d.same_bytes.push_back(
            pieces[k].memory.name.empty()
                ? formatted("bytes {} to {}", grouped(pieces[k].memory.begin), grouped(pieces[k].memory.end - 1))
                : pieces[k].memory.name);
    find_stages(d, p, pieces, index);
    if (d.shape.extents.empty() && p.pitch != 0) add_rows(d, {p.pitch / d.shape.element_bytes});
    return d;
  }
  static void add_rows(divided_array& d, const std::vector<std::uint64_t>& inner) {
    std::uint64_t row = d.shape.element_bytes;
    for (const std::uint64_t n : inner) row *= n;
    const std::uint64_t bytes = d.stage_bytes != 0 ? d.stage_bytes : d.memory.end - d.memory.begin;
    if (row == 0 || row >= bytes) return;
    d.shape.extents = {(bytes + row - 1) / row};
    d.shape.extents.insert(d.shape.extents.end(), inner.begin(), inner.end());
  }

  // Finds stages. Other arrays may divide the bytes of an array into ranges. If each access is within one range, the
  // ranges are stages.
  void find_stages(divided_array& d, const piece& p, const std::vector<piece>& pieces, std::size_t index) const {
    d.stages = {p.memory.begin / 4 * 4};
    d.stage_bytes = p.memory.end - d.stages[0];
    std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
    bool interrupted = true;
    for (std::uint64_t word = p.memory.begin / 4; word * 4 < p.memory.end; ++word) {
      if (p.touched[word]) {
        if (interrupted) runs.emplace_back(word * 4, word * 4);
        runs.back().second = word * 4 + 4;
        interrupted = false;
        continue;
      }
      for (std::size_t k = 0; k < pieces.size() && !interrupted; ++k)
        interrupted = k != index && pieces[k].touched[word];
    }
    if (runs.size() < 2) return;
    divided_array staged = d;
    staged.stages.clear();
    staged.stage_bytes = 0;
    for (const auto& [from, to] : runs) {
      staged.stages.push_back(from);
      staged.stage_bytes = std::max(staged.stage_bytes, to - from);
    }
    for (std::size_t k = 1; k < runs.size(); ++k)
      if (runs[k].first - runs[k - 1].first < staged.stage_bytes) return;
    for (const std::size_t i : p.memory.sites)
      for (const recorded_access& r : l_.sites[i].accesses) {
        std::optional<std::size_t> in;
        for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
          if ((lanes_used(r.what) >> lane & 1) == 0) continue;
          const auto after = std::upper_bound(staged.stages.begin(), staged.stages.end(), r.what.address[lane]);
          const auto stage = static_cast<std::size_t>(after - staged.stages.begin());
          if (in && *in != stage) return;
          in = stage;
        }
      }
    d.stages = std::move(staged.stages);
    d.stage_bytes = staged.stage_bytes;
  }

  const launch_report& l_;
  const std::vector<expr::array_decl>& given_;
  named_parts parts_;
  std::vector<divided_array> found_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken_;
};

}  // namespace

std::optional<std::uint32_t> divided_array::offset_of(std::uint64_t at, std::uint64_t bytes) const {
  for (const std::uint64_t begin : stages)
    if (begin <= at && at + bytes <= begin + stage_bytes) return static_cast<std::uint32_t>(at - begin);
  return std::nullopt;
}

result<std::vector<divided_array>> arrays_of(const launch_report& l, const std::vector<expr::array_decl>& given,
                                             const source_text& source) {
  return divider(l, given, source).run();
}

}  // namespace bankwise::advise
