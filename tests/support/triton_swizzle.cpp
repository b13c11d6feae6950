#include "support/triton_swizzle.hpp"

#include <algorithm>
#include <bit>
#include <random>

namespace bankwise::test {

namespace {

bool has(const basis& b, u32 v) { return std::find(b.begin(), b.end(), v) != b.end(); }

basis common(const basis& a, const basis& b) {
  basis both;
  for (const u32 v : a)
    if (v != 0 && has(b, v)) both.push_back(v);
  return both;
}

basis without(const basis& a, const basis& b) {
  basis rest;
  for (const u32 v : a)
    if (v != 0 && !has(b, v)) rest.push_back(v);
  return rest;
}

basis joined(basis a, const basis& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

basis first_of(basis b, std::size_t count) {
  b.resize(std::min(b.size(), count));
  return b;
}

u32 log2_of(u32 n) { return static_cast<u32>(std::bit_width(n)) - 1; }

u32 index_bits(const transfer& t) { return t.row_bits + t.column_bits; }

// The vectors of an echelon form, by their lowest bit. reduced(v) is zero for every v in the span of these vectors.
struct echelon {
  basis with_lowest = basis(32);

  u32 reduced(u32 v) const {
    for (u32 i = 0; i < 32; ++i)
      if ((v >> i & 1u) != 0 && with_lowest[i] != 0) v ^= with_lowest[i];
    return v;
  }
  bool add(u32 v) {
    v = reduced(v);
    if (v != 0) with_lowest[static_cast<u32>(std::countr_zero(v))] = v;
    return v != 0;
  }
};

u32 rank(const basis& b) {
  echelon e;
  u32 n = 0;
  for (const u32 v : b) n += e.add(v) ? 1 : 0;
  return n;
}

// Returns the dimension of the intersection of the two spans.
u32 rank_of_intersection(const basis& a, const basis& b) { return rank(a) + rank(b) - rank(joined(a, b)); }

// Returns bits that, together with `b`, are a basis of the whole space: all bits that are not the lowest bit of a
// vector in the echelon form of `b`.
basis complement(const basis& b, u32 bits) {
  echelon e;
  for (const u32 v : b) e.add(v);
  basis rest;
  for (u32 i = 0; i < bits; ++i)
    if (e.with_lowest[i] == 0) rest.push_back(1u << i);
  return rest;
}

// Expresses each bit as a sum of vectors of `b`, which must be a basis of the whole space. In a result, bit j means
// vector j.
basis inverse(const basis& b) {
  basis vectors = b, sums(b.size());
  for (u32 j = 0; j < b.size(); ++j) sums[j] = 1u << j;
  for (u32 i = 0; i < b.size(); ++i) {
    u32 pivot = i;
    while (pivot < b.size() && (vectors[pivot] >> i & 1u) == 0) ++pivot;
    if (pivot == b.size()) return {};  // not a basis
    std::swap(vectors[i], vectors[pivot]);
    std::swap(sums[i], sums[pivot]);
    for (u32 j = 0; j < b.size(); ++j)
      if (j != i && (vectors[j] >> i & 1u) != 0) {
        vectors[j] ^= vectors[i];
        sums[j] ^= sums[i];
      }
  }
  return sums;
}

u32 sum_of(const basis& b, u32 coefficients) {
  u32 v = 0;
  for (u32 i = 0; i < b.size(); ++i)
    if ((coefficients >> i & 1u) != 0) v ^= b[i];
  return v;
}

enum class filler : u8 { nobody, store, load };

struct vector_choice {
  basis elements;
  filler by = filler::nobody;  // side whose registers fill the first word, if the first word must be filled
};

// Returns the bits that are register bits on both sides, up to 16 bytes. If these bits are fewer than a word, fills the
// word. First come register bits of one side that are warp bits of the other side, because these bits cannot make lanes
// collide. Warp bits come last.
vector_choice choose_vector(const transfer& t) {
  vector_choice c{first_of(common(t.store.registers, t.load.registers), log2_of(16 / t.element_bytes))};
  const u32 word = t.element_bytes < 4 ? log2_of(4 / t.element_bytes) : 0;
  if (c.elements.size() >= word) return c;
  const basis from_store = common(without(t.store.registers, c.elements), t.load.warps);
  const basis from_load = common(without(t.load.registers, c.elements), t.store.warps);
  bool stores = from_store.size() > from_load.size();
  if (from_store.size() == from_load.size() && !from_store.empty())
    stores =
        *std::min_element(from_store.begin(), from_store.end()) < *std::min_element(from_load.begin(), from_load.end());
  c.by = stores ? filler::store : filler::load;
  c.elements = joined(c.elements, stores ? from_store : from_load);
  if (c.elements.size() < word) c.elements = joined(c.elements, common(t.store.warps, t.load.warps));
  const basis a = without(t.store.warps, {}), b = without(t.load.warps, {});
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    for (const basis* side : {&a, &b})
      if (i < side->size() && !has(c.elements, (*side)[i])) c.elements.push_back((*side)[i]);
  c.elements = first_of(c.elements, word);
  return c;
}

// Returns the rows of banks, in order of preference. First come vectors that are in no phase's span. Next come sums of
// a lane vector of one side and a lane vector of the other side, if such a sum is in neither span. Last come vectors
// that make one side collide.
basis choose_segments(const basis& in_store, const basis& in_load, u32 bits, u32 count) {
  basis all;
  for (u32 i = 0; i < bits; ++i) all.push_back(1u << i);
  const basis free = without(without(all, in_store), in_load);
  basis few = without(in_store, in_load), many = without(in_load, in_store);
  if (free.size() >= count) return first_of(free, count);
  if (few.size() > many.size()) std::swap(few, many);
  std::sort(few.begin(), few.end());
  std::sort(many.begin(), many.end());
  const std::size_t paired = free.size() + few.size();
  const std::size_t colliding = std::min(few.size(), count > paired ? count - paired : 0);
  basis segments = free;
  for (std::size_t i = colliding; i < few.size(); ++i) segments.push_back(few[i] ^ many[i]);
  segments = joined(joined(segments, first_of(few, colliding)), first_of(many, colliding));
  return first_of(segments, count);
}

// Returns the lanes of one phase of an access with this number of bytes.
basis lanes_of_phase(const distributed_layout& d, u32 bytes) {
  return first_of(d.lanes, d.lanes.size() - (bytes > 4 ? log2_of(bytes / 4) : 0));
}

basis offsets_of(const basis& elements, const shared_layout& s) {
  basis offsets;
  for (const u32 e : elements) offsets.push_back(sum_of(s.offset_of_bit, e));
  return offsets;
}

// Returns the largest number n for which each of the first n offset bits changes exactly one register bit and nothing
// else.
u32 vector_bits_of(const distributed_layout& d, const shared_layout& s) {
  const basis registers = offsets_of(d.registers, s), threads = offsets_of(joined(d.lanes, d.warps), s);
  u32 best = 0;
  for (u32 bits = 1; s.element_bytes << bits <= 16; ++bits) {
    const u32 low = (1u << bits) - 1;
    bool aligned = true;
    for (u32 i = 0; i < bits; ++i) aligned = aligned && has(registers, 1u << i);
    for (const u32 v : registers) aligned = aligned && ((v & low) == 0 || std::has_single_bit(v));
    for (const u32 v : threads) aligned = aligned && (v & low) == 0;
    if (aligned) best = bits;
  }
  return best;
}

// Returns the accesses: calls `address` for the elements of every warp and every register outside of the vector.
template <class Address>
std::vector<access> accesses_of(const distributed_layout& d, const basis& in_vector, operation op,
                                const Address& address) {
  std::vector<access> all;
  const basis groups = without(d.registers, in_vector);
  for (u32 warp = 0; warp < 1u << d.warps.size(); ++warp)
    for (u32 group = 0; group < 1u << groups.size(); ++group) {
      const u32 base = sum_of(d.warps, warp) ^ sum_of(groups, group);
      all.push_back(make_access(op, [&](u32 lane) { return address(base ^ sum_of(d.lanes, lane)); }));
    }
  return all;
}

operation operation_of(const distributed_layout& d, const transfer& t, u32 bytes) {
  return &d == &t.store ? st(bytes) : ld(bytes);
}

basis vector_of(const shared_layout& s, u32 bits) { return first_of(joined(s.vector, s.bank), bits); }

traffic traffic_of(const distributed_layout& d, const transfer& t, const shared_layout& s) {
  traffic out;
  out.vector_bits = vector_bits_of(d, s);
  out.accesses = accesses_of(d, vector_of(s, out.vector_bits), operation_of(d, t, s.element_bytes << out.vector_bits),
                             [&](u32 element) { return s.byte_of(element); });
  return out;
}

u32 predicted_wavefronts(const distributed_layout& d, const shared_layout& s) {
  const u32 bytes = s.element_bytes << vector_bits_of(d, s);
  return std::max(1u, bytes / 4) << rank_of_intersection(lanes_of_phase(d, bytes), s.segment);
}

u32 counted_wavefronts(const distributed_layout& d, const shared_layout& s) {
  const u32 bytes = s.element_bytes << vector_bits_of(d, s);
  const basis lanes = lanes_of_phase(d, bytes);
  const basis in_word = vector_of(s, s.element_bytes < 4 ? log2_of(4 / s.element_bytes) : 0);
  return std::max(1u, bytes / 4) << (rank_of_intersection(lanes, joined(s.segment, in_word)) -
                                     rank_of_intersection(lanes, in_word));
}

// --- random problems ---

struct dice {
  std::mt19937 numbers;

  u32 below(u32 n) { return static_cast<u32>(numbers() % n); }
  u32 between(u32 low, u32 high) { return low + below(high - low + 1); }
  bool chance(u32 one_in) { return below(one_in) == 0; }
  void shuffle(basis& b) {
    for (u32 i = static_cast<u32>(b.size()); i > 1; --i) std::swap(b[i - 1], b[below(i)]);
  }
};

// Distributes the bits in this order: to a lane's own elements, to lanes, to warps, and the remaining bits to
// registers.
distributed_layout random_layout(const transfer& t, u32 warp_bits, dice& d) {
  basis columns, rows;
  for (u32 i = 0; i < t.column_bits; ++i) columns.push_back(1u << i);
  for (u32 i = 0; i < t.row_bits; ++i) rows.push_back(1u << (t.column_bits + i));
  basis order = d.chance(2) ? joined(columns, rows) : joined(rows, columns);
  if (d.chance(3)) d.shuffle(order);
  if (d.chance(4) && !columns.empty()) {  // as in an mma's accumulators: two neighbours, then lanes along the row
    std::rotate(columns.begin(), columns.begin() + 1, columns.end());
    const u32 own = columns.back();
    columns.pop_back();
    order = joined({own}, joined(joined(first_of(columns, 2), rows), without(columns, first_of(columns, 2))));
  }
  distributed_layout l;
  const u32 bits = static_cast<u32>(order.size());
  const u32 same_lanes = d.chance(5) ? d.between(1, 2) : 0;
  const u32 threads = std::min(bits, 5 - same_lanes + warp_bits);
  const u32 own = d.below(std::min(bits - threads, 4u) + 1);
  u32 next = 0;
  while (next < own) l.registers.push_back(order[next++]);
  for (u32 i = 0; i < 5; ++i) l.lanes.push_back(i < 5 - same_lanes && next < bits ? order[next++] : 0);
  for (u32 i = 0; i < warp_bits; ++i) l.warps.push_back(next < bits ? order[next++] : 0);
  while (next < bits) l.registers.push_back(order[next++]);
  if (d.chance(4)) d.shuffle(l.lanes);
  if (d.chance(4)) d.shuffle(l.registers);
  return l;
}

std::string to_text(const distributed_layout& l) {
  std::string text;
  const auto add = [&](const char* name, const basis& b) {
    text += std::string(text.empty() ? "" : ", ") + name;
    for (const u32 v : b) text += ' ' + std::to_string(v);
  };
  add("registers", l.registers);
  add("lanes", l.lanes);
  add("warps", l.warps);
  return text;
}

}  // namespace

u32 shared_layout::byte_of(u32 element) const { return sum_of(offset_of_bit, element) * element_bytes; }

shared_layout triton_swizzle(const transfer& t) {
  const u32 bits = index_bits(t);
  const vector_choice v = choose_vector(t);
  const u32 vector_bits = static_cast<u32>(v.elements.size()), vector_bytes = t.element_bytes << vector_bits;
  const u32 bank_bits = std::min(log2_of(128 / vector_bytes), bits - vector_bits);
  shared_layout s;
  s.element_bytes = t.element_bytes;
  s.vector = v.elements;
  s.segment =
      choose_segments(joined(v.elements, lanes_of_phase(t.store, vector_bytes)),
                      joined(v.elements, lanes_of_phase(t.load, vector_bytes)), bits, bits - bank_bits - vector_bits);
  s.bank = complement(joined(s.vector, s.segment), bits);
  if (vector_bytes < 16) {
    // Among the bits of the bank, register bits come first. They come from the side that filled the word, or else from
    // the side with more register bits. The accesses of this side may become wider.
    const basis of_store = common(s.bank, t.store.registers), of_load = common(s.bank, t.load.registers);
    const bool stores = v.by == filler::store || (v.by == filler::nobody && of_store.size() > of_load.size());
    const basis first = stores ? of_store : of_load;
    s.bank = joined(first, without(s.bank, first));
  }
  s.offset_of_bit = inverse(joined(joined(s.vector, s.bank), s.segment));
  return s;
}

traffic store_traffic(const transfer& t, const shared_layout& s) { return traffic_of(t.store, t, s); }
traffic load_traffic(const transfer& t, const shared_layout& s) { return traffic_of(t.load, t, s); }

u32 predicted_store_wavefronts(const transfer& t, const shared_layout& s) { return predicted_wavefronts(t.store, s); }
u32 predicted_load_wavefronts(const transfer& t, const shared_layout& s) { return predicted_wavefronts(t.load, s); }
u32 counted_store_wavefronts(const transfer& t, const shared_layout& s) { return counted_wavefronts(t.store, s); }
u32 counted_load_wavefronts(const transfer& t, const shared_layout& s) { return counted_wavefronts(t.load, s); }

element_view elements_of(const transfer& t, const shared_layout& s) {
  // The vectors of the side with shorter vectors are the first parts of the other side's vectors.
  const u32 store_bits = vector_bits_of(t.store, s), load_bits = vector_bits_of(t.load, s);
  const basis in_vector = vector_of(s, std::max(store_bits, load_bits));
  element_view e;
  e.element_bytes = t.element_bytes;
  e.index_bit = in_vector;
  for (u32 i = 0; i < index_bits(t); ++i)
    if (!has(in_vector, 1u << i)) e.index_bit.push_back(1u << i);
  for (u32 i = 0; i < e.index_bit.size(); ++i) e.permuted = e.permuted || e.index_bit[i] != 1u << i;
  e.column_bits = std::max(t.column_bits, static_cast<u32>(in_vector.size()));
  e.row_bits = index_bits(t) - e.column_bits;
  const basis index_of = inverse(e.index_bit);
  const auto address = [&](u32 element) { return sum_of(index_of, element) * t.element_bytes; };
  e.store = accesses_of(t.store, vector_of(s, store_bits), st(t.element_bytes << store_bits), address);
  e.load = accesses_of(t.load, vector_of(s, load_bits), ld(t.element_bytes << load_bits), address);
  return e;
}

transfer random_transfer(u32 seed) {
  dice d{std::mt19937(seed)};
  transfer t;
  t.element_bytes = 1u << d.below(4);
  const u32 bits = d.between(5, 12);
  t.row_bits = d.between(0, std::min(bits, 7u));
  t.column_bits = bits - t.row_bits;
  const u32 warp_bits = d.below(4);
  t.store = random_layout(t, warp_bits, d);
  t.load = random_layout(t, warp_bits, d);
  return t;
}

std::string to_text(const transfer& t) {
  return std::to_string(t.element_bytes) + "-byte elements, " + std::to_string(1u << t.row_bits) + " x " +
         std::to_string(1u << t.column_bits) + "; store: " + to_text(t.store) + "; load: " + to_text(t.load);
}

}  // namespace bankwise::test
