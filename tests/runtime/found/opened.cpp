// Opens each library in its arguments and prints the version that each library returns.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    void* const library = dlopen(words[i], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::printf("%s\n", dlerror());
      continue;
    }
    const char* const slash = std::strrchr(words[i], '/');
    int version = 0;
    for (const char* name : {"cudaRuntimeGetVersion", "cuDriverGetVersion"})
      if (void* function = dlsym(library, name); function != nullptr && version == 0)
        reinterpret_cast<int (*)(int*)>(function)(&version);
    std::printf("%s: %d\n", slash != nullptr ? slash + 1 : words[i], version);
  }
}
