// Compares a prediction with a measurement by instruction or by line, and explains the differences.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/measured.hpp"
#include "model/measures.hpp"
#include "model/report.hpp"

namespace bankwise::check {

// Numbers of an instruction or a line. Unknown numbers are missing.
using page_counts = std::map<measure, std::uint64_t>;
std::optional<std::uint64_t> count_in(const page_counts& c, measure m);

// The measures that are compared with the source page, for both kinds of memory. The cost is first.
inline constexpr measure compared_shared[] = {measure::wavefronts, measure::executed, measure::ideal};
inline constexpr measure compared_global[] = {measure::sectors, measure::sectors_ideal, measure::tag_requests,
                                              measure::global_executed};

struct compared_row {
  std::string place;  // examples: "0x220", "transpose.cu:18"
  std::string sass, file;
  std::uint32_t line = 0;
  page_counts predicted, measured;  // empty if the prediction or the measurement lacks this row
  std::string because;              // reason for a difference; empty if there is none
  // whether the source page's model computes the measured number; if so, the prediction of the hardware is right
  bool by_page = false;

  bool equal() const { return because.empty(); }
};
// Makes a row without a reason. `at` is the first predicted instruction of the row. Pointers are null if the prediction
// or the measurement lacks this row.
compared_row make_row(const std::string& place, const instruction_place* at, const measured_row* m);

// A counter of a whole launch, and its predicted value.
struct compared_counter {
  std::string metric;
  std::uint64_t predicted = 0, measured = 0;
  std::string because;
  bool attributed = false;  // whether other instructions cause the excess; if so, the prediction is right
  bool by_page = false;     // whether the source page's model computes the measured number
};

// The measured and the predicted duration of a launch.
struct compared_time {
  std::string gpu;                                               // GPU for which the time was predicted
  std::uint64_t predicted = 0, low = 0, high = 0, measured = 0;  // elapsed cycles
};

struct compared_launch {
  std::string kernel;  // name of the kernel in the report
  std::vector<compared_row> rows;
  std::vector<compared_row> global_rows;
  std::vector<compared_counter> counters;
  std::vector<std::string> notes;
  // The time is not included in the sums of a comparison, because a predicted time is not exact.
  std::optional<compared_time> time = {};
};

struct comparison {
  std::vector<compared_launch> launches;
  std::vector<std::string> notes;  // notes about launches that only one side contains
  std::uint64_t equal = 0, attributed = 0, by_page = 0, different = 0;
};

// Returns the opcode of an instruction: "LDS" for "@!P0 LDS.128 R4, [R2]".
std::string_view opcode_of(std::string_view sass);
// Finds a metric by its name without the suffix .sum of newer versions.
std::map<std::string, std::uint64_t>::const_iterator find_metric(const measured_launch& m, std::string_view name);

// Compares the launches of a report with measured launches. Launches match by the name of their kernel without
// parameters. The first launch of a kernel in the report matches the kernel's first launch in the file, and so on. If
// the file contains grids and blocks, they must also match.
comparison compare(const report& r, const std::vector<measured_launch>& measured);

}  // namespace bankwise::check
