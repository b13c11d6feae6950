// Facts from the code of a kernel, computed once for each function: what its counts need, what they depend on, and which
// memory it touches.
#pragma once

#include <vector>

#include "model/run_options.hpp"
#include "runtime/launch/module.hpp"

namespace bankwise::cuda {

// The part of the code that counts depend on. It is computed once for each kernel.
const emulate::counting_code& counting_of(const run_options& o, function& f);
const std::vector<sass::dependence>& dependences_of(function& f);
const sass::global_pointers& pointers_of(function& f);

}  // namespace bankwise::cuda
