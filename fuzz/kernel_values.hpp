// Evaluates expressions of an executed small kernel.
#pragma once

#include "kernel_machine.hpp"

namespace bankwise::fuzz {

value evaluate(kernel_machine& m, thread& t, const node& n);

// Applies the binary operator `sign`. Undefined behaviour ends the run.
value arithmetic(kernel_machine& m, const std::string& sign, const value& a, const value& b);

// Returns the object that a pointer points to.
value place_of(kernel_machine& m, u64 address, const kernel_type* pointer);

value call_function(kernel_machine& m, thread& t, const node& n);

void execute(kernel_machine& m, thread& t, const node& n);  // small_kernel_run.cpp

}  // namespace bankwise::fuzz
