// Chooses the code to load from a file: a cubin, a fatbin with several images, or a host program that contains fatbins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// Loads the image for this architecture from a cubin, a fatbin, or a host program or object with fatbins. If `sm` is 0,
// prefers sm_90, whose rule is measured, and then the newest architecture. If no image fits, the error lists the
// existing images.
result<program> load(byte_span bytes, const std::string& name, std::uint32_t sm, const address_bases& bases = {});

// Loads every image for this architecture. Each translation unit becomes a separate program. If a host program has no
// image for this architecture, the error lists the existing images.
result<std::vector<program>> load_all(byte_span bytes, const std::string& name, std::uint32_t sm);

// Whether the fatbins of a host program contain PTX that can be compiled for this architecture.
bool has_ptx(byte_span bytes, const std::string& name, std::uint32_t sm);

}  // namespace bankwise::cubin
