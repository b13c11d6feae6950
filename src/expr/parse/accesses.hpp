// Finds the accesses of a line of a kernel, in order: loads, stores, atomic functions and asynchronous copies.
//
//     s[t] += x;                           ld s[t], st s[t]
//     atomicAdd(&s[t], 1);                 atom.add s[t]
//     __pipeline_memcpy_async(&s[t], p, 16);     cp.async.cg.16 s[t]
#pragma once

#include "expr/parse/parser.hpp"

namespace bankwise::expr {

void record_access(parser& p, const operand& o, std::string_view op, atomic_use atomic = {});

// These functions read the text after the word that begins at `at`.
operand parse_atomic_call(parser& p, std::size_t at, std::string_view word);
operand parse_copy_call(parser& p, std::size_t at);

}  // namespace bankwise::expr
