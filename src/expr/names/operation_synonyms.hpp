// Other names of operations: in SASS, in AMD's instruction set, as CUDA functions, and in plain words.
//
//     LDS.128, read.128, ds_read_b128     ld.b128
//     LDSM.16.MT88.4                      ldmatrix.x4.trans
//     atomicAdd, ATOMS.ADD                atom.add
#pragma once

#include <string>
#include <string_view>

namespace bankwise {

// The name that parse_operation knows, in lower case; a name without a synonym is returned in lower case.
std::string ptx_name(std::string_view name);

}  // namespace bankwise
