// Reads the attributes of kernels (sections .nv.info and .nv.info.KERNEL): registers, parameters, the size of the
// frame.
//
//     04 2f 08 00  05000000 20000000     format 4, attribute 0x2f (registers), 8 bytes: symbol 5 has 32 registers
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "cubin/elf_image.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// Reads the attributes of a section, and stores them in the kernels. Attributes that do not name a kernel belong to
// `owner`, unless `owner` is null. `name` is the name of the file. Returns the error, if any.
std::optional<diagnostic> read_kernel_info(const elf_image& elf, const elf_section& section, const std::string& name,
                                           std::vector<kernel>& kernels, kernel* owner);

}  // namespace bankwise::cubin
