// Copies and fills of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/copied_box.hpp"

namespace bankwise::cuda {

struct state;
struct driver_copy_3d;

copy row(void* to, const void* from, std::size_t bytes, copy_kind kind);
// Makes a copy from the parameters of cudaMemcpy3D. Fails if the box is empty or exceeds an array.
error make_copy(state& s, const copy_3d_parameters& p, copy& made);
error make_copy(state& s, const driver_copy_3d& p, copy& made);

error run_operation(state& s, const copy& c);
error run_operation(state& s, const fill& f);

}  // namespace bankwise::cuda
