// Tests what the machine code after a call does with the returned value. The bytes are what gcc writes.
#include "runtime/device/result_use.hpp"

#include <gtest/gtest.h>

namespace bankwise::cuda {
namespace {

#if defined(__x86_64__)

TEST(ResultUse, AComparisonOrACopyIsAUse) {
  constexpr unsigned char test[] = {0x85, 0xc0, 0x75, 0x00},                                // test eax, eax
      copied[] = {0x89, 0x45, 0xec},                                                        // mov [rbp-20], eax
      saved[] = {0x48, 0x8d, 0x3d, 0, 0, 0, 0, 0x89, 0xc3},                                 // lea rdi; mov ebx, eax
      unknown[] = {0x0f, 0x05};                                                             // syscall
  for (const unsigned char* const code : {test, copied, saved, unknown}) EXPECT_EQ(use_at(code), result_use::used);
}

TEST(ResultUse, ACallOrANewValueOverwritesIt) {
  constexpr unsigned char call[] = {0xe8, 0, 0, 0, 0},                                      // call
      zero[] = {0xbf, 1, 0, 0, 0, 0x31, 0xc0},                                              // mov edi, 1; xor eax, eax
      loaded[] = {0x48, 0x8b, 0x45, 0xe8};                                                  // mov rax, [rbp-24]
  for (const unsigned char* const code : {call, zero, loaded}) EXPECT_EQ(use_at(code), result_use::overwritten);
}

TEST(ResultUse, AWrapperReturnsIt) {
  constexpr unsigned char plain[] = {0xc9, 0xc3},                                           // leave; ret
      guarded[] = {0x48, 0x8b, 0x55, 0xf8, 0x64, 0x48, 0x2b, 0x14, 0x25, 0x28, 0, 0, 0,     // the stack protector
                   0x74, 0x05, 0xe8, 0, 0, 0, 0, 0xc9, 0xc3};
  EXPECT_EQ(use_at(plain), result_use::returned);
  EXPECT_EQ(use_at(guarded), result_use::returned);
}

#endif

}  // namespace
}  // namespace bankwise::cuda
