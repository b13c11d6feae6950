#include "profile/code/dependences.hpp"

#include "emulate/counting/counting.hpp"
#include "sass/flow/dependence.hpp"

namespace bankwise {

void add_dependences(launch_report& l, const cubin::kernel& k, const sass::code_flow& flow) {
  if (l.sites.empty()) return;
  const auto all = sass::dependences_of(flow, {k.param_base, cubin::parameter_bytes(k)});
  for (site& s : l.sites) {
    const std::uint64_t n = (s.pc + k.offset) / sass::instruction_bytes;
    if (s.function.empty() && n < all.size()) s.depends = all[n];
  }
}

void add_dependences(launch_report& l, const cubin::program& p, const cubin::kernel& k) {
  if (!l.sites.empty()) add_dependences(l, k, emulate::flow_of(p, k));
}

}  // namespace bankwise
