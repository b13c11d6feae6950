#include "device.hpp"

#include <unistd.h>

#include <algorithm>

#include "emulate/memory.hpp"

namespace bankwise::cuda {

namespace {

struct attribute_row {
  int number;
  int value;
};
constexpr attribute_row attributes[] = {
#define ATTRIBUTE(number, name, value) {number, value},
#include "device_attributes.def"
#undef ATTRIBUTE
};

}  // namespace

const cubin::multiprocessor& device_multiprocessor() {
  static const cubin::multiprocessor& m = *cubin::find_multiprocessor(device_arch);
  return m;
}

// What the machine has, as far as the emulator takes it.
std::size_t device_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  const std::uint64_t physical = pages > 0 && bytes > 0 ? std::uint64_t(pages) * std::uint64_t(bytes) : 0;
  return std::clamp<std::uint64_t>(physical, std::uint64_t{1} << 30, emulate::most_device_bytes);
}

bool attribute(int number, int& value) {
  const auto* row = std::find_if(std::begin(attributes), std::end(attributes),
                                 [&](const attribute_row& a) { return a.number == number; });
  if (row == std::end(attributes)) return false;
  value = row->value;
  return true;
}

}  // namespace bankwise::cuda
