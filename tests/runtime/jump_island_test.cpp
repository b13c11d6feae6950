// Tests jumps that lead from functions of a program to other functions. The test writes the jumps into programs that
// contain a CUDA runtime.
#include "runtime/load/jump_island.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <string>

#include "runtime/load/loaded_code.hpp"

namespace bankwise::cuda {
namespace {

constexpr std::size_t page = 4096, functions = 64, step = page / functions;
constexpr std::size_t short_one = 3;

byte_span bytes(const void* at, std::size_t count) { return {static_cast<const std::byte*>(at), count}; }

// Pages of functions. Every second function begins with endbr64. Function n returns n.
class CodePages : public testing::Test {
 protected:
  void SetUp() override {
    code = ::mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(code, MAP_FAILED);
    for (std::size_t i = 0; i < functions; ++i) {
      std::string body = i % 2 == 0 ? "\xf3\x0f\x1e\xfa" : "";
      body += '\xb8';
      body.append(reinterpret_cast<const char*>(&i), 4);
      body += '\xc3';
      std::memcpy(at(i), body.data(), body.size());
    }
    ASSERT_EQ(::mprotect(code, 3 * page, PROT_READ | PROT_EXEC), 0);
    before.assign(static_cast<const char*>(code), 3 * page);
  }
  void TearDown() override { ::munmap(code, 3 * page); }

  // Returns function i, counted from the middle of the pages. So there are functions before and after the boundary of a
  // page.
  char* at(std::size_t i) const { return static_cast<char*>(code) + page + page / 2 + i * step; }
  std::uint64_t address(std::size_t i) const { return reinterpret_cast<std::uint64_t>(at(i)); }
  using function = double (*)(int, int, int, int, int, int, double, double, int);
  double call(std::size_t i) const { return reinterpret_cast<function>(at(i))(1, 2, 3, 4, 5, 6, 7, 8, 9); }
  byte_span original(std::size_t i, std::size_t count) const {
    return bytes(before.data() + (at(i) - static_cast<char*>(code)), count);
  }
  static bool is_ever_written_and_executed() {
    for (const mapping& m : read_mappings())
      if ((m.protection & PROT_WRITE) != 0 && (m.protection & PROT_EXEC) != 0) return true;
    return false;
  }

  void* code = nullptr;
  std::string before;
};

int asked = 0;
bool settles = true;
jump_island the_island;

double sum(int a, int b, int c, int d, int e, int f, double g, double h, int i) {
  return a + b + c + d + e + f + g + h + i * 100;
}
double product(int, int, int, int, int, int, double g, double h, int i) { return g * h * i; }

void* lead(void*, std::size_t number) noexcept {
  ++asked;
  // Overwrites registers that may hold arguments, as a loader does.
  asm volatile("pxor %%xmm0, %%xmm0\npxor %%xmm1, %%xmm1\npxor %%xmm7, %%xmm7" ::
                   : "xmm0", "xmm1", "xmm7", "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "rax");
  void* const to = reinterpret_cast<void*>(number % 2 == 0 ? &sum : &product);
  if (settles) settle(the_island, number, to);
  return to;
}

TEST_F(CodePages, LeadToOtherFunctions) {
  asked = 0;
  settles = true;
  const auto taken = read_mappings();
  const auto here = find_code(taken, address(0), functions * step);
  ASSERT_TRUE(here);
  the_island = make_jump_island(*here, taken, functions, nullptr, &lead);
  ASSERT_NE(the_island.address, 0u);
  EXPECT_TRUE(reaches(the_island, *here));
  std::vector<std::vector<std::byte>> jumps;
  std::vector<code_change> changes;
  for (std::size_t i = 0; i < functions; ++i)
    jumps.push_back(jump_to_island(the_island, i, address(i), original(i, i == short_one ? 4 : 12)));
  EXPECT_TRUE(jumps[short_one].empty());
  for (std::size_t i = 0; i < functions; ++i)
    if (i != short_one) changes.push_back({address(i), original(i, jumps[i].size()), jumps[i]});
  EXPECT_EQ(change_code(*here, changes), "");

  EXPECT_FALSE(is_ever_written_and_executed());
  const auto again = find_code(read_mappings(), address(0), functions * step);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->protection, PROT_READ | PROT_EXEC);
  // The jumps do not change the function that is too short. They also do not change the bytes between functions.
  EXPECT_EQ(std::memcmp(at(short_one), original(short_one, step).data(), step), 0);
  for (std::size_t i = 0; i < functions; ++i) {
    if (i == short_one) continue;
    const std::size_t kept = i % 2 == 0 ? 4 : 0;
    EXPECT_EQ(std::memcmp(at(i), original(i, kept).data(), kept), 0);
    EXPECT_EQ(static_cast<unsigned char>(at(i)[kept]), 0xe9);
    EXPECT_EQ(std::memcmp(at(i) + kept + 5, original(i, step).data() + kept + 5, step - kept - 5), 0);
    for (int round = 0; round < 2; ++round) EXPECT_EQ(call(i), i % 2 == 0 ? 936 : 504) << i;
  }
  EXPECT_EQ(asked, static_cast<int>(functions) - 1);  // once each
  forget_addresses(the_island);
  settles = false;
  for (int round = 0; round < 3; ++round) EXPECT_EQ(call(8), 936);
  EXPECT_EQ(asked, static_cast<int>(functions) + 2);
}

TEST_F(CodePages, AreLeftWhereTheyAreNotWhatTheFileSays) {
  const auto here = find_code(read_mappings(), address(0), functions * step);
  ASSERT_TRUE(here);
  const std::byte other[4] = {}, jump[4] = {};
  EXPECT_NE(change_code(*here, {{address(1), original(1, 4), jump}, {address(2), other, jump}}), "");
  EXPECT_NE(change_code(*here, {{here->last - 2, other, jump}}), "");
  EXPECT_NE(change_code(*here, {{here->first - 2, other, jump}}), "");
  EXPECT_EQ(std::memcmp(code, before.data(), before.size()), 0);
}

TEST_F(CodePages, AreNotFoundWhereNothingIsExecuted) {
  const auto taken = read_mappings();
  EXPECT_FALSE(find_code(taken, address(0), 8 * page));
  EXPECT_FALSE(find_code(taken, reinterpret_cast<std::uint64_t>(before.data()), 16));
  EXPECT_FALSE(find_code(taken, ~std::uint64_t{0} - 4, 16));
}

}  // namespace
}  // namespace bankwise::cuda
