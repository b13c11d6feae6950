// The places of a GPU. Clusters run on a place one after another. A kernel can ask for the work of clusters that have
// not begun (clusterlaunchcontrol.try_cancel). A cluster of such a kernel gets the next clusters of its own place:
//
//     place 0 of 3    cluster 0, 3, 6, ...        cluster 0 asks three times, and gets 3, 6 and nothing
//     place 1         cluster 1, 4, 7, ...        cluster 1 does not ask: cluster 4 begins when it has ended
//
// On a GPU, the result depends on the time when a cluster asks. In bankwise, the result depends only on the launch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace bankwise::emulate {

class cluster_places {
 public:
  cluster_places(std::uint64_t clusters, std::uint64_t places) : clusters_(clusters), taken_(places) {}

  std::uint64_t count() const { return taken_.size(); }
  // Takes the next cluster of a place, and returns its number in the order in which clusters begin. Returns nothing if
  // no cluster is left. Only one thread may use a place.
  std::optional<std::uint64_t> next(std::uint64_t place) {
    const std::uint64_t n = place + taken_[place] * count();
    if (n >= clusters_) return {};
    ++taken_[place];
    return n;
  }

 private:
  std::uint64_t clusters_;
  std::vector<std::uint64_t> taken_;  // for each place: number of clusters that have begun or were cancelled
};

}  // namespace bankwise::emulate
