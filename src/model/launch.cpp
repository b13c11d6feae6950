#include "model/launch.hpp"

#include <algorithm>
#include <tuple>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "model/is_set.hpp"
#include "model/same.hpp"

namespace bankwise {

bool same(const launch_report& a, const launch_report& b, tells least) {
#define MEMBER(type, name, initial, told, how) \
  if (!same_member<tells::told>(a.name, b.name, least)) return false;
#include "model/launch.def"
  return true;
}

namespace {

template <tells Tells, class T>
void add_equal_member(T& to, const T& more, found_in where) {
  if constexpr (Tells == tells::summed) to += more;
  if constexpr (Tells == tells::of_all)
    if (where == found_in::two_reports) to += more;
}

template <adds How, class T>
bool is_alone(const T& member) {
  if constexpr (How == adds::alone)
    return is_set(member);
  else
    return false;
}

template <adds How, class T>
void add_launch_member(T& to, const T& more) {
  if constexpr (How == adds::summed || How == adds::per_launch)
    to += more;
  else if constexpr (How == adds::found) {
    if (to.empty()) to = more;
  } else {
    static_assert(How == adds::first || How == adds::alone || How == adds::by_hand,
                  "the addition of launches does not "
                  "handle this value of adds");
  }
}

// Whether two sites with the same place are the same site. A generic instruction may have one site for global memory
// and one for local memory.
bool is_one(const site&, const site&) { return true; }
bool is_one(const global_site& a, const global_site& b) { return a.kind == b.kind; }

template <adds How, class T>
void multiply_launch_member(T& member, std::uint64_t launches) {
  if constexpr (How == adds::per_launch) member *= launches;
}

// Adds each site to the site with the same function and pc.
template <class Site>
void add_sites_of(std::vector<Site>& to, std::vector<Site>& more) {
  const auto place = [](const Site& s) { return std::tie(s.function, s.pc); };
  for (Site& s : more) {
    const auto there =
        std::find_if(to.begin(), to.end(), [&](const Site& o) { return place(o) == place(s) && is_one(o, s); });
    if (there == to.end())
      to.push_back(std::move(s));
    else
      add_site(*there, s);
  }
  std::stable_sort(to.begin(), to.end(), [&](const Site& a, const Site& b) { return place(a) < place(b); });
}

}  // namespace

void add_equal(launch_report& to, const launch_report& more, found_in where) {
#define MEMBER(type, name, initial, told, how) add_equal_member<tells::told>(to.name, more.name, where);
#include "model/launch.def"
}

bool is_plain(const launch_report& l) {
#define MEMBER(type, name, initial, told, how) \
  if (is_alone<adds::how>(l.name)) return false;
#include "model/launch.def"
  return true;
}

void multiply(launch_report& l) {
#define MEMBER(type, name, initial, told, how) multiply_launch_member<adds::how>(l.name, l.count);
#include "model/launch.def"
  for (site& s : l.sites) multiply(s, l.count);
  for (global_site& s : l.global_sites) multiply(s, l.count);
  for (block_race& r : l.block_races) r.count *= l.count;
  static_cast<whole_counts&>(l.sum) *= l.count;
}

void add_launch(launch_report& to, launch_report more) {
  multiply(more);
#define MEMBER(type, name, initial, told, how) add_launch_member<adds::how>(to.name, more.name);
#include "model/launch.def"
  add_sites_of(to.sites, more.sites);
  add_sites_of(to.global_sites, more.global_sites);
  add_races(to.block_races, more.block_races);
  totals sum;
  for (const site& s : to.sites) sum += s;
  static_cast<whole_counts&>(sum) += to.sum;
  static_cast<whole_counts&>(sum) += more.sum;
  to.sum = sum;
}

const char* name_of(early_end::reason r) {
  switch (r) {
    case early_end::reason::none: return "none";
    case early_end::reason::interrupted: return "interrupted";
    case early_end::reason::budget: return "budget";
    case early_end::reason::total_budget: return "total_budget";
    case early_end::reason::time: return "time";
    case early_end::reason::fault: return "fault";
    case early_end::reason::full: return "full";
  }
  return "none";
}

std::string words_of(const early_end& c) {
  switch (c.why) {
    case early_end::reason::budget: return formatted("stopped by {}", worded(setting::budget));
    case early_end::reason::total_budget: return formatted("stopped by {}", worded(setting::total_budget));
    case early_end::reason::time: return formatted("stopped by {}", worded(setting::time));
    case early_end::reason::fault: return "stopped by a fault";
    case early_end::reason::full: return "cut off, because a report cannot contain all launches of the program";
    case early_end::reason::none:
    case early_end::reason::interrupted: break;
  }
  return formatted("stopped by {}", c.signal.empty() ? "a signal" : c.signal);
}

exactness exactness_of(const launch_report& l) {
  return l.partial                                      ? exactness::partial
         : l.scaled || l.after_sample || l.assumed != 0 ? exactness::estimated
                                                        : exactness::exact;
}

const char* name_of(exactness e) {
  switch (e) {
    case exactness::exact: return "exact";
    case exactness::estimated: return "estimated";
    case exactness::partial: return "partial";
  }
  return "partial";
}

bool is_lower_bound(const launch_report& l) {
  return std::any_of(l.sites.begin(), l.sites.end(), [](const site& s) { return s.executed_at_least; });
}

}  // namespace bankwise
