// Functions that glibc has only in versions after 2.28. Programs use these replacements, so that they also run with
// glibc 2.28. The linker's --wrap redirects calls to these functions.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" {

// --- since 2.32: whether the process has a single thread. The answer "no" is always correct. With this answer,
// shared_ptr uses atomic additions.
char __wrap___libc_single_threaded = 0;

// --- since 2.33: before this version, stat was a macro that called one of these functions. The first argument names
// the layout of the struct.
int __xstat(int layout, const char* path, struct stat* into);
int __lxstat(int layout, const char* path, struct stat* into);
int __fxstat(int layout, int file, struct stat* into);
#ifdef __x86_64__
constexpr int layout_of_stat = 1;
asm(".symver __xstat, __xstat@GLIBC_2.2.5\n.symver __lxstat, __lxstat@GLIBC_2.2.5\n.symver __fxstat, __fxstat@GLIBC_2.2.5");
#else
constexpr int layout_of_stat = 0;
asm(".symver __xstat, __xstat@GLIBC_2.17\n.symver __lxstat, __lxstat@GLIBC_2.17\n.symver __fxstat, __fxstat@GLIBC_2.17");
#endif

int __wrap_stat(const char* path, struct stat* into) { return __xstat(layout_of_stat, path, into); }
int __wrap_lstat(const char* path, struct stat* into) { return __lxstat(layout_of_stat, path, into); }
int __wrap_fstat(int file, struct stat* into) { return __fxstat(layout_of_stat, file, into); }
// On 64-bit machines, both structs have the same layout.
int __wrap_stat64(const char* path, struct stat* into) { return __wrap_stat(path, into); }
int __wrap_lstat64(const char* path, struct stat* into) { return __wrap_lstat(path, into); }
int __wrap_fstat64(int file, struct stat* into) { return __wrap_fstat(file, into); }

// --- since 2.36: std::random_device calls arc4random. libstdc++.a links std::random_device into every program that has
// a std::string.
std::uint32_t __wrap_arc4random() {
  std::uint32_t word = 0;
  for (auto* at = reinterpret_cast<char*>(&word); at != reinterpret_cast<char*>(&word + 1);) {
    const auto got = ::getrandom(at, static_cast<std::size_t>(reinterpret_cast<char*>(&word + 1) - at), 0);
    if (got < 0 && errno != EINTR) std::abort();  // as glibc's own function does
    if (got > 0) at += got;
  }
  return word;
}

// --- since 2.30: pthread_cond_clockwait, which waits until a time of the monotonic clock. If the installed glibc has
// this function, the replacement calls the function of glibc.
using clock_wait = int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);

// The longest single wait by the realtime clock. Users can set this clock. A change of the clock can delay a wait by at
// most this time.
constexpr std::int64_t longest_slice = 100'000'000;  // nanoseconds

int bankwise_wait_in_slices(pthread_cond_t* changed, pthread_mutex_t* held, clockid_t clock, const timespec* until) {
  constexpr std::int64_t second = 1'000'000'000;
  timespec now{};
  ::clock_gettime(clock, &now);
  // Longer times are reduced to two seconds. This has no effect, because a single wait is shorter than one second.
  const auto seconds = std::clamp<std::int64_t>(until->tv_sec - now.tv_sec, -2, 2);
  const std::int64_t left = seconds * second + until->tv_nsec - now.tv_nsec;
  const bool whole = left <= longest_slice;
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t at = now.tv_nsec + std::clamp<std::int64_t>(left, 0, longest_slice);
  const timespec deadline{now.tv_sec + at / second, at % second};
  const int status = ::pthread_cond_timedwait(changed, held, &deadline);
  // Any wait may end too early. The waiting thread then checks its condition again.
  return status == ETIMEDOUT && !whole ? 0 : status;
}

int __wrap_pthread_cond_clockwait(pthread_cond_t* changed, pthread_mutex_t* held, clockid_t clock,
                                  const timespec* until) {
  static std::atomic<clock_wait> of_glibc{nullptr};
  clock_wait wait = of_glibc.load(std::memory_order_relaxed);
  if (wait == nullptr) {
    void* const found = ::dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
    wait = found != nullptr ? reinterpret_cast<clock_wait>(found) : bankwise_wait_in_slices;
    of_glibc.store(wait, std::memory_order_relaxed);
  }
  return wait(changed, held, clock, until);
}

// --- since 2.35: the object that contains a return address, and its exception tables. Older compilers search for both
// in the same way.
#ifdef DLFO_STRUCT_HAS_EH_DBASE
struct wanted_object {
  std::uintptr_t pc;
  dl_find_object* found;
};

static int has_pc(dl_phdr_info* object, std::size_t, void* asked) {
  auto& wanted = *static_cast<wanted_object*>(asked);
  const ElfW(Phdr)* tables = nullptr;
  bool has = false;
  std::uintptr_t first = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const std::uintptr_t at = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_EH_FRAME) tables = &part;
    if (part.p_type != PT_LOAD) continue;
    has = has || (wanted.pc >= at && wanted.pc - at < part.p_memsz);
    if (at < first) first = at;
    if (at + part.p_memsz > end) end = at + part.p_memsz;
  }
  if (!has) return 0;
  if (tables == nullptr) return -1;  // the object has no tables, and no other object contains the address
  *wanted.found = {};
  wanted.found->dlfo_map_start = reinterpret_cast<void*>(first);
  wanted.found->dlfo_map_end = reinterpret_cast<void*>(end);
  wanted.found->dlfo_eh_frame = reinterpret_cast<void*>(object->dlpi_addr + tables->p_vaddr);
  return 1;
}

int __wrap__dl_find_object(void* pc, dl_find_object* found) {
  wanted_object wanted{reinterpret_cast<std::uintptr_t>(pc), found};
  return ::dl_iterate_phdr(has_pc, &wanted) == 1 ? 0 : -1;
}
#endif

}  // extern "C"
