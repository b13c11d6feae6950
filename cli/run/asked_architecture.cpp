#include "cli/run/asked_architecture.hpp"

#include "bankwise/ability.hpp"
#include "base/format.hpp"
#include "emulate/launch/launch.hpp"
#include "expr/names/machine_names.hpp"

namespace bankwise::cli {

std::string arch_as_nvcc_has_it(const std::string& arch) {
  const auto on = parse_machine(arch);
  if (!on || !on->name.starts_with("sm_")) return arch;
  const bool is_own = arch.ends_with('a') || arch.ends_with('f');
  return is_own ? on->name + arch.back() : on->name;
}

result<std::uint32_t> number_of(const std::optional<std::string>& arch) {
  if (!arch) return std::uint32_t{0};
  const arch_name name = parse_arch_name(arch->c_str());
  if (name.bank_bytes == 0 && emulate::can_execute(name.number)) return std::uint32_t{name.number};
  return diagnostic{formatted("--arch {}: bankwise executes only code for {}", *arch, emulate::executable_list()),
                    {},
                    "for other architectures, use bankwise explain and bankwise predict, which need no machine code"};
}

}  // namespace bankwise::cli
