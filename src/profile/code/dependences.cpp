#include "profile/code/dependences.hpp"

#include "sass/flow/dependence.hpp"

namespace bankwise {

std::vector<sass::dependence> dependences_of(const cubin::kernel& k, const sass::code_flow& flow) {
  return sass::dependences_of(flow, {k.param_base, cubin::parameter_bytes(k)});
}

void add_dependences(launch_report& l, const cubin::kernel& k, const std::vector<sass::dependence>& all) {
  for (site& s : l.sites) {
    const std::uint64_t n = (s.pc + k.offset) / sass::instruction_bytes;
    if (s.function.empty() && n < all.size()) s.depends = all[n];
  }
}

}  // namespace bankwise
