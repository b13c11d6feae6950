// Imitates a CUDA runtime that is linked into a program. If a call reaches one of these functions, the call was not
// redirected to the stand-in. CMake makes the list of names from runtime/exports_*.txt.
#pragma once

#include <cstdio>
#include <cstdlib>

#define FUNCTION(name)                                                               \
  extern "C" __attribute__((visibility("hidden"), noinline, used)) int name() {      \
    std::fprintf(stderr, #name " of the runtime that is linked into the program\n"); \
    std::abort();                                                                    \
  }

// A function of three bytes is too short for a jump.
#ifdef HAS_SHORT_FUNCTION
#define LAST_FUNCTION(name)                                                                         \
  asm(".pushsection .text\n.globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name \
      ":\n"                                                                                         \
      "movb $7, %al\nret\n.size " #name ", 3\n.popsection");
#else
#define LAST_FUNCTION(name) FUNCTION(name)
#endif

// Returns the version of the runtime, in code as in CUDA: test rdi, rdi; je; mov dword [rdi], VERSION; xor eax, eax;
// ret
#define VERSION(number)                                                                \
  asm(".pushsection .text\n.type libcudart_static_0, @function\nlibcudart_static_0:\n" \
      "testq %rdi, %rdi\nje 1f\nmovl $" #number                                        \
      ", (%rdi)\nxorl %eax, %eax\n1: ret\n"                                            \
      ".size libcudart_static_0, . - libcudart_static_0\n.popsection");
