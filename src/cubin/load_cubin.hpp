// Turns a cubin's bytes into a program: its sections at their addresses, with every relocation applied.
#pragma once

#include <string>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// Loads a cubin. Errors: not CUDA, not linked, damaged, a relocation of an unknown type.
result<program> load_cubin(byte_span bytes, const std::string& name, const address_bases& bases = {});

}  // namespace bankwise::cubin
