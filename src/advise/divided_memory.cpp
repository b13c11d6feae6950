#include "advise/divided_memory.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "source/shared_pointers.hpp"

namespace bankwise::advise {

namespace {

using word_set = std::vector<bool>;  // one bit for each four bytes of the block's shared memory

struct piece {
  shared_array memory;
  word_set touched;
  std::uint32_t width = 16, pitch = 0;
  std::set<std::string> names;  // names that the source lines allow; empty if any name is possible

  bool has_name() const { return names.size() == 1; }
};

bool overlap(const word_set& a, const word_set& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] && b[i]) return true;
  return false;
}

// Whether two pieces use the same bytes in different ways.
bool contradict(const piece& a, const piece& b) {
  return overlap(a.touched, b.touched) && (a.width != b.width || (a.pitch != b.pitch && a.pitch != 0 && b.pitch != 0));
}

// The distances of lanes from the first lane. All copies of an instruction in an unrolled loop have the same distances.
std::vector<std::int64_t> pattern_of(const site& s) {
  std::vector<std::int64_t> pattern;
  if (s.accesses.empty()) return pattern;
  const access& a = s.accesses.front().what;
  const u32 used = lanes_used(a);
  std::optional<std::int64_t> first;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if ((used >> lane & 1) == 0) continue;
    if (!first) first = a.address[lane];
    pattern.push_back(lane);
    pattern.push_back(a.address[lane] - *first);
  }
  return pattern;
}

class divider {
 public:
  divider(const launch_report& l, const std::vector<expr::array_decl>& given, const source_text& source)
      : l_(l), given_(given), source_(source) {}

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
    eliminate(pieces);
    merge(pieces);
    name(pieces);
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

  // Divides a declared array into the members of a union, or into the arrays that pointers with different names make of
  // bytes. Nothing if the code does not show which accesses belong to which array, or if --array or the declaration
  // says that it is one array.
  std::vector<divided_array> parts_of(const shared_array& a) {
    if (a.phases.empty() || std::any_of(given_.begin(), given_.end(), [&](const auto& g) { return g.name == a.name; }))
      return {};
    std::vector<piece> pieces;
    for (const std::vector<std::size_t>& phase : a.phases) {
      shared_array some = a;
      some.sites = phase;
      auto p = piece_of(some, a.name);
      if (!p || !p->has_name() || is_memory(*p->names.begin())) return {};
      const auto same =
          std::find_if(pieces.begin(), pieces.end(), [&](const piece& other) { return other.names == p->names; });
      if (same == pieces.end())
        pieces.push_back(std::move(*p));
      else
        put_together(*same, *p);
    }
    if (pieces.size() < 2) return {};
    std::vector<divided_array> parts;
    for (piece& p : pieces) p.memory.name = *p.names.begin();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const source::shared_pointer& declared = parts_.at(pieces[i].memory.name);
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
              formatted("{} {} @ {}: its {} bytes end after the {} bytes of dynamic shared memory",
                        worded(setting::array), g.name, grouped(at), grouped(d.stage_bytes), grouped(bytes)),
              {},
              "@ BYTE counts bytes from the start of the dynamic shared memory"};
        for (const auto& [from, to] : taken_)
          if (begin + at < to && from < begin + at + d.stage_bytes)
            return diagnostic{formatted("{} {} @ {}: it overlaps another {}", worded(setting::array), g.name,
                                        grouped(at), worded(setting::array))};
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
    p.names = allowed_by(p.memory.sites, memory);
    if (!accesses.empty()) {
      // Bytes between declared arrays belong to other arrays.
      if (!taken_.empty() || l_.accesses_kept == l_.accesses_seen) p.memory.begin = begin, p.memory.end = end;
      p.pitch = pitch_of(accesses);
    } else if (is_taken(a.begin)) {
      return std::nullopt;
    }
    return p;
  }

  // The names that are on all lines. Because a compiler moves instructions, nearly all lines are enough.
  std::set<std::string> allowed_by(const std::vector<std::size_t>& sites, const std::string& memory) {
    std::map<std::string, std::size_t> lines_with;
    std::size_t lines = 0;
    for (const std::size_t i : sites) {
      const std::vector<std::string> names = names_of(l_.sites[i], memory);
      lines += names.empty() ? 0 : 1;
      for (const std::string& n : names) ++lines_with[n];
    }
    std::set<std::string> all, most;
    for (const auto& [n, count] : lines_with) {
      if (count == lines) all.insert(n);
      if (count * 4 >= lines * 3) most.insert(n);
    }
    return all.empty() ? most : all;
  }

  const source::shared_pointers* pointers_at(const std::string& file, std::uint32_t line) {
    if (file.empty() || line == 0 || !source_) return nullptr;
    auto& all = pointers_[file];
    for (const auto& one : all)
      if (one->covers(line)) return one.get();
    const auto [text, is_new] = texts_.try_emplace(file);
    if (is_new) text->second = source_(file);
    if (!text->second) return nullptr;
    return all.emplace_back(std::make_unique<source::shared_pointers>(*text->second, line, l_.kernel)).get();
  }
  // The names for parts of the memory that an instruction's line uses. For an inlined function, also the line of its
  // call.
  std::vector<std::string> names_of(const site& s, const std::string& memory) {
    for (const auto& [file, line] : {std::pair(s.file, s.line), std::pair(s.outer_file, s.outer_line)})
      if (const source::shared_pointers* known = pointers_at(file, line)) {
        std::vector<std::string> names = known->on_line(line);
        std::erase_if(names, [&](const std::string& n) {
          const source::shared_pointer* const part = known->find(n);
          return part == nullptr || part->memory != memory;
        });
        if (names.empty()) continue;
        for (const source::shared_pointer& p : known->parts()) parts_.try_emplace(p.name, p);
        return names;
      }
    return {};
  }
  bool is_memory(const std::string& name) const {
    const auto at = parts_.find(name);
    return at != parts_.end() && at->second.is_memory;
  }
  // Whether the code has names for parts of the memory.
  bool names_parts() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const auto& p) { return !p.second.is_memory; });
  }

  // Removes names that certainly belong to other pieces, if exactly one name remains.
  static void eliminate(std::vector<piece>& pieces) {
    for (bool changed = true; changed;) {
      changed = false;
      std::set<std::string> taken;
      for (const piece& p : pieces)
        if (p.has_name()) taken.insert(*p.names.begin());
      for (piece& p : pieces) {
        if (p.names.size() < 2) continue;
        std::set<std::string> left;
        std::set_difference(p.names.begin(), p.names.end(), taken.begin(), taken.end(),
                            std::inserter(left, left.end()));
        if (left.size() != 1) continue;
        p.names = left;
        changed = true;
      }
    }
  }

  bool is_between(const std::vector<piece>& pieces, const piece& a, const piece& b) const {
    const std::uint64_t from = std::min(a.memory.end, b.memory.end), to = std::max(a.memory.begin, b.memory.begin);
    return std::any_of(pieces.begin(), pieces.end(), [&](const piece& p) {
      return &p != &a && &p != &b && p.memory.begin >= from && p.memory.end <= to && p.has_name() &&
             !(a.has_name() && p.names == a.names);
    });
  }
  // Whether each instruction of a piece has a counterpart in the other piece: on the same line, with the same distances
  // of lanes.
  bool are_rounds(const piece& a, const piece& b) const {
    const auto has_like = [&](std::size_t i, const piece& other) {
      const site& s = l_.sites[i];
      return std::any_of(other.memory.sites.begin(), other.memory.sites.end(), [&](std::size_t k) {
        const site& o = l_.sites[k];
        return s.line != 0 && s.line == o.line && s.file == o.file && s.op.spelling == o.op.spelling &&
               pattern_of(s) == pattern_of(o);
      });
    };
    const auto all = [&](const piece& x, const piece& y) {
      return std::all_of(x.memory.sites.begin(), x.memory.sites.end(), [&](std::size_t i) { return has_like(i, y); });
    };
    return all(a, b) && all(b, a);
  }
  bool are_one(const std::vector<piece>& pieces, const piece& a, const piece& b) const {
    if (a.memory.dynamic != b.memory.dynamic || contradict(a, b)) return false;
    if (a.has_name() && b.has_name()) {
      if (a.names != b.names) return false;
      // A line that uses only the name of the whole memory may use any part of it.
      if (!is_memory(*a.names.begin()) || !names_parts()) return true;
      return overlap(a.touched, b.touched) || are_rounds(a, b) || !is_between(pieces, a, b);
    }
    const bool may_be =
        a.names.empty() || b.names.empty() ||
        std::any_of(a.names.begin(), a.names.end(), [&](const std::string& n) { return b.names.count(n) != 0; });
    return may_be && (overlap(a.touched, b.touched) || are_rounds(a, b));
  }

  void merge(std::vector<piece>& pieces) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < pieces.size(); ++i)
        for (std::size_t k = i + 1; k < pieces.size();) {
          if (!are_one(pieces, pieces[i], pieces[k])) {
            ++k;
            continue;
          }
          put_together(pieces[i], pieces[k]);
          pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(k));
          changed = true;
        }
    }
  }
  void put_together(piece& to, const piece& from) const {
    to.memory.begin = std::min(to.memory.begin, from.memory.begin);
    to.memory.end = std::max(to.memory.end, from.memory.end);
    std::set<std::size_t> sites(to.memory.sites.begin(), to.memory.sites.end());
    sites.insert(from.memory.sites.begin(), from.memory.sites.end());
    to.memory.sites.assign(sites.begin(), sites.end());
    for (std::size_t i = 0; i < to.touched.size(); ++i) to.touched[i] = to.touched[i] || from.touched[i];
    to.width = std::min(to.width, from.width);
    if (to.names.empty() || (from.has_name() && !to.has_name())) to.names = from.names;
    std::vector<const recorded_access*> accesses;
    for (const std::size_t i : to.memory.sites)
      for (const recorded_access& r : l_.sites[i].accesses) accesses.push_back(&r);
    to.pitch = pitch_of(accesses);
  }

  // If there is only one array in the memory, gives it the name of the memory.
  void name(std::vector<piece>& pieces) const {
    std::map<std::string, std::size_t> used;
    for (const piece& p : pieces)
      if (p.has_name()) ++used[*p.names.begin()];
    const auto dynamic = std::count_if(pieces.begin(), pieces.end(), [](const piece& p) { return p.memory.dynamic; });
    for (piece& p : pieces) {
      if (p.has_name() && (!is_memory(*p.names.begin()) || used[*p.names.begin()] == 1))
        p.memory.name = *p.names.begin();
      else if (dynamic != 1)
        p.memory.name.clear();
    }
  }

  // --- stages of an array

  divided_array divided(const std::vector<piece>& pieces, std::size_t index) const {
    const piece& p = pieces[index];
    divided_array d;
    d.memory = p.memory;
    d.shape.name = p.memory.name;
    if (const auto at = parts_.find(p.memory.name); at != parts_.end()) {
      // If elements are wider than the accesses, the code casts them to another type.
      if (at->second.element_bytes != 0 && at->second.element_bytes <= p.width) {
        d.shape.type = at->second.type;
        d.shape.element_bytes = at->second.element_bytes;
      }
      if (!at->second.inner.empty() && !d.shape.type.empty()) {
        add_rows(d, at->second.inner);
        d.has_declared_rows = !d.shape.extents.empty();
        d.is_pointed = d.has_declared_rows && !at->second.is_memory;
      }
    }
    // The components of a packed element are unknown.
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

  // Finds stages. Other arrays may divide the bytes of an array into several ranges. The ranges are stages if each
  // access is within one range.
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
          const auto behind = std::upper_bound(staged.stages.begin(), staged.stages.end(), r.what.address[lane]);
          const auto stage = static_cast<std::size_t>(behind - staged.stages.begin());
          if (in && *in != stage) return;
          in = stage;
        }
      }
    d.stages = std::move(staged.stages);
    d.stage_bytes = staged.stage_bytes;
  }

  const launch_report& l_;
  const std::vector<expr::array_decl>& given_;
  const source_text& source_;
  std::vector<divided_array> found_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken_;
  std::map<std::string, std::vector<std::unique_ptr<source::shared_pointers>>> pointers_;
  std::map<std::string, std::optional<std::string>> texts_;
  std::map<std::string, source::shared_pointer> parts_;
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

std::uint32_t pitch_of(const std::vector<const recorded_access*>& accesses) {
  std::map<std::uint32_t, std::uint64_t> strides;
  std::uint32_t width = 16;
  for (const recorded_access* r : accesses) {
    const u32 used = lanes_used(r->what);
    width = std::min<std::uint32_t>(width, r->what.op.width_bytes);
    // The smallest distance between neighbouring lanes with different addresses.
    std::optional<std::uint32_t> nearest;
    for (u32 lane = 1; lane < lanes_per_warp; ++lane) {
      if ((used >> lane & used >> (lane - 1) & 1) == 0) continue;
      const u32 a = r->what.address[lane - 1], b = r->what.address[lane], stride = a < b ? b - a : a - b;
      if (stride != 0) nearest = std::min(nearest.value_or(stride), stride);
    }
    if (nearest && *nearest > r->what.op.width_bytes) strides[*nearest] += r->count;
  }
  if (strides.empty()) return 0;
  const auto [pitch, weight] = *std::max_element(strides.begin(), strides.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second, b.first) < std::tie(b.second, a.first);
  });
  // A stride that grows from step to step belongs to a reduction, so it is not the length of a row.
  constexpr std::size_t most_strides = 3;
  if (strides.size() > most_strides || pitch % width != 0) return 0;
  for (const auto& [stride, n] : strides)
    if (stride % pitch != 0 && pitch % stride != 0) return 0;
  return pitch;
}

}  // namespace bankwise::advise
