#include "model/site.hpp"

#include <algorithm>
#include <type_traits>

#include "model/same.hpp"

namespace bankwise {

bool same(const site& a, const site& b, tells least) {
#define MEMBER(type, name, initial, told, how) \
  if (!same_member<tells::told>(a.name, b.name, least)) return false;
#include "model/site.def"
  return static_cast<const counts&>(a) == static_cast<const counts&>(b);
}

namespace {

template <adds How, class T>
void add_member(T& to, const T& more, bool is_worse) {
  if constexpr (How == adds::summed)
    to += more;
  else if constexpr (How == adds::any)
    to = to || more;
  else if constexpr (How == adds::largest)
    to = std::max(to, more);
  else if constexpr (How == adds::of_worst) {
    if (is_worse) to = more;
  } else {
    static_assert(How == adds::first, "the addition of sites does not handle this value of adds");
  }
}

template <adds How, class T>
void multiply_member(T& member, std::uint64_t launches) {
  if constexpr (How == adds::summed) {
    if constexpr (std::is_integral_v<T>)
      member *= launches;
    else
      scale(member, launches, 1);
  }
}

}  // namespace

void add_site(site& to, const site& more) {
  const bool is_worse = more.worst_cost.wavefronts > to.worst_cost.wavefronts;
  static_cast<counts&>(to) += more;
#define MEMBER(type, name, initial, told, how) add_member<adds::how>(to.name, more.name, is_worse);
#include "model/site.def"
}

void multiply(site& s, std::uint64_t launches) {
  scale(s, launches, 1);
#define MEMBER(type, name, initial, told, how) multiply_member<adds::how>(s.name, launches);
#include "model/site.def"
}

validity validity_of(const site& s) {
  if (!s.depends.known) return validity::unknown;
  const sass::inputs all = s.depends.address | s.depends.execution;
  if (all.has(sass::input::data) || all.has(sass::input::time)) return validity::this_run;
  return all.has(sass::input::arguments) ? validity::these_arguments : validity::every_launch;
}

bool depends_on_data(const site& s) { return s.depends.known && is_by_data(s.depends); }

namespace {

constexpr struct {
  const char *name, *words;
} validity_names[] = {{"unknown", ""},
                      {"this_run", "only this run, because the count depends on the data"},
                      {"these_arguments", "all data, with these arguments"},
                      {"every_launch", "every launch of this shape"}};

}  // namespace

const char* name_of(validity v) { return validity_names[static_cast<unsigned>(v)].name; }
const char* words_of(validity v) { return validity_names[static_cast<unsigned>(v)].words; }

}  // namespace bankwise
