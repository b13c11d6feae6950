#include "math/common/host_blas.hpp"

#include <climits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bankwise::math {

namespace {

template <std::size_t... I>
void call_with(void* function, const std::vector<const void*>& a, std::index_sequence<I...>) {
  call_fortran(function, a[I]...);
}

// Calls the function with `least` or more arguments. Returns false if the number of arguments is not supported.
template <std::size_t least, std::size_t... I>
bool call_with_as_many(void* function, const std::vector<const void*>& a, std::index_sequence<I...>) {
  return ((a.size() == least + I && (call_with(function, a, std::make_index_sequence<least + I>()), true)) || ...);
}

}  // namespace

void* find_in_blas(char type, std::string_view name, std::initializer_list<index_t> numbers) {
  const host_library& blas = the_blas();
  if (blas.library == nullptr) return nullptr;
  for (const index_t number : numbers)
    if (!blas.has_long_integers && (number > INT_MAX || number < -INT_MAX)) return nullptr;
  return blas.find(type + std::string(name));
}

void call_by_addresses(void* function, std::initializer_list<std::initializer_list<const void*>> arguments) {
  std::vector<const void*> all;
  all.reserve(13);
  for (const auto& some : arguments) all.insert(all.end(), some);
  if (!call_with_as_many<6>(function, all, std::make_index_sequence<8>()))
    throw std::logic_error("internal error: a BLAS function is called with the wrong number of arguments");
}

}  // namespace bankwise::math
