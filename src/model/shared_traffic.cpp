#include "model/shared_traffic.hpp"

#include <algorithm>

namespace bankwise {

shared_traffic traffic_of(const site& s) {
  return {s.op.spelling, s.async.to_shared, s.executed, s.bytes, s.byte_passes, s.passes};
}

std::vector<shared_traffic> traffic_of(const launch_report& l) {
  std::vector<shared_traffic> all;
  for (const site& s : l.sites) {
    if (is_access(s) || s.bytes == 0) continue;
    auto row = std::find_if(all.begin(), all.end(), [&](const shared_traffic& t) {
      return t.operation == s.op.spelling && t.to_shared == s.async.to_shared;
    });
    if (row == all.end())
      all.push_back(traffic_of(s));
    else
      *row = sum_of(*row, traffic_of(s));
  }
  return all;
}

shared_traffic sum_of(const shared_traffic& a, const shared_traffic& b) {
  return {a.operation,
          a.to_shared,
          a.executed + b.executed,
          a.bytes + b.bytes,
          a.byte_passes + b.byte_passes,
          a.tensor_cycles + b.tensor_cycles};
}

shared_traffic sum_of(const std::vector<shared_traffic>& all) {
  shared_traffic sum;
  for (const shared_traffic& t : all) sum = sum_of(sum, t);
  return sum;
}

}  // namespace bankwise
