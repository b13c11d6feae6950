// Chooses the code to load from a file: a cubin, a fatbin with several images, or a host program that contains fatbins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// Loads the image that a GPU of this architecture runs (image_choice.hpp) from a cubin, a fatbin, or a host program or
// object with fatbins. If `sm` is 0, chooses the architecture as device_for() does. If no image fits, the error lists the
// existing images.
result<program> load(byte_span bytes, const std::string& name, std::uint32_t sm, const address_bases& bases = {});

// Loads the image that the GPU runs of every translation unit. Each becomes a separate program. If a host program has no
// image for the GPU, the error lists the existing images.
result<std::vector<program>> load_all(byte_span bytes, const std::string& name, std::uint32_t sm);

// The architecture of the GPU that a host program needs (architecture_for() in image_choice.hpp). Returns sm_90 if the
// program contains no code for a GPU that bankwise emulates.
std::uint32_t device_for(byte_span bytes, const std::string& name);

// Whether the fatbins of a host program contain PTX that can be compiled for this architecture.
bool has_ptx(byte_span bytes, const std::string& name, std::uint32_t sm);

}  // namespace bankwise::cubin
