// The GPU for which times are predicted. Users specify the name of the GPU, or a file with its parameters.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "timing/gpu.hpp"

namespace bankwise::timing {

struct timed_gpu {
  std::string title;
  gpu_parameters parameters;
  double boost = 0;                        // clock of the multiprocessors while a program runs, in GHz
  bool is_assumed = false;                 // whether the parameters are scaled from another GPU
  bool is_probed = false;                  // whether the parameters come from a file
  const gpu_description* known = nullptr;  // the row of gpus.def, if the parameters come from it
};

// Whether the value of --gpu is the path of a file. A path contains a slash, or ends with ".csv".
bool is_parameter_file(std::string_view word);
// Reads the file, or finds the GPU by its name. An empty name means the H100 SXM. A name can end with a clock in GHz, such
// as "A100@1.41", or with "@boost". The title then contains the clock: "A100 80GB SXM at 1.410 GHz".
result<timed_gpu> read_timed_gpu(const std::string& word);
const timed_gpu* find_timed_gpu(const std::string& word);

}  // namespace bankwise::timing
