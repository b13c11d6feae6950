// The names of kernels: the linker's mangled name, the full name in CUDA C++, and the bare name.
//
//     _Z6tr_padILi0EEvPf     void tr_pad<0>(float*)     tr_pad
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// The same name if the demangler does not know it.
std::string demangle(const std::string& mangled);
// "void ns::tr_pad<0>(float*)" -> "tr_pad". Also works for a mangled name, because names of more than 1,024 characters,
// such as CUTLASS's, are not demangled.
std::string bare_name(const std::string& full_name);
// ".text._Z5twicePKfi" -> "twice(float const*, int)": the function of a section that contains one.
std::string function_of(const code_section& section);

// The reason for refusing a POSIX extended regular expression: it has back-references, or so many repetitions that it
// may never end. Empty if it is accepted.
std::string endless_expression(std::string_view expression);

// Finds the kernel by bare name, full name or mangled name, or by a POSIX extended regular expression, "regex:EXPR". If
// no name is given, it is the only kernel. Errors list the nearest names.
result<const kernel*> find_kernel(const program& p, const std::string& pattern);

}  // namespace bankwise::cubin
