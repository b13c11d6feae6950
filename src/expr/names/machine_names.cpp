// Parses names of machines. The error for an unknown name lists similar names.
#include "expr/names/machine_names.hpp"

#include <vector>

#include "bankwise/ability.hpp"
#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/names/gpu_names.hpp"

namespace bankwise {

result<machine> parse_machine(std::string_view name) {
  const std::string text(name);
  if (const arch* a = find_arch(text.c_str())) return machine{a->name, a->family, a->model, a->rules, a->async_rules};
  for (const arch& a : other_archs)
    if (name == a.name) {
      machine m{a.name, a.family, a.model, a.rules, a.async_rules};
      m.of_amd = true;
      if (a.rules == &cdna3_rules || a.rules == &cdna4_rules) m.wave_lanes = 64;
      if (a.rules == &cdna4_rules) m.phase_lanes[0] = 64;
      return m;
    }
  if (auto m = assumed_machine(name)) return *m;
  if (const std::size_t x = name.find('x'); x != std::string_view::npos && starts_with_any(name, "0123456789")) {
    const std::size_t colon = name.find(':');
    const auto banks = parse_u64(name.substr(0, x)),
               bytes = parse_u64(name.substr(x + 1, colon == std::string_view::npos ? colon : colon - x - 1));
    if (!banks || !bytes || *banks < 1 || *banks > most_banks || *bytes < 1 || *bytes > most_bank_bytes)
      return diagnostic{
          formatted("'{}' does not describe a machine of the form NxM, with N banks of M bytes", text),
          {},
          formatted("N must be 1 to {}, and M must be 1 to {}. An example is 10x4", most_banks, most_bank_bytes)};
    u32 lanes[3] = {32, 32, 32};
    const u64 most_lanes = *banks >= 64 ? 64 : 32;
    if (colon != std::string_view::npos) {
      const auto words = split(name.substr(colon + 1), ',');
      for (std::size_t i = 0; i < 3; ++i) {
        const auto n = words.size() == 3 ? parse_u64(words[i]) : std::nullopt;
        if (!n || *n < 2 || *n > most_lanes || (*n & (*n - 1)) != 0)
          return diagnostic{
              formatted("'{}' are not valid phases", name.substr(colon + 1)),
              {},
              "pass three numbers, such as 32,16,8: how many lanes are served together if each lane accesses up to 4 "
              "bytes, 8 bytes and 16 bytes. Each number must be 2, 4, 8, 16 or 32. With at least 64 banks, 64 is also "
              "allowed"};
        lanes[i] = static_cast<u32>(*n);
      }
    }
    const auto half = [](u32 n) { return n > lanes_per_warp ? lanes_per_warp : n; };
    machine m{
        text, "N banks of M bytes",
        flat_model(static_cast<u32>(*banks), static_cast<u32>(*bytes), half(lanes[0]), half(lanes[1]), half(lanes[2])),
        colon == std::string_view::npos ? &flat_rules : &phased_rules};
    for (u32 i = 0; i < 3; ++i)
      if (lanes[i] > lanes_per_warp) m.wave_lanes = 64, m.phase_lanes[i] = lanes[i];
    return m;
  }
  std::vector<std::string> known;
  std::string hint = "bankwise arch lists the architectures. NxM, such as 10x4, means N banks of M bytes";
  if (const u32 number = number_of(text.c_str()); number != 0) {
    // Finds the machines with the next smaller and the next larger number. The names of these machines may not be
    // similar to the given name.
    const arch *older = nullptr, *newer = nullptr;
    for (const arch& a : archs) {
      if (number_of(a.name) < number) older = &a;
      if (number_of(a.name) > number && newer == nullptr) newer = &a;
    }
    const auto words = [](const arch& a) { return formatted("{} ({})", a.name, a.family); };
    hint = formatted("the nearest known architectures are {}{}{}. {}", older != nullptr ? words(*older) : "",
                     older != nullptr && newer != nullptr ? ", " : "", newer != nullptr ? words(*newer) : "", hint);
    return diagnostic{formatted("unknown architecture '{}'", text), {}, hint};
  }
  for (const arch& a : archs) known.emplace_back(a.name);
  for (const arch& a : other_archs) known.emplace_back(a.name);
  if (const auto near = nearest(name, known, 1); !near.empty()) hint = formatted("did you mean {}? {}", near[0], hint);
  return diagnostic{formatted("unknown architecture '{}'", text), {}, hint};
}

result<machine> find_machine(std::string_view name) {
  auto on = parse_machine(name);
  if (on) return on;
  const auto usual = usual_name(name);
  if (!usual) return usual.error();
  if (*usual) return parse_machine(**usual);
  if (const std::size_t dot = name.rfind(".8"); dot != std::string_view::npos && dot + 2 == name.size())
    if (const auto without = parse_machine(name.substr(0, dot)))
      return diagnostic{formatted("'{}': the banks of {} ({}) have 4 bytes", name, without->name, without->family),
                        {},
                        "only Kepler has banks of 8 bytes (sm_30.8 to sm_37.8)"};
  // A number may be the name of a product without its brand.
  if (starts_with_any(name, "0123456789"))
    for (const std::string brand : {"RTX ", "GTX ", "RX "})
      if (const auto branded = usual_name(brand + std::string(name)); branded && *branded)
        return diagnostic{
            formatted("unknown architecture '{}'", name), {}, formatted("did you mean '{}{}'?", brand, name)};
  return on;
}

result<machine> read_machine(const flag_values& flags) {
  std::string name = flags.value("arch").value_or("sm_90");
  const auto phases = flags.value("phases");
  if (phases) {
    const bool own = starts_with_any(name, "0123456789") && name.find(':') == std::string::npos;
    if (!own)
      return about("phases", {formatted("{} applies only to a machine NxM, but '{}' has its own phases",
                                        worded(setting::phases), name),
                              {},
                              formatted("{} {}", worded(setting::arch, "32x4"), worded(setting::phases, "32,16,8"))});
    name += formatted(":{}", *phases);
  }
  auto on = find_machine(name);
  if (!on) return about(phases && parse_machine(name.substr(0, name.find(':'))) ? "phases" : "arch", on.error());
  return on;
}

std::optional<diagnostic> unsupported(const machine& m, operation op) {
  const rule_source s = m.rules->by_group[static_cast<u32>(group_of(op))];
  if (s.level != evidence::none) return std::nullopt;
  return diagnostic{formatted("no rule is known for {} on {}: {}", spell(op), m.name, s.source),
                    {},
                    formatted("bankwise arch {} lists the known rules", m.name)};
}

std::optional<diagnostic> unsupported(const machine& m, const named_operation& op) {
  const std::uint32_t number = number_of(m.name.c_str());
  if (!op.of_bytes || number == 0 || can(number, ability::byte_matrix)) return unsupported(m, op.op);
  const std::string first = formatted("sm_{}", row_of(ability::byte_matrix).first);
  return diagnostic{formatted("{} has no {}, because matrices of 8-bit elements need {}", m.name, op.spelling, first),
                    {},
                    worded(setting::arch, first)};
}

}  // namespace bankwise
