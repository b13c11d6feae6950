// Resources that cost nothing in a prediction. The difference from the normal prediction shows how much time a resource
// takes.
#pragma once

namespace bankwise::timing {

struct free_resources {
  bool conflicts = false;  // whether each access to shared memory takes only one wavefront
  bool data_stage = false;
  bool l2 = false, dram = false;
  bool latency = false;  // whether L2 and DRAM have no latency
  bool pipes = false;
  bool issue = false;
  bool barriers = false;
  bool launch = false;
  bool later_code = false;  // whether all code arrives with its first line
  bool fetch = false;       // whether instructions and constants are fetched in no time
};

}  // namespace bankwise::timing
