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

}  // namespace bankwise::sass
