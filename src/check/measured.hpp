// Reads Nsight Compute's counts from its CSV, or from a table with the columns of data/sm_90/kernels.csv.
//
//     ncu --import r.ncu-rep --page source --csv                        a row for each instruction
//     ncu --import r.ncu-rep --page source --print-source cuda,sass --csv     and for each source line
//     ncu --import r.ncu-rep --page raw --csv                           a row for each launch, a column for each metric
//
// Columns are found by their names, which differ between versions. Other columns are ignored, and so is a table that
// has neither wavefronts of shared memory nor sectors of global memory. For a kernel that uses no shared memory, the
// source page has no columns for it. Launches with equal counts are kept once: ncu 2025.3 prints the instructions of
// each launch twice.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bankwise::check {

// Nsight Compute's "Elapsed Cycles".
inline constexpr std::string_view elapsed_cycles_metric = "gpc__cycles_elapsed.max";

struct measured_row {
  std::optional<std::uint64_t> pc;  // byte offset in the kernel; nothing if the row is a source line
  std::string sass;
  std::string file;  // without its folder; empty if unknown
  std::uint32_t line = 0;
  std::optional<std::uint64_t> executed, lanes, ideal;
  std::uint64_t wavefronts = 0;
  std::uint64_t sectors = 0;  // of global memory
  std::optional<std::uint64_t> sectors_ideal, tag_requests;

  friend bool operator==(const measured_row&, const measured_row&) = default;
};

struct measured_launch {
  std::string kernel;  // as in the file
  std::optional<std::array<std::uint32_t, 3>> grid, block;
  std::vector<measured_row> rows;                // instructions, or lines if the file has no instructions
  std::map<std::string, std::uint64_t> metrics;  // counters of shared and global memory, of the whole launch
  std::uint32_t file_line = 0;
  bool counts_wavefronts = false, counts_sectors = false;  // the table of the rows has such columns
};

result<std::vector<measured_launch>> read_measured(std::string_view text, const std::string& name);

// "void ns::k<int>(float *, int)" -> "k"
std::string bare_name(std::string_view kernel);

}  // namespace bankwise::check
