// A library of the host with Fortran functions: a BLAS or a LAPACK. Several libraries are tried, and the first that
// contains the needed function is used:
//
//     libopenblas.so.0, libblas.so.3, ...      dgemm_            integers of 32 bits
//     the library of numpy or scipy            scipy_dgemm_64_   integers of 64 bits
//
// Numbers are passed by address, with 64 bits. A library with 32-bit integers reads only the lower half.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::math {

struct host_library {
  std::string_view name;
  void* library = nullptr;  // null if there is no library
  std::string before, after;
  bool has_long_integers = false;
  int (*threads)() = nullptr;
  void (*set_threads)(int) = nullptr;

  // Finds a function by its name without prefixes and suffixes, such as "dgemm".
  void* find(std::string_view function) const {
    return library == nullptr ? nullptr : ::dlsym(library, (before + std::string(function) + after).c_str());
  }
};

namespace detail {

inline bool complete(host_library& l, std::initializer_list<const char*> functions) {
  for (const char* f : functions)
    if (l.find(f) == nullptr) return false;
  const std::string end = l.has_long_integers ? "64_" : "";
  l.threads = reinterpret_cast<int (*)()>(::dlsym(l.library, (l.before + "openblas_get_num_threads" + end).c_str()));
  l.set_threads =
      reinterpret_cast<void (*)(int)>(::dlsym(l.library, (l.before + "openblas_set_num_threads" + end).c_str()));
  return true;
}

// Searches the libraries that the process has already loaded. Python wheels contain an OpenBLAS with other function
// names.
inline host_library find_loaded(std::initializer_list<const char*> functions) {
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
        host_library l{"numpy's OpenBLAS", library, before, is_long ? "_64_" : "_", is_long, nullptr, nullptr};
        if (complete(l, functions)) return l;
      }
    ::dlclose(library);
  }
  return {};
}

inline const char* passed(const char& c) { return &c; }
inline const std::int64_t* passed(const std::int64_t& i) { return &i; }
template <class T>
T* passed(T* const& p) {
  return p;
}

}  // namespace detail

// Finds OpenBLAS, the library `other`, or a library that the process has already loaded.
inline host_library find_host_library(const char* other, std::initializer_list<const char*> functions) {
  struct candidate {
    const char* file;
    std::string_view name;
  };
  for (const candidate& one : {candidate{"libopenblas.so.0", "OpenBLAS"}, candidate{other, other}}) {
    void* const library = ::dlopen(one.file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    host_library l{one.name, library, "", "_", false, nullptr, nullptr};
    if (detail::complete(l, functions)) return l;
    ::dlclose(library);
  }
  return detail::find_loaded(functions);
}

// While this object exists, the library uses only the calling thread.
class library_alone {
 public:
  explicit library_alone(const host_library& l) : library_(l) {
    if (l.threads == nullptr || l.set_threads == nullptr) return;
    before_ = l.threads();
    if (before_ > 1) l.set_threads(1);
  }
  ~library_alone() {
    if (before_ > 1) library_.set_threads(before_);
  }
  library_alone(const library_alone&) = delete;
  library_alone& operator=(const library_alone&) = delete;

 private:
  const host_library& library_;
  int before_ = 0;
};

// Calls a function with letters, numbers and pointers, each passed by address. The lengths of the letters follow the
// arguments, as in Fortran. If a function has no parameters for the lengths, it does not read them.
template <class... A>
void call_fortran(void* function, const A&... a) {
  using fortran = void (*)(decltype(detail::passed(a))..., std::size_t, std::size_t, std::size_t, std::size_t);
  reinterpret_cast<fortran>(function)(detail::passed(a)..., 1, 1, 1, 1);
}

}  // namespace bankwise::math
