// Compares the replacements in packaging/glibc with the functions of a newer glibc: the results must be equal.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>

extern "C" {
int bankwise_wait_in_slices(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
int __wrap_pthread_cond_clockwait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
int __wrap_stat(const char*, struct stat*);
int __wrap_lstat64(const char*, struct stat*);
int __wrap_fstat(int, struct stat*);
std::uint32_t __wrap_arc4random();
void* __wrap_dlsym(void*, const char*);
int __wrap_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
int __wrap_pthread_join(pthread_t, void**);
unsigned long __wrap___isoc23_strtoul(const char*, char**, int);
double __wrap_pow(double, double);
double __wrap_exp2(double);
double __wrap_log2(double);
double __wrap_hypot(double, double);
#ifdef DLFO_STRUCT_HAS_EH_DBASE
int __wrap__dl_find_object(void*, dl_find_object*);
#endif
}

namespace {

using wait_function = int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);

double seconds(const timespec& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9; }

timespec now_and(double more) {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  const double at = static_cast<double>(t.tv_nsec) * 1e-9 + more;
  t.tv_sec += static_cast<time_t>(std::floor(at));
  t.tv_nsec = static_cast<long>((at - std::floor(at)) * 1e9);
  return t;
}

// Waits until a time as the C++ library does. Returns how long the function waited.
double wait_for(wait_function wait, double how_long) {
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&held);
  const timespec begun = now_and(0);
  const timespec until = now_and(how_long);
  int status = 0;
  while ((status = wait(&changed, &held, CLOCK_MONOTONIC, &until)) == 0 && seconds(now_and(0)) < seconds(until))
    continue;
  const double took = seconds(now_and(0)) - seconds(begun);
  EXPECT_TRUE(status == ETIMEDOUT || took >= how_long);
  EXPECT_EQ(pthread_mutex_trylock(&held), EBUSY);  // the waiting function holds the lock again
  pthread_mutex_unlock(&held);
  return took;
}

TEST(Glibc, WaitsEndWhenTheirTimeHasCome) {
  for (const wait_function wait : {bankwise_wait_in_slices, __wrap_pthread_cond_clockwait}) {
    for (const double how_long : {0.02, 0.25}) {
      const double took = wait_for(wait, how_long);
      EXPECT_GE(took, how_long * 0.99);
      EXPECT_LT(took, how_long + 5);
    }
    for (const double past : {-0.5, -1.0, -1e6}) EXPECT_LT(wait_for(wait, past), 5);
  }
}

struct signalled {
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
  bool done = false;
};

void* tell(void* to) {
  auto& s = *static_cast<signalled*>(to);
  pthread_mutex_lock(&s.held);
  s.done = true;
  pthread_cond_signal(&s.changed);
  pthread_mutex_unlock(&s.held);
  return to;
}

TEST(Glibc, AThreadEndsALongWait) {
  signalled s;
  pthread_mutex_lock(&s.held);
  pthread_t thread{};
  ASSERT_EQ(__wrap_pthread_create(&thread, nullptr, tell, &s), 0);
  const timespec until = now_and(1e6);
  while (!s.done) ASSERT_EQ(bankwise_wait_in_slices(&s.changed, &s.held, CLOCK_MONOTONIC, &until), 0);
  pthread_mutex_unlock(&s.held);
  void* gave = nullptr;
  ASSERT_EQ(__wrap_pthread_join(thread, &gave), 0);
  EXPECT_EQ(gave, &s);
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_mode == b.st_mode && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec && a.st_nlink == b.st_nlink;
}

TEST(Glibc, StatSaysWhatStatSays) {
  const char* const link = "/proc/self/exe";
  struct stat ours {};
  struct stat theirs {};
  ASSERT_EQ(__wrap_stat(link, &ours), 0);
  ASSERT_EQ(::stat(link, &theirs), 0);
  EXPECT_TRUE(same_file(ours, theirs));
  ASSERT_EQ(__wrap_lstat64(link, &ours), 0);
  EXPECT_TRUE(S_ISLNK(ours.st_mode));
  const int file = ::open(link, O_RDONLY);
  ASSERT_EQ(__wrap_fstat(file, &ours), 0);
  EXPECT_TRUE(same_file(ours, theirs));
  ::close(file);
  errno = 0;
  EXPECT_EQ(__wrap_stat("/nowhere/at/all", &ours), -1);
  EXPECT_EQ(errno, ENOENT);
}

TEST(Glibc, RandomWordsDiffer) {
  std::set<std::uint32_t> words;
  for (int i = 0; i < 64; ++i) words.insert(__wrap_arc4random());
  EXPECT_GT(words.size(), 60u);
}

TEST(Glibc, OldVersionsComputeTheSame) {
  for (const double x : {0.1, 1.0, 2.5, 1e-300, 7e200}) {
    EXPECT_EQ(__wrap_pow(x, 1.5), std::pow(x, 1.5));
    EXPECT_EQ(__wrap_log2(x), std::log2(x));
    EXPECT_EQ(__wrap_hypot(x, 3.0), std::hypot(x, 3.0));
    EXPECT_EQ(__wrap_exp2(x), std::exp2(x));
  }
  EXPECT_TRUE(std::isnan(__wrap_pow(-1.0, 0.5)));
  EXPECT_EQ(__wrap___isoc23_strtoul("ff,", nullptr, 16), 255u);
  EXPECT_EQ(__wrap_dlsym(RTLD_DEFAULT, "getenv"), reinterpret_cast<void*>(&::getenv));
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
// The type of glibc's own function. The test calls the function if the process has it.
using find_function = int (*)(void*, dl_find_object*);

TEST(Glibc, ObjectsAreFoundByTheirCode) {
  const auto find = reinterpret_cast<find_function>(::dlsym(RTLD_DEFAULT, "_dl_find_object"));
  if (find == nullptr) GTEST_SKIP() << "this glibc has no _dl_find_object";
  for (void* const pc :
       {reinterpret_cast<void*>(&now_and), ::dlsym(RTLD_DEFAULT, "qsort"), ::dlsym(RTLD_DEFAULT, "cos")}) {
    ASSERT_NE(pc, nullptr);
    dl_find_object ours{};
    dl_find_object theirs{};
    ASSERT_EQ(__wrap__dl_find_object(pc, &ours), 0);
    ASSERT_EQ(find(pc, &theirs), 0);
    EXPECT_EQ(ours.dlfo_eh_frame, theirs.dlfo_eh_frame);
    EXPECT_EQ(ours.dlfo_map_start, theirs.dlfo_map_start);
  }
  dl_find_object none{};
  EXPECT_EQ(__wrap__dl_find_object(nullptr, &none), -1);
}
#endif

}  // namespace
