// Chooses the code to load from a file: a cubin, a fatbin with several images, or a host program that contains fatbins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "cubin/fatbin.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// Loads the image for this architecture from a cubin, a fatbin, or a host program or object with fatbins. If `sm` is 0,
// chooses the architecture as device_for() does. If an architecture has an image with its own features, such as sm_90a,
// loads this image. If no image fits, the error lists the existing images.
result<program> load(byte_span bytes, const std::string& name, std::uint32_t sm, const address_bases& bases = {});

// Loads every image for this architecture. Each translation unit becomes a separate program. If a host program has no
// image for this architecture, the error lists the existing images.
result<std::vector<program>> load_all(byte_span bytes, const std::string& name, std::uint32_t sm);

// The architecture of the device that a program with these images needs: the one for which most images have machine code.
// Each translation unit has its own images, so a program can run only if all of them have code for the device. Among
// equals, prefers sm_90, whose rule is measured, and then the newest architecture. If there is only PTX, the device is
// an sm_90, or newer if the PTX needs it. `is_possible` tells which architectures are considered.
std::uint32_t device_for(const std::vector<fatbin_image>& images, bool (*is_possible)(std::uint32_t sm));

// As above, for the images in a host program. Returns sm_90 if the program contains no CUDA code.
std::uint32_t device_for(byte_span bytes, const std::string& name, bool (*is_possible)(std::uint32_t sm));

// Whether the fatbins of a host program contain PTX that can be compiled for this architecture.
bool has_ptx(byte_span bytes, const std::string& name, std::uint32_t sm);

}  // namespace bankwise::cubin
