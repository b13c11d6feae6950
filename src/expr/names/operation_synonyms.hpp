// Other names of operations: in SASS, in AMD's instruction set, as CUDA functions, in words.
//
//     LDS.128, read.128, ds_read_b128     ld.b128
//     LDSM.16.MT88.4                      ldmatrix.x4.trans
//     atomicAdd, ATOMS.ADD                atom.add
#pragma once

#include <string>
#include <string_view>

namespace bankwise {

// The name as parse_operation knows it, in small letters; a name without a synonym is returned in small letters.
std::string ptx_name(std::string_view name);

}  // namespace bankwise
