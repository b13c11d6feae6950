// Chooses the image of a file that a GPU runs, and the GPU that a file needs, by the rule of the CUDA driver:
//
//     GPU sm_89, images                  runs
//     sm_80, sm_86, sm_89, sm_90         sm_89    machine code for the GPU itself; sm_89a before sm_89
//     sm_80, sm_86, sm_90                sm_86    or machine code for the same major version, the highest lower minor version
//     sm_90, PTX for sm_75 and sm_80     sm_80    or PTX for this or an older GPU, the newest
//     sm_90, sm_75                       nothing
//
// Code with its own features (sm_90a) runs only on this architecture, and so does PTX of it.
#pragma once

#include <cstdint>
#include <vector>

#include "cubin/fatbin.hpp"

namespace bankwise::cubin {

// How an image runs on a GPU. Higher values are better.
enum class image_fit : std::uint8_t { none, compiled, older_code, own_code };

image_fit fit_of(const fatbin_image& i, std::uint32_t sm);

// Returns the image that the GPU sm_<sm> runs. The images must be those of one translation unit, or of one fatbin. If
// several images fit equally well, returns the first. Returns null if there is none.
const fatbin_image* image_for(const std::vector<const fatbin_image*>& images, std::uint32_t sm);

// Groups the images by their fatbin. Each translation unit has its own fatbin.
std::vector<std::vector<const fatbin_image*>> by_fatbin(const std::vector<fatbin_image>& images);

// The architecture of the GPU that a program with these images needs: a GPU that runs machine code of the most fatbins,
// because a program runs only if each translation unit has code for the GPU. Among these, a GPU that bankwise emulates
// is preferred, then the GPU for which most fatbins have exactly fitting code, then sm_90, whose rule is measured, and
// then the newest. If there is only PTX, the GPU is an sm_90, or newer if the PTX needs it.
std::uint32_t architecture_for(const std::vector<fatbin_image>& images);

}  // namespace bankwise::cubin
