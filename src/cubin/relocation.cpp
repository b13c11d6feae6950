// Applies relocations. The types have NVIDIA's numbers. If a type is not in the table, the relocation is refused,
// because a guess could store a wrong address.
#include "cubin/relocation.hpp"

#include <cstring>
#include <utility>

#include "cubin/program.hpp"

namespace bankwise::cubin {

namespace {

// Generic pointers and functions that can be launched are handled like other addresses.
constexpr std::pair<std::uint32_t, relocation_form> relocations[] = {
    {1, relocation_form::data_32},     {2, relocation_form::data_64},      {3, relocation_form::data_32},
    {4, relocation_form::data_64},     {35, relocation_form::data_64},     {56, relocation_form::low_at_32},
    {57, relocation_form::high_at_32}, {58, relocation_form::whole_call},  {62, relocation_form::low_at_32},
    {63, relocation_form::high_at_32}, {75, relocation_form::parted_call},
};

}  // namespace

std::optional<relocation_form> form_of(std::uint32_t type) {
  for (const auto& [known, form] : relocations)
    if (known == type) return form;
  return std::nullopt;
}

std::size_t bytes_of(relocation_form form) {
  return form == relocation_form::data_32 ? 4 : form == relocation_form::data_64 ? 8 : instruction_bytes;
}

void put_address(std::byte* at, relocation_form form, std::uint64_t address) {
  if (form == relocation_form::data_32 || form == relocation_form::data_64) {
    std::memcpy(at, &address, bytes_of(form));
    return;
  }
  std::uint64_t low = 0, high = 0;
  std::memcpy(&low, at, 8);
  std::memcpy(&high, at + 8, 8);
  if (form == relocation_form::whole_call || form == relocation_form::parted_call) {
    const std::uint64_t words = address / 4;
    std::uint64_t upper = words;
    if (form == relocation_form::parted_call) {
      low = (low & ~(std::uint64_t{0xff} << 16)) | (words & 0xff) << 16;
      upper >>= 8;
    }
    low = (low & ~(~std::uint64_t{0} << 34)) | upper << 34;
    high = (high & ~((std::uint64_t{1} << 17) - 1)) | (upper >> 30 & ((std::uint64_t{1} << 17) - 1));
  } else {
    const std::uint64_t word = form == relocation_form::low_at_32 ? address & 0xffffffff : address >> 32;
    low = (low & 0xffffffff) | word << 32;
  }
  std::memcpy(at, &low, 8);
  std::memcpy(at + 8, &high, 8);
}

}  // namespace bankwise::cubin
