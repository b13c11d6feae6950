// The variants of functions that use the default stream of the calling thread. Their names end with _ptsz or _ptds. A
// variant records that it was called, then jumps to the plain function. It changes no register that holds a parameter,
// so the same code works for all functions.
#pragma once

#if defined(__x86_64__)
#define THREAD_FORM(name, plain)                                                           \
  asm(".text\n.globl " #name "\n.type " #name ",@function\n" #name                         \
      ":\n"                                                                                \
      " push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push %r9\n push %rax\n" \
      " call _ZN8bankwise4cuda17begin_thread_callEv@PLT\n"                                 \
      " pop %rax\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n"        \
      " jmp " #plain "@PLT\n.size " #name ",.-" #name "\n");
#else
// On other processors than x86-64, a variant is the plain function. It uses the default stream that all threads share.
#define THREAD_FORM(name, plain) asm(".globl " #name "\n.set " #name "," #plain "\n");
#endif
