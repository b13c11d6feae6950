// Checks before the start whether an executable can run on the stand-in of the CUDA runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "cubin/elf_image.hpp"

namespace bankwise::cli {

// Returns nothing if the file is not a host program.
std::optional<cubin::elf_image> read_host_program(const std::string& contents, const std::string& name);

// The reason why it would not run.
std::optional<diagnostic> check_program(const cubin::elf_image& elf, const std::string& contents,
                                        const std::string& file, std::uint32_t sm);
// Whether it needs a sanitizer's library, which takes more static TLS than an audited program has (ld.so's tunables).
bool needs_sanitizer(const cubin::elf_image& elf);
// The error for a -k that names no kernel of the program. An error is certain if the program's kernels are known, it
// loads no others, and none has this name.
std::optional<diagnostic> refuse_kernel(const cubin::elf_image& elf, const std::string& contents,
                                        const std::string& file, std::uint32_t sm, const std::string& pattern);

}  // namespace bankwise::cli
