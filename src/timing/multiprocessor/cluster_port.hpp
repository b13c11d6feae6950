// The way from a multiprocessor to the shared memory of the other blocks of a cluster.
#pragma once

#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor/setup.hpp"

namespace bankwise::timing {

class cluster_port {
 public:
  struct answer {
    double leaves = 0;  // time at which the access leaves the queue of its quarter
    double done = 0;    // time at which its result arrives
  };
  // Sends an access that passes the data stage at the time `at`.
  answer access(const instruction_cost& c, const multiprocessor_setup& s, double at);

 private:
  double free_ = 0;  // time from which the port accepts an access
};

// Whether an asynchronous instruction accesses the shared memory of other blocks, and is not an operation on an
// mbarrier.
bool is_of_cluster(const instruction_cost& c);

}  // namespace bankwise::timing
