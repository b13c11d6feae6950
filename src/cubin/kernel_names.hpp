// The names of kernels: the mangled name for the linker, the full name in CUDA C++, and the bare name.
//
//     _Z6tr_padILi0EEvPf     void tr_pad<0>(float*)     tr_pad
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cubin/program.hpp"

namespace bankwise::cubin {

// Returns the full name of a mangled name. If the demangler fails, returns `mangled`.
std::string demangle(const std::string& mangled);
// Returns the bare name, such as "tr_pad" for "void ns::tr_pad<0>(float*)". Also accepts mangled names, because names
// of more than 1,024 characters are not demangled. CUTLASS has such names.
std::string bare_name(const std::string& full_name);
// Returns the name of the only function in a section, such as "twice(float const*, int)" for ".text._Z5twicePKfi".
std::string function_of(const code_section& section);

// Returns the reason for refusing a POSIX extended regular expression: back-references, or so many repetitions that
// matching may never end. Returns an empty text if the expression is accepted.
std::string endless_expression(std::string_view expression);

// Finds a kernel by its bare, short (instance_names.hpp), full or mangled name, or by a POSIX extended regular
// expression after "regex:". If `pattern` is empty, the program must have only one kernel. Errors list the most similar
// names.
result<const kernel*> find_kernel(const program& p, const std::string& pattern);
// Finds all kernels whose names `pattern` selects. Fails only if the pattern is not valid.
result<std::vector<const kernel*>> match_kernels(const program& p, const std::string& pattern);
// The same, but fails if there is none.
result<std::vector<const kernel*>> find_kernels(const program& p, const std::string& pattern);

}  // namespace bankwise::cubin
