#include "device.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "bankwise/ability.hpp"
#include "bankwise/config.hpp"
#include "emulate/launch.hpp"
#include "emulate/memory.hpp"
#include "state.hpp"

namespace bankwise::cuda {

namespace {

constexpr int mib = 1 << 20;

// clang-format off
constexpr device devices[] = {
    //                                    clock    memory           L2     float
    // arch             board       SMs  kHz      kHz       bits         :double  integrated
    {"sm_75",   75, "T4",            40, 1590000,  5001000,  256,   4 * mib, 32, false},
    {"sm_80",   80, "A100",         108, 1410000,  1593000, 5120,  40 * mib,  2, false},
    {"sm_86",   86, "A10",           72, 1695000,  6251000,  384,   6 * mib, 64, false},
    {"sm_87",   87, "AGX Orin",      16, 1300000,  3199000,  256,   4 * mib, 64, true},
    {"sm_89",   89, "L40",          142, 2490000,  9001000,  384,  96 * mib, 64, false},
    {"sm_90",   90, "H200",         132, 1980000,  3201000, 6144,  60 * mib,  2, false},
    {"sm_100", 100, "B200",         148, 1965000,  3996000, 8192, 126 * mib,  2, false},
    {"sm_103", 103, "B300",         148, 1920000,  3996000, 8192, 126 * mib, 64, false},
    {"sm_110", 110, "AGX Thor",      20, 1575000,  4266000,  256,  32 * mib, 64, true},
    {"sm_120", 120, "RTX PRO 6000", 188, 2617000, 14001000,  512, 128 * mib, 64, false},
    {"sm_121", 121, "DGX Spark",     48, 2418000,  4266000,  256,  24 * mib, 64, true},
};
// clang-format on

const device* find_device(std::string_view arch) {
  const auto* d = std::find_if(std::begin(devices), std::end(devices), [&](const device& x) { return x.arch == arch; });
  return d == std::end(devices) ? nullptr : d;
}

}  // namespace

const device& the_device() {
  static const device& chosen = [&]() -> const device& {
    const char* name = std::getenv("BANKWISE_ARCH");
    const device* d = find_device(name == nullptr ? "sm_90" : name);
    if (d != nullptr) return *d;
    say(std::string("BANKWISE_ARCH=") + name + " is no device that bankwise executes code for, and sm_90 stands in");
    return *find_device("sm_90");
  }();
  return chosen;
}

const cubin::multiprocessor& device_multiprocessor() {
  static const cubin::multiprocessor& m = *cubin::find_multiprocessor(the_device().arch);
  return m;
}

std::string device_name() { return "bankwise " BANKWISE_VERSION " " + std::string(the_device().arch) + ", emulated"; }

const char* device_uuid() {
  static const std::string uuid = [] {
    std::string text = "bankwise " + std::string(the_device().arch);
    text.resize(16, ' ');
    return text;
  }();
  return uuid.c_str();
}

// What the machine has, as far as the emulator takes it.
std::size_t device_memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  const std::uint64_t physical = pages > 0 && bytes > 0 ? std::uint64_t(pages) * std::uint64_t(bytes) : 0;
  return std::clamp<std::uint64_t>(physical, std::uint64_t{1} << 30, emulate::most_device_bytes);
}

// As an H200 answers to cudaOccupancyMaxActiveClusters, for clusters of blocks that fill their multiprocessors; with two blocks
// to a multiprocessor this gives up to 7 % more of some sizes than an H200 does. Devices of other sizes have parts of 18.
std::vector<std::uint32_t> device_parts() {
  if (the_device().multiprocessors == 132) return {18, 18, 17, 17, 17, 17, 16, 8};
  std::vector<std::uint32_t> parts;
  for (int rest = the_device().multiprocessors; rest > 0; rest -= 18)
    parts.push_back(static_cast<std::uint32_t>(std::min(rest, 18)));
  return parts;
}

bool attribute(int number, int& value) {
  const device& d = the_device();
  const cubin::multiprocessor& m = device_multiprocessor();
  switch (number) {
#define ATTRIBUTE(number, name, what) \
  case number: value = static_cast<int>(what); return true;
#include "device_attributes.def"
#undef ATTRIBUTE
    default: return false;
  }
}

}  // namespace bankwise::cuda
