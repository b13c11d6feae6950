// The measured parameters of a GPU that a user sends: a parameter file without texts of the user.
//
//     bankwise contribute FILE         packs the file that probe --timing wrote
//     scripts/take-evidence FILE       adds the packed file to data/
#pragma once

#include <string>

#include "gpu/probe/contribution.hpp"
#include "timing/parameter_file.hpp"

namespace bankwise::probe {

// The lowest number of measured parameters that is accepted. A probe measures at least 36 of them on each GPU.
inline constexpr std::size_t least_parameters = 30;

// Reads a file of `probe --timing`, checks it, and removes everything that its user may have written: all texts except
// the name of the GPU. Errors name the file and the line.
result<timing::parameter_file> pack_parameters(const std::string& text, const std::string& file);
// Reads a file from outside. It must be what `bankwise contribute` writes, byte for byte.
result<timing::parameter_file> read_packed_parameters(const std::string& text, const std::string& file);

contribution contribution_of(const timing::parameter_file& f, const std::string& file);
// Returns the name of a packed file: "timing-", the GPU, and the extension of parameter files.
std::string packed_name(const timing::parameter_file& f);

}  // namespace bankwise::probe
