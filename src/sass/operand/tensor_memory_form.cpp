#include "sass/operand/tensor_memory_form.hpp"

#include <algorithm>

namespace bankwise::sass {

unsigned tensor_layout_number(const row_fields& f) {
  return static_cast<unsigned>(f.value("halves") << 2 | f.value("layout"));
}

unsigned tensor_repeats(const row_fields& f) { return 1u << f.value("columns"); }

unsigned tensor_registers(const row_fields& f) {
  return std::min(128u, tensor_repeats(f) * registers_of(static_cast<tensor_layout>(tensor_layout_number(f))));
}

}  // namespace bankwise::sass
