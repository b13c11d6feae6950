#include "runtime/device/device.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "bankwise/ability.hpp"
#include "bankwise/config.hpp"
#include "base/format.hpp"
#include "cubin/launch_limits.hpp"
#include "emulate/memory/memory.hpp"
#include "model/run_options.hpp"
#include "runtime/device/state.hpp"

namespace bankwise::cuda {

const cubin::architecture& the_device() {
  static const cubin::architecture& chosen = [&]() -> const cubin::architecture& {
    const char* name = std::getenv("BANKWISE_ARCH");
    const cubin::architecture* a = cubin::find_architecture(name == nullptr ? "sm_90" : name);
    if (a != nullptr && cubin::is_executed(a->sm)) return *a;
    say(formatted("BANKWISE_ARCH={} is not a device that bankwise can emulate, so bankwise emulates sm_90 instead",
                  name));
    return *cubin::find_architecture("sm_90");
  }();
  return chosen;
}

std::string device_name() {
  if (const char* const told = std::getenv(run_variable::device_name)) return std::string(told).substr(0, 255);
  return formatted("bankwise {} {}, emulated", BANKWISE_VERSION, the_device().one.name);
}

namespace {

// Reads a hexadecimal number and the character `end` from the beginning of `text`, and removes both from `text`.
std::optional<unsigned> take_hex(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  unsigned n = 0;
  const auto [rest, failed] = std::from_chars(text.data(), text.data() + at, n, 16);
  if (failed != std::errc{} || rest != text.data() + at) return std::nullopt;
  text.remove_prefix(std::min(at + 1, text.size()));
  return n;
}

// Numbers of the domain, bus, device and function of a PCI device.
using pci_place = std::array<unsigned, 4>;
std::optional<pci_place> pci_place_of(std::string_view text) {
  const auto colons = std::count(text.begin(), text.end(), ':');
  const bool has_function = text.find('.') != std::string_view::npos;
  if (colons < 1 || colons > 2 || (colons == 1 && !has_function) || text.back() == '.' || text.back() == ':')
    return std::nullopt;
  const auto domain = colons == 2 ? take_hex(text, ':') : 0, bus = take_hex(text, ':'), device = take_hex(text, '.'),
             function = has_function ? take_hex(text, ' ') : 0;
  if (!domain || !bus || !device || !function || !text.empty()) return std::nullopt;
  return pci_place{*domain, *bus, *device, *function};
}

}  // namespace

bool is_bus_id(std::string_view text) {
  const auto place = pci_place_of(text);
  return place && place == pci_place_of(device_bus_id);
}

const char* device_uuid() {
  static const auto& uuid = *new std::string([] {
    std::string text = formatted("bankwise {}", the_device().one.name);
    text.resize(16, ' ');
    return text;
  }());
  return uuid.c_str();
}

// Size of the device's memory: the memory of this machine, but at most the amount that the emulator supports.
std::size_t device_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  const std::uint64_t physical = pages > 0 && bytes > 0 ? std::uint64_t(pages) * std::uint64_t(bytes) : 0;
  return std::clamp<std::uint64_t>(physical, std::uint64_t{1} << 30, emulate::most_device_bytes);
}

// Number of multiprocessors in each part of the device. With the numbers for the H200, cudaOccupancyMaxActiveClusters
// returns the same results as on an H200 if one block fills a multiprocessor. If two blocks fit on a multiprocessor,
// the results are up to 7 % too high for some cluster sizes. Other devices get parts of 18 multiprocessors.
std::vector<std::uint32_t> device_parts() {
  if (the_device().gpu.multiprocessors == 132) return {18, 18, 17, 17, 17, 17, 16, 8};
  std::vector<std::uint32_t> parts;
  for (std::uint32_t rest = the_device().gpu.multiprocessors; rest > 0; rest -= parts.back())
    parts.push_back(std::min(rest, 18u));
  return parts;
}

bool attribute(int number, int& value) {
  const std::uint32_t sm = the_device().sm;
  const cubin::board& d = the_device().gpu;
  const cubin::multiprocessor& m = the_device().one;
  const cubin::launch_limits most;
  switch (number) {
#define ATTRIBUTE(number, name, what) \
  case number: value = static_cast<int>(what); return true;
#include "runtime/device/device_attributes.def"
#undef ATTRIBUTE
    default: return false;
  }
}

}  // namespace bankwise::cuda
