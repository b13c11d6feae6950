// The places of a GPU on which clusters run one after another. A kernel that asks for the work of clusters that have
// not begun (clusterlaunchcontrol.try_cancel) gets the next clusters of its own place:
//
//     place 0 of 3    cluster 0, 3, 6, ...        cluster 0 asks three times, and gets 3, 6 and nothing
//     place 1         cluster 1, 4, 7, ...        cluster 1 does not ask: cluster 4 begins when it has ended
//
// On a GPU, the answers depend on the time when a cluster asks. In bankwise, they depend only on the launch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace bankwise::emulate {

class cluster_places {
 public:
  cluster_places(std::uint64_t clusters, std::uint64_t places) : clusters_(clusters), taken_(places) {}

  std::uint64_t count() const { return taken_.size(); }
  // Takes the next cluster of a place. Returns its number in the order in which clusters begin. Nothing if no cluster
  // is left. Only one thread uses a place.
  std::optional<std::uint64_t> next(std::uint64_t place) {
    const std::uint64_t n = place + taken_[place] * count();
    if (n >= clusters_) return {};
    ++taken_[place];
    return n;
  }

 private:
  std::uint64_t clusters_;
  std::vector<std::uint64_t> taken_;  // for each place: number of its clusters that have begun or were cancelled
};

}  // namespace bankwise::emulate
