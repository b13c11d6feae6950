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
  std::optional<std::uint64_t> predicted, measured;  // wavefronts; empty if this side does not contain the row
  std::optional<std::uint64_t> predicted_executed, measured_executed, predicted_ideal, measured_ideal;
  std::string because;   // the reason for a difference; empty if there is no reason
  bool by_page = false;  // whether the source page's model gives the measured number, so that the prediction is right

  bool equal() const { return because.empty(); }
};

// A counter of a whole launch, and its predicted value.
struct compared_counter {
  std::string metric;
  std::uint64_t predicted = 0, measured = 0;
  std::string because;
  bool attributed = false;  // whether the excess belongs to other instructions, so that the prediction is right
  bool by_page = false;     // whether the source page's model gives the measured number
};

// The numbers of the source page about an instruction or a line on global memory.
struct page_sectors {
  std::uint64_t sectors = 0;
  std::optional<std::uint64_t> sectors_ideal, tag_requests, executed;
};
struct compared_sectors {
  std::string place, sass, file;  // as in a row about shared memory
  std::uint32_t line = 0;
  std::optional<page_sectors> predicted, measured;  // empty if this side does not contain the row
  std::string because;                              // the reason for a difference; empty if there is no reason

  bool equal() const { return because.empty(); }
};

// The measured duration of a launch, and its prediction.
struct compared_time {
  std::string gpu;                                               // GPU of the prediction
  std::uint64_t predicted = 0, low = 0, high = 0, measured = 0;  // elapsed cycles
};

struct compared_launch {
  std::string kernel;  // name in the report
  std::vector<compared_row> rows;
  std::vector<compared_sectors> global_rows;
  std::vector<compared_counter> counters;
  std::vector<std::string> notes;
  // Not part of the sums of a comparison, because a prediction is not exact.
  std::optional<compared_time> time = {};
};

struct comparison {
  std::vector<compared_launch> launches;
  std::vector<std::string> notes;  // launches that only one side contains
  std::uint64_t equal = 0, attributed = 0, by_page = 0, different = 0;
};

// Compares the launches of a report with measured launches. Launches match if their kernels have the same bare name:
// the first launch of one side matches the first of the other side. If the file contains grids and blocks, only
// launches with equal grids and blocks match.
comparison compare(const report& r, const std::vector<measured_launch>& measured);

}  // namespace bankwise::check
