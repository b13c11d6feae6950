// Facts about the code of a kernel: the code that counting needs, and the memory that the kernel uses. These facts are
// computed once for each function.
#pragma once

#include "model/run_options.hpp"
#include "runtime/launch/module.hpp"

namespace bankwise::cuda {

// Returns the instructions on which the counts depend.
const emulate::counting_code& counting_of(const run_options& o, function& f);
bool reads_clock(function& f);
// Whether a register of the kernel contains the time of a NANOSLEEP.
bool computes_sleeps(function& f);
const sass::global_pointers& pointers_of(function& f);

}  // namespace bankwise::cuda
