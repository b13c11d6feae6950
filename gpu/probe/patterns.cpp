#include "patterns.hpp"

#include <algorithm>
#include <array>

#include "base/random_numbers.hpp"

namespace bankwise::probe {

namespace {

class dice : public random_numbers {
 public:
  using random_numbers::random_numbers;
  template <class T, std::size_t N>
  T of(const std::array<T, N>& choices) {
    return choices[below(N)];
  }
};

using indices = std::array<u32, lanes_per_warp>;

template <class Function>
indices each_lane(Function&& f) {
  indices at{};
  for (u32 i = 0; i < lanes_per_warp; ++i) at[i] = f(i);
  return at;
}

void shuffle(dice& r, indices& at) {
  for (u32 i = lanes_per_warp - 1; i > 0; --i) std::swap(at[i], at[r.below(i + 1)]);
}

// Returns the index of the element that each lane wants. Some families of patterns combine other families, and `depth`
// limits this recursion.
indices elements(dice& r, u32 depth = 0) {
  constexpr std::array<u32, 9> ranges{2, 4, 8, 16, 32, 64, 128, 256, 1024};
  constexpr std::array<u32, 25> strides{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  12, 15, 16,
                                        17, 20, 24, 31, 32, 33, 36, 40, 48, 63, 64, 65};
  constexpr std::array<u32, 4> tile_widths{2, 4, 8, 16};
  constexpr std::array<u32, 7> pitches{8, 16, 32, 33, 36, 40, 64};
  constexpr std::array<u32, 10> partners{1, 2, 4, 8, 16, 3, 5, 6, 12, 24};
  switch (r.below(depth > 2 ? 6 : 10)) {
    case 0: {
      const u32 n = r.of(ranges);
      return each_lane([&](u32) { return r.below(n); });
    }
    case 1: {
      const u32 stride = r.of(strides);
      return each_lane([&](u32 i) { return i * stride; });
    }
    case 2: {  // elements of a tile with several columns, perhaps swizzled by row
      const u32 width = r.of(tile_widths), pitch = r.of(pitches), step = r.below(9), rows = 1u << r.below(4);
      const bool swizzled = r.below(2) != 0;
      return each_lane([&](u32 i) {
        const u32 at = i / width * pitch + i % width * step;
        return swizzled ? at ^ (i / rows % 8) : at;
      });
    }
    case 3: {  // a random order of elements, perhaps several rows apart
      const u32 rows = 1u + r.below(2) * 3;
      indices at = each_lane([&](u32 i) { return i + 32 * r.below(rows); });
      shuffle(r, at);
      return at;
    }
    case 4: {  // only a few different elements, each for several lanes
      indices few = each_lane([&](u32) { return r.below(64); });
      const u32 n = 1 + r.below(4);
      return each_lane([&](u32) { return few[r.below(n)]; });
    }
    case 5: {  // elements in order, but one to three lanes want other elements
      indices at = each_lane([](u32 i) { return i; });
      for (u32 n = 1 + r.below(3); n > 0; --n) at[r.below(32)] = r.below(128);
      return at;
    }
    case 6: {  // lanes and partners that want the same word
      const u32 partner = r.of(partners);
      const indices at = elements(r, depth + 1);
      return each_lane([&](u32 i) { return at[i & ~partner]; });
    }
    case 7: {  // two halves of the warp with unrelated elements
      const indices low = elements(r, depth + 1), high = elements(r, depth + 1);
      return each_lane([&](u32 i) { return i < 16 ? low[i] : high[i]; });
    }
    case 8: {  // pairs of neighbours that differ in the first or second bit
      const u32 partner = 1 + r.below(2);
      const indices at = elements(r, depth + 1);
      return each_lane([&](u32 i) { return at[i & ~partner]; });
    }
    default: {
      indices at = elements(r, depth + 1);
      shuffle(r, at);
      return at;
    }
  }
}

u32 some_mask(dice& r) {
  const auto any = [&] { return static_cast<u32>(r.next() >> 32); };
  const u32 kind = r.below(20);
  u32 mask = full_mask;
  if (kind >= 10) mask = any();
  if (kind >= 12) mask &= any();
  if (kind >= 14) mask &= any();
  if (kind == 15) mask = 0xffffu << 16 * r.below(2);
  if (kind == 16) mask = 0xffu << 8 * r.below(4);
  if (kind == 17) mask = 0x55555555u << r.below(2);
  if (kind == 18) mask = 0x33333333u << 2 * r.below(2);
  if (kind == 19) {
    mask = 0;
    for (u32 quarter = 0; quarter < 4; ++quarter) mask |= r.below(2) * (0xffu << 8 * quarter);
  }
  return mask == 0 ? 1u : mask;
}

u32 lanes_where(bool (*takes_part)(u32)) {
  u32 mask = 0;
  for (u32 i = 0; i < lanes_per_warp; ++i) mask |= static_cast<u32>(takes_part(i)) << i;
  return mask;
}

}  // namespace

std::vector<known_case> known_cases() {
  std::vector<known_case> all;
  const auto add = [&](const char* name, const char* operation, u32 mask, u32 (*element)(u32)) {
    access a = {find_probed(operation)->op, mask, {}};
    for (u32 i = 0; i < lanes_per_warp; ++i) a.address[i] = element(i) * a.op.width_bytes % address_limit;
    all.push_back({name, operation, a});
  };
  add("64 bits, half a warp", "ld.b64", 0xffff, [](u32 t) { return t; });
  add("64 bits, lanes 0-14 and 16 over both halves", "ld.b64", lanes_where([](u32 t) { return t < 15 || t == 16; }),
      [](u32 t) { return t == 16 ? 15 : t; });
  add("64 bits, neighbours share", "ld.b64", full_mask, [](u32 t) { return t / 2; });
  add("64 bits, halves share by different partners", "ld.b64", full_mask,
      [](u32 t) { return t < 16 ? t / 2 : t / 4 * 4 + t % 4 % 2; });
  add("64 bits, both halves want the same", "ld.b64", full_mask, [](u32 t) { return t % 16; });
  add("128 bits, lanes 15 and 16 on one address", "ld.b128", 0x18000, [](u32) { return 4u; });
  add("128 bits, lanes 0 and 15 on one address", "ld.b128", 0x8001, [](u32) { return 4u; });
  add("128 bits, partners by the second bit", "ld.b128", full_mask, [](u32 t) { return t / 8 * 2 + t % 8 / 2 % 2; });
  add("128 bits, halves share by different partners", "ld.b128", full_mask,
      [](u32 t) { return t < 16 ? t / 8 * 2 + t % 8 / 2 % 2 : t / 8 * 2 + t % 8 % 2; });
  add("128 bits, quarters of two addresses", "ld.b128", full_mask,
      [](u32 t) { return t / 16 * 4 + t % 16 / 8 + t % 8 / 4 * 8; });
  add("128 bits, quarters of two addresses by different partners", "ld.b128", full_mask,
      [](u32 t) { return t / 16 * 4 + t % 16 / 8 * 8 + (t < 16 ? t % 4 / 2 * 2 : t % 4 % 2 * 2); });
  add("matrix rows 128 bytes apart", "ldmatrix.x4", full_mask, [](u32 t) { return t % 16 * 8 + t / 16; });
  add("the same, swizzled", "ldmatrix.x4", full_mask, [](u32 t) { return t % 16 * 8 + (t / 16 ^ t % 8); });
  add("a column of rows of 32 floats", "ld.b32", full_mask, [](u32 t) { return t * 32; });
  add("a column of rows of 33 floats", "ld.b32", full_mask, [](u32 t) { return t * 33; });
  add("31 lanes, a column of rows of 31 floats", "ld.b32", full_mask >> 1, [](u32 t) { return t * 31; });
  add("every other float", "ld.b32", full_mask, [](u32 t) { return t * 2; });
  add("every other float, one left out behind 32", "ld.b32", full_mask, [](u32 t) { return t * 2 + t / 16; });
  return all;
}

std::vector<access> random_patterns(const probed_operation& p, std::size_t count, std::uint64_t seed) {
  // The seed differs between operations, because equal patterns would test the same cases.
  for (const char* c = p.name; *c != '\0'; ++c) seed = seed * 31 + static_cast<unsigned char>(*c);
  dice r(seed);
  const u32 width = p.op.width_bytes;
  std::vector<access> all(count);
  for (access& a : all) {
    a.op = p.op;
    a.mask = p.op.matrices != 0 ? full_mask : some_mask(r);
    const indices at = elements(r);
    // Elements of one or two bytes are contiguous, or each of them is at a random place in its own word.
    const bool in_words = width < 4 && r.below(2) != 0;
    for (u32 i = 0; i < lanes_per_warp; ++i)
      a.address[i] = (in_words ? at[i] * 4 + r.below(4 / width) * width : at[i] * width) % address_limit;
  }
  return all;
}

}  // namespace bankwise::probe
