// Compares a prediction with a measurement, by instruction or by line, and explains the differences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/measured.hpp"
#include "model/report.hpp"

namespace bankwise::check {

struct compared_row {
  std::string place;  // "0x220", "transpose.cu:18"
  std::string sass, file;
  std::uint32_t line = 0;
  std::optional<std::uint64_t> predicted, measured;  // wavefronts; nothing if this side does not have the row
  std::optional<std::uint64_t> predicted_executed, measured_executed, predicted_ideal, measured_ideal;
  std::string because;   // the reason for a difference; empty if there is none
  bool by_page = false;  // the source page's model has the measured number, so the prediction is right

  bool equal() const { return because.empty(); }
};

// A counter of a whole launch next to its predicted value.
struct compared_counter {
  std::string metric;
  std::uint64_t predicted = 0, measured = 0;
  std::string because;
  bool attributed = false;  // the excess belongs to other instructions, so the prediction is right
  bool by_page = false;     // the same as in a row
};

// The source page's numbers about global memory for an instruction, or a line.
struct page_sectors {
  std::uint64_t sectors = 0;
  std::optional<std::uint64_t> sectors_ideal, tag_requests, executed;
};
struct compared_sectors {
  std::string place, sass, file;  // the same as in a row
  std::uint32_t line = 0;
  std::optional<page_sectors> predicted, measured;  // nothing if this side does not have the row
  std::string because;                              // the reason for a difference; empty if there is none

  bool equal() const { return because.empty(); }
};

// The measured duration of a launch, with the prediction.
struct compared_time {
  std::string gpu;                                               // of the prediction
  std::uint64_t predicted = 0, low = 0, high = 0, measured = 0;  // elapsed cycles
};

struct compared_launch {
  std::string kernel;  // as in the report
  std::vector<compared_row> rows;
  std::vector<compared_sectors> global_rows;
  std::vector<compared_counter> counters;
  std::vector<std::string> notes;
  // not included in the sums of a comparison, because a prediction is not exact
  std::optional<compared_time> time = {};
};

struct comparison {
  std::vector<compared_launch> launches;
  std::vector<std::string> notes;  // launches on one side only
  std::uint64_t equal = 0, attributed = 0, by_page = 0, different = 0;
};

// Launches are matched by the bare name of their kernel, the first of one side with the first of the other. If the file
// has grids and blocks, only equal ones match.
comparison compare(const report& r, const std::vector<measured_launch>& measured);

}  // namespace bankwise::check
