// Compares tensor copies of sm_100 with the expected copies, which this test makes pixel by pixel. Also tests cluster
// launch control and conversions to TF32.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "base/float_bits.hpp"
#include "emulate/memory/tensor_map.hpp"
#include "model/shared_traffic.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using emulate::tensor_map;
using emulate::tensor_swizzle;
using emulate::tensor_type;

constexpr const char* cubin = "tests/kernels/blackwell/tensor_copies.cubin";

std::string random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(count, '\0');
  for (char& b : bytes) b = static_cast<char>(random());
  return bytes;
}

struct copy {
  std::string kernel;
  tensor_map map;
  std::string data;
  std::array<int, 5> at{};
  unsigned halo = 0, offset = 0, bytes = 0;
  std::string shared;  // for stores

  result<test::kernel_run> run() const {
    const auto words = encode(map);
    const auto n = [](long long x) { return std::to_string(x); };
    std::vector<std::string> arguments = {"u8[128]=file:map", "u8[" + n(data.size()) + "]=file:data"};
    for (const int a : at) arguments.push_back("i32=" + n(a));
    arguments.insert(arguments.end(),
                     {"u32=" + n(halo), "u32=" + n(offset), "u32=" + n(bytes),
                      shared.empty() ? "out:u8[" + n(bytes) + "]" : "u8[" + n(bytes) + "]=file:shared"});
    return test::run_kernel({.cubin = cubin,
                             .kernel = kernel,
                             .block = {128, 1, 1},
                             .shared = 65536,
                             .arguments = std::move(arguments),
                             .files = {{"map", std::string(reinterpret_cast<const char*>(words.data()), 128)},
                                       {"data", data},
                                       {"shared", shared}}});
  }
};
constexpr std::size_t data_argument = 1, out_argument = 10;

tensor_map dense_map(tensor_type type, std::vector<unsigned> sizes, std::vector<unsigned> box) {
  tensor_map m;
  m.type = type;
  m.dimensions = static_cast<unsigned>(sizes.size());
  std::uint64_t stride = bits_of(type) / 8;
  for (unsigned i = 0; i < m.dimensions; ++i) {
    m.size[i] = sizes[i];
    m.box[i] = i < box.size() ? box[i] : 1;
    m.element_stride[i] = 1;
    m.stride[i] = i == 0 ? 0 : stride;
    stride *= sizes[i];
  }
  return m;
}

// --- four rows

TEST(TensorCopies, GathersAndScattersFourRows) {
  constexpr unsigned columns = 24, rows = 9, width = 16;
  for (const bool loads : {true, false}) {
    copy c{loads ? "gather4" : "scatter4", dense_map(tensor_type::u32, {columns, rows}, {width, 1}),
           random_bytes(columns * rows * 4, 1)};
    c.at = {4, 7, 0, 3, 2};
    c.bytes = 4 * width * 4;
    if (!loads) c.shared = random_bytes(c.bytes, 2);
    const auto done = c.run();
    ASSERT_TRUE(done) << to_text(done.error());
    std::string expected = loads ? std::string(c.bytes, '\0') : c.data;
    for (unsigned row = 0; row < 4; ++row) {
      const std::size_t in_box = row * width * 4, in_tensor = (c.at[1 + row] * columns + c.at[0]) * 4;
      if (loads)
        expected.replace(in_box, width * 4, c.data, in_tensor, width * 4);
      else
        expected.replace(in_tensor, width * 4, c.shared, in_box, width * 4);
    }
    EXPECT_EQ(done->buffers[loads ? out_argument : data_argument], expected);
    const std::vector<shared_traffic> traffic = traffic_of(done->launch());
    ASSERT_EQ(traffic.size(), 1u);
    EXPECT_EQ(traffic[0].operation, "cp.async.bulk.tensor");
    EXPECT_EQ(traffic[0].to_shared, loads);
    EXPECT_EQ(traffic[0].bytes, c.bytes);
    EXPECT_EQ(traffic[0].byte_passes, c.bytes / 128);
  }
}

// A store of elements of 6 bits packs the low bits of each byte (.b6p2x16 in the PTX manual).
TEST(TensorCopies, PacksSixBits) {
  constexpr unsigned columns = 256, rows = 9, width = 128, row_bytes = columns * 6 / 8;
  copy c{"scatter4", dense_map(tensor_type::u6_padded, {columns, rows}, {width, 1}), random_bytes(row_bytes * rows, 3)};
  c.map.stride[1] = row_bytes;
  c.at = {128, 7, 0, 3, 2};
  c.bytes = 4 * width;
  c.shared = random_bytes(c.bytes, 4);
  const auto done = c.run();
  ASSERT_TRUE(done) << to_text(done.error());
  std::string expected = c.data;
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned i = 0; i < width * 6; ++i) {  // bit i of the row
      const unsigned at = (c.at[1 + row] * row_bytes + 128 * 6 / 8) * 8 + i;
      const auto mask = static_cast<char>(1 << at % 8);
      const bool is_set = (static_cast<unsigned char>(c.shared[row * width + i / 6]) >> i % 6 & 1) != 0;
      expected[at / 8] = static_cast<char>(is_set ? expected[at / 8] | mask : expected[at / 8] & ~mask);
    }
  EXPECT_EQ(done->buffers[data_argument], expected);
}

// A row outside of the tensor is filled with zeros.
TEST(TensorCopies, FillsGatheredRows) {
  copy c{"gather4", dense_map(tensor_type::u32, {8, 4}, {8, 1}), random_bytes(128, 3)};
  c.at = {0, 1, -1, 4, 3};
  c.bytes = 128;
  const auto done = c.run();
  ASSERT_TRUE(done) << to_text(done.error());
  const std::string zeros(32, '\0');
  EXPECT_EQ(done->buffers[out_argument], c.data.substr(32, 32) + zeros + zeros + c.data.substr(96, 32));
}

// --- columns along W

struct pixel {
  int w, image;
};
// Returns the pixels in the order of the copy: along W up to the upper corner, then from the lower corner of the next
// image.
std::vector<pixel> walk(const copy& c, unsigned count) {
  const int lower = c.map.lower[0] + static_cast<int>(c.offset),
            upper = static_cast<int>(c.map.size[1]) - 1 + c.map.upper[0] + static_cast<int>(c.offset);
  std::vector<pixel> all;
  int w = c.at[1] + static_cast<int>(c.offset), image = c.at[c.map.dimensions - 1];
  while (all.size() < count) {
    all.push_back({w, image});
    w += static_cast<int>(c.map.element_stride[1]);
    if (w > upper) w = lower, ++image;
  }
  return all;
}

void expect_pixels(copy c, unsigned seed) {
  const tensor_map& m = c.map;
  const unsigned channels = m.box[0], pitch = channels * 2;  // the box is as wide as the swizzle
  std::size_t elements = 1;
  for (unsigned i = 0; i < m.dimensions; ++i) elements *= m.size[i];
  c.data = random_bytes(elements * 2, seed);
  const bool in_groups = c.kernel == "pixels_w128_4d";
  const unsigned main = in_groups ? 128 : m.pixels;
  std::vector<pixel> pixels = walk(c, main + c.halo);
  if (in_groups) {
    const std::vector<pixel> all = pixels;
    pixels.resize(main);
    for (unsigned h = 0; h < c.halo; ++h)
      for (unsigned group = 1; group <= 4; ++group) pixels.push_back(all[32 * group + h]);
  }
  c.bytes = static_cast<unsigned>(pixels.size()) * pitch;
  const auto done = c.run();
  ASSERT_TRUE(done) << c.kernel << to_text(done.error());
  const std::string& got = done->buffers[out_argument];
  for (unsigned row = 0; row < pixels.size(); ++row) {
    std::array<long long, 5> at{};
    for (unsigned i = 0; i < m.dimensions; ++i) at[i] = c.at[i];
    at[1] = pixels[row].w;
    at[m.dimensions - 1] = pixels[row].image;
    bool inside = true;
    long long element = 0, step = 1;
    for (unsigned i = 0; i < m.dimensions; ++i) {
      inside &= at[i] >= 0 && at[i] < static_cast<long long>(m.size[i]);
      element += at[i] * step;
      step *= static_cast<long long>(m.size[i]);
    }
    const std::string expected = inside ? c.data.substr(element * 2, pitch) : std::string(pitch, '\0');
    for (unsigned piece = 0; piece < pitch / 16; ++piece) {
      const unsigned address = row * pitch + piece * 16;
      const unsigned swizzled = address ^ (address >> 7 & (pitch / 16 - 1)) << 4;
      ASSERT_EQ(got.substr(swizzled, 16), expected.substr(piece * 16, 16)) << c.kernel << " pixel " << row;
    }
  }
}

copy pixels_of(const char* kernel, std::vector<unsigned> sizes, unsigned channels, unsigned pixels, int lower,
               int upper) {
  copy c{kernel, dense_map(tensor_type::u16, std::move(sizes), {channels}), {}};
  c.map.pixels = pixels;
  c.map.along_w = true;
  c.map.lower[0] = lower, c.map.upper[0] = upper;
  c.map.swizzle = channels == 32 ? tensor_swizzle::bytes_64 : tensor_swizzle::bytes_128;
  return c;
}

TEST(TensorCopies, LoadsColumnsAlongW) {
  copy c = pixels_of("pixels_w_3d", {32, 5, 7}, 32, 18, 0, 0);
  c.at = {0, 2, 1};
  expect_pixels(c, 4);
  c = pixels_of("pixels_w_4d", {64, 9, 3, 40}, 64, 128, 0, 0);
  c.at = {0, 2, 1, 0};
  c.halo = 2;
  expect_pixels(c, 5);
  // Fills the two buffers as in the first example of the manual: with a stride of two, a halo and an offset.
  for (const unsigned buffer : {0u, 1u}) {
    c = pixels_of("pixels_w_4d", {64, 9, 4, 30}, 64, 100, -1, 0);
    c.map.element_stride[1] = 2;
    c.at = {0, -1, 2, 0};
    c.halo = 1 - buffer, c.offset = buffer;
    expect_pixels(c, 6 + buffer);
  }
  // The copy may begin before the lower corner. If the coordinate H is outside of the tensor, the copy writes zeros.
  c = pixels_of("pixels_w_4d", {32, 6, 2, 9}, 32, 20, 1, -1);
  c.at = {0, -2, 1, 3};
  expect_pixels(c, 8);
  c.at = {0, 1, 2, 3};
  expect_pixels(c, 9);
  c = pixels_of("pixels_w_5d", {32, 6, 2, 3, 9}, 32, 33, -1, -1);
  c.at = {0, 3, 1, 2, 1};
  c.halo = 3;
  expect_pixels(c, 10);
}

TEST(TensorCopies, Loads128PixelsAlongW) {
  copy c = pixels_of("pixels_w128_4d", {32, 9, 2, 30}, 32, 7, 0, 0);  // the corner 7 in the map has no effect
  c.at = {0, 2, 1, 4};
  expect_pixels(c, 11);
  c.halo = 2, c.offset = 1;
  expect_pixels(c, 12);
}

TEST(TensorCopies, RefusesOtherMapsAlongW) {
  copy c = pixels_of("pixels_w_3d", {32, 5, 7}, 32, 18, 0, 0);
  c.at = {0, 5, 1};
  c.data = std::string(32 * 5 * 7 * 2, '\0');
  c.bytes = 18 * 64;
  auto done = c.run();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("begins at coordinate 5 of dimension 1, outside the bounding box from 0 to 4"),
            std::string::npos)
      << done.error().message;
  c.at[1] = 0;
  c.map.along_w = false;
  done = c.run();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("makes a tensor copy in im2col::w mode, but the tensor map is for im2col mode"),
            std::string::npos)
      << done.error().message;
}

TEST(TensorCopies, ChecksMapsAlongW) {
  tensor_map m = pixels_of("", {32, 5, 7}, 32, 18, -3, 300).map;
  EXPECT_FALSE(problem_of(m));
  const auto again = emulate::decode_tensor_map(encode(m));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->along_w);
  EXPECT_EQ(again->lower[0], -3);
  EXPECT_EQ(again->upper[0], 300);
  EXPECT_EQ(again->pixels, 18u);
  m.swizzle = tensor_swizzle::none;
  m.box[0] = 8;
  EXPECT_EQ(problem_of(m), "im2col::w maps need a swizzle of 64 or 128 bytes");
}

// --- reductions

template <class T>
T combine(const std::string& op, T old, T x) {
  if (op == "add") return static_cast<T>(old + x);
  if (op == "min") return std::min(old, x);
  if (op == "max") return std::max(old, x);
  if constexpr (std::is_integral_v<T>) {
    if (op == "and") return old & x;
    if (op == "or") return old | x;
    if (op == "xor") return old ^ x;
    if (op == "inc") return old >= x ? 0 : static_cast<T>(old + 1);
    if (op == "dec") return old == 0 || old > x ? x : static_cast<T>(old - 1);
  }
  return {};
}

// T is the type of the stored number. `value` decodes the number, and `bits` encodes it.
template <class T, class Value>
void expect_reductions(tensor_type type, std::vector<std::string> ops, Value value, T (*bits)(Value), Value (*of)(T)) {
  for (const std::string& op : ops) {
    constexpr unsigned columns = 32, rows = 6, width = 16, height = 4;
    copy c{"reduce_" + op, dense_map(type, {columns, rows}, {width, height}), {}};
    std::vector<T> data(columns * rows), from(width * height);
    std::mt19937 random(17);
    for (T& d : data) d = bits(static_cast<Value>(value * static_cast<Value>(random() % 7)));
    for (T& x : from) x = bits(static_cast<Value>(value * static_cast<Value>(random() % 7)));
    c.data = test::bytes_of(data);
    c.shared = test::bytes_of(from);
    c.at = {8, 4};  // two rows are outside of the tensor
    c.bytes = static_cast<unsigned>(c.shared.size());
    const auto done = c.run();
    ASSERT_TRUE(done) << op << to_text(done.error());
    for (unsigned row = 0; row < 2; ++row)
      for (unsigned column = 0; column < width; ++column) {
        T& d = data[(4 + row) * columns + 8 + column];
        d = bits(combine<Value>(op, of(d), of(from[row * width + column])));
      }
    EXPECT_EQ(done->buffer<T>(data_argument), data) << op << " of type " << static_cast<int>(type);
  }
}
template <class T>
T same(T x) {
  return x;
}

TEST(TensorCopies, ReducesEveryType) {
  using i32 = std::int32_t;
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  using i64 = std::int64_t;
  using u16 = std::uint16_t;
  expect_reductions<u32, u32>(tensor_type::u32, {"add", "min", "max", "inc", "dec", "and", "or", "xor"}, 3, same, same);
  expect_reductions<i32, i32>(tensor_type::s32, {"add", "min", "max", "and", "or", "xor"}, -3, same, same);
  expect_reductions<u64, u64>(tensor_type::u64, {"add", "min", "max", "and", "or", "xor"}, 0x100000003, same, same);
  expect_reductions<i64, i64>(tensor_type::s64, {"min", "max"}, -0x100000003, same, same);
  expect_reductions<float, float>(tensor_type::f32, {"add"}, 0.5f, same, same);
  expect_reductions<float, float>(tensor_type::f32_ftz, {"add"}, 0.5f, same, same);
  expect_reductions<double, double>(tensor_type::f64, {"add"}, 0.5, same, same);
  expect_reductions<u16, float>(
      tensor_type::f16, {"add", "min", "max"}, -0.5f, [](float x) { return static_cast<u16>(half_of_double(x)); },
      [](u16 x) { return static_cast<float>(float_of_half(x)); });
  expect_reductions<u16, float>(
      tensor_type::bf16, {"add", "min", "max"}, -0.5f, [](float x) { return static_cast<u16>(bits_of_float(x) >> 16); },
      [](u16 x) { return float_of_bits(u32{x} << 16); });
}

// --- cluster launch control

// Each block's work must be done exactly once, either by the block itself or by a different block that took the work
// over.
TEST(TensorCopies, AsksForWork) {
  const auto done =
      test::run_kernel({.cubin = cubin, .kernel = "asks_for_work", .grid = {6, 1, 1}, .arguments = {"out:u32[6]"}});
  ASSERT_TRUE(done) << to_text(done.error());
  EXPECT_EQ(done->buffer<std::uint32_t>(0), std::vector<std::uint32_t>(6, 1));
}

// --- the order of waiting warps

// One warp, the leader, ends the phases of two mbarriers, and the other warps test the mbarriers in turn. A warp that
// has seen a phase end must test the other mbarrier before the leader ends two phases of the other mbarrier. If a warp
// lost its turn after each test, it would miss phases and wait forever. CUTLASS's tutorial 02 for sm_100 depends on
// this order.
TEST(TensorCopies, LetsWarpsFollowPhases) {
  for (const unsigned warps : {2u, 4u, 8u}) {
    constexpr unsigned rounds = 60;
    const auto done = test::run_kernel(
        {.cubin = cubin,
         .kernel = "follows_phases",
         .block = {32 * warps, 1, 1},
         .shared = 1024,
         .arguments = {"u8[1024]=zero", "u32=" + std::to_string(rounds), "out:u32[" + std::to_string(32 * warps) + "]"},
         .budget = 1'000'000});
    ASSERT_TRUE(done) << warps << to_text(done.error());
    EXPECT_EQ(done->buffer<std::uint32_t>(2), std::vector<std::uint32_t>(32 * warps, rounds));
  }
}

// --- conversions

// Rounds x toward zero to a number with 10 bits of fraction.
double toward_zero(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const double step = std::ldexp(1.0, std::max(exponent - 11, -136));
  return std::trunc(x / step) * step;
}
double nearest(double x, bool to_even) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const double step = std::ldexp(1.0, std::max(exponent - 11, -136)), n = x / step;
  return (to_even ? std::nearbyint(n) : std::round(n)) * step;
}

TEST(TensorCopies, RoundsToTf32) {
  std::vector<float> in = {1.0f,
                           -1.5f,
                           3.14159265f,
                           1.00048828125f,
                           1.00146484375f,
                           -2.000732421875f,
                           1e-3f,
                           65504,
                           3.3e38f,
                           -3.3e38f,
                           3.4028234663852886e38f,
                           -3.4028234663852886e38f,
                           0.0f,
                           -0.0f,
                           INFINITY,
                           -INFINITY,
                           NAN,
                           1e20f};
  in.resize(32, 7.7f);
  const auto done = test::run_kernel({.cubin = cubin,
                                      .kernel = "rounds_to_tf32",
                                      .arguments = {"f32[32]=file:in", "out:u32[256]"},
                                      .files = {{"in", test::bytes_of(in)}}});
  ASSERT_TRUE(done) << to_text(done.error());
  const std::vector<std::uint32_t> out = done->buffer<std::uint32_t>(1);
  constexpr double most = 0x1.ffcp127;
  for (unsigned n = 0; n < 32; ++n)
    for (unsigned form = 0; form < 8; ++form) {
      const double x = in[n];
      // The forms are rna, rna.satfinite, rn, rn.satfinite, rz, rz.satfinite, rn.relu.satfinite and rz.relu.satfinite.
      const bool satfinite = form % 2 == 1 || form == 6, relu = form >= 6,
                 to_zero = form == 4 || form == 5 || form == 7;
      const float got = float_of_bits(out[8 * n + form]);
      if (std::isnan(x)) {
        EXPECT_TRUE(std::isnan(got)) << form;
        continue;
      }
      double y = std::isinf(x) ? x : to_zero ? toward_zero(x) : nearest(x, form >= 2);
      if (satfinite && std::abs(y) > most) y = std::copysign(most, y);
      if (!satfinite && std::abs(y) > most) y = std::copysign(INFINITY, y);
      if (relu && y <= 0) y = 0;
      EXPECT_EQ(got, static_cast<float>(y)) << in[n] << " form " << form;
    }
}

}  // namespace
}  // namespace bankwise
