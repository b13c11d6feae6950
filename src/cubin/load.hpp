// Which code of a file is loaded: a cubin, a fatbin of several, or a program of the host with fatbins in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// Loads the image for this architecture from a cubin, a fatbin, or a host program or object with fatbins in it. `sm` 0
// takes that for sm_90, whose rule is measured, else the newest. The error lists what there is.
result<program> load(byte_span bytes, const std::string& name, std::uint32_t sm, const address_bases& bases = {});

// Every image for this architecture, each translation unit a program of its own; a host program that has none is an
// error that lists what there is.
result<std::vector<program>> load_all(byte_span bytes, const std::string& name, std::uint32_t sm);

// Whether the fatbins of a host program hold PTX that may be compiled for this architecture.
bool has_ptx(byte_span bytes, const std::string& name, std::uint32_t sm);

}  // namespace bankwise::cubin
