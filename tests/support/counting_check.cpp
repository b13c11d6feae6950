#include "support/counting_check.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>

#include "emulate/counting/counting.hpp"
#include "emulate/launch/listeners.hpp"
#include "profile/global_counts.hpp"
#include "profile/profile_launch.hpp"
#include "report/json/write_report.hpp"

namespace bankwise::test {

namespace {

constexpr std::size_t kept_accesses = 4096;

// Returns all facts as text, except the number of executed blocks and the facts that only a complete run finds.
std::string counts_of(const emulate::launch& l, launch_report r) {
  const std::string arch = "sm_" + std::to_string(l.program->sm);
  const auto on = parse_machine(arch);
  r.ctas_executed = blocks_of(r.grid);
  r.out_of_bounds.clear();
  r.counted_alone = false;
  return to_json({arch, "emulated", *on, {std::move(r)}, {}, {}});
}

using all_counts = std::map<std::uint64_t, global_counts>;

// Counts accesses to global memory one by one, with a simple implementation of the rule.
class plain_global_counts : public emulate::listener {
 public:
  emulate::wanted_events wants() const override { return {.accesses = false, .asynchronous = false, .global = true}; }
  void on_block(std::uint64_t) override {}
  void on_global(const emulate::global_access_event& e) override {
    if (is_local(e.kind)) return;
    global_access a{.mask = e.mask, .width_bytes = e.width_bytes, .past_l1 = e.past_l1};
    std::copy_n(e.address, lanes_per_warp, a.addresses);
    if (e.to != nullptr) std::copy_n(e.to, lanes_per_warp, a.to);
    const global_cost c = bankwise::cost_of(a);
    global_counts& to = sums_[e.pc];
    to += {1, e.lanes, e.mask != 0, c.sectors, c.sectors_ideal, c.tag_requests, c.bytes};
  }
  void add(const plain_global_counts& other) {
    for (const auto& [pc, c] : other.sums_) sums_[pc] += c;
  }
  const all_counts& sums() const { return sums_; }

 private:
  all_counts sums_;
};

all_counts counts_of(const std::map<std::uint64_t, global_tally>& tallies) {
  all_counts all;
  for (const auto& [pc, t] : tallies) all[pc] = t;
  return all;
}

std::string to_text(const char* space, const all_counts& counts) {
  std::ostringstream text;
  for (const auto& [pc, c] : counts)
    text << space << " memory at " << std::hex << pc << std::dec << ": " << c.executed << " executed, " << c.lanes
         << " lanes, " << c.requests << " requests, " << c.sectors << " sectors, " << c.sectors_ideal << " ideal, "
         << c.tag_requests << " lines, " << c.bytes << " bytes\n";
  return text.str();
}

std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream lines_a(a), lines_b(b);
  std::string x, y;
  while (std::getline(lines_a, x)) {
    if (!std::getline(lines_b, y)) y = "nothing";
    if (x != y) return "whole run: " + x + "\ncounts alone: " + y;
  }
  return std::getline(lines_b, y) ? "whole run: nothing\ncounts alone: " + y : "";
}

}  // namespace

counting_outcome count_without_results(const std::function<void(const launch_use&)>& prepare) {
  counting_outcome o;
  std::string whole, whole_global;  // results of the complete run, without and with counts of global memory
  const auto run = [&](const emulate::launch& l, emulate::device_memory& memory, std::string* global) -> std::string {
    emulate::launch_hooks hooks;
    std::optional<emulate::listeners_of<global_collector>> counting;
    std::optional<emulate::listeners_of<plain_global_counts>> plain;
    const bool repeats = emulate::runs_by_class(l);
    if (global != nullptr)
      counting.emplace(hooks, [&] {
        return std::make_unique<global_collector>(l.program->sections[l.kernel->section].address, 1024, repeats);
      });
    if (global != nullptr && !repeats) plain.emplace(hooks, [] { return std::make_unique<plain_global_counts>(); });
    const auto on = parse_machine("sm_" + std::to_string(l.program->sm));
    emulate::launch with_fault = l;
    emulate::fault_kind fault{};
    with_fault.fault = &fault;
    auto ran = profile_launch(with_fault, memory, *on, hooks,
                              {.accesses = kept_accesses, .traced = traced_blocks::all, .hazards = {}});
    if (!ran && fault == emulate::fault_kind::needs_results) {
      o.was_possible = false;
      return whole;
    }
    if (!ran) return "fault: " + ran.error().message;
    if (global != nullptr) {
      const auto counted = counting->sum();
      *global = to_text("global", counts_of(counted->global()));
      if (plain) o.difference = first_difference(to_text("global", plain->sum()->sums()), *global);
      *global += to_text("local", counts_of(counted->local()));
    }
    o.blocks_executed = ran->ctas_executed;
    return counts_of(l, std::move(*ran));
  };
  prepare([&](const emulate::launch& l, emulate::device_memory& memory) {
    o.blocks = blocks_of(l.grid);
    whole = run(l, memory, &whole_global);
  });
  for (const bool tells_global : {true, false})
    prepare([&](emulate::launch l, emulate::device_memory& memory) {
      l.checks_operands = false;
      const auto code = std::make_shared<emulate::counting_code>(emulate::code_to_count(
          *l.program, *l.kernel, tells_global ? emulate::told_global::yes : emulate::told_global::no));
      o.was_possible = code->possible;
      l.counting = code;
      std::string global;
      const std::string counted = run(l, memory, tells_global ? &global : nullptr);
      // A complete run may find a fault that a counting run does not check.
      if (whole.starts_with("fault: ") || !o.difference.empty()) return;
      o.difference = first_difference(whole, counted);
      if (o.difference.empty() && tells_global && o.was_possible) o.difference = first_difference(whole_global, global);
      (tells_global ? o.blocks_for_global : o.blocks_executed) = o.blocks_executed;
    });
  return o;
}

bool checks_counting() { return std::getenv("BANKWISE_CHECK_COUNTING") != nullptr; }

}  // namespace bankwise::test
