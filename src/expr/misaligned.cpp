// One of three things can be wrong: the start of the array, the length of its rows, or the index.
#include "expr/misaligned.hpp"

#include "base/setting.hpp"

namespace bankwise {

std::string aligned_hint(const expr::scope& names, std::uint64_t address, std::uint32_t width) {
  const std::string faults = "the hardware faults here; ", bytes = std::to_string(width) + " bytes";
  for (const expr::array_decl& a : names.arrays) {
    if (address < a.offset || address >= a.offset + bytes_of(a)) continue;
    if (a.offset % width != 0)
      return faults + a.name + " begins at byte " + std::to_string(a.offset) + ": place it at a multiple of " + bytes +
             ", as __align__(" + std::to_string(width) + ") does: @ " +
             std::to_string((a.offset + width - 1) / width * width) + " after the extents";
    if (a.extents.size() > 1 && a.modes.empty()) {
      const std::uint64_t row = a.extents.back() * a.element_bytes;
      if (row % width != 0)
        return faults + "rows of " + a.name + " are " + std::to_string(row) + " bytes: make them a multiple of " +
               bytes + ", or use narrower accesses: " + worded(setting::width, std::to_string(row & (~row + 1)));
    }
    if (a.element_bytes < width && width % a.element_bytes == 0)
      return faults + "an access of " + bytes + " starts at a multiple of " + std::to_string(width / a.element_bytes) +
             " elements of " + a.name + ": " + a.name + "[" + std::to_string(width / a.element_bytes) +
             " * t], or move one element: " + worded(setting::width, std::to_string(a.element_bytes));
    break;
  }
  return faults + "the address of every lane must be a multiple of " + bytes;
}

}  // namespace bankwise
