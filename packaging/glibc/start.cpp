// Makes a program start with every version of glibc. Since 2.34, glibc itself calls a program's constructors. Before
// 2.34, the program passed a function for this, as this file does. The linker's --wrap redirects calls to this file.
#include <cstddef>

extern "C" {

using main_function = int (*)(int, char**, char**);
using initializer = void (*)(int, char**, char**);

#ifdef __x86_64__
asm(".symver bankwise_old_start, __libc_start_main@GLIBC_2.2.5");
#else
asm(".symver bankwise_old_start, __libc_start_main@GLIBC_2.17");
#endif
int bankwise_old_start(main_function main, int argc, char** argv, initializer first, void (*last)(),
                       void (*loader_last)(), void* stack_end);

// The linker defines this table of the program's constructors.
extern const initializer __init_array_start[] __attribute__((visibility("hidden")));
extern const initializer __init_array_end[] __attribute__((visibility("hidden")));
void _init();

// Replaces __libc_csu_init, which crt1.o contained when glibc 2.28 was new. In every version, the loader calls the
// destructors.
static void construct(int argc, char** argv, char** environment) {
  _init();
  for (const initializer* at = __init_array_start; at != __init_array_end; ++at) (*at)(argc, argv, environment);
}

int __wrap___libc_start_main(main_function main, int argc, char** argv, initializer, void (*last)(),
                             void (*loader_last)(), void* stack_end) {
  return bankwise_old_start(main, argc, argv, construct, last, loader_last, stack_end);
}

}  // extern "C"
