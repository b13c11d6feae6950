// The names of kernels: the mangled name for the linker, the full name in CUDA C++, and the bare name.
//
//     _Z6tr_padILi0EEvPf     void tr_pad<0>(float*)     tr_pad
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// The full name of a mangled name. Returns `mangled` if the demangler does not know it.
std::string demangle(const std::string& mangled);
// The bare name: "tr_pad" for "void ns::tr_pad<0>(float*)". Mangled names are also accepted, because names of more than
// 1,024 characters, such as CUTLASS's, are not demangled.
std::string bare_name(const std::string& full_name);
// The name of the only function in a section: "twice(float const*, int)" for ".text._Z5twicePKfi".
std::string function_of(const code_section& section);

// The reason for refusing a POSIX extended regular expression: back-references, or so many repetitions that matching
// may never end. Empty if the expression is accepted.
std::string endless_expression(std::string_view expression);

// Finds a kernel by its bare, full or mangled name, or by a POSIX extended regular expression, "regex:EXPR". If
// `pattern` is empty, the program must have only one kernel. Errors list the most similar names.
result<const kernel*> find_kernel(const program& p, const std::string& pattern);

}  // namespace bankwise::cubin
