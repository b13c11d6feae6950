// Tests the allocation of tensor memory with patched kernels. ptxas does not make such code from correct programs.
#include <gtest/gtest.h>

#include <fstream>

#include "base/system/scratch_folder.hpp"
#include "cubin/load_cubin.hpp"
#include "sass/instruction.hpp"
#include "support/files.hpp"
#include "support/kernel_run.hpp"
#include "support/machine_code.hpp"

namespace bankwise {
namespace {

using emulate::fault_kind;

constexpr const char* kernel = "load_32x32b";
constexpr unsigned exit_code = 0x94d, nop_code = 0x918, dealloc_code = 0x84c, free_code = 0x9e3;

// Patches a kernel that allocates and frees tensor memory in its first warp. The other warps end at an EXIT before the
// dealloc.
struct patched_kernel {
  std::string image = test::read_text(test::source_path("tests/kernels/blackwell/tensor_memory.cubin"));
  std::size_t code = 0, bytes = 0;
  scratch_folder scratch;

  patched_kernel() {
    const auto p = cubin::load_cubin({reinterpret_cast<const std::byte*>(image.data()), image.size()}, "image");
    if (!p) return;
    for (const cubin::kernel& k : p->kernels)
      if (k.name == kernel) {
        const std::size_t header = number(40) + std::size_t{64} * p->sections[k.section].elf_index;
        code = number(header + 24) + k.offset;
        bytes = k.code_bytes;
      }
  }
  std::uint64_t number(std::size_t at) const {  // reads a number in the ELF file
    std::uint64_t word = 0;
    std::memcpy(&word, image.data() + at, sizeof word);
    return word;
  }
  std::uint64_t low(std::size_t at) const { return number(code + at); }
  // Returns the offset of the last instruction with this opcode (bits 0 to 11) before `end`. Returns the end of the
  // code if there is none.
  std::size_t last(unsigned opcode, bool guarded, std::size_t end) const {
    for (std::size_t at = end; at >= sass::instruction_bytes;) {
      at -= sass::instruction_bytes;
      if ((low(at) & 0xfff) == opcode && ((low(at) >> 12 & 7) != sass::predicate_true) == guarded) return at;
    }
    return bytes;
  }
  void put(std::size_t at, const test::machine_code& one) {
    image.replace(code + at, sass::instruction_bytes, one.bytes.substr(one.bytes.size() - sass::instruction_bytes));
  }
  result<test::kernel_run> run(fault_kind& fault) {
    const std::string path = scratch.path() + "/patched.cubin";
    std::ofstream(path, std::ios::binary) << image;
    return test::run_kernel(
        {.cubin = path, .kernel = kernel, .block = {128, 1, 1}, .arguments = {"out:u32[512]"}, .fault = &fault});
  }
};

// CUTLASS's example 112 frees the same columns in several warps. On a GPU, warps leave a barrier together, and all of
// them pass ptxas's check before the first warp frees the columns.
TEST(TensorAllocation, IsFreedByWarpsThatPassTheCheckTogether) {
  patched_kernel k;
  ASSERT_NE(k.bytes, 0u);
  const std::size_t free = k.last(dealloc_code, false, k.bytes), leave = k.last(exit_code, true, free);
  ASSERT_LT(free, k.bytes);
  ASSERT_LT(leave, k.bytes);
  k.put(leave, test::machine_code{}.nop());
  fault_kind fault = fault_kind::none;
  const auto done = k.run(fault);
  ASSERT_TRUE(done) << to_text(done.error());
  const std::vector<unsigned> out = done->buffer<unsigned>(0);
  for (unsigned t = 0; t < 128; ++t)
    for (unsigned c = 0; c < 4; ++c) ASSERT_EQ(out[t / 32 * 128 + 32 * c + t % 32], 1000 * t + 3 + c) << t;
}

TEST(TensorAllocation, NamesTheCheckThatFailed) {
  patched_kernel k;
  ASSERT_NE(k.bytes, 0u);
  // The kernel ends with an EXIT after the dealloc. The test writes a jump over this EXIT. The jump leads back to the
  // NOP before ptxas's check.
  const std::size_t free = k.last(free_code, false, k.bytes), check = k.last(nop_code, false, free);
  ASSERT_LT(free, k.bytes);
  ASSERT_LT(check, k.bytes);
  std::size_t end = free;
  while (end < k.bytes && (k.low(end) & 0xfff) != exit_code) end += sass::instruction_bytes;
  ASSERT_LT(end, k.bytes);
  test::machine_code again;
  while (again.here() < end) again.nop();
  k.put(end, again.branch(check));
  fault_kind fault = fault_kind::none;
  const auto done = k.run(fault);
  ASSERT_FALSE(done);
  EXPECT_EQ(fault, fault_kind::trap);
  EXPECT_NE(done.error().message.find("tcgen05.dealloc frees columns of tensor memory that are not allocated"),
            std::string::npos)
      << done.error().message;
  EXPECT_NE(done.error().hint.find("free columns only once"), std::string::npos) << done.error().hint;
}

}  // namespace
}  // namespace bankwise
