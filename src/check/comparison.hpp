// Compares a prediction with a measurement by instruction or by line, and explains the differences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/measured.hpp"
#include "model/report.hpp"

namespace bankwise::check {

struct compared_row {
  std::string place;  // examples: "0x220", "transpose.cu:18"
  std::string sass, file;
  std::uint32_t line = 0;
  // number of wavefronts; empty if the prediction or the measurement lacks this row
  std::optional<std::uint64_t> predicted, measured;
  std::optional<std::uint64_t> predicted_executed, measured_executed, predicted_ideal, measured_ideal;
  std::string because;  // reason for a difference; empty if the reason is unknown
  // whether the source page's model computes the measured number; if so, the prediction of the hardware is right
  bool by_page = false;

  bool equal() const { return because.empty(); }
};

// A counter of a whole launch, and its predicted value.
struct compared_counter {
  std::string metric;
  std::uint64_t predicted = 0, measured = 0;
  std::string because;
  bool attributed = false;  // whether other instructions cause the excess; if so, the prediction is right
  bool by_page = false;     // whether the source page's model computes the measured number
};

// Numbers of the source page about the global memory accesses of an instruction or a line.
struct page_sectors {
  std::uint64_t sectors = 0;
  std::optional<std::uint64_t> sectors_ideal, tag_requests, executed;
};
struct compared_sectors {
  std::string place, sass, file;  // the same members as in compared_row
  std::uint32_t line = 0;
  std::optional<page_sectors> predicted, measured;  // empty if the prediction or the measurement lacks this row
  std::string because;                              // reason for a difference; empty if the reason is unknown

  bool equal() const { return because.empty(); }
};

// The measured and the predicted duration of a launch.
struct compared_time {
  std::string gpu;                                               // GPU for which the time was predicted
  std::uint64_t predicted = 0, low = 0, high = 0, measured = 0;  // elapsed cycles
};

struct compared_launch {
  std::string kernel;  // name of the kernel in the report
  std::vector<compared_row> rows;
  std::vector<compared_sectors> global_rows;
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

// Compares the launches of a report with measured launches. Launches match by the name of their kernel without
// parameters. The first launch of a kernel in the report matches the kernel's first launch in the file, and so on. If
// the file contains grids and blocks, they must also match.
comparison compare(const report& r, const std::vector<measured_launch>& measured);

}  // namespace bankwise::check
