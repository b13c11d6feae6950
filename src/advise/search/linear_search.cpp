#include "advise/search/linear_search.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace bankwise::advise {

namespace {

// The granules that a phase accesses, relative to the first granule. If the accessed words have the same position in
// two granules, the granules collide if the layout's matrix F maps them to the same column of banks.
struct granule_list {
  std::vector<u32> granules;  // a granule occurs several times if several lanes cannot share it
  std::uint64_t weight = 0;
  std::uint64_t floor = 1;
};

struct demands {
  std::map<std::vector<u32>, std::uint64_t> lists;  // each list with its weight
  u32 relevant = 0;                                 // bits in which granules of a list differ
  // wavefronts of cas_spin accesses, equal in every layout
  std::uint64_t constant = 0;
};

demands demands_of(const problem& p) {
  const bank_model& m = p.on.model;
  const u32 words = granule_bytes(p) / m.bank_bytes;
  demands d;
  for (const weighted_access& w : p.accesses) {
    if (lanes_used(w.what) == 0) continue;
    if (w.what.op.kind == op_kind::cas_spin) {
      d.constant += w.weight * wavefronts(w.what, m);
      continue;
    }
    const explanation e = explain(w.what, m);
    const std::uint64_t weight = w.weight * (w.what.op.kind == op_kind::compare_and_swap ? 2 : 1);
    for (u32 i = 0; i < e.phases; ++i) {
      const phase& ph = e.phase_at[i];
      // The words of a granule are in different banks, so each position in the granule has a list. The fullest bank
      // determines the cost.
      std::map<u32, std::vector<u32>> by_place;
      for (u32 n = ph.first_want; n < u32{ph.first_want} + ph.wants; ++n)
        by_place[e.want_at[n].word % words].push_back(e.want_at[n].word / words);
      for (auto& [place, granules] : by_place) {
        std::sort(granules.begin(), granules.end());
        const u32 first = granules.front();
        for (u32& x : granules) x ^= first;
        std::sort(granules.begin(), granules.end());
        for (const u32 x : granules) d.relevant |= x;
      }
      const std::vector<u32>& one = by_place.begin()->second;
      if (std::all_of(by_place.begin(), by_place.end(), [&](const auto& other) { return other.second == one; })) {
        d.lists[one] += weight;
        continue;
      }
      // The position is in bits above all bits of a granule. The search never decides these bits, so the positions stay
      // separate.
      std::vector<u32> together;
      for (const auto& [place, granules] : by_place)
        for (const u32 x : granules) together.push_back(place << 24 | x);
      d.lists[together] += weight;
    }
  }
  return d;
}

struct search {
  u32 columns = 0;
  u32 needed_rank = 0;    // rank that F must reach
  std::vector<u32> bits;  // bits of a granule, in the order in which the search decides them
  std::size_t fixed = 0;  // number of bits that are decided before the search begins
  std::vector<granule_list> lists;
  std::vector<std::uint32_t> begin;  // beginning of each list in the arrays `granule`, `group` and `value`
  std::vector<u32> granule;          // granules of all lists
  // For each depth: the number of each granule's group. In a group, the undecided bits of all granules are equal.
  std::vector<std::vector<std::uint16_t>> group;
  std::vector<std::vector<std::uint8_t>> value;  // for each depth: F(granule), computed from the decided bits
  std::vector<u32> column;                       // for each depth: the column of the bit
  std::uint64_t best = 0, effort = 0, nodes = 0, done = 0;
  std::uint64_t bound = 0;
  const std::atomic<std::uint32_t>* stop = nullptr;  // not zero: the search ends
  bool cut = false, found = false;
  std::vector<u32> best_column;
  std::vector<std::uint16_t> stamp;
  std::vector<std::uint16_t> count;
  std::uint16_t epoch = 0;

  // Sets the column of bit number `depth`. Computes value[depth + 1], and returns the lower bound of the cost.
  std::uint64_t decide(std::size_t depth, u32 to) {
    const std::vector<std::uint8_t>& before = value[depth];
    std::vector<std::uint8_t>& after = value[depth + 1];
    const std::vector<std::uint16_t>& groups = group[depth + 1];
    const u32 bit = bits[depth];
    std::uint64_t sum = 0;
    for (std::size_t l = 0; l < lists.size(); ++l) {
      if (++epoch == 0) {
        std::fill(stamp.begin(), stamp.end(), std::uint16_t{0});
        epoch = 1;
      }
      std::uint64_t most = lists[l].floor;
      for (std::uint32_t i = begin[l]; i < begin[l + 1]; ++i) {
        const auto v = static_cast<std::uint8_t>(before[i] ^ (to & (0u - (granule[i] >> bit & 1u))));
        after[i] = v;
        const std::size_t slot = std::size_t{groups[i]} << columns | v;
        if (stamp[slot] != epoch) {
          stamp[slot] = epoch;
          count[slot] = 0;
        }
        most = std::max<std::uint64_t>(most, ++count[slot]);
      }
      sum += lists[l].weight * most;
    }
    done += granule.size();
    ++nodes;
    return sum;
  }

  void descend(std::size_t depth, u32 rank) {
    if (depth == bits.size()) {
      // All columns of the map are known, so the lower bound equals the cost of the map.
      best = bound_at_leaf;
      best_column = column;
      found = true;
      return;
    }
    struct child {
      std::uint64_t bound;
      u32 column, rank;
    };
    std::vector<child> children;
    const auto consider = [&](u32 to, u32 rank_after) {
      if (rank_after + (bits.size() - depth - 1) < needed_rank) return;
      children.push_back({decide(depth, to), to, rank_after});
    };
    if (rank < columns) consider(1u << rank, rank + 1);
    for (u32 to = 0; to < 1u << rank; ++to) consider(to, rank);
    // The cheapest child is first. If costs are equal, the child that is simplest to write is first.
    std::stable_sort(children.begin(), children.end(), [](const child& a, const child& b) {
      if (a.bound != b.bound) return a.bound < b.bound;
      if (a.rank != b.rank) return a.rank > b.rank;
      return std::popcount(a.column) < std::popcount(b.column);
    });
    for (const child& c : children) {
      if (c.bound >= best || best <= bound) return;
      if (done > effort || (stop != nullptr && stop->load(std::memory_order_relaxed) != 0)) {
        cut = true;
        return;
      }
      column[depth] = c.column;
      bound_at_leaf = decide(depth, c.column);
      descend(depth + 1, c.rank);
    }
  }

  // Prepares the lists, the bits to decide, and the data that the branches need. If a bit is equal in all granules of
  // each list, it stays undecided.
  void prepare(const demands& d, u32 all_bits, bool keep_rows) {
    for (const auto& [granules, weight] : d.lists) {
      granule_list l{granules, weight, 1};
      std::map<u32, u32> by_place, same;
      for (const u32 x : granules) {
        l.floor = std::max<std::uint64_t>(l.floor, (++by_place[x >> 24] + (1u << columns) - 1) >> columns);
        l.floor = std::max<std::uint64_t>(l.floor, ++same[x]);
      }
      bound += l.floor * weight;
      lists.push_back(std::move(l));
    }
    for (u32 bit = 0; bit < all_bits; ++bit)
      if (const bool low = keep_rows && bit < columns; low || (d.relevant >> bit & 1) != 0) {
        bits.push_back(bit);
        if (low) ++fixed;
      }
    const u32 spare = all_bits - static_cast<u32>(bits.size());
    needed_rank = columns > spare ? columns - spare : 0;
    for (const granule_list& l : lists) {
      begin.push_back(static_cast<std::uint32_t>(granule.size()));
      granule.insert(granule.end(), l.granules.begin(), l.granules.end());
    }
    begin.push_back(static_cast<std::uint32_t>(granule.size()));
    // The granules of a group have equal undecided bits.
    u32 undecided = 0;
    for (const u32 bit : bits) undecided |= 1u << bit;
    undecided |= 0xff000000u;
    std::size_t most_groups = 1;
    for (std::size_t depth = 0; depth <= bits.size(); ++depth) {
      if (depth > 0) undecided &= ~(1u << bits[depth - 1]);
      std::vector<std::uint16_t> groups(granule.size());
      for (std::size_t l = 0; l < lists.size(); ++l) {
        std::map<u32, std::uint16_t> ids;
        for (std::uint32_t i = begin[l]; i < begin[l + 1]; ++i)
          groups[i] = ids.try_emplace(granule[i] & undecided, static_cast<std::uint16_t>(ids.size())).first->second;
        most_groups = std::max(most_groups, ids.size());
      }
      group.push_back(std::move(groups));
    }
    value.assign(bits.size() + 1, std::vector<std::uint8_t>(granule.size(), 0));
    column.assign(bits.size(), 0);
    stamp.assign(most_groups << columns, 0);
    count.assign(most_groups << columns, 0);
  }

  // Searches for maps whose cost is below `limit`.
  void run(std::uint64_t limit) {
    best = limit;
    for (std::size_t depth = 0; depth < fixed; ++depth) {
      column[depth] = 1u << depth;
      bound_at_leaf = decide(depth, column[depth]);
    }
    if (bits.empty()) bound_at_leaf = bound;
    if (bound < best) descend(fixed, static_cast<u32>(fixed));
  }

  std::uint64_t bound_at_leaf = 0;
};

// Extends F to a bijection of offsets. F maps the bits of a granule's index to the lowest s.columns bits of the new
// index.
//   - A pivot among these lowest bits keeps its position. A higher pivot gets one of the remaining lowest positions.
//   - Every other bit also sets a bit above the lowest bits of the new index. A bit that is already above them sets the
//     bit at its own position. A lower bit sets the bit at the old position of a higher pivot.
bit_matrix bijection_of(const search& s, u32 all_bits, u32 low_bits) {
  std::vector<u32> image(all_bits, 0);
  std::vector<int> pivot_of(s.columns, -1);
  u32 rank = 0;
  std::vector<bool> is_pivot(all_bits, false);
  for (std::size_t d = 0; d < s.bits.size(); ++d) {
    image[s.bits[d]] = s.best_column[d];
    // In reduced form, a pivot is a column that is a new unit vector.
    if (rank < s.columns && s.best_column[d] == 1u << rank) {
      pivot_of[rank++] = static_cast<int>(s.bits[d]);
      is_pivot[s.bits[d]] = true;
    }
  }
  for (u32 bit = 0; bit < all_bits && rank < s.columns; ++bit) {
    if (std::find(s.bits.begin(), s.bits.end(), bit) != s.bits.end()) continue;
    image[bit] = 1u << rank;
    pivot_of[rank++] = static_cast<int>(bit);
    is_pivot[bit] = true;
  }
  std::vector<int> place(s.columns, -1);  // for each unit vector: index of its pivot among the bits of a column number
  std::vector<bool> taken(s.columns, false);
  for (u32 c = 0; c < s.columns; ++c)
    if (pivot_of[c] >= 0 && static_cast<u32>(pivot_of[c]) < s.columns) {
      place[c] = pivot_of[c];
      taken[static_cast<u32>(pivot_of[c])] = true;
    }
  for (u32 c = 0; c < s.columns; ++c)
    for (u32 free_bit = 0; place[c] < 0; ++free_bit)
      if (!taken[free_bit]) {
        place[c] = static_cast<int>(free_bit);
        taken[free_bit] = true;
      }
  std::vector<bool> above(all_bits, false);
  for (u32 bit = s.columns; bit < all_bits; ++bit) above[bit] = !is_pivot[bit];
  bit_matrix matrix = bit_matrix::identity(low_bits + all_bits);
  for (u32 bit = 0; bit < all_bits; ++bit) {
    u32 to = 0;
    for (u32 c = 0; c < s.columns; ++c)
      if ((image[bit] >> c & 1) != 0) to |= 1u << place[c];
    if (!is_pivot[bit]) {
      u32 own = bit;
      if (bit < s.columns) {  // a higher pivot has this position, so the bit gets the old position of a higher pivot
        own = s.columns;
        while (above[own]) ++own;
        above[own] = true;
      }
      to |= 1u << own;
    }
    matrix.image[low_bits + bit] = to << low_bits;
  }
  return matrix;
}

}  // namespace

bool has_linear_search(const problem& p) {
  const bank_model& m = p.on.model;
  const u32 row_bytes = u32{m.banks} * m.bank_bytes, granule = granule_bytes(p);
  return std::has_single_bit(row_bytes) && m.row_bytes == m.bank_bytes && m.narrow == serving::rows_per_bank &&
         m.wide == serving::rows_per_bank && granule >= m.bank_bytes && granule < row_bytes &&
         row_bytes / granule <= 128;
}

linear_result search_linear(const problem& p, bool keep_rows, std::uint64_t limit, std::uint64_t effort,
                            const std::atomic<std::uint32_t>* stop) {
  linear_result r;
  if (!has_linear_search(p) || p.bytes == 0 || p.bytes > most_array_bytes) return r;
  const u32 granule = granule_bytes(p), row_bytes = u32{p.on.model.banks} * p.on.model.bank_bytes;
  const u32 all_bits = static_cast<u32>(std::bit_width((p.bytes - 1) / granule));
  search s;
  s.columns = static_cast<u32>(std::countr_zero(row_bytes / granule));
  s.effort = effort;
  s.stop = stop;
  if (all_bits <= s.columns) {  // all granules are in one row of banks, so no granules collide
    r.exhaustive = true;
    return r;
  }
  const demands d = demands_of(p);
  s.prepare(d, all_bits, keep_rows);
  s.run(limit > d.constant ? limit - d.constant : 0);
  r.nodes = s.nodes;
  r.words = s.done;
  r.exhaustive = !s.cut;
  if (!s.found) return r;
  r.best = bijection_of(s, all_bits, static_cast<u32>(std::countr_zero(granule)));
  r.wavefronts = s.best + d.constant;
  return r;
}

}  // namespace bankwise::advise
