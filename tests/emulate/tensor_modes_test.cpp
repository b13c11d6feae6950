// Compares tensor copies with the copies of an H100: columns of pixels (im2col), interleaved tensors, stores and
// reductions in tile mode and im2col mode, and cases that the driver or the hardware refuses.
// tests/probes/tensor_cases.hpp makes the cases. data/sm_90/tensor_modes.bin.zst contains the resulting memory.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <numeric>

#include "cubin/load_cubin.hpp"
#include "emulate/launch/launch.hpp"
#include "emulate/memory/tensor_map.hpp"
#include "probes/tensor_cases.hpp"
#include "support/counting_check.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

using probes::tensor_case;
using probes::tensor_row;

constexpr std::int32_t cuda_success = 0, illegal_instruction = 715;

// Returns the map of a case, or nothing if cuTensorMapEncode* refuses the case.
std::optional<emulate::tensor_map> map_of(const tensor_case& c, std::uint64_t address) {
  // The driver of an H100 refuses types and swizzles of later GPUs.
  if (c.type >= 13 || c.swizzle > 3) return {};
  emulate::tensor_map t;
  t.address = address;
  t.dimensions = c.rank;
  t.type = static_cast<emulate::tensor_type>(c.type);
  t.interleave = static_cast<std::uint8_t>(c.interleave);
  t.swizzle = static_cast<emulate::tensor_swizzle>(c.swizzle);
  t.fills_with_nan = c.fill != 0;
  for (unsigned i = 0; i < c.rank; ++i) {
    t.size[i] = c.size[i];
    t.stride[i] = i == 0 ? 0 : c.stride[i - 1];
    t.box[i] = !is_im2col(c) ? c.box[i] : i == 0 ? c.channels : 1;
    t.element_stride[i] = c.element_stride[i];
  }
  if (is_im2col(c)) {
    t.pixels = c.pixels;
    for (unsigned i = 0; i + 2 < c.rank; ++i) t.lower[i] = c.lower[i], t.upper[i] = c.upper[i];
  }
  if (problem_of(t)) return {};
  return t;
}

struct outcome {
  emulate::fault_kind fault = emulate::fault_kind::none;
  bool done = false;
  std::uint64_t hash = 0;
};

class TensorModes : public testing::Test {
 protected:
  void SetUp() override {
    code_ = test::read_zstd(test::source_path("data/sm_90/tensor_modes.cubin.zst"));
    auto p = cubin::load_cubin(std::as_bytes(std::span(code_)), "tensor_modes.cubin");
    ASSERT_TRUE(p) << to_text(p.error());
    program_ = std::move(*p);
    for (const cubin::kernel& k : program_.kernels) kernels_[k.mangled] = &k;
    const std::string bytes = test::read_zstd(test::source_path("data/sm_90/tensor_modes.bin.zst"));
    ASSERT_EQ(bytes.size() % sizeof(tensor_row), 0u);
    rows_.resize(bytes.size() / sizeof(tensor_row));
    std::memcpy(rows_.data(), bytes.data(), bytes.size());
  }

  outcome run(const tensor_case& c) {
    std::vector<std::uint32_t> content(probes::tensor_buffer_bytes / 4);
    std::iota(content.begin(), content.end(), 0u);
    emulate::device_memory memory;
    const std::uint64_t out = memory.allocate(probes::tensor_shared_bytes + 64, "out").value();
    const std::uint64_t buffer = memory.allocate(probes::tensor_buffer_bytes, "buffer").value();
    std::memset(memory.bytes_at(out, probes::tensor_shared_bytes + 64), 0, probes::tensor_shared_bytes + 64);
    std::memcpy(memory.bytes_at(buffer, probes::tensor_buffer_bytes), content.data(), probes::tensor_buffer_bytes);

    emulate::launch l;
    l.program = &program_;
    l.kernel = kernels_.at(probes::tensor_kernels[c.kind] + std::to_string(c.rank));
    l.grid = {1, 1, 1};
    l.block = {128, 1, 1};
    l.dynamic_shared_bytes = probes::tensor_shared_bytes;
    l.threads = 1;
    const emulate::tensor_map_words map = encode(*map_of(c, buffer + probes::tensor_base));
    const probes::tensor_places places = probes::places_of(c);
    l.parameters.resize(l.kernel->params.back().offset + sizeof places);
    std::memcpy(l.parameters.data(), &out, sizeof out);
    std::memcpy(l.parameters.data() + l.kernel->params[1].offset, map.data(), sizeof map);
    std::memcpy(l.parameters.data() + l.kernel->params[2].offset, &places, sizeof places);
    outcome o;
    l.fault = &o.fault;
    test::set_instruction_use(l);
    const auto ran = emulate::run_launch(l, memory, {});
    if (!ran) {
      EXPECT_NE(o.fault, emulate::fault_kind::none) << to_text(ran.error());
      return o;
    }
    const std::uint32_t shared = probes::tensor_shared_bytes;
    o.done = *memory.bytes_at(out + shared, 4) != std::byte{0};
    o.hash = is_store(c) ? probes::tensor_hash(memory.bytes_at(buffer, probes::tensor_buffer_bytes),
                                               probes::tensor_buffer_bytes)
                         : probes::tensor_hash(memory.bytes_at(out, shared), shared);
    return o;
  }

  std::string code_;
  cubin::program program_;
  std::map<std::string, const cubin::kernel*> kernels_;
  std::vector<tensor_row> rows_;
};

TEST_F(TensorModes, AreWhatTheDriverMakes) {
  for (const tensor_row& row : rows_) {
    SCOPED_TRACE(std::string(probes::tensor_groups[row.group].name) + " " + std::to_string(row.number));
    const auto map = map_of(probes::make_tensor_case(row.group, row.number), probes::tensor_map_address);
    ASSERT_EQ(map.has_value(), row.encoded == cuda_success);
    if (!map) continue;
    const emulate::tensor_map_words words = encode(*map);
    EXPECT_TRUE(std::equal(words.begin(), words.end(), row.map));
  }
}

TEST_F(TensorModes, CopyWhatTheH100Copied) {
  std::size_t launched = 0, refused = 0;
  for (const tensor_row& row : rows_) {
    if (row.encoded != cuda_success) continue;
    SCOPED_TRACE(std::string(probes::tensor_groups[row.group].name) + " " + std::to_string(row.number));
    const outcome o = run(probes::make_tensor_case(row.group, row.number));
    ++launched;
    if (row.launched == illegal_instruction) {
      EXPECT_EQ(o.fault, emulate::fault_kind::illegal_instruction);
      ++refused;
      continue;
    }
    EXPECT_EQ(row.launched, cuda_success);
    EXPECT_EQ(o.fault, emulate::fault_kind::none);
    EXPECT_EQ(o.done, row.done != 0);
    EXPECT_EQ(o.hash, row.hash);
  }
  EXPECT_EQ(launched, 1993u);
  EXPECT_EQ(refused, 47u);
}

}  // namespace
}  // namespace bankwise
