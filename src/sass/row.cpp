// Parses the parts of all rows on first use.
#include "sass/row.hpp"

namespace bankwise::sass {

const std::vector<part>& parts_of(const opcode_info& info) {
  // The table is never destroyed, because a program may launch kernels until the program ends.
  static const auto& parts = *new std::vector<std::vector<part>>([] {
    std::vector<std::vector<part>> all;
    for (const opcode_info& row : all_rows()) {
      std::vector<part>& list = all.emplace_back();
      const char* error = nullptr;  // parsing cannot fail, because print.cpp checks each row at compile time
      for (std::string_view format = row.format; !format.empty();) list.push_back(take_part(format, error));
    }
    return all;
  }());
  return parts[static_cast<std::size_t>(&info - all_rows().data())];
}

unsigned warp_group_columns(const row_fields& f) {
  // For integers and bits, N is 8, 16, 24, 32 or a greater multiple of 16.
  const auto listed = [](unsigned index) { return index < 3 ? 8 * (index + 1) : 16 * (index - 1); };
  const auto n = static_cast<unsigned>(f.value("columns"));
  switch (f.info().op) {
    case opcode::IGMMA: return listed(n / 3);
    case opcode::BGMMA: return listed(n);
    default: return 8 * (n + 1);
  }
}

}  // namespace bankwise::sass
