// A name that is not known is answered with those that it may have been meant for.
#include "expr/machine_names.hpp"

#include <vector>

#include "bankwise/ability.hpp"
#include "base/text.hpp"
#include "expr/operation_names.hpp"

namespace bankwise {

result<machine> parse_machine(std::string_view name) {
  const std::string text(name);
  if (const arch* a = find_arch(text.c_str())) return machine{a->name, a->family, a->model, a->rules, a->async_rules};
  if (const std::size_t x = name.find('x'); x != std::string_view::npos && starts_with_any(name, "0123456789")) {
    const auto banks = parse_u64(name.substr(0, x)), bytes = parse_u64(name.substr(x + 1));
    if (!banks || !bytes || *banks < 1 || *banks > most_banks || *bytes < 1 || *bytes > most_bank_bytes)
      return diagnostic{
          "'" + text + "' is not a machine of N banks of M bytes",
          {},
          "N is 1 to " + std::to_string(most_banks) + ", M is 1 to " + std::to_string(most_bank_bytes) + ": 10x4"};
    return machine{text, "N banks of M bytes", flat_model(static_cast<u32>(*banks), static_cast<u32>(*bytes)),
                   &flat_rules};
  }
  std::vector<std::string> known;
  std::string hint = "bankwise arch lists them; NxM (10x4) is N banks of M bytes";
  if (const u32 number = number_of(text.c_str()); number != 0) {
    // By number, not by spelling: the machines before and behind it, which it may or may not be like.
    const arch *older = nullptr, *newer = nullptr;
    for (const arch& a : archs) {
      if (number_of(a.name) < number) older = &a;
      if (number_of(a.name) > number && newer == nullptr) newer = &a;
    }
    const auto words = [](const arch& a) { return std::string(a.name) + " (" + a.family + ")"; };
    hint = "the next that are known: " + (older != nullptr ? words(*older) : "") +
           (older != nullptr && newer != nullptr ? ", " : "") + (newer != nullptr ? words(*newer) : "") + "; " + hint;
    return diagnostic{"unknown architecture '" + text + "'", {}, hint};
  }
  for (const arch& a : archs) known.emplace_back(a.name);
  if (const auto near = nearest(name, known, 1); !near.empty()) hint = "did you mean " + near[0] + "? " + hint;
  return diagnostic{"unknown architecture '" + text + "'", {}, hint};
}

std::optional<diagnostic> unsupported(const machine& m, operation op) {
  const rule_source s = m.rules->by_group[static_cast<u32>(group_of(op))];
  if (s.level != evidence::none) return std::nullopt;
  return diagnostic{"no rule for " + spell(op) + " on " + m.name + ": " + s.source,
                    {},
                    "bankwise arch " + m.name + " lists what is known"};
}

}  // namespace bankwise
