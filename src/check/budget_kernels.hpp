// Which kernels a budget is for. A budget names an instance (hgemm<128, 64, half>), every instance of a kernel (hgemm),
// or a pattern with * and ?. A \ before * or ? means the character itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/launch.hpp"

namespace bankwise::check {

struct kernel_names {
  std::string instance, name, kernel, mangled;  // short, bare, full and mangled name

  friend auto operator<=>(const kernel_names&, const kernel_names&) = default;
};
kernel_names names_of(const launch_report& l);

// Returns for each kernel whether a budget for `text` is for it. A text that names kernels is not a pattern, so that a
// budget for k<float*> is not for k<float>.
std::vector<bool> kernels_of_budget(std::string_view text, const std::vector<kernel_names>& kernels);

// Returns the text of a budget that is only for this instance.
std::string budget_text(const kernel_names& k);

// Whether a name such as "transpose_plain" matches a pattern such as "transpose*".
bool matches(std::string_view pattern, std::string_view name);

}  // namespace bankwise::check
