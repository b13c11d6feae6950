// Checks before the start of an executable whether it can run with the stand-in of the CUDA runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "cubin/elf_image.hpp"

namespace bankwise::cli {

// Returns nothing if the file is not an executable of the host.
std::optional<cubin::elf_image> read_host_program(const std::string& contents, const std::string& name);

// Returns the reason why the program cannot run, or nothing.
std::optional<diagnostic> check_program(const cubin::elf_image& elf, const std::string& contents,
                                        const std::string& file, std::uint32_t sm);
// Whether the program needs the library of a sanitizer. Such a library needs more static TLS than the loader reserves
// in a program with an audit library, unless a tunable of ld.so changes the size.
bool needs_sanitizer(const cubin::elf_image& elf);
// Returns an error if -k names no kernel of the program. Returns an error only if all kernels of the program are known.
// This is so if the program contains its kernels and loads no others.
std::optional<diagnostic> refuse_kernel(const cubin::elf_image& elf, const std::string& contents,
                                        const std::string& file, std::uint32_t sm, const std::string& pattern);

}  // namespace bankwise::cli
