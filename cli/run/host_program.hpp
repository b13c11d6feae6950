// Checks whether an executable can run on the stand-in of the CUDA runtime, before it is started.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "cubin/elf_image.hpp"

namespace bankwise::cli {

// Returns nothing if the file is not a program of the host.
std::optional<cubin::elf_image> read_host_program(const std::string& contents, const std::string& name);

// The reason why the program cannot run. Nothing if it can.
std::optional<diagnostic> check_program(const cubin::elf_image& elf, const std::string& contents,
                                        const std::string& file, std::uint32_t sm);
// Whether the program needs a sanitizer's library. Such a library takes more static TLS than an audited program has
// (ld.so's tunables).
bool needs_sanitizer(const cubin::elf_image& elf);
// The error if -k does not name a kernel of the program. There is an error only if all kernels are known: the program
// contains its kernels, and does not load others.
std::optional<diagnostic> refuse_kernel(const cubin::elf_image& elf, const std::string& contents,
                                        const std::string& file, std::uint32_t sm, const std::string& pattern);

}  // namespace bankwise::cli
