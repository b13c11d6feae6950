// The names of kernel instances. All output uses the short name: namespaces are dropped, long types are shortened, and
// it is unambiguous among the kernels of a report.
//
//     void ns::hgemm<128, 64, __half>(__half*)     hgemm<128, 64, half>
//     a::copy(float*) and b::copy(float*)          a::copy, b::copy
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bankwise::cubin {

struct kernel_identity {
  std::string full_name, mangled;

  friend auto operator<=>(const kernel_identity&, const kernel_identity&) = default;
};

// Returns the short name of each kernel. Equal kernels have equal names, and different kernels have different names.
std::vector<std::string> instance_names(const std::vector<kernel_identity>& kernels);
// Returns the short name of a kernel that is not told apart from others.
std::string instance_name(const std::string& full_name);

// Whether a text names the kernel: it is the short name, also with namespaces or parameters, or the full or the mangled
// name. Blanks do not matter, and ... is any text. The bare name names only a kernel without template arguments.
bool is_instance_name(std::string_view text, const kernel_identity& kernel);

}  // namespace bankwise::cubin
