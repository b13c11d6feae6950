#include "profile/code/dependences.hpp"

#include "emulate/counting/counting.hpp"
#include "profile/code/kept_facts.hpp"
#include "sass/flow/dependence.hpp"

namespace bankwise {

namespace {

using dependence_list = std::vector<sass::dependence>;  // of each instruction of a section

std::shared_ptr<const dependence_list> dependences_of(const cubin::program& p, const cubin::kernel& k) {
  static kept_facts<dependence_list>& all = *new kept_facts<dependence_list>;  // a report may be written after main
  return all.of(p, k, [](const cubin::program& program, const cubin::kernel& kernel) {
    return sass::dependences_of(emulate::flow_of(program, kernel), {kernel.param_base, cubin::parameter_bytes(kernel)});
  });
}

}  // namespace

void add_dependences(launch_report& l, const cubin::program& p, const cubin::kernel& k) {
  if (l.sites.empty() && l.global_sites.empty()) return;
  const auto all = dependences_of(p, k);
  const auto of = [&](const instruction_place& at) {
    const std::uint64_t n = (at.pc + k.offset) / sass::instruction_bytes;
    return at.function.empty() && n < all->size() ? (*all)[n] : sass::dependence();
  };
  for (site& s : l.sites) s.depends = of(s);
  for (global_site& s : l.global_sites) s.by_data = is_by_data(of(s));
}

}  // namespace bankwise
