#include "support/counting_check.hpp"

#include <cstdlib>
#include <sstream>

#include "emulate/counting/counting.hpp"
#include "profile/profile_launch.hpp"
#include "report/json/write_report.hpp"

namespace bankwise::test {

namespace {

constexpr std::size_t kept_accesses = 4096;

// All that is said of it but how many blocks that took, and what only a whole run looks for.
std::string counts_of(const emulate::launch& l, launch_report r) {
  const std::string arch = "sm_" + std::to_string(l.program->sm);
  const auto on = parse_machine(arch);
  r.ctas_executed = blocks_of(r.grid);
  r.out_of_bounds.clear();
  r.counted_alone = false;
  return to_json({arch, "emulated", *on, {std::move(r)}, {}, {}});
}

std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream lines_a(a), lines_b(b);
  std::string x, y;
  while (std::getline(lines_a, x) && std::getline(lines_b, y))
    if (x != y) return "whole run: " + x + "\ncounts alone: " + y;
  return {};
}

}  // namespace

counting_outcome count_without_results(const std::function<void(const launch_use&)>& prepare) {
  counting_outcome o;
  std::string whole, error;
  const auto run = [&](const emulate::launch& l, emulate::device_memory& memory) -> std::string {
    const auto on = parse_machine("sm_" + std::to_string(l.program->sm));
    emulate::launch with_fault = l;
    emulate::fault_kind fault{};
    with_fault.fault = &fault;
    auto ran = profile_launch(with_fault, memory, *on, {}, kept_accesses);
    if (!ran && fault == emulate::fault_kind::needs_results) {
      o.was_possible = false;
      return whole;
    }
    if (!ran) return "fault: " + ran.error().message;
    o.blocks_executed = ran->ctas_executed;
    return counts_of(l, std::move(*ran));
  };
  prepare([&](const emulate::launch& l, emulate::device_memory& memory) {
    o.blocks = blocks_of(l.grid);
    whole = run(l, memory);
  });
  prepare([&](emulate::launch l, emulate::device_memory& memory) {
    l.checks_operands = false;
    const auto code = std::make_shared<emulate::counting_code>(emulate::code_to_count(*l.program, *l.kernel));
    o.was_possible = code->possible;
    l.counting = code;
    const std::string counted = run(l, memory);
    // A whole run may find a fault that nobody looked for here.
    if (!whole.starts_with("fault: ")) o.difference = first_difference(whole, counted);
  });
  return o;
}

bool checks_counting() { return std::getenv("BANKWISE_CHECK_COUNTING") != nullptr; }

}  // namespace bankwise::test
