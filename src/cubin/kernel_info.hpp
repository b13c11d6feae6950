// The attributes of kernels, .nv.info and .nv.info.KERNEL: registers, parameters, the size of a frame.
//
//     04 2f 08 00  05000000 20000000     format 4, attribute 0x2f (registers), 8 bytes: symbol 5 has 32
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "cubin/elf_image.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// Reads a section's attributes into their kernels. Attributes without a kernel belong to `owner`, if there is one.
// Returns the error in the section. `name` is the file.
std::optional<diagnostic> read_kernel_info(const elf_image& elf, const elf_section& section, const std::string& name,
                                           std::vector<kernel>& kernels, kernel* owner);

}  // namespace bankwise::cubin
