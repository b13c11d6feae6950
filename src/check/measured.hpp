// Reads Nsight Compute's counts from its CSV, or from a table with the columns of data/sm_90/kernels.csv.
//
//     ncu --import r.ncu-rep --page source --csv                        a row for each instruction
//     ncu --import r.ncu-rep --page source --print-source cuda,sass --csv     also a row for each source line
//     ncu --import r.ncu-rep --page raw --csv                           a row for each launch, a column for each metric
//
// Columns are found by their names, which differ between versions. Columns with unknown names are ignored. A table is
// ignored if it has neither wavefronts of shared memory nor sectors of global memory. For a kernel that does not use
// shared memory, the source page has no columns about shared memory. Launches with equal counts are kept once, because
// ncu 2025.3 prints the instructions of each launch twice.
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

// The metric that Nsight Compute shows as "Elapsed Cycles".
inline constexpr std::string_view elapsed_cycles_metric = "gpc__cycles_elapsed.max";

struct measured_row {
  std::optional<std::uint64_t> pc;  // byte offset in the kernel; empty if the row is for a source line
  std::string sass;
  std::string file;  // name of the source without its folder; empty if unknown
  std::uint32_t line = 0;
  std::optional<std::uint64_t> executed, lanes, ideal;
  std::uint64_t wavefronts = 0;
  std::uint64_t sectors = 0;  // sectors of global memory
  std::optional<std::uint64_t> sectors_ideal, tag_requests;

  friend bool operator==(const measured_row&, const measured_row&) = default;
};

struct measured_launch {
  std::string kernel;  // name of the kernel in the file
  std::optional<std::array<std::uint32_t, 3>> grid, block;
  // rows for instructions, or for lines if the file does not contain instructions
  std::vector<measured_row> rows;
  std::map<std::string, std::uint64_t> metrics;  // counters of the whole launch, for shared and global memory
  std::uint32_t file_line = 0;
  // whether the table contains wavefronts; whether it contains sectors
  bool counts_wavefronts = false, counts_sectors = false;
};

result<std::vector<measured_launch>> read_measured(std::string_view text, const std::string& name);

// Returns the name of a kernel without namespaces, template arguments and parameters: "k" for "void ns::k<int>(float *,
// int)".
std::string bare_name(std::string_view kernel);

}  // namespace bankwise::check
