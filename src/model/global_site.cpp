#include "model/global_site.hpp"

#include <type_traits>

#include "base/format.hpp"
#include "model/counts.hpp"
#include "model/same.hpp"

namespace bankwise {

global_counts& global_counts::operator+=(const global_counts& other) {
#define COUNT(name, at_most, column, meaning) name += other.name;
#include "model/global_site.def"
  return *this;
}

global_counts& global_counts::operator*=(std::uint64_t times) {
#define COUNT(name, at_most, column, meaning) name *= times;
#include "model/global_site.def"
  return *this;
}

void scale(global_counts& c, std::uint64_t whole, std::uint64_t part) {
  for (const global_count_row& r : global_count_rows)
    if (r.member != nullptr) c.*r.member = scaled(c.*r.member, whole, part);
}

std::string spelling_of(const global_site& s) {
  const bool names_memory = !is_global(s.kind) || s.kind == global_kind::copy;
  return formatted("{}{}.b{}", name_of(s.kind), names_memory ? "" : ".global", s.width_bytes * 8);
}

bool same(const global_site& a, const global_site& b, tells least) {
#define MEMBER(type, name, initial, told, how) \
  if (!same_member<tells::told>(a.name, b.name, least)) return false;
#include "model/global_site.def"
  return static_cast<const global_counts&>(a) == static_cast<const global_counts&>(b);
}

namespace {

template <adds How, class T>
void add_fact(T& to, const T& more) {
  if constexpr (How == adds::summed)
    to += more;
  else
    static_assert(How == adds::first, "a fact of an instruction must be adds::summed or adds::first");
}

template <adds How, class T>
void multiply_fact(T& fact, std::uint64_t launches) {
  if constexpr (How == adds::summed) {
    if constexpr (std::is_integral_v<T>)
      fact *= launches;
    else
      scale(fact, launches, 1);
  }
}

}  // namespace

void add_site(global_site& to, const global_site& more) {
#define MEMBER(type, name, initial, told, how) add_fact<adds::how>(to.name, more.name);
#include "model/global_site.def"
  static_cast<global_counts&>(to) += more;
}

void multiply(global_site& s, std::uint64_t launches) {
  s *= launches;
#define MEMBER(type, name, initial, told, how) multiply_fact<adds::how>(s.name, launches);
#include "model/global_site.def"
}

global_counts sum_of(const std::vector<global_site>& sites, memory_kind of) {
  global_counts sum;
  for (const global_site& s : sites)
    if (memory_of(s.kind) == of) sum += s;
  return sum;
}

}  // namespace bankwise
