// Checks whether an executable can run with the stand-in of the CUDA runtime, before it starts.
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
// Whether the program needs the library of a sanitizer. Such a library needs much static TLS. If a program has an audit
// library, the loader only reserves enough static TLS if a tunable of ld.so requests it.
bool needs_sanitizer(const cubin::elf_image& elf);
// Returns an error if -k names no kernel of the program. Can only detect this if the program contains all of its
// kernels and loads no others. Otherwise, returns no error.
std::optional<diagnostic> refuse_kernel(const cubin::elf_image& elf, const std::string& contents,
                                        const std::string& file, std::uint32_t sm, const std::string& pattern);

}  // namespace bankwise::cli
