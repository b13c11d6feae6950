// Tests that the driver of an H200 refuses the same tensor maps, and that a map is unchanged after encoding and
// decoding.
#include "emulate/memory/tensor_map.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

namespace bankwise {
namespace {

using namespace emulate;

tensor_map plain() {
  tensor_map t;
  t.address = 0x7f1234567800;
  t.dimensions = 2;
  t.type = tensor_type::f32;
  t.size = {37, 11, 1, 1, 1};
  t.stride = {4, 160, 1600, 16000, 160000};
  t.box = {8, 2, 1, 1, 1};
  t.element_stride = {1, 1, 1, 1, 1};
  return t;
}

struct change {
  const char* name;
  std::function<void(tensor_map&)> make;
  bool accepted;
};

TEST(TensorMap, IsAcceptedAndRefusedAsByTheDriver) {
  const change changes[] = {
      {"nothing", [](tensor_map&) {}, true},
      {"a null address", [](tensor_map& t) { t.address = 0; }, true},
      {"an address at 8", [](tensor_map& t) { t.address += 8; }, false},
      {"no dimension", [](tensor_map& t) { t.dimensions = 0; }, false},
      {"six dimensions", [](tensor_map& t) { t.dimensions = 6; }, false},
      {"a stride of 24", [](tensor_map& t) { t.stride[1] = 24; }, false},
      {"a stride shorter than a row", [](tensor_map& t) { t.stride[1] = 16; }, true},
      {"the largest stride", [](tensor_map& t) { t.stride[1] = (std::uint64_t{1} << 40) - 16; }, true},
      {"a larger one", [](tensor_map& t) { t.stride[1] = std::uint64_t{1} << 40; }, false},
      {"2^32 elements", [](tensor_map& t) { t.size[0] = std::uint64_t{1} << 32; }, true},
      {"more elements", [](tensor_map& t) { t.size[0] = (std::uint64_t{1} << 32) + 1; }, false},
      {"a box of 256", [](tensor_map& t) { t.box[1] = 256; }, true},
      {"a box of 257", [](tensor_map& t) { t.box[1] = 257; }, false},
      {"an inner box of 12 bytes", [](tensor_map& t) { t.box[0] = 3; }, false},
      {"a box of 256 KiB", [](tensor_map& t) { t.box[0] = t.box[1] = 256; }, false},
      {"an element stride of 8", [](tensor_map& t) { t.element_stride[1] = 8; }, true},
      {"an element stride of 9", [](tensor_map& t) { t.element_stride[1] = 9; }, false},
      {"NaN for integers", [](tensor_map& t) { t.type = tensor_type::u32, t.fills_with_nan = true; }, false},
      {"NaN for floats", [](tensor_map& t) { t.fills_with_nan = true; }, true},
      {"64 bytes in a swizzle of 32", [](tensor_map& t) { t.box[0] = 16, t.swizzle = tensor_swizzle::bytes_32; },
       false},
      {"256 bytes in a swizzle of 128", [](tensor_map& t) { t.box[0] = 64, t.swizzle = tensor_swizzle::bytes_128; },
       false},
      {"interleaved in two dimensions", [](tensor_map& t) { t.interleave = 1; }, false},
      {"interleaved in three", [](tensor_map& t) { t.dimensions = 3, t.interleave = 1; }, true},
      {"an odd number of 4 bits", [](tensor_map& t) { t.type = tensor_type::u4, t.box[0] = 32; }, false},
      {"32 times 4 bits", [](tensor_map& t) { t.type = tensor_type::u4, t.box[0] = 32, t.size[0] = 38; }, true},
      {"16 times 4 bits", [](tensor_map& t) { t.type = tensor_type::u4, t.box[0] = 16, t.size[0] = 38; }, false},
      {"padded 6 bits", [](tensor_map& t) { t.type = tensor_type::u6_padded, t.size[0] = t.box[0] = 128; }, true},
      {"64 padded", [](tensor_map& t) { t.type = tensor_type::u6_padded, t.box[0] = 64, t.size[0] = 128; }, false},
      {"padded, an address at 16",
       [](tensor_map& t) { t.type = tensor_type::u4_padded, t.size[0] = t.box[0] = 128, t.address += 16; }, false},
      {"padded, a swizzle of 64",
       [](tensor_map& t) {
         t.type = tensor_type::u4_padded, t.size[0] = t.box[0] = 128, t.swizzle = tensor_swizzle::bytes_64;
       },
       false},
      {"padded, pieces of 32",
       [](tensor_map& t) {
         t.type = tensor_type::u4_padded, t.size[0] = t.box[0] = 128, t.swizzle = tensor_swizzle::bytes_128_by_32;
       },
       true},
  };
  for (const change& c : changes) {
    tensor_map t = plain();
    c.make(t);
    EXPECT_EQ(!problem_of(t).has_value(), c.accepted) << c.name;
  }
}

// The decoded values equal the encoded values.
RC_GTEST_PROP(TensorMap, SurvivesItsBytes, ()) {
  const auto below = [](std::uint64_t n) { return *rc::gen::inRange<std::uint64_t>(0, n); };
  tensor_map t;
  t.address = below(std::uint64_t{1} << 44) * 16;
  t.dimensions = 1 + static_cast<unsigned>(below(5));
  t.type = static_cast<tensor_type>(below(tensor_types));
  t.swizzle = static_cast<tensor_swizzle>(below(tensor_swizzles));
  t.l2_promotion = static_cast<std::uint8_t>(below(4));
  t.fills_with_nan = is_floating(t.type) && below(2) != 0;
  for (unsigned i = 0; i < t.dimensions; ++i) {
    t.size[i] = 1 + below(std::uint64_t{1} << 32);
    t.stride[i] = i == 0 ? 0 : 16 * below(std::uint64_t{1} << 36);
    t.box[i] = static_cast<std::uint32_t>(i == 0 ? elements_of_piece(t.type) : 1 + below(8));
    t.element_stride[i] = static_cast<std::uint32_t>(1 + below(8));
  }
  if (t.type == tensor_type::u4) t.size[0] += t.size[0] % 2;
  if (is_padded(t.type)) {
    t.address &= ~std::uint64_t{31};
    for (std::uint64_t& stride : t.stride) stride &= ~std::uint64_t{31};
    t.size[0] = 128 + t.size[0] / 128 * 128 % (std::uint64_t{1} << 31);
    t.box[0] = 128;
    if (t.swizzle != tensor_swizzle::none) t.swizzle = tensor_swizzle::bytes_128_by_32;
  }
  RC_ASSERT(!problem_of(t));
  const auto back = decode_tensor_map(encode(t));
  RC_ASSERT(back.has_value());
  RC_ASSERT(encode(*back) == encode(t));
  RC_ASSERT(back->address == t.address && back->size == t.size && back->stride == t.stride && back->box == t.box);
  RC_ASSERT(back->element_stride == t.element_stride && back->type == t.type && back->swizzle == t.swizzle);
}

// Random bytes are either refused, or decoded to a map that the driver can make.
RC_GTEST_PROP(TensorMap, IsMadeOfNoOtherBytes, ()) {
  tensor_map_words words;
  for (std::uint32_t& w : words) w = *rc::gen::arbitrary<std::uint32_t>();
  if (const auto t = decode_tensor_map(words)) RC_ASSERT(!problem_of(*t));
}

}  // namespace
}  // namespace bankwise
