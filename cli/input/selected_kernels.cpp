#include "cli/input/selected_kernels.hpp"

#include <algorithm>

#include "cubin/kernel_names.hpp"
#include "cubin/program.hpp"

namespace bankwise::cli {

result<selected_kernels> select_kernels(const report& r, const std::string& file, const std::string& pattern,
                                        bool may_be_none) {
  cubin::program launched;
  launched.file = file;
  std::set<std::string> seen;
  for (const launch_report& l : r.launches)
    if (seen.insert(l.mangled).second) {
      cubin::kernel& k = launched.kernels.emplace_back();
      k.mangled = l.mangled;
      k.full_name = l.kernel;
      k.name = l.name;
    }
  for (const refused_launches& l : r.refused)
    if (!l.kernel.empty() && std::none_of(launched.kernels.begin(), launched.kernels.end(),
                                          [&](const cubin::kernel& k) { return k.full_name == l.kernel; })) {
      cubin::kernel& k = launched.kernels.emplace_back();
      k.mangled = k.full_name = l.kernel;
      k.name = cubin::bare_name(l.kernel);
    }
  const auto found = may_be_none ? cubin::match_kernels(launched, pattern) : cubin::find_kernels(launched, pattern);
  if (!found) return found.error();
  selected_kernels kept;
  for (const cubin::kernel* k : *found) {
    kept.mangled.insert(k->mangled);
    kept.full.insert(k->full_name);
  }
  return kept;
}

}  // namespace bankwise::cli
