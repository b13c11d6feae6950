#include "runtime/device/allocations.hpp"

#include "runtime/device/state.hpp"

namespace bankwise::cuda {

std::pair<std::uint64_t, const allocation*> allocation_of(const state& s, const void* pointer) {
  auto it = s.allocations.upper_bound(address_of(pointer));
  if (it == s.allocations.begin()) return {0, nullptr};
  --it;
  return address_of(pointer) - it->first < it->second.bytes ? std::pair{it->first, &it->second}
                                                            : std::pair{std::uint64_t{0}, nullptr};
}

}  // namespace bankwise::cuda
