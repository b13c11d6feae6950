// Converts the bytes of a cubin to a program: the sections at their addresses, with every relocation applied.
#pragma once

#include <string>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// Loads a cubin. Fails if the file is not a CUDA file, not linked or damaged, or if it has a relocation of an unknown
// type.
result<program> load_cubin(byte_span bytes, const std::string& name, const address_bases& bases = {});

}  // namespace bankwise::cubin
