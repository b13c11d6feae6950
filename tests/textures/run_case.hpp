// Runs a case of cases.hpp on the driver that the program is linked with: the machine's driver, or ours.
#pragma once

#include "cases.hpp"

namespace bankwise::cuda {
struct module;
}

namespace bankwise::textures {

struct failure {
  int status;
};
// Returns the four words that each thread read, or the contents of the surface that the case wrote. Throws a failure.
std::vector<std::uint32_t> results(cuda::module* in_module, const texture_case& c);
// Loads the kernels of textures.cu.
cuda::module* load(const std::vector<char>& cubin);

}  // namespace bankwise::textures
