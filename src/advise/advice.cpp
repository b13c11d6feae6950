// Searches layouts. The families that change little in a source are tried first. The search stops when no better layout
// is possible.
#include "advise/advice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "advise/search/evaluator.hpp"
#include "advise/search/linear_search.hpp"
#include "advise/search/swizzles.hpp"
#include "bankwise/ability.hpp"
#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise::advise {

namespace {

// A hardware swizzle of TMA and wgmma. In rows of `span` bytes, it exchanges chunks of 16 bytes or pairs of chunks.
struct hardware_swizzle {
  u32 span;
  swizzle permute;
};
constexpr hardware_swizzle hardware_swizzles[] = {{128, {3, 4, 3}}, {64, {2, 4, 3}}, {32, {1, 4, 3}}, {128, {2, 5, 2}}};

struct layout_choice {
  relayout layout;
  std::optional<swizzle> permute;
};

class adviser {
 public:
  adviser(const problem& p, const effort& most, const std::function<void(std::uint64_t, std::uint64_t)>& progress)
      : p_(p),
        most_(most),
        progress_(progress),
        e_(p),
        of_data_(only_of_data(p)),
        row_bytes_(u32{p.on.model.banks} * p.on.model.bank_bytes) {}

  advice run() {
    a_.granule = e_.granule();
    a_.blocks_known = blocks_with(p_, p_.bytes).has_value();
    a_.floor = e_.floor();
    a_.floor_of_data = of_data_.floor();
    a_.floor_by_group = e_.floor_by_group();
    a_.granule_floor = e_.granule_floor();
    a_.before = finished({family::as_it_is, p_.as_it_is, {}});
    a_.executed_by_group.assign(p_.groups.size(), 0);
    for (const evaluator* e : {&e_, &of_data_})
      for (const weighted_access& w : e->accesses()) a_.executed_by_group[w.group] += w.weight;
    best_ = a_.before.wavefronts;
    a_.before.plain = true;
    if (best_ > a_.floor) {
      for (const family_search& s : searches)
        if ((!s.only_if_needed || best_ > a_.granule_floor) && !most_.is_stopped()) (this->*s.find)();
    }
    for (const family_report& f : a_.families) {
      if (!f.best || f.best->wavefronts >= a_.before.wavefronts || f.best->of_data > a_.before.of_data) continue;
      // If a box is as wide as the tile, its swizzle is already in the list.
      const auto same = [&](const answer& other) { return other.layout == f.best->layout; };
      if (std::none_of(a_.answers.begin(), a_.answers.end(), same)) a_.answers.push_back(*f.best);
    }
    rank();
    if (!most_.explains || most_.is_stopped()) return std::move(a_);
    try_paddings();
    if (best_ > a_.floor)
      a_.why_not_lower = find_obstacle(p_, e_, a_.answers.empty() ? p_.as_it_is : a_.answers[0].layout);
    return std::move(a_);
  }

 private:
  // The families, in the order of the search. The last families take long. They are searched only if they can be better
  // than the best layout so far.
  struct family_search {
    void (adviser::*find)();
    bool only_if_needed = false;
  };
  static const family_search searches[7];

  void rank() {
    std::uint64_t best = ~std::uint64_t{0};
    for (const answer& x : a_.answers)
      if (x.plain) best = std::min(best, x.wavefronts);
    const auto key = [&](const answer& x) {
      const bool as_good = x.wavefronts <= best || (x.wavefronts - best) * 20 <= best;
      const bool loses_blocks = x.blocks < a_.before.blocks;
      const int tier = !x.plain ? 2 : as_good ? 0 : 1;
      return std::tuple(tier, tier == 0 ? 0 : x.wavefronts, loses_blocks, edit_of(x), x.wavefronts, x.bytes);
    };
    std::stable_sort(a_.answers.begin(), a_.answers.end(),
                     [&](const answer& x, const answer& y) { return key(x) < key(y); });
  }

  int edit_of(const answer& a) const {
    const family_facts& facts = facts_of(a.kind);
    return p_.pitch_bytes == 0 ? facts.edit_without_rows : facts.edit;
  }

  // Whether a layout is simple. A padding is simple if it is small, and follows either rows or a round number of
  // elements. An xor is simple if it has at most three terms.
  bool is_plain(const relayout& l) const {
    if (l.terms.size() > 3) return false;
    if (l.every == 0) return true;
    if (l.every == p_.pitch_bytes) return l.gap <= p_.pitch_bytes;
    const u32 elements = l.every / p_.element_bytes;
    const bool round = std::has_single_bit(elements) || (p_.pitch_bytes != 0 && l.every % p_.pitch_bytes == 0);
    return l.every % p_.element_bytes == 0 && l.gap % p_.element_bytes == 0 && round && elements >= 8 &&
           l.gap <= l.every / 4;
  }

  static problem only_of_data(problem p) {
    p.accesses = p.of_data;
    return p;
  }
  answer finished(answer a) {
    a.by_group = e_.by_group(a.layout);
    const std::vector<std::uint64_t> others = of_data_.by_group(a.layout);
    a.wavefronts = a.of_data = 0;
    for (const std::uint64_t w : a.by_group) a.wavefronts += w;
    for (const std::uint64_t w : others) a.of_data += w;
    for (std::size_t g = 0; g < others.size(); ++g) a.by_group[g] += others[g];
    a.bytes = bytes_after(a.layout, p_.bytes) * p_.stages;
    a.plain = is_plain(a.layout);
    if (const auto fits = blocks_with(p_, a.bytes)) a.blocks = *fits;
    return a;
  }

  // Tries all layouts. If several layouts are the best, keeps the first.
  template <class ForEach>
  void search(family kind, std::string scope, const ForEach& each) {
    family_report f{kind, 0, true, std::move(scope), {}};
    std::optional<layout_choice> best;
    std::uint64_t fewest = ~std::uint64_t{0};
    bool is_plainest = false;
    each([&](layout_choice c) {
      if (e_.judged() > most_.accesses || most_.is_stopped()) {
        f.exhaustive = false;
        return false;
      }
      if (!is_declarable(p_, bytes_after(c.layout, p_.bytes) * p_.stages)) return true;
      ++f.tried;
      if (progress_ && f.tried % 16 == 0) progress_(e_.judged(), most_.accesses);
      // A simple layout is preferred to a layout that costs a few per cent less.
      const bool now_plain = is_plain(c.layout);
      const std::uint64_t limit = best && is_plainest && !now_plain   ? fewest - fewest / 20 - 1
                                  : best && !is_plainest && now_plain ? fewest + fewest / 20
                                                                      : fewest - 1;
      const std::uint64_t n = e_.wavefronts(c.layout, limit);
      if (n > limit || of_data_.wavefronts(c.layout, a_.before.of_data) > a_.before.of_data) return true;
      fewest = n;
      is_plainest = now_plain;
      best = std::move(c);
      // Whether the search must continue, because a layout with fewer wavefronts or a simpler layout is possible.
      return fewest > a_.granule_floor || !is_plainest;
    });
    if (f.tried == 0 && f.exhaustive) return;
    if (best) {
      f.best = finished({kind, best->layout, best->permute});
      best_ = std::min(best_, f.best->wavefronts);
    }
    a_.families.push_back(std::move(f));
  }

  void row_padding() {
    if (p_.pitch_bytes == 0 || p_.pitch_bytes >= p_.bytes || p_.pitch_bytes % e_.granule() != 0) return;
    const u32 step = e_.granule();
    search(family::row_padding,
           formatted("rows of {} to {} bytes, in steps of {} bytes", grouped(p_.pitch_bytes + step),
                     grouped(p_.pitch_bytes + row_bytes_ - step), step),
           [&](const auto& consider) {
             // The first layout to try is the array without its existing padding.
             if (p_.as_it_is.every != 0 && !consider({{}, {}})) return;
             for (u32 gap = step; gap < row_bytes_; gap += step)
               if (!consider({{.every = p_.pitch_bytes, .gap = gap}, {}})) return;
           });
  }

  // Tries all paddings to show the effect of each padding.
  void try_paddings() {
    const u32 step = e_.granule(), every = p_.pitch_bytes != 0 ? p_.pitch_bytes : row_bytes_;
    if (every >= p_.bytes || every % step != 0 || row_bytes_ % step != 0) return;
    const std::size_t accesses = e_.accesses().size() + of_data_.accesses().size();
    if (accesses > most_.accesses / (row_bytes_ / step)) return;
    a_.paddings = {every, step, {}};
    a_.paddings.by_group.push_back(finished({family::padding, {}, {}}).by_group);
    const u32 tried = row_bytes_ / step;
    for (u32 i = 1; i < tried && !most_.is_stopped(); ++i)
      a_.paddings.by_group.push_back(
          finished({family::padding, relayout{.every = every, .gap = i * step}, {}}).by_group);
  }

  // Returns the periods after which inserted free bytes may help: powers of two, and the distances between neighbouring
  // lanes.
  std::vector<u32> periods() const {
    std::set<u32> all;
    for (u32 every = e_.granule(); every < p_.bytes; every *= 2) all.insert(every);
    std::map<u32, std::uint64_t> strides;
    for (const weighted_access& w : e_.accesses()) {
      const u32 used = lanes_used(w.what);
      for (u32 lane = 1; lane < lanes_per_warp; ++lane) {
        if ((used >> lane & used >> (lane - 1) & 1) == 0) continue;
        const u32 a = w.what.address[lane - 1], b = w.what.address[lane], stride = a < b ? b - a : a - b;
        if (stride > e_.granule() && stride < p_.bytes && stride % e_.granule() == 0) strides[stride] += w.weight;
      }
    }
    std::vector<std::pair<std::uint64_t, u32>> common;
    for (const auto& [stride, weight] : strides) common.emplace_back(~weight, stride);
    std::sort(common.begin(), common.end());
    constexpr std::size_t most_strides = 16;
    for (std::size_t i = 0; i < common.size() && i < most_strides; ++i) all.insert(common[i].second);
    all.erase(p_.pitch_bytes);
    return {all.begin(), all.end()};
  }

  void padding() {
    const std::vector<u32> every = periods();
    if (every.empty()) return;
    const u32 step = e_.granule();
    search(family::padding,
           formatted("{} to {} free bytes after every N bytes, with N from {} to {} ({}{}", step, row_bytes_ - step,
                     grouped(every.front()), grouped(every.back()), every.size(),
                     every.size() == 1 ? " value of N)" : " values of N)"),
           [&](const auto& consider) {
             // The longest period is tried first, because it wastes the fewest bytes.
             for (std::size_t i = every.size(); i-- > 0;)
               for (u32 gap = step; gap < row_bytes_; gap += step)
                 if (!consider({{.every = every[i], .gap = gap}, {}})) return;
           });
  }

  // Visits swizzles, beginning with the hardware swizzles.
  template <class Visit>
  bool each_swizzle(std::uint64_t bytes, const Visit& visit) const {
    std::array<swizzle, std::size(hardware_swizzles)> first;
    std::transform(std::begin(hardware_swizzles), std::end(hardware_swizzles), first.begin(),
                   [](const hardware_swizzle& h) { return h.permute; });
    return advise::each_swizzle(row_bytes_, e_.granule(), p_.pitch_bytes, bytes, first, visit);
  }

  std::string swizzle_scope() const {
    return formatted("every Swizzle<B,M,S> within rows of {} bytes that keeps {} bytes together", row_bytes_,
                     e_.granule());
  }

  void swizzles() {
    search(family::swizzle, swizzle_scope(), [&](const auto& consider) {
      each_swizzle(p_.bytes, [&](swizzle s) { return consider({{.terms = terms_of(s)}, s}); });
    });
  }

  void tma_boxes() {
    // On GPUs with TMA, the hardware permutes 16-byte chunks in rows of 128 bytes.
    if (p_.pitch_bytes == 0 || p_.bytes % p_.pitch_bytes != 0 || e_.granule() > 16 ||
        !can(number_of(p_.on.name.c_str()), ability::tensor_copy))
      return;
    search(family::tma_box, "the swizzles of TMA and wgmma: 32, 64 and 128 bytes", [&](const auto& consider) {
      for (const hardware_swizzle& h : hardware_swizzles) {
        if (p_.pitch_bytes % h.span != 0 || (1u << h.permute.base) < e_.granule()) continue;
        relayout l{.terms = terms_of(h.permute)};
        if (p_.pitch_bytes != h.span) {
          l.panel_bytes = h.span;
          l.pitch_bytes = p_.pitch_bytes;
          l.rows = static_cast<u32>(p_.bytes / p_.pitch_bytes);
        }
        if (!consider({l, h.permute})) return;
      }
    });
  }

  void padded_swizzles() {
    const bool rows = p_.pitch_bytes != 0 && p_.pitch_bytes < p_.bytes && p_.pitch_bytes % e_.granule() == 0;
    std::vector<u32> every = rows ? std::vector<u32>{p_.pitch_bytes} : periods();
    constexpr std::size_t most_periods = 8;
    if (every.size() > most_periods) every.erase(every.begin(), every.end() - most_periods);
    if (every.empty()) return;
    search(family::padded_swizzle,
           rows ? formatted("rows that are up to {} bytes longer, combined with {}", row_bytes_, swizzle_scope())
                : formatted("padding after every N bytes ({} values of N), combined with {}", every.size(),
                            swizzle_scope()),
           [&](const auto& consider) {
             for (std::size_t i = every.size(); i-- > 0;)
               for (u32 gap = e_.granule(); gap <= row_bytes_; gap += e_.granule()) {
                 const relayout padded{.every = every[i], .gap = gap};
                 if (!each_swizzle(bytes_after(padded, p_.bytes), [&](swizzle s) {
                       relayout l = padded;
                       l.terms = terms_of(s);
                       return consider({l, s});
                     }))
                   return;
               }
           });
  }

  void row_xors() { linear(family::row_xor); }
  void linear_maps() { linear(family::linear); }
  void linear(family kind) {
    const bool keep_rows = kind == family::row_xor;
    std::uint64_t limit = a_.before.wavefronts;
    for (const family_report& f : a_.families)
      if (f.best && (f.kind == family::swizzle || f.kind == family::row_xor))
        limit = std::min(limit, f.best->wavefronts);
    family_report f{kind,
                    0,
                    true,
                    keep_rows ? formatted("every xor of address bits within rows of {} bytes", row_bytes_)
                              : "every bijection of addresses that is linear over GF(2)",
                    {}};
    if (has_linear_search(p_)) {
      const linear_result r = search_linear(p_, keep_rows, limit, most_.words, most_.stop);
      f.tried = r.nodes;
      f.exhaustive = r.exhaustive;
      if (r.best) take_linear(f, *r.best);
    } else if (!keep_rows && e_.granule() < p_.on.model.bank_bytes) {
      f.scope += "; each bit of the position within a word is a copy of one address bit";
      if (!linear_by_words(f, limit)) return;
    } else {
      return;
    }
    a_.families.push_back(std::move(f));
  }

  void take_linear(family_report& f, const bit_matrix& m) {
    f.best = finished({f.kind, {.terms = terms_of(m)}, {}});
    best_ = std::min(best_, f.best->wavefronts);
  }

  // Searches linear layouts of elements that are narrower than a word. For each choice of the address bits that select
  // the byte in a word, all linear maps of the words are tried. Returns false if the search does not support this
  // machine.
  bool linear_by_words(family_report& f, std::uint64_t limit) {
    const u32 low = static_cast<u32>(std::countr_zero(e_.granule()));
    const u32 word = static_cast<u32>(std::countr_zero(u32{p_.on.model.bank_bytes}));
    const u32 bits = static_cast<u32>(std::bit_width(p_.bytes - 1));
    problem words = p_;
    words.element_bytes = p_.on.model.bank_bytes;
    if (!has_linear_search(words) || bits > most_offset_bits || bits <= word) return false;
    const u32 choices = bits - low, within = word - low;  // number of candidate bits, and number of chosen bits
    std::uint64_t left = most_.words;
    for (u32 chosen = 0; chosen < 1u << choices; ++chosen) {
      if (static_cast<u32>(std::popcount(chosen)) != within) continue;
      // The chosen bits move to the lowest positions. The other bits keep their order.
      bit_matrix order = bit_matrix::identity(bits);
      u32 next_low = low, next_high = word;
      for (u32 bit = 0; bit < choices; ++bit)
        order.image[low + bit] = 1u << ((chosen >> bit & 1) != 0 ? next_low++ : next_high++);
      words.bytes = std::bit_ceil(p_.bytes);
      for (std::size_t i = 0; i < p_.accesses.size(); ++i)
        for (u32 lane = 0; lane < lanes_per_warp; ++lane)
          words.accesses[i].what.address[lane] =
              (lanes_used(p_.accesses[i].what) >> lane & 1) != 0 ? order(p_.accesses[i].what.address[lane]) : 0;
      const linear_result r = search_linear(words, false, limit, left / 4 + 1, most_.stop);
      f.tried += r.nodes;
      f.exhaustive &= r.exhaustive;
      left -= std::min(left, r.words);
      if (r.best) {
        limit = r.wavefronts;
        bit_matrix both = order;
        for (u32& image : both.image) image = (*r.best)(image);
        take_linear(f, both);
      }
      if (limit <= a_.granule_floor) break;
      if (left == 0 || most_.is_stopped()) {
        f.exhaustive = false;
        break;
      }
    }
    return true;
  }

  const problem& p_;
  const effort& most_;
  const std::function<void(std::uint64_t, std::uint64_t)>& progress_;
  evaluator e_, of_data_;
  u32 row_bytes_;
  std::uint64_t best_ = 0;
  advice a_;
};

const adviser::family_search adviser::searches[] = {
    {&adviser::row_padding},           {&adviser::padding},        {&adviser::swizzles},          {&adviser::tma_boxes},
    {&adviser::padded_swizzles, true}, {&adviser::row_xors, true}, {&adviser::linear_maps, true},
};

}  // namespace

advice advise(const problem& p, const effort& most,
              const std::function<void(std::uint64_t done, std::uint64_t total)>& progress) {
  return adviser(p, most, progress).run();
}

}  // namespace bankwise::advise
