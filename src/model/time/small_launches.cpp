#include "model/time/small_launches.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

small_launches& small_launches::operator+=(const small_launches& more) {
  for (const std::string& kernel : more.kernels)
    if (kernels.size() < most_kernels && std::find(kernels.begin(), kernels.end(), kernel) == kernels.end())
      kernels.push_back(kernel);
  launches += more.launches;
  if (waits == 0) with_one_wait = nanoseconds;
  nanoseconds += more.nanoseconds;
  as_graphs += more.as_graphs;
  with_one_wait += more.waits != 0 ? more.with_one_wait : more.nanoseconds;
  waits += more.waits;
  if (waits == 0) with_one_wait = 0;
  return *this;
}

std::string why_of(const small_launches& s) {
  constexpr std::size_t most_named = 3;
  std::string names;
  const std::size_t named = std::min(s.kernels.size(), most_named);
  for (std::size_t i = 0; i < named; ++i) names += (i == 0 ? "" : ", ") + s.kernels[i];
  if (s.kernels.size() > named) names += formatted(" and {}", count_of(s.kernels.size() - named, "other kernel"));
  if (s.is_about_waits())
    return formatted("the host makes {} of {}, and waits {} until they have ended",
                     count_of(s.launches, "small launch", "small launches"), names, count_of(s.waits, "time"));
  return formatted("{} of {} each end sooner than the host makes the next launch",
                   count_of(s.launches, "launch", "launches"), names);
}

std::string remedy_of(const small_launches& s) {
  if (s.is_about_waits())
    return "wait once, after the last launch: launches of a stream run one after another, so the waits in between order "
           "nothing unless the host reads results there";
  return "record the launches once as a CUDA graph and launch the graph, or let one kernel do the work of several";
}

}  // namespace bankwise
