#include "math/lapack.hpp"

#include <dlfcn.h>
#include <link.h>

#include "state.hpp"

namespace bankwise::math {

namespace {

struct host_lapack {
  std::string_view name;
  void* library = nullptr;
  std::string before, after;  // a function's name: scipy_dgetrf_64_
  bool has_long_integers = false;
  int (*threads)() = nullptr;
  void (*set_threads)(int) = nullptr;

  void* find(const std::string& function) const { return ::dlsym(library, (before + function + after).c_str()); }
};

bool complete(host_lapack& l) {
  if (l.find("dgetrf") == nullptr || l.find("zheevd") == nullptr) return false;
  const std::string end = l.has_long_integers ? "64_" : "";
  l.threads = reinterpret_cast<int (*)()>(::dlsym(l.library, (l.before + "openblas_get_num_threads" + end).c_str()));
  l.set_threads =
      reinterpret_cast<void (*)(int)>(::dlsym(l.library, (l.before + "openblas_set_num_threads" + end).c_str()));
  return true;
}

// Of what the process has loaded already: wheels of numpy and scipy bring an OpenBLAS with names of its own.
host_lapack find_loaded() {
  std::vector<std::string> paths;
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
        if (path.substr(path.rfind('/') + 1).find("openblas") != std::string_view::npos)
          static_cast<std::vector<std::string>*>(to)->emplace_back(path);
        return 0;
      },
      &paths);
  for (const std::string& path : paths) {
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == nullptr) continue;
    for (const bool is_long : {true, false})
      for (const char* before : {"scipy_", ""}) {
        host_lapack l{"numpy's OpenBLAS", library, before, is_long ? "_64_" : "_", is_long, nullptr, nullptr};
        if (complete(l)) return l;
      }
    ::dlclose(library);
  }
  return {};
}

host_lapack find_library() {
  struct candidate {
    const char* file;
    std::string_view name;
  };
  static constexpr candidate candidates[] = {{"libopenblas.so.0", "OpenBLAS"}, {"liblapack.so.3", "liblapack.so.3"}};
  for (const candidate& one : candidates) {
    void* const library = ::dlopen(one.file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    host_lapack l{one.name, library, "", "_", false, nullptr, nullptr};
    if (complete(l)) return l;
    ::dlclose(library);
  }
  host_lapack loaded = find_loaded();
  if (loaded.library == nullptr)
    cuda::say(
        "cuSOLVER is computed by a LAPACK of the host, and none is there: Debian's packages libopenblas0 and liblapack3 "
        "have one, and so has numpy where a program has imported it");
  return loaded;
}
const host_lapack& the_lapack() {
  static const host_lapack& found = *new host_lapack(find_library());
  return found;
}

}  // namespace

std::string_view lapack_name() { return the_lapack().name; }
bool has_long_integers() { return the_lapack().has_long_integers; }
void* find_lapack(char type, std::string_view name) {
  void* const found = the_lapack().find(type + std::string(name));
  if (found == nullptr)
    throw std::runtime_error(std::string(lapack_name()) + " does not have " + type + std::string(name));
  return found;
}

lapack_alone::lapack_alone() {
  const host_lapack& l = the_lapack();
  if (l.threads == nullptr || l.set_threads == nullptr) return;
  before_ = l.threads();
  if (before_ > 1) l.set_threads(1);
}
lapack_alone::~lapack_alone() {
  if (before_ > 1) the_lapack().set_threads(before_);
}

std::string detail::name_for_complex(std::string_view name) {
  std::string text(name);
  if (name.substr(0, 2) == "or") text.replace(0, 2, "un");
  for (const std::string_view symmetric : {"syevd", "sygvd", "sytrd"})
    if (name == symmetric) text.replace(0, 2, "he");
  return text;
}

}  // namespace bankwise::math
