// Finds out why an element is misaligned. The reason is the start of the array, the length of the array's rows, or the
// index.
#include "expr/misaligned.hpp"

#include "base/format.hpp"
#include "base/setting.hpp"

namespace bankwise {

std::string aligned_hint(const expr::scope& names, std::uint64_t address, std::uint32_t width) {
  const std::string faults = "the hardware faults on a misaligned address: ", bytes = formatted("{} bytes", width);
  for (const expr::array_decl& a : names.arrays) {
    if (address < a.offset || address >= a.offset + bytes_of(a)) continue;
    if (a.offset % width != 0)
      return formatted(
          "{}{} begins at byte {}. Place the array at a multiple of {}, as __align__({}) does in a kernel. Write @ {} "
          "after the extents",
          faults, a.name, a.offset, bytes, width, (a.offset + width - 1) / width * width);
    if (a.extents.size() > 1 && a.modes.empty()) {
      const std::uint64_t row = a.extents.back() * a.element_bytes;
      if (row % width != 0)
        return formatted("{}rows of {} have {} bytes. Make the rows a multiple of {}, or use narrower accesses: {}",
                         faults, a.name, row, bytes, worded(setting::width, std::to_string(row & (~row + 1))));
    }
    if (a.element_bytes < width && width % a.element_bytes == 0)
      return formatted(
          "{}an access of {} must start at a multiple of {} elements of {}, such as {}[{} * t]. Or access one "
          "element: {}",
          faults, bytes, width / a.element_bytes, a.name, a.name, width / a.element_bytes,
          worded(setting::width, std::to_string(a.element_bytes)));
    break;
  }
  return formatted("{}the address of every lane must be a multiple of {}", faults, bytes);
}

}  // namespace bankwise
