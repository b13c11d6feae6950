// Reads the expressions of a small kernel, and the blocks of its functions and lambdas.
#pragma once

#include "kernel_reader.hpp"

namespace bankwise::fuzz {

node_pointer read_expression(kernel_reader& r);
node_pointer read_assignment(kernel_reader& r);  // reads an expression without a comma operator
node_pointer read_block(kernel_reader& r);       // kernel_statements.cpp

}  // namespace bankwise::fuzz
