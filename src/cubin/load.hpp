// Chooses which code of a file is loaded: from a cubin, a fatbin with several images, or a host program with fatbins in
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// Loads the image for this architecture from a cubin, a fatbin, or a host program or object with fatbins in it. `sm` 0
// selects sm_90, whose rule is measured, or otherwise the newest. The error lists the existing images.
result<program> load(byte_span bytes, const std::string& name, std::uint32_t sm, const address_bases& bases = {});

// Every image for this architecture, each translation unit as a separate program. If a host program has none, the error
// lists the existing images.
result<std::vector<program>> load_all(byte_span bytes, const std::string& name, std::uint32_t sm);

// Whether the fatbins of a host program contain PTX that can be compiled for this architecture.
bool has_ptx(byte_span bytes, const std::string& name, std::uint32_t sm);

}  // namespace bankwise::cubin
