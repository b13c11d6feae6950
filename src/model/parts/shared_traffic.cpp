#include "model/parts/shared_traffic.hpp"

#include <algorithm>

namespace bankwise {

std::vector<shared_traffic> traffic_of(const launch_report& l) {
  std::vector<shared_traffic> all;
  for (const site& s : l.sites) {
    if (is_access(s) || s.bytes == 0) continue;
    auto row = std::find_if(all.begin(), all.end(), [&](const shared_traffic& t) {
      return t.operation == s.op.spelling && t.to_shared == s.async.to_shared;
    });
    if (row == all.end()) {
      all.push_back({s.op.spelling, s.async.to_shared});
      row = all.end() - 1;
    }
    row->executed += s.executed;
    row->bytes += s.bytes;
    row->byte_passes += s.byte_passes;
    row->tensor_cycles += s.passes;
  }
  return all;
}

shared_traffic sum_of(const std::vector<shared_traffic>& all) {
  shared_traffic sum;
  for (const shared_traffic& t : all) {
    sum.executed += t.executed;
    sum.bytes += t.bytes;
    sum.byte_passes += t.byte_passes;
    sum.tensor_cycles += t.tensor_cycles;
  }
  return sum;
}

}  // namespace bankwise
