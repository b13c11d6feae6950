// The results of a probe, as a value that can be printed, saved, sent and read again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare.hpp"
#include "discover.hpp"
#include "driver.hpp"
#include "expr/names/machine_names.hpp"
#include "report/table/style.hpp"

namespace bankwise::probe {

struct evidence_row {
  std::string operation;  // operation, such as "ld.b128", or the name of a known case
  quantity measured = quantity::cycles;
  std::uint64_t patterns = 0, holds = 0;
  std::optional<mismatch> smallest;
};

struct latency_point {
  std::string operation;
  u32 wavefronts = 0;  // number of wavefronts that the rule predicts
  double clocks = 0;   // clocks from an access to the next access, which needs the first access's result
};

struct gpu_evidence {
  std::string version;  // version of bankwise that measured
  gpu_facts on;
  std::string rule;  // machine whose rule was compared, such as "sm_90"
  std::uint64_t seed = 0;
  std::vector<evidence_row> known, random;
  std::vector<latency_point> latencies;
  std::optional<found_machine> found;
  std::vector<std::string> notes;  // sentences: each names something that was not measured, and the reason

  bool holds() const;
};

struct meters {
  meter cycles;
  meter latency;     // meter of latencies; may be empty
  meter wavefronts;  // meter of wavefronts; may be empty
};

struct probe_options {
  std::size_t timed = 2000, counted = 24;  // numbers of random patterns for each operation
  std::uint64_t seed = 1;
  std::vector<const probed_operation*> operations;  // operations to measure; empty means all operations of the machine
};

// Measures accesses and compares the results with the rule. Calls `progress(done, total, what)` before each step.
result<gpu_evidence> gather(const gpu_facts& on, const machine& rule, const meters& with, const probe_options& options,
                            const std::function<void(std::uint64_t, std::uint64_t, std::string_view)>& progress);

// Returns the evidence as text for a terminal.
std::string to_text(const gpu_evidence& e, const style& look);
// Draws the latencies as clocks over the number of wavefronts.
std::string latency_svg(const gpu_evidence& e);

// Returns the evidence as JSON. Its schema is bankwise.evidence/1, which is in docs/reference/evidence.schema.json.
std::string to_json(const gpu_evidence& e);
// Reads evidence that to_json wrote. Errors name the place in the file.
result<gpu_evidence> read_evidence(std::string_view text, const std::string& file);

}  // namespace bankwise::probe
