// Loads each of the given libraries in a separate thread, and calls the library. If the first argument is a number,
// repeats all of this so many times, and closes the libraries in between.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

static int call(const char* file, bool close) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::puts(dlerror());
    return 1;
  }
  void* function = dlsym(library, "first");
  if (function == nullptr) function = dlsym(library, "second");
  const int wrong = function == nullptr ? 1 : reinterpret_cast<int (*)()>(function)();
  if (close) dlclose(library);
  return wrong;
}

int main(int count, char** words) {
  const int rounds = count < 2 ? 0 : std::atoi(words[1]);
  int wrong = rounds < 1;
  for (int round = 0; round < rounds; ++round)
    for (int i = 2; i < count; ++i) std::thread([&] { wrong += call(words[i], rounds > 1); }).join();
  return wrong;
}
