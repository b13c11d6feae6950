#include "model/instances.hpp"

#include <algorithm>

#include "cubin/instance_names.hpp"

namespace bankwise {

void name_instances(report& r) {
  std::vector<cubin::kernel_identity> kernels;
  for (const launch_report& l : r.launches) kernels.push_back({l.kernel, l.mangled});
  const std::vector<std::string> names = cubin::instance_names(kernels);
  for (std::size_t i = 0; i < names.size(); ++i) r.launches[i].instance = names[i];
}

std::string shown_name(const launch_report& l) {
  if (!l.instance.empty()) return l.instance;
  return l.kernel.empty() ? l.name : cubin::instance_name(l.kernel);
}
std::string shown_name(const report& r, const std::string& full_name) {
  const auto at =
      std::find_if(r.launches.begin(), r.launches.end(), [&](const launch_report& l) { return l.kernel == full_name; });
  return at != r.launches.end() ? shown_name(*at) : cubin::instance_name(full_name);
}

}  // namespace bankwise
