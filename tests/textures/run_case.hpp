// Runs a case of cases.hpp on the driver that the program is linked with: the machine's, or ours.
#pragma once

#include "cases.hpp"

namespace bankwise::cuda {
struct module;
}

namespace bankwise::textures {

struct failure {
  int status;  // status of the driver
};
// The four words that each thread got, or the contents of the surface that it wrote. Throws a failure.
std::vector<std::uint32_t> results(cuda::module* in_module, const texture_case& c);
// The kernels of textures.cu.
cuda::module* load(const std::vector<char>& cubin);

}  // namespace bankwise::textures
