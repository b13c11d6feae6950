// A file with the parameters of one GPU. bankwise probe --timing writes it, and --gpu FILE reads it.
//
//     parameter,value,unit,evidence,source
//     gpu,NVIDIA H100 80GB HBM3,,,
//     sm,90,,,
//     running_clock,1.98,GHz,measured,the GPU during the measurement
//     driver,13000,,,
//     bankwise,0.1.0,,,
//     l2_latency,264.1,clocks,measured,a chain of loads past L1 in 16 MB
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "timing/gpu_parameters.hpp"

namespace bankwise::timing {

struct file_parameter {
  const parameter_row* row = nullptr;
  double value = 0;
  parameter_evidence evidence = parameter_evidence::assumed;  // "measured" means measured on this GPU
  std::string source;
};

struct parameter_file {
  std::string gpu;  // name that the driver reports: "NVIDIA H100 80GB HBM3"
  std::uint32_t sm = 0;
  double running_clock = 0;          // clock during the measurement, in GHz
  unsigned driver = 0;               // CUDA version of the driver, such as 13000; 0 if unknown
  std::string version;               // version of bankwise that measured; empty if unknown
  std::vector<file_parameter> rows;  // the rows, in the order of parameters.def

  // Returns the parameters of the model. Parameters that are missing in the file have the value of the H100 SXM.
  gpu_parameters parameters() const;
};

std::string to_csv(const parameter_file& f);
// Reads the text of a file. Fails if a parameter is unknown, or if the model cannot use a value. Each error contains
// the position in `file`.
result<parameter_file> read_parameter_file(const std::string& text, const std::string& file);

// Returns the reason why a parameter cannot have this value, or nothing if the value is valid. The model divides by
// most parameters, and some parameters are sizes of lists.
std::optional<std::string> refused(const parameter_row& r, double value);

// Finds a parameter by its name. Returns null if the name is unknown.
const parameter_row* find_parameter(std::string_view name);
std::string_view name_of(parameter_evidence e);

}  // namespace bankwise::timing
