// Synonyms of operations. They are names from SASS, names from AMD's instruction set, CUDA functions, and plain words.
//
//     LDS.128, read.128, ds_read_b128     ld.b128
//     LDSM.16.MT88.4                      ldmatrix.x4.trans
//     atomicAdd, ATOMS.ADD                atom.add
#pragma once

#include <string>
#include <string_view>

namespace bankwise {

// Returns the name that parse_operation knows, in lower case. A name without a synonym is only converted to lower case.
std::string ptx_name(std::string_view name);

}  // namespace bankwise
